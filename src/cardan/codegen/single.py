"""The shortest way from Python to machine code for one state.

The function runs on one buffer that holds inputs, outputs and scratch; views of it are made once. The call itself takes one prepared pointer and keeps
the interpreter lock, which costs less than letting it go. A buffer belongs to one thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from .engine import Engine
from .machine import MachineCode

__all__ = ["Single"]


class Single:
    """A function of one state with a buffer of its own.

    Parameters
    ----------
    loaded : tuple of MachineCode and Engine
        Code for plain numbers.
    input_shapes, output_shapes : sequence of tuple of int
        Array shapes.
    """

    __slots__ = ("_address", "_buffer", "_engine", "_inputs", "_output", "_outputs", "_run")

    def __init__(
        self, loaded: tuple[MachineCode, Engine], input_shapes: Sequence[tuple[int, ...]], output_shapes: Sequence[tuple[int, ...]]
    ) -> None:
        code, self._engine = loaded
        self._buffer = (ctypes.c_double * (code.n_in + code.n_out + code.n_work + 1))()
        memory = np.frombuffer(self._buffer)
        inputs = _views(memory[: code.n_in], input_shapes)
        self._inputs = tuple(zip(inputs, input_shapes, strict=True))
        self._outputs = _views(memory[code.n_in : code.n_in + code.n_out], output_shapes)
        self._output = self._outputs[0] if len(self._outputs) == 1 else None
        self._run = ctypes.PYFUNCTYPE(None)(self._engine.state)
        self._address = ctypes.byref(self._buffer)

    def call(self, arrays: Sequence[Any]) -> Any:
        """The outputs; None if the arrays are not one state in NumPy arrays of exactly the right shapes.

        Parameters
        ----------
        arrays : sequence
            One per input.
        """
        if len(arrays) != len(self._inputs):
            return None
        for array, (view, shape) in zip(arrays, self._inputs):  # noqa: B905 - checked above; `strict` costs 40 ns
            if type(array) is not np.ndarray or array.shape != shape:
                return None
            view[...] = array
        self._run(self._address)
        if self._output is not None:
            return self._output.copy()
        return tuple(view.copy() for view in self._outputs)


def _views(memory: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> tuple[np.ndarray, ...]:
    sizes = [int(np.prod(shape)) for shape in shapes]
    ends = np.cumsum(sizes)
    return tuple(memory[end - size : end].reshape(shape) for end, size, shape in zip(ends, sizes, shapes, strict=True))
