"""A joint of an SDF file as the data of a joint; one function for what all types have, and what each one adds."""

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

_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "screw": "screw",
    "fixed": "fixed",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "universal",
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
        damping = {} if axis is None else dynamics_data(axis)
        return data | ({"damping": damping["damping"]} if "damping" in damping else {})
    direction, values = _axis(path, joint, "axis", frames, notes, stops=stops)
    if data["type"] == "universal":
        second, others = _axis(path, joint, "axis2", frames, notes, stops=stops)
        return data | {"axes": [direction, second]} | _both(values, others, notes, path)
    return data | ({"lead": _lead(joint)} if kind == "screw" else {}) | {"axis": direction} | values


def _axis(
    path: str, joint: XmlElement, tag: str, frames: SdfFrames, notes: Notes, *, stops: bool
) -> tuple[list[float], dict[str, Any]]:
    """An axis in the joint's frame, and the values of the motion along or about it."""
    direction, axis = direction_of(path, joint, tag, frames)
    return tidy(direction), _values(axis, notes, path, stops=stops)


def direction_of(path: str, joint: XmlElement, tag: str, frames: SdfFrames) -> tuple[np.ndarray, XmlElement]:
    """The direction of an axis (3,) in the joint's frame, and its element."""
    axis = only(joint, tag)
    xyz = None if axis is None else only(axis, "xyz")
    if axis is None or xyz is None:
        raise (axis or joint).fault(f"the joint has no <{tag}> with <xyz>", f"add <{tag}><xyz>0 0 1</xyz></{tag}>")
    direction = np.array(numbers(axis, "xyz", (0.0, 0.0, 1.0)))
    if not direction.any():
        raise axis.fault("the axis has length 0", "write a direction, such as <xyz>0 0 1</xyz>")
    frame = xyz.attributes.get("expressed_in") or ("__model__" if is_true(axis, "use_parent_model_frame") else "")
    if frame:
        R = frames.between(path, frames.path(frame, frames.at[path].scope, xyz))[:3, :3]
        direction = R @ direction
    return direction, axis


def _values(axis: XmlElement, notes: Notes, path: str, *, stops: bool) -> dict[str, Any]:
    """Damping, friction, spring and limits of one axis."""
    axis.attributes["name"] = path
    for limit in axis.all("limit"):
        for key in ("lower", "upper", "effort", "velocity"):
            word = limit.attributes.get(key, "0").strip().lower().lstrip("+-")
            value = math.inf if word in ("inf", "infinity") else number(limit, key, 0)
            if abs(value) >= _INFINITE or (value < 0 and key in ("effort", "velocity")):
                limit.attributes.pop(key)
        limit.attributes.setdefault("lower", str(-UNBOUNDED))
        limit.attributes.setdefault("upper", str(UNBOUNDED))
    data = dynamics_data(axis) | limit_data(axis, notes, stops)
    dynamics = only(axis, "dynamics")
    stiffness = 0 if dynamics is None else number(dynamics, "spring_stiffness", 0)
    if dynamics is not None and stiffness:
        rest = number(dynamics, "spring_reference", 0)
        data |= {"stiffness": stiffness} | ({"rest": rest} if rest else {})
    return data


def _both(first: Mapping[str, Any], second: Mapping[str, Any], notes: Notes, path: str) -> dict[str, Any]:
    """The values of two axes as those of a universal joint."""
    data: dict[str, Any] = {}
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
    if "screw_thread_pitch" in joint.attributes:
        return number(joint, "screw_thread_pitch")
    pitch = number(joint, "thread_pitch", 1)
    if not pitch:
        raise joint.fault("thread_pitch is 0", "write <screw_thread_pitch>, the advance per turn in metres")
    return -2 * math.pi / pitch


def couplers(frames: SdfFrames, names: Mapping[str, str], notes: Notes) -> dict[str, dict[str, Any]]:
    """The data of the couplers of gearboxes and of joints that mimic others, by the paths of these joints."""
    kinds = {path: joint.attributes["type"] for path, joint in frames.joints.items()}
    hinges = {
        frozenset((frames.end(path, "parent"), frames.end(path, "child"))): path
        for path, kind in kinds.items()
        if kind in ("revolute", "continuous")
    }

    def mimic(path: str, joint: XmlElement) -> dict[str, Any]:
        axis = only(joint, "axis")
        found = None if axis is None else only(axis, "mimic")
        if found is None:
            return {}
        offset = number(found, "offset", 0) - number(found, "multiplier", 1) * number(found, "reference", 0)
        leader = within(frames.at[path].scope, text(found, "joint"))
        found.attributes.update(joint=leader, offset=repr(offset))
        return mimic_data(XmlElement("joint", {"name": path}, joint.line, [found]), names, kinds, notes)

    def gear(path: str, joint: XmlElement) -> dict[str, Any]:
        return _gear(path, joint, frames, names, hinges)

    return read_each(frames.joints, mimic) | read_each(frames.gears, gear)


def _gear(
    path: str, joint: XmlElement, frames: SdfFrames, names: Mapping[str, str], hinges: Mapping[frozenset[str], str]
) -> dict[str, Any]:
    """The data of θ₂ = −ratio θ₁, the angles of a gearbox's child and of its parent against the reference body."""
    reference, terms = frames.end(path, "gearbox_reference_body"), {}
    for key, tag, factor in (("parent", "axis", number(joint, "gearbox_ratio", 1)), ("child", "axis2", 1)):
        link = frames.end(path, key)
        hinge = hinges.get(frozenset((reference, link)))
        if hinge is None:
            raise joint.fault(f"no revolute joint joins {link!r} with the reference body {reference!r}", "add one")
        own, its = (
            frames.pose(one)[:3, :3] @ direction_of(one, frames.at[one].element, its_tag, frames)[0]
            for one, its_tag in ((path, tag), (hinge, "axis"))
        )
        cosine = float(own @ its / (np.linalg.norm(own) * np.linalg.norm(its)))
        if abs(cosine) < 1 - SIX_DIGITS:
            raise joint.fault(f"its <{tag}> is not along that of the joint {hinge!r}", "turn it")
        side = 1 if frames.end(hinge, "child") == link else -1
        terms[names[hinge]] = factor * side * math.copysign(1, cosine)
    if len(terms) < 2:
        raise joint.fault(f"the gearbox connects {link!r} with itself", "give parent or child another link")
    return {"type": "coupler", "terms": terms}
