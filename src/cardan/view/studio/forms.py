"""Forms for the sections of a model, read from the fields of its records: a new kind or key needs no form of its own.

A form is a *node* in plain values. Its `kind` is "text", "vector" (a text for each component), "words", "choice",
"flag", "place", "record" (with `fields`), "variants" (with the fields of each), "list" or "table" (with the node of
their entries, `of`).
"""

import inspect
import re
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from cardan.model.model import Model
from cardan.model.motions import LAWS, read_motion
from cardan.model.place import InlinePlace
from cardan.model.quantities.fields import Anything, Direction
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.records.kinds import OneOf
from cardan.model.records.record import Record
from cardan.model.records.section import Section

Node = dict[str, Any]

_TEXT: Node = {"kind": "text", "hint": ""}
_SEVERAL: Node = {"kind": "text", "hint": "[…]"}
_LEFT_OUT = ("cardan", "simulate")  # the format's version; the end of the run, which is among the values
_NUMBER = next(one for one in Anything.__metadata__ if isinstance(one, NumberKind))
_DEPTH = 4  # records inside each other that have fields of their own; what lies deeper is a text


@lru_cache(maxsize=1)
def forms() -> list[Node]:
    """The forms of a model file, in the order of its sections: name, note and node of each."""
    ground = {"key": "ground", "note": "frames fixed to the ground", "node": _record(Model.model_fields["ground"], 0)}
    sections = [one for one in _fields(Model, 0) if one["key"] not in (*_LEFT_OUT, "ground")]
    at = next(k for k, one in enumerate(sections) if one["key"] == "bodies")
    return [*sections[:at], ground, *sections[at:]]


def _record(field: Any, depth: int) -> Node:
    return _node(field.annotation, field.metadata, depth)


def _fields(record: type[Record], depth: int) -> list[Node]:
    """Key, note, node and default of each field."""
    notes = _notes(record)
    return [
        {
            "key": name,
            "note": notes.get(name, ""),
            "required": field.is_required(),
            "node": _with_labels(_with_units(_record(field, depth + 1), notes.get(name, "")), notes.get(name, "")),
        }
        for name, field in record.model_fields.items()
        if name != "type" or len(get_args(field.annotation)) > 1  # one choice is that of the kind
    ]


def _with_units(node: Node, note: str) -> Node:
    """A node of any number with the units in its note as an example, which says more than a number."""
    units = [_written(one) for one in re.findall(r"\[([^\]]+)\]", note) if one != "-"]
    return {**node, "hint": " or ".join(units)} if node.get("word") == _NUMBER.word else node


def _with_labels(node: Node, note: str) -> Node:
    """A vector with the names of its components: those with which its note begins, else x, y, z where it has three."""
    if node["kind"] != "vector":
        return node
    count = len(node["hints"])
    named = re.match(rf"\(?(\w+(?:, \w+){{{count - 1}}})\b", note)
    return {**node, "labels": named[1].split(", ") if named else ["x", "y", "z"] if count == 3 else []}


def _written(units: str) -> str:
    """Units of a comment, "N m, N m s", as model files and results have them: "N*m, N*m*s"."""
    return re.sub(r"(?<=\w) (?=\w)", "*", units)


def _node(annotation: Any, metadata: Any = (), depth: int = 0) -> Node:
    """The node of an annotated type."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _node(inside[0], inside[1:], depth)
    for one in metadata:
        if isinstance(one, OneOf):
            return _variants(one.noun, "type", one.kinds, depth)
        if getattr(one, "func", None) is read_motion:
            return _variants("law", "", LAWS, depth)
        if isinstance(one, NumberKind):
            return {"kind": "text", "hint": one.example, "word": one.word}
        if one in Direction.__metadata__:  # type: ignore[attr-defined]
            return {"kind": "text", "hint": "x, -y, [0, 0, 1]", "word": "a direction"}
    if origin in (Union, types.UnionType):
        return _union([one for one in inside if one is not type(None)], depth)
    if origin is Literal:
        return {"kind": "choice", "choices": [str(one) for one in inside]}
    if annotation is bool:
        return {"kind": "flag"}
    if annotation is str:
        return {"kind": "words"}
    if origin is tuple:
        return _list(inside, depth)
    if isinstance(origin, type) and issubclass(origin, Section):
        return {"kind": "table", "of": _node(inside[0], (), depth)}
    if isinstance(annotation, type) and issubclass(annotation, Record) and depth < _DEPTH:
        return {"kind": "record", "fields": _fields(annotation, depth)}
    return _TEXT


def _variants(noun: str, tag: str, kinds: Mapping[str, type[Record]], depth: int) -> Node:
    """The node of records of several kinds: `tag` is the key that says which; empty where a key of their own does."""
    return {
        "kind": "variants",
        "noun": noun,
        "tag": tag,
        "kinds": {name: _fields(kinds[name], depth) for name in kinds},
    }


def _union(members: list[Any], depth: int) -> Node:
    """The node of the simplest member: a number or a text may always be written."""
    if InlinePlace in members:
        return {"kind": "place"}
    nodes = [_node(one, (), depth) for one in members]
    chosen = [choice for node in nodes if node["kind"] == "choice" for choice in node["choices"]]
    tables = [f"{{{node['fields'][0]['key']}: …}}" for node in nodes if node["kind"] == "record"]
    if chosen and tables:
        return {"kind": "text", "hint": " or ".join([*chosen, *tables])}
    return next((one for one in nodes if one["kind"] in ("text", "words", "choice")), nodes[0])


def _list(entries: tuple[Any, ...], depth: int) -> Node:
    """The node of a list: of records and of vectors one by one, of a fixed number of numbers as a vector."""
    nodes = [_node(entry, (), depth) for entry in entries if entry is not Ellipsis]
    if Ellipsis in entries:
        return {"kind": "list", "of": nodes[0]} if nodes[0]["kind"] in ("record", "variants", "vector") else _SEVERAL
    numbers = all(node["kind"] == "text" and node.get("word") for node in nodes)
    return {"kind": "vector", "hints": [node["hint"] for node in nodes]} if numbers else _SEVERAL


def _notes(record: type[Record]) -> dict[str, str]:
    """What the source says beside each field: meaning and unit."""
    found: dict[str, str] = {}
    for cls in reversed(record.__mro__):
        if not (issubclass(cls, Record) and cls is not Record):
            continue
        try:
            source = inspect.getsource(cls)
        except OSError:  # a program without its sources
            continue
        found |= dict(re.findall(r"^    (\w+): .*?  # (.+)$", source, re.MULTILINE))
    return found
