"""Screw joint: rotation by q and advance by lead·q/2π along one axis.

Source: docs/notation.md §3; Featherstone 2008, Table 4.1
"""

from collections.abc import Iterator
from math import pi
from typing import Literal

import casadi as ca

from cardan.errors import Issue
from cardan.model.joints import closure, contact
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import AxisJoint, Number
from cardan.model.quantities.fields import Lead
from cardan.model.records.element import ValueOf
from cardan.spatial.rotations import rotation_z
from cardan.spatial.transforms import pose


class Screw(AxisJoint):
    """Rotation about `axis` with an advance of `lead` per turn; the coordinate is the angle."""

    type: Literal["screw"] = "screw"
    lead: Lead  # [m] per turn; positive: right-handed

    coordinates = (("", "rad"),)
    velocities = (("", "rad/s"),)
    contact_keys = (("radius", True),)

    def transform(self, q: Number) -> Number:
        zero = ca.DM(1, 1)
        return pose(rotation_z(q), ca.vertcat(zero, zero, self.lead / (2 * pi) * q))

    def subspace(self, q: Number) -> Number:
        zero = ca.DM(1, 1)
        return ca.vertcat(zero, zero, 1, zero, zero, self.lead / (2 * pi))

    def contact_forces(self, f: Number, n: Number, effort: Number) -> list[Number]:
        """Of a square thread: the flanks carry the axial force."""
        assert self.friction is not None
        return [contact.thread(f, effort, self.friction.radius, self.lead / (2 * pi))]

    @property
    def contact_arm(self) -> Number:
        """The radius over the cosine of the lead angle."""
        assert self.friction is not None
        radius: Number = self.friction.radius
        return ca.sqrt(radius**2 + (self.lead / (2 * pi)) ** 2)

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.across(frames, (0, 1)), *closure.threaded(frames, self.lead), *closure.aligned(frames)]

    def closing_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        if value_of(self.lead) == 0:
            yield Issue("a screw that closes a loop needs a lead", "write type: revolute", ("lead",))
