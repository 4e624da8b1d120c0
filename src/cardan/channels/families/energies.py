"""Energies of the whole mechanism: kinetic, potential, and total with the circuits.   Source: docs/notation.md §6"""

from cardan.kinematics import energy
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.energies import total_energy
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """The three energies of a `system`."""
    words = {"kinetic": "", "potential": "", "total": "with the coils' magnetic fields and bent bristles"}
    return [Channel(f"energy.{name}", "J", (), "energy", description) for name, description in words.items()]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state` of the `system`; accelerations `a` and `lam` are not needed."""
    return [
        energy.kinetic(system.tree, state.motion),
        energy.potential(system.tree, state.motion),
        total_energy(system, state),
    ]
