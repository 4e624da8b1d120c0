"""Joints of several directions that slide in both freedoms of their group, such as the balls at both ends of a rod.

In the decisive motion c all joints that move have φ_i = e F_i w_i/|w_i|, with the part e of their limits and w_i = B_i
c. Where the limits F follow the efforts, c is an unknown beside e: with c turned by δ to c + δ n, the unit vector n
across it, φ_i changes by e F_i δ t_i, where t_i = (1 − w_i w_iᵀ/|w_i|²) B_i n/|w_i|. The unknowns e and e δ have the
two equations that neither freedom has an acceleration. Each step of Newton's method starts from the decisive motion of
its limits, so that δ is zero at the solution. Where a joint along one motion rests in the decisive motion, it keeps
this motion as it is, δ = 0, and holds what the others leave.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.system.friction.block import size_and_direction
from cardan.system.friction.decisive_motion import decisive_motion, freedoms_of, orthonormal
from cardan.system.friction.sharing import JointSet, SharedLimits

__all__ = ["TwoFreedomJoint", "TwoFreedomJoints", "two_freedom_joints"]


@dataclass(frozen=True)
class TwoFreedomJoint:
    """A joint that slides in both freedoms of its group."""

    velocity: int  # of the joint
    places: tuple[int, ...]  # of its k efforts
    B: Number  # (k, 2) its sliding velocity per velocity of the freedoms
    limit: Number  # its given largest effort, without the part that follows a load

    def directions(self, c: Number) -> tuple[Number, Number]:
        """w/|w| in a motion c (2,) of the freedoms, and the change of this vector as c turns by 1 rad (k,)."""
        speed, along = size_and_direction(self.B @ c)
        turned = self.B @ _across(c)
        return along, (turned - along * ca.dot(along, turned)) / ca.if_else(speed > 0, speed, 1)


@dataclass(frozen=True)
class TwoFreedomJoints:
    """The joints of a group that slide in both its freedoms."""

    joints: tuple[TwoFreedomJoint, ...]
    motions: dict[int, int]  # places of the efforts on all motions of the group, by their velocities
    V: Number  # (m, 2) these velocities per velocity of the freedoms, orthonormal columns
    forces: Number  # (2, 1 + s) forces on these that are not balanced: without efforts, and under unit efforts

    def decisive(
        self, phi: Number, sets: Sequence[tuple[JointSet, Number]], limits: Sequence[Number]
    ) -> tuple[Number, Number, Number]:
        """The decisive motion c, a unit vector (2,); signs of the velocities of the sets in it,
        and 1 for sets at rest.
        """
        lines = [(self._along(own), limit) for own, limit in sets]
        turning = [(joint.B, limit) for joint, limit in zip(self.joints, limits, strict=True)]
        c, rests = decisive_motion(-self.forces[:, 0] - self.forces[:, 1:] @ phi, lines, turning)
        c = size_and_direction(c)[1]
        at_rest = ca.vertcat(ca.SX(0, 1), *rests)
        return c, (1 - at_rest) * ca.vertcat(ca.SX(0, 1), *(ca.sign(line @ c) for line, _ in lines)), at_rest

    def balances(self, c: Number) -> Number:
        """Forces (2, 1 + s) along c and across it that are not balanced: without efforts, and under unit efforts."""
        return ca.horzcat(c, _across(c)).T @ self.forces

    def begins(self, c: Number) -> dict[int, Number]:
        """Velocities with which the group begins to move, against friction; its fastest joint has a speed of 1."""
        w = -self.V @ c
        fastest = ca.mmax(ca.vertcat(ca.norm_inf(w), *(ca.norm_2(joint.B @ c) for joint in self.joints)))
        w = w / ca.if_else(fastest > 0, fastest, 1)
        return {k: w[n] for n, k in enumerate(self.motions)}

    def _along(self, own: JointSet) -> Number:
        """Velocity (1, 2) of a set along its freedom per velocity of the freedoms of the group."""
        at = [*self.motions.values()]
        return own.u.T @ self.V[[at.index(i) for i in own.places], :]


def two_freedom_joints(
    H: Number, responses: Number, rows: Sequence[int], group: SharedLimits
) -> TwoFreedomJoints | None:
    """The joints of a group that slide in both its freedoms; None if it has none."""
    if not group.group.two_freedom:
        return None
    motions = {k: rows.index(k) for k in group.group.motions}
    at = [*motions.values()]
    free = freedoms_of(H[at, at], group.group.freedoms)
    V = orthonormal(free)
    R = V.T @ free
    determinant = ca.det(R)
    inverse = ca.vertcat(ca.horzcat(R[1, 1], -R[0, 1]), ca.horzcat(-R[1, 0], R[0, 0]))
    inverse = inverse / ca.if_else(determinant != 0, determinant, 1)
    joints = []
    for k in group.group.two_freedom:
        places = tuple(motions[i] for i in group.group.held_by(k))
        joints.append(TwoFreedomJoint(k, places, V[[at.index(i) for i in places], :], group.joints[k][0]))
    forces = (inverse.T @ inverse @ V.T) @ responses[at, :]  # the masses (R Rᵀ)⁻¹ by accelerations
    return TwoFreedomJoints(tuple(joints), motions, V, forces)


def _across(c: Number) -> Number:
    """c (2,) turned by a right angle."""
    return ca.vertcat(-c[1], c[0])
