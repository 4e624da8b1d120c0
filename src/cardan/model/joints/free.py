"""Free joint: six degrees of freedom; position and its rate in parent axes, quaternion, angular velocity in child axes.

Source: docs/notation.md §3; Featherstone 2008, §4.3 (six-degree-of-freedom joint)
"""

from typing import Literal

import casadi as ca

from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.spatial.rotations import from_quaternion, quaternion_rate, skew
from cardan.spatial.transforms import pose


class Free(Joint):
    """No constraint at all: a flying body."""

    type: Literal["free"] = "free"

    coordinates = ((".x", "m"), (".y", "m"), (".z", "m"), (".qw", "1"), (".qx", "1"), (".qy", "1"), (".qz", "1"))
    velocities = ((".vx", "m/s"), (".vy", "m/s"), (".vz", "m/s"), (".wx", "rad/s"), (".wy", "rad/s"), (".wz", "rad/s"))
    turning_axes = (".wx", ".wy", ".wz")
    has_rate_coordinates = False

    @property
    def neutral(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def transform(self, q: Number) -> Number:
        return pose(from_quaternion(q[3:]), q[:3])

    def subspace(self, q: Number) -> Number:
        E = from_quaternion(q[3:]).T
        return ca.vertcat(ca.horzcat(ca.DM(3, 3), ca.DM.eye(3)), ca.horzcat(E, ca.DM(3, 3)))

    def subspace_rate(self, q: Number, v: Number) -> Number:
        E = from_quaternion(q[3:]).T
        return ca.vertcat(ca.DM(3, 6), ca.horzcat(-skew(v[3:]) @ E, ca.DM(3, 3)))

    def coordinate_rate(self, q: Number, v: Number) -> Number:
        return ca.vertcat(v[:3], quaternion_rate(q[3:], v[3:]))

    def commutator(self, a: Number, b: Number) -> Number:
        return ca.vertcat(ca.DM(3, 1), ca.cross(a[3:], b[3:]))

    def normalised(self, q: Number) -> Number:
        return ca.vertcat(q[:3], q[3:] / ca.norm_2(q[3:]))

    def closure(self, frames: Frames) -> list[Row]:
        return []

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row]:
        return []
