"""Kernel source → machine code in memory, through the disk cache."""

from __future__ import annotations

import ctypes
import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardan.codegen.kernels.lowering import module_text
from cardan.codegen.kernels.memory import View
from cardan.codegen.machine import cache, engine
from cardan.frozen import dataclass

__all__ = ["Kernel", "NativeKernel", "kernel", "native_kernel"]

SYMBOL = "kernel"


@dataclass(frozen=True)
class Kernel:
    """A function (*records, budget) → status number, as Python and as machine code.

    Calling it runs the machine code without Python's lock.
    """

    source: Callable[..., int]
    records: tuple[type, ...]

    def __call__(self, *arguments: Any) -> int:
        """Run on records made by `memory.fill`, and a budget."""
        *records, budget = arguments
        return _load(self).call(*[record.address for record in records], budget)

    def interpret(self, *arguments: Any) -> int:
        """Run on `arguments` in plain Python, thousands of times slower: to look into it, to test the compiler."""
        *records, budget = arguments
        return self.source(*(View(record) for record in records), budget)

    def load(self) -> None:
        """Compile the kernel, or read it from the cache, if that has not been done in this process."""
        _load(self)

    def is_on_disk(self) -> bool:
        """Whether the cache holds the machine code of the kernel."""
        return cache.fetch(_material(self)) is not None


@dataclass(frozen=True)
class NativeKernel:
    """A function of loops at an address, which a kernel may call as it calls the functions of a model."""

    address: int  # valid as long as this record lives
    n_in: int  # numbers that it reads
    n_out: int  # numbers that it writes
    n_work: int  # numbers that it needs beside
    lanes: int  # always 0: one state at a time
    length: int  # number of lines of its LLVM text, in place of instructions
    keep: Any  # owns the memory of the machine code


def native_kernel(function: Callable[[int, int, int], int], n_in: int, n_out: int, n_work: int = 0) -> NativeKernel:
    """Return the machine code of f(inputs, outputs, work), all addresses, for laws with loops, such as a reset.

    Parameters
    ----------
    function : callable
        In the subset of Python that kernels are written in; returns 0.
    n_in, n_out, n_work : int
        Numbers behind the three addresses.
    """
    with _PARSING:
        text = module_text(function, ("int", "int", "int"), SYMBOL)
    code = cache.remember(f"native kernel\0{text}".encode(), lambda: engine.assemble(text, optimize=True))
    (address,), keep = engine.link(code, [SYMBOL])
    return NativeKernel(address, n_in, n_out, n_work, 0, text.count("\n"), keep)


def kernel(*records: type) -> Callable[[Callable[..., int]], Kernel]:
    """Return a decorator for f(*records, budget) → int; it is compiled when it is first called.

    Parameters
    ----------
    *records : type
        Record classes of the arguments before the budget.
    """

    def decorate(function: Callable[..., int]) -> Kernel:
        return Kernel(function, records)

    return decorate


@dataclass(frozen=True)
class _Loaded:
    call: Callable[..., int]
    keep: Any  # owns the memory of the machine code


_LOADED: dict[Kernel, _Loaded] = {}  # never forgotten: a kernel that runs must not lose its machine code
_LOADING: dict[Kernel, threading.Lock] = {}  # held by the thread that compiles the kernel


def _load(kernel: Kernel) -> _Loaded:
    """Return the machine code of a kernel; of threads that load it at once one compiles, the others wait for it."""
    if kernel not in _LOADED:
        with _LOADING.setdefault(kernel, threading.Lock()):
            if kernel not in _LOADED:
                _LOADED[kernel] = _made(kernel)
    return _LOADED[kernel]


def _made(kernel: Kernel) -> _Loaded:
    code = cache.remember(_material(kernel), lambda: _compile(kernel))
    (address,), keep = engine.link(code, [SYMBOL])
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(kernel.records), ctypes.c_int64)
    return _Loaded(prototype(address), keep)


def _compile(kernel: Kernel) -> bytes:
    """Return the object code of a kernel; LLVM compiles without Python's lock, several kernels at a time."""
    with _PARSING:
        text = module_text(kernel.source, (*kernel.records, "int"), SYMBOL)
    return engine.assemble(text, optimize=True)


_PARSING = threading.Lock()
"""Held while a kernel is parsed: `ast.parse` of Python 3.11 counts its recursion wrongly if threads run it together."""


def _material(kernel: Kernel) -> bytes:
    """Return the key of a kernel's machine code: its name, and the source of the folders of its loop and records."""
    parts: tuple[Any, ...] = (kernel.source, *kernel.records)
    names = [f"{part.__module__}.{part.__qualname__}" for part in parts]
    folders = [cache.source_hash(Path(inspect.getfile(part)).parent) for part in parts]
    return "\0".join(["kernel", *names, *folders]).encode()
