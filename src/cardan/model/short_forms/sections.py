"""Sections of a model that are short for others, and are written out as these when the model is made.

In: the data of a model. Out: the same data without them, with what they stand for, and where each entry came from.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from cardan.errors import Issue, ModelError, Path, within
from cardan.frozen import dataclass, field, replace
from cardan.model.records.record import Record
from cardan.model.records.section import check_name
from cardan.model.short_forms.text import renamed

_R = TypeVar("_R", bound=Record)


@dataclass(frozen=True)
class Driven:
    """What controllers read of a drive: the angle, speed and current of its motor, and ratios to coordinates."""

    angle: str
    speed: str
    current: str  # empty where it has none
    ratios: Mapping[str, str]  # speed of the motor over that of each coordinate
    voltages: tuple[str, ...] = ()  # names that a controller defines, in place of an input
    direct: str = ""  # current that a controller keeps at zero beside this
    decoupling: tuple[str, ...] = ()  # what it adds to the voltages
    limits: Mapping[str, str] = field(default_factory=dict)  # of "voltage" and "current" of its source, both ways


@dataclass(eq=False)
class Sections:
    """The data of a model to which sections are written out."""

    data: dict[str, Any]
    origin: Path = ()  # of what is being written out, as the user wrote it
    origins: dict[tuple[str, str], Path] = field(default_factory=dict)  # of the entries that were written
    drives: dict[str, Driven] = field(default_factory=dict)  # by name, motors too
    heats: dict[str, list[str]] = field(default_factory=dict)  # powers that flow into thermal nodes [W]
    supplies: dict[str, Any] = field(default_factory=dict)  # supplies of voltage by name
    loads: dict[str, list[str]] = field(default_factory=dict)  # currents that motors draw from each of them [A]
    noted: dict[str, str] = field(default_factory=dict)  # what is positive beyond a limit, by the event of reaching it
    path_laws: dict[str, str] = field(default_factory=dict)  # what names of paths mean, for motions
    path_starts: dict[str, dict[str, str]] = field(default_factory=dict)  # of each path: values at its begin

    def taken(self, section: str) -> Mapping[str, Any]:
        """A section, which the data then no longer have."""
        entries = self.data.pop(section, None) or {}
        if not isinstance(entries, Mapping):
            fault = f"{f'{entries!r:.60}'} is not a table"
            raise ModelError(Issue(fault, 'write "name: …" lines, or {} for an empty one', (section,)))
        return entries

    def records(self, section: str, record: type[_R], what: str, example: str) -> dict[str, _R]:
        """The records by name of a section, which the data then no longer have."""
        found = dict[str, _R]()
        for name, data in self.taken(section).items():
            with within(section, name):
                check_name(name)
                if isinstance(data, record):
                    found[name] = data
                elif isinstance(data, Mapping):
                    found[name] = record(**{str(key): entry for key, entry in data.items()})
                else:
                    raise ModelError(f"{f'{data!r:.60}'} is not a {what}", f"write {example}")
        return found

    @contextmanager
    def writing(self, *origin: str) -> Iterator[None]:
        """What is put, and errors, have this place in what the user wrote."""
        self.origin = origin
        with within(*origin):
            yield

    def table(self, section: str) -> Mapping[str, Any]:
        """A section as it stands; empty if it is not a table, which is refused later."""
        entries = self.data.get(section) or {}
        return entries if isinstance(entries, Mapping) else {}

    def put(self, section: str, name: str, value: Any, origin: Path | None = None) -> None:
        """Add an entry."""
        if name in self.table(section):
            fault = f"it brings {name!r}, which stands in {section} already"
            raise ModelError(Issue(fault, "give one of the two another name"))
        self.data[section] = {**self.table(section), name: value}
        self.origins[section, name] = self.origin if origin is None else origin

    def replace(self, section: str, name: str, value: Any) -> None:
        """Change an entry."""
        self.data[section] = {**self.table(section), name: value}

    def note(self, name: str, beyond: str) -> None:
        """Record where a value reaches a limit, beyond which it is while an expression is positive, and leaves it."""
        if name in self.noted:
            beyond = f"max({self.noted[name]}, {beyond})"
        for key, direction in ((name, "rising"), (f"{name}_left", "falling")):
            event = {"when": beyond, "direction": direction, "do": "note"}
            (self.replace("events", key, event) if name in self.noted else self.put("events", key, event))
        self.noted[name] = beyond

    def rename_in(self, section: str, key: str, old: str, new: str) -> None:
        """Put another name for one in an expression."""
        table = self.table(section)
        if isinstance(table.get(key), str):
            self.data[section] = {**table, key: renamed(table[key], old, new)}

    def told(self, error: ModelError) -> ModelError:
        """The error with the places of what was written out as the user wrote them."""
        issues = []
        for issue in error.issues:
            origin = self.origins.get((str(issue.path[0]), str(issue.path[1]))) if len(issue.path) > 1 else None
            if origin is None:
                issues.append(issue)
                continue
            where = ".".join(map(str, issue.path))
            issues.append(replace(issue, path=origin, fault=f"{issue.fault} (written out as {where})"))
        return ModelError(issues)
