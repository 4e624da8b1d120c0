"""Python function → its syntax tree; a file is parsed once for all functions in it."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Callable, Mapping
from typing import Any


def definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function, with the line numbers of its file.

    `inspect.getsource` reads a file for each function again, which took half the time of writing a loop as LLVM text.
    """
    code = function.__code__
    path = inspect.getsourcefile(function) or code.co_filename
    source = "".join(linecache.getlines(path, function.__globals__))
    found = _definitions(source).get(code.co_firstlineno)
    if found is None or found.name != function.__name__:
        raise OSError(f"{path} has no function {function.__name__} in line {code.co_firstlineno}")
    return found


@functools.lru_cache(maxsize=32)
def _definitions(source: str) -> Mapping[int, ast.FunctionDef]:
    """Functions of a file by the number of their first line, which is that of a decorator where there is one."""
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return {min([node.lineno, *(one.lineno for one in node.decorator_list)]): node for node in found}
