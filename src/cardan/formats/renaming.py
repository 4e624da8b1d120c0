"""Another name for a part of a model file, which is followed wherever the file refers to the part.

A name means what the place says where it stands: `parent: crank` is a body, `initial: {crank: 1}` a coordinate. In an
expression `crank.x` is the position of a body and `crank.v` the velocity of a joint, as in `model.names`.
A template and some places define names of their own: there a name of the model that reads the same means another thing.
"""

import re
from collections.abc import Iterator, Mapping, Set
from functools import cached_property
from typing import Any

from cardan.errors import Issue, ModelError, Path, nearest
from cardan.formats.templates import (
    FOREIGN,
    KEYED,
    SHORT_FORMS,
    WORDS,
    expanded,
    inertias,
    names_joints,
    own_names,
    parts_of,
)
from cardan.formats.yaml_edit import written
from cardan.formats.yaml_tree import YamlDocument, compose, read_tree
from cardan.frozen import dataclass
from cardan.model.checks.scopes import DEFINED
from cardan.model.joints import JOINTS
from cardan.model.model import written_out
from cardan.model.names import COMPONENTS, VECTORS, coordinates, velocities
from cardan.model.quantities.number_kind import Scope
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import check_name

__all__ = ["WHOLE", "OwnNames", "Renaming", "renamed"]

NAMED = (
    *("parameters", "bodies", "joints", "motors", "forces", "constraints", "contacts", "graphs"),
    *("let", "coordinates", "states", "outputs", "events", *SHORT_FORMS),
)
"""Sections whose entries have names of their own; those of other sections are names of coordinates and inputs."""
_ALONE = ("parameters", "let", "coordinates", "states", "outputs")
"""Sections whose names stand alone in expressions; behind other names follow a point and what is meant of the part."""
_WITH_PARTS = ("joints", "motors", "graphs", "constraints", "contacts")
"""Sections whose names may be those of bodies, too."""
_PLACES = frozenset(["parent", "child", "body", "mounted_on", "carrier", "between", "part"])
"""Keys whose texts are bodies or markers."""
TEXTS = WORDS | {"name", "template"}
"""Keys whose texts are words, choices or directions and name nothing."""
_KINDS: Mapping[str, Scope] = {"equations": "curve", "given": "reaction"}
"""What may be named below keys of constraints."""
_DIRECTION = re.compile(r"[-+]?[xyz]")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class OwnNames:
    """Names that a place in a model file defines itself."""

    parts: Set[str] = frozenset()
    """Names of a template's own entries: also what follows them behind a point belongs to the template."""
    names: Set[str] = frozenset()
    """Names such as `x` in the equation of a curve, which are meant only as they stand, without a point."""

    def owns(self, name: str) -> bool:
        """Whether a `name` means something of the place itself."""
        return name in self.names or name.partition(".")[0] in self.parts


WHOLE = OwnNames()
"""Places where every name is one of the model."""


def renamed(text: str, path: Path, name: str) -> str:
    """The text of a model file in which a part has another name; all else stays as it was written.

    Example
    -------
    >>> renamed("parameters: {m: 2 kg, n: 2*m}  # loaded", ("parameters", "m"), "mass")
    'parameters: {mass: 2 kg, n: 2*mass}  # loaded'
    """
    data = read_tree(text).data
    renaming = Renaming(data if isinstance(data, dict) else {}, path, name)
    changes = dict(_changes(compose(text), (), renaming))
    for begin, end in sorted(changes, reverse=True):
        text = text[:begin] + written(changes[begin, end]) + text[end:]
    return text


@dataclass(frozen=True)
class Renaming:
    """A new name, and what the texts of a model become by it.

    Raises
    ------
    ModelError
        There is no such part, it has no name of its own, or the name cannot be one or is taken.
    """

    data: Mapping[str, Any]  # the model file as plain data
    path: Path  # as of `renamed`
    new: str  # the new name

    def __post_init__(self) -> None:
        *above, old = self.path or ("",)
        is_marker = len(above) == 3 and above[0] == "bodies" and above[2] == "markers"
        if not is_marker and not (len(above) == 1 and above[0] in NAMED):
            cure = "rename the joint, motor, state or marker that it belongs to" if above else ""
            if above and above[0] in ("templates", "parts"):
                fault, cure = "names of templates and parts are not followed", "change it in the text of the file"
                raise ModelError(Issue(fault, cure, self.path))
            raise ModelError(Issue(f"{old!r} has no name of its own there", cure, self.path))
        siblings = self._table(*above)
        if old not in siblings or (self.path == ("bodies", "ground")):
            others = [one for one in siblings if one != "ground"]
            raise ModelError(Issue(f"there is no {old!r} to rename", nearest(str(old), others), self.path))
        try:
            check_name(self.new)
        except ModelError as error:
            raise error.under(*self.path) from None
        if self.new in siblings and self.new != old:
            where = ".".join(map(str, above[:2]))
            raise ModelError(Issue(f"{self.new!r} stands in {where} already", "choose another name", self.path))

    def _table(self, *keys: Any) -> Mapping[str, Any]:
        table: Any = self.data
        for key in keys:
            table = table.get(key) if isinstance(table, Mapping) else None
        return table if isinstance(table, Mapping) else {}

    @property
    def _old(self) -> str:
        """The old name as references begin with it: of a marker with its body."""
        return ".".join(str(key) for key in self.path[1::2])

    @property
    def _full(self) -> str:
        return ".".join([*(str(key) for key in self.path[1:-1:2]), self.new])

    def place(self, text: str) -> str:
        """The text of a body or marker."""
        return self._moved(text.strip()) if self.path[0] == "bodies" and self._begins(text.strip()) else text

    def result(self, name: str) -> str:
        """The name of a coordinate, input, state or result."""
        section, part = self._owner(name)
        if not section:
            return self._moved(name) if self._begins(name) and self._is_of_part(name) else name
        entry = self._table(section, part)
        if (section, part) == self.path:
            is_named_alone = name.partition(".")[0] in inertias(entry) or not name.startswith(part)
            return name if is_named_alone else self._moved(name)
        inner = name.removeprefix(f"{part}.")
        is_of_coordinate = inner != name and (section == "paths" or names_joints(entry))  # go.r1.v, law.r1
        return f"{part}.{self.result(inner)}" if is_of_coordinate else name

    def expression(self, text: str, scope: OwnNames = WHOLE) -> str:
        """The text of an expression."""
        try:
            names = Scalar.read(text).names
        except ModelError:
            return text

        def new(found: re.Match[str]) -> str:
            name = found[0]
            return self.kept(name, self.result(name), scope) if name in names else name

        return _WORD.sub(new, text)

    def kept(self, name: str, new: str, scope: OwnNames) -> str:
        """What a name becomes in a scope: the new name, or itself where the scope owns it."""
        if new == name or scope.owns(name):
            return name
        if scope.owns(new):
            fault = f"{new!r} means something else in a place that uses {name!r}, which defines that name itself"
            raise ModelError(Issue(fault, "choose another name", self.path))
        return new

    def _owner(self, name: str) -> tuple[str, str]:
        """Section and name of the drive, path, controller or thermal node that brings a name; empty for none."""
        if name in self._brought:
            return self._brought[name][1]
        above = name.rpartition(".")[0]
        while above and above not in self._brought:
            above = above.rpartition(".")[0]
        section, owner = self._brought.get(above, ("", ("", "")))
        return owner if section in ("", "bodies", *_WITH_PARTS) else ("", "")

    @cached_property
    def _brought(self) -> dict[str, tuple[str, tuple[str, str]]]:
        """Where the names stand that short forms bring, written out, and what brings them."""
        rods = any(parts_of(body) for body in self._table("bodies").values())
        if not rods and not any(section in self.data for section in SHORT_FORMS):
            return {}
        whole = written_out(expanded(YamlDocument(dict(self.data), {})).data)
        found = {name: ("", (section, name)) for section in reversed(SHORT_FORMS) for name in self._table(section)}
        written = reversed(whole.origins.items())  # of several sections, the first to which a name was written counts
        found |= {name: (at, (str(of[0]), str(of[1]))) for (at, name), of in written if at != "inputs"}
        driven = whole.drives.items()
        return found | {voltage: ("", ("drives", name)) for name, drive in driven for voltage in drive.voltages}

    def _begins(self, name: str) -> bool:
        return name == self._old or name.startswith(f"{self._old}.")

    def _moved(self, name: str) -> str:
        return self._full + name[len(self._old) :]

    def _is_of_part(self, name: str) -> bool:
        """Whether a name is of the part, where a body and something else have the same name."""
        if len(self.path) > 2:
            return True
        head, _, rest = name.partition(".")
        section = self.path[0]
        if section in _ALONE:
            return not rest
        if section == "constraints":
            return rest == "speed"
        if section not in ("bodies", *_WITH_PARTS):
            return False
        others = [one for one in _WITH_PARTS if head in self._table(one)]
        of_body = head in self._table("bodies") and (self._is_of_body(head, rest) if others else True)
        return of_body == (section == "bodies")

    def _is_of_body(self, head: str, rest: str) -> bool:
        first = rest.partition(".")[0]
        markers = self._table("bodies", head, "markers")
        return first in (*COMPONENTS, *VECTORS, "com", *markers) and f"{head}.{rest}" not in self._of_joint

    @property
    def _of_joint(self) -> frozenset[str]:
        """Coordinates and velocities of a joint that has the name of the part."""
        record = self._table("joints", self.path[1])
        kind = JOINTS.get(str(record.get("type")))
        if kind is None:
            return frozenset()
        joint = {str(self.path[1]): kind.model_construct()}
        return frozenset({**coordinates(joint), **velocities(joint)})


def _changes(node: Any, path: Path, renaming: Renaming) -> Iterator[tuple[tuple[int, int], str]]:
    """Places in the text, and what stands there afterwards."""
    if node is None:
        return
    if node.id == "scalar":
        if node.tag.endswith(":str"):
            new = _text(node.value, path, renaming)
            if new != node.value:
                yield (node.start_mark.index, node.end_mark.index), new
    elif node.id == "sequence":
        for k, entry in enumerate(node.value):
            yield from _changes(entry, (*path, k), renaming)
    else:
        for key, entry in node.value:
            own = (*path, key.value)
            new = renaming.new if own == renaming.path else _key(key.value, path, renaming)
            if new != key.value:
                yield (key.start_mark.index, key.end_mark.index), new
            yield from _changes(entry, own, renaming)


def _key(key: str, path: Path, renaming: Renaming) -> str:
    """A key of the table at a path, which may be a name."""
    scope, path = _scope(path, renaming.data)
    new = key
    if _has_names(path):
        new = renaming.result(key)
    elif path == ("motions",):
        new = renaming.result(key)
        new = renaming.place(key) if new == key and key not in renaming.data.get("joints", {}) else new
    return renaming.kept(key, new, scope)


def _scope(path: Path, data: Mapping[str, Any]) -> tuple[OwnNames, Path]:
    """Names that are defined at a path itself, and the path, in a template from there."""
    parts: frozenset[str] = frozenset()
    if len(path) > 1 and path[0] == "templates":
        template, path = _entry(data, path[:2]), path[2:]
        outputs = _entry(template, ("outputs",)) if path[:1] == ("events",) else ()
        parts = own_names(template) | frozenset(map(str, outputs))
        data = template
    keys = [key for key in path[2:] if isinstance(key, str)]
    kind: Scope | None = None
    if path[:1] == ("constraints",) and keys:
        kind = _KINDS.get(keys[0])
    elif path[:1] == ("graphs",) and keys and keys[-1] in ("effort", "flow"):
        k = max(k for k, key in enumerate(path) if key == keys[-1])
        is_resistor = str(_entry(data, path[:k]).get("type")).startswith("R")
        kind = "resistor law" if is_resistor else "store law"
    return OwnNames(parts, frozenset(DEFINED.get(kind, ())) if kind else frozenset()), path


def _entry(data: Any, path: Path) -> Mapping[str, Any]:
    """The table at a path of plain data; an empty one where there is none."""
    for key in path:
        if isinstance(data, Mapping):
            data = data.get(key)
        else:
            data = data[key] if isinstance(data, list) and isinstance(key, int) else None
    return data if isinstance(data, Mapping) else {}


def _has_names(path: Path) -> bool:
    """Whether the keys of the table at a path are names of coordinates, efforts, inputs or states."""
    section, *keys = path or ("",)
    return (
        path in (("inputs",), ("initial",))
        or (section == "constraints" and keys[1:] == ["terms"])
        or (section == "events" and keys[1:] == ["do", "set"])
        or (section == "programs" and keys[1:] == ["outputs"])
        or (len(keys) > 2 and keys[-2] == "realize")
        or (section in SHORT_FORMS and len(keys) == 2 and keys[1] in KEYED)
    )


def _text(text: str, path: Path, renaming: Renaming) -> str:
    """A text at a path: a place, a word that names nothing, or an expression."""
    is_of_part = path[:1] == ("parts",) and path[2:] != ("template",)  # parameters that a part gives its template
    scope, path = _scope(path, renaming.data)
    keys = [key for key in path if isinstance(key, str)]
    is_users_own = len(keys) == 2 or is_of_part or _has_names(tuple(keys[:-1]))  # the last key is a name, too
    is_foreign = len(keys) > 3 and keys[-2] in FOREIGN
    last = "" if is_users_own or is_foreign or not keys else keys[-1]
    if last in _PLACES:
        return renaming.kept(text, renaming.place(text), scope)
    if keys[-2:] == ["planetary", "to"] or (is_foreign and keys[-2] == "outputs"):  # within its drive, of its program
        return text
    if last in TEXTS and (not last.startswith("ax") or _DIRECTION.fullmatch(text.strip())):
        return text
    return renaming.expression(text, scope)
