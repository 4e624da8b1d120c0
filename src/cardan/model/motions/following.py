"""Motions that follow states of the user's own, such as filtered set-points: which ones, and what their rates may name.

A motion r = w(t, x) has the velocity and the acceleration that the rates of x give. Both have to be known without the
equations of motion, and position and velocity must not jump.   Source: docs/motions.md
"""

from collections.abc import Iterator

from cardan.errors import Issue
from cardan.model.quantities.lets import reached
from cardan.model.records.known_names import KnownNames
from cardan.model.records.walk import scalars
from cardan.model.sections import ModelSections

_CURE = "a motion needs its velocity and acceleration beforehand: name t, parameters, coordinates and states"
_FILTER = "let the motion follow a filter of second order: states: {x: v, v: (target - x)/T**2 - 2*v/T}"


def followed_states(model: ModelSections) -> list[str]:
    """States that the laws of motions name, and those that their rates depend on, in file order."""
    found: set[str] = set()
    for depth in _levels(model):
        found |= depth
    return [name for name in model.states if name in found]


def _levels(model: ModelSections) -> Iterator[set[str]]:
    """States in the laws of the motions, then in the rates of these, and so on, each once."""
    new = {name for motion in model.motions.values() for _, scalar in scalars(motion) for name in scalar.names}
    new, done = new & model.states.keys(), set[str]()
    while new:
        yield new
        done |= new
        rates = {name for state in new for name in reached(model.states[state].rate.names, model.let)}
        new = (rates & model.states.keys()) - done


def following_issues(names: KnownNames) -> Iterator[Issue]:
    """Rates of followed states that name what is not known, and jumps or initial values that a motion cannot follow."""
    model = names.model
    levels = list(_levels(model))
    if not levels:
        return
    own = {*model.states, *model.let}
    speeds = {name for name, unit in names.motion.items() if unit in ("m/s", "rad/s")} - own
    unknown = names.results.keys() - names.kinematic - own
    set_by = {
        target: event for event, one in model.events.items() if not isinstance(one.do, str) for target in one.do.set
    }
    for name in followed_states(model):
        path = ("states", name, "rate")
        order = next(k for k, level in enumerate(levels) if name in level)
        used = reached(model.states[name].rate.names, model.let)
        for other in sorted(used & (unknown | speeds if order == 0 else unknown)):
            yield Issue(f"a motion follows {name!r}, and its rate names {other!r}", _CURE, path)
        if name in model.initial:
            fault = f"a motion follows {name!r}, whose start stands at the state"
            yield Issue(fault, f"write states: {{{name}: {{rate: …, initial: …}}}}", ("initial", name))
        what = ("position", "velocity")[min(order, 1)]
        if model.states[name].next is not None and order < 2:
            fault = f"each sample sets {name!r}, so that the {what} of a motion jumps, which takes an impulse"
            yield Issue(fault, _FILTER, ("states", name, "next"))
        if name in set_by and order < 2:
            fault = f"the event sets {name!r}, so that the {what} of a motion jumps, which takes an impulse"
            yield Issue(fault, _FILTER, ("events", set_by[name], "do", "set", name))
