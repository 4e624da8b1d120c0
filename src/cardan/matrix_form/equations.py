"""`Equations`: the matrices of a model's equations of motion, as SymPy matrices or as numbers.

M(q) v̇ + C(q, v) v + D v + g(q) = B u + Q + Φqᵀ λ,   L di/dt + R i + E v = u.   Source: docs/notation.md §5
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cardan.displays import shown
from cardan.errors import ModelError, few, nearest
from cardan.kinematics.build import MotorModel
from cardan.matrix_form.accelerations import ACCELERATIONS
from cardan.matrix_form.document import left_as_derived, render, written
from cardan.matrix_form.motor_form import MotorForm, motor_form
from cardan.matrix_form.point_kinematics import PointKinematicsByName
from cardan.matrix_form.sections.compatibility import compatibility_matrices
from cardan.matrix_form.terms import FORMULATIONS, MatrixTerms
from cardan.matrix_form.trace_coefficients import TraceCoefficients, trace_coefficients
from cardan.model.graphs import BondGraph
from cardan.model.model import Model, check_bodies, check_model, with_graph
from cardan.rendering import BUDGET, Budget, as_formula, sympy_matrix
from cardan.system.system import motor_model

if TYPE_CHECKING:
    import sympy


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


class Equations(MatrixTerms):
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

    def __repr__(self) -> str:
        """The equations in three lines: model and formulation, coordinates and inputs, terms."""
        lines = [
            f"Equations of {self.model.name or 'a model without a name'} ({self.formulation}, motors: {self.motors})",
            f"coordinates: {few(self.coordinates) or 'none'}; inputs: {few(self.inputs) or 'none'}",
            f"terms: {', '.join(self.terms)}",
        ]
        return "\n  ".join(lines)

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
        if name.startswith("_") or name not in self.terms:
            raise AttributeError(f"equations have no term {name!r}; {nearest(name, self.terms)}")
        return self.matrices[name]
