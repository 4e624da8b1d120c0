"""Points on a half space."""

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_plane


def touches(a: Placed, b: Placed) -> list[Touch]:
    """All its points."""
    return [ball_on_plane(a.at(ca.vertcat(*point)), 0, b) for point in a.shape.points]  # type: ignore[attr-defined]
