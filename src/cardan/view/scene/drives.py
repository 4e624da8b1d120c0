"""Motors with rotors that turn, and wheels of gears."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cardan.model.joints import Joint
from cardan.model.motors import Motor
from cardan.model.place import GROUND
from cardan.model.plane import Plane
from cardan.view.scene.directions import along
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Disc, Form, Mount, ScenePart

__all__ = ["gear_parts", "motor_parts", "planets", "rotors"]

_FREE = 6.0
"""Sum of the radii of wheels on one axis, whose distance says nothing of their size, over the size of a symbol."""

_PLANETS = 3
"""Planets of a planetary gear, which a model does not count."""


def motor_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """The housing of every motor."""
    for name, motor in motion.model.motors.items():
        place = _motor_place(motion, motor)
        shell: Form = {"type": "cylinder", "radius": 1.7 * size, "length": 3 * size}
        yield ScenePart(name, "motors", shell, _shifted(place, -2.6 * size), "motor")


def rotors(motion: Positions, size: float) -> Iterator[Disc]:
    """The rotor of every motor, which turns with its speed, and the planets of gears."""
    for name, motor in motion.model.motors.items():
        joint, suffix = motor.driven
        q = motion.results([f"{joint}{suffix}.q"]).get(f"{joint}{suffix}.q", np.zeros(motion.count))
        angle = motion.number(motor.ratio) * q
        disc: Form = {"type": "rotor", "radius": 1.3 * size, "length": 0.4 * size}
        yield Disc(name, "motors", disc, _shifted(_motor_place(motion, motor), -4.3 * size), angle)
    yield from planets(motion, size)


def planets(motion: Positions, size: float) -> Iterator[Disc]:
    """The planets of planetary gears, three on each carrier, which roll on sun and ring.

    Seen from the carrier a planet turns by −z_s/z_p of what the sun turns (Willis).
    """
    for name, record in motion.model.constraints.items():
        if draw := _PLANETS_OF.get(record.type):
            yield from draw(motion, name, record, size)


def _planets_of_gear(motion: Positions, name: str, gear: Any, size: float) -> Iterator[Disc]:
    if gear.kind != "planetary":
        return
    sun, ring = (motion.number(z) for z in gear.teeth)
    own = (ring - sun) / 2
    per_tooth = _FREE * size / (sun + ring)
    names = [f"{one}.q" for one in (gear.joints[0], gear.carrier)]
    values = motion.results(names)
    turns = [values.get(one, np.zeros(motion.count)) for one in names]
    place = motion.joint_places(motion.model.joints[gear.carrier.partition(".")[0]])[1]
    form: Form = {
        "type": "gear",
        "radius": per_tooth * own,
        "teeth": max(3, round(own)),
        "length": size,
        "internal": False,
    }
    for k in range(_PLANETS):
        way = place.R @ [np.cos(2 * np.pi * k / _PLANETS), np.sin(2 * np.pi * k / _PLANETS), 0.0]
        at = Mount(place.body, place.p + per_tooth * (sun + own) * way, place.R)
        yield Disc(name, "gears", form, at, -sun / own * (turns[0] - turns[1]))


def _motor_place(motion: Positions, motor: Motor) -> Mount:
    """Where a motor sits: at its joint, on the body that carries it; its axis is z."""
    joint = motion.model.joints[motor.driven[0]]
    parent, child = motion.joint_places(joint)
    place = child if motor.mounted_on == child.body else parent
    slides = dict(joint.velocities)[motor.driven[1]] == "m/s"
    if motor.rotor_axis is not None:
        axis = np.array([motion.number(x) for x in motor.rotor_axis])
        R = along(axis)
    else:
        R = _across(motion, place) if slides else place.R
    if motor.mounted_on not in (None, GROUND, place.body):
        return Mount(str(motor.mounted_on), np.zeros(3), R)
    return Mount(place.body, place.p, R)


def _across(motion: Positions, place: Mount) -> np.ndarray:
    """Axes whose z stands across a rail; along the normal of a planar model, so that its plane shows the motor turn."""
    if not motion.model.planar:
        return place.R[:, [1, 2, 0]]
    return along(motion.axes(place.body)[0].T @ Plane(motion.model.planar).normal)


def _shifted(place: Mount, z: float) -> Mount:
    return Mount(place.body, place.p + place.R[:, 2] * z, place.R)


def gear_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """The wheels of all gears, each fixed to the body that its joint turns."""
    for name, record in motion.model.constraints.items():
        gear: Any = record
        if draw := _GEARS.get(gear.type):
            joints = [motion.model.joints[one.partition(".")[0]] for one in gear.joints]
            yield from draw(motion, name, gear, joints, size)


def _gear(motion: Positions, name: str, gear: Any, joints: list[Joint], size: float) -> Iterator[ScenePart]:
    return (_rack if gear.kind == "rack" else _wheels)(motion, name, gear, joints, size)


def _wheels(motion: Positions, name: str, gear: Any, joints: list[Joint], size: float) -> Iterator[ScenePart]:
    teeth = [motion.number(z) for z in gear.teeth]
    places = [motion.joint_places(joint)[1] for joint in joints]
    parents = [motion.joint_places(joint)[0] for joint in joints]
    d = motion.origin(parents[1])[0] - motion.origin(parents[0])[0]
    axis = motion.frame(parents[0])[0][:, 2]
    distance = float(np.linalg.norm(d - axis * (axis @ d)))
    total = abs(teeth[1] - teeth[0]) if gear.kind == "internal" else teeth[0] + teeth[1]
    per_tooth = distance / total if gear.kind in ("external", "internal") and distance else _FREE * size / total
    for k, place in enumerate(places):
        inside = (gear.kind == "internal" and teeth[k] == max(teeth)) or (gear.kind == "planetary" and k == 1)
        form: Form = {
            "type": "gear",
            "radius": per_tooth * teeth[k],
            "teeth": int(teeth[k]),
            "length": size,
            "internal": inside,
        }
        yield ScenePart(name, "gears", form, place, "body")


def _rack(motion: Positions, name: str, gear: Any, joints: list[Joint], size: float) -> Iterator[ScenePart]:
    teeth = int(motion.number(gear.teeth[0])) if gear.teeth else 20
    if gear.radius is not None:
        radius = motion.number(gear.radius)
    else:
        assert gear.module is not None  # checked when the record is made
        radius = motion.number(gear.module) * teeth / 2
    pinion, rack = motion.joint_places(joints[0])[1], motion.joint_places(joints[1])[1]
    form: Form = {"type": "gear", "radius": radius, "teeth": teeth, "length": size, "internal": False}
    yield ScenePart(name, "gears", form, pinion, "body")
    bar: Form = {"type": "box", "size": [0.6 * size, size, 4 * radius]}
    yield ScenePart(name, "gears", bar, rack, "body")


_PLANETS_OF: dict[str, Callable[[Positions, str, Any, float], Iterator[Disc]]] = {"gear": _planets_of_gear}
_GEARS: dict[str, Callable[[Positions, str, Any, list[Joint], float], Iterator[ScenePart]]] = {"gear": _gear}
"""Wheels of a constraint, by its kind."""
