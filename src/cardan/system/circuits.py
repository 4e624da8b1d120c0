"""Motors on the electrical side: from inputs and speeds to currents and efforts, full, simplified or absent.

Source: Hoang & Vuong, eqs. 18, 20 (full), 22, 23 (simplified)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.formulations import applied
from cardan.kinematics.build import MotorModel
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.motors import Motor
from cardan.numerics.entries import column

__all__ = [
    "Circuits",
    "ElectricalTerms",
    "check_inductances",
    "currents",
    "efforts",
    "electrical_terms",
    "rates",
    "rotor_speeds",
    "torques",
]


@dataclass(frozen=True)
class Circuits:
    """The motors of a system with numbers in their records, in file order."""

    model: MotorModel
    names: tuple[str, ...]  # of the motors
    motors: tuple[Motor, ...]

    @property
    def nz(self) -> int:
        """Number of currents in the state."""
        return len(self.motors) if self.model == "full" else 0

    def check(self) -> None:
        """Refuse what the full model cannot do.

        Raises
        ------
        ModelError
            An inductance is a literal zero.
        """
        if self.model == "full":
            motors = zip(self.names, self.motors, strict=True)
            _refuse_dead({name: "" for name, motor in motors if ca.SX(motor.inductance).is_zero()})


def check_inductances(model: Model, motors: MotorModel, values: Mapping[str, Any]) -> None:
    """Refuse values of the parameters with which the full motor model cannot do.

    Parameters
    ----------
    model : the mechanism.
    motors : "full", "simplified" or "none".
    values : of the parameters, numbers or arrays.

    Raises
    ------
    ModelError
        An inductance is zero; the message says by which parameters.
    """
    if motors == "full":
        inductances = {name: motor.inductance for name, motor in model.motors.items()}
        dead = {name: La for name, La in inductances.items() if np.any(La.evaluate(values.__getitem__) == 0)}
        _refuse_dead({name: f" ({La} = 0)" if La.names else "" for name, La in dead.items()})


def _refuse_dead(motors: Mapping[str, str]) -> None:
    """Refuse motors, each with a remark on its inductance."""
    cure = 'give an inductance, or choose motors="simplified", which neglects it'
    fault = "the full motor model divides by the inductance, which is 0"
    issues = [Issue(f"{fault}{remark}", cure, ("motors", name, "inductance")) for name, remark in motors.items()]
    if issues:
        raise ModelError(issues)


def rotor_speeds(tree: Tree, v: Number) -> Number:
    """Speeds of the rotors against their stators (m,) [rad/s]."""
    return column([rotor.ratio * v[rotor.v] for rotor in tree.rotors])


def currents(circuits: Circuits, tree: Tree, v: Number, z: Number, u: Number) -> Number:
    """Currents (m,) [A]: the state in the full model, what the voltages drive in the simplified one."""
    if circuits.model == "full":
        return z
    w = rotor_speeds(tree, v)
    return column([motor.steady_current(w[k], u[k]) for k, motor in enumerate(circuits.motors)])


def torques(circuits: Circuits, i: Number) -> Number:
    """Torques on the rotors (m,) [N m] at the currents i (m,)."""
    return column([motor.torque(i[k]) for k, motor in enumerate(circuits.motors)])


def efforts(circuits: Circuits, tree: Tree, i: Number, u: Number) -> Number:
    """Efforts on the coordinates (nv,): of the motors at the currents i, or the inputs u themselves without motors."""
    return u if circuits.model == "none" else applied.input_matrix(tree) @ torques(circuits, i)


def rates(circuits: Circuits, tree: Tree, v: Number, z: Number, u: Number) -> Number:
    """Rates of the currents (nz,) [A/s]."""
    w = rotor_speeds(tree, v)
    return column([motor.current_rate(z[k], w[k], u[k]) for k, motor in enumerate(circuits.motors[: circuits.nz])])


@dataclass(frozen=True)
class ElectricalTerms:
    """B, and what the circuits add to D; L di/dt + R i + E v = u in the full model."""

    B: Number  # (n, m)
    D: Number  # (n, n)
    L: Number  # (m, m) [H]; (0, 0) unless full
    R: Number  # (m, m) [Ω]; (0, 0) unless full
    E: Number  # (m, n) [V s/rad times the ratio]; (0, n) unless full


def electrical_terms(circuits: Circuits, tree: Tree) -> ElectricalTerms:
    """The motors inside the matrices, from the derivatives of their laws (exact: the laws are linear)."""
    n, m = tree.nv, len(circuits.motors)
    v, z, u = (ca.SX.sym(name, size) for name, size in (("v", n), ("z", circuits.nz), ("u", m)))
    if circuits.model == "none":
        return ElectricalTerms(ca.DM.eye(n), ca.DM(n, n), ca.DM(0, 0), ca.DM(0, 0), ca.DM(0, n))
    tau = efforts(circuits, tree, currents(circuits, tree, v, z, u), u)
    if circuits.model == "simplified":
        return ElectricalTerms(ca.jacobian(tau, u), -ca.jacobian(tau, v), ca.DM(0, 0), ca.DM(0, 0), ca.DM(0, n))
    L = ca.diag(column([motor.inductance for motor in circuits.motors]))
    voltage = -L @ rates(circuits, tree, v, z, ca.DM(m, 1))
    return ElectricalTerms(
        ca.jacobian(tau, z), ca.DM(n, n), ca.sparsify(L), ca.jacobian(voltage, z), ca.jacobian(voltage, v)
    )
