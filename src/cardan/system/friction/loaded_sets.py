"""What joints of one freedom hold by friction where their limits follow the load.

The limits F depend on the efforts φ in turn: φ_i = e σ_i F_i(φ) with the part e of their limits, which all use, and the
signs σ of their velocities, unit vectors where a joint sticks in several directions. With each part e comes one
equation: what it holds has no acceleration, Σ σ_i·v̇_i = 0. All are solved with the other efforts (`equations`).

Source: Pfeiffer & Glocker 1996, ch. 5
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.system.friction.groups import JointSet, SharedLimits, sets_of

__all__ = ["HeldSet", "LoadedSets", "held_sets"]


@dataclass(frozen=True)
class HeldSet:
    """Joints of one freedom while friction holds them, all or none."""

    own: JointSet  # their velocities, and the places of their efforts
    holds: Number  # 1 while all stick, and not at a closed stop, else 0
    joints: tuple[tuple[int, Number], ...]  # velocity of each, and its given largest effort without load


def held_sets(moving: Number, rows: Sequence[int], groups: Sequence[SharedLimits]) -> tuple[HeldSet, ...]:
    """The joints of each group while friction holds them; each group has one freedom."""
    out = []
    for group in groups:
        (own,) = sets_of(moving, rows, group.group)
        holds = reduce(operator.mul, (sticks for _, sticks in group.joints.values()))
        out.append(HeldSet(own, holds, tuple((k, limit) for k, (limit, _) in group.joints.items())))
    return tuple(out)


Limit = Callable[[int, Number, Number], tuple[Number, Number]]
"""(velocity of a joint, its given limit, efforts φ (s,)) → its limit while sticking, with derivatives (1, s)."""


@dataclass(frozen=True)
class _Loaded:
    """A joint of a set at some efforts."""

    places: tuple[int, ...]  # of its effort, or of those in several directions
    limit: Number  # its largest effort
    rates: Number  # derivatives (1, s) of this
    unloaded: Number  # its largest effort without friction

    def effort(self, e: Number, some: Number, loaded: Number) -> tuple[Number, Number]:
        """a and b in the effort a e + b of a joint that uses the part e of its limit.

        Beyond |e| = 1, which no friction holds, the limit grows no more with the efforts: what jams could need any
        part, or have none.
        """
        within, beyond = ca.fabs(e) <= 1, ca.if_else(some, self.unloaded, 1)
        slope = ca.if_else(within, ca.if_else(loaded, self.limit, 1), beyond)
        return slope, ca.if_else(within, 0, _clipped(e) * (self.limit - beyond))


@dataclass(frozen=True)
class LoadedSets:
    """Joints of one freedom that hold it together, with equal parts e of their limits."""

    sets: Sequence[HeldSet]  # the joints of each freedom
    H: Number  # accelerations (s, s) of the velocities under unit efforts
    a0: Number  # and without efforts (s,)

    @property
    def unknowns(self) -> int:
        """Number of parts e of limits."""
        return len(self.sets)

    def joined(self, A: Number, b: Number, y: Number, limit: Limit, *, given: bool = False) -> tuple[Number, Number]:
        """The equations A φ = b with those of the sets: φ_i = e σ_i F_i(φ), and no acceleration for each e."""
        n, count = A.shape[0], self.unknowns
        if not count:
            return A, b
        out, side, phi = ca.SX(n + count, n + count), ca.SX(ca.vertcat(b, ca.SX(count, 1))), y[:n]
        out[:n, :n] = A
        for part, each in enumerate(self.sets, start=n):
            joints, signs, holds = self._loaded(each, phi, limit), each.own.directions, each.holds
            of_efforts, e = _effort_of_each(joints, y[part]), 0 if given else _clipped(y[part])
            rates = ca.vertcat(*(one.rates for one in joints for _ in one.places))
            for m, i in enumerate(each.own.places):
                slope, more = of_efforts[m]
                row = -e * signs[m] * rates[m, :]
                known = signs[m] * more + ca.dot(row.T, phi)
                row[i] += 1
                out[i, :n] = ca.if_else(holds, row, out[i, :n])
                out[i, part] = -holds * signs[m] * slope
                side[i] = ca.if_else(holds, known, side[i])
            at = each.own.places
            out[part, :n] = holds * (signs.T @ self.H[at, :])
            side[part] = -holds * ca.dot(signs, self.a0[at])
            out[part, part] = 1 - holds
        return out, side

    def along_freedoms(self, y: Number, limit: Limit) -> dict[int, tuple[Number, Number]]:
        """By place: what the joints of one freedom hold along it together, and the most that they can hold.

        Where a joint has no load, its own effort and limit are round-off, and do not say what part of it is in use.
        """
        out, phi = dict[int, tuple[Number, Number]](), y[: self.a0.shape[0]]
        for each in self.sets:
            held = ca.dot(each.own.u, phi[each.own.places])
            most = ca.dot(each.own.lengths, self._limits(each, phi, limit))
            directions = ca.vertsplit(each.own.directions)
            out |= {i: (sign * held, most) for i, sign in zip(each.own.places, directions, strict=True)}
        return out

    def _limits(self, each: HeldSet, phi: Number, limit: Limit) -> Number:
        """Largest effort of each joint of a set."""
        return ca.vertcat(*(limit(k, given, phi)[0] for k, given in each.joints))

    def _loaded(self, each: HeldSet, phi: Number, limit: Limit) -> list[_Loaded]:
        """The joints of a set at the efforts (s,)."""
        none, out = ca.SX(phi.shape[0], 1), []
        for (k, given), places in zip(each.joints, each.own.joints, strict=True):
            out.append(_Loaded(places, *limit(k, given, phi), limit(k, given, none)[0]))
        return out


def _effort_of_each(joints: Sequence[_Loaded], e: Number) -> list[tuple[Number, Number]]:
    """`_Loaded.effort` for each effort of the joints of a set."""
    loads = sum(one.unloaded > 0 for one in joints), sum(one.limit > 0 for one in joints)
    return [one.effort(e, *loads) for one in joints for _ in one.places]


def _clipped(e: Number) -> Number:
    return ca.fmax(ca.fmin(e, 1), -1)
