"""The functions an integrator calls for a mechanism on a straight branch: its motion in independent coordinates.

With q = c + Q y and v = T w the constraints hold by themselves and do no work: Tᵀ M T ẇ = Tᵀ (τ − h).
The sizes of what stands in c, Q and T come after the parameters: one program serves all branches of a pattern.
Source: Wehage & Haug 1982, J. Mechanical Design 104:247 (coordinate partitioning), with a constant T
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca

from cardan.assembly.independent_coordinates import Entries, Pattern
from cardan.codegen import Gradual, Native, native
from cardan.formulations import composite_body, newton_euler
from cardan.functions.kernels import Inputs, Kernels, function_of, kernels_of
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.kinematics.tree import Number
from cardan.model.model import Model
from cardan.model.scalar import Scalar
from cardan.numerics import sparse_ldl
from cardan.numerics.entries import column
from cardan.system.constrained import NO_CONSTRAINTS
from cardan.system.system import State, actuator_efforts, block_rates, powers

__all__ = ["EmbeddedKernels", "embedded_kernels_of"]


@dataclass(frozen=True)
class EmbeddedKernels:
    """Compiled functions of t, x = (y, w, z), u and p with the sizes of a branch; each is made when first needed.

    Parameters
    ----------
    kernels : of the same system in all its coordinates, solved in any way.
    pattern : of its straight branches.
    """

    kernels: Kernels
    pattern: Pattern

    @cached_property
    def derivative(self) -> Native:
        """(ẋ, rates of the works)."""
        return native(function_of("derivative", self._inputs, [self._rates]))

    @cached_property
    def velocity(self) -> Native:
        """ẏ."""
        return native(function_of("velocity", self._inputs, [self._y_dot]))

    @cached_property
    def jacobian(self) -> Native:
        """Derivatives of `derivative` with respect to x, t and u."""
        t, x, u, _ = self._inputs
        parts = [ca.densify(ca.jacobian(self._rates, y)) for y in (x, t, u)]
        return native(function_of("jacobian", self._inputs, parts))

    @cached_property
    def accelerations(self) -> Gradual:
        """v̇ (nv,), a column for each."""
        a = ca.densify(self._T @ self._accelerations)
        return Gradual(function_of("accelerations", self._inputs, ca.vertsplit(a)), {"t": ()})

    @cached_property
    def projection(self) -> Native | None:
        """x with quaternions of unit length, how far they were from it, and ∞; None without quaternions."""
        tree, (y, w, z) = self.kernels.system.tree, self._parts
        if tree.nq == tree.nv:
            return None
        own = normalised(tree, self._state.q)[list(self.pattern.q)]
        parts = [ca.densify(ca.vertcat(own, w, z)), ca.norm_inf(own - y), ca.SX.inf()]
        return native(function_of("projection", self._inputs, parts))

    @cached_property
    def _inputs(self) -> Inputs:
        """Symbols of t, x, u, and of p with the sizes."""
        t, _, u, p = self.kernels.inputs
        ny, nw = len(self.pattern.q), len(self.pattern.v)
        return t, ca.SX.sym("x", ny + nw + self.kernels.system.nz), u, ca.vertcat(p, self._sizes)

    @cached_property
    def _sizes(self) -> Number:
        return ca.SX.sym("sizes", self.pattern.count)

    def _value(self, number: int) -> Number:
        """What the number of a size means."""
        size = ca.SX(abs(number)) if abs(number) < 2 else self._sizes[abs(number) - 2]
        return size if number >= 0 else -size

    def _matrix(self, entries: Entries, rows: int, columns: int) -> Number:
        """The matrix with these entries, sparse."""
        out = ca.SX(rows, columns)
        for i, j, number in entries:
            out[i, j] = self._value(number)
        return out

    @cached_property
    def _parts(self) -> tuple[Number, Number, Number]:
        """y, w, z."""
        x, ny, nw = self._inputs[1], len(self.pattern.q), len(self.pattern.v)
        return x[:ny], x[ny : ny + nw], x[ny + nw :]

    @cached_property
    def _T(self) -> Number:
        return self._matrix(self.pattern.T, self.pattern.nv, len(self.pattern.v))

    @cached_property
    def _state(self) -> State:
        """The state of the symbols in all coordinates, inputs worked out."""
        pattern, (y, w, z) = self.pattern, self._parts
        constants = ca.SX(column([self._value(number) for number in pattern.c]))
        q = constants + self._matrix(pattern.Q, len(pattern.c), len(pattern.q)) @ y
        return self.kernels.state(self._inputs, ca.densify(q), ca.densify(self._T @ w), z)

    @cached_property
    def _y_dot(self) -> Number:
        s = self._state
        return coordinate_rate(self.kernels.system.tree, s.q, s.v)[list(self.pattern.q)]

    @cached_property
    def _accelerations(self) -> Number:
        """ẇ (nw,)."""
        s, system = self._state, self.kernels.system
        tree, T = system.reduced, self._T
        state = motion(tree, s.q, s.v, t=s.t, z=s.motion.z)
        tau = actuator_efforts(system, s)
        M = ca.SX(T.T @ composite_body.mass_matrix(tree, state) @ T)
        f = T.T @ (tau - newton_euler.inverse_dynamics(tree, state, ca.DM(tree.nv, 1)))
        order = sparse_ldl.minimum_degree(sparse_ldl.neighbours(M))
        return sparse_ldl.solve(sparse_ldl.factor(M, order), f)

    @cached_property
    def _rates(self) -> Number:
        s, system, a = self._state, self.kernels.system, self._accelerations
        return ca.vertcat(self._y_dot, a, block_rates(system, s), powers(system, s, (self._T @ a, ca.DM(0, 1))))


@lru_cache(maxsize=64)
def embedded_kernels_of(
    model: Model,
    motors: MotorModel,
    expressions: tuple[tuple[str, Scalar], ...],
    pattern: Pattern,
) -> EmbeddedKernels:
    """Kernels of straight branches; asked for again, they are the same ones with their machine code.

    Parameters
    ----------
    model, motors, expressions : as of `kernels_of`.
    pattern : of the branches.
    """
    return EmbeddedKernels(kernels_of(model, motors, expressions, NO_CONSTRAINTS), pattern)
