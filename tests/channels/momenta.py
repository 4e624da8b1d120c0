"""Momenta of bodies: a family of results as one more file would be."""

from cardan.channels.families.places import vector
from cardan.kinematics.motion import marker_motion


def channels(system):
    """One vector for each body of the `system`."""
    return [vector(f"{link.name}.momentum", "N*s") for link in system.tree.links]


def values(system, state, a, lam):
    """m v of the centre of mass of each."""
    places = (system.tree.places[f"{link.name}.com"] for link in system.tree.links)
    velocities = [marker_motion(state.motion, place).v for place in places]
    return [link.inertia.m * v for link, v in zip(system.tree.links, velocities, strict=True)]
