"""The runs of a sweep, integrated: side by side in SIMD lanes and threads where they are alike, else one by one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from cardan.channels.channels import Channels
from cardan.channels.functions import Need
from cardan.errors import AssemblyError, ModelWarning
from cardan.frozen import dataclass
from cardan.integration import Outcome, Solution
from cardan.integration.ensemble import Ensemble, LaneFunctions, integrate_ensemble, method_in_lanes
from cardan.integration.methods import METHODS
from cardan.results.channel import Channel
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.checks.extremes import ResultFormula
from cardan.simulation.hybrid.event_functions import EventFunctions
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps.axes import SweepGrid
from cardan.simulation.sweeps.members import Members
from cardan.simulation.sweeps.one_run import OneRun, channels_of, extremes_of, of_solution, of_trajectory
from cardan.simulation.sweeps.outputs import Ends, Output
from cardan.singular import keeps_hold
from cardan.system.blocks.stops import BeyondStopError
from cardan.system.energies import WORKS
from cardan.system.input_segments import values_at

__all__ = ["Part", "Runs"]

LANES = 8  # runs that a processor with vectors of eight doubles integrates at once
NUMBERS = 8_000_000  # numbers of states and results in memory at a time
CLEAR = 0.01  # distance from a singular position over its largest value in the run; above it no event is looked for [-]


@dataclass(frozen=True, eq=False)
class Part:
    """Some runs of a sweep, b of them."""

    members: np.ndarray  # their numbers (b,)
    found: Mapping[str, np.ndarray]  # results (b, N, …) by name, NaN where a run has ended before
    extremes: Mapping[str, tuple[np.ndarray, np.ndarray]]  # smallest and largest values (b, …) by name
    ends: Ends  # of the runs, and the results there
    status: Sequence[str]  # of each run
    t_end: np.ndarray  # (b,) time that each has reached [s]


@dataclass(frozen=True, eq=False)
class Runs:
    """All runs of a sweep.

    Parameters
    ----------
    setup : of a run that can be assembled.
    first : that run.
    grid : of all runs.
    members : the same as arrays.
    channels : of the results that are kept, by name.
    searched : names of the results whose smallest or largest values are outputs.
    expressions : outputs that are the smallest or largest value of an expression.
    threads : number of threads that share the runs; None for one on each processor.
    """

    setup: Setup
    first: Trajectory
    grid: SweepGrid
    members: Members
    channels: Mapping[str, Channel]
    searched: Sequence[str]
    expressions: Sequence[Output]
    threads: int | None

    def parts(self) -> Iterator[Part]:
        """All runs in parts, so that memory does not grow with their number."""
        together = self.members.alike & self._side_by_side
        for chosen in self._split(np.flatnonzero(together)):
            yield from self._together(chosen)
        yield from self._one_by_one(np.flatnonzero(~together))

    def _split(self, chosen: np.ndarray) -> list[np.ndarray]:
        """Numbers of runs in parts that memory can hold."""
        numbers = len(self.setup.conditions.instants) * (len(self._columns) + len(self.channels) + 1)
        size = max(LANES, NUMBERS // numbers)
        return [chosen[first : first + size] for first in range(0, len(chosen), size)]

    @cached_property
    def _columns(self) -> dict[str, int]:
        """Column of every state and work among (x, w)."""
        names = self.setup.task.functions.system.state_names
        return {name: k for k, name in enumerate([*names, *(f"work.{work}" for work in WORKS)])}

    @cached_property
    def _computed(self) -> list[str]:
        """Results other than states and works."""
        return [name for name in self.channels if name not in self._columns]

    @cached_property
    def _side_by_side(self) -> bool:
        """Whether runs of this kind can be integrated, and their results computed, without a setup for each."""
        task = self.setup.task
        if task.embedding is not None or (task.can_lose_its_branch and not task.projects):
            return False
        if task.plan.calls:  # Python functions, called in the order of the samples of one run after the other
            return False
        return not task.can_lose_its_branch or Channels(task.functions).need(self._computed) is Need.NOTHING

    @cached_property
    def _method(self) -> str:
        """The method of all runs: for "auto" the last one of the first run, or a cheaper one in lanes."""
        method, found, task = self.setup.conditions.settings.method, self.first.statistics, self.setup.task
        if method in METHODS or METHODS[found["method"]].needs != "tangent" or task.embedding is not None:
            return method if method in METHODS else str(found["method"])
        x0, problem = self.setup.start.x, task.problem
        if task.plan.switches:
            problem = replace(problem, p=task.parameters(np.zeros(1), x0[None], self.setup.conditions.p[None])[0])
        return method_in_lanes(problem, x0, found["steps"] + found["rejected"])

    @cached_property
    def _lanes(self) -> LaneFunctions | None:
        """The functions for lanes, without works if neither an output nor the step control needs them.

        None if runs begin with an event, such as a sample: lanes would take no step.
        """
        task, events = self.setup.task, self.first.events
        if task.plan.sampled or (events and events[0].t == task.problem.t0):
            return None
        needs_works = task.problem.judges_works or bool(_works([*self.channels]))
        first = None if needs_works else task.problem.n
        functions, problem, stiff = task.moving, task.problem, METHODS[self._method].needs == "tangent"
        crossings = EventFunctions(functions, task.plan).crossings(LANES) if task.plan.has_crossings else None
        return LaneFunctions(
            rhs=functions.address("derivative", lanes=LANES, first=first),
            velocity=None if problem.velocity is None else functions.address("velocity", lanes=LANES),
            tangent=functions.address("tangent", lanes=LANES, first=first) if stiff else None,
            project=None if problem.project is None else functions.address("projection", lanes=LANES),
            crossings=crossings,
        )

    def _together(self, chosen: np.ndarray) -> Iterator[Part]:
        """Runs side by side, in lanes up to the first event; those that fail or come near singularity are repeated."""
        members, settings = self.members, self.setup.conditions.settings
        ensemble = integrate_ensemble(
            self.setup.task.problem,
            self._lanes,
            members.x0[chosen],
            p=self.setup.task.parameters(np.zeros(len(chosen)), members.x0[chosen], members.p[chosen]),
            c0=members.c0[chosen],
            method=settings.method if self._lanes is None else self._method,
            step=settings.step,
            threads=self.threads,
        )
        clear, alone = self._clear(ensemble, chosen), np.isin(np.arange(len(chosen)), list(ensemble.alone))
        if (rows := np.flatnonzero(clear & ~alone)).size:
            yield self._completed(ensemble, chosen, rows)
        if (rows := np.flatnonzero(clear & alone)).size:
            yield self._part_of(
                chosen[rows], [self._continued(ensemble.alone[row], chosen[row]) for row in rows.tolist()]
            )
        yield from self._one_by_one(chosen[~clear])

    def _clear(self, ensemble: Ensemble, chosen: np.ndarray) -> np.ndarray:
        """Which runs (b,) have ended as they should, far from singular positions and with drives that hold."""
        conditions, task = self.setup.conditions, self.setup.task
        clear = ensemble.ok
        if task.plan.rubbing:  # friction that has several solutions stops a run too
            clear = ensemble.codes == Outcome.COMPLETED
        if task.can_lose_its_branch:
            clear &= ensemble.nearest > CLEAR
        for row in np.flatnonzero(clear).tolist() if conditions.system.tree.motions else ():
            t, x = ensemble.motion(row)
            q = x[:, : conditions.system.tree.nq]
            clear[row] = keeps_hold(task.functions, t, q, self.members.p[chosen[row]])
        return clear

    def _completed(self, ensemble: Ensemble, chosen: np.ndarray, kept: np.ndarray) -> Part:
        """Runs that lanes have integrated to the end, in the rows `kept` of an ensemble."""
        x, w = (ensemble.x, ensemble.w) if len(kept) == len(chosen) else (ensemble.x[kept], ensemble.w[kept])
        nx = x.shape[2]
        found = {
            name: x[:, :, k] if k < nx else w[:, :, k - nx]
            for name, k in self._columns.items()
            if name in self.channels
        }
        if self._computed:
            found |= self._results(ensemble.t, x, chosen[kept])
        extremes = self._extremes(ensemble.t, x, chosen[kept], found)
        for name in extremes.keys() & self._columns.keys():  # a short peak may lie between two instants
            (low, high), k = extremes[name], self._columns[name]
            extremes[name] = np.fmin(low, ensemble.lowest[kept, k]), np.fmax(high, ensemble.highest[kept, k])
        ends = Ends(np.full(len(kept), ensemble.t[-1]), {name: values[:, -1] for name, values in found.items()})
        return Part(chosen[kept], found, extremes, ends, [Status.COMPLETED] * len(kept), ensemble.t_end[kept])

    def _continued(self, solution: Solution, member: int) -> OneRun:
        """A run that was integrated alone from an event in its lane on."""
        x0, p, c0 = self.members.x0[member], self.members.p[member], self.members.c0[member]
        return of_solution(self.setup, solution, x0, p, c0, self._columns)

    def _results(self, t: np.ndarray, x: np.ndarray, chosen: np.ndarray) -> dict[str, np.ndarray]:
        """Results (b, N, …) beyond the states x (b, N, nx)."""
        (b, n, nx), pieces = x.shape, self.setup.conditions.segments
        channels = Channels(self.setup.task.functions)
        u = np.concatenate([values_at(replace(pieces, c0=c0), t) for c0 in self.members.c0[chosen]])
        p = np.repeat(self.members.p[chosen], n, axis=0)
        every = np.tile(t, b), x.reshape(-1, nx), u.reshape(b * n, -1), p
        over_one_run = [name for name in self._computed if channels.is_continued(name)]
        found = channels.evaluate([name for name in self._computed if name not in over_one_run], *every)
        out = {name: values.reshape(b, n, *values.shape[1:]) for name, values in found.items()}
        if over_one_run:  # each value depends on the instants before it
            runs = [channels.evaluate(over_one_run, *(part[k * n : (k + 1) * n] for part in every)) for k in range(b)]
            out |= {name: np.stack([run[name] for run in runs]) for name in over_one_run}
        return out

    def _extremes(
        self, t: np.ndarray, x: np.ndarray, chosen: np.ndarray, found: Mapping[str, np.ndarray]
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Smallest and largest values (b, …) of runs with states x (b, N, nx), between the instants as well."""
        out = {name: (np.min(found[name], axis=1), np.max(found[name], axis=1)) for name in self.searched}
        names = [name for name in self.searched if name not in _works(self.searched)]
        if self.setup.conditions.times is not None or not (names or self._searched_expressions):
            return out
        out |= {
            output.extreme_expression: (np.zeros(len(chosen)), np.zeros(len(chosen)))
            for output in self._searched_expressions
        }
        for row, member in enumerate(chosen):
            x0, p, c0 = self.members.x0[member], self.members.p[member], self.members.c0[member]
            search = extremes_of(self.setup, channels_of(self.setup, t, x[row], x0, p, c0), x0, p, c0)
            for name, (low, high) in search(names, self._formulas(member)).items():
                out[name][0][row], out[name][1][row] = low, high
        return out

    @cached_property
    def _searched_expressions(self) -> list[Output]:
        """Expressions whose extremes between the instants are searched; works are known at the instants alone."""
        return [output for output in self.expressions if not _works(sorted(output.needs))]

    def _formulas(self, member: int) -> dict[str, ResultFormula]:
        """The expressions with the parameters of a run."""
        parameters = {name: x[[member]] for name, x in self.members.parameters.items()}
        return {
            output.extreme_expression: ResultFormula(output.needs, partial(_of_run, output, parameters))
            for output in self._searched_expressions
        }

    def _one_by_one(self, chosen: np.ndarray) -> Iterator[Part]:
        """Runs made by `Setup.run`, a few in each part, so that progress is reported often."""
        for first in range(0, len(chosen), LANES):
            yield self._single(chosen[first : first + LANES])

    def _single(self, chosen: np.ndarray) -> Part:
        """Some runs, one after the other."""
        runs = list[OneRun | None]()
        for member in chosen.tolist():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ModelWarning)  # the first run has given them
                    given = self.grid.member(member)
                    run = self.setup.run(parameters=given.parameters, inputs=given.inputs, initial=given.initial)
            except (AssemblyError, BeyondStopError):
                runs.append(None)
                continue
            if run.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            runs.append(of_trajectory(run))
        return self._part_of(chosen, runs)

    def _part_of(self, chosen: np.ndarray, runs: Sequence[OneRun | None]) -> Part:
        """Results of some runs; None stands for a run that could not be assembled."""
        instants, t_end = self.setup.conditions.instants, np.zeros(len(chosen))
        count = len(instants)
        found: dict[str, np.ndarray] = {}
        last = {name: np.full((len(chosen), *channel.shape), np.nan) for name, channel in self.channels.items()}
        ends = Ends(np.full(len(chosen), np.nan), last)
        shapes = {name: (len(chosen), *self.channels[name].shape) for name in self.searched}
        extremes = {name: (np.full(shape, np.nan), np.full(shape, np.nan)) for name, shape in shapes.items()}
        if self.setup.conditions.times is None and not self.setup.conditions.plan.calls:
            unknown = np.full((2, len(self._searched_expressions), len(chosen)), np.nan)
            keys = [output.extreme_expression for output in self._searched_expressions]
            extremes |= dict(zip(keys, zip(*unknown, strict=True), strict=True))
        status: list[str] = []
        for row, (member, run) in enumerate(zip(chosen.tolist(), runs, strict=True)):
            if run is None:
                status.append(Status.NOT_ASSEMBLED)
                continue
            status.append(run.status)
            t_end[row] = run.t_end
            rows = np.searchsorted(run.t, instants[instants <= run.t[-1]]) if len(run.t) else []
            counts = run.status.ok and len(run.t) > 0  # an event may stop a run before its first given instant
            for name, values in run.arrays(self.channels).items():
                if name not in found:
                    found[name] = np.full((len(chosen), count, *values.shape[1:]), np.nan)
                found[name][row, : len(rows)] = values[rows]
                if counts:
                    last[name][row] = values[-1]
            if not counts:
                continue
            ends.t[row] = run.t[-1]
            if run.search is not None and self._searched_expressions:
                for name, (low, high) in run.search([], self._formulas(member)).items():
                    extremes[name][0][row], extremes[name][1][row] = low, high
            works = {name: (np.min(w), np.max(w)) for name, w in run.arrays(_works(self.searched)).items()}
            sought = [name for name in self.searched if name not in works]
            for name, (low, high) in {**works, **(run.extremes(sought) if sought else {})}.items():
                extremes[name][0][row], extremes[name][1][row] = low, high
        for name, channel in self.channels.items():  # where no run could be assembled
            found.setdefault(name, np.full((len(chosen), count, *channel.shape), np.nan))
        return Part(chosen, found, extremes, ends, status, t_end)


def _of_run(
    output: Output, parameters: Mapping[str, np.ndarray], t: np.ndarray, found: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Values (N,) of the expression of an output from results (N, …) of one run."""
    return output.over_time(1, t, {name: values[None] for name, values in found.items()}, parameters)[0]


def _works(names: Sequence[str]) -> list[str]:
    """Those of the names that are works; they are known at the instants and at the ends of steps alone."""
    works = {f"work.{work}" for work in WORKS}
    return [name for name in names if name in works]
