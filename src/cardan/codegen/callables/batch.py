"""Many states through machine code: blocks of lanes, spread over threads.

The interpreter lock is released while the machine code runs, so plain threads are enough.
"""

import ctypes
import functools
import math
import os
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from cardan.codegen.kernels.lines import LINE
from cardan.codegen.machine.engine import Engine
from cardan.codegen.machine.machine_code import MachineCode

SHARE = 256
"""Smallest number of states per thread: handing work over takes 20 µs, as long as 256 states of a 7-joint arm."""

ROWS = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Shapes = Sequence[tuple[int, ...]]
Arrays = Sequence[np.ndarray]
Run = Callable[[Arrays, Sequence[bool], Arrays, int, int | None], None]
"""(inputs, whether each has a row per state, outputs, number of states, threads); fills the outputs."""


def number_of_threads(threads: int | None) -> int:
    """The number of threads: the given one, else `$CARDAN_NUM_THREADS`, else 1."""
    given = threads if threads is not None else os.environ.get("CARDAN_NUM_THREADS", "1")
    try:
        number = int(given)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"number of threads is {given!r}; give 1 or more")
    return number


def batch_of(arrays: Arrays, cores: Shapes) -> tuple[tuple[int, ...] | None, list[bool]]:
    """The leading axes, and which arrays have them, if every array has either these or none; else None."""
    leading: tuple[int, ...] = ()
    varies: list[bool] = []
    if len(arrays) != len(cores):
        return None, varies
    for array, core in zip(arrays, cores):  # noqa: B905 - lengths are checked above
        shape = array.shape
        varies.append(shape != core)
        if shape != core:
            leading = leading or shape[: array.ndim - len(core)]
            if shape != leading + core:
                return None, varies
    return leading, varies


def spread(arrays: Arrays, cores: Shapes, leading: tuple[int, ...]) -> tuple[list[np.ndarray], list[bool]]:
    """The arrays with these leading axes, and whether they have them: one row is left as it is."""
    varies = [math.prod(array.shape[: array.ndim - len(core)]) != 1 for array, core in zip(arrays, cores, strict=True)]
    full = [
        np.ascontiguousarray(np.broadcast_to(array, leading + core)) if many else array
        for array, core, many in zip(arrays, cores, varies, strict=True)
    ]
    return full, varies


def many_states(code: MachineCode, engine: Engine) -> Run:
    """A function that fills arrays of outputs from arrays of inputs, all contiguous."""
    rows = ROWS(engine.rows)
    pack = struct.Struct(f"{3 + 2 * len(code.inputs) + len(code.outputs)}q").pack
    lanes = max(code.lanes, 1)
    length = (code.n_in + code.n_out + code.n_work) * lanes + LINE
    spare: list[tuple[np.ndarray, int]] = []

    def run(inputs: Arrays, varies: Sequence[bool], outputs: Arrays, count: int, threads: int | None) -> None:
        ports = (*map(_address, inputs), *varies, *map(_address, outputs))

        def share(first: int, last: int) -> None:
            scratch = _scratch(spare, length)
            rows(pack(first, last, scratch[1], *ports))
            spare.append(scratch)

        number = 1 if threads is None and count < 2 * SHARE else min(number_of_threads(threads), count // SHARE)
        if number <= 1:
            share(0, count)
        else:
            first, *others = _shares(count, lanes, number)
            waiting = [_pool(number - 1).submit(share, *bounds) for bounds in others]
            share(*first)
            for future in waiting:
                future.result()

    return run


def _scratch(spare: list[tuple[np.ndarray, int]], length: int) -> tuple[np.ndarray, int]:
    """An array that no other thread uses, and the first address in it at which a cache line begins."""
    try:
        return spare.pop()
    except IndexError:
        array = np.empty(length)
        return array, -(-_address(array) // (8 * LINE)) * 8 * LINE


def _address(array: Any) -> int:
    """Address of the array's data. NumPy's own attributes take three times as long."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError):  # read-only or empty
        return array.__array_interface__["data"][0]


def _shares(count: int, lanes: int, number: int) -> list[tuple[int, int]]:
    """First and last + 1 state of each thread: whole blocks, except at the end, and none without a whole block."""
    blocks = count // lanes
    bounds = [i * blocks // number * lanes for i in range(number)]
    return list(zip(bounds, [*bounds[1:], count], strict=True))


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="cardan")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
