"""The bilinear form that makes the Coriolis matrix Christoffel's: the Levi-Civita connection of one rigid body.

Source: Echeandia & Wensing 2021, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems", eq. 11
"""

from __future__ import annotations

from typing import Any

from cardan.spatial.motion import cross_force, cross_force_of, cross_motion

__all__ = ["connection"]

Number = Any  # casadi.SX or casadi.DM


def connection(I: Number, V: Number) -> Number:
    """B(I, V) = ½ ([V×*] I + [I V ×̄*] − I [V×]) (6×6); C = Σ Jᵀ (I J̇ + B J) then has Ṁ − 2C skew."""
    return 0.5 * (cross_force(V) @ I + cross_force_of(I @ V) - I @ cross_motion(V))
