"""Timing in turns: a machine that gets slower or busier meanwhile does so for both sides."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["FULL", "QUICK", "Effort", "Times", "in_turns", "on_all_cores", "on_one_core"]

SHORTEST = 4e-3  # time of one round of one function [s]: 10⁴ × the resolution and cost of the clock


@dataclass(frozen=True)
class Effort:
    """How much is spent on a measurement."""

    rounds: int  # turns of each side
    processes: int  # fresh interpreters started per start-up row
    first_turns: int  # of processes that fill the caches of bytecode and machine code, and do not count
    batch: int  # states in a batch
    study: int  # runs of a study
    steps: int  # integration steps of a trajectory
    joints: tuple[int, ...]  # lengths of the chains
    loops: tuple[int, ...]  # four-bar linkages side by side, compared with peers
    linkages: tuple[int, ...]  # the same, alone
    every: int  # of the gallery's models, in the order of their names, one out of so many is measured


FULL = Effort(
    rounds=101,
    processes=7,
    first_turns=1,
    batch=8192,
    study=1_000_000,
    steps=20_000,
    joints=(2, 4, 7, 12, 20, 34, 60, 90, 120),
    loops=(1, 40),
    linkages=(1, 4, 10, 40, 100, 200, 400),
    every=1,
)
QUICK = Effort(
    rounds=1,
    processes=1,
    first_turns=0,
    batch=64,
    study=64,
    steps=200,
    joints=(2, 4),
    loops=(1,),
    linkages=(1, 4),
    every=8,
)


@dataclass(frozen=True)
class Times:
    """Times of one call, one per round [s]."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """What a call usually costs [s]."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """What a call costs when nothing else disturbs it [s]."""
        return min(self.seconds)

    def per(self, count: float) -> Times:
        """The same times for one of the `count` equal parts of a call."""
        return Times(tuple(seconds / count for seconds in self.seconds))


def in_turns(
    functions: Sequence[Callable[[], object]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[Times]:
    """Times of functions called in turns, each as often per round as fills SHORTEST.

    Parameters
    ----------
    functions : sequence of callable
        Called once before, so that whatever they prepare is ready.
    rounds : int
        Number of turns.
    clock : callable
        `time.process_time` where others work on the machine, and nothing is waited for.
    """
    repeats = [_repeats(function, clock) for function in functions]
    with _no_garbage_collection():
        table = [[_time(f, n, clock) for f, n in zip(functions, repeats, strict=True)] for _ in range(rounds)]
    return [Times(tuple(column)) for column in zip(*table, strict=True)]


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process and its children on one core, where the operating system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


@contextmanager
def on_all_cores() -> Iterator[None]:
    """Let this process use all cores for a while, where the operating system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    chosen = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, chosen)


def _repeats(function: Callable[[], object], clock: Callable[[], float]) -> int:
    function()
    number = 1
    while (spent := _time(function, number, clock) * number) < SHORTEST:
        number = max(2 * number, int(1.2 * number * SHORTEST / max(spent, 1e-7)) if spent > SHORTEST / 20 else 0)
    return number


def _time(function: Callable[[], object], number: int, clock: Callable[[], float]) -> float:
    """Mean time of one of `number` calls [s]."""
    turns = range(number)
    start = clock()
    for _ in turns:
        function()
    return (clock() - start) / number


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
