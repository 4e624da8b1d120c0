"""Drives that keep prescribed motions: their efforts are unknowns of the equations of motion, like multipliers.

With H the accelerations that unit efforts of the drives cause and a0 those without them, Φm,q (a0 + H τ) = γm gives τ.
Where a drive acts on the prescribed coordinate itself, this is the rheonomic constraint of the textbooks, and its
equation joins the symmetric system of the loops.

Source: docs/motions.md; Haug 1989, §9.5 (driving constraints)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from cardan.formulations.saddle import Saddle, solve
from cardan.kinematics.constraints import ConstraintTerms
from cardan.kinematics.tree import Number, Rotor, Tree
from cardan.model.motors import Motor

__all__ = ["DrivenMotor", "drive_efforts", "drive_rows", "drive_velocities", "indirect_rows", "solve_with_drives"]


@dataclass(frozen=True)
class DrivenMotor:
    """A motor on a joint that drives a prescribed motion: its current follows from the effort, and is no state."""

    name: str
    motor: Motor  # with numbers in its fields
    rotor: Rotor  # its mechanical part
    has_inductance: bool  # whether L di/dt counts in its voltage: the full motor model

    def current(self, effort: Number) -> Number:
        """Current [A] that gives an effort on the joint [N, N m]."""
        return self.motor.current_for(effort / self.rotor.ratio)

    def voltage(self, current: Number, current_rate: Number, w: Number) -> Number:
        """Voltage [V] at a `current` [A], its rate `current_rate` [A/s] and the rotor speed w [rad/s]."""
        inductive = self.motor.inductance * current_rate if self.has_inductance else 0
        return self.motor.resistance * current + self.motor.back_emf(w) + inductive


def drive_rows(tree: Tree, count: int) -> dict[int, int]:
    """Velocity that the effort of each motion's equation acts on, by the index of the equation.

    Parameters
    ----------
    tree : the mechanism.
    count : number of all equations; those of the motions are the last ones.
    """
    drives = drive_velocities(tree)
    return dict(zip(range(count - len(drives), count), drives, strict=True))


def drive_velocities(tree: Tree) -> tuple[int, ...]:
    """Velocity that each equation of the motions is driven by, in the order of the equations."""
    return tuple(k for motion in tree.motions for k in motion.drives)


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
    tree: Tree, system: Saddle, terms: ConstraintTerms, f: Number, gamma: Number
) -> tuple[Number, Number]:
    """(v̇, λ) with the efforts of indirect drives among λ.

    Parameters
    ----------
    tree : the mechanism.
    system : factors of the equations without those of indirect drives.
    terms : all constraint equations.
    f, gamma : right-hand sides (n,) and (c,).
    """
    indirect = indirect_rows(tree, terms.Phi.shape[0])
    rows, n = list(indirect), f.shape[0]
    units = ca.sparsify(ca.DM(ca.Sparsity.triplet(n, len(rows), list(indirect.values()), list(range(len(rows)))), 1))
    sides = ca.horzcat(f, units), ca.horzcat(gamma, ca.DM(gamma.shape[0], len(rows)))
    a, lam = solve(system, *sides)
    J = terms.Phi_q[rows, :]
    tau = ca.solve(ca.densify(J @ a[:, 1:]), ca.densify(gamma[rows] - J @ a[:, 0]))
    whole = lam[:, 0] + lam[:, 1:] @ tau
    entries = ca.vertsplit(whole)
    for row, effort in zip(rows, ca.vertsplit(tau), strict=True):
        entries[row] = effort
    return a[:, 0] + a[:, 1:] @ tau, ca.vertcat(*entries)
