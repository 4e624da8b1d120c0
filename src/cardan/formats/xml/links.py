"""A link as the data of a body: mass, centre of mass, inertia in body axes, and what it looks like."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.formats.xml.colliders import Collider
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.placing import entries, inertia_data
from cardan.formats.xml.shapes import inertia_box, shape_data
from cardan.formats.xml.tree import XmlElement, number, numbers, only
from cardan.model.records.section import FUNCTIONS
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
    notes: Notes,
    named: Mapping[int, str],
    place: Callable[[XmlElement], dict[str, Any]] = placement_data,
) -> dict[str, Any]:
    """The data of a body; its shapes are those of `<visual>`, of `<collision>` if there are none or these are named."""
    inertial = only(link, "inertial")
    name = link.attributes["name"]
    lost: list[str] = []

    def undrawn(what: str, which: str) -> None:
        lost.append(which)
        notes.undrawn(what, which or name)

    def mend(fault: ModelError, done: str, size: str) -> None:
        notes.mend(fault, done, f"{name}: {size}")

    data = {} if inertial is None else _mass_data(inertial, place(inertial), mend)
    shapes: list[dict[str, Any]] = []
    for kind in ("visual", "collision"):
        for element in link.all(kind) if named or not shapes else ():
            if shape := shape_data(element, colors, mesh_file, undrawn):
                own = {"name": named[id(element)]} if id(element) in named else {}
                shapes.append(shape | place(element) | own)
    if any(lost) and not shapes and (box := inertia_box(data)):  # a mesh that is not there
        shapes = [box]
    return data | ({"shapes": shapes} if shapes else {})


def _mass_data(
    inertial: XmlElement, placement: Mapping[str, Any], mend: Callable[[ModelError, str, str], None]
) -> dict[str, Any]:
    """Mass, com and inertia; R I Rᵀ is the tensor in body axes of one that is given in axes turned by R."""
    mass, inertia = only(inertial, "mass"), only(inertial, "inertia")
    if mass is None or inertia is None:
        missing = "mass" if mass is None else "inertia"
        cure = '<mass value="2"/>' if mass is None else '<inertia ixx="0.1" iyy="0.1" izz="0.1"/>'
        raise inertial.fault(f"<inertial> has no <{missing}>", f"add one, such as {cure}")
    moments = [number(inertia, entry) for entry in _ENTRIES[:3]]
    tensor = [*moments, *(number(inertia, entry, 0) for entry in _ENTRIES[3:])]
    data: dict[str, Any] = {"mass": number(mass, "value")}
    if "position" in placement:
        data["com"] = placement["position"]
    # programs for design subtract m c² from moments about another point: below its round-off a moment is zero
    of_point = abs(data["mass"]) * sum(one * one for one in placement.get("position", _ZEROS))
    tensor = _without_negative(tensor, of_point, inertia, mend)
    if "rpy" in placement:
        R = snap(from_rpy(ca.DM(placement["rpy"])))
        tensor = entries(R @ ca.DM(symmetric(*tensor)) @ R.T)
    return data | inertia_data(tensor)


def _without_negative(
    tensor: list[float], of_point: float, inertia: XmlElement, mend: Callable[[ModelError, str, str], None]
) -> list[float]:
    """The nearest tensor without negative principal moments (Higham 1988, theorem 2.1), silent within round-off."""
    moments, axes = np.linalg.eigh(np.array(ca.DM(symmetric(*tensor))))
    if moments[0] >= 0 and min(tensor[:3]) >= 0:
        return tensor
    smallest = sys.float_info.epsilon * (of_point + abs(moments).max())
    if moments[0] < -smallest:
        fault = f"the inertia has a negative principal moment, {moments[0]:.4g} kg*m^2"
        cure = "check the moments, and the products and their signs"
        mend(inertia.fault(fault, cure), "negative moments of inertia, raised to 0", f"{moments[0]:.2g} kg*m^2")
    if not any(tensor[3:]):
        return [one if one > smallest else 0 for one in tensor]
    found = entries((axes * np.where(moments > smallest, moments, 0)) @ axes.T)
    return [max(one, 0.0) for one in found[:3]] + found[3:]


def collision_names(links: Mapping[str, XmlElement]) -> dict[int, str]:
    """Names of the shapes of all `<collision>`, by the ids of the elements."""
    found = [(name, element) for name, link in links.items() for element in link.all("collision")]
    wished = (element.attributes.get("name") or f"{name} collision" for name, element in found)
    names = unique(wished, allowed=FUNCTIONS)
    return {id(element): new for (_, element), new in zip(found, names, strict=True)}


def colliders_of(links: Mapping[str, Any], place_of: Mapping[str, str]) -> list[Collider]:
    """The collision shapes of the data of links, whose names in the model are `place_of`."""
    shapes = [(place_of[link], shape) for link, data in links.items() for shape in data.get("shapes", ())]
    return [Collider(body, shape["name"], shape["type"]) for body, shape in shapes if "name" in shape]
