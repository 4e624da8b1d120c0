"""Smallest and largest values of results over a whole run, between its instants too.

A sampled peak is too low by the square of the distance of the samples. Beside the samples that are extreme the motion
is therefore integrated once more, with instants as close as are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.channels import RunChannels
from cardan.frozen import dataclass
from cardan.integration import RESOLUTION, Problem, integrate, segments_between
from cardan.numerics.distinct import distinct
from cardan.simulation.conditions import Conditions
from cardan.simulation.task import Task

__all__ = ["Extremes", "ResultFormula", "no_search"]

PARTS = 32  # parts of an interval; a parabola through three instants continues from there


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

    def __call__(
        self, names: Sequence[str], formulas: Mapping[str, ResultFormula] | None = None
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Smallest and largest values (*shape) of some results, by name.

        Parameters
        ----------
        names : names of states and channels.
        formulas : further numbers computed from results, by names that no result has.
        """
        t, sampled = self.channels.t, self._values(names, self.channels, formulas or {})
        out = {name: (np.min(y, axis=0), np.max(y, axis=0)) for name, y in sampled.items()}
        for k in self._intervals(sampled):
            within = self._within(float(t[k]), float(t[k + 1]), self.channels.x[k])
            for name, y in self._values(names, within, formulas or {}).items():
                (low, high), (inner_low, inner_high) = out[name], _parabolic(y)
                out[name] = np.minimum(low, inner_low), np.maximum(high, inner_high)  # what is NaN somewhere stays NaN
        return out

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """A pickled run has no machine code; its extremes are those of its instants."""
        return no_search, ()

    def _values(
        self, names: Sequence[str], channels: RunChannels, formulas: Mapping[str, ResultFormula]
    ) -> dict[str, np.ndarray]:
        """Values (N, *shape) of states, channels and formulas."""
        states = {name: i for i, name in enumerate(channels.solver.functions.system.state_names)}
        needed = dict.fromkeys([*names, *(name for formula in formulas.values() for name in sorted(formula.needs))])
        others = [name for name in needed if name not in states]
        found = channels.evaluate(others) if others else {}
        values = {name: channels.x[:, states[name]] if name in states else found[name] for name in needed}
        computed = {name: formula.values(channels.t, values) for name, formula in formulas.items()}
        return {name: values[name] for name in names} | computed

    def _intervals(self, sampled: dict[str, np.ndarray]) -> list[int]:
        """Numbers of the instants that begin the intervals before and after an extreme sample.

        Intervals as short as the round-off of t, such as between the states before and after an event, are left out.
        """
        t = self.channels.t
        whole = np.flatnonzero(np.diff(t) > PARTS * RESOLUTION * np.abs(t[1:]))
        k = distinct(np.concatenate([np.ravel(f(y, axis=0)) for y in sampled.values() for f in (np.argmin, np.argmax)]))
        after = np.searchsorted(whole, k)
        places = distinct(np.concatenate([after - 1, after]))
        return [int(whole[i]) for i in places if 0 <= i < len(whole)]

    def _within(self, begin: float, end: float, x: np.ndarray) -> RunChannels:
        """The channels at instants of an interval that starts with the state x (nx,)."""
        task, settings = self.task, self.conditions.settings
        problem = _part(task.problem, begin, end)
        step = None if settings.step is None else min(settings.step, problem.max_step)
        parameters = task.problem.p[: self.conditions.p.size]  # those of this run, also in a sweep
        p = task.parameters(np.array([begin]), x[None], parameters[None])[0] if task.plan.switches else None
        found = integrate(problem, settings.method, x0=task.reduced(x), p=p, step=step)
        states = found.x if task.embedding is None else task.embedding.full(found.x)
        return self.channels.at(found.t, states)


def no_search() -> None:
    """None, in place of a search."""


def _part(problem: Problem, begin: float, end: float) -> Problem:
    """The problem between two instants [s], returned at PARTS + 1 instants."""
    kept = (problem.b > begin) & (problem.a < end)
    pieces: dict[str, Any] = {**segments_between(problem, begin, end), "times": np.linspace(begin, end, PARTS + 1)}
    longest = min(problem.max_step, (end - begin) / PARTS)  # continuous extensions are less accurate for fast states
    if problem.events is not None:
        pieces["events"] = problem.events.within(kept)
    return replace(problem, **pieces, gap=np.inf, log_gap=np.inf, first_step=0.0, max_step=longest)


def _parabolic(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest values (*shape) of samples y (N, *shape) and of parabolas through three in a row.

    A parabola ends at the lines through the next two samples on either side, beyond which no smooth peak goes: at a
    kink, as where a limit begins, it would go too far.
    """
    low = np.fmin.reduce(-_peaks(-y), axis=0, initial=np.inf)
    return low, np.fmax.reduce(_peaks(y), axis=0, initial=-np.inf)


def _peaks(y: np.ndarray) -> np.ndarray:
    """Samples (N − 2, *shape) without the two outermost; local maxima are replaced by the peaks of parabolas."""
    a, b, c = y[:-2], y[1:-1], y[2:]
    before, after = (np.full_like(b, np.inf) for _ in range(2))
    with np.errstate(all="ignore"):
        bend = a - 2 * b + c
        place, vertex = (a - c) / (2 * bend), b - (c - a) ** 2 / (8 * bend)
        before[1:] = a[1:] + (a[1:] - y[:-3]) * (1 + place[1:])
        after[:-1] = c[:-1] + (c[:-1] - y[3:]) * (1 - place[:-1])
    peak = np.fmax(b, np.fmin(vertex, np.fmin(before, after)))
    return np.where((b > a) & (b >= c), peak, b)
