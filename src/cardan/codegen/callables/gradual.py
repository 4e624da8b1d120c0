"""A function of arrays over many states, interpreted at first and compiled once it has been evaluated often enough.

Making machine code takes about 0.6 ms per instruction, CasADi's own interpreter 12 ns per instruction and state.

So a process that repeats a run may get other last bits: the interpreter has the sines of the C library and fuses no
products; machine code has its own sines, and fuses other products for one state than for several side by side. Within
`expecting`, the choice depends on the work alone, and not on what the process has done before.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise

import casadi as ca
import numpy as np

from cardan.codegen.callables.compiled import Compiled, compile_function
from cardan.codegen.callables.native import Native, native
from cardan.codegen.machine.engine import best_lanes
from cardan.numerics.numbers import Numbers

PAYS = 50_000
"""Number of states above which compiling and running machine code takes less time than interpreting."""

_expected: ContextVar[int | None] = ContextVar("expected", default=None)


@contextmanager
def expecting(count: int) -> Iterator[None]:
    """A context in which functions are compiled at once if `count` states pay for it, else interpreted throughout."""
    token = _expected.set(count)
    try:
        yield
    finally:
        _expected.reset(token)


def _pays(done: int) -> bool:
    """Whether machine code pays for a function that has been evaluated for so many states."""
    expected = _expected.get()
    return (done if expected is None else expected) > PAYS


class Gradual:
    """Columns over N states: `y0, y1, … = f(a, b, …)`, of a function of dense columns with dense columns as outputs.

    `shapes` has the shapes of inputs that are not (r,), by name.
    """

    def __init__(self, function: ca.Function, shapes: Mapping[str, tuple[int, ...]] | None = None) -> None:
        self._function = function
        self._shapes = dict(shapes or {})
        self._done = 0
        ends = list(accumulate(function.size1_out(k) for k in range(function.n_out())))
        self._parts = [slice(*ends_of) for ends_of in pairwise([0, *ends])]  # where each output stands in one column
        self._over = lru_cache(maxsize=1)(self._map)  # calls that repeat have equally many states

    def __call__(self, *arrays: np.ndarray, threads: int | None = None) -> list[np.ndarray]:
        """Outputs (N, size), one for each of the function's."""
        names = self._function.name_in()
        varies = [a.ndim > len(self._shapes.get(n, (1,))) for n, a in zip(names, arrays, strict=True)]
        count = next(len(array) for array, many in zip(arrays, varies, strict=True) if many)
        self._done += count
        if _pays(self._done):
            first, *others = arrays  # one of them has to say how many states there are
            others = [a[0] if many and _repeats(a) else a for a, many in zip(others, varies[1:], strict=True)]
            found = self._compiled(first, *others, threads=threads)
            return list(found) if isinstance(found, tuple) else [found]
        if not count:
            return [np.empty((0, self._function.size1_out(k))) for k in range(self._function.n_out())]
        columns = [_columns(array, many, count) for array, many in zip(arrays, varies, strict=True)]
        (found,) = self._over(count)(*columns)
        return [found.T[:, part] for part in self._parts]

    @property
    def _whole(self) -> ca.Function:
        """The function with its outputs in one column."""
        given = self._function.sx_in()
        return ca.Function(self._function.name(), given, [ca.vertcat(*self._function.call(given))])

    def _map(self, count: int) -> Numbers:
        """The function over `count` states."""
        return Numbers(self._whole.map(count))

    @cached_property
    def _compiled(self) -> Compiled:
        return compile_function(self._function, self._shapes)


class GradualLanes:
    """A function at an address for several states side by side: `native = f(count)`, None while it does not pay."""

    def __init__(self, function: Callable[[], ca.Function]) -> None:
        self._function = function
        self._done = 0

    def __call__(self, count: int) -> Native | None:
        """The machine code, once it has been asked for more states than `PAYS`; it is kept."""
        self._done += count
        return self._native if _pays(self._done) else None

    @cached_property
    def _native(self) -> Native:
        function = self._function()
        return native(function, lanes=best_lanes(function.n_instructions()))


def _repeats(array: np.ndarray) -> bool:
    """Whether an array is one row in memory that stands for several."""
    return len(array) > 1 and array.strides[0] == 0


def _columns(array: np.ndarray, varies: bool, count: int) -> np.ndarray:
    """One row for each state, which is a column of CasADi's."""
    return array.reshape(count, -1) if varies else np.broadcast_to(array, (count, *array.shape))
