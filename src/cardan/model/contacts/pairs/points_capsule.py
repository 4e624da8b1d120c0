"""Points and a capsule."""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_ball, nearest_on_axis


def touches(a: Placed, b: Placed) -> list[Touch]:
    """All points."""
    points = [a.at(ca.vertcat(*point)) for point in a.shape.points]  # type: ignore[attr-defined]
    return [ball_on_ball(p, 0, nearest_on_axis(b, p), b.shape.radius) for p in points]  # type: ignore[attr-defined]
