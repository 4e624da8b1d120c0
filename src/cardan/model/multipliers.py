"""Units of the multipliers of equations that have no direction in space: energy per unit of the equation.

A coupling of angles carries a torque, one of lengths a force; an equation on velocities, power per unit of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cardan.errors import ModelError
from cardan.model.constraints import Coupler, ExpressionConstraint
from cardan.model.dimensions import infer
from cardan.model.names import motion_units
from cardan.model.parameters import dimensions
from cardan.model.scalar import Scalar
from cardan.model.units import DIMENSIONLESS, JOULE, NEWTON, WATT, Dimension, read_unit

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["multiplier_units"]

Known = Dimension | None


def multiplier_units(model: Model) -> dict[str, str]:
    """Unit of the multiplier of every coupler and expression of the `model`, by name; empty where it cannot be known.

    Example
    -------
    >>> import cardan
    >>> slide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}
    >>> stop = {"type": "expression", "expression": "x - a"}
    >>> parts = {"parameters": {"a": "1 m"}, "bodies": {"cart": {"mass": 1}}, "joints": {"x": slide}}
    >>> multiplier_units(cardan.Model(**parts, constraints={"stop": stop}))
    {'stop': 'N'}
    """
    general = {name: c for name, c in model.constraints.items() if isinstance(c, Coupler | ExpressionConstraint)}
    if not general:
        return {}
    in_motion = {
        name: DIMENSIONLESS if unit == "1" else read_unit(unit).dimension for name, unit in motion_units(model).items()
    }
    known = {**in_motion, **dimensions(model.parameters)}
    return {name: _unit(_equation(record, known), record.on_velocity) for name, record in general.items()}


def _equation(record: Coupler | ExpressionConstraint, known: Mapping[str, Known]) -> Known:
    """Dimension of an equation."""
    if isinstance(record, Coupler):
        return _coupling(record, known)
    equation = record.velocity if record.expression is None else record.expression
    return None if equation is None else _dimension(equation, known)


def _coupling(record: Coupler, known: Mapping[str, Known]) -> Known:
    """That of a term whose factor tells its own; of the coordinates, where they are alike and no factor does."""
    factors = {name: _dimension(factor, known) for name, factor in record.terms.items()}
    coordinates = {name: known.get(name) for name in record.terms}
    for name, factor in factors.items():
        coordinate = coordinates[name]
        if factor is not None and coordinate is not None:
            return factor.times(coordinate)
    alike = set(coordinates.values())
    return alike.pop() if len(alike) == 1 else None


def _dimension(scalar: Scalar, known: Mapping[str, Known]) -> Known:
    if scalar.expression is None:
        return scalar.dimension
    try:
        return infer(scalar.expression, known.get)
    except ModelError:  # bare numbers may stand for factors with a unit
        return None


def _unit(dimension: Known, on_velocity: bool) -> str:
    if dimension is None:
        return ""
    effort = (WATT if on_velocity else JOULE).times(dimension, -1)
    return {NEWTON: "N", JOULE: "N*m"}.get(effort, str(effort))
