"""Equations that close a loop: building blocks that the joints put together.

Source: docs/notation.md §5; Haug 1989, §9.4
"""

from dataclasses import field
from math import pi
from typing import Any

import casadi as ca

from cardan.frozen import dataclass

Number = Any  # casadi.SX or casadi.DM

_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Frames:
    """The two joint frames of a cut joint, in the frame of a body that carries both: the world if none is given."""

    R_P: Number  # axes of the parent joint frame (3×3)
    p_P: Number  # its origin (3,) [m]
    R_C: Number  # axes of the child joint frame (3×3)
    p_C: Number  # its origin (3,) [m]
    R_W: Number = field(default_factory=lambda: ca.DM.eye(3))  # axes of that body in the world (3×3)

    @property
    def gap(self) -> Number:
        """Parent point − child point (3,) [m], world axes."""
        return self.R_W @ (self.p_P - self.p_C)

    @property
    def offset(self) -> Number:
        """Parent point − child point (3,) [m], axes of the parent joint frame."""
        return self.R_P.T @ (self.p_P - self.p_C)

    @property
    def relative(self) -> Number:
        """R_PC (3×3): the child's axes in the parent's."""
        return self.R_P.T @ self.R_C


@dataclass(frozen=True)
class Row:
    """One equation Φ = 0 and the reaction component that enforces it."""

    component: str  # "force along x", "moment about y of the joint"
    expression: Number  # [m] or [rad]
    divisor: str = ""  # the multiplier is the component over this, "twice its length"; empty where they are equal


def coincident(frames: Frames) -> list[Row]:
    """Both origins at one point: three rows in world axes."""
    return [Row(f"force along {_AXES[i]}", frames.gap[i]) for i in range(3)]


def coincident_in_plane(frames: Frames, normal: Number) -> list[Row]:
    """Both origins at one point of the plane: the two rows in the world axes that span it."""
    return [row for i, row in enumerate(coincident(frames)) if not float(normal[i])]


def across(frames: Frames, axes: tuple[int, ...]) -> list[Row]:
    """No offset along some `axes` (0, 1, 2 for x, y, z) of the parent joint frame: a row each."""
    return [Row(f"force along {_AXES[i]} of the joint", frames.offset[i]) for i in axes]


def across_in_plane(frames: Frames, normal: Number) -> list[Row]:
    """No offset across the joint's axis in the plane: one row."""
    return [Row("force across the axis", ca.dot(ca.cross(normal, frames.R_W @ frames.R_P[:, 2]), frames.gap))]


def threaded(frames: Frames, lead: Number) -> list[Row]:
    """The child turned by 2π/lead per advance along the axis: one row, smooth around every thread.

    With parallel axes, R₁₀ − R₀₁ and R₀₀ + R₁₁ are twice the sine and cosine of the child's turn; the row is lead/2π
    times what the turn lacks to the nearest thread. (Its sine would vanish half a turn away from a thread as well.)
    """
    R = frames.relative
    due = -2 * pi / lead * frames.offset[2]
    s, c = R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]
    lacking = ca.atan2(s * ca.cos(due) - c * ca.sin(due), c * ca.cos(due) + s * ca.sin(due))
    return [Row("force along z of the joint", lead / (2 * pi) * lacking)]


def aligned(frames: Frames) -> list[Row]:
    """Parallel joint axes: the child's z stands across the parent's x and y."""
    z_P = frames.relative[:, 2]
    return [Row("moment about y of the joint", z_P[0]), Row("moment about x of the joint", -z_P[1])]


def turned(frames: Frames) -> list[Row]:
    """Equal axes: the rotation vector of the child against the parent vanishes, to first order."""
    R = frames.relative
    pairs = ((2, 1), (0, 2), (1, 0))
    return [Row(f"moment about {_AXES[i]} of the joint", 0.5 * (R[a, b] - R[b, a])) for i, (a, b) in enumerate(pairs)]


def turned_in_plane(frames: Frames, normal: Number) -> list[Row]:
    """No rotation in the plane: one row."""
    R = frames.R_C @ frames.R_P.T
    vector = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return [Row("moment in the plane", 0.5 * ca.dot(normal, frames.R_W @ vector))]
