"""Names of the bodies and markers that have results of their own, and the vectors among these results."""

from cardan.kinematics.tree import GROUND, Place
from cardan.results.channel import Channel
from cardan.system.system import System

XYZ = ("x", "y", "z")
"""Components of a vector in space."""


def moving_places(system: System) -> dict[str, Place]:
    """Every body and marker of the `system` by name, `com` included: all but the ground."""
    return {name: place for name, place in system.tree.places.items() if place.link != GROUND}


def vector(name: str, unit: str, description: str = "") -> Channel:
    """A vector in space that belongs to a body, with its `name`, `unit` and `description`."""
    return Channel(name, unit, XYZ, "body", description)
