"""The symbols of a system's functions, and the expressions that several laws share.

This file alone makes the two substitutions: expressions replace their entries of u, and c + Q y and T w replace the
coordinates and velocities. Both are made before a law of the catalogue reads the state.
"""

from collections.abc import Mapping
from functools import cached_property

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.coordinates import Coordinates
from cardan.functions.results import result_names, with_results
from cardan.kinematics.constraints import ConstraintTerms, constraint_terms
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Number, Tree
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.entries import column
from cardan.system.efforts import actuator_efforts
from cardan.system.response import Response, projected
from cardan.system.state import State, at
from cardan.system.system import System


@dataclass(frozen=True, eq=False)
class Symbols:
    """Symbols of (t, x, u, p) and of all other arguments of functions, with the state made of them."""

    coordinates: Coordinates  # which coordinates of which system are integrated
    expressions: Mapping[str, Scalar]  # inputs that are expressions of t or of the state, by name

    @property
    def system(self) -> System:
        """The mechanism with its motors; in independent coordinates it has no constraints."""
        return self.coordinates.system

    @cached_property
    def inputs(self) -> Mapping[str, Number]:
        """The symbols by name: t, q, v, z, x = (q, v, z), u, p, a, tau; `now` is the instant whose forces act,
        `along` a direction of (t, x, u).
        """
        system, (ny, nw) = self.system, self.coordinates.counts
        q, v, z = ca.SX.sym("q", ny), ca.SX.sym("v", nw), ca.SX.sym("z", system.nz)
        return {
            "t": ca.SX.sym("t"),
            "q": q,
            "v": v,
            "z": z,
            "x": ca.vertcat(q, v, z),
            "u": ca.SX.sym("u", len(system.input_names)),
            "p": self.coordinates.p,
            "a": ca.SX.sym("a", system.tree.nv),
            "tau": ca.SX.sym("tau", system.tree.nv),
            "now": ca.SX.sym("now"),
            "along": ca.SX.sym("along", 1 + ny + nw + system.nz + len(system.input_names)),
        }

    @cached_property
    def state(self) -> State:
        """The state, with expressions in place of the inputs they define."""
        return self._state(self.system.tree, self.inputs["t"])

    @cached_property
    def reduced(self) -> State:
        """The state over the tree with regrouped inertias, for the equations of motion."""
        return self._state(self.system.reduced, self.inputs["t"])

    @property
    def holding(self) -> "Symbols":
        """Symbols of their own of the system whose contacts hold the speeds of their slips."""
        return Symbols(self.coordinates.holding(), self.expressions)

    @property
    def now(self) -> State:
        """The state with the forces and inputs of the instant `now`."""
        return self._state(self.system.tree, self.inputs["now"])

    @cached_property
    def still(self) -> State:
        """The state over the regrouped tree with u = 0 and z = 0, but sliding friction: efforts without inputs."""
        s, (q, v) = self.inputs, self._all
        return at(self.system, self.system.reduced, s["t"], q, v, self._known, ca.DM(*s["u"].shape))

    @cached_property
    def still_bodies(self) -> State:
        """As `still`, over the tree with each body's own inertia, for reactions."""
        s, (q, v) = self.inputs, self._all
        return at(self.system, self.system.tree, s["t"], q, v, self._known, ca.DM(*s["u"].shape))

    @cached_property
    def accelerations_and_multipliers(self) -> Response:
        """v̇ (nv,) and λ (c,) of the state."""
        return self.coordinates.solution(self.state)

    @cached_property
    def constraints(self) -> ConstraintTerms:
        """Φ, Φq, Φt, γ and Φ̇ of the state."""
        return constraint_terms(self.system.tree, self.state.motion)

    @cached_property
    def held_constraints(self) -> ConstraintTerms:
        """As `constraints`, without the equations that feedback brings back."""
        return constraint_terms(self.system.tree, self.state.motion, held=True, kept=self.system.choice.kept)

    @cached_property
    def projected(self) -> tuple[Number, Number, Number]:
        """x projected onto its constraints, its distance from them, and its distance from a singular position."""
        return projected(self.system, self.state)

    def efforts(self, state: State) -> Number:
        """Efforts of the actuators (nv,) [N, N m]."""
        return actuator_efforts(self.system, state)

    @cached_property
    def _all(self) -> tuple[Number, Number]:
        """All coordinates and velocities."""
        return self.coordinates.q(self.inputs["q"]), self.coordinates.v(self.inputs["v"])

    @property
    def _known(self) -> Number:
        """States of the blocks for functions of coordinates and velocities alone."""
        moving = motion(self.system.tree, *self._all, t=self.inputs["t"])
        return column([block.known(moving) for block in self.system.blocks])

    def _state(self, tree: Tree, t: Number) -> State:
        """The state over a tree at the instant t, in which expressions find results."""
        results, lets = result_names(self.system), self.system.model.let
        late = {name: one for name, one in self.expressions.items() if reached(one.names, lets) & results}
        early = {name: one for name, one in self.expressions.items() if name not in late}
        before = at(self.system, tree, t, *self._all, self.inputs["z"], self.inputs["u"], early)
        return with_results(self.system, before, late)
