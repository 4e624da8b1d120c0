"""A cylinder on a half space."""

import math

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_plane, lowest_direction
from cardan.numerics.round_off import HALF_THE_DIGITS

_ANGLES = (0.0, 2 * math.pi / 3, -2 * math.pi / 3)


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The lowest point of the rim of each end, on which it rolls, and two more at 120°, on which it stands.

    Three points at equal angles resist tilting alike in all directions; while it stands upright they keep their places.
    """
    r, half, axis = a.shape.radius, a.shape.length / 2, a.R[:, 2]  # type: ignore[attr-defined]
    n = b.R[:, 2]
    leans = ca.norm_2(ca.cross(axis, n)) > HALF_THE_DIGITS  # of the direction of a smaller tilt more is round-off
    down = ca.if_else(leans, lowest_direction(axis, n), a.R[:, 0])
    across = ca.cross(axis, down)
    rim = [r * (ca.cos(angle) * down + ca.sin(angle) * across) for angle in _ANGLES]
    return [ball_on_plane(a.p + side * half * axis + point, 0, b) for side in (-1, 1) for point in rim]
