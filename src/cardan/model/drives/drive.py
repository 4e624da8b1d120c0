"""A drive: a source, and the train of elements from it to a joint."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated, Any, Self, cast

from pydantic import BeforeValidator, Field, model_validator

from cardan.errors import Issue, ModelError, nearest, within
from cardan.model.drives.elements import ELEMENTS, TrainElement
from cardan.model.drives.sources import SOURCES, DriveSource
from cardan.model.quantities.fields import Direction
from cardan.model.records.key_advice import not_yet
from cardan.model.records.kinds import OneOf
from cardan.model.records.record import Record
from cardan.model.records.section import check_name


def _joint(value: Any) -> Any:
    return None if value == "none" else value


def _source(value: Any) -> DriveSource | None:
    return None if value is None else cast("DriveSource", OneOf("source", SOURCES).read(value))


def _elements(value: Any) -> tuple[TrainElement, ...]:
    if not isinstance(value, list | tuple):
        raise ModelError("the train is not a list", "write train: [{shaft: …}, {gear: 50}], from the source on")
    found, issues = list[TrainElement](), list[Issue]()
    for k, entry in enumerate(value):
        try:
            found += _entry(entry)
        except ModelError as error:
            issues += [issue.under(k) for issue in error.issues]
    if issues:
        raise ModelError(issues)
    unnamed = defaultdict[str, list[TrainElement]](list)
    for element in found:
        if not element.name:
            unnamed[element.type].append(element)
    for several in unnamed.values():
        for k, element in enumerate(several if len(several) > 1 else ()):
            element.numbered(k + 1)
    return tuple(found)


def _entry(entry: Any) -> list[TrainElement]:
    """The elements of one entry of a train: {shaft: {…}, name: …}, or several that sit at one place."""
    known = ", ".join(ELEMENTS)
    if not isinstance(entry, Mapping) or not entry:
        raise ModelError(f"{f'{entry!r:.60}'} is not an element of a train", f"write {{kind: …}}; kinds: {known}")
    name, found = entry.get("name", ""), list[TrainElement]()
    if name:
        check_name(name)
    for kind, value in entry.items():
        if kind == "name":
            continue
        if kind not in ELEMENTS:
            cure = not_yet(str(kind)) or nearest(str(kind), ELEMENTS)
            raise ModelError(Issue(f"there is no element {f'{kind!r:.60}'} of a train", cure, (str(kind),)))
        with within(kind):
            own = name if not found else ""
            if isinstance(value, Mapping) and "name" in value:
                own, value = value["name"], {key: x for key, x in value.items() if key != "name"}
                check_name(own)
            found.append(ELEMENTS[kind].read(value, own))
    if not found:
        raise ModelError("an entry of the train has a name alone", f"add what it is: {known}")
    return found


class Drive(Record):
    """A source, a train, and what they drive."""

    joint: Annotated[str | None, BeforeValidator(_joint)] = None  # revolute or prismatic; none: a machine of its own
    begin: str | None = Field(None, alias="from")  # place of another train where it begins: a1.name
    to: str | None = None  # place of another train where it ends, in place of a joint
    source: Annotated[DriveSource | None, BeforeValidator(_source)] = None  # what drives it
    train: Annotated[tuple[Any, ...], BeforeValidator(_elements)] = ()  # from the source to the joint
    linear: bool = False  # whether its parts slide along the axis: masses, springs and forces
    carrier: str | None = None  # body on which rotors and housings ride; None: the parent of the joint
    axis: Direction | None = None  # of the rotors, in the carrier's axes, if the carrier is not the joint's parent

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.begin is not None and self.source is not None:
            fault = "a train that begins in another one has a source of its own"
            raise ModelError(Issue(fault, "let it begin at its source, and end there: to: in place of from:"))
        if self.to is not None and self.joint is not None:
            raise ModelError(Issue("a train ends at a joint or in another train", "give joint: or to:, not both"))
        if self.linear and self.source is not None and self.source.moves == "turning":
            fault = f"a linear train has a source of type {self.source.type}"
            raise ModelError(Issue(fault, "put {force: …} into the train", ("source",)))
        kind, other = ("linear", "turning") if self.linear else ("turning", "linear")
        for k, element in enumerate(self.train):
            if element.moves == other:
                fault, known = f"{element.type} in a {kind} train", "mass, spring and force"
                cure = f"a linear train has {known}" if self.linear else f"write linear: true for a train with {known}"
                raise ModelError(Issue(fault, cure, ("train", k)))
        return self
