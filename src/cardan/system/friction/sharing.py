"""What joints that move only together hold by friction: the largest part of a limit that one of them uses is least.

Joints of one freedom s have velocities v_i = g_i ṡ. They hold the force Q of this freedom as long as |Q| ≤ Σ |g_i| F_i,
however they share it; equal parts of their limits, φ_i = F_i sign(g_i) Q/Σ |g_j| F_j, come to these limits together.
With the accelerations H_ij = g_i g_j/m of unit efforts, the mass m drops out.

Joints of r freedoms, any r of which hold them all, can hold the forces in the polytope Σ J_iᵀ φ_i, |φ_i| ≤ F_i. Each
pair of its faces belongs to the one motion that is left while r − 1 of the joints rest: |Q| ≤ Σ |g_i| F_i of it says
that the forces lie between both faces. The motion that is nearest to its limit decides: along it the other joints use
equal parts of their limits, and the r − 1 joints, which use less, hold the rest. They stay at rest as it begins.

Where limits follow the load, they depend on the efforts φ in turn: φ_i = e sign(g_i) F_i(φ) with the part e of their
limits that these joints use, and Σ sign(g_i) v̇_i = 0, are solved with the other efforts (`coupled`).

Source: Ziegler 1995, *Lectures on Polytopes*, §7.3 (faces of zonotopes); Pfeiffer & Glocker 1996, ch. 5
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import combinations

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF

__all__ = ["HeldGroup", "JointGroup", "SharedLimits", "Shares", "held_groups", "in_proportion"]


@dataclass(frozen=True)
class JointGroup:
    """Joints with friction that move only together: as many `leads` as they have freedoms, held, hold all.

    Joints that move only with one of the leads are a group of one freedom for themselves, too.
    """

    velocities: tuple[int, ...]  # of the joints
    freedoms: int
    leads: tuple[int, ...]  # velocities, no two of which have one freedom


@dataclass(frozen=True)
class SharedLimits:
    """By velocity of the joints of a group: largest given effort of friction, and 1 while it holds the joint."""

    group: JointGroup
    joints: Mapping[int, tuple[Number, Number]]


@dataclass(frozen=True)
class _Motion:
    """The one motion that a group of k joints has left while some of them rest."""

    at_rest: tuple[int, ...]  # numbers of these joints in the group
    P: Number  # (k, k) efforts on all joints, per effort on one that moves, that leave those at rest
    H: Number  # Pᵀ H P: accelerations (k, k) under these efforts, g gᵀ/m

    @property
    def lengths(self) -> Number:
        """|g|/√m of each joint (k,)."""
        return ca.sqrt(ca.fmax(ca.diag(self.H), 0))

    @cached_property
    def signs(self) -> Number:
        """Sign of the velocity of each joint as the motion goes on, up to a common one (k,)."""
        column, most = self.H[:, 0], self.H[0, 0]
        for i in range(1, self.H.shape[0]):  # relative to the joint that moves the most: no sign at a dead centre
            column, most = ca.if_else(self.H[i, i] > most, self.H[:, i], column), ca.fmax(self.H[i, i], most)
        return ca.sign(column)

    def part(self, a: Number, limits: Sequence[Number]) -> Number:
        """Part |Q|/Σ |g_i| F_i of the limits that the joints use to hold this motion.

        Parameters
        ----------
        a : accelerations (k,) of the joints if they held nothing.
        limits : largest efforts.
        """
        g = self.signs * self.lengths
        whole = ca.dot(g, g) * ca.dot(ca.vertcat(*limits), ca.fabs(g))
        return ca.fabs(ca.dot(g, self.P.T @ a)) / ca.if_else(whole > 0, whole, 1)


def _motions(H: Number, group: JointGroup) -> list[_Motion]:
    """The motions of a group with accelerations H (k, k) under unit efforts: one for each set of leads at rest."""
    out, leads = [], [group.velocities.index(k) for k in group.leads]
    for at_rest in combinations(leads, group.freedoms - 1):
        P, left = ca.SX.eye(H.shape[0]), ca.SX(H)
        for i in at_rest:
            is_sound = left[i, i] > ROUND_OFF * H[i, i]
            row = is_sound * left[i, :] / ca.if_else(is_sound, left[i, i], 1)
            P, left = P - P[:, i] @ row, left - left[:, i] @ row
            P[:, i], left[:, i], left[i, :] = 0, 0, 0
        out.append(_Motion(at_rest, P, left))
    return out


def in_proportion(phi: Number, H: Number, rows: Sequence[int], groups: Sequence[SharedLimits]) -> Number:
    """Efforts (s,) with the same effect as `phi`, shared by the joints of each group as they hold them.

    Parameters
    ----------
    phi : efforts on the velocities `rows` (s,).
    H : accelerations (s, s) of these velocities under unit efforts on them.
    rows : indices of the velocities.
    groups : the joints of each group; those of one freedom come after the groups that they are a part of.
    """
    out = ca.SX(phi)
    for group in groups:
        places, sticks = [rows.index(k) for k in group.joints], ca.vertcat(*(s for _, s in group.joints.values()))
        F = sticks * ca.vertcat(*(limit for limit, _ in group.joints.values()))
        before, most = sticks * out[places], ca.SX(-1)
        shared = before
        for motion in _motions(H[places, places], group.group):
            lengths, pushed = motion.lengths, motion.H @ before  # |g|/√m, g Q/m
            whole = ca.dot(F, lengths)
            parts = pushed / ca.if_else(lengths * whole > 0, lengths * whole, 1)
            decides = ca.norm_inf(parts) > most
            shared = ca.if_else(decides, before + motion.P @ (F * parts - before), shared)
            most = ca.fmax(ca.norm_inf(parts), most)
        all_stick = reduce(ca.logic_and, ca.vertsplit(sticks)) if group.group.freedoms > 1 else 1
        for n, i in enumerate(places):
            out[i] = ca.if_else(ca.logic_and(sticks[n], all_stick), shared[n], out[i])
    return out


@dataclass(frozen=True)
class HeldGroup:
    """A group of joints while friction holds them, all or none."""

    places: tuple[int, ...]  # of their k efforts among the unknown ones
    holds: Number  # 1 while all stick, else 0
    limits: tuple[Number, ...]  # given largest efforts, without the part that follows a load
    motions: Sequence[_Motion]  # of which one decides

    def decisive(self, a: Number, limits: Sequence[Number]) -> tuple[Number, Number]:
        """Signs of the velocities (k,) in the motion that is nearest to its limit, and 1 for joints at rest in it (k,).

        Parameters
        ----------
        a : accelerations (k,) of the joints if they held nothing.
        limits : largest efforts.
        """
        first, *others = self.motions
        signs, at_rest, most = first.signs, self._at_rest(first), first.part(a, limits)
        for motion in others:
            part = motion.part(a, limits)
            signs = ca.if_else(part > most, motion.signs, signs)
            at_rest = ca.if_else(part > most, self._at_rest(motion), at_rest)
            most = ca.fmax(part, most)
        return signs, at_rest

    def _at_rest(self, motion: _Motion) -> Number:
        return ca.DM([each in motion.at_rest for each in range(len(self.places))])


def held_groups(H: Number, rows: Sequence[int], groups: Sequence[SharedLimits]) -> tuple[HeldGroup, ...]:
    """The joints of each group while friction holds them.

    Parameters
    ----------
    H, rows, groups : as of `in_proportion`.
    """
    out = []
    for group in groups:
        places = tuple(rows.index(k) for k in group.joints)
        limits, sticks = zip(*group.joints.values(), strict=True)
        holds = reduce(operator.mul, sticks, ca.SX(1))
        out.append(HeldGroup(places, holds, limits, _motions(H[places, places], group.group)))
    return tuple(out)


Limit = Callable[[int, Number, Number], tuple[Number, Number]]
"""(place of a joint, its given limit, efforts φ (s,)) → its largest effort while sticking, and derivatives (1, s)."""


@dataclass(frozen=True)
class Shares:
    """Joints that hold their freedoms together: those that move in the decisive motion use equal parts e of limits."""

    groups: Sequence[HeldGroup]  # the joints of each group
    H: Number  # accelerations (s, s) of the velocities under unit efforts
    a0: Number  # and without efforts (s,)

    def joined(self, A: Number, b: Number, y: Number, limit: Limit, *, given: bool = False) -> tuple[Number, Number]:
        """The equations A φ = b with those of the shares: φ_i = e σ_i F_i(φ) and Σ σ_i v̇_i = 0 of each group.

        Beyond |e| = 1, which no friction holds, F_i grows no more with φ: what jams could need any part, or have none.

        Parameters
        ----------
        A, b : equations of the efforts (s, s), (s,).
        y : efforts (s,) and parts e at which the limits F are taken with their derivatives.
        limit : limits of the joints.
        given : whether the limits are taken as given, without derivatives.
        """
        n, count = A.shape[0], len(self.groups)
        if not count:
            return A, b
        out, side = ca.SX(n + count, n + count), ca.SX(ca.vertcat(b, ca.SX(count, 1)))
        out[:n, :n] = A
        for j, group in enumerate(self.groups, start=n):
            e, within = ca.fmax(ca.fmin(y[j], 1), -1), ca.fabs(y[j]) <= 1
            members = list(zip(group.places, group.limits, strict=True))
            limits, rates = zip(*(limit(*each, y[:n]) for each in members), strict=True)
            unloaded = [limit(*each, ca.SX(n, 1))[0] for each in members]
            some = sum(unloaded) > 0  # without loads equal efforts, which pass the limits
            signs, at_rest = group.decisive(self._unheld(group, y), limits)
            for k, i in enumerate(group.places):
                beyond = ca.if_else(some, unloaded[k], 1)
                slope = ca.if_else(within, ca.if_else(sum(limits) > 0, limits[k], 1), beyond)
                own = (0 if given else e) * signs[k] * rates[k]
                known = ca.if_else(within, 0, signs[k] * e * (limits[k] - beyond)) - ca.dot(own.T, y[:n])
                row = -own
                row[i] += 1
                moves = group.holds * (1 - at_rest[k])
                out[i, :n] = ca.if_else(moves, row, out[i, :n])
                out[i, j] = -moves * signs[k] * slope
                side[i] = ca.if_else(moves, known, side[i])
            at = list(group.places)
            out[j, :n] = group.holds * (signs.T @ self.H[at, :])
            out[j, j] = 1 - group.holds
            side[j] = -group.holds * ca.dot(signs, self.a0[at])
        return out, side

    def at_rest(self, y: Number, limit: Limit) -> dict[int, Number]:
        """By place: 1 for joints that stay at rest as their group begins to move.

        Parameters
        ----------
        y, limit : as of `joined`.
        """
        out = dict[int, Number]()
        for group in self.groups:
            limits = [limit(*each, y[: self.a0.shape[0]])[0] for each in zip(group.places, group.limits, strict=True)]
            _, at_rest = group.decisive(self._unheld(group, y), limits)
            out |= {i: at_rest[k] for k, i in enumerate(group.places)}
        return out

    def _unheld(self, group: HeldGroup, y: Number) -> Number:
        """Accelerations (k,) of the joints of a group if they held nothing."""
        phi, at = ca.SX(y[: self.a0.shape[0]]), list(group.places)
        phi[at] = 0
        return self.a0[at] + self.H[at, :] @ phi
