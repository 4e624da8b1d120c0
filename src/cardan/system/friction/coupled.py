"""Efforts of friction that are unknowns of the equations of motion: of joints that stick, or that follow a load.

All answers are linear in these efforts φ: v̇ = a₀ + A φ, λ = λ₀ + Λ φ. A joint that sticks has v̇ = 0; what those that
follow a load have is the affair of `equations`. Of a joint that cannot move in all directions in which it sticks the
least effort is taken (`restricted`).

Source: Pfeiffer & Glocker 1996, *Multibody Dynamics with Unilateral Contacts*, ch. 5
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial, reduce

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.relative import Slip
from cardan.kinematics.tree import Number
from cardan.numerics.determinant import determinant
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.system.friction.equations import LoadEquations, Rubbing, equations
from cardan.system.friction.groups import JointGroup, SharedLimits, in_proportion, sets_of
from cardan.system.friction.loaded_sets import LoadedSets, held_sets
from cardan.system.friction.restricted import RestrictedMotions, completion

__all__ = [
    "Solved",
    "Stuck",
    "completions",
    "friction_of_motion",
    "held_efforts",
    "held_still",
    "load_equations",
    "with_friction",
]


@dataclass(frozen=True)
class Stuck:
    """A velocity that friction may hold at zero."""

    velocity: int  # its index; those of relative motions come after the velocities of the tree
    slip: Slip  # its acceleration as a linear function of v̇
    slides: Number  # 1 while it slides, 0 while it sticks
    rests: tuple[int, ...]  # velocities of the tree that are exactly zero while it sticks: no creep
    given: Number = 0  # size of the effort while it slides that is no unknown [N, N m]
    restricted: RestrictedMotions | None = None  # all motions of the joint, if the mechanism leaves fewer freedoms
    mobility: Number = 0  # acceleration by a unit effort without loops, all others locked; 0 if it does not matter


@dataclass(frozen=True)
class Solved:
    """Accelerations, multipliers, and efforts of friction."""

    a: Number  # (nv,)
    lam: Number  # (c,)
    phi: Mapping[int, Number] = field(default_factory=dict)  # efforts by velocity; of sliding the part from the load
    limits: Mapping[int, Number] = field(default_factory=dict)  # largest efforts from the load while sticking
    determinant: Number = 1  # of the equations for the efforts; 0 where no effort holds a joint that sticks
    is_solved: Number = 1  # 0 where the efforts of joints that slide do not solve their equations
    given_slopes: Mapping[str, Number] = field(default_factory=dict)  # least determinants of given parts, by constraint
    sizes: Mapping[int, Number] = field(default_factory=dict)  # of the terms of accelerations, by velocity
    unknowns: Number = field(default_factory=lambda: ca.SX(0, 1))  # of the equations for the efforts, as solved
    held: Mapping[int, Number] = field(default_factory=dict)  # by joints of one freedom together, along that of each
    most: Mapping[int, Number] = field(default_factory=dict)  # the most that these can hold, where any follows its load
    test: Callable[[], Mapping[int, Number]] = dict  # computes `slopes`

    @cached_property
    def slopes(self) -> Mapping[int, Number]:
        """By velocity of the joints whose friction follows the load: positive where the efforts are the only ones."""
        return self.test()


def with_friction(
    a: Number,
    lam: Number,
    stuck: Sequence[Stuck],
    rubbing: Rubbing | None = None,
    shared: Sequence[SharedLimits] = (),
    *,
    is_symmetric: bool = True,
) -> Solved:
    """(v̇, λ) and the efforts φ of joints that stick or follow their load, zero for others."""
    rows, own = [each.velocity for each in stuck], ca.vertcat(*(each.slip.accelerations(a) for each in stuck))
    H, a0 = ca.densify(own[:, 1:]), ca.densify(own[:, 0])
    test: Callable[[], Mapping[int, Number]] = dict
    if rubbing is None:
        groups, completed = [each.group for each in shared], completions(H, a[:, 1:], stuck)
        y = held_efforts(H, a0, stuck, completed, groups, is_symmetric=is_symmetric)
        phi = in_proportion(y, H, rows, shared)
        limits, pivots, is_solved = dict[int, Number](), ca.SX(1), ca.SX(1)
        slides = ca.vertcat(*(each.slides for each in stuck))
        together = dict[int, tuple[Number, Number]]()
    else:
        found = load_equations(a, lam, H, a0, stuck, rubbing, shared, completions(H, a[:, 1:], stuck))
        y = found.solve()
        phi, slides = y[: len(rows)], found.slides
        limits, pivots, is_solved = found.limits(phi), found.determinant(y), found.are_solved(y)
        test = partial(found.slopes, y)
        together = found.along_freedoms(y)
    test = test if is_symmetric else partial(_tested, test, H, stuck)
    out = ca.SX(a[:, 0] + a[:, 1:] @ phi)
    for i, each in enumerate(stuck):
        for k in each.rests:
            out[k] *= slides[i]
    efforts = {k: phi[i] for i, k in enumerate(rows)}
    terms = ca.fabs(phi) + ca.vertcat(*(each.given for each in stuck))  # given ones may have cancelled others in a
    every = ca.fabs(a[:, 0]) + ca.fabs(a[:, 1:]) @ terms
    sizes = {each.velocity: ca.fabs(each.slip.J) @ every + ca.fabs(each.slip.bias) for each in stuck}
    lam = lam[:, 0] + lam[:, 1:] @ phi
    return Solved(
        out, lam, efforts, limits, pivots, is_solved, sizes=sizes,
        held={k: own for k, (own, _) in together.items()}, most={k: most for k, (_, most) in together.items()},
        unknowns=y, test=test,
    )  # fmt: skip


def held_efforts(
    H: Number,
    a0: Number,
    stuck: Sequence[Stuck],
    completed: Number,
    groups: Sequence[JointGroup] = (),
    *,
    is_symmetric: bool = True,
) -> Number:
    """Efforts (s,) of joints that stick, zero for those that slide."""
    slides = ca.vertcat(*(each.slides for each in stuck))
    if not is_symmetric:
        return ca.solve(ca.diag(1 - slides) @ H + ca.diag(slides) + completed, -(1 - slides) * a0)
    P = _along_freedoms(H, stuck, groups)
    held = P @ ca.diag(1 - slides)
    return P.T @ _semidefinite_solve(held @ H @ held.T + ca.diag(slides) + completed, -held @ a0)


def _tested(test: Callable[[], Mapping[int, Number]], H: Number, stuck: Sequence[Stuck]) -> dict[int, Number]:
    """As `Solved.slopes`, with joints that stick: positive where no other motion is found beside their rest.

    Friction of given efforts leaves one motion if all principal minors of H are positive (Cottle, Pang & Stone 2009,
    ch. 3), as they are without drives. Those of all joints that stick are tested, of all but one, and of one alone.
    """
    held = ca.diag(ca.vertcat(*(1 - each.slides for each in stuck)))
    whole = held @ H @ held + ca.SX.eye(len(stuck)) - held
    all_of_them, out = determinant(whole), dict[int, Number]()
    for i, each in enumerate(stuck):
        others = ca.SX(whole)
        others[i, :], others[:, i], others[i, i] = 0, 0, 1
        least = reduce(ca.fmin, (all_of_them, determinant(others), H[i, i]))
        out[each.velocity] = ca.if_else(each.slides, 1, least)
    loaded = test()
    return out | {k: ca.fmin(slope, out[k]) if k in out else slope for k, slope in loaded.items()}


def _along_freedoms(H: Number, stuck: Sequence[Stuck], groups: Sequence[JointGroup]) -> Number:
    """Matrix (s, s) that leaves of accelerations those along the freedoms of joints that stick; transposed, of efforts.

    Joints of one freedom that stick have one equation, along the unit vector u of their speeds, and uᵀ is their part of
    the matrix, above rows of zeros. Each joint's own equation would contradict those of the others by the round-off of
    the ratios u, which grows with the inverse square of the distance from a singular position.
    """
    rows, P = [each.velocity for each in stuck], ca.SX.eye(len(stuck))
    for each in (own for group in groups for own in sets_of(H, rows, group) if len(own.places) > 1):
        at = list(each.places)
        sticks = reduce(ca.logic_and, (stuck[i].slides < 0.5 for i in at))
        P[at, at] = ca.if_else(sticks, ca.vertcat(each.u.T, ca.SX(len(at) - 1, len(at))), ca.SX.eye(len(at)))
    return P


def completions(H: Number, A: Number, stuck: Sequence[Stuck]) -> Number:
    """Matrix (s, s) of the equations c P φ = 0 of joints that stick and have fewer freedoms than directions.

    Where the loops hardly move a joint, as at its dead centre, H is round-off, which takes its place: no effort within
    any limit holds the mechanism by this joint.
    """
    rows, out = {each.velocity: i for i, each in enumerate(stuck)}, ca.SX(*H.shape)
    for motions in dict.fromkeys(each.restricted for each in stuck if each.restricted is not None):
        at = [rows[k] for k in motions.velocities]
        size = sum(ca.fabs(stuck[i].slip.J) @ ca.fabs(A[:, i]) for i in at)
        out[at, at] = (1 - stuck[at[0]].slides) * completion(H[at, at], motions.freedoms, size)
    for i, each in enumerate(stuck):
        least = ROUND_OFF_OF_SUM * each.mobility
        out[i, i] += (1 - each.slides) * ca.if_else(H[i, i] > least, 0, least)
    return out


def load_equations(
    a: Number,
    lam: Number,
    H: Number,
    a0: Number,
    stuck: Sequence[Stuck],
    rubbing: Rubbing,
    shared: Sequence[SharedLimits],
    completed: Number,
    moving: Number | None = None,
) -> LoadEquations:
    """The equations for the efforts where friction follows a load."""
    rows, slides = [each.velocity for each in stuck], ca.vertcat(*(each.slides for each in stuck))
    sets = LoadedSets(held_sets(H if moving is None else moving, rows, shared), H, a0)
    system, side = ca.diag(1 - slides) @ H + ca.diag(slides) + completed, -(1 - slides) * a0
    return equations(a, lam, rows, rubbing, system, side, slides, sets)


def held_still(v: Number, A: Number, stuck: Sequence[Stuck], groups: Sequence[JointGroup] = ()) -> Number:
    """Velocities (n,) after impulses that stop those that stick."""
    J = ca.vertcat(*(each.slip.J for each in stuck))
    H = ca.densify(J @ A)
    impulses = held_efforts(H, ca.densify(J @ v), stuck, completions(H, A, stuck), groups)
    out = ca.SX(v + A @ impulses)
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


def friction_of_motion(a: Number, rubbing: Rubbing) -> tuple[dict[int, Number], Number]:
    """Efforts of friction by velocity where the accelerations are known and there are no loops; and whether they are
    the only ones, 1 or 0.
    """
    rows = list(rubbing.rubs)
    one = ca.SX.eye(len(rows))
    still = ca.horzcat(a, ca.DM(a.shape[0], len(rows)))
    known, slides = ca.SX(len(rows), 1), ca.SX.ones(len(rows))
    none = LoadedSets((), one, known)
    found = equations(still, ca.DM(0, 1 + len(rows)), rows, rubbing, one, known, slides, none)
    phi = found.solve()
    slopes = [slope >= 0 for slope in found.slopes(phi).values()]
    return {k: phi[i] for i, k in enumerate(rows)}, reduce(ca.logic_and, slopes)
