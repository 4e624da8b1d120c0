"""Repeated parts of a model file: `templates:` are written once, `parts:` use them with parameters of their own.

In: the data of a file. Out: the same data as if every part had been written out, with the lines of the template.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cardan.errors import Issue, ModelError, Path, nearest, warn
from cardan.formats.yaml_text import MAX_SIZE
from cardan.formats.yaml_tree import MAX_NODES, YamlDocument
from cardan.frozen import dataclass, field, replace
from cardan.model.controllers import CONTROLLERS
from cardan.model.controllers.model_law import ModelLaw
from cardan.model.flexible.record import SEGMENTS
from cardan.model.place import GROUND
from cardan.model.quantities.scalar import is_quantity
from cardan.model.records.section import check_name

__all__ = [
    "FOREIGN",
    "KEYED",
    "SHORT_FORMS",
    "WORDS",
    "Expanded",
    "expanded",
    "inertias",
    "names_joints",
    "own_names",
    "parts_of",
]

SHORT_FORMS = ("drives", "paths", "controllers", "supplies", "thermal")  # sections that are written out as others
_NAMED = ("parameters", "bodies", "joints", "motors", "let", "states", *SHORT_FORMS)
"""Sections of a template whose names its expressions may use."""
_DEFINING = (*_NAMED, "forces", "constraints", "contacts", "outputs", "events")
_REFERRING = ("inputs", "initial", "motions")  # sections whose keys name what stands in others
_SECTIONS = (*_DEFINING, *_REFERRING)

WORDS = frozenset(
    [
        *("cardan", "source", "accept", "planar", "type", "kind", "frame", "law", "rule", "loads"),
        *("color", "file", "column", "columns", "domain", "bonds", "integrals", "interpolation", "outside", "profile"),
        *("curve", "direction", "do", "axis", "axes", "rotor_axis", "begins", "branch", "ways", "demand", "mode"),
        "material",
    ]
)
"""Keys whose texts are words, choices or directions: no names and no expressions."""
KEYED = frozenset(
    [
        *("terms", "set", "from", "to", "max_speed", "max_acceleration"),
        *("gains", "reference", "kp", "kd", "accelerations"),
    ]
)
"""Keys of tables whose keys are names."""
FOREIGN = frozenset(["inputs", "outputs", "parameters"])
"""Keys of tables of a functional mock-up unit, whose variables are keys, or values of `outputs`."""
_CURVE = ("equations", ("x", "y", "z"))  # key of expressions in which these names are the coordinates of a point
_ENTRY = MAX_SIZE // MAX_NODES  # characters that an entry of a file stands for beside its text
_TOKEN = re.compile(
    r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<rest>(?:\.[A-Za-z_][A-Za-z0-9_]*)*)",
    re.ASCII,
)


@dataclass(frozen=True)
class Expanded:
    """The data of a file with its parts written out."""

    data: dict[str, Any]
    lines: Mapping[Path, int]  # line of every key; of what a part brings, the line in the template
    parts: Mapping[Path, tuple[str, int]]  # part and its line, by section and name of what it brings

    def told(self, error: ModelError) -> ModelError:
        """The error with the part that each issue belongs to; what is wrong in several parts alike is told once."""
        found: dict[Any, Issue] = {}
        for issue in error.issues:
            part, line = self.parts.get(issue.path[:2], ("", 0))
            if not part:
                found[issue] = issue
                continue
            alike = (issue.line, issue.path[2:], issue.fault.replace(f"{part}_", ""))
            where = f"{issue.fault} (in the part {part!r}" + (f" of line {line})" if line else ")")
            found.setdefault(alike, replace(issue, fault=where))
        return ModelError(found.values(), file=error.file)


def expanded(document: YamlDocument) -> Expanded:
    """The data with the parts written out."""
    data = {key: value for key, value in document.data.items() if key not in ("templates", "parts")}
    given, parts = (_table(document.data.get(key), (key,)) for key in ("templates", "parts"))
    lines: dict[str, list[tuple[Path, int]]] = {name: [] for name in given}
    for path, line in document.lines.items():
        if path[0] == "templates" and len(path) > 3:
            lines[str(path[1])].append((path[2:], line))
    templates = {name: _template(name, value, lines[name]) for name, value in given.items()}
    _refuse_many(templates, parts)
    sections = {key: dict(data[key]) for key in _SECTIONS if isinstance(data.get(key), dict)}
    out = _Parts(data | sections, dict(document.lines))
    for name, entry in parts.items():
        out.add(name, entry, templates)
    if out.issues:
        raise ModelError(out.issues)
    return Expanded(out.data, out.lines, out.parts)


def own_names(sections: Mapping[str, Any]) -> frozenset[str]:
    """Names that the sections of a template define: those of their entries, and those that drives and paths bring."""
    own = {str(name) for section in _NAMED for name in _entries(sections, section)}
    for name, drive in _entries(sections, "drives").items():
        own |= inertias(drive)
        own |= {f"{name}_rotor", *(f"{name}_{k + 1}" for k in range(len(_train(drive))))}
        own |= {f"{name}_{_entries(x, 'planetary').get('to')}" for x in _train(drive) if isinstance(x, Mapping)}
    for name, body in _entries(sections, "bodies").items():
        own |= {f"{name}_{part}" for part in parts_of(body)}
    return frozenset(own).union(*({f"{name}_start", f"{name}_end"} for name in _entries(sections, "paths")))


def parts_of(body: Any) -> list[str]:
    """Endings of the names that a flexible body brings: of its parts and of the joints and springs between them."""
    if not isinstance(body, Mapping) or body.get("type") != "flexible":
        return []
    n = body.get("segments", SEGMENTS)
    names = [(str(k + 1), f"bend{k}", f"bend{k}_spring") for k in range(1, (n if isinstance(n, int) else 0) + 1)]
    return [name for each in names for name in each]


def _entries(sections: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    found = sections.get(section)
    return found if isinstance(found, Mapping) else {}


def _train(drive: Any) -> list[Any]:
    train = drive.get("train") if isinstance(drive, Mapping) else None
    return train if isinstance(train, list) else []


def inertias(drive: Any) -> frozenset[str]:
    """Names of the inertias and masses in the train of a drive, which are coordinates."""
    named = [x for x in _train(drive) if isinstance(x, Mapping) and {"inertia", "mass"} & x.keys()]
    return frozenset(str(x["name"]) for x in named if "name" in x)


def names_joints(controller: Any) -> bool:
    """Whether a controller has a result for each joint, `law.r1`."""
    kind = str(controller.get("type")) if isinstance(controller, Mapping) else ""
    return kind in CONTROLLERS and issubclass(CONTROLLERS[kind], ModelLaw)


@dataclass(frozen=True)
class _Template:
    """A part as it is written once."""

    sections: dict[str, dict[str, Any]]
    lines: Sequence[tuple[Path, int]]  # path from the template, and line
    size: int  # characters, as a file has them
    own: frozenset[str]  # names that stand for something of the part itself
    within: Mapping[str, Collection[str]]  # own names that may follow a name behind a point

    def names(self, section: str) -> frozenset[str]:
        """Own names that the entries of a section may use: events may use outputs, too."""
        return self.own | frozenset(self.sections.get("outputs", ())) if section == "events" else self.own

    @property
    def parameters(self) -> dict[str, Any]:
        """Default of each parameter; None for one that every part has to give."""
        return self.sections.get("parameters", {})


def _template(name: str, value: Any, lines: Sequence[tuple[Path, int]]) -> _Template:
    path: Path = ("templates", name)
    _check_name(name, path)
    sections = {key: _table(entry, (*path, key)) for key, entry in _table(value, path).items()}
    issues = [
        Issue(f"a template has no section {key!r}", nearest(key, _SECTIONS), (*path, key))
        for key in sections
        if key not in _SECTIONS
    ]
    for section in _DEFINING:
        for entry in sections.get(section, ()):
            _check_name(entry, (*path, section, entry))
    if "template" in sections.get("parameters", ()):
        fault = "the name 'template' is taken: it says which template a part uses"
        issues.append(Issue(fault, "choose another name", (*path, "parameters", "template")))
    if issues:
        raise ModelError(issues)
    return _Template(sections, lines, _size(sections), own_names(sections), _within(sections))


def _within(sections: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Own names that follow a name behind a point: coordinates of paths, results of controllers, named inertias."""
    named = {name: inertias(drive) for name, drive in _entries(sections, "drives").items()}
    laws = [name for name, law in _entries(sections, "controllers").items() if names_joints(law)]
    moving = frozenset(_entries(sections, "joints")).union(*named.values())
    return named | dict.fromkeys([*_entries(sections, "paths"), *laws], moving)


def _refuse_many(templates: Mapping[str, _Template], parts: Mapping[str, Any]) -> None:
    total = 0
    for name, entry in parts.items():
        template = templates.get(str(entry.get("template"))) if isinstance(entry, dict) else None
        total += template.size if template else 0
        if total > MAX_SIZE:
            fault = f"written out, the parts have more than {MAX_SIZE / 1e6:g} MB"
            raise ModelError(Issue(fault, "use fewer parts or smaller templates", ("parts", name)))


@dataclass
class _Parts:
    """The data to which part after part is added."""

    data: dict[str, Any]
    lines: dict[Path, int]
    parts: dict[Path, tuple[str, int]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)

    def add(self, part: str, entry: Any, templates: Mapping[str, _Template]) -> None:
        """Write a part out, or note what is wrong with it."""
        path: Path = ("parts", part)
        try:
            _check_name(part, path)
            template = _used(_table(entry, path), templates, path)
        except ModelError as error:
            self.issues += error.issues
            return
        for name in self.data.get("parameters") or ():
            if name in template.own and name not in entry:
                told = f"{name} is its own there, not the parameter of the model"
                warn(f"the part {part!r}: {told}; rename one of the two if that is meant")
        names = {section: _Renamed(part, template.names(section), template.within) for section in template.sections}
        for section, entries in template.sections.items():
            renamed = names[section]
            target = self.data[section] if isinstance(self.data.get(section), dict) else {}
            for name, value in entries.items():
                self._put(target, section, name, renamed, self._value(section, name, value, entry, renamed))
            self.data[section] = target
        for (key, own, *rest), line in template.lines:
            self.lines[(key, names[str(key)].key(str(key), str(own)), *rest)] = line
        for name in entry:
            if name != "template":
                self.lines["parameters", f"{part}_{name}"] = self.lines.get((*path, name), 0)

    def _put(self, target: dict[str, Any], section: str, name: str, renamed: _Renamed, value: Any) -> None:
        new, path = renamed.key(section, name), ("parts", renamed.part)
        if section == "initial" and new in ("at", "equilibrium") and new in target:  # said by several parts alike
            target[new] = [*_listed(target[new]), value] if new == "at" else value
            return
        if new in target:
            fault = f"the part brings {new!r}, which stands in {section} already"
            self.issues.append(Issue(fault, "give the part or the other entry another name", path))
        target[new] = value
        self.parts[section, new] = (renamed.part, self.lines.get(path, 0))

    def _value(self, section: str, name: str, value: Any, entry: Mapping[str, Any], renamed: _Renamed) -> Any:
        """What the part has under a name; the values of its own parameters are expressions of the model's."""
        given = section == "parameters" and name in entry
        return entry[name] if given else renamed.value(value)


@dataclass(frozen=True)
class _Renamed:
    """A template's texts as they read in one of its parts."""

    part: str
    own: Collection[str]
    within: Mapping[str, Collection[str]]  # own names that may follow a name behind a point

    def key(self, section: str, name: str) -> str:
        """A key of a section."""
        return f"{self.part}_{name}" if section in _DEFINING else self.text(name)

    def text(self, text: str, local: Collection[str] = ()) -> str:
        """A reference or expression in which the template's own names, but not `local` ones, have become the part's."""
        if is_quantity(text):
            return text

        def new(match: re.Match[str]) -> str:
            name, rest = match["name"], match["rest"]
            if name not in self.own or name in local:
                return match[0]
            is_within = rest.partition(".")[2].partition(".")[0] in self.within.get(name, ())
            return f"{self.part}_{name}.{self.part}_{rest[1:]}" if is_within else f"{self.part}_{name}{rest}"

        return _TOKEN.sub(new, text)

    def value(self, value: Any, key: str = "") -> Any:
        """The data below a key."""
        if isinstance(value, str):
            return value if key in WORDS else self.text(value, _CURVE[1] if key == _CURVE[0] else ())
        if isinstance(value, list):
            inner = key if key in ("axes", "ways", _CURVE[0]) else ""  # of words or of curves
            return [self.value(entry, inner) for entry in value]
        if isinstance(value, dict):
            if key in FOREIGN:
                return value if key == "outputs" else {name: self.value(entry) for name, entry in value.items()}
            if key in KEYED:  # keys are names, whatever they are called
                return {self.text(name): self.value(entry) for name, entry in value.items()}
            kept = (
                () if {"inertia", "mass"} & value.keys() else ("name",)
            )  # of other elements of a train: its drive's own
            kept = ("to",) if key == "planetary" else kept
            return {name: entry if name in kept else self.value(entry, name) for name, entry in value.items()}
        return value


def _used(entry: dict[str, Any], templates: Mapping[str, _Template], path: Path) -> _Template:
    """The template that a part uses, which gets all its parameters from it."""
    name = entry.get("template")
    if not isinstance(name, str) or name not in templates:
        fault = f"there is no template {f'{name!r:.60}'}" if "template" in entry else "the part has no template"
        raise ModelError(Issue(fault, nearest(str(name), templates), (*path, "template")))
    parameters = templates[name].parameters
    faults = [
        Issue(f"the template {name!r} has no parameter {key!r}", nearest(key, parameters), (*path, key))
        for key in entry
        if key != "template" and key not in parameters
    ]
    faults += [
        Issue(f"the parameter {key!r} of the template {name!r} has no value", "give it one here", path)
        for key, default in parameters.items()
        if default is None and entry.get(key) is None
    ]
    faults += [
        Issue(f"{f'{value!r:.60}'} is not a number", "write a number, a quantity or an expression", (*path, key))
        for key, value in entry.items()
        if isinstance(value, dict | list)
    ]
    if faults:
        raise ModelError(faults)
    return templates[name]


def _table(value: Any, path: Path) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ModelError(Issue(f"{f'{value!r:.60}'} is not a table", "write {name: …}", path))
    return value


def _check_name(name: str, path: Path) -> None:
    if name == GROUND:
        cure = "give points of the ground where they are used: {body: ground, position: […]}"
        raise ModelError(Issue("the ground is no part of a template", cure, path))
    try:
        check_name(name)
    except ModelError as error:
        raise error.under(*path) from None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _size(value: Any) -> int:
    """Characters that data have in a file, about."""
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return _ENTRY + (len(value) if isinstance(value, str) else 0) + sum(map(_size, inner))
