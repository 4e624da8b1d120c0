"""A joint as the data of a joint, and its mimic as that of a coupler; one function for each type of joint."""

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import nearest
from cardan.formats.urdf.links import placement_data
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, number, numbers, only, text
from cardan.spatial.rotations import align_z, from_rpy, snap

UNBOUNDED = float(np.finfo(np.float32).max)
"""What stands for no limit in a file: the largest number of single precision, which every reader can hold."""


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
    R = align_z(ca.DM(_axis(joint)))
    if not float(ca.norm_inf(ca.densify(ca.reshape(R - ca.DM.eye(3), 9, 1)))):
        return {"type": "planar", "parent": place, "child": child}
    parent = place if isinstance(place, dict) else {"body": place}
    R_PM = from_rpy(ca.DM(parent.get("rpy", (0.0,) * 3))) @ R
    parent = {key: entry for key, entry in parent.items() if key != "rpy"} | {"rotation": _rows(R_PM)}
    return {"type": "planar", "parent": parent, "child": {"body": child, "rotation": _rows(R)}}


def _rows(R: Any) -> list[list[float]]:
    return ca.DM(snap(R)).full().tolist()


def _revolute(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    data = {"type": "revolute", "parent": place, "child": child, "axis": _axis(joint)}
    return data | _dynamics(joint) | _limits(joint, notes, stops)


def _continuous(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    data = {"type": "revolute", "parent": place, "child": child, "axis": _axis(joint)}
    return data | _dynamics(joint) | _largest(joint, notes)


def _prismatic(joint: XmlElement, place: Any, child: str, notes: Notes, stops: bool) -> dict[str, Any]:
    data = {"type": "prismatic", "parent": place, "child": child, "axis": _axis(joint)}
    return data | _dynamics(joint) | _limits(joint, notes, stops)


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


def _name(joint: XmlElement) -> str:
    return joint.attributes.get("name", "")


def _axis(joint: XmlElement) -> list[float]:
    """The axis in the joint's frame; x where none is given."""
    axis = only(joint, "axis")
    found = (1.0, 0.0, 0.0) if axis is None else numbers(axis, "xyz", (1.0, 0.0, 0.0))
    if not any(found):
        raise (axis or joint).fault("the axis has length 0", 'write a direction, such as <axis xyz="0 0 1"/>')
    return list(found)


def _dynamics(joint: XmlElement) -> dict[str, Any]:
    dynamics = only(joint, "dynamics")
    if dynamics is None:
        return {}
    damping, friction = number(dynamics, "damping", 0), number(dynamics, "friction", 0)
    data: dict[str, Any] = {"damping": damping} if damping else {}
    return data | ({"friction": {"effort": friction}} if friction else {})


def _note_dynamics(joint: XmlElement, notes: Notes) -> None:
    dynamics = only(joint, "dynamics")
    if dynamics is not None and (number(dynamics, "damping", 0) or number(dynamics, "friction", 0)):
        notes.add("damping and friction, which have no unit in a joint of several motions", _name(joint))


def _largest(joint: XmlElement, notes: Notes) -> dict[str, Any]:
    """The largest effort and speed; 0, as many files have it, stands for one that is not known."""
    limit = only(joint, "limit")
    if limit is None:
        return {}
    velocity = number(limit, "velocity", 0)
    data = {"velocity_limit": velocity} if 0 < velocity < UNBOUNDED else {}
    effort = number(limit, "effort", 0)
    if effort < 0:
        fault = limit.fault(f"effort of <limit> is {effort:g}", "it has to be positive")
        notes.mend(fault, "efforts below 0 in <limit>, read as not known", _name(joint))
    return data | ({"effort_limit": effort} if 0 < effort < UNBOUNDED else {})


def _limits(joint: XmlElement, notes: Notes, stops: bool) -> dict[str, Any]:
    data, limit = _largest(joint, notes), only(joint, "limit")
    if limit is None:
        return data
    bounds = {key: number(limit, key, 0) for key in ("lower", "upper")}
    if bounds["lower"] > bounds["upper"]:
        fault = limit.fault(f"<limit> has lower {bounds['lower']:g} above upper {bounds['upper']:g}", "exchange them")
        notes.mend(fault, "limits with lower above upper, exchanged", _name(joint))
        bounds = {"lower": bounds["upper"], "upper": bounds["lower"]}
    found = {key: bound for key, bound in bounds.items() if abs(bound) < UNBOUNDED}
    if stops:
        return data | ({"limits": found} if found else {})
    return data | ({"position_limits": list(bounds.values())} if found else {})


def mimic_data(joint: XmlElement, names: Mapping[str, str], kinds: Mapping[str, str], notes: Notes) -> dict[str, Any]:
    """The data of the coupler that makes a joint follow another, q = multiplier · q′ + offset; empty without one."""
    mimic = only(joint, "mimic")
    if mimic is None:
        return {}
    own, other = text(joint, "name"), text(mimic, "joint")
    if other not in names:
        missing = mimic.fault(f"there is no joint {other!r} to mimic", nearest(other, names))
        notes.mend(
            missing, "mimics of joints that are not there, left out, so that these move freely", f"{own} of {other}"
        )
        return {}
    if other == own:
        raise mimic.fault("the joint mimics itself", "name another joint")
    if _KINDS.get(kinds[own]) is _fixed:
        notes.add("mimic of joints that do not move", own)
        return {}
    single = ("revolute", "continuous", "prismatic")
    for one in (own, other):
        if kinds[one] not in single:
            fault = f"the joint {one!r} of type {kinds[one]} has not one motion"
            raise mimic.fault(fault, f"mimic and what it follows have one of the types {', '.join(single)}")
    factor, offset = number(mimic, "multiplier", 1), number(mimic, "offset", 0)
    terms = {names[own]: 1} | ({names[other]: -factor} if factor else {})
    return {"type": "coupler", "terms": terms} | ({"offset": offset} if offset else {})
