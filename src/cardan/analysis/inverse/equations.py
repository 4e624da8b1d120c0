"""Equations of inverse kinematics, and their damped steps: loops and goals of a mechanism as functions of q, y and p.

Φ(q) = 0 are the loops and constraints at t = 0, and g(q) − y = 0 the goals. A step of Levenberg's method is the
smallest change of the coordinates that meets both to first order, damped by the squared residual.

Source: Yamashita & Fukushima 2001, "On the rate of convergence of the Levenberg–Marquardt method", Computing Suppl.
15:239 (damping by the residual)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import casadi as ca
import numpy as np

from cardan.assembly.assembler import LONGEST
from cardan.assembly.functions import damping, distances
from cardan.codegen.callables.gradual import Gradual
from cardan.frozen import dataclass, field
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.motion import Motion, coordinate_rate, motion, normalised
from cardan.kinematics.relations.goals import Goal, goal_rows, goal_values_at
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.entries import column
from cardan.numerics.least_change import least_change
from cardan.numerics.round_off import TINY


@dataclass(frozen=True)
class TargetEquations:
    """Loops and goals of a mechanism as equations for its coordinates."""

    tree: Tree  # the mechanism
    goals: tuple[Goal, ...] = ()  # what is wanted
    _made: dict[str, Gradual] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(self, law: str, *arguments: np.ndarray, threads: int | None = None) -> list[np.ndarray]:
        """Results of one of `_LAWS` for arrays q, y, p and further ones; its function is made once."""
        if law not in self._made:
            results, more = _LAWS[law](self)
            given = [*self._symbols, self.tree.p, *more.values()]
            dense = [ca.densify(ca.SX(result)) for result in results.values()]
            function = ca.Function("inverse", given, dense, ["q", "y", "p", *more], [*results])
            self._made[law] = Gradual(function)
        return self._made[law](*arguments, threads=threads)

    @property
    def ny(self) -> int:
        """Number of values of the goals."""
        return sum(goal.size for goal in self.goals)

    @property
    def rows(self) -> int:
        """Number of equations."""
        return int(self._law[0].shape[0])

    @property
    def loops(self) -> int:
        """Number of equations that are not goals; they come first."""
        return self._law[2]

    def _advance(self) -> _Law:
        """(size, gap, ratio, next) of (q, y, p, k): the length of the residual, the largest distance from an equation,

        the smallest independence of a row from those before it, and the coordinates after a step damped k-fold.
        """
        (r, J, _), k = self._law, ca.SX.sym("k")
        dv, ratios = least_change(J, ca.SX.ones(self.tree.nv), -r, k * damping(r, J))
        gap, ratio = (ca.norm_inf(ca.densify(distances(r, J))), ca.mmin(ratios)) if self.rows else (0, 1)
        return {"size": ca.norm_2(r), "gap": gap, "ratio": ratio, "next": self._moved(dv)}, {"k": k}

    def _approach(self) -> _Law:
        """Coordinates after a step that closes the loops and comes nearer to the goals, of (q, y, p, k)."""
        (r, J, _), k = self._law, ca.SX.sym("k")
        goals = r[self.loops :]
        mu = ca.vertcat(ca.SX.zeros(self.loops), k * ca.SX.ones(goals.shape[0]) * damping(goals, J[self.loops :, :]))
        return {"next": self._moved(least_change(J, ca.SX.ones(self.tree.nv), -r, mu)[0])}, {"k": k}

    def _pulled(self) -> _Law:
        """Coordinates after a step towards others q0 that meets the equations to first order, of (q, y, p, k, q0).

        Δq = e − Jᵀ (J Jᵀ)⁻¹ (r + J e) with e = k (q0 − q); attitudes of joints that turn freely are not pulled.
        Source: Siciliano et al. 2009, §3.5.1 (projection onto the null space)
        """
        (r, J, _), k, goal = self._law, ca.SX.sym("k"), ca.SX.sym("q0", self.tree.nq)
        e = ca.SX(self.tree.nv, 1)
        for i, j in self.plain:
            e[j] = k * (goal[i] - self._symbols[0][i])
        back = least_change(J, ca.SX.ones(self.tree.nv), -r - J @ e, damping(r, J))[0]
        return {"next": self._moved(e + back)}, {"k": k, "q0": goal}

    @property
    def plain(self) -> list[tuple[int, int]]:
        """Coordinate and velocity of everything whose velocity is the rate of its coordinate, by their indices."""
        units, pairs = [entry.unit for entry in self.tree.coordinates], []
        for link in self.tree.links:
            pairs += list(zip([i for i in link.q if units[i] != "1"], link.v, strict=False))
        return pairs

    def _gaps(self) -> _Law:
        """Distance (goals,) left to every goal, of (q, y, p) [m] or [rad]."""
        left = [ca.norm_2(column(rows)) for rows in self._goal_rows]
        return {"gaps": column(left)}, {}

    def _residual(self) -> _Law:
        """Residual (rows,) of (q, y, p): loops, then goals."""
        return {"residual": self._law[0]}, {}

    def _here(self) -> _Law:
        """Values y that the goals have, of (q, y, p)."""
        return {"here": column(goal_values_at(self.tree, self._state, self.goals))}, {}

    def _jacobian(self) -> _Law:
        """Derivatives (rows·nv,) of the residual by the velocities, row by row, of (q, y, p)."""
        return {"J": ca.reshape(ca.densify(self._law[1]).T, -1, 1)}, {}

    @cached_property
    def _symbols(self) -> tuple[Number, Number]:
        return ca.SX.sym("q", self.tree.nq), ca.SX.sym("y", self.ny)

    @property
    def _state(self) -> Motion:
        return motion(self.tree, self._symbols[0], ca.SX(self.tree.nv, 1), t=ca.SX(0))

    @property
    def _goal_rows(self) -> list[list[Number]]:
        return goal_rows(self.tree, self._state, self.goals, self._symbols[1])

    @cached_property
    def _law(self) -> tuple[Number, Number, int]:
        """The residual (rows,), its derivatives (rows, nv) by the velocities, and how many of its rows are no goals."""
        q, v = self._symbols[0], ca.SX.sym("v", self.tree.nv)
        closed = [row.expression for row in constraint_rows(self.tree, self._state) if not row.on_velocity]
        wanted = [entry for rows in self._goal_rows for entry in rows]
        residual = ca.SX(column([*closed, *wanted]))
        slope = ca.jacobian(ca.jtimes(residual, q, coordinate_rate(self.tree, q, v)), v)
        return residual, slope, int(residual.shape[0]) - len(wanted)

    def _moved(self, dv: Number) -> Number:
        """Coordinates after the displacement dv (nv,), shortened to the longest step."""
        q = self._symbols[0]
        dv = dv * ca.fmin(1, LONGEST / ca.fmax(ca.norm_inf(ca.densify(ca.SX(dv))), TINY)) if self.tree.nv else dv
        return normalised(self.tree, q + coordinate_rate(self.tree, q, dv))


_Law = tuple[dict[str, Number], dict[str, Number]]
"""Results by name, and the symbols of further arguments."""

_LAWS: dict[str, Callable[[TargetEquations], _Law]] = {
    "advance": TargetEquations._advance,
    "approach": TargetEquations._approach,
    "pulled": TargetEquations._pulled,
    "gaps": TargetEquations._gaps,
    "residual": TargetEquations._residual,
    "here": TargetEquations._here,
    "jacobian": TargetEquations._jacobian,
}
"""The functions of a mechanism and its goals."""
