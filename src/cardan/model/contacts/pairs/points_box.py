"""Points and a box."""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_box


def touches(a: Placed, b: Placed) -> list[Touch]:
    """All points."""
    return [ball_on_box(a.at(ca.vertcat(*point)), 0, b) for point in a.shape.points]  # type: ignore[attr-defined]
