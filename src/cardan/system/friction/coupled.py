"""Efforts of friction that are unknowns of the equations of motion: of joints that stick, or that follow a load.

All answers are linear in these efforts φ: v̇ = a₀ + A φ, λ = λ₀ + Λ φ, and so the contact forces c = c₀ + C φ of each
joint. A joint that sticks has v̇ = 0. One that slides has φ = −σ (given + ratio N) by the way σ it slides, with the
ratio coefficient · arm and the normal load N = preload + Σ |c|. Newton's method takes |c| = u·c with the direction u of
the last c, so that each step solves linear equations for the efforts.

Source: Pfeiffer & Glocker 1996, *Multibody Dynamics with Unilateral Contacts*, ch. 5; Haug, Wu & Yang 1986, *Dynamics
of mechanical systems with Coulomb friction, stiction, impact and constraint addition-deletion*, Mech. Mach. Theory 21
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.relative import Slip
from cardan.kinematics.tree import Number
from cardan.numerics.determinant import determinant
from cardan.numerics.round_off import EPSILON, ROUND_OFF
from cardan.system.friction.sharing import OneFreedom, in_proportion

__all__ = ["Rub", "Rubbing", "Solved", "Stuck", "friction_of_motion", "held_still", "with_friction"]

STEPS = 6  # of Newton's method: friction that turns a contact force by 0.3 rad leaves 0.3 ** 2 ** STEPS < 1e-16 of it
HALF_THE_DIGITS = EPSILON**0.5  # where Newton's method has come so near, one more step would leave round-off

Contacts = Callable[[Number, Number, Mapping[int, Number]], Mapping[int, Sequence[Number]]]
"""(v̇, λ, efforts of friction by velocity) → contact forces by velocity, linear in all of these."""


@dataclass(frozen=True)
class Stuck:
    """A velocity that friction may hold at zero."""

    velocity: int  # its index; those of relative motions come after the velocities of the tree
    slip: Slip  # its acceleration as a linear function of v̇
    slides: Number  # 1 while it slides, 0 while it sticks
    rests: tuple[int, ...]  # velocities of the tree that are exactly zero while it sticks: no creep
    given: Number = 0  # size of the effort while it slides that is no unknown [N, N m]


@dataclass(frozen=True)
class Rub:
    """Friction of one joint whose effort is an unknown while it slides: −σ (given + ratio N)."""

    way: Callable[[Number], Number]  # acceleration of the joint → the way σ it slides
    given: Number  # effort that does not follow the load [N, N m]
    ratio: Number  # effort over normal load while it slides [1, m]
    given_limit: Number  # largest given effort while it sticks [N, N m]
    holding: Number  # largest effort over normal load while it sticks [1, m]
    preload: Number  # [N]
    slip: Slip  # acceleration of the joint as a linear function of v̇


@dataclass(frozen=True)
class Rubbing:
    """Friction whose effort is an unknown, by the joint's velocity."""

    rubs: Mapping[int, Rub]  # laws
    contacts: Contacts  # contact forces of their joints, none where friction does not follow the load

    def limits(self, a: Number, lam: Number, efforts: Mapping[int, Number]) -> dict[int, Number]:
        """Largest efforts while sticking, by velocity [N, N m].

        Parameters
        ----------
        a, lam : accelerations (nv,) and multipliers (c,).
        efforts : efforts of friction by velocity.
        """
        found = self.contacts(a, lam, efforts)
        return {k: _limit(rub, (_length(c) for c in found[k])) for k, rub in self.rubs.items()}


@dataclass(frozen=True)
class Solved:
    """Accelerations, multipliers, and efforts of friction."""

    a: Number  # (nv,)
    lam: Number  # (c,)
    phi: Mapping[int, Number] = field(default_factory=dict)  # efforts by velocity; of sliding the part from the load
    limits: Mapping[int, Number] = field(default_factory=dict)  # largest efforts from the load while sticking
    slopes: Mapping[int, Number] = field(default_factory=dict)  # positive where just one solution exists
    given_slopes: Mapping[str, Number] = field(default_factory=dict)  # the same of given parts, by constraint
    sizes: Mapping[int, Number] = field(default_factory=dict)  # of the terms of accelerations, by velocity


def with_friction(
    a: Number, lam: Number, stuck: Sequence[Stuck], rubbing: Rubbing | None = None, shared: Sequence[OneFreedom] = ()
) -> Solved:
    """(v̇, λ) and the efforts φ of joints that stick or follow their load, zero for others.

    Parameters
    ----------
    a, lam : v̇ (n, 1 + s) and λ (c, 1 + s) under the forces, then under unit efforts on the velocities of `stuck`.
    stuck : the s velocities that friction may hold, or whose friction follows the load.
    rubbing : friction that follows the load.
    shared : joints with given limits that hold one freedom together.
    """
    rows, slides = [each.velocity for each in stuck], ca.vertcat(*(each.slides for each in stuck))
    own = ca.vertcat(*(each.slip.accelerations(a) for each in stuck))
    H, a0 = ca.densify(own[:, 1:]), ca.densify(own[:, 0])
    sticks = ca.diag(1 - slides)
    system, side = sticks @ H + ca.diag(slides), -(1 - slides) * a0
    if rubbing is None:
        phi = _semidefinite_solve(sticks @ H @ sticks + ca.diag(slides), side)
        phi = in_proportion(phi, H, rows, shared)
        limits, slopes = dict[int, Number](), dict[int, Number]()
    else:
        phi, limits, slopes = _newton(_Loads.of(a, lam, rows, rubbing), system, side, slides)
    out = ca.SX(a[:, 0] + a[:, 1:] @ phi)
    for each in stuck:
        for k in each.rests:
            out[k] *= each.slides
    efforts = {k: phi[i] for i, k in enumerate(rows)}
    terms = ca.fabs(phi) + ca.vertcat(*(each.given for each in stuck))  # given ones may have cancelled others in a
    every = ca.fabs(a[:, 0]) + ca.fabs(a[:, 1:]) @ terms
    sizes = {each.velocity: ca.fabs(each.slip.J) @ every + ca.fabs(each.slip.bias) for each in stuck}
    return Solved(out, lam[:, 0] + lam[:, 1:] @ phi, efforts, limits, slopes, sizes=sizes)


def held_still(v: Number, A: Number, stuck: Sequence[Stuck]) -> Number:
    """Velocities (n,) after impulses that stop those that stick.

    Parameters
    ----------
    v : velocities before (n,).
    A : velocities (n, s) that unit impulses on the velocities of `stuck` cause.
    stuck : the s velocities that may be held.
    """
    J, slides = ca.vertcat(*(each.slip.J for each in stuck)), ca.vertcat(*(each.slides for each in stuck))
    sticks = ca.diag(1 - slides)
    H = sticks @ ca.densify(J @ A) @ sticks + ca.diag(slides)
    out = ca.SX(v + A @ _semidefinite_solve(H, -(1 - slides) * ca.densify(J @ v)))
    for each in stuck:
        for k in each.rests:
            out[k] *= each.slides
    return out


def _semidefinite_solve(H: Number, b: Number) -> Number:
    """Solution of H x = b by LDLᵀ, with x = 0 in rows that depend on those before them.

    What a joint holds that can only move with joints before it is held by these.
    """
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


def friction_of_motion(a: Number, rubbing: Rubbing) -> dict[int, Number]:
    """Efforts of friction by velocity, where the accelerations are known and there are no loops.

    Parameters
    ----------
    a : accelerations (nv,).
    rubbing : friction that follows the load.
    """
    rows = list(rubbing.rubs)
    one = ca.SX.eye(len(rows))
    still = ca.horzcat(a, ca.DM(a.shape[0], len(rows)))
    loads = _Loads.of(still, ca.DM(0, 1 + len(rows)), rows, rubbing)
    phi, _, _ = _newton(loads, one, ca.SX(len(rows), 1), ca.SX.ones(len(rows)))
    return {k: phi[i] for i, k in enumerate(rows)}


def _newton(
    loads: _Loads, system: Number, side: Number, slides: Number
) -> tuple[Number, dict[int, Number], dict[int, Number]]:
    """Efforts, and by velocity their limits and the least determinant of their equations."""
    if side.shape[0] == 1 and len(loads.every[0].parts) == 1:
        phi = loads.alone(system, side, slides)
    else:
        phi = ca.SX(side.shape[0], 1)
        for _ in range(STEPS):
            phi = ca.solve(*loads.linear(system, side, slides, phi))
    return phi, loads.limits(phi), loads.slopes(system, side, slides, phi)


@dataclass(frozen=True)
class _Load:
    """Contact forces c + C φ of one joint."""

    velocity: int  # index of its velocity
    row: int  # place of its effort among the unknown ones
    way: Number  # the way σ it slides
    rub: Rub  # its law
    parts: Sequence[tuple[Number, Number]]  # c and C of each contact force


@dataclass(frozen=True)
class _Loads:
    """Contact forces of all joints whose friction is an unknown while they slide."""

    every: tuple[_Load, ...]  # one for each joint

    @staticmethod
    def of(a: Number, lam: Number, rows: list[int], rubbing: Rubbing) -> _Loads:
        """The contact forces as linear functions of the efforts on the velocities `rows`."""
        phi = ca.SX.sym("phi", len(rows))
        own = {k: phi[i] for i, k in enumerate(rows)}
        found = rubbing.contacts(a[:, 0] + a[:, 1:] @ phi, lam[:, 0] + lam[:, 1:] @ phi, own)
        out = []
        for k, rub in rubbing.rubs.items():
            parts = [_linear(each, phi) for each in found[k]]
            out.append(_Load(k, rows.index(k), rub.way(rub.slip.accelerations(a)[0]), rub, parts))
        return _Loads(tuple(out))

    def linear(self, system: Number, side: Number, slides: Number, phi: Number) -> tuple[Number, Number]:
        """Matrix and right-hand side of the equations for the efforts, with the contact forces' directions at φ."""
        A, b = ca.SX(system), ca.SX(side)
        for load in self.every:
            i, against = load.row, -slides[load.row] * load.way
            ratio = against * load.rub.ratio
            b[i] += against * load.rub.given + ratio * load.rub.preload
            for c, C in load.parts:
                u = _direction(c + C @ phi)
                A[i, :] -= ratio * (u.T @ C)
                b[i] += ratio * ca.dot(u, c)
        return A, b

    def alone(self, system: Number, side: Number, slides: Number) -> Number:
        """The effort of a single joint with a single contact force, from a quadratic equation.

        With φ = g + r N and c̃ = c + C g, C̃ = r C: N = |c̃ + C̃ N|.
        """
        (load,) = self.every
        ((c, C),) = load.parts
        against = -slides[0] * load.way
        g = (side + against * (load.rub.given + load.rub.ratio * load.rub.preload)) / system
        r = against * load.rub.ratio / system
        known, turned = c + C @ g, C @ r
        square, along, rest = ca.dot(known, known), ca.dot(known, turned), 1 - ca.dot(turned, turned)
        return g + r * (along + _root(along**2 + rest * square)) / rest

    def limits(self, phi: Number) -> dict[int, Number]:
        """Largest efforts while sticking, by velocity [N, N m]."""
        return {load.velocity: _limit(load.rub, (_length(c + C @ phi) for c, C in load.parts)) for load in self.every}

    def slopes(self, system: Number, side: Number, slides: Number, phi: Number) -> dict[int, Number]:
        """Least determinant of the equations, by velocity: at φ, and with contact forces of the joint turned round.

        Without friction all are positive; one that is not belongs to several solutions or none. The joints are tested
        one by one, not in all combinations. A joint that slides and whose equation φ does not solve has −1: Newton's
        method, which converges quadratically to a single solution, is lost where there is none.
        """
        A, b = self.linear(system, side, slides, phi)  # with the contact forces' directions at φ: exact there
        lacking, size = ca.fabs(A @ phi - b), ca.fabs(A) @ ca.fabs(phi) + ca.fabs(b)
        lost = lacking > HALF_THE_DIGITS * size
        out, least = {}, determinant(A)
        for load in self.every:
            row = -2 * slides[load.row] * load.way * load.rub.ratio
            parts = [row * (_direction(c + C @ phi).T @ C) for c, C in load.parts]
            turned = [*parts, *([sum(parts)] if len(parts) > 1 else [])]
            out[load.velocity] = least
            for change in turned:
                B = ca.SX(A)
                B[load.row, :] += change
                out[load.velocity] = ca.fmin(out[load.velocity], determinant(B))
            moves = slides[load.row] * load.way**2  # a joint held in all its directions has the way 0
            out[load.velocity] = ca.if_else(ca.logic_and(moves > 0.5, lost[load.row]), -1, out[load.velocity])
        return out


def _limit(rub: Rub, lengths: Iterable[Number]) -> Number:
    """Largest effort while sticking [N, N m], with contact forces of these lengths."""
    return rub.given_limit + rub.holding * (rub.preload + sum(lengths))


def _linear(expression: Number, phi: Number) -> tuple[Number, Number]:
    """c and C of an expression c + C φ, without the rows that are zero."""
    whole = _rows(expression)
    return ca.densify(ca.substitute(whole, phi, ca.DM.zeros(*phi.shape))), ca.densify(ca.jacobian(whole, phi))


def _rows(c: Number) -> Number:
    """The rows that are not zero; one in any case."""
    whole = ca.sparsify(ca.SX(c))
    rows = [i for i in range(whole.shape[0]) if whole[i, 0].nnz()]
    return whole[rows, 0] if rows else ca.SX(1, 1)


def _length(c: Number) -> Number:
    """|c|, whose derivatives are zero at c = 0."""
    c = _rows(c)
    if c.shape[0] == 1:
        return ca.fabs(c)
    return _root(ca.dot(c, c))


def _root(square: Number) -> Number:
    """Square root, whose derivatives are zero at 0."""
    return ca.if_else(square > 0, ca.sqrt(ca.if_else(square > 0, square, 1)), 0)


def _direction(c: Number) -> Number:
    """c/|c|, zero at c = 0."""
    if c.shape[0] == 1:
        return ca.sign(c)
    square = ca.dot(c, c)
    return c / ca.sqrt(square + (square <= 0))
