"""The motors of a model in the general form, before they are multiplied into the matrices of the equations of motion.

M_s = M + B R_G I_m R_G Z, D_s = D + B R_G (D_m + K_m R_a⁻¹ K_e) R_G Z, B_s = B R_G K_m R_a⁻¹, with θ̇_m = R_G Z v.

Source: Hoang & Vuong, eqs. (7)–(25)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.build import velocity_of
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import Number
from cardan.matrix_form.coordinates import CoordinateChange
from cardan.numerics.entries import column
from cardan.rendering import Matrix, readable, sympy_matrix
from cardan.system.system import System

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class MotorForm:
    """Matrices of m motors that drive n velocities; all but B and Z are diagonal.

    The rotor of a motor whose stator rides on a body that turns also turns with it, which this form leaves out of M_s.
    """

    B: sympy.Matrix  # efforts on the velocities per effort of the motors behind their gears (n, m)
    Z: sympy.Matrix  # driven velocities per velocity of the mechanism (m, n)
    RG: sympy.Matrix  # gear ratios, motor speed over joint speed (m, m)
    Im: sympy.Matrix  # inertias of the rotors (m, m) [kg m²]
    Dm: sympy.Matrix  # damping at the rotors (m, m) [N m s/rad]
    Km: sympy.Matrix  # torque constants (m, m) [N m/A]
    Ke: sympy.Matrix  # back-EMF constants (m, m) [V s/rad]
    Ra: sympy.Matrix  # resistances (m, m) [Ω]
    La: sympy.Matrix  # inductances (m, m) [H]


def motor_form(system: System, change: CoordinateChange | None) -> MotorForm:
    """The motors of a mechanism in the general form, in symbols of the parameters."""
    found = motor_form_matrices(system, change)
    return MotorForm(**{name: sympy_matrix(matrix) for name, matrix in found.items()})


def motor_form_matrices(system: System, change: CoordinateChange | None) -> Mapping[str, Matrix]:
    """The matrices of `MotorForm` by name, each entry in a short form."""
    tree, model = system.tree, system.model
    number = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    names = [entry.name for entry in tree.velocities]
    motors = [motor.resolved(number) for motor in model.motors.values()]
    driven = [names.index("".join(velocity_of(motor, model.joints))) for motor in model.motors.values()]
    T = ca.DM.eye(len(names)) if change is None else ca.DM(change.T)
    Z = T[driven, :] if driven else ca.DM(0, len(names))

    def diagonal(entries: Sequence[Number]) -> Number:
        return ca.diag(column(entries)) if entries else ca.DM(0, 0)

    outputs = {
        "B": Z.T,
        "Z": Z,
        "RG": diagonal([motor.ratio for motor in motors]),
        "Im": diagonal([motor.rotor_inertia for motor in motors]),
        "Dm": diagonal([motor.rotor_damping for motor in motors]),
        "Km": diagonal([motor.torque(1) - motor.torque(0) for motor in motors]),
        "Ke": diagonal([motor.back_emf(1) - motor.back_emf(0) for motor in motors]),
        "Ra": diagonal([motor.resistance for motor in motors]),
        "La": diagonal([motor.inductance for motor in motors]),
    }
    function = ca.Function("motors", [tree.p], [ca.SX(x) for x in outputs.values()], ["p"], list(outputs))
    return readable(function, {"p": tree.parameters})
