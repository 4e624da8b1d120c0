"""Checks of the section `events:`."""

from collections.abc import Iterator

from cardan.errors import Issue, nearest
from cardan.model.names import carrying, driven_joints, efforts, graph_inputs, user_states
from cardan.model.quantities.lets import reached
from cardan.model.sections import ModelSections


def event_issues(model: ModelSections) -> Iterator[Issue]:
    """What the events of a `model` name that does not exist or cannot be set, and conditions that never change."""
    if not model.events:
        return
    shown = {name: scalar for name, scalar in model.outputs.items() if name not in scalar.names}
    known = {**shown, **model.let}
    for name, event in model.events.items():
        if not event.is_note and reached(event.when.names, known) <= {*model.parameters, *known}:
            fault = f"{str(event.when)!r} never changes, so that it passes no zero"
            yield Issue(fault, "name t, a coordinate, a velocity or a point", ("events", name, "when"))
    inputs = set(model.motors) | set(efforts(carrying(model))) | set(graph_inputs(model))
    driven = {name for name, motor in model.motors.items() if motor.joint in driven_joints(model)} | set(
        driven_joints(model)
    )
    states = set(user_states(model))
    for name, event in model.events.items():
        if isinstance(event.do, str):
            continue
        for target in event.do.set:
            path = ("events", name, "do", "set", target)
            if target in driven:
                yield Issue(f"{target!r} is driven by a prescribed motion", "set another input", path)
            elif target not in inputs | states:
                fault = f"{target!r} is neither an input nor a state of the section states"
                yield Issue(fault, nearest(target, [*model.motors, *states, *efforts(carrying(model))]), path)
