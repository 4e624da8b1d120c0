"""A capsule on a half space."""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_plane


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The lowest points of its two ends."""
    r, half = a.shape.radius, a.shape.length / 2  # type: ignore[attr-defined]
    ends = [a.at(ca.vertcat(0, 0, side * half)) for side in (-1, 1)]
    return [ball_on_plane(end, r, b, radius=r, lever=r) for end in ends]
