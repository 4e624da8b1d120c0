"""Kinds of elements of a train, one file each, which is named as the key of the element."""

from cardan.model.drives.elements.element import TrainElement
from cardan.model.records.kinds import Kinds

__all__ = ["ELEMENTS", "TrainElement"]

ELEMENTS = Kinds(
    __name__,
    *("inertia", "shaft", "gear", "friction", "clutch", "torque", "branch", "planetary"),
    brake="friction",
    mass="inertia",
    spring="shaft",
    force="torque",
)
"""All kinds of elements by their keys."""
