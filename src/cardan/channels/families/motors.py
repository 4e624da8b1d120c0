"""Motors: current, voltage, power, torque on the rotor, speed of the rotor.   Source: docs/notation.md §5"""

from __future__ import annotations

from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.system import State, System

__all__ = ["channels", "values"]


def channels(system: System) -> list[Channel]:
    """Results of every motor that takes part in the `system`; its current is a state in the full model."""
    out = []
    for circuit in system.circuits:
        name = circuit.name
        if not circuit.names:
            out.append(Channel(f"{name}.current", "A", kind="motor"))
        out += [
            Channel(f"{name}.voltage", "V", kind="motor"),
            Channel(f"{name}.torque", "N*m", kind="motor", description="torque of the current on the rotor"),
            Channel(f"{name}.speed", "rad/s", kind="motor", description="speed of the rotor against its stator"),
            Channel(f"{name}.power", "W", kind="motor", description="electrical power at the terminals"),
        ]
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """u, τ0 = Km i, ω = r v and u i of every motor of the `system` in a `state`; `a` and `lam` are not needed."""
    out = []
    for k, circuit in enumerate(system.circuits):
        u, i = state.u[k], state.motion.z[k]
        out += [] if circuit.names else [i]
        out += [u, circuit.motor.torque(i), circuit.rotor_speed(state.motion), u * i]
    return out
