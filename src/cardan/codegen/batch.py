"""Many states through machine code: blocks of lanes, spread over threads.

The interpreter lock is released while the machine code runs, so plain threads are enough.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .engine import Engine
from .machine import MachineCode

__all__ = ["flat_states", "number_of_threads", "run_rows"]

SHARE = 256
"""Fewest states worth a thread: handing work over takes about 20 µs, as long as some 256 states of a 7-joint arm."""
LINE = 64
"""Bytes in a cache line, to which scratch is aligned."""

ROWS = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
)


def number_of_threads(threads: int | None) -> int:
    """How many threads to use: what was asked for, else `$CARDAN_NUM_THREADS`, else 1.

    Parameters
    ----------
    threads : int or None
        What was asked for.

    Raises
    ------
    ValueError
        Less than one, or a variable that is no whole number.
    """
    given = threads if threads is not None else os.environ.get("CARDAN_NUM_THREADS", "1")
    try:
        number = int(given)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"number of threads is {given!r}; give 1 or more")
    return number


def flat_states(array: np.ndarray, leading: tuple[int, ...], core: int) -> tuple[np.ndarray, int]:
    """The array with all leading axes in one, each state contiguous, and the distance of its states in doubles.

    An array that is the same for all states stays one state at distance 0.

    Parameters
    ----------
    array : ndarray
        Leading axes, then the shape of one state.
    leading : tuple of int
        The batch.
    core : int
        Number of axes of one state.
    """
    axes = array.ndim - core
    shape = array.shape[axes:]
    size = math.prod(shape)
    if math.prod(array.shape[:axes]) == 1:
        return np.ascontiguousarray(array).reshape(size), 0
    if array.shape[:axes] != leading:
        array = np.broadcast_to(array, leading + shape)
    return np.ascontiguousarray(array).reshape(math.prod(leading), size), size


def run_rows(
    code: MachineCode,
    engine: Engine,
    inputs: Sequence[tuple[np.ndarray, int]],
    outputs: Sequence[np.ndarray],
    count: int,
    threads: int,
) -> None:
    """Fill the outputs for all states.

    Parameters
    ----------
    code : MachineCode
        Sizes and lanes.
    engine : Engine
        The code in memory.
    inputs : sequence of (ndarray, int)
        Each input's states and their distance.
    outputs : sequence of ndarray
        Contiguous, one state after the other.
    count : int
        Number of states.
    threads : int
        At most so many threads are used.
    """
    rows = ROWS(engine.rows)
    sources = (ctypes.c_void_p * len(inputs))(*(_address(array) for array, _ in inputs))
    strides = (ctypes.c_int64 * len(inputs))(*(stride for _, stride in inputs))
    targets = (ctypes.c_void_p * len(outputs))(*(_address(array) for array in outputs))

    def run(bounds: tuple[int, int]) -> None:
        scratch = np.empty(8 * (code.n_in + code.n_out + code.n_work) * max(code.lanes, 1) + LINE, dtype=np.uint8)
        rows(sources, strides, targets, *bounds, -(-_address(scratch) // LINE) * LINE)

    shares = _shares(count, max(code.lanes, 1), threads)
    if len(shares) == 1:
        run(shares[0])
    else:
        list(_pool(threads).map(run, shares))


def _address(array: np.ndarray) -> int:
    """Where the array's data are; `array.ctypes.data` says the same in three times the time."""
    return array.__array_interface__["data"][0]


def _shares(count: int, lanes: int, threads: int) -> list[tuple[int, int]]:
    """First and last + 1 state of each thread, in whole blocks."""
    number = max(1, min(threads, count // SHARE))
    size = math.ceil(count / number / lanes) * lanes
    return [(first, min(first + size, count)) for first in range(0, count, size)]


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="cardan")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
