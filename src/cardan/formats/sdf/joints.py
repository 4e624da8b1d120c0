"""A joint of an SDF file as the data of a joint, and what it couples as that of a coupler."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.errors import nearest
from cardan.formats.sdf.document import is_true
from cardan.formats.sdf.frames import SdfFrames, within
from cardan.formats.xml.joints import UNBOUNDED, dynamics_data, limit_data, mimic_data
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import placement, tidy
from cardan.formats.xml.tree import XmlElement, number, numbers, only, read_each, text
from cardan.numerics.round_off import SIX_DIGITS

_HINGES = ("revolute", "continuous")
"""Types in a file of joints that a gearbox connects."""
_KINDS = {
    **dict.fromkeys(_HINGES, "revolute"),
    **dict.fromkeys(("universal", "revolute2"), "universal"),
    **{kind: kind for kind in ("prismatic", "screw", "fixed")},
    "ball": "spherical",
}
"""Type in a model by the type in a file."""
_INFINITE = 1e16
"""From here on a bound is none: older versions of the format write it for infinity."""


def joint_data(
    path: str, joint: XmlElement, frames: SdfFrames, place_of: Mapping[str, str], notes: Notes, *, stops: bool
) -> dict[str, Any]:
    """The data of the joint of this path; `place_of` has the names of links in the model, and of the world."""
    kind = text(joint, "type")
    if kind not in _KINDS:
        raise joint.fault(f"there is no joint of type {kind!r}", nearest(kind, (*_KINDS, "gearbox")))
    ends = {key: frames.end(path, key) for key in ("parent", "child")}
    if not ends["child"]:
        raise joint.fault("the child of a joint cannot be the world", "exchange parent and child")
    if ends["parent"] == ends["child"]:
        raise joint.fault(f"the joint connects {ends['child']!r} with itself", "give parent or child another link")
    data: dict[str, Any] = {"type": _KINDS[kind]}
    data |= {key: placement(place_of[link], frames.between(link, path)) for key, link in ends.items()}
    if kind == "fixed":
        return data
    if kind == "ball":
        axis = only(joint, "axis")
        return data | {key: one for key, one in (dynamics_data(axis) if axis else {}).items() if key == "damping"}
    values = _values(path, joint, "axis", frames, notes, stops)
    if data["type"] == "universal":
        return data | _both(values, _values(path, joint, "axis2", frames, notes, stops), path, notes)
    return data | values | ({"lead": _lead(joint)} if kind == "screw" else {})


def _direction(path: str, tag: str, frames: SdfFrames) -> tuple[np.ndarray, XmlElement]:
    """The direction of an axis (3,) in the axes of its joint, and the axis."""
    joint, scope = frames.at[path].element, frames.at[path].scope
    axis = only(joint, tag)
    xyz = None if axis is None else only(axis, "xyz")
    if axis is None or xyz is None:
        raise (axis or joint).fault(f"the joint has no <{tag}> with <xyz>", f"add <{tag}><xyz>0 0 1</xyz></{tag}>")
    direction = np.array(numbers(axis, "xyz", (0.0, 0.0, 1.0)))
    if not direction.any():
        raise axis.fault("the axis has length 0", "write a direction, such as <xyz>0 0 1</xyz>")
    frame = xyz.attributes.get("expressed_in") or ("__model__" if is_true(axis, "use_parent_model_frame") else "")
    return frames.between(path, frames.path(frame, scope, xyz))[:3, :3] @ direction if frame else direction, axis


def _values(path: str, joint: XmlElement, tag: str, frames: SdfFrames, notes: Notes, stops: bool) -> dict[str, Any]:
    """Axis, damping, friction, spring and limits of one motion."""
    direction, axis = _direction(path, tag, frames)
    axis.attributes["name"] = path
    for limit in axis.all("limit"):
        for key in ("lower", "upper", "effort", "velocity"):
            is_infinite = limit.attributes.get(key, "").lstrip("+-").lower() in ("inf", "infinity")
            value = math.inf if is_infinite else number(limit, key, 0)
            if abs(value) >= _INFINITE or (value < 0 and key in ("effort", "velocity")):
                del limit.attributes[key]
        limit.attributes.setdefault("lower", str(-UNBOUNDED))
        limit.attributes.setdefault("upper", str(UNBOUNDED))
    data = {"axis": tidy(direction)} | dynamics_data(axis) | limit_data(axis, notes, stops)
    for dynamics in axis.all("dynamics"):
        if stiffness := number(dynamics, "spring_stiffness", 0):
            data |= {"stiffness": stiffness, "rest": number(dynamics, "spring_reference", 0)}
    return data


def _both(first: dict[str, Any], second: dict[str, Any], path: str, notes: Notes) -> dict[str, Any]:
    """The values of two motions as those of a universal joint."""
    data: dict[str, Any] = {"axes": [first.pop("axis"), second.pop("axis")]}
    for key in {**first, **second}:
        if key in ("damping", "stiffness", "rest"):
            data[key] = [one.get(key, 0) for one in (first, second)]
        elif key == "limits":
            data[key] = {name: one[key] for name, one in (("r1", first), ("r2", second)) if key in one}
        else:
            notes.add(f"{key.replace('_', ' ')} of joints of two axes", path)
    return data


def _lead(joint: XmlElement) -> float:
    """The advance per turn; the older `thread_pitch` is an angle per advance against it."""
    pitch = number(joint, "thread_pitch", 1)
    if not pitch:
        raise joint.fault("thread_pitch is 0", "write <screw_thread_pitch>, the advance per turn in metres")
    return number(joint, "screw_thread_pitch", -2 * math.pi / pitch)


def couplers(frames: SdfFrames, names: Mapping[str, str], notes: Notes) -> dict[str, dict[str, Any]]:
    """The data of couplers by the paths of the joints that mimic others, and of gearboxes."""
    kinds = {path: joint.attributes["type"] for path, joint in frames.joints.items()}
    hinges = [path for path, kind in kinds.items() if kind in _HINGES]
    between = {frozenset((frames.end(path, "parent"), frames.end(path, "child"))): path for path in hinges}

    def mimic(path: str, joint: XmlElement) -> dict[str, Any]:
        axis = only(joint, "axis")
        for one in () if axis is None else axis.all("mimic"):
            offset = number(one, "offset", 0) - number(one, "multiplier", 1) * number(one, "reference", 0)
            leader = within(frames.at[path].scope, text(one, "joint"))
            one.attributes.update(joint=leader, offset=repr(offset))
        part = XmlElement("joint", {"name": path}, joint.line, [] if axis is None else axis.children)
        return mimic_data(part, names, kinds, notes)

    def gear(path: str, joint: XmlElement) -> dict[str, Any]:
        """θ₂ = −ratio θ₁ of the angles of child and parent against the reference body, about axis2 and axis."""
        reference, terms = frames.end(path, "gearbox_reference_body"), {}
        for key, tag, factor in (("parent", "axis", number(joint, "gearbox_ratio", 1)), ("child", "axis2", 1)):
            link = frames.end(path, key)
            hinge = between.get(frozenset((reference, link)))
            if hinge is None or names[hinge] in terms:
                raise joint.fault(f"no revolute joint of its own joins {link!r} with {reference!r}", "add one")
            both = ((path, tag), (hinge, "axis"))
            own, its = (frames.pose(at)[:3, :3] @ _direction(at, of, frames)[0] for at, of in both)
            cosine = own @ its / (np.linalg.norm(own) * np.linalg.norm(its))
            if abs(cosine) < 1 - SIX_DIGITS:
                raise joint.fault(f"its <{tag}> is not along that of the joint {hinge!r}", "turn it")
            side = 1 if frames.end(hinge, "child") == link else -1
            terms[names[hinge]] = factor * side * math.copysign(1, cosine)
        return {"type": "coupler", "terms": terms}

    found = read_each(frames.joints, mimic) | read_each(frames.gears, gear)
    return {path: data for path, data in found.items() if data}
