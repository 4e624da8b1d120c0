"""Tendons: sums of coordinates, and cords between two sites with a spring and a damper, which become forces."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.formats.mjcf.bodies import MjcfBody, MjcfFile
from cardan.formats.mjcf.geoms import geom_pose
from cardan.formats.xml.placing import between
from cardan.formats.xml.tree import XmlElement, all_numbers, look_up, number, text

_ACTING = ("stiffness", "damping", "frictionloss", "armature", "range", "actuatorfrcrange")
"""Attributes by which a tendon acts by itself, each other than 0."""
_READ = ("stiffness", "damping")


def is_straight(tendon: XmlElement) -> bool:
    """Whether a tendon goes straight from one site to another."""
    return tendon.tag == "spatial" and [one.tag for one in tendon.children] == ["site"] * 2


def terms_of(file: MjcfFile, tendon: XmlElement) -> dict[str, float]:
    """Factor of each joint, by its name in the model, in the length of a fixed tendon."""
    found: dict[str, float] = {}
    for element in tendon.all("joint"):
        joint = look_up(tendon, text(element, "joint"), file.joint_named, "joint").name
        found[joint] = found.get(joint, 0) + number(element, "coef")
    return found


def site_of(file: MjcfFile, element: XmlElement, key: str) -> tuple[MjcfBody, np.ndarray]:
    """The body of a site that an attribute names, and the pose of the site on it (4×4)."""
    body, site = look_up(element, text(element, key), file.site_named, "site")
    return body, site.T @ geom_pose(site.element, file.settings, back=True)


def ends_of(file: MjcfFile, tendon: XmlElement) -> tuple[dict[str, Any], float]:
    """The ends of a straight tendon, and their distance while all coordinates are zero."""
    ends = [site_of(file, one, "site") for one in tendon.children]
    a, b = ((body.T_W @ T)[:3, 3] for body, T in ends)
    return between([(body.name, T) for body, T in ends]), float(np.linalg.norm(b - a))


def add_cords(file: MjcfFile) -> None:
    """Add the springs and dampers of straight tendons as forces, and notes of what else tendons do."""
    for name, tendon in file.tendons.items():
        if data := _cord(file, tendon):
            file.found.put("forces", file.found.free(name), data, tendon.line)
        if any(any(all_numbers(tendon, key)) for key in _ACTING if not (data and key in _READ)):
            file.found.notes.add("springs, friction and limits of tendons", name)


def _cord(file: MjcfFile, tendon: XmlElement) -> Mapping[str, Any]:
    """A linear spring and damper between two sites, empty of others; without a length it rests where all is zero."""
    (k, *k_curved), (d, *d_curved) = (all_numbers(tendon, key) or (0.0,) for key in _READ)
    length, *longer = all_numbers(tendon, "springlength") or (-1.0,)
    if not (k or d) or any((*k_curved, *d_curved)) or not is_straight(tendon) or any(one != length for one in longer):
        return {}
    if len({site_of(file, one, "site")[0].name for one in tendon.children}) == 1:
        return {}
    ends, distance = ends_of(file, tendon)
    entry = {"stiffness": k, "damping": d, "rest_length": (distance if length < 0 else length) if k else 0}
    return {"type": "spring_damper", **ends} | {key: value for key, value in entry.items() if value}
