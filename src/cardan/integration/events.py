"""Events of a problem: where its right-hand side switches, where its state is reset, and the log of both.

A *crossing function* g(t, x, u, p) makes an event where it changes its sign. The *mode* m is a block of p that is
constant between events. A *reset* maps (t, x, u, p, fired) to (x, m): `fired` has a 1 for every crossing and every tick
that happens at this instant. *Ticks* are events at starts of input segments, such as samples. A reset may depend on the
solutions y of linear *complementarity problems* (`loop.complementarity`), which are further arguments of it and of the
problems that follow. All are compiled functions; only the caller knows their meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import SolveError
from cardan.frozen import dataclass, replace
from cardan.numerics.round_off import EPSILON

if TYPE_CHECKING:
    from cardan.integration.problem import NativeFunction

Array = NDArray[np.float64]

RISING, FALLING, EITHER = 1, -1, 0
"""Directions of an event that happens while g passes zero: upwards, downwards, either."""
INVARIANT = 2
"""Direction of an event that happens whenever g < 0, also right after a reset: g ≥ 0 holds in the mode."""

RAPID = 100  # events in a row without progress of time that end a run: switchings that cause each other are fewer
RESOLUTION = 1024 * EPSILON  # time over t that is no progress [-]: the round-off of instants of events
NOTED = 2  # `kept` of crossings that change nothing: they are logged while half of the log is free, and end no run
NO_BOUND = 1e300  # bound of an effort that has none
EVENTS = 20_000  # largest number of events in the log: where events repeat without end a run ends before memory does


@dataclass(frozen=True, kw_only=True, eq=False)
class Events:
    """Crossing functions, mode and reset of a problem.

    Raises
    ------
    SolveError
        A direction does not exist, the mode does not lie within p, or sizes disagree.
    """

    crossings: NativeFunction | None = None  # (t, x, u, p, s (k,)), ẋ apart → (g (k,), dg/dt (k,), how near)
    directions: ArrayLike = ()  # (k,) RISING, FALLING, EITHER or INVARIANT
    complementarity: NativeFunction | None = None  # (t, x, u, p, fired, y (s c,)) → s times (H (c, c), c, lo, hi)
    unknowns: tuple[int, int] = (0, 0)  # number s of complementarity problems, and of the unknowns of each, c
    reset: NativeFunction | None = None  # (t, x, u, p, fired (k + r,), y) → (x (n,), m (nm,), 1 to end the run else 0)
    returns_events: bool = False  # whether the reset also returns the events (k,) for the log; else the fired ones
    mode: tuple[int, int] = (0, 0)  # place of the mode in p, and its size
    ticks: ArrayLike | None = None  # (S, r) 1 where the start of a segment is an event of this number, else 0
    kept: ArrayLike | None = None  # (k,) 1 for crossings whose events are logged, as by default, else 0 or NOTED
    tolerance: float = 0.0  # of the instants of events [s]; 0: the round-off of t

    @property
    def k(self) -> int:
        """Number of crossing functions."""
        return np.size(self.directions)

    @property
    def r(self) -> int:
        """Number of ticks."""
        return 0 if self.ticks is None else np.shape(self.ticks)[1]

    @property
    def nm(self) -> int:
        """Size of the mode."""
        return self.mode[1]

    @property
    def returned_events(self) -> int:
        """Number of events that the reset returns for the log."""
        return self.k if self.returns_events else 0

    def check(self, n: int, m: int, k: int, segments: int, lanes: int) -> None:
        """Refuse functions and sizes that do not fit to a problem."""
        if not np.isin(self.directions, (RISING, FALLING, EITHER, INVARIANT)).all():
            raise SolveError("events: directions must be RISING, FALLING, EITHER or INVARIANT")
        first, size = self.mode
        if not (first >= 0 and size >= 0 and first + size <= k):
            raise SolveError(f"events: the mode is p[{first}:{first + size}], but p has {k} entries")
        if self.ticks is not None and np.shape(self.ticks)[:1] != (segments,):
            raise SolveError(f"events: there are ticks for {np.shape(self.ticks)[:1]} segments of {segments}")
        if not self.tolerance >= 0:
            raise SolveError("events: the tolerance must not be negative")
        row, (problems, size) = 1 + n + m + k, self.unknowns
        wide = row + self.k + self.r + problems * size
        wanted = {
            "crossings": (self.crossings, row + self.k + n, 2 * self.k + 1),
            "complementarity": (self.complementarity, wide, problems * size * (size + 3)),
            "reset": (self.reset, wide, n + self.nm + 1 + self.returned_events),
        }
        for name, (function, n_in, n_out) in wanted.items():
            if function is not None and (function.n_in, function.n_out, function.lanes) != (n_in, n_out, lanes):
                given = function.n_in, function.n_out, function.lanes
                fault = f"events: {name} maps {given[0]} numbers to {given[1]} with {given[2]} lanes"
                raise SolveError(f"{fault}; the sizes given need {n_in}, {n_out} and {lanes}")

    def within(self, kept: NDArray[np.bool_]) -> Events:
        """The events of a part of the run, without those at its first instant."""
        if self.ticks is None:
            return self
        ticks = np.array(self.ticks, float)[kept]
        ticks[:1] = 0.0
        return replace(self, ticks=ticks)


class EventLog(NamedTuple):
    """The events of a run whose crossings are `kept`, in order."""

    t: Array  # (E,) [s]
    fired: NDArray[np.bool_]  # (E, k) crossings that happened
    before: Array  # (E, nm) mode before
    after: Array  # (E, nm) mode after


def accumulation(t: Array, resolution: float) -> float:
    """Instant at which events accumulate, NaN if their intervals do not shrink geometrically.

    The last interval d that is long against round-off, and its ratio r to the one before, leave d r/(1 − r) (Aitken).
    """
    d = np.diff(t)
    d = d[: int(np.argmax(d <= resolution))] if (d <= resolution).any() else d
    if d.size < 4:
        return np.nan
    ratios = d[1:] / d[:-1]
    if not (ratios[-3:] < 1.0).all() or np.ptp(ratios[-3:]) > 0.1 * (1.0 - ratios[-3:].max()):
        return np.nan
    long = int(np.flatnonzero(d >= np.sqrt(d[0] * resolution))[-1])  # where both terms are about equally accurate
    r = d[long] / d[long - 1] if long > 0 else ratios[-1]
    return float(t[long + 1] + d[long] * r / (1.0 - r))
