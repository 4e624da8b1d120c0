"""One run: integrates the phases, checks the motion for singular positions and returns the trajectory."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from cardan.assembly.independent_coordinates import Embedding
from cardan.assembly.rounding import opened_doubts
from cardan.channels import RunChannels, of_run
from cardan.errors import ModelWarning, warn
from cardan.frozen import dataclass, replace
from cardan.integration import Log, Outcome, Progress, Solution
from cardan.numerics.round_off import HALF_THE_DIGITS
from cardan.results import Provenance, Status, Trajectory
from cardan.results.extent import Extent
from cardan.results.trajectory import FindExtremes
from cardan.simulation.checks.effort_limits import check_limits
from cardan.simulation.checks.energy_check import Balance, check_energy, check_given_powers, is_doubtful
from cardan.simulation.checks.extremes import Extremes, no_search
from cardan.simulation.checks.half_turns import check_half_turns
from cardan.simulation.checks.motion_limits import check_motion
from cardan.simulation.checks.undefined_forces import tables_left, undefined_forces
from cardan.simulation.conditions import Conditions
from cardan.simulation.hybrid.callback import CallingReset
from cardan.simulation.hybrid.contacts.indeterminacy import INDETERMINATE, unsolvable
from cardan.simulation.hybrid.occurrences import (
    check_conditions,
    end_words,
    indeterminate,
    occurrences,
    switching_words,
)
from cardan.simulation.phases import integrate_phases
from cardan.simulation.task import Task, make_task
from cardan.singular import NO_FAILURE, Event, StepLog, check, lost_hold, passages
from cardan.system.constrained import Selection, has_constraints
from cardan.system.energies import WORKS
from cardan.system.input_segments import values_at

WORK_NAMES = tuple(f"work.{name}" for name in WORKS)


def run(
    conditions: Conditions, task: Task, x0: np.ndarray, arguments: Mapping[str, Any], progress: Progress | None
) -> Trajectory:
    """The trajectory of a run, complete or not."""
    settings = conditions.settings
    watched = task.can_lose_its_branch and not task.projects
    watch = partial(_watch, conditions, task) if watched else None
    solution = integrate_phases(conditions, task, x0, progress=progress, watch=watch)
    _raise_failure(task)
    unsolved = indeterminate(conditions.plan, solution) or _unsolvable(conditions, task, solution)
    status = Status.FRICTION_INDETERMINATE if unsolved else Status[solution.outcome.name]
    steps = StepLog(task.functions, solution.log, conditions.p, projected=task.projects)
    event = check(steps, solution, settings.step) if task.can_lose_its_branch else None
    if event is None and task.can_lose_its_branch:
        event = lost_hold(steps, failed=solution.outcome not in NO_FAILURE)
    if event is not None:
        solution, status = _cut(solution, event), event.status
        steps = steps.until(solution.t_end)
    if unsolved:
        solution = solution._replace(worst=None)
    cause = event.cause if event is not None else _cause(conditions, task, solution, unsolved)
    if event is None and not unsolved and solution.outcome in (Outcome.NON_FINITE, Outcome.STEP_TOO_SMALL):
        (u,) = values_at(conditions.segments, np.array([solution.t_end]))
        outside = tables_left(task.functions, solution.t_end, solution.x_end, u, conditions.p, settings.rtol)
        if outside:
            solution, status, cause = solution._replace(worst=None), Status.OUTSIDE_TABLE, outside
    return _trajectory(conditions, task, x0, arguments, solution, status, steps, cause)


def _unsolvable(conditions: Conditions, task: Task, solution: Solution) -> list[str]:
    """Names of joints and constraints whose friction has no unique solution at the end of a run; empty if all have.

    Runs of one instant are examined, and runs that ended because steps became too small or a value infinite: as the
    determinant of the equations of friction goes to zero, forces grow without bound and steps shrink.
    """
    failed = solution.outcome in (Outcome.NON_FINITE, Outcome.STEP_TOO_SMALL)
    if not conditions.plan.rubbing or (conditions.end and not failed):
        return []
    (u,) = values_at(conditions.segments, np.array([solution.t_end]))
    least = HALF_THE_DIGITS if conditions.end else 0.0
    return unsolvable(task.functions, solution.t_end, solution.x_end, u, conditions.p, least)


def _raise_failure(task: Task) -> None:
    """Raise the error of a Python function that has ended the run."""
    events = task.problem.events
    if events is not None and isinstance(events.reset, CallingReset) and (error := events.reset.take_failure()):
        raise error


def _watch(conditions: Conditions, task: Task, log: Log) -> Outcome | None:
    """The outcome that ends a run without stabilization once its constraints are violated; else None."""
    event = check(StepLog(task.functions, log, conditions.p, projected=False))
    return None if event is None else Outcome.CONSTRAINTS_LOST


def _cut(solution: Solution, event: Event) -> Solution:
    """The solution up to the last step before an event; the whole solution if it ends before the event."""
    if not event.t < solution.t_end:
        return solution._replace(worst=None)
    last = max(int(np.searchsorted(solution.log.t, event.t, "right")) - 1, 0)
    t_end, x_end = float(solution.log.t[last]), solution.log.x[last]
    kept = solution.t <= t_end
    if event.status is Status.DRIVE_LOST:  # states between the last step and this instant are valid too
        t_end, kept = event.t, solution.t < event.t
    t, x, w = solution.t[kept], solution.x[kept], solution.w[kept]
    return solution._replace(t=t, x=x, w=w, t_end=t_end, x_end=x_end, worst=None)


def _trajectory(
    conditions: Conditions,
    task: Task,
    x0: np.ndarray,
    arguments: Mapping[str, Any],
    solution: Solution,
    status: Status,
    steps: StepLog,
    cause: str,
) -> Trajectory:
    functions, system, embedding = task.functions, task.functions.system, task.embedding
    projected = task.projects or embedding is not None
    channels = of_run(
        functions,
        solution.t,
        solution.x,
        partial(values_at, conditions.segments),
        conditions.p,
        conditions.segments.b,
        position=x0[: system.tree.nq],
        embedding=embedding,
        projected=projected,
    )
    check_limits(conditions.limits, channels)
    check_motion(conditions.model, conditions.values, system.state_names, solution.t, solution.x)
    if conditions.plan.events:
        inputs = values_at(conditions.segments, solution.t)
        check_conditions(functions, conditions.plan, solution, inputs, conditions.p)
    check_given_powers(channels, settings=conditions.settings)
    check_half_turns(channels)
    report = Balance(steps, channels, solution.w, conditions.settings.atol)
    judged = conditions.end and status.ok and len(solution.t)  # an event may stop a run before its first given instant
    if judged and is_doubtful(functions, solution, conditions.p, conditions.settings):
        check_energy(solution, conditions.settings, report(), channels)
    if system.tree.rounded and len(solution.t):
        for text in opened_doubts(system.tree, report().constraint_violation):
            warn(text)
    works = (f"the work {name!r} of the energy balance" for name in WORKS)
    worst = None if solution.worst is None else [*system.state_names, *works][solution.worst]
    return Trajectory(
        solution.t,
        solution.x,
        system.state_names,
        system.state_units,
        solution.w,
        WORK_NAMES,
        channels.described(),
        channels.on_request,
        channels.evaluate,
        status,
        status.describe(solution.t_end, worst, cause),
        _statistics(task, solution),
        report,
        partial(passages, steps) if has_constraints(system.tree) else tuple,
        _search(conditions, task, x0, channels, solution),
        Provenance(conditions.model.name, conditions.source, arguments),
        tuple(event for event in occurrences(conditions.plan, solution.events) if event.t <= solution.t_end),
    )


def _search(
    conditions: Conditions, task: Task, x0: np.ndarray, channels: RunChannels, solution: Solution
) -> FindExtremes | None:
    """What finds the extremes of a run; None where Python functions, which may hold a state, would be called again."""
    if conditions.plan.calls:
        return None
    if conditions.times is None:
        is_coarse = solution.statistics.jacobians > 0 or conditions.settings.step is not None
        return Extremes(conditions, task, channels, solution.w, is_coarse=is_coarse)
    # without the listed instants, which may be many
    whole = replace(conditions, times=None, instants=conditions.whole, plain={})
    return WholeMotion(whole, task.choice, task.embedding, x0)


@dataclass(frozen=True, eq=False)
class WholeMotion:
    """Finds the extremes of a run with listed instants: those of the run that lists none, made on first use."""

    conditions: Conditions  # conditions of the run that lists none
    choice: Selection  # constraint equations of its first phase
    embedding: Embedding | None  # its independent coordinates
    x0: np.ndarray  # its assembled initial state (nx,)

    def __call__(self, names: Sequence[str]) -> dict[str, Extent]:
        """Smallest and largest values (*shape) of some results with their instants, by name."""
        return self._run.extremes(names)

    @cached_property
    def _run(self) -> Trajectory:
        task = make_task(self.conditions, self.choice, self.embedding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # the run itself has given them
            found = run(self.conditions, task, self.x0, {}, None)
        if found.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return found

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """A pickled run has no machine code; its extremes are those of its instants."""
        return no_search, ()


def _statistics(task: Task, solution: Solution) -> dict[str, Any]:
    """Cost of the computation in plain values: counts of steps and evaluations, and so on."""
    found = {"method": solution.method, "reached": solution.t_end, **solution.statistics._asdict()}
    if task.embedding is not None:
        coordinates = task.functions.system.tree.coordinates
        found["independent"] = [coordinates[i].name for i in task.embedding.q]
    return found


def _cause(conditions: Conditions, task: Task, solution: Solution, unsolved: list[str]) -> str:
    """Text that names the friction, the event or the forces without a finite value that ended the run; else empty."""
    if unsolved:
        beside = f", beside {', '.join(map(repr, unsolved[1:]))}," if unsolved[1:] else ""
        return f"{unsolved[0]!r}{beside} {INDETERMINATE}: {Status.FRICTION_INDETERMINATE.advice}"
    if solution.outcome is not Outcome.NON_FINITE:
        written = conditions.system.model, conditions.expressions
        return end_words(conditions.plan, solution) or switching_words(*written, task.plan, solution)
    (u,) = values_at(conditions.segments, np.array([solution.t_end]))
    return undefined_forces(task.functions, solution.t_end, solution.x_end, u, conditions.p)
