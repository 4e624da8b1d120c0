"""Units of the multipliers of constraints: energy per unit of the equation.

A coupling of angles carries a torque, one of lengths a force; an equation on velocities, power per unit of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cardan.model.constraints import Coupler, Distance, ExpressionConstraint, PointOnCurve
from cardan.model.constraints.constraint import Constraint
from cardan.model.likely import likely_dimension, likely_dimensions
from cardan.model.units import JOULE, METRE, NEWTON, WATT, Dimension

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["multiplier_units"]

Known = Dimension | None

_WORDS = {NEWTON: "N", JOULE: "N*m", NEWTON.times(METRE, -1): "N/m"}


def multiplier_units(model: Model) -> dict[str, tuple[str, ...]]:
    """Unit of the multiplier of every equation of the constraints of the `model`, by name; empty where it stays open.

    Example
    -------
    >>> import cardan
    >>> slide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}
    >>> stop = {"type": "expression", "expression": "x - a"}
    >>> parts = {"parameters": {"a": "1 m"}, "bodies": {"cart": {"mass": 1}}, "joints": {"x": slide}}
    >>> multiplier_units(cardan.Model(**parts, constraints={"stop": stop}))
    {'stop': ('N',)}
    """
    if not model.constraints:
        return {}
    known = likely_dimensions(model)
    return {
        name: tuple(_unit(dimension, record.on_velocity) for dimension in _equations(record, known))
        for name, record in model.constraints.items()
    }


def _equations(record: Constraint, known: Mapping[str, Known]) -> Iterable[Known]:
    """Dimensions of the equations of a constraint; of a point on a line as many as it has in space."""
    if isinstance(record, Coupler):
        return [_coupling(record, known)]
    if isinstance(record, ExpressionConstraint):
        equation = record.velocity if record.expression is None else record.expression
        return [None if equation is None else likely_dimension(equation, known.get)]
    if isinstance(record, PointOnCurve):
        place = {**known, **dict.fromkeys("xyz", METRE)}
        return [likely_dimension(equation, place.get) for equation in record.equations]
    return [METRE.to(2)] if isinstance(record, Distance) else [METRE, METRE]


def _coupling(record: Coupler, known: Mapping[str, Known]) -> Known:
    """That of a term whose factor tells its own, else of those whose factor is one, else of all if they are alike."""
    told, bare, single = set(), set(), set()
    for name, factor in record.terms.items():
        coordinate, own = known.get(name), likely_dimension(factor, known.get)
        if coordinate is None:
            continue
        if own is not None:
            told.add(own.times(coordinate))
        elif factor.value in (1, -1):
            single.add(coordinate)
        else:
            bare.add(coordinate)
    found = told or single or bare
    return found.pop() if len(found) == 1 else None


def _unit(dimension: Known, on_velocity: bool) -> str:
    if dimension is None:
        return ""
    effort = (WATT if on_velocity else JOULE).times(dimension, -1)
    return _WORDS.get(effort, str(effort))
