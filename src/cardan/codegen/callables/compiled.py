"""A compiled function that Python calls with arrays, for one state or for many."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from cardan.codegen.callables.batch import Run, batch_of, many_states, spread
from cardan.codegen.callables.single import single_state
from cardan.codegen.machine import engine
from cardan.codegen.machine.build import machine_code
from cardan.codegen.machine.machine_code import MachineCode
from cardan.codegen.program.program import Port, flatten
from cardan.errors import nearest

Shapes = Mapping[str, tuple[int, ...]]


def compile_function(function: ca.Function, shapes: Shapes | None = None) -> Compiled:
    """A CasADi Function that takes and returns NumPy arrays and runs as machine code.

    Machine code is made, or read from disk, at the first call: for one state at the first single state, for lanes at
    the first batch.

    Example
    -------
    >>> import casadi as ca
    >>> x = ca.SX.sym("x", 2)
    >>> length = compile_function(ca.Function("length", [x], [ca.norm_2(x)], ["x"], ["r"]), {"r": ()})
    >>> length([[3, 4], [5, 12]])
    array([ 5., 13.])
    """
    program = flatten(function, calls=True)
    code = functools.partial(machine_code, program)
    return Compiled(program.inputs, program.outputs, shapes or {}, program.length, code)


class Compiled:
    """A function of arrays in machine code: `y = f(a, b, …)`, or a tuple if there are several outputs.

    Every input may have leading axes, which are broadcast against each other; every output has them before its own
    shape: that of its port, or the one in `shapes`. `code(lanes)` gives the machine code, of `length` instructions.
    """

    def __init__(
        self,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        shapes: Shapes,
        length: int,
        code: Callable[[int], MachineCode],
    ) -> None:
        self.input_names = tuple(port.name for port in inputs)
        self.output_names = tuple(port.name for port in outputs)
        _check(shapes, (*inputs, *outputs))
        self.input_shapes = tuple(_shape(port, shapes) for port in inputs)
        self.output_shapes = tuple(_shape(port, shapes) for port in outputs)
        self._recipe = (tuple(inputs), tuple(outputs), dict(shapes), length, code)
        self._length = length
        self._code = code
        self._loaded: dict[int, tuple[MachineCode, engine.Engine]] = {}
        self._lanes: int | None = None
        self._batches: dict[int, Run] = {}
        self._lock = threading.Lock()
        self._local = threading.local()

    def __call__(self, *arrays: Any, threads: int | None = None, out: Any = None) -> Any:
        """Outputs for one state or a batch."""
        if out is None:
            try:
                return self._local.single(*arrays)
            except AttributeError:  # a first batch needs no machine code for one state
                if self.is_single(arrays):
                    self._local.single = self.single_state()
                    return self(*arrays, threads=threads)
            except (TypeError, ValueError):
                pass
        return self._general(arrays, threads, out)

    def is_single(self, arrays: Sequence[Any]) -> bool:
        """Whether the first inputs have the shapes of one state."""
        return all(np.shape(array) == shape for array, shape in zip(arrays, self.input_shapes, strict=False))

    def single_state(self, *fixed: Any) -> Callable[..., Any]:
        """A faster function for one state and one thread, of all inputs but the last ones, which are fixed here.

        It takes arrays of doubles with exactly the inputs' shapes; anything else raises TypeError or ValueError.
        """
        return single_state(*self._load(0), self.input_shapes, self.output_shapes, fixed)

    def __reduce__(self) -> tuple:
        """Machine code stays behind; it is made again where it is needed."""
        return Compiled, self._recipe

    def _general(self, arrays: Sequence[Any], threads: int | None, out: Any = None) -> Any:
        given = [_floats(array, k, self.input_names) for k, array in enumerate(arrays)]
        leading, varies = batch_of(given, self.input_shapes)
        if leading is None:
            leading = _leading(self.input_names, self.input_shapes, given)
            given, varies = spread(given, self.input_shapes, leading)
        shapes = [leading + shape for shape in self.output_shapes]
        outputs = (
            tuple([np.empty(shape) for shape in shapes]) if out is None else self._given_outputs(out, shapes, given)
        )
        count = math.prod(leading)
        if count:
            self._batch(count)(given, varies, outputs, count, threads)
        return outputs if len(outputs) != 1 else outputs[0]

    def _given_outputs(self, out: Any, shapes: Sequence[tuple[int, ...]], given: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays that the caller wants filled."""
        outputs = out if isinstance(out, tuple) else (out,)
        if len(outputs) != len(shapes):
            raise ValueError(f"out has {len(outputs)} arrays; give {len(shapes)}: {', '.join(self.output_names)}")
        for k, (name, array, shape) in enumerate(zip(self.output_names, outputs, shapes, strict=True)):
            if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != shape:
                found = f"{array.dtype}, {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise ValueError(f"out for {name!r} is {found}; give an array of float64 of shape {shape}")
            if not (array.flags.c_contiguous and array.flags.writeable):
                raise ValueError(f"out for {name!r} cannot be filled; give a contiguous array that can be written")
            if any(np.may_share_memory(array, other) for other in (*given, *outputs[:k])):
                raise ValueError(f"out for {name!r} shares memory with another array; give one of its own")
        return outputs

    def _batch(self, count: int) -> Run:
        """What computes so many states: in lanes if they fill at least one block."""
        if self._lanes is None:
            self._lanes = engine.best_lanes(self._length)
        lanes = self._lanes if count >= self._lanes else 0
        run = self._batches.get(lanes)
        if run is None:
            run = self._batches[lanes] = many_states(*self._load(lanes))
        return run

    def _load(self, lanes: int) -> tuple[MachineCode, engine.Engine]:
        with self._lock:
            if lanes not in self._loaded:
                made = self._code(lanes)
                self._loaded[lanes] = made, engine.load(made.code)
            return self._loaded[lanes]


def _check(shapes: Shapes, ports: Sequence[Port]) -> None:
    sizes = {port.name: port.size for port in ports}
    for name, shape in shapes.items():
        if name not in sizes:
            raise ValueError(f"shape given for {name!r}: {nearest(name, sizes)}")
        if math.prod(shape) != sizes[name]:
            raise ValueError(f"shape {tuple(shape)} given for {name!r}, which has {sizes[name]} entries")


def _shape(port: Port, shapes: Shapes) -> tuple[int, ...]:
    default = (port.rows,) if port.columns == 1 else (port.rows, port.columns)
    return tuple(shapes.get(port.name, default))


def _floats(array: Any, k: int, names: Sequence[str]) -> np.ndarray:
    """An array of floats of what is given for input number k."""
    given = np.asarray(array)
    if given.dtype.kind in "cSU":
        name = repr(names[k]) if k < len(names) else f"number {k + 1}"
        raise ValueError(f"input {name} holds {'texts' if given.dtype.kind != 'c' else 'complex numbers'}; give floats")
    return np.asarray(given, float, "C")


def _leading(names: Sequence[str], shapes: Sequence[tuple[int, ...]], arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
    """The leading axes that all inputs share after broadcasting."""
    if len(arrays) != len(names):
        raise ValueError(f"{len(arrays)} arrays given, {len(names)} expected: {', '.join(names)}")
    leading = []
    for name, shape, array in zip(names, shapes, arrays, strict=True):
        axes = array.ndim - len(shape)
        if axes < 0 or array.shape[axes:] != shape:
            raise ValueError(f"input {name!r} has shape {array.shape}; expected (..., {', '.join(map(str, shape))})")
        leading.append(array.shape[:axes])
    different = {axes for axes in leading if axes}
    if len(different) <= 1:
        return different.pop() if different else ()
    try:
        return np.broadcast_shapes(*different)
    except ValueError:
        given = ", ".join(f"{name} {axes}" for name, axes in zip(names, leading, strict=True))
        raise ValueError(f"leading axes cannot be broadcast against each other: {given}") from None
