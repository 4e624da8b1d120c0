"""The fastest call of machine code from Python for one state.

The function runs on one buffer that holds inputs, outputs and scratch. A vector is copied into the buffer by assignment
to a memoryview, which checks length and type and takes half the time of a NumPy assignment. The call passes one
prepared pointer and keeps the interpreter lock, because releasing it would take longer. A buffer belongs to one thread.
"""

import ctypes
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.codegen.machine.engine import Engine
from cardan.codegen.machine.machine_code import MachineCode

ALL = slice(None)


def single_state(
    code: MachineCode,
    engine: Engine,
    input_shapes: Sequence[tuple[int, ...]],
    output_shapes: Sequence[tuple[int, ...]],
    fixed: Sequence[Any] = (),
) -> Callable[..., Any]:
    """A function of the arrays of one state with a buffer of its own, which keeps the last inputs.

    It raises TypeError or ValueError if the arrays are anything else than one state.
    """
    buffer = np.empty(code.n_in + code.n_out + code.n_work)
    views = _views(buffer, [*input_shapes, *output_shapes])
    free = len(input_shapes) - len(fixed)
    for view, array in zip(views[free : len(input_shapes)], fixed, strict=True):
        view[...] = array
    run: Any = ctypes.PYFUNCTYPE(None)(engine.state)
    run.keep = engine  # the code stays as long as what runs it
    place = ctypes.byref((ctypes.c_double * buffer.size).from_buffer(buffer.data)) if buffer.size else None
    outputs = views[len(input_shapes) :]
    copy = outputs[0].copy if len(outputs) == 1 else lambda: tuple([view.copy() for view in outputs])
    return _caller([_target(view) for view in views[:free]], functools.partial(run, place), copy)


def _caller(targets: Sequence[Any], run: Callable[[], Any], copy: Callable[[], Any]) -> Callable[..., Any]:
    """The function, written out for the usual numbers of inputs: a loop over them would take a fifth of the time."""
    if len(targets) == 1:
        (only,) = targets

        def one(x: Any) -> Any:
            only[ALL] = x
            run()
            return copy()

        return one
    if len(targets) == 2:
        first, second = targets

        def two(x: Any, y: Any) -> Any:
            first[ALL] = x
            second[ALL] = y
            run()
            return copy()

        return two
    if len(targets) == 3:
        a, b, c = targets

        def three(x: Any, y: Any, z: Any) -> Any:
            a[ALL] = x
            b[ALL] = y
            c[ALL] = z
            run()
            return copy()

        return three

    def several(*arrays: Any) -> Any:
        for target, array in zip(targets, arrays, strict=True):
            target[ALL] = array
        run()
        return copy()

    return several


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
