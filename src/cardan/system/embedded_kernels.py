"""The functions an integrator calls for a mechanism on a straight branch: its motion in independent coordinates.

With q = c + T y and v = T ẏ the constraints hold by themselves and do no work: Tᵀ M T ÿ = Tᵀ (τ − h).
Source: Wehage & Haug 1982, J. Mechanical Design 104:247 (coordinate partitioning), with a constant T
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import casadi as ca

from cardan.codegen import Native, native
from cardan.formulations import composite_body, newton_euler
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Number
from cardan.model.model import Model
from cardan.model.scalar import Scalar
from cardan.numerics import sparse_ldl
from cardan.system import circuits
from cardan.system.constrained import Selection
from cardan.system.embedding import Embedding
from cardan.system.kernels import Inputs, Kernels, function_of, kernels_of
from cardan.system.system import State, powers

__all__ = ["EmbeddedKernels", "embedded_kernels_of"]


@dataclass(frozen=True)
class EmbeddedKernels:
    """Compiled functions over x = (y, ẏ, z); each is made when it is first needed.

    Parameters
    ----------
    kernels : of the same system in all its coordinates.
    embedding : its straight branch.
    """

    kernels: Kernels
    embedding: Embedding

    @cached_property
    def derivative(self) -> Native:
        """(ẋ, rates of the works)."""
        return native(function_of("derivative", self._inputs, [self._rates]))

    @cached_property
    def velocity(self) -> Native:
        """ẏ."""
        return native(function_of("velocity", self._inputs, [self._parts[1]]))

    @cached_property
    def jacobian(self) -> Native:
        """Derivatives of `derivative` with respect to x, t and u."""
        t, x, u, _ = self._inputs
        parts = [ca.densify(ca.jacobian(self._rates, y)) for y in (x, t, u)]
        return native(function_of("jacobian", self._inputs, parts))

    @cached_property
    def _inputs(self) -> Inputs:
        """Symbols of t, x, u, p."""
        t, _, u, p = self.kernels.inputs
        return t, ca.SX.sym("x", 2 * len(self.embedding.independent) + self.kernels.system.circuits.nz), u, p

    @cached_property
    def _parts(self) -> tuple[Number, Number, Number]:
        """y, ẏ, z."""
        x, k = self._inputs[1], len(self.embedding.independent)
        return x[:k], x[k : 2 * k], x[2 * k :]

    @cached_property
    def _T(self) -> Number:
        return ca.sparsify(ca.DM(self.embedding.T))

    @cached_property
    def _state(self) -> State:
        """The state of the symbols in all coordinates, inputs worked out."""
        y, w, z = self._parts
        q = ca.SX(ca.sparsify(ca.DM(self.embedding.c))) + self._T @ y
        return self.kernels.state(self._inputs, ca.densify(q), ca.densify(self._T @ w), z)

    @cached_property
    def _accelerations(self) -> Number:
        """ÿ (ny,)."""
        s, system = self._state, self.kernels.system
        tree, T = system.reduced, self._T
        state = motion(tree, s.q, s.v, t=s.t, z=s.currents)
        tau = circuits.efforts(system.circuits, tree, s.currents, s.u)
        M = ca.SX(T.T @ composite_body.mass_matrix(tree, state) @ T)
        f = T.T @ (tau - newton_euler.inverse_dynamics(tree, state, ca.DM(tree.nv, 1)))
        order = sparse_ldl.minimum_degree(sparse_ldl.neighbours(M))
        return sparse_ldl.solve(sparse_ldl.factor(M, order), f)

    @cached_property
    def _rates(self) -> Number:
        s, system, a = self._state, self.kernels.system, self._accelerations
        electric = circuits.rates(system.circuits, system.tree, s.v, s.z, s.u)
        return ca.vertcat(self._parts[1], a, electric, powers(system, s, (self._T @ a, ca.DM(0, 1))))


@lru_cache(maxsize=64)
def embedded_kernels_of(
    model: Model,
    motors: MotorModel,
    expressions: tuple[tuple[str, Scalar], ...],
    choice: Selection,
    embedding: Embedding,
) -> EmbeddedKernels:
    """Kernels of a straight branch; asked for again, they are the same ones with their machine code.

    Parameters
    ----------
    model, motors, expressions, choice : as of `kernels_of`.
    embedding : the branch.
    """
    return EmbeddedKernels(kernels_of(model, motors, expressions, choice), embedding)
