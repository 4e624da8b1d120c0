"""Tendons: sums of coordinates, and cords between two sites with a spring and a damper, which become forces."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardan.formats.mjcf.equalities import Places
from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.mjcf.springs import coefficients
from cardan.formats.xml.placing import placement
from cardan.formats.xml.tree import XmlElement, numbers
from cardan.model.place import GROUND

_ACTING = ("stiffness", "damping", "frictionloss", "armature", "range", "actuatorfrcrange")
"""Attributes by which a tendon acts by itself, each other than 0."""
_READ = ("stiffness", "damping")


def tendons_of(top: XmlElement, settings: MjcfSettings) -> dict[str, XmlElement]:
    """The tendons by name, with the attributes of their class."""
    listed = (settings.completed(one, MAIN, "tendon") for section in top.all("tendon") for one in section.children)
    return {one.attributes.get("name", one.place): one for one in listed}


def cords(
    tendons: Mapping[str, XmlElement], places: Places, note: Callable[[str, str], None]
) -> dict[str, dict[str, Any]]:
    """The springs and dampers of straight tendons, as data of forces by name; notes of what else tendons do."""
    found = {}
    for name, tendon in tendons.items():
        data = _cord(tendon, places)
        if data:
            found[name] = data
        left = [key for key in _ACTING if _acts(tendon, key) and not (data and key in _READ)]
        if left:
            note("springs, friction and limits of tendons", name)
    return found


def _acts(tendon: XmlElement, key: str) -> bool:
    return any(numbers(tendon, key, (0.0,) * len(tendon.attributes.get(key, "").split())))


def _cord(tendon: XmlElement, places: Places) -> dict[str, Any]:
    """A linear spring and damper between two sites; empty where the tendon has none, or is no straight one.

    Without a length of its own the spring rests while all coordinates are zero; two lengths leave it slack between.
    """
    (k, *k_curved), (d, *d_curved) = (coefficients(tendon, key) for key in _READ)
    ends = [places.sites.get(one.attributes.get("site", "")) for one in tendon.children if one.tag == "site"]
    rest = tendon.attributes.get("springlength", "-1").split()
    if not (k or d) or any((*k_curved, *d_curved)) or len(ends) != len(tendon.children) or len({*rest}) > 1:
        return {}
    if len(ends) != 2 or None in ends or tendon.tag != "spatial":
        return {}
    (a, T_a), (b, T_b) = sorted((end for end in ends if end is not None), key=lambda end: end[0] != GROUND)
    if a == b:
        return {}
    (length, *_) = numbers(tendon, "springlength", (-1.0,) * len(rest))
    if length < 0:
        length = float(np.linalg.norm((places.T_W[a] @ T_a - places.T_W[b] @ T_b)[:3, 3]))
    entry = {"stiffness": k, "damping": d, "rest_length": length if k else 0}
    ends_of = {"parent": placement(a, T_a), "child": placement(b, T_b)}
    return {"type": "spring_damper", **ends_of} | {key: value for key, value in entry.items() if value}
