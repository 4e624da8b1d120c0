"""The page docs/benchmarks.md: machine, method, one table per section, figures."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from .machine import describe
from .table import Result, markdown

__all__ = ["page"]

INTRODUCTION = """# Benchmarks

This page is written by the command

    {command}

Each section first asserts that both sides compute the same numbers, and only then times them: in turns, in one process
on one core, each side for at least 4 ms per turn. Times are medians over the turns, with the fastest turn in brackets;
`peer / Cardan` is the ratio of the medians, with that of the fastest turns in brackets. ✓ and ✗ say whether the median
reaches the goal.

{machine}
"""


def page(path: Path, sections: Sequence[tuple[str, ModuleType, Result | str]], command: str) -> None:
    """Write the page, and its figures into `figures` beside it.

    Parameters
    ----------
    path : Path
        File to write.
    sections : sequence of (name, module, Result or reason for having none)
        What was measured.
    command : str
        What was typed.
    """
    machine = "\n".join(f"* {line}" for line in describe())
    parts = [INTRODUCTION.format(command=command, machine=machine)]
    parts += [_section(path, *section) for section in sections]
    path.write_text("\n".join(parts), encoding="utf-8")


def _section(path: Path, name: str, module: ModuleType, result: Result | str) -> str:
    text = f"## {module.TITLE}\n\n{inspect.getdoc(module)}\n\n"
    if isinstance(result, str):
        return f"{text}Not measured: {result}.\n"
    text += f"{markdown(result.rows)}\n"
    if result.draw is not None:
        figure = path.parent / "figures" / f"{name}.png"
        result.draw(figure)
        text += f"\n![{module.TITLE}](figures/{figure.name})\n"
    return text
