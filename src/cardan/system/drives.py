"""Drives that keep prescribed motions: their efforts are unknowns of the equations of motion, like multipliers.

With H the accelerations that unit efforts of the drives cause and a0 those without them, Φm,q (a0 + H τ) = γm gives τ.
Where a drive acts on the prescribed coordinate itself, this is the rheonomic constraint of the textbooks, and its
equation joins the symmetric system of the loops.

Source: docs/motions.md; Haug 1989, §9.5 (driving constraints)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import casadi as ca

from cardan.formulations.clusters import Articulated
from cardan.formulations.saddle import Saddle
from cardan.frozen import dataclass
from cardan.kinematics.constraints import ConstraintTerms
from cardan.kinematics.motion import Motion
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Prescribed, Rotor, Tree
from cardan.model.motors import Motor
from cardan.model.quantities.scalar import Scalar
from cardan.system.contacts import Solved


@dataclass(frozen=True)
class DrivenMotor:
    """A motor on a joint that drives a prescribed motion: its current follows from the effort, and is no state."""

    name: str
    record: Motor  # as in the model: its numbers may follow the motion
    tree: Tree  # which gives the names in these their meaning
    rotor: Rotor  # its mechanical part
    has_inductance: bool  # whether L di/dt counts in its voltage: the full motor model

    def motor(self, motion: Motion) -> Motor:
        """The motor with numbers in its fields."""
        return self.record.resolved(lambda scalar: evaluate(scalar, partial(value, self.tree, motion)))

    def current(self, motion: Motion, effort: Number) -> Number:
        """Current [A] that gives an effort on the joint [N, N m]."""
        return self.motor(motion).current_for(effort / self.rotor.ratio)

    def voltage(self, motion: Motion, current: Number, current_rate: Number, w: Number) -> Number:
        """Voltage [V] at a `current` [A], its rate `current_rate` [A/s] and the rotor speed w [rad/s]."""
        motor = self.motor(motion)
        inductive = motor.inductance * current_rate if self.has_inductance else 0
        return motor.resistance * current + motor.back_emf(w) + inductive


def drive_rows(tree: Tree, count: int) -> dict[int, int]:
    """Velocity that the effort of each motion's equation acts on, by the index of the equation."""
    drives = drive_velocities(tree)
    return dict(zip(range(count - len(drives), count), drives, strict=True))


def drive_velocities(tree: Tree) -> tuple[int, ...]:
    """Index of the velocity that drives each equation of the motions, in the order of the equations."""
    return tuple(k for motion in tree.motions for k in motion.drives)


def loop_rows(tree: Tree, count: int) -> range:
    """Indices of the equations of loops and constraints, which come before those of drives; `count` as above."""
    return range(count - len(drive_velocities(tree)) - len(tree.hidden))


def hidden_rows(tree: Tree, count: int) -> range:
    """Indices of the hidden relations of motions, which stand before those of the motions; `count` as above."""
    first = len(loop_rows(tree, count))
    return range(first, first + len(tree.hidden))


def idle_rows(tree: Tree, count: int) -> tuple[int, ...]:
    """Indices of the empty equations, 0 = 0, of drives beyond the components of their motions; `count` as above."""
    rows, out, start = list(drive_rows(tree, count)), list[int](), 0
    for motion in tree.motions:
        out += rows[start + motion.target.size : start + len(motion.drives)]
        start += len(motion.drives)
    return tuple(out)


def unselected_rows(tree: Tree, count: int) -> tuple[int, ...]:
    """Indices of the equations of drives that no selection has: `idle_rows` and those of feedback; `count` as above."""
    rows, out, start = list(drive_rows(tree, count)), list[int](), 0
    for motion in tree.motions:
        first = 0 if motion.is_fed_back else motion.target.size
        out += rows[start + first : start + len(motion.drives)]
        start += len(motion.drives)
    return tuple(out)


def fed_back_rows(tree: Tree, count: int) -> tuple[int, ...]:
    """Indices of the equations that feedback brings back; `count` as above."""
    idle = idle_rows(tree, count)
    return tuple(row for row in unselected_rows(tree, count) if row not in idle)


def indirect_rows(tree: Tree, count: int) -> Mapping[int, int]:
    """The entries of `drive_rows` whose drive does not act on the prescribed coordinate itself; `count` as there."""
    direct = [motion.is_direct for motion in tree.motions for _ in motion.drives]
    rows = drive_rows(tree, count).items()
    return {row: k for (row, k), is_direct in zip(rows, direct, strict=True) if not is_direct}


def drive_efforts(tree: Tree, lam: Number) -> Number:
    """Efforts of the drives on all velocities (nv,) [N, N m], from the multipliers `lam` of all equations (c,)."""
    entries: list[Number] = [ca.DM(1, 1)] * tree.nv
    for row, k in drive_rows(tree, lam.shape[0]).items():
        entries[k] = entries[k] + lam[row]
    return ca.vertcat(ca.DM(0, 1), *entries)


def solve_with_drives(
    tree: Tree,
    state: Motion,
    system: Saddle | Articulated,
    terms: ConstraintTerms,
    sides: tuple[Number, Number],
    respond: Callable[[Number, Number], Solved],
) -> Solved:
    """What `respond` finds from (v̇, λ) with the efforts of indirect drives among λ.

    The drives act against all other efforts, those of friction too. So the columns of further efforts, from the second
    on, hold the change of the motion with what the drives add. If drives pass their limits, the one with the largest
    excess is fixed at its limit, and the others and the efforts of friction are solved for again.
    """
    f, gamma = sides
    n, k = f.shape
    count = terms.Phi.shape[0]
    indirect, rows = indirect_rows(tree, count), acting_rows(tree, count)
    units = _units(indirect, n)
    a, lam = system.solve(ca.horzcat(f, units), ca.horzcat(gamma, ca.DM(count, units.shape[1])))
    J = terms.Phi_q[rows, :]
    H, lack = ca.densify(J @ a[:, k:]), ca.densify(gamma[rows, :] - J @ a[:, :k])

    def found(tau: Number) -> Solved:
        entries = ca.vertsplit(lam[:, :k] + lam[:, k:] @ tau)
        for row, effort in zip(indirect, ca.vertsplit(tau), strict=True):
            entries[row] = effort
        return respond(a[:, :k] + a[:, k:] @ tau, ca.vertcat(*entries))

    if H.shape[1] == H.shape[0]:
        return found(ca.solve(H, lack))
    rule = _rule(tree, state, J[:, list(indirect.values())])
    HS, corrections = H @ rule.S, 0
    if any(motion.realize.limits for motion in indirect_motions(tree)):
        corrections = HS.shape[1] - HS.shape[0]
    for _ in range(corrections):
        c = rule.least(HS, lack)
        efforts = ca.vertcat(1, *found(rule.S @ c).phi.values())
        rule = rule.within_limits(c @ efforts)
    return found(rule.S @ rule.least(HS, lack))


def drive_responses(tree: Tree, state: Motion, system: Saddle | Articulated, terms: ConstraintTerms) -> Number:
    """Accelerations (k, c) of the k components of indirect motions under the c unit efforts that are chosen freely."""
    indirect, (c, n) = indirect_rows(tree, terms.Phi.shape[0]), terms.Phi_q.shape
    a, _ = system.solve(_units(indirect, n), ca.DM(c, len(indirect)))
    J = terms.Phi_q[acting_rows(tree, c), :]
    if J.shape[0] == len(indirect):
        return ca.densify(J @ a)
    rule = _rule(tree, state, J[:, list(indirect.values())])
    S = rule.S[:, [i for i, weight in enumerate(rule.weights) if not _is_zero(weight)]]
    return ca.densify(J @ a @ S)


def _is_zero(x: Number) -> bool:
    """Whether a number is a literal zero."""
    return not isinstance(x, ca.SX) and not float(x)


def unit_efforts(tree: Tree, count: int) -> ca.DM:
    """Unit efforts (n, d) of the indirect drives; `count` as above."""
    return _units(indirect_rows(tree, count), tree.nv)


def _units(indirect: Mapping[int, int], n: int) -> ca.DM:
    """Unit efforts (n, d) of the indirect drives."""
    count = len(indirect)
    return ca.DM(ca.Sparsity.triplet(n, count, list(indirect.values()), list(range(count))), 1)


def real_rows(tree: Tree, count: int) -> list[int]:
    """Rows of indirect drives that are equations: of each motion as many as it has components; `count` as above."""
    rows, out, start = list(indirect_rows(tree, count)), list[int](), 0
    for motion in indirect_motions(tree):
        out += rows[start : start + motion.target.size]
        start += len(motion.drives)
    return out


def acting_rows(tree: Tree, count: int) -> list[int]:
    """Rows on which indirect drives act: `real_rows`, or the last hidden relation in its place; `count` as above."""
    out = real_rows(tree, count)
    for row, one in zip(hidden_rows(tree, count), tree.hidden, strict=True):
        out[one.component] = row
    return out


def solved_rows(tree: Tree, count: int) -> list[int]:
    """Rows that accelerations keep in any state; the others hold only where hidden relations do; `count` as above."""
    left_out = {*real_rows(tree, count), *hidden_rows(tree, count)} - {*acting_rows(tree, count)}
    return [row for row in range(count) if row not in left_out]


def indirect_motions(tree: Tree) -> list[Prescribed]:
    """The motions whose drives do not act on the prescribed coordinate itself, in the order of the file."""
    return [motion for motion in tree.motions if not motion.is_direct]


@dataclass(frozen=True)
class _Rule:
    """How the efforts τ = S c of drives follow from c, of which the least Σ c²/weight is taken."""

    S: Number  # (drives, c)
    weights: list[Number]  # one over the weight of each c in the sum of squares; 0 for a fixed one
    fixed: list[Number]  # value of a fixed c, else 0
    limits: list[Number]  # largest |c|

    def least(self, H: Number, lack: Number) -> Number:
        """The c (c, k) with H c = lack and the least sum of squares; of further columns the changes of c."""
        fixed = ca.SX(ca.horzcat(ca.vertcat(*self.fixed), ca.DM(len(self.fixed), lack.shape[1] - 1)))
        A = H @ ca.diag(ca.vertcat(*self.weights))
        return fixed + A.T @ ca.solve(ca.densify(A @ H.T), ca.densify(lack - H @ fixed))

    def within_limits(self, c: Number) -> _Rule:
        """The rule with the c of the largest excess fixed at its limit.

        Entries still beyond their limits at the end show that these cannot be kept.
        """
        held = _worst(ca.fabs(c) / ca.vertcat(*self.limits))
        fixed = ca.if_else(held, ca.sign(c) * ca.vertcat(*self.limits), ca.vertcat(*self.fixed))
        weights = ca.if_else(held, 0, ca.vertcat(*self.weights))
        return replace(self, fixed=ca.vertsplit(fixed), weights=ca.vertsplit(weights))


def _rule(tree: Tree, state: Motion, along: Number) -> _Rule:
    """How all indirect drives share their motions."""
    rules, row, column = list[_Rule](), 0, 0
    for motion in indirect_motions(tree):
        size, count = motion.target.size, len(motion.drives)
        rules.append(_rule_of(tree, state, motion, along[row : row + size, column : column + count]))
        row, column = row + size, column + count
    weights, fixed, limits = (
        [x for rule in rules for x in getattr(rule, key)] for key in ("weights", "fixed", "limits")
    )
    return _Rule(ca.diagcat(*(rule.S for rule in rules)), weights, fixed, limits)


def _rule_of(tree: Tree, state: Motion, motion: Prescribed, along: Number) -> _Rule:
    """How the drives of a motion share it; `along` is Φm,q (components, drives) in their columns."""
    rule, names = motion.realize, [tree.velocities[k].name for k in motion.drives]

    def numbers(table: Mapping[str, Scalar] | None, default: Number) -> list[Number]:
        return [
            evaluate(table[name], partial(value, tree, state)) if table and name in table else default for name in names
        ]

    if rule.share or (rule.rule == "ideal" and len(names) > motion.target.size):
        S = ca.vertcat(*numbers(rule.share, 0)) if rule.share else along.T
        ones = [1] * S.shape[1]
        return _Rule(ca.SX(S), ones, [0] * len(ones), [ca.inf] * len(ones))
    left_out = {*rule.zero, *(rule.given or ())}
    weights = [0 if name in left_out else 1 / w for name, w in zip(names, numbers(rule.weights, 1), strict=True)]
    return _Rule(ca.SX.eye(len(names)), weights, numbers(rule.given, 0), numbers(rule.limits, ca.inf))


def _worst(excess: Number) -> Number:
    """1 for the largest entry beyond 1 (of equal ones the first), else 0."""
    largest, left, out = ca.mmax(excess), ca.SX(1), []
    for entry in ca.vertsplit(excess):
        out.append(ca.if_else(ca.logic_and(entry > 1, entry >= largest), left, 0))
        left = left - out[-1]
    return ca.vertcat(*out)
