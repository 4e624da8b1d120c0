"""The table of events of a run, from the integrator's log."""

from __future__ import annotations

import math

import numpy as np

from cardan.integration import EventLog, Outcome, Solution
from cardan.results.events import Occurrence
from cardan.simulation.hybrid.event_functions import Plan
from cardan.simulation.hybrid.sticking import STICKING_WORDS
from cardan.simulation.hybrid.stopping import STOPPING_WORDS

__all__ = ["end_words", "occurrences"]


def occurrences(plan: Plan, log: EventLog) -> tuple[Occurrence, ...]:
    """The user events that have happened, in order.

    Parameters
    ----------
    plan : events of the run.
    log : log of its integration.
    """
    joints = [(name, words) for name in plan.sticking for words in STICKING_WORDS]
    joints += [(name, words) for name in plan.stopping for words in STOPPING_WORDS]
    found = []
    for t, fired in zip(log.t, log.fired, strict=True):
        for k in np.flatnonzero(fired[: len(plan.events)]):
            name, event = plan.events[int(k)]
            found.append(Occurrence(float(t), name, event.words))
        for k in np.flatnonzero(fired[len(plan.events) : plan.kept]):
            joint, words = joints[int(k)]
            found.append(Occurrence(float(t), joint, words))
    return tuple(found)


def end_words(plan: Plan, solution: Solution) -> str:
    """Why an event has ended a run, in words; empty if none has.

    Parameters
    ----------
    plan : events of the run.
    solution : its solution.
    """
    if solution.outcome is Outcome.STOPPED:
        last = occurrences(plan, solution.events)[-1]
        return f"by the event {last.name!r}"
    if solution.outcome is Outcome.ZENO and math.isfinite(solution.accumulation):
        return f"events accumulate at t = {solution.accumulation:.12g} s"
    return ""
