"""The integrated coordinates: all coordinates of a mechanism, or independent ones on which the others depend linearly.

On a straight branch q = c + Q y and v = T w satisfy the constraints exactly, and constraint forces do no work:
Tᵀ M T ẇ = Tᵀ (τ − h). The sizes of the entries of c, Q and T are inputs that follow the parameters p, so that one
program serves all branches of a pattern.

Source: Wehage & Haug 1982, J. Mechanical Design 104:247 (coordinate partitioning), with a constant T
"""

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from cardan.assembly.independent_coordinates import Pattern, SizeEntries
from cardan.formulations import composite_body, newton_euler
from cardan.frozen import dataclass, replace
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Number
from cardan.numerics import sparse_ldl
from cardan.numerics.entries import column
from cardan.system.efforts import actuator_efforts
from cardan.system.response import Response, accelerations_and_multipliers
from cardan.system.state import State
from cardan.system.system import System


@dataclass(frozen=True, eq=False)
class AllCoordinates:
    """Every coordinate and velocity of a system is integrated."""

    system: System  # the mechanism with its motors and constraints

    @property
    def made_from(self) -> tuple[System, Pattern | None]:
        """The system in all its coordinates, and the pattern of the independent ones."""
        return self.system, None

    def holding(self) -> "AllCoordinates":
        """The same of the system whose contacts hold the speeds of their slips."""
        return AllCoordinates(self.system.holding())

    @property
    def counts(self) -> tuple[int, int]:
        """Number of coordinates and of velocities that are integrated."""
        return self.system.tree.nq, self.system.tree.nv

    @property
    def p(self) -> Number:
        """Symbols of the parameters."""
        return self.system.tree.p

    def q(self, y: Number) -> Number:
        """All coordinates (nq,) from those that are integrated, `y`."""
        return y

    def v(self, w: Number) -> Number:
        """All velocities (nv,) from those that are integrated, `w`."""
        return w

    def own(self, x: Number) -> Number:
        """The entries of the state x (nx,) that are integrated."""
        return x

    def solution(self, state: State) -> Response:
        """Accelerations v̇ (nv,) and multipliers λ (c,) of a `state` of symbols."""
        return accelerations_and_multipliers(self.system, state)


@dataclass(frozen=True, eq=False)
class IndependentCoordinates:
    """Only y and w of q = c + Q y and v = T w are integrated.

    The system in these coordinates has no constraints; functions of constraints are made with `AllCoordinates`.
    """

    constrained: System  # the system in all its coordinates, with any selection of constraints
    pattern: Pattern  # the form of the straight branch, without its sizes

    @cached_property
    def system(self) -> System:
        """The system without its constraints, which y and w satisfy exactly."""
        free = replace(self.constrained.tree, cuts=(), constraints={})
        return replace(self.constrained, tree=free)

    @property
    def made_from(self) -> tuple[System, Pattern | None]:
        """The system in all its coordinates, and the pattern of the independent ones."""
        return self.constrained, self.pattern

    def holding(self) -> "IndependentCoordinates":
        """The same of the system whose contacts hold the speeds of their slips."""
        return IndependentCoordinates(self.constrained.holding(), self.pattern)

    @property
    def counts(self) -> tuple[int, int]:
        """Number of coordinates and of velocities that are integrated."""
        return len(self.pattern.q), len(self.pattern.v)

    @property
    def p(self) -> Number:
        """Symbols of the parameters and the sizes."""
        return ca.vertcat(self.system.tree.p, self._sizes)

    def q(self, y: Number) -> Number:
        """All coordinates c + Q y (nq,) from those that are integrated, `y`."""
        constants = ca.SX(column([self._value(number) for number in self.pattern.c]))
        return ca.densify(constants + self._matrix(self.pattern.Q, len(self.pattern.c), len(self.pattern.q)) @ y)

    def v(self, w: Number) -> Number:
        """All velocities T w (nv,) from those that are integrated, `w`."""
        return ca.densify(self._T @ w)

    def own(self, x: Number) -> Number:
        """The entries of the state x (nx,) that are integrated."""
        nq, nv = len(self.pattern.c), self.pattern.nv
        return x[[*self.pattern.q, *(nq + k for k in self.pattern.v), *range(nq + nv, x.shape[0])]]

    def solution(self, state: State) -> Response:
        """Accelerations v̇ = T ẇ (nv,) of a `state` of symbols, and no multipliers."""
        tree, T = self.system.reduced, self._T
        moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
        tau = actuator_efforts(self.system, state)
        M = ca.SX(T.T @ composite_body.mass_matrix(tree, moving) @ T)
        f = T.T @ (tau - newton_euler.inverse_dynamics(tree, moving, ca.DM(tree.nv, 1)))
        order = sparse_ldl.minimum_degree(sparse_ldl.neighbours(M))
        return T @ sparse_ldl.solve(sparse_ldl.factor(M, order), f), ca.DM(0, 1)

    @cached_property
    def _sizes(self) -> Number:
        return ca.SX.sym("sizes", self.pattern.count)

    @property
    def _T(self) -> Number:
        return self._matrix(self.pattern.T, self.pattern.nv, len(self.pattern.v))

    def _value(self, number: int) -> Number:
        """The size with this number, negative for a negative number."""
        known: Sequence[Number] = (ca.SX(0), ca.SX(1))
        size = known[abs(number)] if abs(number) < 2 else self._sizes[abs(number) - 2]
        return size if number >= 0 else -size

    def _matrix(self, entries: SizeEntries, rows: int, columns: int) -> Number:
        """The sparse matrix with these entries."""
        out = ca.SX(rows, columns)
        for i, j, number in entries:
            out[i, j] = self._value(number)
        return out


Coordinates = AllCoordinates | IndependentCoordinates
"""The relation between the integrated coordinates and all coordinates and velocities of a mechanism."""
