"""Planar joint: translation x, y in and rotation rz about the normal of the xy plane of the parent marker.

Source: docs/notation.md §3; Featherstone 2008, Table 4.1 (there with rotation first)
"""

from collections.abc import Iterator
from typing import Literal

import casadi as ca
import numpy as np

from cardan.errors import Issue
from cardan.model.joints import closure
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.model.plane import Plane
from cardan.model.records.element import AxesOf, ValueOf
from cardan.spatial.rotations import rotation_z
from cardan.spatial.transforms import pose


class Planar(Joint):
    """Motion in the xy plane of the parent marker; x and y are the child marker's origin there."""

    type: Literal["planar"] = "planar"

    coordinates = ((".x", "m"), (".y", "m"), (".rz", "rad"))
    velocities = ((".x", "m/s"), (".y", "m/s"), (".rz", "rad/s"))
    sliding_unit = "m/s"
    planar_cure = "turn the z of both markers to its normal, such as by rpy: [90 deg, 0, 0] in the plane xz"

    def transform(self, q: Number) -> Number:
        return pose(rotation_z(q[2]), ca.vertcat(q[0], q[1], ca.DM(1, 1)))

    def subspace(self, q: Number) -> Number:
        return _subspace(ca.cos(q[2]), ca.sin(q[2]), turn=ca.sparsify(ca.DM([0, 0, 1, 0, 0, 0])))

    def subspace_rate(self, q: Number, v: Number) -> Number:
        return _subspace(-ca.sin(q[2]) * v[2], ca.cos(q[2]) * v[2], turn=ca.DM(6, 1))

    def sliding(self) -> Number:
        """Velocity of the child marker's origin in the plane; spin does not rub."""
        return ca.horzcat(ca.DM(2, 3), ca.sparsify(ca.DM([[1, 0, 0], [0, 1, 0]])))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """The force along the normal."""
        return [f[2]]

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.across(frames, (2,)), *closure.aligned(frames)]

    def upright(self, frames: Frames) -> Number:
        return frames.relative[2, 2]

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row]:
        return []

    def planarity_issues(self, plane: Plane, axes_of: AxesOf, value_of: ValueOf) -> Iterator[Issue]:
        yield from Joint.planarity_issues(self, plane, axes_of, value_of)
        if self.friction is not None and self.friction.follows_load:
            fault = f"friction follows the load along the normal of the plane {plane.name}, which has no such loads"
            yield Issue(fault, "give effort: in place of coefficient:, or leave planar out", ("friction",))

    def planar_fault(self, plane: Plane, R_WM: np.ndarray, value_of: ValueOf) -> str:
        return "" if plane.is_normal_to(R_WM[:, 2]) else "the joint does not move in"


def _subspace(c: Number, s: Number, turn: Number) -> Number:
    """Columns for ẋ and ẏ, turned back by rz, and for the rotation."""
    zero = ca.DM(1, 1)
    return ca.horzcat(ca.vertcat(ca.DM(3, 1), c, -s, zero), ca.vertcat(ca.DM(3, 1), s, c, zero), turn)
