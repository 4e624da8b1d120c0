"""A wheel with a round rim on a half space."""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_plane, lowest_direction


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The lowest point of its rim; a wheel that lies flat is a cylinder.

    Its radii of curvature are that of the wheel and that of the rim: the relative one is their geometric mean.
    """
    R, r = a.shape.radius, a.shape.rim  # type: ignore[attr-defined]
    centre = a.p + (R - r) * lowest_direction(a.R[:, 2], b.R[:, 2])
    return [ball_on_plane(centre, r, b, radius=ca.sqrt(R * r), lever=R)]
