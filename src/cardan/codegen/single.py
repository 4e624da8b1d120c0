"""The shortest way from Python to machine code for one state.

The function runs on one buffer that holds inputs, outputs and scratch. A vector goes into it by assignment to a
memoryview, which checks length and type on the way and costs half of a NumPy assignment; the call takes one prepared
pointer and keeps the interpreter lock, which costs less than letting it go. A buffer belongs to one thread.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .engine import Engine
from .machine import MachineCode

__all__ = ["single_state"]

ALL = slice(None)


def single_state(
    code: MachineCode,
    engine: Engine,
    input_shapes: Sequence[tuple[int, ...]],
    output_shapes: Sequence[tuple[int, ...]],
) -> Callable[[Sequence[Any]], Any]:
    """A function of one state with a buffer of its own; it returns None if the arrays are anything else than one state.

    Parameters
    ----------
    code : MachineCode
        Sizes; code for plain numbers.
    engine : Engine
        The code in memory.
    input_shapes, output_shapes : sequence of tuple of int
        Array shapes.
    """
    buffer = np.empty(code.n_in + code.n_out + code.n_work)
    views = _views(buffer, [*input_shapes, *output_shapes])
    inputs = [_target(view) for view in views[: len(input_shapes)]]
    outputs = views[len(input_shapes) :]
    run = ctypes.PYFUNCTYPE(None)(engine.state)
    place = ctypes.byref((ctypes.c_double * buffer.size).from_buffer(buffer.data)) if buffer.size else None
    count = len(inputs)
    only = outputs[0] if len(outputs) == 1 else None

    def call(arrays: Sequence[Any]) -> Any:
        if len(arrays) != count:
            return None
        try:
            for array, target in zip(arrays, inputs):  # noqa: B905 - lengths are checked above
                target[ALL] = array
        except (TypeError, ValueError):
            return None
        run(place)
        return tuple([view.copy() for view in outputs]) if only is None else only.copy()

    return call


class _Shaped:
    """A part of the buffer that is not a vector, with the same assignment as a memoryview."""

    def __init__(self, view: np.ndarray) -> None:
        self._view = view

    def __setitem__(self, everything: slice, array: Any) -> None:
        if np.shape(array) != self._view.shape:
            raise ValueError("another shape")
        self._view[...] = array


def _target(view: np.ndarray) -> Any:
    return view.data if view.ndim == 1 else _Shaped(view)


def _views(buffer: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    ends = itertools.accumulate(math.prod(shape) for shape in shapes)
    return [buffer[end - math.prod(shape) : end].reshape(shape) for end, shape in zip(ends, shapes, strict=True)]
