"""Tendons: sums of coordinates, and cords between two sites with a spring and a damper, which become forces."""

from collections.abc import Callable, Mapping
from typing import Any

from cardan.formats.mjcf.equalities import Places, is_straight
from cardan.formats.mjcf.joints import coefficients
from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.xml.tree import XmlElement, all_numbers, text

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
        left = [key for key in _ACTING if any(all_numbers(tendon, key)) and not (data and key in _READ)]
        if left:
            note("springs, friction and limits of tendons", name)
    return found


def _cord(tendon: XmlElement, places: Places) -> dict[str, Any]:
    """A linear spring and damper between two sites; empty where the tendon has none, or is no straight one.

    Without a length of its own the spring rests while all coordinates are zero; two lengths leave it slack between.
    """
    (k, *k_curved), (d, *d_curved) = (coefficients(tendon, key) for key in _READ)
    length, *longer = all_numbers(tendon, "springlength") or (-1.0,)
    if not (k or d) or any((*k_curved, *d_curved)) or not is_straight(tendon) or any(one != length for one in longer):
        return {}
    if len({places.site(one, text(one, "site"))[0] for one in tendon.children}) == 1:
        return {}
    ends, distance = places.between(tendon)
    entry = {"stiffness": k, "damping": d, "rest_length": (distance if length < 0 else length) if k else 0}
    return {"type": "spring_damper", **ends} | {key: value for key, value in entry.items() if value}
