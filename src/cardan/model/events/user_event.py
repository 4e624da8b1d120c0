"""Event of the section `events:` of a model: an expression that passes zero, and what the run does then."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import COMPARISONS, KEYWORDS, Call
from cardan.model.quantities.fields import Measure
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection

_DOINGS = "stop, record, note or {set: {name: value}}"


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
        if value not in ("stop", "record", "note"):
            raise ModelError(f"{f'{value!r:.60}'} is nothing that an event can do", f"write {_DOINGS}")
        return value
    if isinstance(value, Mapping):
        return Action(**{str(key): entry for key, entry in value.items()})
    if isinstance(value, Action):
        return value
    raise ModelError(f"{f'{value!r:.60}'} is nothing that an event can do", f"write {_DOINGS}")


AnyAction = Annotated[Literal["stop", "record", "note"] | Action, BeforeValidator(_read_action)]
"""`"stop"`, `"record"`, `"note"`, an `Action` or its keys."""


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
    def is_note(self) -> bool:
        """Whether it is recorded while there is room for it, and can neither change nor end a run."""
        return self.do == "note"

    @property
    def words(self) -> str:
        """What it does, in a few words."""
        if isinstance(self.do, str):
            return "record" if self.is_note else self.do
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
