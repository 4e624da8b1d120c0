"""The table of events of a run, from the integrator's log."""

import math
from dataclasses import replace

import casadi as ca
import numpy as np

from cardan.errors import Issue, warn
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import RAPID, RESOLUTION, EventLog, Outcome, Solution
from cardan.model.model import Model
from cardan.results.run_records import Occurrence
from cardan.results.status import Status
from cardan.simulation.hybrid.contacts.indeterminacy import INDETERMINATE
from cardan.simulation.hybrid.contacts.sticking import REVERSES, STICKING_WORDS
from cardan.simulation.hybrid.event_functions import EventFunctions, Plan
from cardan.simulation.hybrid.switchings import Expressions, place_of


def occurrences(plan: Plan, log: EventLog) -> tuple[Occurrence, ...]:
    """What has happened in a run, in order: user events, and events of friction and stops."""
    words = [*((name, event.words) for name, event in plan.events), *plan.contacts]
    stops, *slides = STICKING_WORDS
    instants, found = log.t.tolist(), list[Occurrence]()
    for row, k in zip(*(indices.tolist() for indices in np.nonzero(log.fired[:, : plan.kept])), strict=True):
        t, (name, did) = instants[row], words[k]
        if did in slides and found and found[-1] == Occurrence(t, name, stops):
            found[-1] = Occurrence(t, name, REVERSES)
        else:
            found.append(Occurrence(t, name, did))
    return tuple(found)


def check_conditions(functions: SystemFunctions, plan: Plan, solution: Solution, u: np.ndarray, p: np.ndarray) -> None:
    """Give a warning for each event that acts and whose condition has no value at any instant of a run."""
    acting = tuple((name, event) for name, event in plan.events if not event.is_note)
    if not acting:
        return
    conditions = ca.vertcat(*EventFunctions(functions, replace(plan, events=acting, switches=())).user_conditions())
    (values,) = functions.columns("conditions", [conditions])(solution.t, solution.x, u, p)
    for (name, event), column in zip(acting, values.T, strict=True):
        if column.size and np.isnan(column).all():
            warn(
                f"the event {name!r} cannot happen: its condition {str(event.when)!r} has no value (NaN) at any "
                f"instant of the run; write one that is a number over the whole motion"
            )


def end_words(plan: Plan, solution: Solution) -> str:
    """Text that says which event has ended a run; empty if none has."""
    if solution.outcome is Outcome.STOPPED:
        fired = solution.events.fired[-1, : len(plan.events)]  # columns begin with the user events
        ends = [name for (name, event), f in zip(plan.events, fired, strict=True) if f and event.do == "stop"]
        return f"by the event {ends[0]!r}"
    if solution.outcome in (Outcome.CHATTERING, Outcome.TOO_MANY_EVENTS) and (who := _repeated(plan, solution)):
        names, is_full = ", ".join(repr(name) for name in who), solution.outcome is Outcome.TOO_MANY_EVENTS
        text = (
            f"the last events are those of {names}" if is_full else f"events of {names} follow each other without end"
        )
        return f"{text}; {Status(solution.outcome.name.lower()).advice}"
    if solution.outcome is Outcome.ZENO and math.isfinite(solution.accumulation):
        return f"events accumulate at t = {solution.accumulation:.12g} s"
    return ""


def switching_words(model: Model, expressions: Expressions, plan: Plan, solution: Solution) -> str:
    """Text that says which expression switches without end; empty if none does."""
    if solution.crossing is None or solution.crossing < plan.kept:
        return ""
    each = [switch for switch in plan.switches for _ in range(switch.crossings)]
    path, text = place_of(model, expressions, each[solution.crossing - plan.kept])
    cure = Status.CHATTERING.advice
    if path[0] == "constraints" and path[2] == "given" and model.constraints[str(path[1])].leaves_path:
        cure = (
            "it switches back and forth there without progress of time, because a given part holds no point at rest; "
            f"write friction: of the constraint {path[1]!r} in its place, which sticks, or round it off, such as "
            "tanh(speed/v0)"
        )
    return f"{text!r:.60} in {Issue('', path=path).key}: {cure}"


def _repeated(plan: Plan, solution: Solution) -> list[str]:
    """Names of the user events and joints behind the last events of a run; empty if these were switchings."""
    log, first = solution.events, max(0, len(solution.events.t) - RAPID)
    if solution.outcome is Outcome.CHATTERING:
        first = max(first, int(np.searchsorted(log.t, solution.t_end - RAPID * RESOLUTION * abs(solution.t_end))))
    last = occurrences(plan, EventLog(log.t[first:], log.fired[first:], log.before[first:], log.after[first:]))
    return list(dict.fromkeys(event.name for event in last))


def indeterminate(plan: Plan, solution: Solution) -> list[str]:
    """Names of the joints and constraints whose friction has ended a run, as it has several solutions or none.

    Joints with friction from loads that break away and stop again without end at one instant are among them.
    """
    if solution.outcome is Outcome.CHATTERING:
        joints = _repeated(plan, solution)
        sticking = {name for name, did in plan.contacts if did == STICKING_WORDS[0]}
        return joints if plan.rubbing and set(joints) <= sticking else []
    if solution.outcome is not Outcome.STOPPED:
        return []
    fired = solution.events.fired[-1, len(plan.events) : plan.kept]
    return [name for (name, did), one in zip(plan.contacts, fired, strict=True) if one and did == INDETERMINATE]
