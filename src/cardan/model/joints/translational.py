"""Translational joint: the child moves along x, y and z of the parent marker and does not turn against it.

Source: docs/notation.md §3; Featherstone 2008, §4.3 (the translations of a free joint)
"""

from typing import Literal

import casadi as ca

from cardan.model.joints import closure
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.spatial.inertia import Inertia
from cardan.spatial.transforms import pose


class Translational(Joint):
    """Three translations: a point mass that flies, or a table on three slides."""

    type: Literal["translational"] = "translational"

    coordinates = ((".x", "m"), (".y", "m"), (".z", "m"))
    velocities = ((".x", "m/s"), (".y", "m/s"), (".z", "m/s"))

    def transform(self, q: Number) -> Number:
        return pose(ca.DM.eye(3), q)

    def subspace(self, q: Number) -> Number:
        return ca.vertcat(ca.DM(3, 3), ca.DM.eye(3))

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """The second moments go to the parent, which has the same angular velocity, as of a prismatic joint."""
        return Inertia(P.m, P.h, ca.DM(3, 3)), Inertia(ca.DM(1, 1), ca.DM(3, 1), P.J)

    def closure(self, frames: Frames) -> list[Row]:
        return closure.turned(frames)

    def upright(self, frames: Frames) -> Number:
        return ca.trace(frames.relative)
