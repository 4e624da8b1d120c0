"""Arrows of forces and moments over time: reactions, drives, applied loads, springs, weights."""

from collections.abc import Iterator
from typing import Literal

import casadi as ca
import numpy as np

from cardan.frozen import dataclass
from cardan.model.place import GROUND
from cardan.model.sections import uniform_gravity
from cardan.view.scene.motion import ShownMotion
from cardan.view.scene.records import Arrow, Mount


@dataclass(frozen=True, eq=False)
class _Source:
    """Where the values of an arrow come from: a result of the run, a vector, or a number along an axis."""

    name: str
    layer: Literal["reactions", "drives", "applied", "springs"]
    what: Literal["force", "moment"]
    place: Mount
    axis: np.ndarray | None = None  # over time (N, 3)
    path: str = ""  # result that says where it acts; empty where its place does


def arrows(motion: ShownMotion) -> list[Arrow]:
    """All arrows whose values are not zero throughout; what a file of a run does not store is left out.

    Components that are not known, such as those across the plane of a planar model, count as zero.
    """
    sources = [*_reactions(motion), *_drives(motion), *_loads(motion), *_contacts(motion)]
    values = motion.results(name for source in sources for name in (source.name, source.path) if name)
    found = [_arrow(source, values) for source in sources if source.name in values]
    return [arrow for arrow in [*found, *_weights(motion)] if arrow.value.any()]


def _arrow(source: _Source, results: dict[str, np.ndarray]) -> Arrow:
    values = results[source.name]
    vectors = values if source.axis is None else values[:, None] * source.axis
    known = np.nan_to_num(vectors, posinf=0.0, neginf=0.0)
    return Arrow(source.name, source.layer, source.what, source.place, known, results.get(source.path))


def _reactions(motion: ShownMotion) -> Iterator[_Source]:
    """On the child of each joint and constraint, at its marker."""
    for name, joint in motion.joints.items():
        place = motion.place(joint.child)
        yield _Source(f"{name}.reaction_force", "reactions", "force", place)
        yield _Source(f"{name}.reaction_moment", "reactions", "moment", place)
    for name, constraint in motion.model.constraints.items():
        if constraint.places is not None:
            yield _Source(f"{name}.force", "reactions", "force", motion.place(constraint.places[1]))


def _drives(motion: ShownMotion) -> Iterator[_Source]:
    """Efforts of actuators along the axes of their joints, on the child."""
    for name, joint in motion.joints.items():
        if joint.nv == 1:
            parent, child = motion.joint_places(joint)
            slides = joint.velocities[0][1] == "m/s"
            axis = motion.frame(parent)[:, :, 2]
            yield _Source(f"{name}.effort", "drives", "force" if slides else "moment", child, axis)


def _loads(motion: ShownMotion) -> Iterator[_Source]:
    """Forces and moments of force elements on the child, at its marker."""
    for name, force in motion.forces.items():
        for what in force.transmits:
            layer: Literal["applied", "springs"] = "applied" if force.follows_motion else "springs"
            yield _Source(f"{name}.{what}", layer, what, motion.place(force.child))  # type: ignore[arg-type]


def _contacts(motion: ShownMotion) -> Iterator[_Source]:
    """On the side of each contact that is named first, where it touches."""
    world = Mount(GROUND, np.zeros(3), np.eye(3))
    for name in motion.model.contacts:
        yield _Source(f"{name}.force", "reactions", "force", world, path=f"{name}.point")


def _weights(motion: ShownMotion) -> Iterator[Arrow]:
    g = np.array([motion.number(entry) for entry in uniform_gravity(motion.model)])
    for name, record in motion.model.bodies.items():
        if name == GROUND or name in motion.still:
            continue
        body = record.resolved(motion.number)
        centre = np.array(ca.DM(ca.vertcat(*body.com)), dtype=float).ravel()
        weight = np.broadcast_to(float(body.mass) * g, (motion.shown.size, 3))
        yield Arrow(f"{name}: weight", "gravity", "force", Mount(name, centre, np.eye(3)), weight)
