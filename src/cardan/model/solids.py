"""Solids of uniform density: volume, centre and inertia of one shape, mass properties of several.

Source: closed forms and parallel axes: Meriam, Kraige & Bolton, Dynamics, app. D
"""

from collections.abc import Sequence
from typing import Any

import casadi as ca

from cardan.frozen import dataclass


@dataclass(frozen=True)
class Solid:
    """A solid of density 1 in the axes of its shape."""

    volume: Any  # [m³]
    centre: Any  # centre of volume (3,) [m]
    tensor: Any  # inertia about the centre per density (3×3) [m⁵]


@dataclass(frozen=True)
class MassProperties:
    """Mass, centre of mass and inertia of a body."""

    mass: Any  # [kg]
    com: Any  # centre of mass in body axes (3,) [m]
    tensor: Any  # about the centre of mass, body axes (3×3) [kg m²]


def assembled(parts: Sequence[MassProperties]) -> MassProperties:
    """Mass properties of `parts` that move as one: masses add up, inertias by the theorem of parallel axes."""
    if len(parts) == 1:
        return parts[0]  # its own centre exactly, also in symbols
    mass = sum(part.mass for part in parts)
    com = sum((part.mass * part.com for part in parts), ca.DM(3, 1)) / mass
    tensor = ca.DM(3, 3)
    for part in parts:
        d = part.com - com
        tensor = tensor + part.tensor + part.mass * (ca.dot(d, d) * ca.DM.eye(3) - d @ d.T)
    return MassProperties(mass, com, tensor)
