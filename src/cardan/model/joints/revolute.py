"""Revolute joint: rotation by q about an axis fixed in both bodies.

Source: docs/notation.md §3; Featherstone 2008, Table 4.1
"""

from typing import Literal

import casadi as ca
import numpy as np

from cardan.model.joints import closure, contact
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import AxisJoint, Number
from cardan.model.plane import Plane
from cardan.model.records.element import ValueOf
from cardan.spatial.inertia import Inertia, symmetric
from cardan.spatial.rotations import rotation_z
from cardan.spatial.transforms import pose


class Revolute(AxisJoint):
    """Rotation about `axis`."""

    type: Literal["revolute"] = "revolute"

    coordinates = (("", "rad"),)
    velocities = (("", "rad/s"),)
    contact_keys = (("radius", True), ("length", False))

    def transform(self, q: Number) -> Number:
        return pose(rotation_z(q), ca.DM(3, 1))

    def subspace(self, q: Number) -> Number:
        return ca.sparsify(ca.DM([0, 0, 1, 0, 0, 0]))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Of a journal in its bearing: the friction circle has the radius coefficient × radius."""
        assert self.friction is not None
        return contact.across(f, n, self.friction.length)

    @property
    def contact_arm(self) -> Number:
        assert self.friction is not None
        return self.friction.radius

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """Mass, its distance along the axis and its second moment along it go to the parent: what lies on the axis."""
        zero, J = ca.DM(1, 1), P.J
        moved = Inertia(P.m, ca.vertcat(zero, zero, P.h[2]), ca.diag(ca.vertcat(zero, zero, J[2, 2])))
        J_kept = symmetric(J[0, 0], J[1, 1], zero, J[1, 0], J[2, 0], J[2, 1])
        return Inertia(zero, ca.vertcat(P.h[0], P.h[1], zero), J_kept), moved

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.coincident(frames), *closure.aligned(frames)]

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row]:
        return closure.coincident_in_plane(frames, normal)

    def planar_fault(self, plane: Plane, R_WM: np.ndarray, value_of: ValueOf) -> str:
        upright = plane.is_normal_to(self.direction(R_WM, value_of))
        return "" if upright else "the axis does not stand at right angles to"
