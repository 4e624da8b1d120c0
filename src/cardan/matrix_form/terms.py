"""The terms of a model's equations of motion: as numbers, and as formulas in a short form."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from cardan.codegen import compile_function
from cardan.codegen.program.instruction import FREE
from cardan.codegen.program.program import flatten
from cardan.formulations import (
    articulated_body,
    bond_graph,
    compatibility,
    composite_body,
    lagrange,
    newton_euler,
    trace_lagrange,
)
from cardan.formulations.terms import Terms
from cardan.functions.dynamics import parameter_array
from cardan.kinematics.build import MotorModel
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.matrix_form.accelerations import ACCELERATIONS, accelerations
from cardan.matrix_form.coordinates import coordinate_change
from cardan.matrix_form.inertia_symbols import NamedInertias, named_inertias
from cardan.model.model import Model
from cardan.model.records.section import Section
from cardan.numerics.entries import column
from cardan.rendering import Budget, Matrix, readable
from cardan.rendering.documents.document import RATES
from cardan.system.blocks.circuits import without_limits
from cardan.system.blocks.graphs import GraphBlock
from cardan.system.constrained import has_constraints
from cardan.system.efforts import applied_efforts
from cardan.system.motor_matrices import motor_matrices
from cardan.system.state import State, at, blocks_at
from cardan.system.system import System, build_system

FORMULATIONS: dict[str, Callable[[Tree, Motion], Terms]] = {
    "newton_euler": newton_euler.terms,
    "composite_body": composite_body.terms,
    "articulated_body": articulated_body.terms,
    "lagrange": lagrange.terms,
    "trace_lagrange": trace_lagrange.terms,
    "compatibility": compatibility.terms,
    "bond_graph": bond_graph.terms,
}

_RANKS = {"g": 1, "Q": 1, "Phi": 1, "gamma": 1, RATES: 1}


class MatrixTerms:
    """The terms of the equations of a model: numbers, and matrices of formulas; parameters as of `Equations`."""

    def __init__(
        self, model: Model, motors: MotorModel, formulation: str, budget: Budget, symbols: bool = False
    ) -> None:
        named = named_inertias(model) if symbols else NamedInertias(model, {})
        self.model = model = named.model
        self._meaning = named.meaning
        self.motors = motors
        self.formulation = formulation
        self.budget = budget
        written = without_limits(model).unchecked(contacts=Section({}))  # forces of contacts fill pages: they are named
        self._system = build_system(written, motors)
        self._change = coordinate_change(model, self._system.tree)
        self._function = _function(self)
        self._simplified: dict[tuple[str, ...], dict[str, Matrix]] = {}

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q, in order."""
        if self._change is not None:
            return self._change.names
        return tuple(entry.name for entry in self._system.tree.coordinates)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities v, in order: `swing.v`."""
        if self._change is not None:
            return tuple(f"{name}.v" for name in self._change.names)
        return self._system.state_names[len(self.coordinates) : len(self.coordinates) + self._system.tree.nv]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs u, in order."""
        return self._system.input_names

    @property
    def currents(self) -> tuple[str, ...]:
        """Names of the currents that are states, in order; none unless motors are full."""
        return tuple(name for circuit in self._system.circuits for name in circuit.names)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the user's own states, of bond graphs' and of friction's, in order: forces may depend on them."""
        return (
            *self.model.states,
            *(name for graph in self._system.graphs for name in graph.names),
            *(name for block in (*self._system.frictions, *self._system.stops) for name in block.names),
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return self._system.tree.parameters

    @property
    def terms(self) -> tuple[str, ...]:
        """Names of the terms: M, C, D, g, B, Q, Phi, Phi_q, gamma, L, R, E, and rates where there are bond graphs."""
        return tuple(_names(self))

    @property
    def readable(self) -> dict[str, Matrix]:
        """All terms by name, each entry in a short form, as documents show them."""
        return self.simplified()

    def simplified(self, only: Sequence[str] = ()) -> dict[str, Matrix]:
        """Terms by name, each entry in a short form; the budget is spent on the requested terms.

        Parameters
        ----------
        only : sequence of str
            Names of terms, or "accelerations"; all terms if there are none.

        Raises
        ------
        ModelError
            Accelerations are requested that have no form in symbols.
        """
        chosen = tuple(name for name in (*_names(self), ACCELERATIONS) if name in only) or self.terms
        if chosen not in self._simplified:
            names, terms = _symbols(self), [name for name in chosen if name != ACCELERATIONS]
            found = readable(_part(self._function, terms), names, self.budget) if terms else {}
            if ACCELERATIONS in chosen:
                drives = "z" if self.motors == "full" else "u"
                found[ACCELERATIONS] = accelerations(self._function, drives, names, self.budget)
            self._simplified[chosen] = found
        return self._simplified[chosen]

    def evaluate(
        self,
        q: Any,
        v: Any,
        parameters: Mapping[str, Any] | None = None,
        t: Any = 0.0,
        currents: Any = None,
        inputs: Any = None,
        states: Any = None,
    ) -> dict[str, np.ndarray]:
        """Numbers of all terms by name: M, C, D (…, n, n), g, Q (…, n), B (…, n, m), …, rates (…, k)

        Parameters
        ----------
        q : array_like (…, nq)
            Coordinates [m, rad, -].
        v : array_like (…, n)
            Velocities [m/s, rad/s].
        parameters : mapping, optional
            Other values of parameters: SI, or text with a unit.
        t : array_like (…), optional
            Time [s].
        currents : array_like (…, m), optional
            Currents [A], where forces depend on them; zero if not given.
        inputs : array_like (…, m), optional
            Voltages [V], where forces depend on the currents of simplified motors, and inputs of bond graphs; zero if
            not given.
        states : array_like (…, k), optional
            The user's own states and those of bond graphs, if forces or rates depend on them; zero if not given.
        """
        i = np.zeros(len(self.currents)) if currents is None else np.asarray(currents, dtype=float)
        s = np.zeros(len(self.states)) if states is None else np.asarray(states, dtype=float)
        leading = np.broadcast_shapes(i.shape[:-1], s.shape[:-1])
        z = np.concatenate([np.broadcast_to(part, (*leading, part.shape[-1])) for part in (i, s)], axis=-1)
        u = np.zeros(len(self.inputs)) if inputs is None else inputs
        given = {"q": q, "v": v, "z": z, "u": u, "t": t, "p": parameter_array(self.model, parameters or {})}
        values = self._compiled(*(given[name] for name in self._compiled.input_names))
        return dict(zip(self._compiled.output_names, values, strict=True))

    @property
    def operations(self) -> int:
        """Number of operations in the numeric program for all terms."""
        return sum(instruction.op not in FREE for instruction in flatten(self._function).instructions)

    def shape(self, name: str) -> tuple[int, int]:
        """(rows, columns) of a term.

        Parameters
        ----------
        name : str
            Name of the term.
        """
        rows, columns = self._function.size_out(name)
        return rows, columns

    @cached_property
    def _compiled(self) -> Any:
        shapes = {name: self._function.size_out(name)[: _RANKS.get(name, 2)] for name in _names(self)}
        return compile_function(self._function, shapes | {"t": ()})


def _names(eq: MatrixTerms) -> list[str]:
    return eq._function.name_out()


def _symbols(eq: MatrixTerms) -> dict[str, Sequence[str]]:
    """Names of the symbols for the inputs of the function; efforts have names of their own beside the coordinates."""
    own = graph_inputs(eq._system)
    inputs = [name if name in own or eq.motors != "none" else f"{name}.effort" for name in eq.inputs]
    names = {"q": eq.coordinates, "v": eq.velocities, "u": inputs, "p": eq.parameters, "t": ("t",)}
    return {**names, "z": (*eq.currents, *eq.states)}


def _part(function: ca.Function, outputs: Sequence[str]) -> ca.Function:
    """A function with some of the outputs of another one."""
    if list(outputs) == function.name_out():
        return function
    inputs = function.sx_in()
    results = dict(zip(function.name_out(), function.call(inputs), strict=True))
    return ca.Function(function.name(), inputs, [results[name] for name in outputs], function.name_in(), list(outputs))


def _function(eq: MatrixTerms) -> ca.Function:
    """All terms of the equations as one CasADi Function."""
    system, change = eq._system, eq._change
    tree = system.tree
    t, y, w = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    z, u = ca.SX.sym("z", system.nz), ca.SX.sym("u", len(system.input_names))
    q, v, T = (y, w, None) if change is None else (change.T @ (y - change.b), change.T @ w, change.T)
    state = at(system, tree, t, q, v, z, u)
    motion = state.motion
    terms = FORMULATIONS[eq.formulation](tree, motion)
    electric = motor_matrices(system)
    Phi, Phi_q, gamma = _constraints(system, t, q, v, z, u)
    outputs = {
        "M": _both(T, terms.M),
        "C": _both(T, terms.C),
        "D": _both(T, terms.D + electric.D),
        "g": _left(T, terms.g),
        "B": _left(T, electric.B),
        "Q": _left(T, terms.Q + applied_efforts(system, state)),
        "Phi": Phi,
        "Phi_q": _right(T, Phi_q),
        "gamma": gamma,
        "L": electric.L,
        "R": electric.R,
        "E": _right(T, electric.E),
    }
    if system.graphs:
        outputs[RATES] = _graph_rates(system, state)
    inputs = {"q": y, "v": w, "z": z, "u": u, "t": t, "p": tree.p}
    return ca.Function("equations", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


def graph_inputs(system: System) -> dict[str, str]:
    """The graph of every source that is an input, by its name in `inputs`."""
    return {name: graph.name for graph in system.graphs for name in graph.input_names}


def _graph_rates(system: System, state: State) -> Number:
    """Rates of the states of all bond graphs (k, 1), in the order of `states`.

    Source: Karnopp, Margolis & Rosenberg 2012, §5.3
    """
    graphs = ((block, z, u) for block, z, u in blocks_at(system, state) if isinstance(block, GraphBlock))
    return column([block.rates(state.motion, z, u) for block, z, u in graphs])


def _constraints(
    system: System, t: Number, q: Number, v: Number, z: Number, u: Number
) -> tuple[Number, Number, Number]:
    """Φ, Φq and γ: differentiated by auxiliary symbols, which q and v then replace."""
    tree = system.tree
    if not has_constraints(tree):
        return ca.DM(0, 1), ca.DM(0, tree.nv), ca.DM(0, 1)
    own = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    parts = constraint_terms(tree, at(system, tree, t, *own, z, u).motion)
    Phi, Phi_q, gamma = ca.substitute([parts.Phi, parts.Phi_q, parts.gamma], list(own), [q, v])
    return Phi, Phi_q, gamma


def _left(T: Number | None, x: Number) -> Number:
    """Forces in the new coordinates: Tᵀ x."""
    return x if T is None else T.T @ x


def _right(T: Number | None, x: Number) -> Number:
    """Rows over the new velocities: x T."""
    return x if T is None else x @ T


def _both(T: Number | None, x: Number) -> Number:
    """A form in the new velocities: Tᵀ x T."""
    return x if T is None else T.T @ x @ T
