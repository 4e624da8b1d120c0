"""Cylindrical joint: translation d along and rotation r about one axis.

Source: docs/notation.md §3; Featherstone 2008, Table 4.1
"""

from typing import Literal

import casadi as ca

from cardan.model.joints import closure, contact
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import AxisJoint, Number
from cardan.spatial.rotations import rotation_z
from cardan.spatial.transforms import pose


class Cylindrical(AxisJoint):
    """Translation along and rotation about `axis`."""

    type: Literal["cylindrical"] = "cylindrical"

    coordinates = ((".d", "m"), (".r", "rad"))
    velocities = ((".d", "m/s"), (".r", "rad/s"))
    contact_keys = (("radius", True), ("length", False))
    sliding_keys = ("radius",)
    sliding_unit = "m/s"

    def transform(self, q: Number) -> Number:
        zero = ca.DM(1, 1)
        return pose(rotation_z(q[1]), ca.vertcat(zero, zero, q[0]))

    def subspace(self, q: Number) -> Number:
        return ca.sparsify(ca.DM([[0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0]]))

    def sliding(self) -> Number:
        """Of the surface of the sleeve: radius × angular velocity round it, and the velocity along it."""
        assert self.friction is not None
        zero = ca.DM(1, 1)
        round_it = ca.horzcat(zero, zero, self.friction.radius, zero, zero, zero)
        return ca.vertcat(round_it, ca.sparsify(ca.DM([[0, 0, 0, 0, 0, 1]])))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Of a rod in its sleeve."""
        assert self.friction is not None
        return contact.across(f, n, self.friction.length)

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.across(frames, (0, 1)), *closure.aligned(frames)]
