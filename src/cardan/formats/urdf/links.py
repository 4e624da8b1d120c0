"""A link as the data of a body: mass, centre of mass, inertia in body axes, and what it looks like."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from cardan.formats.urdf.geometry import shape_data
from cardan.formats.xml.tree import XmlElement, number, numbers, only
from cardan.spatial.inertia import symmetric
from cardan.spatial.rotations import from_rpy, snap

_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_ZEROS = (0.0, 0.0, 0.0)


def placement_data(element: XmlElement) -> dict[str, Any]:
    """Position and rotation of the `<origin>` in an element; empty where both are zero."""
    origin = only(element, "origin")
    if origin is None:
        return {}
    found = {"position": numbers(origin, "xyz", _ZEROS), "rpy": numbers(origin, "rpy", _ZEROS)}
    return {key: list(value) for key, value in found.items() if any(value)}


def body_data(
    link: XmlElement,
    colors: Mapping[str, str],
    mesh_file: Callable[[str], str],
    note: Callable[[str], None],
    named: Mapping[int, str],
) -> dict[str, Any]:
    """The data of a body.

    The shapes are those of `<visual>`; where none of them can be drawn, those of `<collision>`. Those that are `named`
    by the id of their element are shapes of their own, for contacts.
    """
    inertial = only(link, "inertial")
    data = {} if inertial is None else _mass_data(inertial)
    shapes: list[dict[str, Any]] = []
    for kind in ("visual", "collision"):
        if not shapes or named:
            found = [(shape_data(element, colors, mesh_file, note), element) for element in link.all(kind)]
            shapes += [
                shape | placement_data(element) | ({"name": named[id(element)]} if id(element) in named else {})
                for shape, element in found
                if shape is not None
            ]
    return data | ({"shapes": shapes} if shapes else {})


def _mass_data(inertial: XmlElement) -> dict[str, Any]:
    """Mass, com and inertia; R I Rᵀ is the tensor in body axes of one that is given in axes turned by R."""
    mass, inertia = only(inertial, "mass"), only(inertial, "inertia")
    if mass is None or inertia is None:
        missing = "mass" if mass is None else "inertia"
        cure = '<mass value="2"/>' if mass is None else '<inertia ixx="0.1" iyy="0.1" izz="0.1"/>'
        raise inertial.fault(f"<inertial> has no <{missing}>", f"add one, such as {cure}")
    placement = placement_data(inertial)
    moments = [number(inertia, entry) for entry in _ENTRIES[:3]]
    tensor = [*moments, *(number(inertia, entry, 0) for entry in _ENTRIES[3:])]
    if "rpy" in placement:
        R = snap(from_rpy(ca.DM(placement["rpy"])))
        I_C = R @ ca.DM(symmetric(*tensor)) @ R.T
        tensor = [float(I_C[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    data: dict[str, Any] = {"mass": number(mass, "value")}
    if "position" in placement:
        data["com"] = placement["position"]
    # programs for design subtract m c² from moments about another point: below its round-off a moment is zero
    of_point = abs(data["mass"]) * sum(one * one for one in placement.get("position", _ZEROS))
    smallest = sys.float_info.epsilon * (of_point + max(map(abs, tensor)))
    tensor = [0 if -smallest <= one < 0 else one for one in tensor[:3]] + tensor[3:]
    if any(tensor):
        data["inertia"] = tensor if any(tensor[3:]) else tensor[:3]
    return data
