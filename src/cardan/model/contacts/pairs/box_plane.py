"""A box on a half space."""

from itertools import product

import casadi as ca

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_plane


def touches(a: Placed, b: Placed) -> list[Touch]:
    """Its eight corners."""
    x, y, z = a.shape.size  # type: ignore[attr-defined]
    corners = [ca.vertcat(i * x / 2, j * y / 2, k * z / 2) for i, j, k in product((-1, 1), repeat=3)]
    return [ball_on_plane(a.at(corner), 0, b) for corner in corners]
