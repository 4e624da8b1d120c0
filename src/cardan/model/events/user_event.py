"""Event of the section `events:` of a model: an expression that passes zero, and what the run does then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, nearest
from cardan.model.expressions.grammar import COMPARISONS, KEYWORDS, Call
from cardan.model.lets import reached
from cardan.model.names import carrying, driven_joints, efforts, graph_inputs, user_states
from cardan.model.quantities.fields import Measure
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["Action", "AnyAction", "AnyEvent", "UserEvent", "event_issues", "read_event"]

_DOINGS = "stop, record or {set: {name: value}}"


class Action(Record):
    """What an event does to the run: inputs get a value that they keep, states of the section `states` a new one."""

    set: PathSection[Measure]  # values at the instant of the event, by name of the input or state

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.set:
            raise ModelError(Issue("nothing is set", "name an input or a state: {drive: 0 V}", ("set",)))
        return self


def _read_action(value: Any) -> Any:
    if isinstance(value, str):
        if value not in ("stop", "record"):
            raise ModelError(f"{f'{value!r:.60}'} is nothing that an event can do", f"write {_DOINGS}")
        return value
    if isinstance(value, Mapping):
        return Action(**{str(key): entry for key, entry in value.items()})
    if isinstance(value, Action):
        return value
    raise ModelError(f"{f'{value!r:.60}'} is nothing that an event can do", f"write {_DOINGS}")


AnyAction = Annotated[Literal["stop", "record"] | Action, BeforeValidator(_read_action)]
"""`"stop"`, `"record"`, an `Action` or its keys."""


class UserEvent(Record):
    """Happens where `when` passes zero; coordinates, velocities, points, states, currents and outputs may be named."""

    when: Measure  # expression that passes zero
    direction: Literal["rising", "falling", "either"] = "either"  # which way it passes zero
    do: AnyAction = "record"  # what happens then

    @model_validator(mode="after")
    def _check(self) -> Self:
        expression = self.when.expression
        if isinstance(expression, Call) and expression.operation in (*COMPARISONS, *KEYWORDS):
            cure = "write the difference of both sides, such as slide - 0.5, and direction: rising or falling"
            raise ModelError(Issue(f"{str(self.when)!r} is true or false, and passes no zero", cure, ("when",)))
        return self

    @property
    def words(self) -> str:
        """What it does, in a few words."""
        if isinstance(self.do, str):
            return self.do
        return "set " + ", ".join(f"{name}: {value}" for name, value in self.do.set.items())


def read_event(written: Any) -> UserEvent:
    """The event that an entry of `events` describes."""
    if isinstance(written, UserEvent):
        return written
    if not isinstance(written, Mapping):
        cure = "write {when: load.z - 0.1, direction: falling, do: stop}"
        raise ModelError(f"{f'{written!r:.60}'} is not an event", cure)
    return UserEvent(**{str(key): entry for key, entry in written.items()})


AnyEvent = Annotated[UserEvent, BeforeValidator(read_event)]
"""A `UserEvent`, or its keys."""


def event_issues(model: Model) -> Iterator[Issue]:
    """What the events of a `model` name that does not exist or cannot be set, and conditions that never change."""
    if not model.events:
        return
    shown = {name: scalar for name, scalar in model.outputs.items() if name not in scalar.names}
    known = {**shown, **model.let}
    for name, event in model.events.items():
        if reached(event.when.names, known) <= {*model.parameters, *known}:
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
