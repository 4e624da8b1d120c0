"""What holds for a whole MJCF file: units of angles, order of Euler angles, and the defaults of its classes."""

import math
from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.xml.tree import XmlElement, number, numbers
from cardan.frozen import dataclass, replace
from cardan.spatial.rotations import from_axis_angle, from_quaternion, rotation_x, rotation_y, rotation_z, snap

MAIN = "main"
"""The class of everything that names none."""
_ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_TURNS = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
_STEP = 0.002  # of a file that gives none [s]; MuJoCo's XML reference, option/timestep
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

    angle: float  # the unit of angles [rad]
    sequence: str  # axes of Euler angles, upper case for those that stand still
    inertia_from_geoms: bool | None  # whether masses are those of geoms; None where a body has no inertia of its own
    autolimits: bool  # whether a range makes a limit
    total_mass: float  # the mass to which all masses are scaled; not positive where they stay as they are
    least_mass: float  # lower bound of the mass of every body [kg]
    least_inertia: float  # lower bound of its principal moments of inertia [kg m²]
    balances: bool  # whether principal moments that no body has become their mean
    groups: tuple[float, float]  # first and last group of the geoms that have mass
    strips_paths: bool  # whether meshes are sought without the folders in their names
    mesh_folder: str  # where meshes are, from the folder of the file
    aligns: bool  # whether MuJoCo moves the frames of free bodies to their centres of mass
    shortest: float  # time of a contact [s], of two steps, below which MuJoCo does not go
    pyramid: float  # ratio of impedances of contacts whose friction cone is a pyramid; 0 of round ones
    disabled: frozenset[str]  # attributes of joints, and sections, without effect
    defaults: Mapping[str, Mapping[str, Mapping[str, str]]]  # attributes by class, and by the name of the element

    def completed(self, element: XmlElement, inherited: str, *tags: str) -> XmlElement:
        """The element with the attributes of its class that it does not give itself,
        without those that are disabled.
        """
        name = element.attributes.get("class", inherited)
        if name not in self.defaults:
            raise element.fault(f"there is no default class {name!r}", "add it, or correct the name")
        given: dict[str, str] = dict(self.defaults[name].get(tags[0] if tags else element.tag, {}))
        if any(key in element.attributes for key in _ORIENTATIONS):
            given = {key: value for key, value in given.items() if key not in _ORIENTATIONS}
        given |= element.attributes
        enabled = {key: value for key, value in given.items() if key not in self.disabled}
        return replace(element, attributes=enabled)


def settings_of(top: XmlElement) -> MjcfSettings:
    """The settings of a file; of several elements `<compiler>` the later ones win."""
    merged: dict[str, str] = {}
    for compiler in top.all("compiler"):
        merged |= compiler.attributes
        if compiler.attributes.get("coordinate", "local") != "local":
            raise compiler.fault(
                "global coordinates are not read", "save it once with MuJoCo 2.3.3, the last one that reads them"
            )
    compiler = replace([XmlElement("compiler", {}, top.line), *top.all("compiler")][-1], attributes=merged)
    angle, sequence = merged.get("angle", "degree"), merged.get("eulerseq", "xyz")
    for name, value, known in (
        ("angle", angle, ("degree", "radian")),
        ("inertiafromgeom", merged.get("inertiafromgeom", "auto"), ("true", "false", "auto")),
        ("autolimits", merged.get("autolimits", "true"), ("true", "false")),
    ):
        if value not in known:
            raise compiler.fault(f"{name} is {value!r}", f"write {' or '.join(known)}")
    if len(sequence) != 3 or any(axis.lower() not in _TURNS for axis in sequence):
        raise compiler.fault(f"eulerseq is {sequence!r}", "write three of the letters x, y and z")
    disabled, options = _disabled(top), XmlElement("option", {}, top.line)
    for option in top.all("option"):
        options = replace(option, attributes={**options.attributes, **option.attributes})
    return MjcfSettings(
        angle=math.pi / 180 if angle == "degree" else 1.0,
        sequence=sequence,
        inertia_from_geoms={"true": True, "false": False}.get(merged.get("inertiafromgeom", "auto")),
        autolimits=merged.get("autolimits", "true") == "true",
        total_mass=number(compiler, "settotalmass", -1),
        least_mass=number(compiler, "boundmass", 0),
        least_inertia=number(compiler, "boundinertia", 0),
        balances=merged.get("balanceinertia", "false") == "true",
        groups=numbers(compiler, "inertiagrouprange", (0, 5)),  # type: ignore[arg-type]
        strips_paths=merged.get("strippath", "false") == "true",
        mesh_folder=merged.get("meshdir", merged.get("assetdir", "")),
        aligns=merged.get("alignfree", "false") == "true",
        shortest=0.0 if "refsafe" in disabled else 2 * number(options, "timestep", _STEP),
        pyramid=0.0 if options.attributes.get("cone") == "elliptic" else number(options, "impratio", 1),
        disabled=disabled,
        defaults=_defaults(top),
    )


def _disabled(top: XmlElement) -> frozenset[str]:
    flags: dict[str, str] = {}
    for option in top.all("option"):
        for flag in option.all("flag"):
            flags |= flag.attributes
    return frozenset(one for flag, ones in _SWITCHED_OFF.items() if flags.get(flag) == "disable" for one in ones)


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
    T = np.eye(4)
    T[:3, 3] = numbers(element, "pos", (0.0,) * 3)
    given = [key for key in _ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        raise element.fault(f"the orientation is given in {len(given)} ways: {', '.join(given)}", "keep one of them")
    if given:
        T[:3, :3] = _READ[given[0]](element, settings)
    return T


def _array(R: Any) -> np.ndarray:
    return np.array(ca.DM(snap(R)), dtype=float)


def _quat(element: XmlElement, settings: MjcfSettings) -> np.ndarray:
    e = numbers(element, "quat", (1.0, 0.0, 0.0, 0.0))
    _check(element, "quat", e)
    return _array(from_quaternion(ca.DM(e)))


def _axisangle(element: XmlElement, settings: MjcfSettings) -> np.ndarray:
    *axis, angle = numbers(element, "axisangle", (0.0,) * 4)
    _check(element, "axisangle", axis)
    return _array(from_axis_angle(ca.DM(axis), settings.angle * angle))


def _euler(element: XmlElement, settings: MjcfSettings) -> np.ndarray:
    """Turns about axes that turn with the frame, in this order; about axes that stand still where upper case."""
    R = ca.DM.eye(3)
    for axis, angle in zip(settings.sequence, numbers(element, "euler", (0.0,) * 3), strict=True):
        turn = _TURNS[axis.lower()](ca.DM(settings.angle * angle))
        R = R @ turn if axis.islower() else turn @ R
    return _array(R)


def _xyaxes(element: XmlElement, settings: MjcfSettings) -> np.ndarray:
    """x as given, y made perpendicular to it."""
    both = np.array(numbers(element, "xyaxes", (0.0,) * 6))
    x, y = both[:3], both[3:]
    _check(element, "xyaxes", np.cross(x, y))
    z = np.cross(x, y)
    return _array(np.column_stack([one / np.linalg.norm(one) for one in (x, np.cross(z, x), z)]))


def _zaxis(element: XmlElement, settings: MjcfSettings) -> np.ndarray:
    """The smallest turn that brings z there; about x where it is half a turn."""
    z = np.array(numbers(element, "zaxis", (0.0,) * 3))
    _check(element, "zaxis", z)
    return turn_of_z(z)


def turn_of_z(z: np.ndarray) -> np.ndarray:
    """R (3×3), the smallest turn that brings z into the direction `z` (3,), about x where it is half a turn."""
    n = z / np.linalg.norm(z)
    across = np.cross([0.0, 0.0, 1.0], n)
    angle = math.atan2(float(np.linalg.norm(across)), float(n[2]))
    axis = across if across.any() else np.array([1.0, 0.0, 0.0])
    return _array(from_axis_angle(ca.DM(axis), angle))


def _check(element: XmlElement, key: str, direction: Any) -> None:
    if not any(direction):
        raise element.fault(f"{key} of <{element.tag}> has length 0", "write one that is not 0")


_READ = {"quat": _quat, "axisangle": _axisangle, "euler": _euler, "xyaxes": _xyaxes, "zaxis": _zaxis}
