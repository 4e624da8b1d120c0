"""A joint as the data of a joint."""

from collections.abc import Mapping
from typing import Any

import casadi as ca

from cardan.formats.xml.joints import axis_of, dynamics_data, limit_data
from cardan.formats.xml.links import placement_data
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, look_up, number, only, text
from cardan.spatial.rotations import align_z, from_rpy, snap


def ends(joint: XmlElement, links: Mapping[str, Any]) -> tuple[str, str]:
    """Names in the file of the links that a joint connects, first the parent."""
    found = []
    for tag in ("parent", "child"):
        element = only(joint, tag)
        if element is None:
            raise joint.fault(f"the joint has no <{tag}>", f'add <{tag} link="…"/>')
        found.append(text(element, "link"))
        look_up(element, found[-1], links, "link")
    if found[0] == found[1]:
        raise joint.fault(f"the joint connects {found[0]!r} with itself", "give parent or child another link")
    return found[0], found[1]


def joint_data(joint: XmlElement, parent: str, child: str, notes: Notes, *, stops: bool) -> dict[str, Any]:
    """The data of a joint."""
    kind = look_up(joint, text(joint, "type"), _KINDS, "joint of type")
    placement = placement_data(joint)
    data = {"type": kind, "parent": {"body": parent, **placement} if placement else parent, "child": child}
    if kind in ("free", "planar"):
        _note_dynamics(joint, notes)
    if kind == "planar":
        return data | _turned(joint, parent, placement, child)
    if kind in ("fixed", "free"):
        return data
    limits = limit_data(joint, notes, stops, bounded=text(joint, "type") != "continuous")
    return data | {"axis": axis_of(joint)} | dynamics_data(joint) | limits


def _turned(joint: XmlElement, parent: str, placement: Mapping[str, Any], child: str) -> dict[str, Any]:
    """Places that turn the xy plane, in which Cardan's planar joint moves, across the axis; empty if it is."""
    R = align_z(ca.DM(axis_of(joint)))
    if not float(ca.norm_inf(ca.densify(ca.reshape(R - ca.DM.eye(3), 9, 1)))):
        return {}
    R_PM = from_rpy(ca.DM(placement.get("rpy", (0.0,) * 3))) @ R
    place = {key: entry for key, entry in placement.items() if key != "rpy"}
    turned = {"body": parent, **place, "rotation": _rows(R_PM)}
    return {"parent": turned, "child": {"body": child, "rotation": _rows(R)}}


def _rows(R: Any) -> list[list[float]]:
    return ca.DM(snap(R)).full().tolist()


_KINDS = {
    **{"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic"},
    **{"fixed": "fixed", "floating": "free", "planar": "planar"},
}
"""Type in a model by the type in a file."""


def _note_dynamics(joint: XmlElement, notes: Notes) -> None:
    dynamics = only(joint, "dynamics")
    if dynamics is not None and (number(dynamics, "damping", 0) or number(dynamics, "friction", 0)):
        notes.add("damping and friction, which have no unit in a joint of several motions", joint.name)
