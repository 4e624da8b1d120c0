"""Motors: current, voltage, power, torque on the rotor, speed of the rotor.   Source: docs/notation.md §5"""

from cardan.channels.family import Family
from cardan.functions.results import driven_results
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """Results of every motor with a circuit in the `system`; its current is a state in the full model."""
    out = []
    for circuit in system.circuits:
        if not circuit.names:
            out.append(Channel(f"{circuit.name}.current", "A", kind="motor", description="(u − Ke ω)/R: L di/dt = 0"))
        if circuit.record.applied is not None:
            unit = circuit.record.input_unit
            out.append(Channel(f"{circuit.name}.demand", unit, kind="motor", description="input of the motor"))
        out += _described(circuit.name, "")
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """u, τ0 = Km i, ω = r v, u i and R i² + d ω² of each such motor in a `state`; `a` and `lam` are not needed.

    The input of a motor whose voltage follows it by a law stands before them.
    """
    out = []
    for k, circuit in enumerate(system.circuits):
        u, i = circuit.voltage(state.motion, state.u[k]), state.motion.z[k]
        out += [] if circuit.names else [i]
        out += [] if circuit.record.applied is None else [state.u[k]]
        w = circuit.rotor_speed(state.motion)
        out += [u, circuit.motor(state.motion).torque(i), w, u * i, circuit.losses(state.motion, i)]
    return out


def _described(name: str, voltage: str) -> list[Channel]:
    """All results of the motor `name` but its current; `voltage` describes its voltage."""
    return [
        Channel(f"{name}.voltage", "V", kind="motor", description=voltage),
        Channel(f"{name}.torque", "N*m", kind="motor", description="torque of the current on the rotor"),
        Channel(f"{name}.speed", "rad/s", kind="motor", description="speed of the rotor against its stator"),
        Channel(f"{name}.power", "W", kind="motor", description="electrical power at the terminals"),
        Channel(f"{name}.losses", "W", kind="motor", description="heat of winding and bearings"),
    ]


def _driven_channels(system: System) -> list[Channel]:
    """Results of every motor that drives a prescribed motion in the `system`."""
    out = []
    for motor in system.driven_motors:
        current = Channel(f"{motor.name}.current", "A", kind="motor", description="current that the motion takes")
        voltage = "voltage that the motion takes; NaN where the current jumps" if motor.has_inductance else ""
        out += [current, *_described(motor.name, voltage)]
    return out


def _driven_values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state` of the `system`, from the multipliers `lam` (c,); `a` is not needed."""
    return list(driven_results(system, state, lam).values()) if system.driven_motors else []


DRIVEN = Family(_driven_channels, _driven_values)
"""Results of motors that drive prescribed motions."""
