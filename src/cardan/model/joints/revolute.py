"""Revolute joint: rotation by q about an axis fixed in both bodies.   Source: docs/notation.md §3; Featherstone 2008, Table 4.1"""

from __future__ import annotations

from typing import Literal

import casadi as ca

from cardan.model.joints.joint import AxisJoint, Number
from cardan.spatial.inertia import Inertia
from cardan.spatial.rotations import rotation_z
from cardan.spatial.transforms import pose

__all__ = ["Revolute"]


class Revolute(AxisJoint):
    """Rotation about `axis`."""

    type: Literal["revolute"] = "revolute"

    coordinates = (("", "rad"),)
    velocities = (("", "rad/s"),)

    def transform(self, q: Number) -> Number:
        return pose(rotation_z(q), ca.DM(3, 1))

    def subspace(self, q: Number) -> Number:
        return ca.sparsify(ca.DM([0, 0, 1, 0, 0, 0]))

    def split_inertia(self, J: Inertia) -> tuple[Inertia, Inertia]:
        """The mass, its distance along the axis and an inertia round about the axis go to the parent (ibid., eq. 9.37)."""
        zero, I_yy = ca.DM(1, 1), J.I[1, 1]
        round_part = ca.diag(ca.vertcat(I_yy, I_yy, zero))
        moved = Inertia(J.m, ca.vertcat(zero, zero, J.h[2]), round_part)
        I_kept = ca.blockcat(
            [[J.I[0, 0] - I_yy, J.I[1, 0], J.I[2, 0]], [J.I[1, 0], zero, J.I[2, 1]], [J.I[2, 0], J.I[2, 1], J.I[2, 2]]]
        )
        return Inertia(zero, ca.vertcat(J.h[0], J.h[1], zero), I_kept), moved
