"""What joints that move only together hold by friction: the largest part of a limit that one of them uses is least.

Joints of one freedom s have velocities v_i = g_i ṡ. They hold the force Q of this freedom as long as |Q| ≤ Σ |g_i| F_i,
however they share it; equal parts of their limits, φ_i = F_i g_i/|g_i| Q/Σ |g_j| F_j, come to these limits together.
Of a joint that sticks in several directions, such as a ball, g_i and φ_i are vectors. With the accelerations
H_ij = g_i g_jᵀ/m of unit efforts, the mass m drops out.

Joints of r freedoms, any r of which hold them all, can hold the forces in the polytope Σ J_iᵀ φ_i, |φ_i| ≤ F_i. Each
pair of its faces belongs to the one motion that is left while r − 1 of the joints rest: |Q| ≤ Σ |g_i| F_i of it says
that the forces lie between both faces. The motion that is nearest to its limit decides: along it the other joints use
equal parts of their limits, and the r − 1 joints, which use less, hold the rest. They stay at rest as it begins.

Joints of one freedom within a group of several, a set, stand for one joint there: with the unit vector u along their
speeds v_i = u_i s they hold Σ u_i φ_i, up to Σ |u_i| F_i, and share this in turn by equal parts.

What is held under limits that follow the load is the affair of `loaded_sets`.

Source: Ziegler 1995, *Lectures on Polytopes*, §7.3 (faces of zonotopes); Pfeiffer & Glocker 1996, ch. 5
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from itertools import combinations, pairwise

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF

__all__ = ["JointGroup", "JointSet", "SharedLimits", "StoppedJoints", "in_proportion", "sets_of"]


@dataclass(frozen=True)
class JointGroup:
    """Joints with friction that move only together: as many of them as they have freedoms, of as many sets, hold all.

    The joints of a set have one freedom; where the group has no other freedom, all its joints are one set.
    """

    sets: tuple[tuple[int, ...], ...]  # velocities of the joints of each set
    freedoms: int
    several: tuple[tuple[int, tuple[int, ...]], ...] = ()  # of a joint that sticks in several directions: its motions

    def held_by(self, velocity: int) -> tuple[int, ...]:
        """Velocities that the friction of a joint holds: its own one, or those of its motions in several directions."""
        return dict(self.several).get(velocity, (velocity,))

    @property
    def velocities(self) -> tuple[int, ...]:
        """Velocities of all joints, set by set."""
        return tuple(k for each in self.sets for k in each)


@dataclass(frozen=True)
class StoppedJoints:
    """Joints of one freedom: a closed stop by impact of one of them leaves nothing for friction of the others to hold.

    How they would share the load is open; the stop takes it, and friction, which holds the least, none. So the stop
    opens where the joints would move away from it without friction, and friction holds them from then on.
    """

    stops: tuple[int, ...]  # velocities of those with stops by impact
    held: tuple[int, ...]  # velocities that friction may hold


@dataclass(frozen=True)
class SharedLimits:
    """By velocity of the joints of a group: largest given effort of friction, and 1 while it holds the joint."""

    group: JointGroup
    joints: Mapping[int, tuple[Number, Number]]


@dataclass(frozen=True)
class JointSet:
    """Joints of one freedom s, whose velocities are u_i ṡ."""

    joints: tuple[tuple[int, ...], ...]  # places of the efforts of each joint among the unknown ones
    u: Number  # (m,) a unit vector

    @property
    def places(self) -> list[int]:
        """Places (m,) of all these efforts."""
        return [i for own in self.joints for i in own]

    @cached_property
    def _parts(self) -> list[Number]:
        """The velocities of each joint per ṡ."""
        ends = np.cumsum([0, *(len(own) for own in self.joints)])
        return [self.u[first:last] for first, last in pairwise(ends.tolist())]

    @cached_property
    def lengths(self) -> Number:
        """|u_i| of each joint."""
        return ca.vertcat(*(_length(part) for part in self._parts))

    @cached_property
    def directions(self) -> Number:
        """u_i/|u_i| of all joints (m,), the sign of u_i where a joint has one motion; zero where u_i is."""
        return ca.vertcat(
            *(
                ca.sign(part) if part.shape[0] == 1 else part / ca.if_else(length > 0, length, 1)
                for part, length in zip(self._parts, ca.vertsplit(self.lengths), strict=True)
            )
        )

    def of_joints(self, x: Number) -> Number:
        """A number of each joint for each of its efforts (m,)."""
        return ca.vertcat(*(x[k] for k, own in enumerate(self.joints) for _ in own))

    def shared(self, whole: Number, limits: Number) -> Number:
        """Efforts (m,) in proportion to the limits of the joints that together hold what one effort along s would."""
        most = ca.dot(limits, self.lengths)
        return whole * self.of_joints(limits) * self.directions / ca.if_else(most > 0, most, 1)


def _length(u: Number) -> Number:
    return ca.fabs(u) if u.shape[0] == 1 else ca.norm_2(u)


def _set(H: Number, joints: tuple[tuple[int, ...], ...]) -> JointSet:
    """The joints with efforts at these places as a set, from the accelerations H (s, s) of unit efforts."""
    places = [i for own in joints for i in own]
    if len(places) == 1:
        return JointSet(joints, ca.SX(1))
    own = H[places, places]
    column, most = own[:, 0], own[0, 0]
    for i in range(1, len(places)):  # in the ratios of the joint that moves the most: at a dead centre there are none
        column, most = ca.if_else(own[i, i] > most, own[:, i], column), ca.fmax(own[i, i], most)
    square = ca.dot(column, column)
    return JointSet(joints, column / ca.sqrt(ca.if_else(square > 0, square, 1)))


def sets_of(H: Number, rows: Sequence[int], group: JointGroup) -> list[JointSet]:
    """The sets of a group."""
    return [_set(H, tuple(tuple(map(rows.index, group.held_by(k))) for k in each)) for each in group.sets]


def in_proportion(phi: Number, H: Number, rows: Sequence[int], groups: Sequence[SharedLimits]) -> Number:
    """Efforts (s,) with the same effect as `phi`, shared by the joints of each group as they hold them."""
    out = ca.SX(phi)
    for group in groups:
        sticks, sets = ca.SX(len(rows), 1), sets_of(H, rows, group.group)
        F = [ca.vertcat(*(operator.mul(*group.joints[k]) for k in own)) for own in group.group.sets]
        for k, (_, is_held) in group.joints.items():
            sticks[[rows.index(i) for i in group.group.held_by(k)]] = is_held
        whole = ca.vertcat(*(ca.dot(each.u, (sticks * out)[each.places]) for each in sets))
        if group.group.freedoms > 1:
            all_stick = reduce(ca.logic_and, (is_held for _, is_held in group.joints.values()))
            limits = ca.vertcat(*(ca.dot(own, each.lengths) for own, each in zip(F, sets, strict=True)))
            whole = ca.if_else(all_stick, _least(whole, limits, _among(sets, H), group.group.freedoms), whole)
        for n, each in enumerate(sets):
            shared = each.shared(whole[n], F[n]) if len(each.places) > 1 else whole[n]
            for i, own in zip(each.places, ca.vertsplit(shared), strict=True):
                out[i] = ca.if_else(sticks[i], own, out[i])
    return out


def _among(sets: Sequence[JointSet], H: Number) -> Number:
    """Accelerations (n, n) along the freedoms of sets under unit efforts along them."""
    rows = ca.vertcat(*(each.u.T @ H[each.places, :] for each in sets))
    return ca.horzcat(*(rows[:, each.places] @ each.u for each in sets))


def _least(held: Number, limits: Number, H: Number, freedoms: int) -> Number:
    """Efforts (n,) of sets with the same effect as those `held`, whose largest part of a limit (n,) is least."""
    most, out = ca.SX(-1), held
    for at_rest in combinations(range(H.shape[0]), freedoms - 1):
        P, left = ca.SX.eye(H.shape[0]), ca.SX(H)  # efforts that leave these sets at rest; Pᵀ H P = g gᵀ/m
        for i in at_rest:
            is_sound = left[i, i] > ROUND_OFF * H[i, i]
            row = is_sound * left[i, :] / ca.if_else(is_sound, left[i, i], 1)
            P, left = P - P[:, i] @ row, left - left[:, i] @ row
            P[:, i], left[:, i], left[i, :] = 0, 0, 0
        lengths, pushed = ca.sqrt(ca.fmax(ca.diag(left), 0)), left @ held  # |g|/√m, g Q/m
        whole = ca.dot(limits, lengths)
        parts = pushed / ca.if_else(lengths * whole > 0, lengths * whole, 1)
        part = ca.norm_inf(parts)
        out = ca.if_else(part > most, held + P @ (limits * parts - held), out)
        most = ca.fmax(part, most)
    return out
