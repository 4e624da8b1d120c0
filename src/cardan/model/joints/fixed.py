"""Fixed joint: no motion; the two markers coincide.   Source: docs/notation.md §3"""

from typing import Literal

import casadi as ca
import numpy as np

from cardan.model.joints import closure
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.joint import Joint, Number
from cardan.model.plane import Plane
from cardan.model.records.element import ValueOf
from cardan.spatial import inertia as spatial_inertia
from cardan.spatial.inertia import Inertia


class Fixed(Joint):
    """A weld."""

    type: Literal["fixed"] = "fixed"

    coordinates = ()
    velocities = ()

    def transform(self, q: Number) -> Number:
        return ca.DM.eye(4)

    def subspace(self, q: Number) -> Number:
        return ca.DM(6, 0)

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """All of it goes to the parent."""
        return spatial_inertia.ZERO, P

    def closure(self, frames: Frames) -> list[Row]:
        return [*closure.coincident(frames), *closure.turned(frames)]

    def upright(self, frames: Frames) -> Number:
        return ca.trace(frames.relative)

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row]:
        return [*closure.coincident_in_plane(frames, normal), *closure.turned_in_plane(frames, normal)]

    def planar_fault(self, plane: Plane, R_WM: np.ndarray, value_of: ValueOf) -> str:
        return ""
