"""The functions an integrator calls, each of one row (t, x, u, p) of doubles: state derivative, Jacobian, projection.

Inputs that are expressions are written into the functions, so that the Jacobian contains feedback; constants and tables
stay run-time values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import casadi as ca

from cardan.assembly.start import system_of
from cardan.codegen import Compiled, Gradual, Native, compile_function, native
from cardan.formulations import newton_euler
from cardan.kinematics import energy
from cardan.kinematics.build import MotorModel
from cardan.kinematics.constraints import ConstraintTerms, constraint_terms
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.tree import Number
from cardan.loads.reactions import Frame
from cardan.loads.uniqueness import Distribution, sensitivity
from cardan.model.model import Model
from cardan.model.scalar import Scalar
from cardan.system.constrained import Selection, has_constraints
from cardan.system.inertia_check import check_inertia_for, generic_mass_matrix
from cardan.system.system import (
    State,
    System,
    accelerations_and_multipliers,
    actuator_efforts,
    at,
    powers,
    projected,
    state_derivative,
    total_energy,
)

__all__ = ["Inputs", "Kernels", "function_of", "kernels_of"]

Inputs = tuple[Number, Number, Number, Number]
"""Symbols of t, x, u, p."""
TINY = 1e-30  # keeps a row of zeros from a division by zero; far below any squared length that matters


@dataclass(frozen=True, eq=False)
class Kernels:
    """Compiled functions of one system; each is made when it is first needed.

    Parameters
    ----------
    system : the mechanism with its motors.
    expressions : inputs that are expressions of t or of the state, by name.
    """

    system: System
    expressions: Mapping[str, Scalar]

    @cached_property
    def derivative(self) -> Native:
        """(ẋ, rates of the works)."""
        return native(self._function("derivative", [self._rates]))

    @cached_property
    def lanes(self) -> Native:
        """`derivative` for eight states at once."""
        return native(self._function("derivative", [self._rates]), lanes=8)

    @cached_property
    def velocity(self) -> Native:
        """q̇."""
        s = self.symbols
        return native(self._function("velocity", [coordinate_rate(self.system.tree, s.q, s.v)]))

    @cached_property
    def jacobian(self) -> Native:
        """Derivatives of `derivative` with respect to x, t and u."""
        t, x, u, _ = self.inputs
        parts = [ca.densify(ca.jacobian(self._rates, y)) for y in (x, t, u)]
        return native(self._function("jacobian", parts))

    @cached_property
    def projection(self) -> Native | None:
        """x brought back to its constraints, its distance from them and from a singular position; None without any."""
        if self.system.tree.nq == self.system.tree.nv and not has_constraints(self.system.tree):
            return None
        moved, residual, nearness = self._projected
        return native(self._function("projection", [ca.densify(moved), residual, nearness]))

    @cached_property
    def violation(self) -> Compiled:
        """Largest |Φ| and |Φ̇| of a state."""
        parts = [ca.norm_inf(ca.densify(part)) for part in (self._terms.Phi, self._terms.rate)]
        return compile_function(self._function("violation", parts), {"t": (), "y0": (), "y1": ()})

    @cached_property
    def nearness(self) -> Gradual:
        """Of a state: its distance from a singular position, as `projected` tells it; its drift, the largest |Φ| over
        the length of its row of Φq; q̇ (nq,).
        """
        lengths = ca.sqrt(ca.sum2(self._terms.Phi_q**2) + TINY)
        drift = ca.norm_inf(ca.densify(self._terms.Phi / lengths))
        rate = coordinate_rate(self.system.tree, self.symbols.q, self.symbols.v)
        return self.columns("nearness", [self._projected[2], drift, rate])

    @cached_property
    def solution(self) -> Gradual:
        """Of a state: v̇ (nv,), multipliers λ (c,) of all equations, distance from a singular position as `projected`
        tells it; of (t, x, (u, now), p), constraints at the instant t and forces of the instant `now`.
        """
        now, (_, x, u, p), s = ca.SX.sym("now"), self.inputs, self.symbols
        under = self.state((now, x, u, p), s.q, s.v, s.z)
        return self.columns(
            "solution", [*accelerations_and_multipliers(self.system, s, under), self._projected[2]], now
        )

    @cached_property
    def closer(self) -> Gradual:
        """x a Newton step nearer to its constraints."""
        return self.columns("closer", [self._projected[0]])

    @cached_property
    def carried(self) -> Gradual:
        """M v̇ + h − τ = Φqᵀ λ (nv,) of a state and accelerations; of (t, x, (u, v̇), p)."""
        s, system = self.symbols, self.system
        a = ca.SX.sym("a", system.tree.nv)
        efforts = newton_euler.inverse_dynamics(system.reduced, s.motion, a) - actuator_efforts(system, s)
        return self.columns("carried", [efforts], a)

    @property
    def equations(self) -> int:
        """Number of equations of the constraints, redundant ones included."""
        return int(self._terms.Phi.shape[0])

    @cached_property
    def gamma(self) -> Gradual:
        """γ (c,) of a state: Φq v̇ = γ."""
        return self.columns("gamma", [self._terms.gamma])

    @cached_property
    def loops(self) -> ca.Function:
        """Φ (c,), Φq (c, nv) and Φt (c,) of (t, x, u, p)."""
        return self._function("loops", [self._terms.Phi, self._terms.Phi_q, self._terms.Phi_t])

    @cached_property
    def energy(self) -> Compiled:
        """Stored, kinetic and potential energy [J] of a state."""
        s, tree = self.symbols, self.system.tree
        parts = [total_energy(self.system, s), energy.kinetic(tree, s.motion), energy.potential(tree, s.motion)]
        function = self._function("energy", [ca.densify(ca.SX(part)) for part in parts])
        return compile_function(function, {"t": (), "y0": (), "y1": (), "y2": ()})

    @cached_property
    def efforts(self) -> Compiled:
        """Efforts of the actuators (nv,) in a state [N, N m]."""
        s, system = self.symbols, self.system
        tau = actuator_efforts(system, s)
        return compile_function(self._function("efforts", [tau]), {"t": (), "y0": (system.tree.nv,)})

    @cached_property
    def check_inertia(self) -> Callable[[tuple[float, ...]], None]:
        """Refuses values of the parameters with which a coordinate has no inertia, as `check_inertia_for` does.

        Values that have passed are not looked at again.
        """
        return lru_cache(maxsize=64)(
            partial(check_inertia_for, self.system.reduced, generic_mass_matrix(self.system.reduced))
        )

    def distribution(self, frame: Frame) -> Distribution:
        """How the reactions in the axes of a frame depend on what closed loops carry; made once."""
        if frame not in self._distributions:
            parts = sensitivity(self.system.tree, self.symbols.motion, frame)
            matrices = [ca.SX(part) for part in (parts.Phi_q, parts.W, parts.H)]
            function = self.columns("distribution", [ca.vec(matrix.nz[:]) for matrix in matrices])
            patterns = tuple(matrix.sparsity() for matrix in matrices)
            self._distributions[frame] = Distribution(parts.labels, patterns, function)
        return self._distributions[frame]

    @cached_property
    def _distributions(self) -> dict[Frame, Distribution]:
        return {}

    def columns(self, name: str, values: Sequence[Number], *given: Number) -> Gradual:
        """The function of (t, x, (u, `given`), p) with a column for each of the values.

        Parameters
        ----------
        name : of the function.
        values : expressions of `inputs` and the symbols `given`.
        *given : further symbols, which come after the inputs u.
        """
        t, x, u, p = self.inputs
        results = [ca.densify(ca.SX(value)) for value in values]
        return Gradual(function_of(name, (t, x, ca.vertcat(u, *given), p), results), {"t": ()})

    @cached_property
    def _terms(self) -> ConstraintTerms:
        return constraint_terms(self.system.tree, self.symbols.motion)

    @cached_property
    def _projected(self) -> tuple[Number, Number, Number]:
        return projected(self.system, self.symbols)

    @cached_property
    def accelerations_and_multipliers(self) -> tuple[Number, Number]:
        """v̇ (nv,) and λ (c,) of the state of the symbols."""
        return accelerations_and_multipliers(self.system, self.symbols)

    @cached_property
    def inputs(self) -> Inputs:
        """Symbols of t, x, u, p."""
        u = ca.SX.sym("u", len(self.system.input_names))
        return ca.SX.sym("t"), ca.SX.sym("x", self.system.nx), u, self.system.tree.p

    @cached_property
    def symbols(self) -> State:
        """The state of the symbols `inputs`, inputs worked out."""
        x, tree = self.inputs[1], self.system.tree
        q, v, z = x[: tree.nq], x[tree.nq : tree.nq + tree.nv], x[tree.nq + tree.nv :]
        return self.state(self.inputs, q, v, z)

    def state(self, inputs: Inputs, q: Number, v: Number, z: Number) -> State:
        """The state of expressions q (nq,), v (nv,), z (nz,) and the symbols of t and u, inputs worked out."""
        t, _, u, _ = inputs
        return at(self.system, self.system.tree, t, q, v, z, u, self.expressions)

    @cached_property
    def _rates(self) -> Number:
        known = self.system, self.symbols, self.accelerations_and_multipliers
        return ca.vertcat(state_derivative(*known), powers(*known))

    def _function(self, name: str, results: list[Number]) -> ca.Function:
        return function_of(name, self.inputs, results)

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code stays behind; it is made again where it is needed."""
        system = self.system
        return kernels_of, (system.model, system.motors, tuple(self.expressions.items()), system.choice)


@lru_cache(maxsize=64)
def kernels_of(
    model: Model, motors: MotorModel, expressions: tuple[tuple[str, Scalar], ...], choice: Selection
) -> Kernels:
    """Kernels of a mechanism; asked for again, they are the same ones with their machine code.

    Parameters
    ----------
    model : the mechanism.
    motors : "full", "simplified" or "none".
    expressions : inputs that are expressions of t or of the state, with their names.
    choice : how the constraints are solved.
    """
    return Kernels(replace(system_of(model, motors)[0], choice=choice), dict(expressions))


def function_of(name: str, inputs: Inputs, results: list[Number]) -> ca.Function:
    """Function of (t, x, u, p), results y0, y1, … with common subexpressions computed once.

    Parameters
    ----------
    name : of the function.
    inputs : symbols of t, x, u, p.
    results : expressions of them.
    """
    shared = ca.cse([ca.SX(result) for result in results])
    names = [f"y{k}" for k in range(len(shared))]
    return ca.Function(name, list(inputs), shared, ["t", "x", "u", "p"], names)
