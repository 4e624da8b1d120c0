"""Prismatic joint: translation by q along an axis fixed in both bodies.

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
from cardan.spatial.inertia import Inertia
from cardan.spatial.transforms import pose


class Prismatic(AxisJoint):
    """Translation along `axis`."""

    type: Literal["prismatic"] = "prismatic"

    coordinates = (("", "m"),)
    velocities = (("", "m/s"),)
    contact_keys = (("length", False),)

    def transform(self, q: Number) -> Number:
        zero = ca.DM(1, 1)
        return pose(ca.DM.eye(3), ca.vertcat(zero, zero, q))

    def subspace(self, q: Number) -> Number:
        return ca.sparsify(ca.DM([0, 0, 0, 0, 0, 1]))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Of a carriage on its guide, which a moment tilts."""
        assert self.friction is not None
        return contact.across(f, n, self.friction.length)

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """The second moments go to the parent, which has the same angular velocity (Khalil & Dombre 2002, eq. 9.40)."""
        return Inertia(P.m, P.h, ca.DM(3, 3)), Inertia(ca.DM(1, 1), ca.DM(3, 1), P.J)

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.across(frames, (0, 1)), *closure.turned(frames)]

    def upright(self, frames: Frames) -> Number:
        return ca.trace(frames.relative)

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row]:
        return [*closure.across_in_plane(frames, normal), *closure.turned_in_plane(frames, normal)]

    def planar_fault(self, plane: Plane, R_WM: np.ndarray, value_of: ValueOf) -> str:
        return "" if plane.contains(self.direction(R_WM, value_of)) else "the axis does not lie in"
