"""Torques at both ends of the gears between motors and joints.

Rotor:  Im dΩ/dt + dm ω = τ0 − τ1,  Ω the rotor's whole speed about its axis, ω = r v its speed against the stator
Gear:   τ2 = r τ1, without mass and loss

Source: Hoang & Vuong, eqs. 7, 8; docs/notation.md §5
"""

import casadi as ca

from cardan.formulations import newton_euler
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.drives import drive_efforts
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """Torque at the input and at the output of the gear of every motor that takes part in the `system`."""
    out = []
    for rotor in system.tree.motor_rotors:
        unit = "N" if system.tree.velocities[rotor.v].unit == "m/s" else "N*m"
        out += [
            Channel(f"{rotor.name}.input_torque", "N*m", kind="motor", description="torque of the rotor on the gear"),
            Channel(f"{rotor.name}.output_torque", unit, kind="motor", description="effort of the gear on the joint"),
        ]
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """τ1 and τ2 of every motor of the `system`, from a `state` and accelerations `a` (nv,) and `lam` (c,)."""
    out = []
    links = newton_euler.link_accelerations(system.tree, state.motion, a, gravity=False)
    laws = [circuit.motor(state.motion) for circuit in system.circuits]
    torques = {circuit.name: laws[k].torque(state.motion.z[k]) for k, circuit in enumerate(system.circuits)}
    efforts = drive_efforts(system.tree, lam)
    torques |= {motor.name: efforts[motor.rotor.v] / motor.rotor.ratio for motor in system.driven_motors}
    for rotor in system.tree.motor_rotors:
        torque = torques[rotor.name]
        carried = 0 if rotor.carrier is None else ca.dot(rotor.axis, links[rotor.carrier].alpha)
        tau_1 = (
            torque
            - rotor.damping * rotor.ratio * state.motion.v[rotor.v]
            - rotor.inertia * (rotor.ratio * a[rotor.v] + carried)
        )
        out += [tau_1, rotor.ratio * tau_1]
    return out
