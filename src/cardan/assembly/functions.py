"""Functions that the assembly of a tree evaluates: of a position and the parameters, at time 0.

Source: Yamashita & Fukushima 2001, "On the rate of convergence of the Levenberg–Marquardt method", Computing Suppl.
15:239 (damping by the residual)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import cached_property, partial

import casadi as ca
import numpy as np

from cardan.formulations import clusters, composite_body
from cardan.frozen import dataclass
from cardan.kinematics.constraints import constraint_rows, constraint_terms, cut_frames, follows_time, with_time
from cardan.kinematics.motion import Motion, coordinate_rate, motion, normalised
from cardan.kinematics.relations.prescribed import motion_rows
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.entries import column
from cardan.numerics.least_change import dense_least_change, least_change
from cardan.numerics.numbers import Numbers

DAMPING = 0.1  # largest damping over the squared length of the longest row of Φq [-], far from closed positions
PLACES = 5  # number of positions at which one call of `gaps` computes the residuals
MANY = 50  # equations of one coordinate whose elimination, 50³/6 operations, takes a second to write out as symbols


Evaluated = Callable[..., list[np.ndarray]]
"""Arrays of arrays: a function that CasADi evaluates, or one with dense matrices."""


@dataclass(frozen=True)
class AssemblyFunctions:
    """The functions that the assembly of a tree evaluates, each made on first use."""

    tree: Tree
    _sizes: dict[tuple[tuple[int, ...], float], Numbers] = field(default_factory=dict, init=False, compare=False)

    @cached_property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """(owner, component) of every equation."""
        neutral = motion(self.tree, ca.SX(ca.DM(self.tree.neutral)), ca.SX(self.tree.nv, 1), t=0, z=self._z)
        return tuple((row.owner, row.component) for row in constraint_rows(self.tree, neutral))

    @cached_property
    def terms(self) -> Numbers:
        """(Φ, Φq, Φt) of (q, p) at time 0, dense."""
        return self._function(*self._at_start)

    @cached_property
    def of_all(self) -> AssemblyFunctions:
        """Those of the tree with the equations that rounding leaves out."""
        return AssemblyFunctions(replace(self.tree, rounded=()))

    @cached_property
    def inertia(self) -> Numbers:
        """M of (q, p), dense."""
        return self._function(composite_body.mass_matrix(self.tree, self._still))

    def sizes(self, kept: tuple[int, ...], weight: float) -> Numbers:
        """Squared lengths, of (q, p), of the rows `kept` of Φq in the metric in which they are solved."""
        if (kept, weight) not in self._sizes:
            found = clusters.equations(self.tree, self._still, self._at_start[1], kept, weight=weight).sizes
            self._sizes[kept, weight] = self._function(column([found[row] for row in kept]))
        return self._sizes[kept, weight]

    @cached_property
    def gaps_of_all(self) -> Numbers:
        """Φ (c,) of (q, p) at time 0, of the equations that are left out too."""
        rows = constraint_rows(self.tree, self._still)
        return self._function(column([ca.DM(1, 1) if row.on_velocity else row.expression for row in rows]))

    @cached_property
    def upright(self) -> Numbers:
        """Of (q, p): a number for each cut joint, negative where its loop closes with the joint half a turn off."""
        state = motion(self.tree, self._symbols, ca.DM(self.tree.nv, 1), t=0)
        return self._function(column([cut.law.upright(cut_frames(state, cut)) for cut in self.tree.cuts]))

    @cached_property
    def prescribed(self) -> tuple[tuple[int, ...], Numbers]:
        """Indices of the coordinates that motions prescribe, and, of (q, p), their distances from these at time 0."""
        rows = motion_rows(self.tree, self._still)
        row_of = {one.coordinate: row[0] for one, (_, row) in zip(self.tree.motions, rows, strict=True)}
        coordinates = tuple(k for k in row_of if k >= 0)
        return coordinates, self._function(column([row_of[k].expression for k in coordinates]))

    @cached_property
    def gaps(self) -> Numbers:
        """Largest `distances` at PLACES positions, of (q, p) at time 0."""
        Phi, Phi_q, _ = self._at_start
        one = ca.Function("gap", [self._symbols, self.tree.p], [ca.norm_inf(ca.densify(distances(Phi, Phi_q)))])
        return Numbers(one.map("gaps", "serial", PLACES, [1], []))

    @property
    def sparse(self) -> bool:
        """Whether few equations share each coordinate; many redundant ones are eliminated as dense matrices."""
        return bool(np.max(np.diff(self._at_start[1].sparsity().colind()), initial=0) < MANY)

    @cached_property
    def closing(self) -> Evaluated:
        """(`distances`, dv) of (q, p, w): smallest step dv, with weights w and damping, that solves Φ + Φq dv = 0."""
        Phi, Phi_q, _ = self._at_start
        w, mu = ca.SX.sym("w", self.tree.nv), damping(Phi, Phi_q)
        if self.sparse:
            return self._function(distances(Phi, Phi_q), least_change(Phi_q, w, -Phi, mu)[0], inputs=[w])
        terms = self._function(distances(Phi, Phi_q), Phi_q, -Phi, mu)

        def closing(q: np.ndarray, p: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
            gaps, J, r, damped = terms(q, p)
            return [gaps, dense_least_change(J, w, r.ravel(), damped.item())[0]]

        return closing

    @cached_property
    def moving(self) -> Evaluated:
        """(Φ̇, Φt, dv, ratios) of (q, p, w, v): the smallest change dv, with weights w, that makes Φ̇ zero."""
        _, Phi_q, Phi_t = self._at_start
        w, v = ca.SX.sym("w", self.tree.nv), ca.SX.sym("v", self.tree.nv)
        rate = Phi_q @ v + Phi_t
        if self.sparse:
            return self._function(rate, Phi_t, *least_change(Phi_q, w, -rate), inputs=[w, v])
        terms = self._function(rate, Phi_t, Phi_q, inputs=[v])

        def moving(q: np.ndarray, p: np.ndarray, w: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
            rate, Phi_t, J = terms(q, p, v)
            return [rate, Phi_t, *dense_least_change(J, w, -rate.ravel())]

        return moving

    @cached_property
    def bending(self) -> Numbers:
        """(γ, ∂γ/∂v) of (q, p, v) at time 0."""
        tree, t, v = self.tree, ca.SX.sym("t"), ca.SX.sym("v", self.tree.nv)
        parts = constraint_terms(tree, motion(tree, self._symbols, v, t=t, z=self._z), held=True)
        gamma = ca.substitute(ca.SX(parts.gamma), t, ca.SX(0))
        return self._function(gamma, ca.jacobian(gamma, v), inputs=[v])

    @cached_property
    def pivots(self) -> Evaluated:
        """(ratios, inertias) of (q, p): pivots over the diagonal of Φq Φqᵀ, and of M."""
        tree, Phi_q = self.tree, self._at_start[1]
        inertias = column(clusters.inertia_pivots(tree, self._still))
        if self.sparse:
            ratios = least_change(Phi_q, ca.SX.ones(tree.nv), ca.SX(Phi_q.shape[0], 1))[1]
            return self._function(ratios, inertias)
        terms = self._function(Phi_q, inertias)

        def pivots(q: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
            J, inertias = terms(q, p)
            return [dense_least_change(J, np.ones(J.shape[1]), np.zeros(len(J)))[1], inertias]

        return pivots

    @cached_property
    def _symbols(self) -> Number:
        return ca.SX.sym("q", self.tree.nq)

    @cached_property
    def _z(self) -> Number | None:
        """Symbols of the signals where motions follow some."""
        return ca.SX.sym("z", len(self.tree.signals)) if self.tree.followed else None

    def _started(self, *results: Number) -> list[Number]:
        """The results with the initial values of the states that motions follow in place of these."""
        tree = self.tree
        if not tree.followed:
            return list(results)
        number = partial(parameter_value, tree.parameters, tree.p)
        start = [self._z[tree.signals.index(name)] for name in tree.followed]  # type: ignore[index]
        values = [ca.densify(ca.SX(evaluate(equation.initial, number))) for equation in tree.followed.values()]
        return list(ca.substitute([ca.SX(result) for result in results], start, values))

    @cached_property
    def _still(self) -> Motion:
        """The position of the symbols, at rest at time 0."""
        return motion(self.tree, self._symbols, ca.DM(self.tree.nv, 1), t=ca.DM(0), z=self._z)

    @cached_property
    def _at_start(self) -> tuple[Number, Number, Number]:
        """(Φ, Φq, Φt) at time 0, sparse."""
        tree, t, v = self.tree, ca.SX.sym("t"), ca.SX.sym("v", self.tree.nv)
        state = motion(tree, self._symbols, v, t=t, z=self._z)
        parts = constraint_terms(tree, state, held=True)
        outputs = [ca.SX(x) for x in (parts.Phi, parts.Phi_q, parts.Phi_t)]
        Phi, Phi_q, Phi_t = ca.substitute(outputs, [t, v], [ca.SX(0), ca.SX.zeros(tree.nv)])
        Phi, Phi_t = self._started(Phi, Phi_t)
        return Phi, Phi_q, Phi_t

    def _function(self, *results: Number, inputs: Sequence[Number] = ()) -> Numbers:
        dense = [ca.densify(ca.SX(result)) for result in self._started(*results)]
        return Numbers(ca.Function("assembly", [self._symbols, self.tree.p, *inputs], dense))

    @cached_property
    def moves_by_itself(self) -> bool:
        """Whether an equation contains time or velocities: then a mechanism with zero degrees of freedom may move."""
        return follows_time(self.tree, self._symbolic)

    @cached_property
    def without_time(self) -> tuple[int, ...]:
        """Indices of the equations without time."""
        return tuple(i for i, moving in enumerate(with_time(self.tree, self._symbolic)) if not moving)

    @property
    def follows_time(self) -> bool:
        """Whether an equation contains time."""
        return len(self.without_time) < len(self.labels)

    @property
    def _symbolic(self) -> Motion:
        """A state of symbols."""
        tree = self.tree
        t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
        return motion(tree, q, v, t=t, z=self._z)

    @property
    def is_smooth(self) -> bool:
        """Whether equations that hold at a few positions of a straight line hold on the whole line.

        Distances and joints are analytic; a user's expression or curve may be piecewise, unless it is linear.
        """
        rows = [
            i
            for i, (owner, _) in enumerate(self.labels)
            if owner in self.tree.constraints and not self.tree.constraints[owner].analytic
        ]
        return not rows or not ca.depends_on(self._at_start[1][rows, :], self._symbols)

    @cached_property
    def step(self) -> Numbers:
        """Coordinates after the displacement dv (nv,) from q."""
        q, dv = ca.SX.sym("q", self.tree.nq), ca.SX.sym("dv", self.tree.nv)
        moved = ca.SX(normalised(self.tree, q + coordinate_rate(self.tree, q, dv)))
        return Numbers(ca.Function("step", [q, dv], [ca.densify(moved)]))


def distances(Phi: Number, Phi_q: Number) -> Number:
    """Φ (c,) divided by the length of its row of Φq (c, n) if that exceeds 1: about the distance of q from Φ = 0.

    The round-off of Φ itself is not small where lengths are hundreds of metres or factors are thousands.
    """
    return Phi / ca.sqrt(ca.fmax(ca.sum2(Phi_q**2), 1))


def damping(Phi: Number, Phi_q: Number) -> Number:
    """|Φ|², at most DAMPING times the squared longest row of Φq; Levenberg's method then ends near its start."""
    longest = ca.mmax(ca.sum2(Phi_q**2)) if Phi.shape[0] else 0
    return ca.fmin(ca.sumsqr(Phi), DAMPING * longest)
