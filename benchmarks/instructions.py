"""Instructions of machine code that calls execute, counted one by one: a count that no other process disturbs.

The calls run in a fork of this process, which this process traces: after each instruction the child stops, and is
counted (`ptrace`, Linux). That is some ten thousand times slower than the call itself. Hardware counters would be
faster, but virtual machines seldom have any.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .peers import Missing
from .timing import on_one_core

__all__ = ["count", "mark"]

TRACE_ME, CONTINUE, SINGLE_STEP = 0, 7, 9  # requests of ptrace, in every architecture of Linux
BEGIN, END = signal.SIGUSR1, signal.SIGUSR2  # signals with which the child says where to begin counting, and to end


def mark(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return `call` with marks before and behind it: `count` counts only what happens between marks.

    Parameters
    ----------
    call : callable
    """

    def marked(*arguments: Any) -> Any:
        os.kill(os.getpid(), BEGIN)
        result = call(*arguments)
        os.kill(os.getpid(), END)
        return result

    return marked


def count(calls: Sequence[Callable[[], object]]) -> list[int]:
    """Return how many instructions each of the calls executes between marks.

    Those of Python between the marks and the marked function are counted too. They are the same, but for some ten, in
    two calls that differ only in what the function does.

    Parameters
    ----------
    calls : sequence of callable
        Each executes at least one function with marks.

    Raises
    ------
    Missing
        The operating system does not let a process trace its child, or a call has failed.
    """
    if sys.platform != "linux":
        raise Missing("instructions are counted on Linux only")
    with on_one_core():  # elsewhere than its child, the parent would wait for another core at each instruction
        return [_count(call) for call in calls]


def _count(call: Callable[[], object]) -> int:
    ptrace = _ptrace()
    child = os.fork()
    if child == 0:
        _run(ptrace, call)
    request, passed_on, total = CONTINUE, 0, 0
    _, status = os.waitpid(child, 0)
    while os.WIFSTOPPED(status):
        ptrace(request, child, None, passed_on)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            break
        reason, passed_on = os.WSTOPSIG(status), 0
        if reason == BEGIN:
            request = SINGLE_STEP
        elif reason == END:
            request = CONTINUE
        elif reason != signal.SIGTRAP:
            passed_on = reason
        elif request == SINGLE_STEP:
            total += 1
    if os.waitstatus_to_exitcode(status) != 0 or total == 0:
        raise Missing("instructions cannot be counted here: this process may not trace its child, or the call failed")
    return total


def _run(ptrace: Callable[..., int], call: Callable[[], object]) -> None:
    """Run the call in the child, which its parent traces, and end the process."""
    failed = 1
    try:
        if ptrace(TRACE_ME, 0, None, None) == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            call()
            failed = 0
    finally:
        os._exit(failed)


def _ptrace() -> Callable[..., int]:
    function = ctypes.CDLL(None).ptrace
    function.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    function.restype = ctypes.c_long
    return function
