"""Points and a sphere."""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_ball


def touches(a: Placed, b: Placed) -> list[Touch]:
    """All points."""
    r = b.shape.radius  # type: ignore[attr-defined]
    return [ball_on_ball(a.at(ca.vertcat(*point)), 0, b.p, r) for point in a.shape.points]  # type: ignore[attr-defined]
