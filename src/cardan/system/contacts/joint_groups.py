"""Joints with friction that move only together: what they hold together, and how they share it.

Joints of r freedoms that stick have velocities w = B ċ, with orthonormal columns in B (K, r). Their efforts φ_i act by
Q = Σ B_iᵀ φ_i alone, which the motion determines. The least part e of their limits with which they hold it, with
|φ_i| ≤ e F_i, is a cone programme; its dual seeks the motion c that is nearest to its limit,

    e = max Q·c/Σ F_i |B_i c|

With this motion they break away at e = 1, and those with B_i c = 0 go on sticking: r − 1 joints of one motion each,
since such a maximum lies at a corner of Σ F_i |B_i c| ≤ 1. One joint alone has e = |φ|/F, and so a ball that the
mechanism leaves fewer than three freedoms; joints of one freedom have e = |Q|/Σ F_i |B_i|. The joints that would move
share what they hold in proportion to their limits, φ_i = −e F_i w_i/|w_i|.

With the accelerations H_ij = B_i M⁻¹ B_jᵀ of unit efforts, the columns of H span what those of B do.

Source: Lobo, Vandenberghe, Boyd & Lebret 1998, Linear Algebra Appl. 284:193 (cone programmes and their duals); Ziegler
1995, *Lectures on Polytopes*, §7.3 (corners for joints of one motion each); Golub & Van Loan 2013, *Matrix
Computations*, §5.4.2 (pivoting)
"""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import HALF_THE_DIGITS, ROUND_OFF
from cardan.system.contacts.load_equations import STEPS


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


LimitAt = Callable[[int, Number], tuple[Number, Number]]
"""(velocity of a joint, efforts φ (s,)) → its largest effort while sticking, with derivatives (1, s)."""


@dataclass(frozen=True)
class HeldGroup:
    """A group in a state."""

    group: JointGroup
    joints: tuple[tuple[int, ...], ...]  # places of the efforts of each joint among the unknown ones
    B: Number  # (K, r) with orthonormal columns; zero rows where a joint slides, zero columns where few stick

    @property
    def places(self) -> list[int]:
        """Places (K,) of all these efforts."""
        return [i for own in self.joints for i in own]

    @property
    def sizes(self) -> list[int]:
        """Number of motions of each joint."""
        return [len(own) for own in self.joints]

    def parts(self, x: Number) -> list[Number]:
        """The numbers (K,) of each joint."""
        return [x[first:last] for first, last in pairwise(np.cumsum([0, *self.sizes]).tolist())]

    def shared(self, phi: Number, limit: LimitAt) -> tuple[Number, Number]:
        """Speeds (K,) with which they would begin to move, a unit vector, and what they hold of the efforts φ (s,)."""
        own, velocities = phi[self.places], self.group.velocities
        Q = self.B.T @ own
        if len(self.joints) == 1:
            return -own / ca.if_else(norm(own) > 0, norm(own), 1), own
        if self.group.freedoms == 1:
            w = ca.if_else(Q >= 0, -1, 1) * self.B
            return w, self._in_proportion(phi, Q, limit)
        F = ca.vertcat(*(limit(k, phi)[0] for k in velocities))
        w = -self._first_motion(F, Q)
        return w, self._with_rests(w, F, Q, own)

    def _first_motion(self, F: Number, Q: Number) -> Number:
        """Speeds B c (K,) of the motion nearest to its limit, a unit vector; each joint has one motion."""
        best, out = ca.SX(-1), ca.SX(len(self.places), 1)
        least = HALF_THE_DIGITS * ca.mmax(F)  # one without friction holds hardly anything
        for at_rest in combinations(range(len(self.places)), self.group.freedoms - 1):
            rows = list[Number]()
            for i in at_rest:
                rows.append(_new_direction(self.B[i, :].T, rows))
            c = _without(Q, rows)
            w = self.B @ c
            most = ca.dot(ca.fmax(F, least), ca.fabs(w))
            part = ca.dot(Q, c) / _or_one(most)
            out, best = ca.if_else(part > best, w / _or_one(norm(w)), out), ca.fmax(part, best)
        return out

    def _in_proportion(self, phi: Number, Q: Number, limit: LimitAt) -> Number:
        """Efforts (K,) of joints of one freedom, φ_i = e F_i(φ) u_i/|u_i|: all use the same part e of their limits.

        Beyond e = 1 the limits are those at e = 1. Newton's method from the efforts without friction.
        """
        at, count, directions = self.places, len(self.places), ca.vertcat(*map(_direction, self.parts(self.B)))
        x, none = ca.SX(count, 1), ca.SX(1, count)
        for _ in range(STEPS):
            every = ca.SX(phi)
            every[at] = x
            found = [limit(k, every) for k in self.group.velocities]
            follows = any(rates.nnz() for _, rates in found)
            F = ca.vertcat(*(x for (x, _), own in zip(found, self.joints, strict=True) for _ in own))
            most = ca.dot(ca.fabs(self.B), F) if max(self.sizes) == 1 else ca.dot(self.B, directions * F)
            e = Q / ca.if_else(most > 0, most, 1)
            if not follows:
                return e * F * directions
            rates = [
                rate[0, at] if rate.nnz() else none
                for (_, rate), own in zip(found, self.joints, strict=True)
                for _ in own
            ]
            within, part = ca.fabs(Q) < most, ca.fmax(ca.fmin(e, 1), -1)
            J = ca.diag(directions) @ ca.vertcat(*rates)
            A = ca.vertcat(
                ca.horzcat(ca.SX.eye(count) - part * J, -F * directions),
                ca.if_else(within, ca.horzcat(self.B.T, ca.SX(1, 1)), ca.horzcat(none, ca.SX(1))),
            )
            side = ca.vertcat(-part * J @ x, ca.if_else(within, Q, ca.sign(Q)))
            x = ca.solve(ca.densify(A), ca.densify(side))[:count]
        return x

    def _with_rests(self, w: Number, F: Number, Q: Number, own: Number) -> Number:
        """Efforts (K,) of joints that would move with speeds w, in proportion to their limits, and of the others."""
        speeds = ca.vertcat(*map(norm, self.parts(w)))
        moves = speeds > HALF_THE_DIGITS
        e = -ca.dot(w, own) / _or_one(ca.dot(F, speeds))
        along = [-moves[i] * e * F[i] * _direction(part) for i, part in enumerate(self.parts(w))]
        slid = ca.vertcat(*along)
        rests = ca.diag(ca.vertcat(*(1 - moves[i] for i, own in enumerate(self.joints) for _ in own))) @ self.B
        return slid + rests @ semidefinite_solve(rests.T @ rests, Q - self.B.T @ slid)


def _new_direction(x: Number, known: Sequence[Number]) -> Number:
    """Unit vector along what x has beside these unit vectors; zero where that is nothing."""
    new = _without(x, known)
    is_new = norm(new) > HALF_THE_DIGITS * norm(x)
    return is_new * new / ca.if_else(is_new, norm(new), 1)


def _without(x: Number, known: Sequence[Number]) -> Number:
    """What x has beside these unit vectors, at right angles to each other; once more against round-off."""
    for u in (*known, *known):
        x = x - u * ca.dot(u, x)
    return x


def norm(x: Number) -> Number:
    """|x| of a vector (k,), whose derivatives are zero at x = 0."""
    if x.shape[0] == 1:
        return ca.fabs(x)
    square = ca.dot(x, x)
    return ca.if_else(square > 0, ca.sqrt(ca.if_else(square > 0, square, 1)), 0)


def _or_one(x: Number) -> Number:
    return ca.if_else(x > 0, x, 1)


def _direction(x: Number) -> Number:
    """x/|x|, zero where x is."""
    return ca.sign(x) if x.shape[0] == 1 else x / _or_one(norm(x))


def held_group(H: Number, slides: Number, rows: Sequence[int], group: JointGroup) -> HeldGroup:
    """A group by the accelerations H (s, s) of the velocities `rows` under unit efforts, and which of them slide."""
    joints = tuple(tuple(map(rows.index, group.held_by(k))) for k in group.velocities)
    at = [i for own in joints for i in own]
    sticks = 1 - slides[at]
    held = ca.diag(sticks) @ H[at, at] @ ca.diag(sticks)
    if len(group.sets) == 1:
        return HeldGroup(group, joints, _basis(held, group.freedoms))
    freedoms = sum(
        1 - slides[rows.index(group.held_by(own[0])[0])] for own in group.sets
    )  # each holds one, of r at most
    return HeldGroup(group, joints, _basis(held, group.freedoms, freedoms))


def _basis(H: Number, freedoms: int, rank: Number | None = None) -> Number:
    """Orthonormal columns (K, r) that span those of H; zero from its `rank` on."""
    left, out, first = ca.densify(H), list[Number](), None
    for i in range(freedoms):
        column, pivot = left[:, 0], left[0, 0]
        for k in range(1, left.shape[1]):
            column, pivot = ca.if_else(left[k, k] > pivot, left[:, k], column), ca.fmax(left[k, k], pivot)
        first = pivot if first is None else first
        is_new = pivot > HALF_THE_DIGITS * first
        is_new = is_new if rank is None else ca.logic_and(is_new, rank > i + 0.5)
        u = is_new * column / _or_one(norm(column))
        out.append(u)
        left = left - u @ (u.T @ left)
        left = left - (left @ u) @ u.T
    return ca.horzcat(*out)


def least_solve(H: Number, b: Number, freedoms: int, size: Number) -> Number:
    """The shortest solution of H x = b for a semidefinite H of this rank; b/size where H is below its `size`."""
    B = _basis(H, freedoms)
    return ca.if_else(ca.trace(H) > size, B @ semidefinite_solve(B.T @ H @ B, B.T @ b), b / size)


def semidefinite_solve(H: Number, b: Number) -> Number:
    """Solution of H x = b by LDLᵀ, with x = 0 in rows that depend on those before them."""
    n, L, x = H.shape[0], ca.SX.eye(H.shape[0]), ca.densify(ca.SX(b))
    d, inverse = ca.SX(n, 1), ca.SX(n, 1)
    for i in range(n):
        for k in range(i):
            L[i, k] = inverse[k] * (H[i, k] - sum(L[i, j] * L[k, j] * d[j] for j in range(k)))
        pivot = H[i, i] - sum(L[i, j] ** 2 * d[j] for j in range(i))
        is_sound = pivot > ROUND_OFF * H[i, i]
        d[i], inverse[i] = is_sound * pivot, is_sound / ca.if_else(is_sound, pivot, 1)
        x[i] -= sum(L[i, j] * x[j] for j in range(i))
    x = inverse * x
    for i in reversed(range(n)):
        x[i] -= sum(L[j, i] * x[j] for j in range(i + 1, n))
    return x
