"""Two capsules.   Source: Ericson 2005, Real-Time Collision Detection, §5.1.9"""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_ball, clamped
from cardan.numerics.round_off import ROUND_OFF_OF_SUM


def touches(a: Placed, b: Placed) -> list[Touch]:
    """One point: where their axes are nearest, in the middle of the first one where they are parallel."""
    half_a, half_b = a.shape.length / 2, b.shape.length / 2  # type: ignore[attr-defined]
    n_A, n_B, d = a.R[:, 2], b.R[:, 2], a.p - b.p
    cosine, along_A, along_B = ca.dot(n_A, n_B), ca.dot(n_A, d), ca.dot(n_B, d)
    crossing = 1 - cosine**2
    s = ca.if_else(crossing > ROUND_OFF_OF_SUM, (cosine * along_B - along_A) / (crossing + ROUND_OFF_OF_SUM), 0)
    t = clamped(cosine * clamped(s, half_a) + along_B, half_b)
    s = clamped(cosine * t - along_A, half_a)
    return [ball_on_ball(a.p + s * n_A, a.shape.radius, b.p + t * n_B, b.shape.radius)]  # type: ignore[attr-defined]
