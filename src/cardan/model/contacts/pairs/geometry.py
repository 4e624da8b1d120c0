"""What pairs of shapes share: shapes placed in the world, points where they touch, balls on planes and balls."""

from __future__ import annotations

from typing import Any

import casadi as ca

from cardan.frozen import dataclass, replace
from cardan.model.shapes import Shape
from cardan.numerics.round_off import TINY

Number = Any  # casadi.SX or casadi.DM


@dataclass(frozen=True)
class Placed:
    """A shape, its scalars resolved, with the place of its own axes in the world."""

    shape: Shape
    R: Number  # its axes (3×3)
    p: Number  # its origin (3,) [m]

    def at(self, r: Number) -> Number:
        """The point r (3,) of the shape in the world."""
        return self.p + self.R @ r


@dataclass(frozen=True)
class Touch:
    """Where two shapes are nearest to each other."""

    gap: Number  # distance, negative where they overlap [m]
    normal: Number  # unit vector (3,) from the second shape to the first, world axes
    point: Number  # (3,) in the middle between them, world axes [m]
    radius: Number = 0.0  # relative radius of curvature; 0 at corners and edges [m]
    lever: Number = 0.0  # radius on which it rolls [m]

    def turned_round(self) -> Touch:
        """The same with the other shape as the first one."""
        return replace(self, normal=-self.normal)


def ball_on_plane(centre: Number, r: Number, plane: Placed, *, radius: Number = 0.0, lever: Number = 0.0) -> Touch:
    """A ball of radius r, or a point, above a half space."""
    n = plane.R[:, 2]
    gap = ca.dot(n, centre - plane.p) - r
    return Touch(gap, n, centre - (r + gap / 2) * n, radius, lever)


def ball_on_ball(c_A: Number, r_A: Number, c_B: Number, r_B: Number) -> Touch:
    """Two balls, one of which may be a point."""
    d = c_A - c_B
    distance = length_of(d)
    n = d / distance
    radius = r_A * r_B / (r_A + r_B)
    return Touch(distance - r_A - r_B, n, (c_A - r_A * n + c_B + r_B * n) / 2, radius, radius)


def ball_in_bowl(centre: Number, r: Number, bowl: Placed) -> Touch:
    """A ball of radius r, or a point, inside a hollow sphere."""
    R = bowl.shape.radius  # type: ignore[attr-defined]
    d = bowl.p - centre
    distance = length_of(d)
    gap, n = R - distance - r, d / distance
    radius = r * R / (R - r)
    return Touch(gap, n, centre - (r + gap / 2) * n, radius, radius)


def ball_on_box(centre: Number, r: Number, box: Placed) -> Touch:
    """A ball of radius r, or a point, at a box: at the nearest face, edge or corner, also from inside."""
    half = ca.vertcat(*box.shape.size) / 2  # type: ignore[attr-defined]
    c = box.R.T @ (centre - box.p)
    d = c - clamped(c, half)
    distance, is_outside = length_of(d), ca.dot(d, d) > 0
    depths = half - ca.fabs(c)
    least = ca.mmin(depths)
    face, taken = list[Number](), ca.DM(0)
    for k in range(3):
        is_face = ca.logic_and(depths[k] == least, ca.logic_not(taken))
        face.append(ca.if_else(is_face, ca.if_else(c[k] < 0, -1, 1), 0))
        taken = ca.logic_or(taken, is_face)
    n = box.R @ ca.if_else(is_outside, d / distance, ca.vertcat(*face))
    gap = ca.if_else(is_outside, distance, -least) - r
    return Touch(gap, n, centre - (r + gap / 2) * n, r, r)


def ball_on_cylinder(centre: Number, r: Number, cylinder: Placed) -> Touch:
    """A ball of radius r, or a point, at a cylinder: at its side, an end or a rim, also from inside."""
    R, half = cylinder.shape.radius, cylinder.shape.length / 2  # type: ignore[attr-defined]
    c = cylinder.R.T @ (centre - cylinder.p)
    across = length_of(c[:2])
    out = c[:2] / across
    beside, beyond = across - R, ca.fabs(c[2]) - half
    side, end = ca.fmax(beside, 0), ca.fmax(beyond, 0)
    distance, is_outside = length_of(ca.vertcat(side, end)), side + end > 0
    up, is_side = ca.if_else(c[2] < 0, -1, 1), beside >= beyond
    s = ca.if_else(is_outside, side / distance, is_side)
    e = ca.if_else(is_outside, end / distance, ca.logic_not(is_side))
    gap = ca.if_else(is_outside, distance, ca.fmax(beside, beyond)) - r
    n = cylinder.R @ ca.vertcat(s * out, e * up)
    return Touch(gap, n, centre - (r + gap / 2) * n, r, r)


def nearest_on_axis(capsule: Placed, p: Number) -> Number:
    """The point (3,) of the axis of a capsule that is nearest to p (3,)."""
    axis = capsule.R[:, 2]
    return capsule.p + clamped(ca.dot(axis, p - capsule.p), capsule.shape.length / 2) * axis  # type: ignore[attr-defined]


def clamped(x: Number, half: Number) -> Number:
    """The nearest number to x between −half and half, entry by entry."""
    return ca.fmin(ca.fmax(x, -half), half)


def lowest_direction(axis: Number, n: Number) -> Number:
    """Unit vector (3,) at right angles to an axis, away from the normal n; zero where both are parallel."""
    down = ca.dot(n, axis) * axis - n
    return down / length_of(down)


def length_of(v: Number) -> Number:
    """|v| of a vector, with derivatives at zero."""
    return ca.sqrt(ca.dot(v, v) + TINY)
