"""Where a frame is and how it is turned, in one of four ways to write a rotation.   Source: docs/notation.md §2"""

from typing import Any, Self

import casadi as ca
from pydantic import model_validator

from cardan.errors import ModelError
from cardan.model.quantities.fields import Angle, Direction, Number, Position, direction_issue
from cardan.model.records.record import ZERO, Record
from cardan.numerics.round_off import SIX_DIGITS
from cardan.spatial.rotations import from_axis_angle, from_quaternion, from_rpy, snap
from cardan.spatial.transforms import pose

_Row = tuple[Number, Number, Number]

_WAYS = ("rpy", "rotation", "quaternion", "axis_angle")


class AxisAngle(Record):
    """Rotation by `angle` about `axis`."""

    axis: Direction
    angle: Angle  # [rad]


class Placement(Record):
    """A frame in another one: the position of its origin, and its axes turned in one of four ways."""

    position: Position = (ZERO, ZERO, ZERO)  # [m]
    rpy: tuple[Angle, Angle, Angle] | None = None  # roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll) [rad]
    rotation: tuple[_Row, _Row, _Row] | None = None  # matrix whose columns are this frame's axes
    quaternion: tuple[Number, Number, Number, Number] | None = None  # (w, x, y, z), of any length
    axis_angle: AxisAngle | None = None  # one turn about one axis

    @model_validator(mode="after")
    def _check(self) -> Self:
        used = [way for way in _WAYS if getattr(self, way) is not None]
        if len(used) > 1:
            raise ModelError(f"the orientation is given in {len(used)} ways: {', '.join(used)}", "keep one of them")
        return self

    def orientation(self) -> Any:
        """R (3×3): columns are this frame's axes; entries within rounding of 0 and ±1 are exact."""
        if self.rpy is not None:
            return snap(from_rpy(ca.vertcat(*self.rpy)))
        if self.rotation is not None:
            return snap(ca.vertcat(*(ca.horzcat(*row) for row in self.rotation)))
        if self.quaternion is not None:
            return snap(from_quaternion(ca.vertcat(*self.quaternion)))
        if self.axis_angle is not None:
            return snap(from_axis_angle(ca.vertcat(*self.axis_angle.axis), self.axis_angle.angle))
        return ca.DM.eye(3)

    def transform(self) -> Any:
        """T (4×4) that maps coordinates of this frame into the other one; for a record whose scalars are resolved."""
        return pose(self.orientation(), ca.vertcat(*self.position))

    def check_orientation(self) -> None:
        """Refuse an orientation that is none, in a record whose scalars are resolved to floats."""
        if self.quaternion is not None and not any(self.quaternion):
            raise ModelError("the quaternion has length 0", "write [1, 0, 0, 0] for no rotation").under("quaternion")
        if self.axis_angle is not None and (issue := direction_issue(self.axis_angle.axis)) is not None:
            raise ModelError(issue.under("axis_angle", "axis"))
        if self.rotation is not None:
            _check_matrix(ca.DM([[float(entry) for entry in row] for row in self.rotation]))


def _check_matrix(R: ca.DM) -> None:
    error = float(ca.norm_inf(ca.reshape(R @ R.T - ca.DM.eye(3), 9, 1)))
    if error > SIX_DIGITS:
        cure = "its columns are the frame's axes: unit vectors at right angles"
        raise ModelError(f"the rotation matrix is not orthonormal: R Rᵀ differs from 1 by {error:.2g}", cure).under(
            "rotation"
        )
    if float(ca.det(R)) < 0:
        cure = "turn one axis round, so that z = x × y"
        raise ModelError("the rotation matrix is a reflection: its determinant is −1", cure).under("rotation")
