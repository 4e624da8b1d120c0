"""Universal joint: rotation r1 about an axis of the parent, then r2 about a perpendicular axis of the child.

Source: docs/notation.md §3; Shabana 2020, §3.3 (Hooke joint)
"""

from collections.abc import Iterator
from typing import Literal

import casadi as ca
import numpy as np

from cardan.errors import Issue
from cardan.model.joints import closure, contact
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.model.quantities.fields import Direction
from cardan.model.records.element import ValueOf
from cardan.numerics.round_off import SIX_DIGITS
from cardan.spatial.rotations import align_zx, rotation_x, rotation_z
from cardan.spatial.transforms import pose


class Universal(Joint):
    """Rotation about `axes[0]` (parent marker) and about `axes[1]` (child marker), perpendicular at q = 0."""

    type: Literal["universal"] = "universal"
    axes: tuple[Direction, Direction]

    coordinates = ((".r1", "rad"), (".r2", "rad"))
    velocities = ((".r1", "rad/s"), (".r2", "rad/s"))
    contact_keys = (("radius", True), ("length", True))
    turning_axes = (".r2",)
    rubs_apart = True

    def alignment(self) -> Number:
        return align_zx(ca.vertcat(*self.axes[0]), ca.vertcat(*self.axes[1]))

    def transform(self, q: Number) -> Number:
        return pose(rotation_z(q[0]) @ rotation_x(q[1]), ca.DM(3, 1))

    def subspace(self, q: Number) -> Number:
        first = ca.vertcat(ca.DM(1, 1), ca.sin(q[1]), ca.cos(q[1]), ca.DM(3, 1))
        return ca.horzcat(first, ca.sparsify(ca.DM([1, 0, 0, 0, 0, 0])))

    def subspace_between(self, R_PC: Number) -> Number:
        first = ca.vertcat(R_PC[2, :].T, ca.DM(3, 1))
        return ca.horzcat(first, ca.sparsify(ca.DM([1, 0, 0, 0, 0, 0])))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Of one pin of the cross in its two bearings.

        The cross has no mass: both pins transmit the whole force and moment of the joint. What is across a pin loads
        its bearings, the moment about the axis at right angles to both pins among it, which turns the shafts.
        """
        assert self.friction is not None
        return contact.across(f, n, self.friction.length)

    @property
    def contact_arm(self) -> Number:
        """The radius of both pins."""
        assert self.friction is not None
        radius: Number = self.friction.radius
        return radius

    def subspace_rate(self, q: Number, v: Number) -> Number:
        first = ca.vertcat(ca.DM(1, 1), ca.cos(q[1]) * v[1], -ca.sin(q[1]) * v[1], ca.DM(3, 1))
        return ca.horzcat(first, ca.DM(6, 1))

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.coincident(frames), closure.Row("moment about z × x of the joint", frames.relative[2, 0])]

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        yield from super().value_issues(value_of)
        a, b = (np.array([value_of(entry) for entry in axis]) for axis in self.axes)
        cosine = abs(a @ b) / (np.linalg.norm(a) * np.linalg.norm(b)) if a.any() and b.any() else 0.0
        if cosine > SIX_DIGITS:
            angle = np.degrees(np.arccos(min(cosine, 1.0)))
            fault = f"the two axes are {angle:.4g}° apart, they have to be perpendicular"
            yield Issue(fault, "such as axes: [x, y]", ("axes",))
