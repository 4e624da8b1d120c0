"""What a worker of a cluster executes: a block of a function that it makes once and keeps."""

from __future__ import annotations

import hashlib
import threading
import time
import traceback
from collections.abc import Callable
from typing import NamedTuple

import cardan
from cardan.blocks.work import Arrays, BlockFunction, computed, joined

KEPT = 8  # largest number of functions that a worker keeps

_made: dict[str, BlockFunction] = {}
_one = threading.Lock()  # a worker computes one block at a time, with all its threads


class Answer(NamedTuple):
    """What a worker sends back."""

    values: Arrays | None  # results; None if an exception was raised
    seconds: float  # time taken, without making the function [s]
    fault: str  # text of the exception; empty if there was none
    is_common: bool  # whether all blocks would raise it
    address: str  # of the worker


Make = Callable[[str, int], BlockFunction]


def run_block(make: Make, text: str, version: str, rows: Arrays, count: int, isolated: bool) -> Answer:
    """The results of a block; `isolated`: items that raise an exception are recorded as lost."""
    from distributed import get_worker

    worker = get_worker()
    with _one:
        try:
            function = _function(make, text, version, worker.state.nthreads)
        except Exception as error:
            return Answer(None, 0.0, str(error) or type(error).__name__, True, worker.address)
        begin = time.perf_counter()
        try:
            values = computed(function, rows, count) if isolated else joined(function.pieces(rows), count)
        except Exception:
            return Answer(None, 0.0, traceback.format_exc(), False, worker.address)
        return Answer(values, time.perf_counter() - begin, "", False, worker.address)


def same(text: str) -> str:
    """The text, as a task whose result the cluster sends to each worker once."""
    return text


def _function(make: Make, text: str, version: str, threads: int) -> BlockFunction:
    if version != cardan.__version__:
        raise RuntimeError(f"a worker has Cardan {cardan.__version__}, and the call comes from Cardan {version}")
    key = hashlib.sha256(f"{make.__module__}.{make.__qualname__}\0{threads}\0{text}".encode()).hexdigest()
    if key not in _made:
        while len(_made) >= KEPT:
            del _made[next(iter(_made))]
        _made[key] = make(text, threads)
    return _made[key]
