"""Forces where the two parts of a joint touch: what load-dependent friction acts on.

They are linear in the reaction of the joint; the sum of their lengths is the normal load. All stand in the joint frame,
whose z is the joint's axis.   Source: docs/friction.md
"""

from typing import Any

import casadi as ca

Number = Any  # casadi.SX or casadi.DM


def across(f: Number, n: Number, length: Number | None) -> list[Number]:
    """Forces across the axis [N]: one in the middle, or two at the ends of a guide or bearing of some length.

    The ends are length/2 to both sides of the child marker: f₁ + f₂ = f, length/2 e × (f₁ − f₂) = n across the axis e.
    """
    if length is None:
        return [f[:2]]
    half, tilt = f[:2] / 2, ca.vertcat(n[1], -n[0]) / length
    return [half + tilt, half - tilt]


def thread(f: Number, effort: Number, radius: Number, advance: Number) -> Number:
    """Force at right angles to the flank of a thread [N].

    From the force along the axis, N cos α ± F sin α, and the moment of friction F at the radius, ± F radius/cos α, with
    tan α = advance/radius.
    """
    cosine = radius / ca.sqrt(radius**2 + advance**2)
    return f[2] / cosine - effort * advance / radius**2 * cosine
