"""The initial value problem that integrators solve: compiled functions, sizes, start, inputs, instants, tolerances."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import SolveError
from cardan.frozen import dataclass, field
from cardan.integration.events import EVENTS, Events
from cardan.numerics.round_off import CLOSED, GAP

Array = NDArray[np.float64]


class NativeFunction(Protocol):
    """A compiled `void f(const double *in, double *out, double *work)`, as `cardan.codegen.native` makes it."""

    @property
    def address(self) -> int: ...
    @property
    def n_in(self) -> int: ...
    @property
    def n_out(self) -> int: ...
    @property
    def n_work(self) -> int: ...
    @property
    def lanes(self) -> int: ...
    @property
    def length(self) -> int: ...


def _empty() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """dx/dt = f(t, x, u(t), p), dw/dt = g(t, x, u(t), p) with x = (q, v, z) and u cubic in t on each segment.

    Every function takes (t, x, u, p) in one row of doubles. Arrays are converted to contiguous float64. With
    `width` > 1 that many trajectories run side by side, in the lanes of the functions: sizes are those of one
    trajectory, and every array but the times has `width` times the entries, as [entry][lane] flattened.

    Raises
    ------
    SolveError
        Where sizes disagree, segments do not follow one another, instants are out of order or outside the segments,
        a tolerance is not positive, or a number is not finite.
    """

    # functions
    rhs: NativeFunction  # → (dx (n), dw (nw))
    velocity: NativeFunction | None = None  # → qdot (nq), depends on v but not on z; for semi-implicit Euler
    tangent: NativeFunction | Callable[[], NativeFunction] | None = None  # for the stiff method
    # (t, x, u, p, direction (1 + n + m)) → derivatives of (dx, dw) along a direction of (t, x, u), in any number of
    # lanes; a callable is called when first needed
    project: NativeFunction | None = None  # → (x nearer to the constraints (n), residual (1), nearness (1)), repeated
    project_lanes: Callable[[int], NativeFunction | None] | None = None  # `project` in lanes, for a run of one
    # trajectory that returns so many instants; None while compiling it does not pay
    # sizes
    nq: int
    nv: int
    nz: int = 0
    nw: int = 0
    m: int = 0
    k: int = 0
    width: int = 1  # trajectories
    # start
    x0: Array | None = None  # (n,) start of runs that are given no other; zero if not given
    w0: Array | None = None  # (nw,), zero if not given
    p: Array = field(default_factory=_empty)  # (k,)
    # inputs: u(t) = c0[s] + c1[s] d + c2[s] d² + c3[s] d³ with d = t − a[s], for a[s] ≤ t ≤ b[s]
    a: Array  # (S,) [s]
    b: Array  # (S,) [s]
    c0: Array | None = None  # (S, m)
    c1: Array | None = None  # (S, m) [1/s]
    c2: Array | None = None  # (S, m) [1/s²]
    c3: Array | None = None  # (S, m) [1/s³]
    # output
    times: Array  # (N,) requested instants [s]
    log_gap: float = np.inf  # distance of the ends of steps that are kept in the log [s]
    gap: float = np.inf  # ends of steps are returned too if they are this far from the instant before [s]
    # accuracy
    rtol: float = 1e-8  # relative tolerance of a step [-]
    atol: ArrayLike = 1e-10  # (n,) or one number: its absolute tolerance [unit of the state]
    follows: bool = False  # whether states get less of `atol` while all of their kind stay below 1 (`stepping.follow`)
    judges_works: bool = False  # whether errors of w count as those of x do: where x follows the time alone
    first_step: float = 0.0  # [s]; 0: chosen from the derivatives
    max_step: float = np.inf  # [s]
    first: Array = field(init=False)  # (S,) just after a: the first instant whose input is that of the segment [s]
    last: Array = field(init=False)  # (S,) just before b: the last instant whose input is that of the segment [s]
    project_tolerance: float = CLOSED  # largest residual of an accepted state; DESIGN shows it with every result
    # events
    events: Events | None = None  # where it switches and is reset; the mode is a block of p

    @property
    def n(self) -> int:
        """Number of states, nq + nv + nz."""
        return self.nq + self.nv + self.nz

    @cached_property
    def made_tangent(self) -> NativeFunction:
        """The tangent itself, made where it is a callable."""
        assert self.tangent is not None
        return self.tangent() if callable(self.tangent) else self.tangent

    @property
    def rows(self) -> int:
        """Upper bound of the instants that are returned; with a finite `gap` events are returned too."""
        events = 0 if self.events is None or self.gap == np.inf else 2 * EVENTS
        return self.times.size + math.ceil((self.t_end - self.t0) / self.gap) + events

    @property
    def log_rows(self) -> int:
        """Upper bound of the entries in the log of steps."""
        return 0 if self.log_gap == np.inf else 2 + math.ceil((self.t_end - self.t0) / self.log_gap)

    @property
    def t0(self) -> float:
        """First instant [s]."""
        return float(self.a[0])

    @property
    def t_end(self) -> float:
        """Last instant [s]."""
        return float(self.b[-1])

    def __post_init__(self) -> None:
        n, nw, m, k = (size * self.width for size in (self.n, self.nw, self.m, self.k))
        self._set("x0", np.zeros(n) if self.x0 is None else self.x0, (n,))
        self._set("w0", np.zeros(nw) if self.w0 is None else self.w0, (nw,))
        self._set("p", self.p, (k,))
        segments = np.size(self.a)
        for name in ("a", "b"):
            self._set(name, getattr(self, name), (segments,))
        middle = 0.5 * (self.a + self.b)
        self._set("first", np.minimum(self.a + GAP * np.spacing(np.abs(self.a)), middle), (segments,))
        self._set("last", np.maximum(self.b - GAP * np.spacing(np.abs(self.b)), middle), (segments,))
        for name in ("c0", "c1", "c2", "c3"):
            value = getattr(self, name)
            self._set(name, np.zeros((segments, m)) if value is None else value, (segments, m))
        self._set("times", self.times, (np.size(self.times),))
        judged = n + (self.nw * self.width if self.judges_works else 0)
        given = np.atleast_1d(np.asarray(self.atol, float))
        if given.size == n:
            given = np.concatenate([given, np.full(judged - n, given.max(initial=0.0))])
        self._set("atol", np.broadcast_to(given, (judged,)), (judged,))
        _check_segments(self.a, self.b)
        _check_times(self.times, self.t0, self.t_end)
        _check_accuracy(self)
        _check_functions(self)
        if self.events is not None:
            lanes = 0 if self.width == 1 else self.width
            self.events.check(self.n, self.m, self.k, segments, lanes)

    def at(self, times: ArrayLike) -> Problem:
        """The problem with other instants."""
        other = copy(self)
        for name in ("rows", "made_tangent"):
            other.__dict__.pop(name, None)  # `rows` depends on them; a tangent is compiled again when it is needed
        other._set("times", times, (np.size(times),))
        _check_times(other.times, other.t0, other.t_end)
        return other

    def _set(self, name: str, value: ArrayLike, shape: tuple[int, ...]) -> None:
        object.__setattr__(self, name, _checked(name, value, shape))


def segments_between(problem: Problem, begin: float, end: float) -> dict[str, Array]:
    """The fields a, b, c0, c1, c2, c3 of the inputs between two instants."""
    kept = (problem.b > begin) & (problem.a < end)
    a, b, *c = (np.array(getattr(problem, name)[kept]) for name in ("a", "b", "c0", "c1", "c2", "c3"))
    d = max(begin - a[0], 0.0)
    c0, c1, c2, c3 = (row[0].copy() for row in c)
    c[0][0] = c0 + d * (c1 + d * (c2 + d * c3))
    c[1][0] = c1 + d * (2 * c2 + 3 * d * c3)
    c[2][0] = c2 + 3 * d * c3
    a[0], b[-1] = max(begin, a[0]), min(end, b[-1])
    return dict(zip(("a", "b", "c0", "c1", "c2", "c3"), (a, b, *c), strict=True))


def _checked(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A contiguous float64 copy of `value`; a wrong shape or a number that is not finite is refused."""
    array = np.array(value, dtype=np.float64, order="C")
    if array.shape != shape:
        raise SolveError(f"problem: {name} has shape {array.shape}; the sizes given need {shape}")
    if not np.isfinite(array).all():
        index = np.argwhere(~np.isfinite(array))[0].tolist()
        raise SolveError(f"problem: {name}{index} is not finite; give a number")
    return array


def _check_segments(a: Array, b: Array) -> None:
    if a.size == 0 or not (a < b).all() or not (a[1:] == b[:-1]).all():
        raise SolveError(
            "problem: input segments must be at least one, each of positive length, each starting where the last ends"
        )


def _check_times(times: Array, t0: float, t_end: float) -> None:
    if (np.diff(times) < 0).any():
        raise SolveError("problem: times must not decrease")
    if times.size and (times[0] < t0 or times[-1] > t_end):
        raise SolveError(
            f"problem: times reach from {times[0]:g} to {times[-1]:g} s, the inputs from {t0:g} to {t_end:g} s"
        )


def _check_accuracy(problem: Problem) -> None:
    for name in ("rtol", "atol", "gap", "log_gap", "max_step", "project_tolerance"):
        if not (np.asarray(getattr(problem, name)) > 0).all():
            raise SolveError(f"problem: {name} must be positive")
    if not 0 <= problem.first_step < np.inf:
        raise SolveError("problem: first_step must be positive, or 0 to have it chosen")


def _check_functions(problem: Problem) -> None:
    n, n_in = problem.n, 1 + problem.n + problem.m + problem.k
    for name, n_out in (("rhs", n + problem.nw), ("velocity", problem.nq), ("project", n + 2)):
        function = getattr(problem, name)
        if function is not None:
            _check_function(name, function, (n_in, n_out, 0 if problem.width == 1 else problem.width))


def _check_function(name: str, function: NativeFunction, wanted: tuple[int, int, int]) -> None:
    given = (function.n_in, function.n_out, function.lanes)
    if given != wanted:
        raise SolveError(
            "problem: {} maps {} numbers to {} with {} lanes; the sizes given need {}, {} and {}".format(
                name, *given, *wanted
            )
        )
