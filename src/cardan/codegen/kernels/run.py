"""Kernel source → machine code in memory, through the disk cache.

A kernel has two kinds of machine code, which compute the same bits. The quick one is compiled in a tenth of the time
and takes up to eight times as long to run: it serves processes that spend little time in the kernel. The other one is
compiled beside the run as soon as a process has spent `PATIENCE` in quick code, and serves all runs after that. What a
process repeats may still differ in its last bits: the functions of a model, which kernels call, have several kinds of
code that do not round alike (`callables.gradual`).
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardan.codegen.kernels.lowering import module_text
from cardan.codegen.kernels.memory import View
from cardan.codegen.machine import cache, engine
from cardan.frozen import dataclass
from cardan.numerics import round_off

SYMBOL = "kernel"
THREAD = "better machine code"
PATIENCE = 0.05
"""Time that a process spends in quick code before better code is made [s]: a tenth of what it takes to start, so that
nobody notices it, and of what LLVM takes for better code, which is kept for all processes to come."""


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
        code, addresses = _load(self), [record.address for record in records]
        if not code.quick:
            return code.call(*addresses, budget)
        start = time.perf_counter()
        status = code.call(*addresses, budget)
        _account(self, time.perf_counter() - start)
        return status

    def interpret(self, *arguments: Any) -> int:
        """Run on `arguments` in plain Python, thousands of times slower: to look into it, to test the compiler."""
        *records, budget = arguments
        return self.source(*(View(record) for record in records), budget)

    def load(self) -> None:
        """Compile the kernel quickly, or read it from the cache, if that has not been done in this process."""
        _load(self)

    def improve(self) -> None:
        """Make the machine code that runs fastest, or read it from the cache, unless this process has it."""
        _improve(self)


def kernel(*records: type) -> Callable[[Callable[..., int]], Kernel]:
    """Return a decorator for f(*records, budget) → int; it is compiled when it is first called."""

    def decorate(function: Callable[..., int]) -> Kernel:
        return Kernel(function, records)

    return decorate


@dataclass(frozen=True)
class _Loaded:
    call: Callable[..., int]
    quick: bool  # whether better code can be made
    keep: Any  # owns the memory of the machine code


_LOADED: dict[Kernel, _Loaded] = {}
_LOADING: dict[Kernel, threading.Lock] = {}  # held by the thread that compiles the kernel
_SPENT: dict[Kernel, float] = {}  # time in quick code [s]


def _load(kernel: Kernel) -> _Loaded:
    """Return the machine code of a kernel; of threads that load it at once one compiles, the others wait for it."""
    if kernel not in _LOADED:
        with _LOADING.setdefault(kernel, threading.Lock()):
            if kernel not in _LOADED:
                found = cache.fetch(_material(kernel, quick=False))
                _LOADED[kernel] = _made(kernel, quick=True) if found is None else _linked(kernel, found, quick=False)
    return _LOADED[kernel]


def _account(kernel: Kernel, seconds: float) -> None:
    """Add to the time spent in quick code; when patience ends, a thread begins to make better code."""
    before = _SPENT.get(kernel, 0.0)
    _SPENT[kernel] = before + seconds
    if before <= PATIENCE < before + seconds:
        with contextlib.suppress(RuntimeError):  # no room for a thread: the run goes on with the code that it has
            threading.Thread(target=_improve_quietly, args=(kernel,), name=THREAD).start()


def _improve(kernel: Kernel) -> None:
    with _LOADING.setdefault(kernel, threading.Lock()):
        if kernel not in _LOADED or _LOADED[kernel].quick:
            _LOADED[kernel] = _made(kernel, quick=False)  # calls that run keep the code they have begun with


def _improve_quietly(kernel: Kernel) -> None:
    with _IMPROVING, contextlib.suppress(Exception):  # the run goes on with the code that it has
        _improve(kernel)


_IMPROVING = threading.Lock()
"""Held while better code is made beside a run. A fork waits for it: in a process that is forked while a thread holds
LLVM's lock, nobody would ever open this lock again."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_IMPROVING.acquire, after_in_parent=_IMPROVING.release, after_in_child=_IMPROVING.release
    )


def _made(kernel: Kernel, *, quick: bool) -> _Loaded:
    code = cache.remember(_material(kernel, quick=quick), lambda: _compile(kernel, quick=quick))
    return _linked(kernel, code, quick=quick)


def _linked(kernel: Kernel, code: bytes, *, quick: bool) -> _Loaded:
    (address,), keep = engine.link(code, [SYMBOL])
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(kernel.records), ctypes.c_int64)
    return _Loaded(prototype(address), quick, keep)


def _compile(kernel: Kernel, *, quick: bool) -> bytes:
    """Return the object code of a kernel; LLVM compiles without Python's lock, one module at a time."""
    with _PARSING:
        text = module_text(kernel.source, (*kernel.records, "int"), SYMBOL)
    return engine.assemble_loops(text, quickly=quick)


_PARSING = threading.Lock()
"""Held while a kernel is parsed: `ast.parse` of Python 3.11 counts its recursion wrongly if threads run it together."""


def _material(kernel: Kernel, *, quick: bool) -> bytes:
    """Return the key of a kernel's machine code: its name, and the source of all folders that it is made from.

    These are the folders of its loop and records, and that of the numbers which all rooms share.
    """
    parts: tuple[Any, ...] = (kernel.source, *kernel.records)
    names = [f"{part.__module__}.{part.__qualname__}" for part in parts]
    folders = [cache.source_hash(Path(inspect.getfile(part)).parent) for part in (*parts, round_off)]
    return "\0".join(["quick kernel" if quick else "kernel", *names, *folders]).encode()
