"""The table of result families, one file each; a new family is a file with `channels` and `values`, and a line here."""

from functools import partial

from cardan.channels.families import (
    constraints,
    contacts,
    efforts,
    energies,
    friction_and_stops,
    gears,
    graphs,
    inertias,
    loads,
    motion,
    motors,
    outputs,
    reactions,
)
from cardan.channels.family import Family

__all__ = ["FAMILIES"]

_RESULTS: dict[str, Family] = {
    "coordinates": motion.COORDINATES,
    "motors": Family(motors.channels, motors.values),
    "driven_motors": motors.DRIVEN,
    "gears": Family(gears.channels, gears.values),
    "inertias": Family(inertias.channels, inertias.values, on_request=True),
    "graphs": Family(graphs.channels, graphs.values),
    "positions": motion.POSITIONS,
    "orientations": motion.ORIENTATIONS,
    "velocities": motion.VELOCITIES,
    "accelerations": motion.ACCELERATIONS,
    "efforts": Family(efforts.channels, efforts.values),
    "friction_and_stops": Family(friction_and_stops.channels, friction_and_stops.values),
    "states_of_friction_and_stops": friction_and_stops.STATES,
    "contacts": Family(contacts.channels, contacts.values),
    "states_of_contacts": contacts.STATES,
    "constraints": Family(constraints.channels, constraints.values),
    "reactions": reactions.family("world"),
    "reactions_parent": reactions.family("parent"),
    "reactions_child": reactions.family("child"),
    "reactions_path": reactions.family("path"),
    "loads": loads.family("world"),
    "loads_parent": loads.family("parent"),
    "loads_child": loads.family("child"),
    "energies": Family(energies.channels, energies.values),
}
FAMILIES: dict[str, Family] = {**_RESULTS, "outputs": Family(outputs.channels, partial(outputs.values, _RESULTS))}
"""Every family by name, in the order in which results are listed; outputs may name results of the others."""
