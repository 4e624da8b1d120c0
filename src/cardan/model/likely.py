"""Units that results most likely have: a bare factor counts as a number without unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cardan.model.names import carrying, coordinates, motion_units
from cardan.model.quantities.dimensions import Known, likely_dimension
from cardan.model.quantities.lets import needed
from cardan.model.quantities.parameters import in_order_of_use
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import JOULE, WATT, dimension_of, short_unit

if TYPE_CHECKING:
    from cardan.model.model import Model


def likely_dimensions(model: Model) -> dict[str, Known]:
    """The dimension of everything that an expression of the `model` may name, parameters included."""
    known: dict[str, Known] = {name: dimension_of(unit) for name, unit in motion_units(model).items()}
    found: dict[str, Known] = {}
    for name in in_order_of_use(model.parameters):
        found[name] = likely_dimension(model.parameters[name], found.get)
    known |= found
    for name in needed(model.let, model.let):
        known[name] = likely_dimension(model.let[name], known.get)
    return known


def multiplier_units(model: Model) -> Callable[[str, int], str]:
    """Function (constraint, index) → unit of the multiplier of its equation number `index`; empty where it stays open.

    A multiplier is energy per unit of its equation: a coupling of angles carries a torque, one of lengths a force. That
    of an equation on velocities is power per unit of it.

    Example
    -------
    >>> import cardan
    >>> slide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}
    >>> stop = {"type": "expression", "expression": "x - a"}
    >>> parts = {"parameters": {"a": "1 m"}, "bodies": {"cart": {"mass": 1}}, "joints": {"x": slide}}
    >>> multiplier_units(cardan.Model(**parts, constraints={"stop": stop}))("stop", 0)
    'N'
    """
    known = likely_dimensions(model) if model.constraints else {}

    def unit(name: str, index: int) -> str:
        record = model.constraints[name]
        dimension = record.equation_dimension(index, known)
        if dimension is None:
            return ""
        effort = (WATT if record.on_velocity else JOULE).times(dimension, -1)
        return short_unit(effort)

    return unit


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
    return next((unit for unit in sorted(used) if dimension == dimension_of(unit)), "")
