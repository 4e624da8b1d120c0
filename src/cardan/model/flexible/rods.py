"""The rods of a model that is written out: which rigid parts each has, and what bends between them."""

from collections.abc import Mapping
from typing import Any, TypeVar

from cardan.model.body import Body
from cardan.model.place import split

T = TypeVar("T")


def rods(bodies: Mapping[str, Body]) -> dict[str, tuple[str, ...]]:
    """The parts of every rod from its origin on, by the name of the rod, which is that of the first part."""
    after = {body.bends_from: name for name, body in bodies.items() if body.bends_from}
    out = {}
    for first in (name for name in after if not bodies[name].bends_from):
        parts = [first]
        while parts[-1] in after:
            parts.append(after[parts[-1]])
        out[first] = tuple(parts)
    return out


def outside_rods(records: Mapping[str, T], bodies: Mapping[str, Body]) -> dict[str, T]:
    """The joints or forces without those that stand for the bending of a rod."""
    return {name: record for name, record in records.items() if not _bends(record, bodies)}


def _bends(record: Any, bodies: Mapping[str, Body]) -> bool:
    """Whether a joint or force stands where the part of a rod begins, between it and the one before."""
    child, parent = getattr(record, "child", ""), getattr(record, "parent", "")
    part = split(child)[0] if child else ""
    before = bodies[part].bends_from if part in bodies else ""
    return bool(before) and split(parent)[0] == before
