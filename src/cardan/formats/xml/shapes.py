"""`<visual>` and `<collision>` as the data of shapes: their solids, colours and meshes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.tree import XmlElement, number, numbers, only, text
from cardan.spatial.inertia import symmetric


def colors_of(elements: Iterable[XmlElement]) -> dict[str, str]:
    """Colour `#rrggbb` of every material with a name and a colour."""
    found = [(element.attributes.get("name", ""), _color(element)) for element in elements]
    return {name: color for name, color in found if color}


def shape_data(
    element: XmlElement, colors: Mapping[str, str], mesh_file: Callable[[str], str], undrawn: Callable[[str, str], None]
) -> dict[str, Any] | None:
    """The data of a shape without its place; None where it cannot be drawn."""
    geometry = only(element, "geometry")
    if geometry is None or not geometry.children:
        cure = 'add one, such as <geometry><sphere radius="0.1"/></geometry>'
        raise element.fault(f"<{element.tag}> has no geometry", cure)
    solid = geometry.children[0]
    try:
        if solid.tag not in _SOLIDS:
            raise NotDrawnError(f"shapes of type {solid.tag}, not drawn")
        data = {"type": solid.tag, **_SOLIDS[solid.tag](solid, mesh_file)}
    except NotDrawnError as reason:
        undrawn(reason.what, reason.which)
        return None
    material = only(element, "material")
    color = "" if material is None else _color(material) or colors.get(material.attributes.get("name", ""), "")
    return data | ({"color": color} if color else {})


def _color(material: XmlElement) -> str:
    """The colour; SDF has one for each kind of light."""
    color = only(material, "color")
    key = "rgba" if color is not None else "diffuse" if "diffuse" in material.attributes else "ambient"
    holder = material if color is None else color
    return hex_color(holder, key) if key in holder.attributes else ""


def hex_color(element: XmlElement, key: str) -> str:
    """The colour `#rrggbb` in an attribute, which has the opacity, too."""
    rgb = (round(255 * min(max(one, 0.0), 1.0)) for one in numbers(element, key, (1.0,) * 4)[:3])
    return "#" + "".join(f"{one:02x}" for one in rgb)


def _measured(solid: XmlElement, mesh_file: Callable[[str], str]) -> dict[str, Any]:
    """The edges of a box, or radius and length."""
    if solid.tag == "box":
        text(solid, "size")
        data: dict[str, Any] = {"size": list(numbers(solid, "size", (0.0,) * 3))}
    else:
        data = {key: number(solid, key) for key in ("radius", "length") if (solid.tag, key) != ("sphere", "length")}
    if min(np.hstack([*data.values()])) <= 0:
        raise NotDrawnError("shapes whose size is not positive, not drawn")
    return data


def _mesh(solid: XmlElement, mesh_file: Callable[[str], str]) -> dict[str, Any]:
    name = text(solid, "uri" if "uri" in solid.attributes else "filename")
    x, y, z = numbers(solid, "scale", (1.0,) * 3)
    if not x == y == z > 0:
        raise NotDrawnError("meshes whose scale differs by direction or mirrors them, not drawn", name)
    return {"file": mesh_file(name)} | ({} if x == 1 else {"scale": x})


def _plane(solid: XmlElement, mesh_file: Callable[[str], str]) -> dict[str, Any]:
    if numbers(solid, "normal", (0.0, 0.0, 1.0)) != (0, 0, 1):
        raise NotDrawnError("planes whose normal is not z, not drawn")
    return {}


_SOLIDS = dict.fromkeys(("box", "cylinder", "capsule", "sphere"), _measured) | {"mesh": _mesh, "plane": _plane}


def inertia_box(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The box with the mass and inertia of a body: along the axis of the moment I its edge is √(6 (J + K − I)/m)."""
    mass = data.get("mass", 0)
    if not mass > 0:
        return None
    entries = [*data.get("inertia", (0, 0, 0)), 0, 0, 0]
    moments, axes = np.linalg.eigh(np.array(ca.DM(symmetric(*entries[:6]))))
    edges = np.sqrt(np.maximum(6 / mass * (moments.sum() - 2 * moments), 0))
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    place = {"position": data["com"]} if "com" in data else {}
    return {"type": "box", "size": edges.tolist(), "rotation": axes.tolist(), **place} if edges.all() else None
