"""A joint as the data of a joint, and its mimic as that of a coupler; one function for each type of joint."""

from collections.abc import Mapping
from typing import Any

import casadi as ca

from cardan.errors import nearest
from cardan.formats.xml.joints import axis_of, dynamics_data, largest_data, limit_data
from cardan.formats.xml.links import placement_data
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, number, only, text
from cardan.spatial.rotations import align_z, from_rpy, snap


def ends(joint: XmlElement, links: Mapping[str, Any]) -> tuple[str, str]:
    """Names in the file of the links that a joint connects, first the parent."""
    found = []
    for tag in ("parent", "child"):
        element = only(joint, tag)
        if element is None:
            raise joint.fault(f"the joint has no <{tag}>", f'add <{tag} link="…"/>')
        name = text(element, "link")
        if name not in links:
            raise element.fault(f"there is no link {name!r}", nearest(name, links))
        found.append(name)
    if found[0] == found[1]:
        raise joint.fault(f"the joint connects {found[0]!r} with itself", "give parent or child another link")
    return found[0], found[1]


def joint_data(joint: XmlElement, parent: str, child: str, notes: Notes, *, stops: bool) -> dict[str, Any]:
    """The data of a joint."""
    kind = text(joint, "type")
    if kind not in _KINDS:
        raise joint.fault(f"there is no joint of type {kind!r}", nearest(kind, _KINDS))
    placement = placement_data(joint)
    place: Any = {"body": parent, **placement} if placement else parent
    return _KINDS[kind](joint, place, child, notes, stops)


def _fixed(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    return {"type": "fixed", "parent": place, "child": child}


def _floating(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    _note_dynamics(joint, notes)
    return {"type": "free", "parent": place, "child": child}


def _planar(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    """The motion is in the plane across the axis, Cardan's in the xy plane of the markers: both are turned alike."""
    _note_dynamics(joint, notes)
    R = align_z(ca.DM(axis_of(joint)))
    if not float(ca.norm_inf(ca.densify(ca.reshape(R - ca.DM.eye(3), 9, 1)))):
        return {"type": "planar", "parent": place, "child": child}
    parent = place if isinstance(place, dict) else {"body": place}
    R_PM = from_rpy(ca.DM(parent.get("rpy", (0.0,) * 3))) @ R
    parent = {key: entry for key, entry in parent.items() if key != "rpy"} | {"rotation": _rows(R_PM)}
    return {"type": "planar", "parent": parent, "child": {"body": child, "rotation": _rows(R)}}


def _rows(R: Any) -> list[list[float]]:
    return ca.DM(snap(R)).full().tolist()


def _revolute(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    data = {"type": "revolute", "parent": place, "child": child, "axis": axis_of(joint)}
    return data | dynamics_data(joint) | limit_data(joint, notes, stops)


def _continuous(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    data = {"type": "revolute", "parent": place, "child": child, "axis": axis_of(joint)}
    return data | dynamics_data(joint) | largest_data(joint, notes)


def _prismatic(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    data = {"type": "prismatic", "parent": place, "child": child, "axis": axis_of(joint)}
    return data | dynamics_data(joint) | limit_data(joint, notes, stops)


_KINDS = {
    "revolute": _revolute,
    "continuous": _continuous,
    "prismatic": _prismatic,
    "fixed": _fixed,
    "floating": _floating,
    "planar": _planar,
}


def is_fixed(joint: XmlElement) -> bool:
    """Whether a joint does not move."""
    return _KINDS.get(joint.attributes.get("type", "")) is _fixed


def is_floating(joint: XmlElement) -> bool:
    """Whether a joint lets its link fly."""
    return _KINDS.get(joint.attributes.get("type", "")) is _floating


def _note_dynamics(joint: XmlElement, notes: Notes) -> None:
    dynamics = only(joint, "dynamics")
    if dynamics is not None and (number(dynamics, "damping", 0) or number(dynamics, "friction", 0)):
        notes.add("damping and friction, which have no unit in a joint of several motions", joint.name)
