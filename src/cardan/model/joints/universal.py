"""Universal joint: rotation r1 about an axis of the parent, then r2 about a perpendicular axis of the child.

Source: docs/notation.md §3; Shabana 2020, §3.3 (Hooke joint)
"""

from __future__ import annotations

from typing import Literal

import casadi as ca

from cardan.model.joints import closure
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.model.quantities import Direction
from cardan.spatial.rotations import align_zx, rotation_x, rotation_z
from cardan.spatial.transforms import pose

__all__ = ["Universal"]


class Universal(Joint):
    """Rotation about `axes[0]` (parent marker) and about `axes[1]` (child marker), perpendicular at q = 0."""

    type: Literal["universal"] = "universal"
    axes: tuple[Direction, Direction]

    coordinates = ((".r1", "rad"), (".r2", "rad"))
    velocities = ((".r1", "rad/s"), (".r2", "rad/s"))

    def alignment(self) -> Number:
        return align_zx(ca.vertcat(*self.axes[0]), ca.vertcat(*self.axes[1]))

    def transform(self, q: Number) -> Number:
        return pose(rotation_z(q[0]) @ rotation_x(q[1]), ca.DM(3, 1))

    def subspace(self, q: Number) -> Number:
        first = ca.vertcat(ca.DM(1, 1), ca.sin(q[1]), ca.cos(q[1]), ca.DM(3, 1))
        return ca.horzcat(first, ca.sparsify(ca.DM([1, 0, 0, 0, 0, 0])))

    def subspace_rate(self, q: Number, v: Number) -> Number:
        first = ca.vertcat(ca.DM(1, 1), ca.cos(q[1]) * v[1], -ca.sin(q[1]) * v[1], ca.DM(3, 1))
        return ca.horzcat(first, ca.DM(6, 1))

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.coincident(frames), closure.Row("moment about z × x of the joint", frames.relative[2, 0])]
