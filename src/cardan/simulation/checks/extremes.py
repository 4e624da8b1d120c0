"""Smallest and largest values of results over a whole run, between its instants too.

A sampled peak is too low by the square of the distance of the samples. Beside the samples that are extreme the motion
is therefore integrated once more, with instants as close as are needed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.channels import RunChannels
from cardan.frozen import dataclass, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import RESOLUTION, Outcome, Problem, integrate, segments_between
from cardan.numerics.distinct import distinct
from cardan.numerics.round_off import GAP
from cardan.results.extent import Extent, extent_of
from cardan.simulation.conditions import Conditions
from cardan.simulation.task import Task
from cardan.system.energies import WORKS

PARTS = 128  # parts of an interval; of a peak in one as long as a time constant, a parabola misses some 1/(16·128³)


@dataclass(frozen=True, eq=False)
class ResultFormula:
    """A number that is computed from results at each instant."""

    needs: frozenset[str]  # names of the results
    values: Callable[[np.ndarray, Mapping[str, np.ndarray]], np.ndarray]  # (t (N,), results (N, …) by name) → (N,)


@dataclass(frozen=True, eq=False)
class Extremes:
    """Finds the smallest and largest values of results of one run."""

    conditions: Conditions  # conditions of the run
    task: Task  # task of its first phase
    channels: RunChannels  # channels at its instants and ends of steps
    w: np.ndarray  # works there (N, nw) [J]; (N, 0) where they are not known
    is_coarse: bool = True  # whether its steps are fixed, or those of a stiff method: they may pass over fast states

    def __call__(self, names: Sequence[str], formulas: Mapping[str, ResultFormula] | None = None) -> dict[str, Extent]:
        """Smallest and largest values (*shape) of some results with their instants, by name."""
        sampled = {
            name: y[self._seen] for name, y in self._values(names, self.channels, self.w, formulas or {}).items()
        }
        t = self.channels.t[self._seen]
        whole = extent_of(t, _entries(sampled))
        for k in self._intervals(t, sampled):
            within, w = self._within(k)
            if len(within.t) < 3:  # the run ends there
                continue
            whole = whole.joined(_parabolic(within.t, _entries(self._values(names, within, w, formulas or {}))))
        shapes = [y.shape[1:] for y in sampled.values()]
        ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
        parts = [np.split(one, ends) for one in (*whole, whole.t_smallest, whole.t_largest)]
        return {
            name: Extent(*(one.reshape(shape) for one in part))
            for name, shape, *part in zip(sampled, shapes, *parts, strict=True)
        }

    @property
    def _seen(self) -> slice:
        """The instants without the last one if a law jumps there: what follows this jump is not part of the motion."""
        before, end = self.conditions.whole[-2:] if len(self.conditions.whole) > 1 else (0.0, np.inf)
        at_jump = end - before <= GAP * np.spacing(end) and self.channels.t[-1] == end
        return slice(-1 if at_jump else None)

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """A pickled run has no machine code; its extremes are those of its instants."""
        return no_search, ()

    def _values(
        self, names: Sequence[str], channels: RunChannels, w: np.ndarray, formulas: Mapping[str, ResultFormula]
    ) -> dict[str, np.ndarray]:
        """Values (N, *shape) of states, works (N, nw), channels and formulas."""
        integrated, found = (channels.x, w), columns(self.task.functions)
        needed = dict.fromkeys([*names, *(name for formula in formulas.values() for name in sorted(formula.needs))])
        computed = channels.evaluate(others) if (others := [name for name in needed if name not in found]) else {}
        values = {
            name: integrated[found[name][0]][:, found[name][1]] if name in found else computed[name] for name in needed
        }
        return {name: values[name] for name in names} | {
            name: formula.values(channels.t, values) for name, formula in formulas.items()
        }

    @staticmethod
    def _intervals(t: np.ndarray, sampled: dict[str, np.ndarray]) -> list[int]:
        """Numbers of the instants t (N,) that begin the intervals before and after an extreme sample.

        Intervals as short as the round-off of t, such as between the states before and after an event, are left out.
        """
        whole = np.flatnonzero(np.diff(t) > PARTS * RESOLUTION * np.abs(t[1:]))
        k = distinct(np.concatenate([np.ravel(f(y, axis=0)) for y in sampled.values() for f in (np.argmin, np.argmax)]))
        after = np.searchsorted(whole, k)
        places = distinct(np.concatenate([after - 1, after]))
        return [int(whole[i]) for i in places if 0 <= i < len(whole)]

    def _within(self, k: int) -> tuple[RunChannels, np.ndarray]:
        """The channels and works (N, nw) at instants of the interval that begins with the instant k."""
        task, settings, x = self.task, self.conditions.settings, self.channels.x[k]
        begin, end = (float(t) for t in self.channels.t[k : k + 2])
        problem = _part(task.problem, begin, end, in_parts=self.is_coarse)
        step = None if settings.step is None else min(settings.step, problem.max_step)
        parameters = task.problem.p[: self.conditions.p.size]  # those of this run, also in a sweep
        p = task.parameters(np.array([begin]), x[None], parameters[None])[0] if task.plan.switches else None
        found = integrate(problem, settings.method, x0=task.reduced(x), p=p, step=step)
        if found.outcome is Outcome.INTERRUPTED:  # an extreme of a part would be wrong
            raise KeyboardInterrupt
        states = found.x if task.embedding is None else task.embedding.full(found.x)
        return self.channels.at(found.t, states), self.w[k] + found.w[:, : self.w.shape[1]]


def _entries(values: Mapping[str, np.ndarray]) -> np.ndarray:
    """All numbers (N, k) of results (N, *shape), one after another."""
    return np.concatenate([y.reshape(len(y), -1) for y in values.values()], axis=1)


def columns(functions: SystemFunctions) -> dict[str, tuple[int, int]]:
    """Of every state and work by name: 0 or 1 for which of x and w has it, and its column there."""
    works = {f"work.{name}": (1, k) for k, name in enumerate(WORKS)}
    return {name: (0, k) for k, name in enumerate(functions.system.state_names)} | works


def no_search() -> None:
    """None, in place of a search."""


def _part(problem: Problem, begin: float, end: float, *, in_parts: bool) -> Problem:
    """The problem between two instants [s], returned at PARTS + 1 instants.

    Continuous extensions are less accurate than short steps for states that are faster than a step, which explicit
    methods with a tolerance have not: their steps stay as they are.
    """
    kept = (problem.b > begin) & (problem.a < end)
    pieces: dict[str, Any] = {**segments_between(problem, begin, end), "times": np.linspace(begin, end, PARTS + 1)}
    longest = min(problem.max_step, (end - begin) / PARTS) if in_parts else problem.max_step
    if problem.events is not None:
        pieces["events"] = problem.events.within(kept)
    return replace(problem, **pieces, gap=np.inf, log_gap=np.inf, first_step=0.0, max_step=longest)


def _parabolic(t: np.ndarray, y: np.ndarray) -> Extent:
    """Extent of evenly spaced samples y (N, *shape) at t (N,) [s] and of parabolas through three in a row.

    A parabola ends at the lines through the next two samples on either side, beyond which no smooth peak goes: at a
    kink, as where a limit begins, it would go too far.
    """
    low, t_low = _highest(t, -y)
    high, t_high = _highest(t, y)
    return Extent(-low, high, t_low, t_high)


def _highest(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest value (*shape) and its instant [s] of samples without the two outermost, and of peaks of parabolas."""
    a, b, c = y[:-2], y[1:-1], y[2:]
    before, after = (np.full_like(b, np.inf) for _ in range(2))
    with np.errstate(all="ignore"):
        bend = a - 2 * b + c
        place, vertex = (a - c) / (2 * bend), b - (c - a) ** 2 / (8 * bend)
        before[1:] = a[1:] + (a[1:] - y[:-3]) * (1 + place[1:])
        after[:-1] = c[:-1] + (c[:-1] - y[3:]) * (1 - place[:-1])
    is_peak = (b > a) & (b >= c)
    peaks = np.where(is_peak, np.fmax(b, np.fmin(vertex, np.fmin(before, after))), b)
    k = np.argmax(np.where(np.isnan(peaks), -np.inf, peaks), axis=0)[None]
    (highest,), (shift,) = (np.take_along_axis(z, k, 0) for z in (peaks, np.where(is_peak, place, 0.0)))
    return highest, t[k[0] + 1] + shift * (t[1] - t[0])
