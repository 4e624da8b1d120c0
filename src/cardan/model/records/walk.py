"""What a model consists of, with the path that leads to it: its elements, its frames, and the scalars of a record."""

from collections.abc import Iterator
from typing import Any

from cardan.errors import Path
from cardan.model.placement import Placement
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import ModelPart
from cardan.model.records.record import Record
from cardan.model.records.section import Section

ELEMENTS = ("joints", "forces", "constraints", "motors", "graphs", "contacts")
"""Sections of a model that hold elements, in the order in which they are checked."""


def elements(model: Record) -> Iterator[tuple[Path, ModelPart]]:
    """Path and record of every joint, force, constraint, motor, bond graph and contact of a `model`."""
    for section in ELEMENTS:
        for name, element in getattr(model, section).items():
            yield (section, name), element


def placements(model: Record) -> Iterator[tuple[Path, Placement]]:
    """Path and record of every frame in a `model`: markers, shapes, places given on the spot, initial attitudes."""
    for section in ("ground", "bodies", *ELEMENTS, "initial"):
        yield from _placements(getattr(model, section), (section,))


def _placements(value: Any, path: Path) -> Iterator[tuple[Path, Placement]]:
    if isinstance(value, Placement):
        yield path, value
        return
    for key, entry in _entries(value):
        yield from _placements(entry, (*path, key))


def scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, Scalar]]:
    """Path and scalar, for all scalars in a record, section or tuple, in the order of the fields."""
    if isinstance(value, Scalar):
        yield path, value
        return
    for key, entry in _entries(value):
        yield from scalars(entry, (*path, key))


def _entries(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, Record):
        return ((name, getattr(value, name)) for name in type(value).model_fields)
    if isinstance(value, Section):
        return iter(value.items())
    return iter(enumerate(value)) if isinstance(value, tuple) else iter(())
