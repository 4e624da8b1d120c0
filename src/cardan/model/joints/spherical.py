"""Spherical joint: rotation about a point, a unit quaternion with the angular velocity in child axes.

Source: docs/notation.md §3; Featherstone 2008, Table 4.1 and eq. 4.12
"""

from typing import Literal

import casadi as ca

from cardan.model.joints import closure
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.spatial.rotations import from_quaternion, quaternion_rate
from cardan.spatial.transforms import pose


class Spherical(Joint):
    """Free rotation about the marker's origin."""

    type: Literal["spherical"] = "spherical"

    coordinates = ((".qw", "1"), (".qx", "1"), (".qy", "1"), (".qz", "1"))
    velocities = ((".wx", "rad/s"), (".wy", "rad/s"), (".wz", "rad/s"))
    turning_axes = (".wx", ".wy", ".wz")
    has_rate_coordinates = False
    contact_keys = (("radius", True),)
    sliding_unit = "rad/s"

    @property
    def neutral(self) -> tuple[float, ...]:
        return (1.0, 0.0, 0.0, 0.0)

    def transform(self, q: Number) -> Number:
        return pose(from_quaternion(q), ca.DM(3, 1))

    def subspace(self, q: Number) -> Number:
        return ca.vertcat(ca.DM.eye(3), ca.DM(3, 3))

    def coordinate_rate(self, q: Number, v: Number) -> Number:
        return quaternion_rate(q, v)

    def commutator(self, a: Number, b: Number) -> Number:
        return ca.cross(a, b)

    def normalised(self, q: Number) -> Number:
        return q / ca.norm_2(q)

    def sliding(self) -> Number:
        """The relative angular velocity."""
        return ca.horzcat(ca.DM.eye(3), ca.DM(3, 3))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Of a ball in its socket: the whole force."""
        return [f]

    @property
    def contact_arm(self) -> Number:
        """The radius of the ball."""
        assert self.friction is not None
        radius: Number = self.friction.radius
        return radius

    def closure(self, frames: Frames) -> list[Row]:
        return closure.coincident(frames)
