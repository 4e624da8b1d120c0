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
from itertools import accumulate

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.system.friction.sharing import JointSet, LeftMotion, SharedLimits, along, among, motions_of, sets_of

__all__ = ["HeldGroup", "HeldSet", "Shares", "StickingSet", "held_groups"]


@dataclass(frozen=True)
class HeldSet:
    """Joints of one freedom while friction holds them, all or none; or a joint of its own in its group."""

    own: JointSet
    holds: Number  # 1 while all stick, and not at a closed stop, else 0
    velocities: tuple[int, ...]  # of its joints
    limits: tuple[Number, ...]  # their given largest efforts, without the part that follows a load
    rubs: tuple[bool, ...]  # whether each has friction
    stopped: Number  # 1 while a closed stop holds them, else 0

    @property
    def is_single(self) -> bool:
        """Whether it has one joint, whose effort says what part of its limit it uses."""
        return len(self.limits) == 1


@dataclass(frozen=True)
class HeldGroup:
    """A group of joints while friction holds them."""

    sets: tuple[HeldSet, ...]
    motions: Sequence[LeftMotion]  # of the sets, of which one decides; none where the group is one set
    shared: SharedLimits  # largest efforts of its joints, and which of them friction or a stop holds

    @property
    def holds(self) -> Number:
        """1 while all that have friction stick, or are at closed stops which leave them a freedom; else 0."""
        with_friction = [each.holds + each.stopped for each in self.sets if any(each.rubs)]
        at_stops = [each.stopped for each in self.sets if not any(each.rubs)]
        enough = sum(at_stops, ca.SX(len(with_friction))) >= self.shared.group.freedoms
        held = reduce(operator.mul, with_friction, enough)
        return held - reduce(operator.mul, (each.stopped for each in self.sets))

    @property
    def unknowns(self) -> int:
        """Number of parts of limits that its equations have."""
        return sum(not each.is_single for each in self.sets) + bool(self.motions)

    def decisive(self, a: Number, limits: Number) -> tuple[Number, Number]:
        """Signs of the velocities (n,) in the motion that is nearest to its limit,
        and 1 for sets at rest in it (n,).
        """
        first, *others = self.motions
        signs, at_rest, most = first.signs, first.rests, first.considered(first.part(a, limits), self.shared)
        for motion in others:
            part = motion.considered(motion.part(a, limits), self.shared)
            signs = ca.if_else(part > most, motion.signs, signs)
            at_rest = ca.if_else(part > most, motion.rests, at_rest)
            most = ca.fmax(part, most)
        return signs, at_rest


def held_groups(moving: Number, rows: Sequence[int], groups: Sequence[SharedLimits]) -> tuple[HeldGroup, ...]:
    """The joints of each group while friction holds them."""
    out = []
    for group in groups:
        sets = sets_of(moving, rows, group.group)
        held = []
        for own, velocities, stopped in zip(sets, group.group.sets, group.stopped, strict=True):
            limits, sticks = zip(*(group.joints[k] for k in velocities), strict=True)
            rubs = tuple(k not in group.group.stops for k in velocities)
            holds = any(rubs) * reduce(operator.mul, sticks, 1 - stopped)
            held.append(HeldSet(own, holds, velocities, limits, rubs, stopped))
        freedoms = group.group.freedoms
        motions = motions_of(among(sets, moving), freedoms) if freedoms > 1 else ()
        out.append(HeldGroup(tuple(held), motions, group))
    return tuple(out)


@dataclass(frozen=True)
class StickingSet:
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
    rubs: bool  # whether it has friction

    def effort(self, e: Number, some: Number, loaded: Number) -> tuple[Number, Number]:
        """a and b in the effort a e + b of a joint that uses the part e of its limit.

        Beyond |e| = 1, which no friction holds, the limit grows no more with the efforts: what jams could need any
        part, or have none.
        """
        within, beyond = ca.fabs(e) <= 1, ca.if_else(some, self.unloaded, 1)
        slope = ca.if_else(within, ca.if_else(loaded, self.limit, 1), beyond)
        return slope, ca.if_else(within, 0, _clipped(e) * (self.limit - beyond))


@dataclass(frozen=True)
class Shares:
    """Joints that hold their freedoms together: those that move in the decisive motion use equal parts e of limits."""

    groups: Sequence[HeldGroup]  # the joints of each group
    H: Number  # accelerations (s, s) of the velocities under unit efforts
    a0: Number  # and without efforts (s,)
    known: Number | None = None  # what `decided` returns, where it is known

    @property
    def unknowns(self) -> int:
        """Number of parts e of limits."""
        return sum(group.unknowns for group in self.groups)

    def joined(self, A: Number, b: Number, y: Number, limit: Limit, *, given: bool = False) -> tuple[Number, Number]:
        """The equations A φ = b with those of the shares.

        Joints of a set, and those that move in the decisive motion of their group, have φ_i = e σ_i F_i(φ) with the
        signs σ of their velocities. A set that moves there has the part e of the group; for the other parts no freedom
        that they hold has an acceleration.
        """
        n, count = A.shape[0], self.unknowns
        if not count:
            return A, b
        out, side, phi = ca.SX(n + count, n + count), ca.SX(ca.vertcat(b, ca.SX(count, 1))), y[:n]
        out[:n, :n] = A

        def share(one: _Loaded, part: int, along: Number, holds: Number, loads: tuple[Number, Number]) -> None:
            """Write the equations φ = e F u of a joint."""
            (slope, more), e = one.effort(y[part], *loads), 0 if given else _clipped(y[part])
            for i, component in zip(one.places, ca.vertsplit(along), strict=True):
                row = -e * component * one.rates
                known = component * more + ca.dot(row.T, phi)
                row[i] += 1
                out[i, :n] = ca.if_else(holds, row, out[i, :n])
                out[i, part] = -holds * component * slope
                side[i] = ca.if_else(holds, known, side[i])

        loaded = [self._loaded(group, phi, limit) for group in self.groups]
        decided = self._decided(y, loaded)
        for group, last, sets in zip(self.groups, self._parts, loaded, strict=True):
            (signs, at_rest), decided = _split(decided, group)
            j, every = last + 1 - group.unknowns, _loads([one for own in sets for one in own])
            for m, (each, own) in enumerate(zip(group.sets, sets, strict=True)):
                moves = group.holds * (1 - at_rest[m])
                loads = tuple(ca.if_else(moves, *pair) for pair in zip(every, _loads(own), strict=True))
                part, along, holds = last, signs[m], moves
                if not each.is_single:
                    part, along, holds = j, each.own.directions, each.holds
                    stays, (row, free) = each.holds * (1 - moves), self._accelerations(each)
                    out[j, :n] = stays * row
                    side[j] = -stays * free
                    out[j, j] = 1 - stays
                    out[j, last] -= moves * signs[m]
                    j += 1
                first = 0
                for one in own:
                    if one.rubs:
                        share(one, part, along[first : first + len(one.places)], holds, loads)
                    first += len(one.places)
            if group.motions:
                for m, each in enumerate(group.sets):
                    row, free = self._accelerations(each)
                    out[last, :n] += group.holds * signs[m] * row
                    side[last] -= group.holds * signs[m] * free
                out[last, last] = 1 - group.holds
        return out, side

    def decided(self, y: Number, limit: Limit) -> Number:
        """Signs of the velocities of the sets in the decisive motion of each group, and 1 for those at rest in it."""
        return self._decided(y, [self._loaded(group, y[: self.a0.shape[0]], limit) for group in self.groups])

    def at_rest(self, y: Number, limit: Limit) -> dict[int, Number]:
        """By place: 1 for joints that stay at rest as their group begins to move."""
        out, decided = dict[int, Number](), self.decided(y, limit)
        for group in self.groups:
            (_, at_rest), decided = _split(decided, group)
            if group.motions:
                out |= {i: at_rest[m] for m, each in enumerate(group.sets) for i in each.own.places}
        return out

    def along_freedoms(self, y: Number, limit: Limit) -> dict[int, tuple[Number, Number]]:
        """By place: what the joints of one freedom hold along it together, and the most that they can hold.

        Where a joint has no load, its own effort and limit are round-off, and do not say what part of it is in use.
        """
        out, phi = dict[int, tuple[Number, Number]](), y[: self.a0.shape[0]]
        for group in self.groups:
            for each, joints in zip(group.sets, self._loaded(group, phi, limit), strict=True):
                if not each.is_single:
                    held = ca.dot(each.own.u, phi[each.own.places])
                    most = ca.dot(each.own.lengths, ca.vertcat(*(one.limit for one in joints)))
                    directions = ca.vertsplit(each.own.directions)
                    out |= {i: (sign * held, most) for i, sign in zip(each.own.places, directions, strict=True)}
        return out

    def units(self, y: Number, limit: Limit) -> list[StickingSet]:
        """The joints of one freedom that share what they hold."""
        out, phi = list[StickingSet](), y[: self.a0.shape[0]]
        for group in self.groups:
            for each, joints in zip(group.sets, self._loaded(group, phi, limit), strict=True):
                if not each.is_single:
                    efforts = each.own.directions * each.own.of_joints(ca.vertcat(*(one.limit for one in joints)))
                    out.append(StickingSet(tuple(each.own.places), each.own.u, efforts))
        return out

    @property
    def _parts(self) -> list[int]:
        """Place among the unknowns of the last one of each group, its part e of the limits."""
        counts = (group.unknowns for group in self.groups)
        return [self.a0.shape[0] - 1 + end for end in accumulate(counts)]

    def _loaded(self, group: HeldGroup, phi: Number, limit: Limit) -> list[list[_Loaded]]:
        """The joints of each set of a group at the efforts (s,). At a closed stop friction holds none."""
        none = ca.SX(phi.shape[0], 1)

        def at(velocity: int, given: Number, places: tuple[int, ...], rubs: bool, free: Number) -> _Loaded:
            (most, rates), (unloaded, _) = limit(velocity, given, phi), limit(velocity, given, none)
            return _Loaded(places, free * most, free * rates, free * unloaded, rubs)

        return [
            [
                at(*joint, 1 - each.stopped)
                for joint in zip(each.velocities, each.limits, each.own.joints, each.rubs, strict=True)
            ]
            for each in group.sets
        ]

    def _decided(self, y: Number, loaded: Sequence[Sequence[Sequence[_Loaded]]]) -> Number:
        """`decided` for joints under these loads."""
        if self.known is not None:
            return self.known
        out, phi = list[Number](), y[: self.a0.shape[0]]
        for group, sets in zip(self.groups, loaded, strict=True):
            out += self._decisive(group, phi, sets)
        return ca.vertcat(ca.SX(0, 1), *out)

    def _decisive(self, group: HeldGroup, phi: Number, sets: Sequence[Sequence[_Loaded]]) -> tuple[Number, Number]:
        """Signs and sets at rest in the decisive motion of a group; one that is one set has none, and rests."""
        if not group.motions:
            return ca.SX(1), ca.SX(1)
        own, released = [each.own for each in group.sets], ca.SX(phi)
        limits = [
            ca.dot(each.lengths, ca.vertcat(*(one.limit for one in joints)))
            for each, joints in zip(own, sets, strict=True)
        ]
        released[[i for each in own for i in each.places]] = 0
        return group.decisive(along(own, self.a0 + self.H @ released), ca.vertcat(*limits))

    def _accelerations(self, each: HeldSet) -> tuple[Number, Number]:
        """What vanishes if a set has no acceleration along its freedom: under unit efforts (1, s), and without."""
        signs, at = each.own.directions, each.own.places
        return signs.T @ self.H[at, :], ca.dot(signs, self.a0[at])


def _clipped(e: Number) -> Number:
    return ca.fmax(ca.fmin(e, 1), -1)


def _loads(joints: Sequence[_Loaded]) -> tuple[Number, Number]:
    """Whether one of the joints has a limit without friction, and with it."""
    return sum(one.unloaded > 0 for one in joints), sum(one.limit > 0 for one in joints)


def _split(decided: Number, group: HeldGroup) -> tuple[tuple[Number, Number], Number]:
    """Signs and sets at rest of a group, and what `Shares.decided` says of those behind it."""
    n = len(group.sets)
    signs, at_rest, rest = ca.vertsplit(decided, [0, n, 2 * n, decided.shape[0]])
    return (signs, at_rest), rest
