"""`Equations`: the matrices of a model's equations of motion, as SymPy matrices or as numbers.

M(q) v̇ + C(q, v) v + D v + g(q) = B u + Q + Φqᵀ λ,   L di/dt + R i + E v = u.   Source: docs/notation.md §5
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from cardan.codegen import compile_function
from cardan.codegen.program.instruction import FREE
from cardan.codegen.program.program import flatten
from cardan.displays import shown
from cardan.errors import ModelError, nearest
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
from cardan.matrix_form.compatibility_section import compatibility_matrices
from cardan.matrix_form.coordinates import coordinate_change
from cardan.matrix_form.document import left_as_derived, render, written
from cardan.matrix_form.graph_states import RATES, graph_inputs, graph_rates
from cardan.matrix_form.inertia_symbols import NamedInertias, named_inertias
from cardan.matrix_form.motor_form import MotorForm, motor_form
from cardan.matrix_form.point_kinematics import PointKinematicsByName
from cardan.matrix_form.trace_coefficients import TraceCoefficients, trace_coefficients
from cardan.model.graphs import BondGraph
from cardan.model.model import Model, check_bodies, check_model, with_graph
from cardan.rendering import BUDGET, Budget, Matrix, as_formula, readable, sympy_matrix
from cardan.system.constrained import has_constraints
from cardan.system.efforts import applied_efforts
from cardan.system.motor_matrices import motor_matrices
from cardan.system.state import at
from cardan.system.system import System, build_system, motor_model

if TYPE_CHECKING:
    import sympy

__all__ = ["FORMULATIONS", "Equations", "equations"]

SHOWN = 8  # largest number of names in a line

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


def equations(
    model: Model | BondGraph,
    motors: MotorModel | None = None,
    formulation: str = "composite_body",
    *,
    budget: float | Budget = BUDGET,
    symbols: bool = False,
) -> Equations:
    """Equations of motion of a model.

    Parameters
    ----------
    model : Model or BondGraph
        The mechanism, or bond graphs made by hand, which have `rates` alone.
    motors : "full", "simplified" or "none", optional
        Inputs u are voltages with currents as unknowns, voltages with L di/dt neglected, or efforts on the velocities;
        by default the first if the model has motors, else the last.
    formulation : str
        "composite_body", "newton_euler", "articulated_body", "lagrange", "trace_lagrange", "compatibility" or
        "bond_graph": how M, C and g are derived; the results are equal.
    budget : float or Budget
        Processor time [s] for simplifying the symbolic form of one set of matrices; 0 leaves it as derived, and
        `Equations.unsimplified` names the entries that the time did not suffice for. `cardan.rendering.Budget` also
        counts steps, so that the form is the same on every machine. Numbers do not depend on it.
    symbols : bool
        Whether masses, centres of mass and inertias that the model gives as numbers become parameters m1, x_C1, I_1xx:
        the indices count the bodies.

    Raises
    ------
    ModelError
        There is no such formulation, it cannot treat this model, or the budget is not a time.

    Example
    -------
    >>> import cardan
    >>> eq = cardan.equations(cardan.load("compound_pendulum"), motors="none")
    >>> eq.evaluate(q=[0.0], v=[0.0])["M"].round(4)
    array([[0.2773]])
    """
    machine = with_graph(model)
    check_model(machine)
    if formulation not in FORMULATIONS:
        raise ModelError(f"there is no formulation {formulation!r}", nearest(formulation, FORMULATIONS))
    if not isinstance(budget, Budget):
        if isinstance(budget, bool) or not isinstance(budget, int | float) or not budget >= 0:
            raise ModelError(f"budget={budget!r} is not a time", "write seconds; 0 simplifies nothing")
        budget = Budget(seconds=budget)
    return Equations(machine, motor_model(machine, motors), formulation, budget, symbols)


class Equations:
    """Terms of the equations of motion: n velocities, m inputs, c constraints.

    The matrices M, C, D (n, n), g, Q (n, 1), B (n, m), Phi, gamma (c, 1), Phi_q (c, n), L, R (m, m) and E (m, n) are
    SymPy matrices in the symbols of coordinates (`swing`), velocities (`swing.v`), parameters, currents
    (`drive.current`) and t; where a force follows a current that is no state, also in the inputs (`drive`). L, R and E
    have no rows unless the motors are full. A model with bond graphs made by hand has one more term, rates (k, 1): the
    right-hand sides of the state equations ẋ = f(q, v, x, u, t) of its graphs.

    Parameters
    ----------
    model : Model
        The mechanism.
    motors : "full", "simplified" or "none"
        How motors are modelled: with currents as states, with L di/dt = 0, or left out.
    formulation : str
        Key of `FORMULATIONS`.
    budget : Budget
        How long simplifying may go on.
    symbols : bool
        Whether inertial parameters that are numbers become parameters of the model.
    """

    def __init__(
        self, model: Model, motors: MotorModel, formulation: str, budget: Budget, symbols: bool = False
    ) -> None:
        named = named_inertias(model) if symbols else NamedInertias(model, {})
        self.model = model = named.model
        self._meaning = named.meaning
        self.motors = motors
        self.formulation = formulation
        self.budget = budget
        self._system = build_system(model, motors)
        self._change = coordinate_change(model, self._system.tree)
        self._function = _function(self)
        self._simplified: dict[tuple[str, ...], dict[str, Matrix]] = {}

    def __repr__(self) -> str:
        """The equations in three lines: model and formulation, coordinates and inputs, terms."""
        lines = [
            f"Equations of {self.model.name or 'a model without a name'} ({self.formulation}, motors: {self.motors})",
            f"coordinates: {_few(self.coordinates)}; inputs: {_few(self.inputs)}",
            f"terms: {', '.join(self.terms)}",
        ]
        return "\n  ".join(lines)

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

    @property
    def unsimplified(self) -> tuple[str, ...]:
        """Entries that the budget was too small to simplify: `M[1, 2]`, counted from 1."""
        return left_as_derived(self.readable)

    def render(self, format: str = "text", at: Mapping[str, Any] | None = None, only: Sequence[str] = ()) -> str:
        """The equations as a document: "text", "latex", "html", "json", or a "sympy" script that makes the matrices.

        Parameters
        ----------
        format : str
            Format of the document.
        at : mapping, optional
            Values of coordinates, velocities, parameters, currents, inputs and t, by name; the terms become numbers.
            Missing parameters have the model's values, all other missing values are zero.
        only : sequence of str
            Terms to write, such as ["M", "C"]; all if there are none. "accelerations" are written only on demand.

        Raises
        ------
        ModelError
            There is no such format, term or name, a value is not a number, or accelerations have no form in symbols.

        Example
        -------
        >>> import cardan
        >>> eq = cardan.equations(cardan.load("compound_pendulum"), motors="none")
        >>> "M = [1/3 m l²]" in eq.render()
        True
        """
        return render(self, format, at, only)

    def _repr_html_(self) -> str | None:
        """Show the equations in a notebook."""
        return shown(self)

    def _repr_latex_(self) -> str:
        """The equations in a notebook."""
        return as_formula(written(self))

    @cached_property
    def matrices(self) -> dict[str, sympy.Matrix]:
        """All terms as SymPy matrices, by name."""
        return {name: sympy_matrix(matrix) for name, matrix in self.readable.items()}

    @cached_property
    def motor(self) -> MotorForm:
        """The motors in the general form B, Z, RG, Im, Dm, Km, Ke, Ra, La, whatever `motors` is, as SymPy matrices."""
        return motor_form(self._system, self._change)

    @cached_property
    def kinematics(self) -> PointKinematicsByName:
        """Position, velocity and acceleration of every body and marker by name, in symbols by the matrix method.

        Accelerations of coordinates are called `swing.a`. Each body or marker may spend the budget; the entries that it
        does not reach stay as derived, and `unsimplified` of the record names them.

        Example
        -------
        >>> import cardan
        >>> cardan.equations(cardan.load("planar_manipulator")).kinematics["link2"].velocity[0]
        -l1*shoulder.v*sin(shoulder)
        """
        return PointKinematicsByName(self)

    @cached_property
    def accelerations(self) -> sympy.Matrix:
        """Accelerations v̇ = M⁻¹ (B u + Q − C v − D v − g) as a SymPy matrix (n, 1), of trees with n ≤ 3.

        The symbols are those of the other terms, with voltages (`drive`) for simplified motors and efforts
        (`swing.effort`) without motors. Entries that the budget was too small to simplify stay as derived; a document
        with `only=["accelerations"]` names them.

        Raises
        ------
        ModelError
            The mechanism has constraints, more than three velocities, or a mass matrix that is singular everywhere.

        Example
        -------
        >>> import cardan
        >>> cardan.equations(cardan.load("spring_pendulum"), motors="none").accelerations
        Matrix([[g - (d*slider.v + k*slider - slider.effort)/m]])
        """
        return sympy_matrix(self.simplified([ACCELERATIONS])[ACCELERATIONS])

    @cached_property
    def compatibility(self) -> dict[str, sympy.Matrix]:
        """Matrices of the principle of compatibility by name, as SymPy: t_1, t_11, t_12, …, A, dA_1, …, Q0, Qstar.

        Of constraints also f, f0, D and, up to three velocities, F and F0.

        Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, eqs. 5–12

        Example
        -------
        >>> import cardan
        >>> cardan.equations(cardan.load("digging_machine")).compatibility["f0"].shape
        (1, 1)
        """
        check_bodies(self.model)
        return {name: sympy_matrix(matrix) for name, matrix in compatibility_matrices(self).items()}

    def trace_coefficients(self) -> TraceCoefficients:
        """Coefficients of accelerations, velocities and gravity by their indices, in Lagrange's trace form.

        Source: Hroncová, eqs. 7–10

        Example
        -------
        >>> import cardan
        >>> cardan.equations(cardan.load("compound_pendulum"), motors="none").trace_coefficients().a2
        Matrix([[g*l*m*sin(pendulum)/2]])
        """
        check_bodies(self.model)
        names = {"q": self.coordinates, "p": self.parameters}
        return trace_coefficients(self._system, self._change, names, self.budget)

    def __getattr__(self, name: str) -> sympy.Matrix:
        """A term by its name."""
        if name.startswith("_") or name not in _names(self):
            raise AttributeError(f"equations have no term {name!r}; {nearest(name, _names(self))}")
        return self.matrices[name]

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


def _names(eq: Equations) -> list[str]:
    return eq._function.name_out()


def _symbols(eq: Equations) -> dict[str, Sequence[str]]:
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


def _function(eq: Equations) -> ca.Function:
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
        outputs[RATES] = graph_rates(system, state)
    inputs = {"q": y, "v": w, "z": z, "u": u, "t": t, "p": tree.p}
    return ca.Function("equations", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


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


def _few(names: Sequence[str]) -> str:
    """The first names of a list."""
    return ", ".join([*names[:SHOWN], *["…"] * (len(names) > SHOWN)]) or "none"
