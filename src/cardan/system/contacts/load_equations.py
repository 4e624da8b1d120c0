"""Equations for the efforts of friction that follows a load: their solution, and whether there is another one.

The contact forces of each joint are linear in the efforts φ, c = c₀ + C φ. A joint that slides has φ = −σ (given +
ratio N) by its slip sign σ, with the ratio coefficient · arm and the normal load N = preload + Σ |c|. Newton's
method takes |c| = u·c with the direction u of the last c, so that each step solves linear equations for the efforts.

Started at φ = 0 with the whole ratio, the iteration cycles where friction is strong. So the ratio is raised from step
to step (continuation): the part that is still missing is squared in each step, like the error of Newton's method where
it converges.

The signs of the determinants of the equations at all solutions add up to 1 without friction, and as long as none comes
from infinity: a second solution has a negative one. It is sought where it lies if there is a single joint: beyond the
efforts at which a contact force turns round, and at an effort of one joint so large that it decides about the contact
forces of all. Newton's method starts from that of these places where the determinant is least.

Source: Pfeiffer & Glocker 1996, *Multibody Dynamics with Unilateral Contacts*, ch. 5; Haug, Wu & Yang 1986, *Dynamics
of mechanical systems with Coulomb friction, stiction, impact and constraint addition-deletion*, Mech. Mach. Theory 21;
Cottle, Pang & Stone 2009, *The Linear Complementarity Problem*, ch. 6 (degree)
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.relative import Slip
from cardan.kinematics.tree import Number
from cardan.numerics.determinant import determinant
from cardan.numerics.round_off import HALF_THE_DIGITS, ROUND_OFF

STEPS = 8  # of Newton's method: after the seventh 2 ** -64 of the ratio is missing; the eighth leaves round-off
SHARES = tuple(1 - 2.0 ** -(2**k) for k in range(STEPS))  # of the ratio in each of them [-]
TINY = sys.float_info.min  # [N²] a contact force whose square is less is none: its direction would be lost in underflow

Contacts = Callable[[Number, Number, Mapping[int, Number]], Mapping[int, Sequence[Number]]]
"""(v̇, λ, efforts of friction by velocity) → contact forces by velocity, linear in all of these."""


@dataclass(frozen=True)
class Rub:
    """Friction of one joint whose effort is an unknown while it slides: −σ (given + ratio N)."""

    slip_sign: Callable[[Number], Number]  # acceleration of the joint → σ
    given: Number  # effort that does not follow the load [N, N m]
    ratio: Number  # effort over normal load while it slides [1, m]
    given_limit: Number  # largest given effort while it sticks [N, N m]
    holding: Number  # largest effort over normal load while it sticks [1, m]
    preload: Number  # [N]
    slip: Slip  # acceleration of the joint as a linear function of v̇
    reverse: Number | None = None  # of a gear: in place of the ratio while its load drives, σ c < 0
    most: Callable[[Number], Number] | None = None  # of a gear: effort held at rest → largest that its load may add

    def ratio_along(self, along: Number) -> Number:
        """Effort over a normal load that acts along the motion, or against it if `along` is negative."""
        return self.ratio if self.reverse is None else ca.if_else(along < 0, self.reverse, self.ratio)

    def limit(self, lengths: Iterable[Number], effort: Number) -> Number:
        """Largest effort while sticking [N, N m], with contact forces of these lengths, where it holds `effort`."""
        loaded = self.holding * (self.preload + sum(lengths)) if self.most is None else self.most(effort)
        return self.given_limit + loaded


@dataclass(frozen=True)
class Rubbing:
    """Friction whose effort is an unknown, by the joint's velocity."""

    rubs: Mapping[int, Rub]  # laws
    contacts: Contacts  # contact forces of their joints, none where friction does not follow the load

    def limits(self, a: Number, lam: Number, efforts: Mapping[int, Number]) -> dict[int, Number]:
        """Largest efforts while sticking, by velocity [N, N m]."""
        found = self.contacts(a, lam, efforts)
        return {k: rub.limit((_length(c) for c in found[k]), efforts[k]) for k, rub in self.rubs.items()}


@dataclass(frozen=True)
class _Load:
    """Contact forces c + C φ of one joint."""

    velocity: int  # index of its velocity
    row: int  # place of its effort among the unknown ones
    slip_sign: Number  # σ
    rub: Rub  # its law
    parts: Sequence[tuple[Number, Number]]  # c and C of each contact force


_Directions = list[list[Number]]
"""Unit vectors along the contact forces of each joint."""


@dataclass(frozen=True)
class LoadEquations:
    """The equations for the efforts: system φ = side, with −σ (given + ratio N) on the right of joints that slide."""

    rows: Sequence[int]  # indices of the s velocities
    system: Number  # (s, s)
    side: Number  # (s,)
    slides: Number  # (s,) 1 for joints that slide, else 0
    loads: tuple[_Load, ...]  # of each joint whose friction follows its load

    def solve(self) -> Number:
        """The efforts (s,): those of the solution that belongs to the one without friction, if it exists."""
        if self._is_alone:
            return self._alone()
        y = ca.SX(self.side.shape[0], 1)
        if not self.loads:  # the equations are linear
            return ca.solve(*self.linearised(y))
        for share in SHARES:
            y = ca.solve(*self.linearised(y, share))
        return y

    def linearised(self, y: Number, share: float = 1.0) -> tuple[Number, Number]:
        """Matrix (s, s) and right-hand side of the linear equations of a step of Newton's method from `y`."""
        return self._linear(self._directions(y), share)

    def limits(self, phi: Number) -> dict[int, Number]:
        """Largest efforts while sticking, by velocity [N, N m]."""
        return {
            load.velocity: load.rub.limit((_length(c + C @ phi) for c, C in load.parts), phi[load.row])
            for load in self.loads
        }

    def limit(self, velocity: int, phi: Number) -> tuple[Number, Number] | None:
        """Largest effort of the joint with a `velocity` while sticking, and its derivatives (1, s); None if given."""
        for load in self.loads:
            if load.velocity == velocity:
                rates = (load.rub.holding * (_direction(c + C @ phi).T @ C) for c, C in load.parts)
                lengths = (_length(c + C @ phi) for c, C in load.parts)
                return load.rub.limit(lengths, phi[load.row]), sum(rates, ca.SX(1, phi.shape[0]))
        return None

    def determinant(self, y: Number) -> Number:
        """Determinant of the equations with the contact forces of the efforts in `y`."""
        return determinant(self.linearised(y)[0])

    def are_solved(self, y: Number) -> Number:
        """1 if `y` solves the equations of all joints that slide, else 0."""
        solves = self._solves(y)
        found = [ca.logic_or(solves[load.row], ca.logic_not(self._moves(load))) for load in self.loads]
        return reduce(ca.logic_and, found) if found else ca.SX(1)

    def regularity(self, y: Number) -> Number:
        """Positive where the efforts in `y` are the only ones near them: the determinant there."""
        own = self.determinant(y)
        return ca.fmin(own, self._alone_rest()) if self._is_alone else own

    def slopes(self, y: Number) -> dict[int, Number]:
        """By velocity: positive where `y` solves the equations and no other solution is found.

        It is `regularity` there; −1 for a joint that slides and whose equation φ does not solve, and for one whose
        contact forces lead to another solution.
        """
        if not self.loads:
            return {}
        own, lost = self.regularity(y), ca.logic_not(self._solves(y))
        others = [ca.SX(0)] * len(self.loads) if self._is_alone else self._have_others(y)
        out = dict[int, Number]()
        for load, other in zip(self.loads, others, strict=True):
            is_lost = ca.logic_and(self._moves(load), lost[load.row])
            out[load.velocity] = ca.if_else(ca.logic_or(is_lost, other), -1, own)
        return out

    def _linear(self, directions: _Directions, share: float = 1.0) -> tuple[Number, Number]:
        """Matrix and right-hand side of the equations with contact forces of these directions,
        for a share of the ratios.
        """
        A, b = ca.SX(self.system), ca.SX(self.side)
        for load, own in zip(self.loads, directions, strict=True):
            i, against = load.row, -self.slides[load.row] * load.slip_sign
            b[i] += against * (load.rub.given + load.rub.ratio * share * load.rub.preload)
            for u, (c, C) in zip(own, load.parts, strict=True):
                ratio = against * load.rub.ratio_along(load.slip_sign * u[0]) * share
                A[i, :] -= ratio * (u.T @ C)
                b[i] += ratio * ca.dot(u, c)
        return A, b

    def _directions(self, y: Number) -> _Directions:
        return [[_direction(c + C @ y) for c, C in load.parts] for load in self.loads]

    def _solves(self, y: Number) -> Number:
        """Whether the efforts solve the equation of each row (s,), but for the round-off of all rows together."""
        A, b = self.linearised(y)
        round_off = ROUND_OFF * ca.mmax(ca.fabs(A)) * ca.norm_1(y)
        return ca.fabs(A @ y - b) <= HALF_THE_DIGITS * (ca.fabs(A) @ ca.fabs(y) + ca.fabs(b)) + round_off

    def _have_others(self, y: Number) -> list[Number]:
        """For each joint whether its contact forces lead to another solution, 1 or 0."""
        here = self._directions(y)
        least, at, (A, b) = ca.SX(ca.inf), ca.SX(-1), self._linear(here)
        for i, directions in self._elsewhere(here):
            matrix, side = self._linear(directions)
            own = determinant(matrix)
            less = own < least
            least, at = ca.if_else(less, own, least), ca.if_else(less, i, at)
            A, b = ca.if_else(less, matrix, A), ca.if_else(less, side, b)
        y = ca.solve(A, b)
        for _ in range(STEPS):
            y = ca.solve(*self.linearised(y))
        solves = ca.logic_and(self.determinant(y) < 0, self.are_solved(y))
        is_another = reduce(ca.logic_and, self._can_stick(y), solves)
        return [ca.logic_and(is_another, at == i) for i in range(len(self.loads))]

    def _can_stick(self, phi: Number) -> list[Number]:
        """For each joint whether the effort is within its limit, or it slides."""
        limits = self.limits(phi)
        return [
            ca.logic_or(self.slides[load.row] > 0.5, ca.fabs(phi[load.row]) <= limits[load.velocity])
            for load in self.loads
        ]

    def _moves(self, load: _Load) -> Number:
        """Whether a joint slides and rubs under its load; one that all directions hold has slip sign 0."""
        return ca.logic_and(self.slides[load.row] * load.slip_sign**2 > 0.5, load.rub.ratio != 0)

    def _elsewhere(self, here: _Directions) -> Iterator[tuple[int, _Directions]]:
        """Directions at which another solution is sought, with the number of the joint that leads there: each contact
        force turned round, all of a joint, and those to which all tend as friction of this joint grows without bound;
        directions as they are `here` where it does not change them.
        """
        for i, own in enumerate(here):
            flips = [{k} for k in range(len(own))] + [{*range(len(own))}] * (len(own) > 1)
            for flip in flips:
                turned = [-u if k in flip else u for k, u in enumerate(own)]
                yield i, [*here[:i], turned, *here[i + 1 :]]
        for i, load in enumerate(self.loads):
            effort, far = -self.slides[load.row] * load.slip_sign * load.rub.ratio, []
            for own, each in zip(here, self.loads, strict=True):
                ends = [_direction(effort * C[:, load.row]) for _, C in each.parts]
                far.append([end + (ca.dot(end, end) == 0) * u for u, end in zip(own, ends, strict=True)])
            if load.parts:
                yield i, far

    @property
    def _is_alone(self) -> bool:
        """Whether a single joint with a single contact force makes all equations one quadratic equation."""
        return self.side.shape[0] == 1 and bool(self.loads) and len(self.loads[0].parts) == 1

    def _alone(self) -> Number:
        """The effort of a single joint with a single contact force, from a quadratic equation.

        With φ = g + r N and c̃ = c + C g, C̃ = r C: N = |c̃ + C̃ N|.
        """
        (load,) = self.loads
        ((c, C),) = load.parts
        against = -self.slides[0] * load.slip_sign
        if load.rub.reverse is not None:  # the contact force has one component: the sign of it decides
            given = self.side + against * load.rub.given
            u = ca.sign(c + C @ given / self.system)
            ratio = against * load.rub.ratio_along(load.slip_sign * u) * u
            return (given + ratio * c) / (self.system - ratio * C)
        g = (self.side + against * (load.rub.given + load.rub.ratio * load.rub.preload)) / self.system
        r = against * load.rub.ratio / self.system
        known, turned = c + C @ g, C @ r
        square, along, rest = ca.dot(known, known), ca.dot(known, turned), 1 - ca.dot(turned, turned)
        return g + r * (along + _root(along**2 + rest * square)) / rest

    def _alone_rest(self) -> Number:
        """1 − |C̃| of this equation: where it is negative there are two solutions N > 0, or none."""
        (load,) = self.loads
        ((_, C),) = load.parts
        if load.rub.reverse is not None:
            moved = self.slides[0] * load.slip_sign**2 * C / self.system
            return ca.fmin(1 + load.rub.ratio * moved, 1 - load.rub.reverse * moved)
        return 1 - _length(C @ (self.slides[0] * load.slip_sign * load.rub.ratio / self.system))


def equations(
    a: Number, lam: Number, rows: list[int], rubbing: Rubbing, system: Number, side: Number, slides: Number
) -> LoadEquations:
    """The equations for the efforts of friction on the velocities `rows`."""
    phi = ca.SX.sym("phi", len(rows))
    own = {k: phi[i] for i, k in enumerate(rows)}
    found = rubbing.contacts(a[:, 0] + a[:, 1:] @ phi, lam[:, 0] + lam[:, 1:] @ phi, own)
    loads = []
    for k, rub in rubbing.rubs.items():
        parts = [_linear(each, phi) for each in found[k]]
        loads.append(_Load(k, rows.index(k), rub.slip_sign(rub.slip.accelerations(a)[0]), rub, parts))
    return LoadEquations(rows, system, side, slides, tuple(loads))


def _linear(expression: Number, phi: Number) -> tuple[Number, Number]:
    """c and C of an expression c + C φ, without the rows that are zero."""
    whole = _rows(expression)
    return ca.densify(ca.substitute(whole, phi, ca.DM.zeros(*phi.shape))), ca.densify(ca.jacobian(whole, phi))


def _rows(c: Number) -> Number:
    """The rows whose expressions are not zero, as a column; one row of zero if there are none."""
    whole = ca.sparsify(ca.SX(c))
    rows = [i for i in range(whole.shape[0]) if whole[i, 0].nnz()]
    return whole[rows, 0] if rows else ca.SX(1, 1)


def _length(c: Number) -> Number:
    """|c|, whose derivatives are zero at c = 0."""
    c = _rows(c)
    if c.shape[0] == 1:
        return ca.if_else(c**2 >= TINY, ca.fabs(c), 0)
    return _root(ca.dot(c, c))


def _root(square: Number) -> Number:
    """Square root, whose derivatives are zero at 0."""
    is_some = square >= TINY
    return ca.if_else(is_some, ca.sqrt(ca.if_else(is_some, square, 1)), 0)


def _direction(c: Number) -> Number:
    """c/|c|, zero at c = 0."""
    square = ca.dot(c, c)
    is_some = square >= TINY
    if c.shape[0] == 1:
        return is_some * ca.sign(c)
    return is_some * c / ca.sqrt(ca.if_else(is_some, square, 1))
