"""Circuit of a motor: a block whose state is the current; simplified, the current is a function of the voltage.

Source: Hoang & Vuong, eqs. 18, 20 (full), 22, 23 (simplified)
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import Motion
from cardan.kinematics.scope import evaluate, parameter_value, value
from cardan.kinematics.tree import Number, Rotor, Tree
from cardan.model.model import Model
from cardan.model.motors import Motor
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.section import Section
from cardan.system.blocks.block import Block, BlockPower
from cardan.system.drives import DrivenMotor


@dataclass(frozen=True, kw_only=True)
class Circuit(Block):
    """The electrical part of a motor."""

    record: Motor  # as in the model: its numbers may follow the motion
    tree: Tree  # which gives the names in these their meaning
    rotor: Rotor  # its mechanical part

    def motor(self, motion: Motion) -> Motor:
        """The motor with numbers in its fields."""
        return self.record.resolved(lambda scalar: evaluate(scalar, partial(value, self.tree, motion)))

    @property
    def inductance(self) -> Number:
        """Its inductance [H]."""
        return evaluate(self.record.inductance, partial(parameter_value, self.tree.parameters, self.tree.p))

    def rotor_speed(self, motion: Motion) -> Number:
        """Speed of the rotor against its stator [rad/s]."""
        return self.rotor.ratio * motion.v[self.rotor.v]

    def voltage(self, motion: Motion, u: Number) -> Number:
        """Voltage of the circuit [V]: what limits and the supply leave of the input, else the input itself."""
        applied = self.record.applied
        return u[0] if applied is None else evaluate(applied, partial(value, self.tree, motion))

    def current(self, motion: Motion, z: Number, u: Number) -> Number:
        """Current [A]: the state in the full model, else (u − Ke ω)/R."""
        if self.names:
            return z[0]
        return self.motor(motion).steady_current(self.rotor_speed(motion), self.voltage(motion, u))

    def signal_values(self, motion: Motion, z: Number, u: Number) -> Number:
        return self.current(motion, z, u)

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        if not self.names:
            return ca.DM(0, 1)
        return self.motor(motion).current_rate(z[0], self.rotor_speed(motion), self.voltage(motion, u))

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        entries: list[Number] = [ca.DM(1, 1)] * motion.v.shape[0]
        entries[self.rotor.v] = self.rotor.ratio * self.motor(motion).torque(self.current(motion, z, u))
        return ca.vertcat(*entries)

    def stored(self, z: Number) -> Number:
        return 0.5 * self.inductance * z[0] ** 2 if self.names else ca.DM(0)

    def losses(self, motion: Motion, i: Number) -> Number:
        """Heat of winding and bearings at a current i [A]: R i² + d ω² [W]."""
        return self.motor(motion).resistance * i**2 + self.rotor.damping * self.rotor_speed(motion) ** 2

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        i, w, motor = self.current(motion, z, u), self.rotor_speed(motion), self.motor(motion)
        converted = motor.torque(i) * w - motor.back_emf(w) * i
        return BlockPower(supplied=self.voltage(motion, u) * i, converted=converted, lost=motor.resistance * i**2)


def circuits(model: Model, tree: Tree, motors: MotorModel) -> tuple[Circuit, ...]:
    """Circuits of all motors in file order but those that drive prescribed motions; none with motors="none"."""
    rotors = [rotor for rotor in tree.motor_rotors if rotor.v not in tree.driven]
    found = tuple(_circuit(model.motors[rotor.name], tree, rotor, motors == "full") for rotor in rotors)
    if motors == "full":
        _refuse_zero({circuit.name: "" for circuit in found if ca.SX(circuit.inductance).is_zero()})
    return found


def without_limits(model: Model) -> Model:
    """The model whose motors get their inputs as voltages, whatever limits and supplies leave of these."""
    free = {name: motor.unchecked(applied=None) for name, motor in model.motors.items()}
    limited = any(motor.applied is not None for motor in model.motors.values())
    return model.unchecked(motors=Section(free)) if limited else model


def driven_motors(model: Model, tree: Tree, motors: MotorModel) -> tuple[DrivenMotor, ...]:
    """Motors in file order whose joints drive prescribed motions."""
    return tuple(
        DrivenMotor(rotor.name, model.motors[rotor.name], tree, rotor, motors in ("full", "steady"))
        for rotor in tree.motor_rotors
        if rotor.v in tree.driven
    )


def _circuit(motor: Motor, tree: Tree, rotor: Rotor, has_state: bool) -> Circuit:
    current = f"{rotor.name}.current"
    named = set() if has_state or motor.applied is None else reached(motor.applied.names, tree.lets)
    if following := sorted(name for name in named if name.endswith(".current")):
        fault = f"its voltage follows {following[0]!r}, which simplified motors have not as a state"
        cure = 'choose motors="full", or a supply without resistance and no limit of the current\'s rate'
        raise ModelError(Issue(fault, cure, ("motors", rotor.name)))
    state: dict[str, Any] = {"names": (current,), "units": ("A",), "initial": (ZERO,)} if has_state else {}
    return Circuit(
        name=rotor.name,
        **state,
        input_names=(rotor.name,),
        input_units=(motor.input_unit,),
        signals=(current,),
        record=motor,
        tree=tree,
        rotor=rotor,
    )


def check_inductances(model: Model, motors: MotorModel, values: Mapping[str, Any]) -> None:
    """Refuse values of the parameters for which the full motor model divides by zero."""
    if motors == "full":
        inductances = {name: motor.inductance for name, motor in model.motors.items()}
        zero = {name: La for name, La in inductances.items() if np.any(La.evaluate(values.__getitem__) == 0)}
        _refuse_zero({name: f" ({La} = 0)" if La.names else "" for name, La in zero.items()})


def _refuse_zero(motors: Mapping[str, str]) -> None:
    """Refuse motors without inductance, each with a remark on it."""
    cure = 'give an inductance, or choose motors="simplified", which neglects it'
    fault = "the full motor model divides by the inductance, which is 0"
    issues = [Issue(f"{fault}{remark}", cure, ("motors", name, "inductance")) for name, remark in motors.items()]
    if issues:
        raise ModelError(issues)
