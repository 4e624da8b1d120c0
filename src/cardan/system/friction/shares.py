"""What joints that move only together hold by friction where their limits follow the load.

The limits F depend on the efforts φ in turn: φ_i = e σ_i F_i(φ) with the part e of their limits that joints of one
freedom use, and the signs σ of their velocities, unit vectors where a joint sticks in several directions. With each
part e comes one equation: what it holds has no acceleration, Σ σ_i·v̇_i = 0. Of a group with several freedoms the sets
that move in the decisive motion (`sharing`) have one part e together, and each set at rest in it has its own. All are
solved with the other efforts (`equations`).

Source: Pfeiffer & Glocker 1996, ch. 5
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.system.friction.sharing import JointSet, LeftMotion, SharedLimits, along, among, motions_of, sets_of

__all__ = ["HeldGroup", "HeldSet", "Shares", "StickingUnit", "held_groups"]


@dataclass(frozen=True)
class HeldSet:
    """Joints of one freedom while friction holds them, all or none; or a joint of its own in its group."""

    own: JointSet
    holds: Number  # 1 while all stick, else 0
    velocities: tuple[int, ...]  # of its joints
    limits: tuple[Number, ...]  # their given largest efforts, without the part that follows a load

    @property
    def is_single(self) -> bool:
        """Whether it has one joint, whose effort says what part of its limit it uses."""
        return len(self.limits) == 1


@dataclass(frozen=True)
class HeldGroup:
    """A group of joints while friction holds them."""

    sets: tuple[HeldSet, ...]
    motions: Sequence[LeftMotion]  # of the sets, of which one decides; none where the group is one set

    @property
    def holds(self) -> Number:
        """1 while all stick, else 0."""
        return reduce(operator.mul, (each.holds for each in self.sets), ca.SX(1))

    @property
    def unknowns(self) -> int:
        """Number of parts of limits that its equations have."""
        return sum(not each.is_single for each in self.sets) + bool(self.motions)

    def decisive(self, a: Number, limits: Number) -> tuple[Number, Number]:
        """Signs of the velocities (n,) in the motion that is nearest to its limit, and 1 for sets at rest in it (n,).

        Parameters
        ----------
        a : accelerations (n,) of the sets if they held nothing.
        limits : largest efforts (n,).
        """
        first, *others = self.motions
        signs, at_rest, most = first.signs, first.rests, first.part(a, limits)
        for motion in others:
            part = motion.part(a, limits)
            signs = ca.if_else(part > most, motion.signs, signs)
            at_rest = ca.if_else(part > most, motion.rests, at_rest)
            most = ca.fmax(part, most)
        return signs, at_rest


def held_groups(H: Number, rows: Sequence[int], groups: Sequence[SharedLimits]) -> tuple[HeldGroup, ...]:
    """The joints of each group while friction holds them.

    Parameters
    ----------
    H, rows, groups : as of `in_proportion`.
    """
    out = []
    for group in groups:
        sets = sets_of(H, rows, group.group)
        held = []
        for own, velocities in zip(sets, group.group.sets, strict=True):
            limits, sticks = zip(*(group.joints[k] for k in velocities), strict=True)
            held.append(HeldSet(own, reduce(operator.mul, sticks, ca.SX(1)), velocities, limits))
        freedoms = group.group.freedoms
        motions = motions_of(among(sets, H), freedoms) if freedoms > 1 else ()
        out.append(HeldGroup(tuple(held), motions))
    return tuple(out)


@dataclass(frozen=True)
class StickingUnit:
    """Joints that stick and slide together, or one joint alone."""

    places: tuple[int, ...]  # of their efforts
    u: Number  # (m,) their speeds per speed of the freedom
    efforts: Number  # (m,) their efforts per part of their limits


Limit = Callable[[int, Number, Number], tuple[Number, Number]]
"""(velocity of a joint, its given limit, efforts φ (s,)) → its limit while sticking, with derivatives (1, s)."""


@dataclass(frozen=True)
class _Loaded:
    """A joint of a group at some efforts."""

    places: tuple[int, ...]  # of its effort, or of those in several directions
    limit: Number  # its largest effort
    rates: Number  # derivatives (1, s) of this
    unloaded: Number  # its largest effort without friction


@dataclass(frozen=True)
class Shares:
    """Joints that hold their freedoms together: those that move in the decisive motion use equal parts e of limits."""

    groups: Sequence[HeldGroup]  # the joints of each group
    H: Number  # accelerations (s, s) of the velocities under unit efforts
    a0: Number  # and without efforts (s,)

    @property
    def unknowns(self) -> int:
        """Number of parts e of limits."""
        return sum(group.unknowns for group in self.groups)

    def joined(self, A: Number, b: Number, y: Number, limit: Limit, *, given: bool = False) -> tuple[Number, Number]:
        """The equations A φ = b with those of the shares.

        Joints of a set, and those that move in the decisive motion of their group, have φ_i = e σ_i F_i(φ) with the
        signs σ of their velocities. A set that moves there has the part e of the group; for the other parts no freedom
        that they hold has an acceleration.

        Beyond |e| = 1, which no friction holds, F_i grows no more with φ: what jams could need any part, or have none.

        Parameters
        ----------
        A, b : equations of the efforts (s, s), (s,).
        y : efforts (s,) and parts e at which the limits F are taken with their derivatives.
        limit : limits of the joints.
        given : whether the limits are taken as given, without derivatives.
        """
        n, count = A.shape[0], self.unknowns
        if not count:
            return A, b
        out, side, j = ca.SX(n + count, n + count), ca.SX(ca.vertcat(b, ca.SX(count, 1))), n
        out[:n, :n] = A
        for group in self.groups:
            joints, last = self._loaded(group, y[:n], limit), j + group.unknowns - 1
            every = [one for own in joints for one in own]
            signs, at_rest = self._decided(group, y[:n], joints)
            for m, (each, own) in enumerate(zip(group.sets, joints, strict=True)):
                moves = group.holds * (1 - at_rest[m])
                some, loaded = (
                    ca.if_else(moves, sum(x > 0 for x in all_of), sum(x > 0 for x in of_set))
                    for all_of, of_set in (
                        ([one.unloaded for one in every], [one.unloaded for one in own]),
                        ([one.limit for one in every], [one.limit for one in own]),
                    )
                )
                part, along, holds = last, signs[m], moves
                if not each.is_single:
                    part, along, holds = j, each.own.directions, each.holds
                    stays, (row, free) = each.holds * (1 - moves), self._accelerations(each)
                    out[j, :n] = stays * row
                    side[j] = -stays * free
                    out[j, j] = 1 - stays
                    out[j, last] -= moves * signs[m]
                    j += 1
                e, within = ca.fmax(ca.fmin(y[part], 1), -1), ca.fabs(y[part]) <= 1
                for k, (i, one) in enumerate((i, joint) for joint in own for i in joint.places):
                    beyond = ca.if_else(some, one.unloaded, 1)  # without loads equal efforts, which pass the limits
                    slope = ca.if_else(within, ca.if_else(loaded, one.limit, 1), beyond)
                    rates = (0 if given else e) * along[k] * one.rates
                    known = ca.if_else(within, 0, along[k] * e * (one.limit - beyond)) - ca.dot(rates.T, y[:n])
                    row = -rates
                    row[i] += 1
                    out[i, :n] = ca.if_else(holds, row, out[i, :n])
                    out[i, part] = -holds * along[k] * slope
                    side[i] = ca.if_else(holds, known, side[i])
            if group.motions:
                for m, each in enumerate(group.sets):
                    row, free = self._accelerations(each)
                    out[j, :n] += group.holds * signs[m] * row
                    side[j] -= group.holds * signs[m] * free
                out[j, j] = 1 - group.holds
                j += 1
        return out, side

    def at_rest(self, y: Number, limit: Limit) -> dict[int, Number]:
        """By place: 1 for joints that stay at rest as their group begins to move.

        Parameters
        ----------
        y, limit : as of `joined`.
        """
        out, phi = dict[int, Number](), y[: self.a0.shape[0]]
        for group in self.groups:
            if group.motions:
                _, at_rest = self._decided(group, phi, self._loaded(group, phi, limit))
                out |= {i: at_rest[m] for m, each in enumerate(group.sets) for i in each.own.places}
        return out

    def along_freedoms(self, y: Number, limit: Limit) -> dict[int, tuple[Number, Number]]:
        """By place: what the joints of one freedom hold along it together, and the most that they can hold.

        Where a joint has no load, its own effort and limit are round-off, and do not say what part of it is in use.

        Parameters
        ----------
        y, limit : as of `joined`.
        """
        out, phi = dict[int, tuple[Number, Number]](), y[: self.a0.shape[0]]
        for group in self.groups:
            for each, joints in zip(group.sets, self._loaded(group, phi, limit), strict=True):
                if not each.is_single:
                    held = ca.dot(each.own.u, phi[each.own.places])
                    most = ca.dot(each.own.lengths, ca.vertcat(*(one.limit for one in joints)))
                    directions = ca.vertsplit(each.own.directions)
                    out |= {i: (way * held, most) for i, way in zip(each.own.places, directions, strict=True)}
        return out

    def units(self, y: Number, limit: Limit) -> list[StickingUnit]:
        """The joints of one freedom that share what they hold.

        Parameters
        ----------
        y, limit : as of `joined`.
        """
        out, phi = list[StickingUnit](), y[: self.a0.shape[0]]
        for group in self.groups:
            for each, joints in zip(group.sets, self._loaded(group, phi, limit), strict=True):
                if not each.is_single:
                    efforts = each.own.directions * each.own.of_joints(ca.vertcat(*(one.limit for one in joints)))
                    out.append(StickingUnit(tuple(each.own.places), each.own.u, efforts))
        return out

    def _loaded(self, group: HeldGroup, phi: Number, limit: Limit) -> list[list[_Loaded]]:
        """The joints of each set of a group at the efforts (s,)."""
        none = ca.SX(phi.shape[0], 1)
        return [
            [
                _Loaded(places, *limit(k, given, phi), limit(k, given, none)[0])
                for k, given, places in zip(each.velocities, each.limits, each.own.joints, strict=True)
            ]
            for each in group.sets
        ]

    def _decided(self, group: HeldGroup, phi: Number, joints: Sequence[Sequence[_Loaded]]) -> tuple[Number, Number]:
        """Signs and sets at rest in the decisive motion of a group; a group that is one set has none, and rests."""
        if not group.motions:
            return ca.SX(1), ca.SX(1)
        released = ca.SX(phi)
        released[[i for each in group.sets for i in each.own.places]] = 0
        limits = [ca.vertcat(*(one.limit for one in own)) for own in joints]
        most = [ca.dot(each.own.lengths, own) for each, own in zip(group.sets, limits, strict=True)]
        return group.decisive(along([each.own for each in group.sets], self.a0 + self.H @ released), ca.vertcat(*most))

    def _accelerations(self, each: HeldSet) -> tuple[Number, Number]:
        """What vanishes if a set has no acceleration along its freedom: under unit efforts (1, s), and without."""
        signs, at = each.own.directions, each.own.places
        return signs.T @ self.H[at, :], ca.dot(signs, self.a0[at])
