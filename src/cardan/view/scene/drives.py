"""Motors with rotors that turn, and wheels of gears."""

from collections.abc import Iterator

import numpy as np

from cardan.model.motors import Motor
from cardan.model.place import GROUND
from cardan.model.plane import Plane
from cardan.view.scene.directions import along
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Disc, Form, Mount, ScenePart
from cardan.view.symbols.elements import symbol_of


def motor_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """The housing of every motor."""
    for name, motor in motion.model.motors.items():
        place = _motor_place(motion, motor, size)
        shell: Form = {"type": "cylinder", "radius": 1.7 * size, "length": 3 * size}
        yield ScenePart(name, "motors", shell, place.shifted(-2.6 * size), "motor")


def rotors(motion: Positions, size: float) -> Iterator[Disc]:
    """The rotor of every motor, which turns with its speed, and the planets of gears."""
    for name, motor in motion.model.motors.items():
        joint, suffix = motor.driven
        q = motion.results([f"{joint}{suffix}.q"]).get(f"{joint}{suffix}.q", np.zeros(motion.count))
        angle = motion.number(motor.ratio) * q
        disc: Form = {"type": "rotor", "radius": 1.3 * size, "length": 0.4 * size}
        yield Disc(name, "motors", disc, _motor_place(motion, motor, size).shifted(-4.3 * size), angle)
    yield from planets(motion, size)


def planets(motion: Positions, size: float) -> Iterator[Disc]:
    """The planets of planetary gears, three on each carrier."""
    for name, record in motion.model.constraints.items():
        if draw := symbol_of(record).planets:
            yield from draw(motion, name, record, size)


def _motor_place(motion: Positions, motor: Motor, size: float) -> Mount:
    """Where a motor sits: at its joint, on the body that carries it; its axis is z."""
    joint = motion.model.joints[motor.driven[0]]
    parent, child = motion.shown_places(joint, size)
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


def gear_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """The wheels of all gears, each fixed to the body that its joint turns."""
    for name, record in motion.model.constraints.items():
        if draw := symbol_of(record).wheels:
            yield from draw(motion, name, record, size)
