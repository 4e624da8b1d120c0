"""Efforts of friction that are unknowns of the equations of motion: of joints that stick, or that follow a load.

All answers are linear in these efforts φ: v̇ = a₀ + A φ, λ = λ₀ + Λ φ. A joint that sticks has v̇ = 0; what those that
follow a load have is the affair of `equations`. Where joints move only together, or one in fewer directions than it
sticks in, the least efforts φ = P φ are taken, with the projector P onto their motions: P (H φ + ẇ₀) = 0. No motion
depends on how the joints share them (`groups`).

Source: Pfeiffer & Glocker 1996, *Multibody Dynamics with Unilateral Contacts*, ch. 5
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial, reduce
from typing import Any

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.relative import Slip
from cardan.kinematics.tree import Number
from cardan.numerics.determinant import determinant
from cardan.numerics.round_off import HALF_THE_DIGITS, ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.system.contacts.joint_groups import HeldGroup, JointGroup, held_group, norm, semidefinite_solve
from cardan.system.contacts.load_equations import LoadEquations, Rubbing, equations


@dataclass(frozen=True)
class Stuck:
    """A velocity that friction may hold at zero."""

    velocity: int  # its index; those of relative motions come after the velocities of the tree
    slip: Slip  # its acceleration as a linear function of v̇
    slides: Number  # 1 while it slides, 0 while it sticks
    rests: tuple[int, ...]  # velocities of the tree that are exactly zero while it sticks: no creep
    given: Number = 0  # size of the effort while it slides that is no unknown [N, N m]
    mobility: Number = 0  # acceleration by a unit effort without loops, all others locked; 0 if it does not matter
    at_stop: Number = 0  # 1 while a stop by impact holds it: its friction holds nothing


@dataclass(frozen=True)
class Solved:
    """Accelerations, multipliers, and efforts of friction."""

    a: Number  # (nv,)
    lam: Number  # (c,)
    phi: Mapping[int, Number] = field(default_factory=dict)  # least efforts by velocity; of sliding the part from loads
    limits: Mapping[int, Number] = field(default_factory=dict)  # largest efforts while sticking that follow loads
    determinant: Number = 1  # of the equations for the efforts; 0 where no effort holds a joint that sticks
    is_solved: Number = 1  # 0 where the efforts of joints that slide do not solve their equations
    given_slopes: Mapping[str, Number] = field(default_factory=dict)  # least determinants of given parts, by constraint
    sizes: Mapping[int, Number] = field(default_factory=dict)  # of the terms of accelerations, by velocity
    groups: tuple[JointGroup, ...] = ()  # joints that move only together
    ways: Mapping[int, Number] = field(default_factory=dict)  # speeds with which these would begin to move; of size 1
    given: Mapping[int, Number] = field(default_factory=dict)  # largest given efforts of these joints
    shifts: Mapping[int, Number] = field(default_factory=dict)  # what these hold beside `phi` as they share it
    lam_shift: Number = 0  # and what this adds to `lam`
    strays: Mapping[int, Number] = field(default_factory=dict)  # accelerations of those that none holds: dead centres
    test: Callable[[], Mapping[int, Number]] = dict  # computes `slopes`

    @cached_property
    def slopes(self) -> Mapping[int, Number]:
        """By velocity of the joints whose friction follows the load: positive where the efforts are the only ones."""
        return self.test()

    def entries(self, fields: Sequence[str]) -> Number:
        """All numbers of these fields, one after another."""
        parts = (getattr(self, name) for name in fields)
        every = (x for part in parts for x in (part.values() if isinstance(part, Mapping) else [part]))
        return ca.densify(ca.vertcat(ca.SX(0, 1), *every))

    def with_entries(self, fields: Sequence[str], numbers: Number) -> Solved:
        """The record with other numbers in these fields."""
        found, first = dict[str, Any](), 0
        for name in fields:
            part = getattr(self, name)
            last = first + (len(part) if isinstance(part, Mapping) else ca.SX(part).shape[0])
            found[name] = numbers[first:last]
            if isinstance(part, Mapping):
                found[name] = dict(zip(part, ca.vertsplit(found[name]) if part else (), strict=True))
            first = last
        if "slopes" in found:
            found["test"] = partial(dict, found.pop("slopes"))
        return replace(self, **found)

    @property
    def as_shared(self) -> tuple[Number, Mapping[int, Number]]:
        """Multipliers (c,), and efforts by velocity, where joints that move only together share what they hold."""
        return self.lam + self.lam_shift, {k: own + self.shifts.get(k, 0) for k, own in self.phi.items()}

    @property
    def held(self) -> Mapping[int, Number]:
        """By velocity of joints that move only together: what they hold against their first motion, along that of each;
        zero of a joint that would not move.
        """
        return {k: own for k, (own, _) in self._nearest.items()}

    @property
    def most(self) -> Mapping[int, Number]:
        """By the same velocities: the most that they can hold against it."""
        return {k: own for k, (_, own) in self._nearest.items()}

    @cached_property
    def _nearest(self) -> Mapping[int, tuple[Number, Number]]:
        """By velocity of joints that move only together: `held` and `most`."""
        out = dict[int, tuple[Number, Number]]()
        for group in (one for one in self.groups if len(one.velocities) > 1):
            joints = {k: group.held_by(k) for k in group.velocities}
            speeds = {k: norm(ca.vertcat(*(self.ways[i] for i in own))) for k, own in joints.items()}
            needed = -sum(self.ways[i] * self.phi[i] for own in joints.values() for i in own)
            most = sum(self.limits.get(k, self.given[k]) * speed for k, speed in speeds.items())
            for k, own in joints.items():
                moves = speeds[k] > HALF_THE_DIGITS
                part = -moves * needed / ca.if_else(moves, speeds[k], 1)
                out |= {i: (part * self.ways[i], most) for i in own}
        return out


@dataclass(frozen=True)
class HeldEfforts:
    """What joints that stick hold, as a problem of their efforts (s,)."""

    H: Number  # accelerations (s, s) under unit efforts
    P: Number  # (s, s) projector onto efforts of joints that stick
    least: Number  # (s, s) in place of H where no effort within any limit holds a joint, as at its dead centre
    groups: tuple[HeldGroup, ...]

    def efforts(self, a0: Number, *, is_symmetric: bool = True) -> Number:
        """Efforts (s,) against the accelerations a0 (s,), zero of joints that slide."""
        P, others = self.P, ca.SX.eye(self.P.shape[0]) - self.P
        if is_symmetric:
            return semidefinite_solve(P @ self.H @ P + others + self.least, -P @ a0)
        return ca.solve(P @ self.H + others + self.least, -P @ a0)


def held_by(H: Number, A: Number, stuck: Sequence[Stuck], groups: Sequence[JointGroup]) -> HeldEfforts:
    """What joints hold, by the accelerations under unit efforts: H (s, s) of theirs, A (nv, s) of the tree."""
    rows, slides = [each.velocity for each in stuck], ca.vertcat(*(each.slides for each in stuck))
    P, least = ca.diag(ca.SX(1 - slides)), ca.SX(*H.shape)
    held = tuple(held_group(H, slides, rows, group) for group in groups)
    for group in held:
        at = group.places
        own, sticks = group.B @ group.B.T, P[at, at]
        size = ROUND_OFF * sum(ca.fabs(stuck[i].slip.J) @ ca.fabs(A[:, i]) for i in at)
        if len(group.joints) > 1:
            P[at, at] = own
            continue
        # beyond its freedoms no effort within any limit would hold a joint: its acceleration is round-off there, or it
        # is at its dead centre
        whole = sticks @ H[at, at] @ sticks
        least[at, at] = ca.if_else(ca.trace(whole) > size, ca.trace(whole) * (sticks - own), size * sticks - whole)
    for i, each in enumerate(stuck):
        size = ROUND_OFF_OF_SUM * each.mobility
        least[i, i] += (1 - each.slides) * ca.if_else(H[i, i] > size, 0, size)
    return HeldEfforts(H, P, least, held)


def with_friction(
    a: Number,
    lam: Number,
    stuck: Sequence[Stuck],
    rubbing: Rubbing | None = None,
    groups: Sequence[JointGroup] = (),
    given: Mapping[int, Number] | None = None,
    *,
    is_symmetric: bool = True,
) -> Solved:
    """(v̇, λ) and the efforts φ of joints that stick or follow their load, zero for others.

    `given` are the largest given efforts of joints of the groups.
    """
    rows, own = [each.velocity for each in stuck], ca.vertcat(*(each.slip.accelerations(a) for each in stuck))
    H, a0 = ca.densify(own[:, 1:]), ca.densify(own[:, 0])
    held, given = held_by(H, a[:, 1:], stuck, groups), given or {}
    test: Callable[[], Mapping[int, Number]] = dict
    found = None
    if rubbing is None:
        phi = held.efforts(a0, is_symmetric=is_symmetric)
        pivots, is_solved, slides = ca.SX(1), ca.SX(1), ca.vertcat(*(each.slides for each in stuck))
    else:
        found = load_equations(a, lam, held, a0, stuck, rubbing)
        phi = found.solve()
        pivots, is_solved, slides = found.determinant(phi), found.are_solved(phi), found.slides
        test = partial(found.slopes, phi)
    test = test if is_symmetric else partial(_tested, test, H, stuck)
    ways, strays, shift = dict[int, Number](), dict[int, Number](), ca.SX(len(rows), 1)
    left, size = a0 + H @ phi, ca.fabs(a0) + ca.fabs(H) @ ca.fabs(phi)
    for group in held.groups:
        w, shared = group.shared(phi, partial(_limit, found, given))
        for n, i in enumerate(group.places):
            sticks = (1 - stuck[i].slides) * (1 - stuck[i].at_stop)
            ways[rows[i]], shift[i] = w[n], ca.if_else(sticks, shared[n] - phi[i], 0)
            strays[rows[i]] = ca.if_else(ca.fabs(left[i]) > HALF_THE_DIGITS * size[i], left[i], 0)
    out = ca.SX(a[:, 0] + a[:, 1:] @ phi)
    for i, each in enumerate(stuck):
        for k in each.rests:
            out[k] *= slides[i]
    terms = ca.fabs(phi) + ca.vertcat(*(each.given for each in stuck))  # given ones may have cancelled others in a
    every = ca.fabs(a[:, 0]) + ca.fabs(a[:, 1:]) @ terms
    sizes = {each.velocity: ca.fabs(each.slip.J) @ every + ca.fabs(each.slip.bias) for each in stuck}
    return Solved(
        out, lam[:, 0] + lam[:, 1:] @ phi, {k: phi[i] for i, k in enumerate(rows)},
        {} if found is None else found.limits(phi + shift), pivots, is_solved, sizes=sizes, groups=tuple(groups),
        ways=ways, given=given, shifts={k: shift[i] for i, k in enumerate(rows) if k in ways},
        lam_shift=lam[:, 1:] @ shift, strays=strays, test=test,
    )  # fmt: skip


def _limit(
    found: LoadEquations | None, given: Mapping[int, Number], velocity: int, phi: Number
) -> tuple[Number, Number]:
    """Largest effort while sticking of the joint with a `velocity` under efforts φ (s,), and its derivatives (1, s)."""
    of_load = None if found is None else found.limit(velocity, phi)
    return (given[velocity], ca.SX(1, phi.shape[0])) if of_load is None else of_load


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


def load_equations(
    a: Number, lam: Number, held: HeldEfforts, a0: Number, stuck: Sequence[Stuck], rubbing: Rubbing
) -> LoadEquations:
    """The equations for the efforts where friction follows a load."""
    rows, slides = [each.velocity for each in stuck], ca.vertcat(*(each.slides for each in stuck))
    system = held.P @ held.H + ca.SX.eye(len(rows)) - held.P + held.least
    return equations(a, lam, rows, rubbing, system, -held.P @ a0, slides)


def held_still(v: Number, A: Number, stuck: Sequence[Stuck], groups: Sequence[JointGroup] = ()) -> Number:
    """Velocities (n,) after impulses that stop those that stick."""
    J = ca.vertcat(*(each.slip.J for each in stuck))
    impulses = held_by(ca.densify(J @ A), A, stuck, groups).efforts(ca.densify(J @ v))
    out = ca.SX(v + A @ impulses)
    for each in stuck:
        for k in each.rests:
            out[k] *= each.slides
    return out


def friction_of_motion(a: Number, rubbing: Rubbing) -> tuple[dict[int, Number], Number]:
    """Efforts of friction by velocity where the accelerations are known and there are no loops; and whether they are
    the only ones, 1 or 0.
    """
    rows = list(rubbing.rubs)
    one = ca.SX.eye(len(rows))
    still = ca.horzcat(a, ca.DM(a.shape[0], len(rows)))
    known, slides = ca.SX(len(rows), 1), ca.SX.ones(len(rows))
    found = equations(still, ca.DM(0, 1 + len(rows)), rows, rubbing, one, known, slides)
    phi = found.solve()
    slopes = [slope >= 0 for slope in found.slopes(phi).values()]
    return {k: phi[i] for i, k in enumerate(rows)}, reduce(ca.logic_and, slopes)
