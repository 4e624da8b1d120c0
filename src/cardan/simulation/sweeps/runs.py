"""The runs of a sweep, integrated: side by side in SIMD lanes and threads where they are alike, else one by one."""

import math
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from cardan.channels.channels import Channels
from cardan.channels.functions import Need
from cardan.errors import AssemblyError, ModelWarning
from cardan.frozen import dataclass, replace
from cardan.integration import Outcome, Progress, Solution
from cardan.integration.ensemble import Ensemble, LaneFunctions, integrate_ensemble, method_in_lanes
from cardan.integration.methods import METHODS
from cardan.results.channel import Channel
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.simulation.hybrid.event_functions import EventFunctions
from cardan.simulation.instants import evenly
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps.axes import SweepGrid
from cardan.simulation.sweeps.members import Members
from cardan.simulation.sweeps.one_run import OneRun, channels_of, extremes_of, of_solution, of_trajectory
from cardan.simulation.sweeps.outputs import Ends, Output
from cardan.simulation.sweeps.time_mean import nodes
from cardan.simulation.task import TANGENTS
from cardan.singular import keeps_hold
from cardan.system.contacts.stops import BeyondStopError
from cardan.system.energies import WORKS
from cardan.system.input_segments import values_at

LANES = 8  # runs that a processor with vectors of eight doubles integrates at once
NUMBERS = 8_000_000  # numbers of states and results in memory at a time
CLEAR = 0.01  # distance from a singular position over its largest value in the run; above it no event is looked for [-]


@dataclass(frozen=True, eq=False)
class Part:
    """Some runs of a sweep, b of them."""

    members: np.ndarray  # their numbers (b,)
    found: Mapping[str, np.ndarray]  # results (b, N, …) by name, NaN where a run has ended before
    reduced: Mapping[str, np.ndarray]  # values (b, …) of the outputs that are reductions, by the name of the output
    ends: Ends  # of the runs, and the results there
    status: Sequence[str]  # of each run
    message: Sequence[str]  # why each did not end as it should; empty if it did
    t_end: np.ndarray  # (b,) time that each has reached [s]


class Unmade(NamedTuple):
    """A run without results."""

    status: Status
    message: str  # why it has none


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a block."""

    setup: Setup  # of a run that can be assembled
    first: Trajectory  # that run
    grid: SweepGrid  # of all runs
    members: Members  # the same as arrays
    channels: Mapping[str, Channel]  # of the results that are kept, by name
    reduced: Sequence[Output]  # outputs that are the largest, smallest or mean value over the whole motion
    threads: int | None  # number of threads that share the runs; None for one on each processor
    longest: float  # time that a run may take [s]

    @property
    def axis(self) -> np.ndarray:
        """Instants (N,) of values over time, which all runs share [s]."""
        return axis_of(self.setup)

    def parts(self) -> Iterator[Part]:
        """All runs: those side by side, and a few of the others at a time."""
        together = self.members.alike & self._side_by_side
        if together.any():
            yield from self._together(*_in_eights(together))
        yield from self._one_by_one(np.flatnonzero(~together))

    @property
    def _columns(self) -> dict[str, int]:
        """Column of every state and work among (x, w)."""
        return columns_of(self.setup)

    @property
    def _computed(self) -> list[str]:
        """Results other than states and works."""
        return [name for name in self.channels if name not in self._columns]

    @property
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
        needs_works = task.problem.judges_works or any(f"work.{work}" in self.channels for work in WORKS)
        first = None if needs_works else task.problem.n
        functions, problem, stiff = task.moving, task.problem, METHODS[self._method].needs == "tangent"
        crossings = EventFunctions(functions, task.plan).crossings(LANES) if task.plan.has_crossings else None
        return LaneFunctions(
            rhs=functions.address("derivative", lanes=LANES, first=first),
            velocity=None if problem.velocity is None else functions.address("velocity", lanes=LANES),
            tangent=functions.address(TANGENTS.get(self._method, "tangent"), lanes=LANES, first=first)
            if stiff
            else None,
            project=None if problem.project is None else functions.address("projection", lanes=LANES),
            crossings=crossings,
        )

    def _together(self, chosen: np.ndarray, wanted: np.ndarray) -> Iterator[Part]:
        """Runs side by side, in lanes up to the first event; those that fail or come near singularity are repeated.

        Those that are not `wanted` only fill lanes.
        """
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
            longest=self.longest,
        )
        clear, alone = self._clear(ensemble, chosen) & wanted, np.isin(np.arange(len(chosen)), list(ensemble.alone))
        if (rows := np.flatnonzero(clear & ~alone)).size:
            yield self._completed(ensemble, chosen, rows)
        if (rows := np.flatnonzero(clear & alone)).size:
            yield self._part_of(
                chosen[rows], [self._continued(ensemble.alone[row], chosen[row]) for row in rows.tolist()]
            )
        yield from self._one_by_one(chosen[wanted & ~clear])

    def _clear(self, ensemble: Ensemble, chosen: np.ndarray) -> np.ndarray:
        """Which runs (b,) have ended as they should, far from singular positions and with drives that hold."""
        conditions, task = self.setup.conditions, self.setup.task
        clear = ensemble.ok | (ensemble.codes == Outcome.TIMED_OUT)
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
        reduced, ends = self._reduced(ensemble.t, x, w, chosen[kept], found), {n: y[:, -1] for n, y in found.items()}
        for output in self.reduced:  # a short peak may lie between two instants
            if output.channel is not None and (k := self._columns.get(output.channel.name)) is not None:
                if output.reduction == "max":
                    reduced[output.name] = np.fmax(reduced[output.name], ensemble.highest[kept, k])
                elif output.reduction == "min":
                    reduced[output.name] = np.fmin(reduced[output.name], ensemble.lowest[kept, k])
        shown = {name: y[:, np.searchsorted(ensemble.t, self.axis)] for name, y in found.items()}
        last = Ends(np.full(len(kept), ensemble.t[-1]), ends)
        ended = [Status.COMPLETED] * len(kept), [""] * len(kept)
        return Part(chosen[kept], shown, reduced, last, *ended, ensemble.t_end[kept])

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

    def _reduced(
        self, t: np.ndarray, x: np.ndarray, w: np.ndarray, chosen: np.ndarray, found: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Reductions (b, …) of runs with states x (b, N, nx) and works w (b, N, nw), by the name of the output."""
        out, sought = self._no_reductions(len(chosen)), any(output.reduction != "mean" for output in self.reduced)
        for row, member in enumerate(chosen.tolist() if self.reduced else ()):
            given = self.members.x0[member], self.members.p[member], self.members.c0[member]
            channels = channels_of(self.setup, t, x[row], *given)
            search = extremes_of(self.setup, channels, w[row], *given) if sought else None
            run = OneRun(t, Status.COMPLETED, "", t[-1], partial(_row_of, found, row), search)
            self._keep(out, row, run, member)
        return out

    def _no_reductions(self, count: int) -> dict[str, np.ndarray]:
        """NaN for every reduction (b, …) of so many runs."""
        return {
            output.name: np.full((count, *(() if output.channel is None else output.channel.shape)), np.nan)
            for output in self.reduced
        }

    def _keep(self, reduced: dict[str, np.ndarray], row: int, run: OneRun, member: int) -> None:
        """Write the reductions of a run into its row."""
        parameters = {name: x[[member]] for name, x in self.members.parameters.items()}
        calls = self.setup.task.plan.calls  # Python functions, which may hold a state, are not called again
        in_steps = None if calls else partial(self._in_steps, member)
        rtol = self.setup.conditions.settings.rtol
        for name, value in run.reduced(self.reduced, parameters, rtol, in_steps).items():
            reduced[name][row] = value

    def _in_steps(self, member: int) -> tuple[OneRun, np.ndarray]:
        """A run at the nodes (M,) of Gauss's rule in each of its steps, and their weights (M,) in means over time."""
        given = self.grid.member(member)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # the first run has given them
            setup = self.setup.changed(parameters=given.parameters, inputs=given.inputs, initial=given.initial)
            t, weights = nodes(uninterrupted(setup.run()).t, setup.conditions.settings.rtol)
            run = of_trajectory(uninterrupted(setup.run(times=t)))
        return run, weights

    def _one_by_one(self, chosen: np.ndarray) -> Iterator[Part]:
        """Runs made by `Setup.run`, a few in each part, so that progress is reported often."""
        for first in range(0, len(chosen), LANES):
            yield self._single(chosen[first : first + LANES])

    def _single(self, chosen: np.ndarray) -> Part:
        """Some runs, one after the other."""
        runs = list[OneRun | Unmade]()
        for member in chosen.tolist():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ModelWarning)  # the first run has given them
                    given = self.grid.member(member)
                    run = self.setup.run(**given._asdict(), progress=_ending(time.monotonic() + self.longest))
            except (AssemblyError, BeyondStopError) as error:
                runs.append(Unmade(Status.NOT_ASSEMBLED, str(error)))
            except _TimedOutError:
                runs.append(Unmade(Status.TIMED_OUT, f"timed out: {Status.TIMED_OUT.advice}"))
            else:
                runs.append(of_trajectory(uninterrupted(run)))
        return self._part_of(chosen, runs)

    def _part_of(self, chosen: np.ndarray, runs: Sequence[OneRun | Unmade]) -> Part:
        """Results of some runs."""
        count, t_end = len(self.axis), np.zeros(len(chosen))
        found: dict[str, np.ndarray] = {}
        last = {name: np.full((len(chosen), *channel.shape), np.nan) for name, channel in self.channels.items()}
        ends = Ends(np.full(len(chosen), np.nan), last)
        reduced = self._no_reductions(len(chosen))
        for row, (member, run) in enumerate(zip(chosen.tolist(), runs, strict=True)):
            if isinstance(run, Unmade):
                continue
            t_end[row] = run.t_end
            rows = np.searchsorted(run.t, self.axis[self.axis <= run.t[-1]]) if len(run.t) else np.zeros(0, dtype=int)
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
            if self.reduced:
                self._keep(reduced, row, run, member)
        for name, channel in self.channels.items():  # where no run could be assembled
            found.setdefault(name, np.full((len(chosen), count, *channel.shape), np.nan))
        ended = [run.status for run in runs], ["" if run.status.ok else run.message for run in runs]
        return Part(chosen, found, reduced, ends, *ended, t_end)


def uninterrupted(run: Trajectory) -> Trajectory:
    """A run; raises `KeyboardInterrupt` if Ctrl-C has ended it, as a part of it has no place in a sweep."""
    if run.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return run


class _TimedOutError(Exception):
    """A run has taken too long."""


def _ending(end: float) -> Progress | None:
    """A callback for the progress of a run, which ends it at an instant of the monotonic clock [s]."""

    def progress(fraction: float) -> None:
        if time.monotonic() > end:
            raise _TimedOutError

    return None if end == math.inf else progress


def _in_eights(together: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of runs to integrate side by side, in the lanes in which they stand, and which of them are wanted.

    In place of a run that others are not to be integrated with, one of those in the same eight is integrated twice: a
    run has the same companions, and thereby the same steps, however a sweep is cut into blocks.
    """
    count = len(together)
    eights = np.pad(together, (0, -count % LANES)).reshape(-1, LANES)
    first = LANES * np.arange(len(eights)) + np.argmax(eights, axis=1)
    numbers = np.where(together, np.arange(count), np.repeat(first, LANES)[:count])
    kept = np.repeat(eights.any(axis=1), LANES)[:count]
    return numbers[kept], together[kept]


def axis_of(setup: Setup) -> np.ndarray:
    """Instants (N,) of values over time [s]."""
    conditions = setup.conditions
    return evenly(conditions.end) if conditions.times is None else conditions.times


def columns_of(setup: Setup) -> dict[str, int]:
    """Column of every state and work among (x, w)."""
    names = setup.task.functions.system.state_names
    return {name: k for k, name in enumerate([*names, *(f"work.{work}" for work in WORKS)])}


def most_runs(setup: Setup, results: int) -> int:
    """Number of runs whose states and `results` memory holds, a multiple of those in lanes."""
    most = NUMBERS // (len(setup.conditions.instants) * (len(columns_of(setup)) + results + 1))
    return max(LANES, most - most % LANES)


def _row_of(found: Mapping[str, np.ndarray], row: int, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Results (N, …) of one run by name, of those (b, N, …) of several."""
    return {name: found[name][row] for name in names}
