"""What a file says, as the data of a model, and the model made of it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardan.errors import ModelError
from cardan.errors import Path as KeyPath
from cardan.formats.xml.colliders import Encounter
from cardan.formats.xml.contacts import contact_data
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement
from cardan.frozen import dataclass, field
from cardan.model.model import Model

_KEYS = {"mass": "mass", "inertia": "inertia", "axis": "axis", "limit": "effort_limit", "dynamics": "damping"}
"""Keys of a model by the element in which their numbers stand."""


@dataclass
class Description:
    """The data of a model, the line of what stands in it, and what to warn of."""

    data: dict[str, Any]  # as of `Model`
    lines: dict[KeyPath, int] = field(default_factory=dict)  # line, from 1, by path of keys
    notes: Notes = field(default_factory=Notes)  # what is changed and left out
    met: list[Encounter] = field(default_factory=list)  # pairs of shapes that may touch, where contacts are read
    reserved: set[str] = field(default_factory=set)  # names that are given away before there is an entry

    def put(self, section: str, name: str, entry: Any, line: int) -> None:
        """Add an entry."""
        self.data[section][name] = entry
        self.lines[section, name] = line

    def fill(
        self, section: str, read: Mapping[str, Any], names: Mapping[str, str], elements: Mapping[str, XmlElement]
    ) -> None:
        """Add what has been read, by names in the file, under its names in the model."""
        for name, new in names.items():
            self.put(section, new, read[name], elements[name].line)
            for element in elements[name].walk():
                if element.tag in _KEYS:
                    self.lines[section, new, _KEYS[element.tag]] = element.line

    def free(self, wished: str) -> str:
        """A name like the wished one that nothing in the data has."""
        taken = {name for section in self.data.values() if isinstance(section, dict) for name in section}
        (name,) = unique([wished], taken | self.reserved)
        return name


def model_of(
    path: Path, read: Callable[[], Description], *, accept: Sequence[str] = (), regularize: Any = None
) -> Model:
    """The model in a file, with warnings of what is changed and left out; `accept` and `regularize` as of `load`."""
    try:
        found = read()
    except ModelError as error:
        raise error.located(str(path), {}) from None
    data = {**found.data, "accept": accept}
    for joint in data["joints"].values() if regularize is not None else ():
        if "friction" in joint:
            joint["friction"]["regularize"] = regularize
    try:
        model = Model(**data)
        if contacts := contact_data(model, found.met, found.notes):
            model = Model(**data, contacts=contacts)
    except ModelError as error:
        raise error.located(str(path), {(): 1, **found.lines}) from None
    found.notes.warn(path.name)
    return model
