"""What holds for a whole MJCF file: units of angles, order of Euler angles, and the defaults of its classes."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.xml.placing import pose
from cardan.formats.xml.tree import XmlElement, numbers
from cardan.frozen import dataclass, replace
from cardan.spatial.rotations import from_axis_angle, from_quaternion, rotation_x, rotation_y, rotation_z, snap

MAIN = "main"
"""The class of everything that names none."""
_TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_USUAL = {"angle": "degree", "eulerseq": "xyz", "inertiafromgeom": "auto", "autolimits": "true"}
_WORDS = {"angle": ("degree", "radian"), "inertiafromgeom": ("true", "false", "auto"), "autolimits": ("true", "false")}
_SWITCHED_OFF: Mapping[str, tuple[str, ...]] = {
    "gravity": ("gravity",),
    "spring": ("stiffness", "springdamper"),
    "damper": ("damping",),
    "passive": ("stiffness", "springdamper", "damping"),
    "frictionloss": ("frictionloss",),
    "equality": ("equality",),
    "limit": ("limited", "range"),
    "contact": ("contact",),
    "actuation": ("actuator",),
    "filterparent": ("filterparent",),
    "refsafe": ("refsafe",),
    "constraint": ("frictionloss", "equality", "limited", "range", "contact"),
}
"""By the flag that an option disables, the attributes of joints and the sections that have no effect then."""


@dataclass(frozen=True)
class MjcfSettings:
    """Settings of a file."""

    compiler: XmlElement  # with the attributes of all elements `<compiler>`, and usual ones
    option: XmlElement  # likewise
    angle: float  # the unit of angles [rad]
    disabled: frozenset[str]  # attributes of joints, and sections, without effect
    defaults: Mapping[str, Mapping[str, Mapping[str, str]]]  # attributes by class, and by the name of the element

    def completed(self, element: XmlElement, inherited: str, tag: str = "") -> XmlElement:
        """The element with those attributes of its class that it does not give itself and nothing disables."""
        name = element.attributes.get("class", inherited)
        if name not in self.defaults:
            raise element.fault(f"there is no default class {name!r}", "add it, or correct the name")
        given: dict[str, str] = dict(self.defaults[name].get(tag or element.tag, {}))
        if any(key in element.attributes for key in _ORIENTATIONS):
            given = {key: value for key, value in given.items() if key not in _ORIENTATIONS}
        given |= element.attributes
        enabled = {key: value for key, value in given.items() if key not in self.disabled}
        return replace(element, attributes=enabled)

    def limits(self, element: XmlElement, what: str = "") -> tuple[float, ...]:
        """Lower and upper bound of `<what>range`; empty where it is not in force."""
        limited, key = element.attributes.get(f"{what}limited", "auto"), f"{what}range"
        in_force = limited == "true" or (limited == "auto" and self.compiler.attributes["autolimits"] == "true")
        return numbers(element, key, (0.0, 0.0)) if in_force and key in element.attributes else ()


def settings_of(top: XmlElement) -> MjcfSettings:
    """The settings of a file; of several elements `<compiler>` the later ones win."""
    compiler, option = _merged(top, top.all("compiler"), _USUAL), _merged(top, top.all("option"))
    flags = _merged(top, [flag for one in top.all("option") for flag in one.all("flag")]).attributes
    off = frozenset(one for flag, ones in _SWITCHED_OFF.items() if flags.get(flag) == "disable" for one in ones)
    given = compiler.attributes
    if any(one.attributes.get("coordinate", "local") != "local" for one in top.all("compiler")):
        cure = "save it once with MuJoCo 2.3.3, the last one that reads them"
        raise compiler.fault("global coordinates are not read", cure)
    for name, known in _WORDS.items():
        if given[name] not in known:
            raise compiler.fault(f"{name} is {given[name]!r}", f"write {' or '.join(known)}")
    if len(given["eulerseq"]) != 3 or any(axis.lower() not in _TURNS for axis in given["eulerseq"]):
        raise compiler.fault(f"eulerseq is {given['eulerseq']!r}", "write three of the letters x, y and z")
    return MjcfSettings(compiler, option, math.pi / 180 if given["angle"] == "degree" else 1.0, off, _defaults(top))


def _merged(top: XmlElement, elements: Sequence[XmlElement], usual: Mapping[str, str] = {}) -> XmlElement:
    """The last of some elements, with the attributes of all, and usual ones."""
    given = {key: one for element in elements for key, one in element.attributes.items()}
    return replace([top, *elements][-1], attributes={**usual, **given})


def _defaults(top: XmlElement) -> dict[str, dict[str, dict[str, str]]]:
    """Attributes by class and element; a class has those of the class around it, too."""
    found: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
    waiting = [(element, MAIN, MAIN) for element in reversed(top.all("default"))]
    while waiting:
        element, above, otherwise = waiting.pop()
        name = element.attributes.get("class", otherwise)
        if not name:
            raise element.fault("a default class inside another has no name", 'write <default class="…">')
        own = {tag: dict(attributes) for tag, attributes in found[above].items()}
        for child in element.children:
            if child.tag != "default":
                own[child.tag] = own.get(child.tag, {}) | dict(child.attributes)
        found[name] = own
        if otherwise == MAIN:  # the outermost class, whatever its name, is that of all elements without a class
            found[MAIN] = own
        waiting += [(child, name, "") for child in reversed(element.all("default"))]
    return found


def pose_of(element: XmlElement, settings: MjcfSettings) -> np.ndarray:
    """Pose T (4×4) that `pos` and one of the orientations of an element give."""
    p = numbers(element, "pos", (0.0,) * 3)
    given = [key for key in _ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        raise element.fault(f"the orientation is given in {len(given)} ways: {', '.join(given)}", "keep one of them")
    if not given:
        return pose(p=p)
    (key,) = given
    count, direction, turn = _ORIENTATIONS[key]
    values = np.array(numbers(element, key, (0.0,) * count), dtype=float)
    if not direction(values).any():
        raise element.fault(f"{key} of <{element.tag}> has length 0", "write one that is not 0")
    return pose(turn(values, settings), p)


def _array(R: Any) -> np.ndarray:
    return np.array(ca.DM(snap(R)), dtype=float)


def _euler(angles: np.ndarray, settings: MjcfSettings) -> np.ndarray:
    """Turns about axes that turn with the frame, in this order; about axes that stand still where upper case."""
    R = ca.DM.eye(3)
    for axis, angle in zip(settings.compiler.attributes["eulerseq"], angles, strict=True):
        turn = _TURNS[axis.lower()](ca.DM(settings.angle * angle))
        R = R @ turn if axis.islower() else turn @ R
    return _array(R)


def _xyaxes(both: np.ndarray, _: MjcfSettings) -> np.ndarray:
    """x as given, y made perpendicular to it."""
    x, z = both[:3], np.cross(both[:3], both[3:])
    return _array(np.column_stack([one / np.linalg.norm(one) for one in (x, np.cross(z, x), z)]))


def turn_of_z(z: np.ndarray) -> np.ndarray:
    """R (3×3), the smallest turn that brings z into the direction `z` (3,), about x where it is half a turn."""
    n = z / np.linalg.norm(z)
    across = np.cross([0.0, 0.0, 1.0], n)
    angle = math.atan2(float(np.linalg.norm(across)), float(n[2]))
    axis = across if across.any() else np.array([1.0, 0.0, 0.0])
    return _array(from_axis_angle(ca.DM(axis), angle))


_ORIENTATIONS: Mapping[str, tuple[int, Callable[..., Any], Callable[..., Any]]] = {
    "quat": (4, lambda e: e, lambda e, _: _array(from_quaternion(ca.DM(e)))),
    "axisangle": (4, lambda u: u[:3], lambda u, one: _array(from_axis_angle(ca.DM(u[:3]), one.angle * u[3]))),
    "euler": (3, np.ones_like, _euler),
    "xyaxes": (6, lambda both: np.cross(both[:3], both[3:]), _xyaxes),
    "zaxis": (3, lambda z: z, lambda z, _: turn_of_z(z)),
}
"""How many numbers, what of them must not be 0, and the rotation (3×3) that they give."""
