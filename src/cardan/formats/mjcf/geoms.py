"""Geoms: their masses, which make the inertia of a body without one of its own, and what they look like."""

import math
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.mjcf.meshes import Meshes
from cardan.formats.mjcf.settings import MjcfSettings, pose_of, turn_of_z
from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.placing import pose
from cardan.formats.xml.shapes import hex_color
from cardan.formats.xml.tree import XmlElement, first_numbers, number, numbers, text
from cardan.model.shapes import SHAPES
from cardan.model.solids import MassProperties, Solid

MASSLESS = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
_DENSITY = 1000.0  # of a geom that gives neither density nor mass [kg/m³]; MuJoCo's XML reference, geom/density
_SOLIDS: dict[str, tuple[int, Callable[..., dict[str, Any]]]] = {
    "sphere": (1, lambda r: {"radius": r}),
    "box": (3, lambda a, b, c: {"size": [2 * a, 2 * b, 2 * c]}),
    "ellipsoid": (3, lambda a, b, c: {}),
    "cylinder": (2, lambda r, h: {"radius": r, "length": 2 * h}),
    "capsule": (2, lambda r, h: {"radius": r, "length": 2 * h}),
}
"""Number of sizes, half lengths, and the function of them that gives the sizes of the shape in a model."""
_SURFACES = ("plane", "hfield")  # geoms without mass


def type_of(geom: XmlElement) -> str:
    """Its type; of a mesh where it names one and no type."""
    return geom.attributes.get("type", "mesh" if "mesh" in geom.attributes else "sphere")


def _sizes(geom: XmlElement) -> tuple[float, ...]:
    """The sizes of a solid; between two points its half length is half their distance."""
    kind = type_of(geom)
    count, between = _SOLIDS[kind][0], "fromto" in geom.attributes and _SOLIDS[kind][0] > 1
    sizes = first_numbers(geom, "size", (0.0,) * (1 if between else count))
    if min(sizes) <= 0:
        fault = f"size of <geom> is {' '.join(f'{one:g}' for one in sizes)}"
        raise geom.fault(fault, f"half lengths and radii are positive; a {kind} has {len(sizes)}")
    ends = np.array(numbers(geom, "fromto", (0.0,) * 6))
    return (*sizes, *sizes[: count - 2], float(np.linalg.norm(ends[3:] - ends[:3])) / 2) if between else sizes


def geom_pose(geom: XmlElement, settings: MjcfSettings, *, back: bool = False) -> np.ndarray:
    """Pose T (4×4) of a geom in the frame around it; z points from the first of two points on, in MuJoCo `back`."""
    if "fromto" not in geom.attributes:
        return pose_of(geom, settings)
    ends = np.array(numbers(geom, "fromto", (0.0,) * 6))
    if not (ends[3:] - ends[:3]).any():
        raise geom.fault("the two points of fromto are the same", "give two that differ")
    along = ends[:3] - ends[3:] if back else ends[3:] - ends[:3]
    return pose(turn_of_z(along), (ends[3:] + ends[:3]) / 2)


def geom_masses(geom: XmlElement, T: np.ndarray, meshes: Meshes) -> MassProperties:
    """Mass, centre of mass and inertia of a geom."""
    kind, density = type_of(geom), number(geom, "density", _DENSITY)
    if kind in _SURFACES or number(geom, "mass", -1) == 0 or density == 0:
        return MASSLESS
    solid = _mesh_solid(geom, meshes) if kind == "mesh" else _plain_solid(geom)
    density = number(geom, "mass", 0) / solid.volume if "mass" in geom.attributes else density
    R = T[:3, :3]
    return MassProperties(density * solid.volume, T[:3, 3] + R @ solid.centre, density * (R @ solid.tensor @ R.T))


def _plain_solid(geom: XmlElement) -> Solid:
    kind, shell = type_of(geom), geom.attributes.get("shellinertia", "false") != "false"
    if kind not in _SOLIDS or shell or "mesh" in geom.attributes:
        what = "a shell" if shell else "one fitted to a mesh" if "mesh" in geom.attributes else f"type {kind}"
        raise geom.fault(f"the mass of a geom of {what} is not read", "give its body <inertial>")
    sizes = [float(one) for one in _sizes(geom)]
    try:
        shape = None if kind == "ellipsoid" else SHAPES[kind].model_construct(**_SOLIDS[kind][1](*sizes))
        solid = _ellipsoid(*sizes) if shape is None else shape.solid()
        volume, tensor = float(solid.volume), np.array(ca.DM(solid.tensor))
    except OverflowError:
        volume, tensor = math.inf, np.eye(3)
    if not (0 < volume < math.inf and np.isfinite(tensor).all()):
        fault = f"size of <geom> is {geom.attributes['size']!r:.60}, whose volume no number holds"
        raise geom.fault(fault, "write it in metres")
    return Solid(volume, np.zeros(3), tensor)


def _ellipsoid(a: float, b: float, c: float) -> Solid:
    V = 4 / 3 * math.pi * a * b * c
    return Solid(V, np.zeros(3), V / 5 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2]))


def _mesh_solid(geom: XmlElement, meshes: Meshes) -> Solid:
    try:
        found = meshes.solid(text(geom, "mesh"))
    except NotDrawnError as reason:
        cure = "give its body <inertial>, or the geom mass 0"
        raise geom.fault(f"the mass of a geom needs its mesh: {reason}", cure) from None
    if not found.volume > 0:
        cure = 'make its normals point outwards, or give <mesh inertia="convex"/>'
        raise geom.fault(f"the mesh {text(geom, 'mesh')} encloses no volume", cure)
    return found


def geom_shape(geom: XmlElement, meshes: Meshes) -> dict[str, Any]:
    """Data of the shape that shows a geom."""
    kind = type_of(geom)
    color = {"color": hex_color(geom, "rgba")} if "rgba" in geom.attributes else {}
    if kind == "mesh":
        return meshes.shape(text(geom, "mesh")) | color
    if kind not in ("plane", *SHAPES.keys() & _SOLIDS.keys()) or "mesh" in geom.attributes:
        raise NotDrawnError(f"shapes of type {kind}, not drawn")
    return {"type": kind, **(_SOLIDS[kind][1](*_sizes(geom)) if kind in _SOLIDS else {})} | color
