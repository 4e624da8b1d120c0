"""Dimensions and units as they most likely are, for tables of results: bare factors count as numbers without unit.

Nothing is refused by them; what stays open has no unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cardan.errors import ModelError
from cardan.model.dimensions import infer
from cardan.model.names import carrying, coordinates, motion_units
from cardan.model.parameters import in_order_of_use
from cardan.model.scalar import Scalar
from cardan.model.units import DIMENSIONLESS, Dimension, read_unit

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["coordinate_units", "likely_dimension", "likely_dimensions"]

Known = Dimension | None


def likely_dimension(scalar: Scalar, dimension_of: Callable[[str], Known]) -> Known:
    """The dimension of a `scalar`, whose names have those that `dimension_of` gives; None where it stays open."""
    if scalar.expression is None:
        return scalar.dimension
    try:
        strict = infer(scalar.expression, dimension_of)
        return infer(scalar.expression, dimension_of, plain_factors=True) if strict is None else strict
    except ModelError:  # bare numbers may stand for factors with a unit
        return None


def likely_dimensions(model: Model) -> dict[str, Known]:
    """The dimension of everything that an expression of the `model` may name, parameters included."""
    known: dict[str, Known] = {
        name: (DIMENSIONLESS if unit == "1" else read_unit(unit).dimension) if unit else None
        for name, unit in motion_units(model).items()
    }
    found: dict[str, Known] = {}
    for name in in_order_of_use(model.parameters):
        found[name] = likely_dimension(model.parameters[name], found.get)
    return {**known, **found}


def coordinate_units(model: Model) -> dict[str, str]:
    """Unit of every coordinate that the `model` defines instead of the joints': `{"rod": "rad"}`.

    Example
    -------
    >>> import cardan
    >>> hinge = {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y"}
    >>> arm = cardan.Model(bodies={"arm": {"mass": 1}}, joints={"hinge": hinge}, coordinates={"lean": "pi/2 - hinge"})
    >>> coordinate_units(arm)
    {'lean': 'rad'}
    """
    known, units = likely_dimensions(model), coordinates(carrying(model))
    return {name: _unit(scalar, known, units) for name, scalar in model.coordinates.items()}


def _unit(scalar: Scalar, known: Mapping[str, Known], units: Mapping[str, str]) -> str:
    """The unit of the joints' coordinates in it, if its dimension is theirs."""
    dimension = likely_dimension(scalar, known.get)
    used = {units[name] for name in (name.removesuffix(".q") for name in scalar.names) if name in units}
    return next((unit for unit in sorted(used) if dimension == read_unit(unit).dimension), "")
