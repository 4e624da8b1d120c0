"""Wheels of gears, and the planets that roll between them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from cardan.model.joints import Joint
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Disc, Form, Mount, ScenePart

_FREE = 6.0
"""Sum of the radii of wheels on one axis, whose distance says nothing of their size, over the size of a symbol."""

_PLANETS = 3
"""Planets of a planetary gear, which a model does not count."""


def _wheel(radius: float, teeth: int, length: float, internal: bool = False) -> Form:
    return {"type": "gear", "radius": radius, "teeth": teeth, "length": length, "internal": internal}


def gear_planets(motion: Positions, name: str, gear: Any, size: float) -> Iterator[Disc]:
    """The planets of a planetary gear, which roll on sun and ring: seen from the carrier a planet turns by −z_s/z_p of
    what the sun turns (Willis).
    """
    if gear.kind != "planetary":
        return
    sun, ring = (motion.number(z) for z in gear.teeth)
    own = (ring - sun) / 2
    per_tooth = _FREE * size / (sun + ring)
    names = [f"{one}.q" for one in (gear.joints[0], gear.carrier)]
    values = motion.results(names)
    turns = [values.get(one, np.zeros(motion.count)) for one in names]
    place = motion.joint_places(motion.model.joints[gear.carrier.partition(".")[0]])[1]
    form = _wheel(per_tooth * own, max(3, round(own)), size)
    for k in range(_PLANETS):
        way = place.R @ [np.cos(2 * np.pi * k / _PLANETS), np.sin(2 * np.pi * k / _PLANETS), 0.0]
        at = Mount(place.body, place.p + per_tooth * (sun + own) * way, place.R)
        yield Disc(name, "gears", form, at, -sun / own * (turns[0] - turns[1]))


def gear_wheels(motion: Positions, name: str, gear: Any, size: float) -> Iterator[ScenePart]:
    """The wheels of a gear, each fixed to the body that its joint turns."""
    joints = [motion.model.joints[one.partition(".")[0]] for one in gear.joints]
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
        yield ScenePart(name, "gears", _wheel(per_tooth * teeth[k], int(teeth[k]), size, inside), place, "body")


def _rack(motion: Positions, name: str, gear: Any, joints: list[Joint], size: float) -> Iterator[ScenePart]:
    teeth = int(motion.number(gear.teeth[0])) if gear.teeth else 20
    if gear.radius is not None:
        radius = motion.number(gear.radius)
    else:
        assert gear.module is not None  # checked when the record is made
        radius = motion.number(gear.module) * teeth / 2
    pinion, rack = motion.joint_places(joints[0])[1], motion.joint_places(joints[1])[1]
    yield ScenePart(name, "gears", _wheel(radius, teeth, size), pinion, "body")
    bar: Form = {"type": "box", "size": [0.6 * size, size, 4 * radius]}
    yield ScenePart(name, "gears", bar, rack, "body")
