"""What every joint satisfies: the record's common keys and the contract of its law.

A law is written in the *joint frame*: the parent and child markers turned so that the joint's axis is z
(`Joint.alignment`). There T(q) carries the child's joint frame in the parent's, both coincide at q = 0, and
the twist of the child relative to the parent, in child axes at the child origin, is S(q) v.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import casadi as ca

from cardan.model.joints.closure import Frames, Row
from cardan.model.quantities import Anything, Direction
from cardan.model.record import Record
from cardan.spatial import inertia as spatial_inertia
from cardan.spatial.inertia import Inertia
from cardan.spatial.rotations import align_z

__all__ = ["AxisJoint", "Joint"]

Number = Any  # casadi.SX or casadi.DM
Component = tuple[str, str]  # suffix of the name, unit


class Joint(Record):
    """A joint between a marker on `parent` and a marker on `child`; q grows when the child moves positively."""

    parent: str  # "ground", body or body.marker
    child: str  # body or body.marker
    stiffness: Anything | tuple[Anything, ...] | None = None  # [N/m] or [N m/rad], one per coordinate
    damping: Anything | tuple[Anything, ...] | None = None  # [N s/m] or [N m s/rad], one per velocity
    rest: Anything | tuple[Anything, ...] | None = None  # coordinate at which the spring is relaxed [m] or [rad]
    effort_limit: Anything | None = None  # largest effort the drive may give; a run that exceeds it warns [N] or [N m]
    cut: bool = False  # choose this joint to close a loop

    coordinates: ClassVar[tuple[Component, ...]]  # names after the joint's and units, nq of them
    velocities: ClassVar[tuple[Component, ...]]  # the same for the velocities, nv of them
    has_rate_coordinates: ClassVar[bool] = True  # q̇ = v: the coordinates are integrals of the velocities

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities: degrees of freedom of the joint."""
        return len(self.velocities)

    @property
    def neutral(self) -> tuple[float, ...]:
        """Coordinates (nq,) at which the two markers coincide."""
        return (0.0,) * self.nq

    def alignment(self) -> Number:
        """Rotation (3×3) that turns the markers into the joint frame; the identity for joints without an axis."""
        return ca.DM.eye(3)

    @abstractmethod
    def transform(self, q: Number) -> Number:
        """T_PC (4×4): child joint frame in the parent joint frame."""

    @abstractmethod
    def subspace(self, q: Number) -> Number:
        """S (6×nv): twist of the child relative to the parent per velocity, child axes, angular part first."""

    def subspace_rate(self, q: Number, v: Number) -> Number:
        """dS/dt (6×nv), component by component; zero unless S depends on q."""
        return ca.DM(6, self.nv)

    def coordinate_rate(self, q: Number, v: Number) -> Number:
        """q̇ (nq,) for the velocities v (nv,)."""
        return v

    def commutator(self, a: Number, b: Number) -> Number:
        """[a, b] (nv,) of the motions with constant velocities a and b (nv,): zero unless q̇ differs from v.

        With X_a(q) = `coordinate_rate(q, a)`: X_[a,b] = ∂X_b/∂q X_a − ∂X_a/∂q X_b.
        """
        return ca.DM(self.nv, 1)

    def normalised(self, q: Number) -> Number:
        """q (nq,) with its quaternion, if it has one, at unit length."""
        return q

    @abstractmethod
    def closure(self, frames: Frames) -> list[Row]:
        """Equations Φ = 0 (6 − nv of them) that hold when a loop is closed with this joint."""

    def planar_closure(self, frames: Frames, normal: Number) -> list[Row] | None:
        """Those of them that act in a plane with this normal (3,), world axes; None for joints that leave the plane."""
        return None

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """(kept, moved): the part of the child's inertia that its parent may carry without any change of the motion.

        `moved` must be the same in every position of the joint, seen from the parent joint frame.
        Source: regrouping of inertial parameters, Khalil & Dombre 2002, §9.4.2.
        """
        return P, spatial_inertia.ZERO


class AxisJoint(Joint):
    """A joint along or about one axis, given in the parent marker."""

    axis: Direction  # in the parent marker, of any length

    def alignment(self) -> Number:
        """Rotation whose z is the joint's axis."""
        return align_z(ca.vertcat(*self.axis))
