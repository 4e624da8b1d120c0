"""Arrows of forces and moments over time: reactions, drives, applied loads, springs, weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import casadi as ca
import numpy as np

from cardan.model.place import GROUND
from cardan.view.scene.motion import ShownMotion
from cardan.view.scene.records import Arrow, Mount

__all__ = ["arrows"]


def arrows(motion: ShownMotion) -> list[Arrow]:
    """All arrows whose values are not zero throughout; what a file of a run does not store is left out.

    Components that are not known, such as those across the plane of a planar model, count as zero.

    Parameters
    ----------
    motion : ShownMotion
        The mechanism.
    """
    found = [*_reactions(motion), *_drives(motion), *_applied(motion), *_weights(motion)]
    known = [replace(arrow, value=np.nan_to_num(arrow.value, posinf=0.0, neginf=0.0)) for arrow in found]
    return [arrow for arrow in known if arrow.value.any()]


def _reactions(motion: ShownMotion) -> Iterator[Arrow]:
    """On the child of each joint and constraint, at its marker."""
    for name, joint in motion.model.joints.items():
        place = motion.place(joint.child)
        for what, channel in (("force", f"{name}.reaction_force"), ("moment", f"{name}.reaction_moment")):
            value = motion.result(channel)
            if value is not None:
                yield Arrow(channel, "reactions", what, place, value)  # type: ignore[arg-type]
    for name, constraint in motion.model.constraints.items():
        value = motion.result(f"{name}.force")
        if constraint.ends is not None and value is not None:
            yield Arrow(f"{name}.force", "reactions", "force", motion.place(constraint.ends[1]), value)


def _drives(motion: ShownMotion) -> Iterator[Arrow]:
    """Efforts of actuators along the axes of their joints, on the child."""
    for name, joint in motion.model.joints.items():
        effort = motion.result(f"{name}.effort") if joint.nv == 1 else None
        if effort is not None:
            parent, child = motion.joint_places(joint)
            axis = motion.frame(parent)[:, :, 2]
            what = "force" if joint.velocities[0][1] == "m/s" else "moment"
            yield Arrow(f"{name}.effort", "drives", what, child, effort[:, None] * axis)  # type: ignore[arg-type]


def _applied(motion: ShownMotion) -> Iterator[Arrow]:
    """Loads of force elements on the child, at its marker."""
    for name, force in motion.model.forces.items():
        layer = "applied" if force.follows_motion else "springs"
        for what in force.transmits:
            value = motion.result(f"{name}.{what}")
            if value is not None:
                yield Arrow(f"{name}.{what}", layer, what, motion.place(force.child), value)  # type: ignore[arg-type]


def _weights(motion: ShownMotion) -> Iterator[Arrow]:
    g = np.array([motion.number(entry) for entry in motion.model.gravity])
    for name, record in motion.model.bodies.items():
        if name == GROUND or name in motion.still:
            continue
        body = record.resolved(motion.number)
        centre = np.array(ca.DM(ca.vertcat(*body.com)), dtype=float).ravel()
        weight = np.broadcast_to(float(body.mass) * g, (motion.shown.size, 3))
        yield Arrow(f"{name}: weight", "gravity", "force", Mount(name, centre, np.eye(3)), weight)
