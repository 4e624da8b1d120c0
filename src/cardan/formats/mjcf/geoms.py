"""Geoms: their masses, which make the inertia of a body without one of its own, and what they look like."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.formats.mjcf.meshes import Meshes, Solid
from cardan.formats.mjcf.settings import MjcfSettings, pose_of, turn_of_z
from cardan.formats.xml.meshes import NotDrawnError
from cardan.formats.xml.tree import XmlElement, number, numbers, text

Masses = tuple[float, np.ndarray, np.ndarray]
"""Mass [kg], centre of mass (3,) [m], and inertia about it (3×3) [kg m²], in axes of the body."""

_DENSITY = 1000.0  # of a geom that gives neither density nor mass [kg/m³]; MuJoCo's XML reference, geom/density


def _sphere(r: float) -> tuple[float, Sequence[float]]:
    return 4 / 3 * math.pi * r**3, [0.4 * r**2] * 3


def _box(a: float, b: float, c: float) -> tuple[float, Sequence[float]]:
    return 8 * a * b * c, [(b**2 + c**2) / 3, (a**2 + c**2) / 3, (a**2 + b**2) / 3]


def _ellipsoid(a: float, b: float, c: float) -> tuple[float, Sequence[float]]:
    return 4 / 3 * math.pi * a * b * c, [(b**2 + c**2) / 5, (a**2 + c**2) / 5, (a**2 + b**2) / 5]


def _cylinder(r: float, h: float) -> tuple[float, Sequence[float]]:
    across = r**2 / 4 + h**2 / 3
    return 2 * math.pi * r**2 * h, [across, across, r**2 / 2]


def _capsule(r: float, h: float) -> tuple[float, Sequence[float]]:
    """A cylinder of the length 2 h between two half balls."""
    tube, balls = 2 * math.pi * r**2 * h, 4 / 3 * math.pi * r**3
    V = tube + balls
    across = tube * (r**2 / 4 + h**2 / 3) + balls * (0.4 * r**2 + h**2 + 0.75 * h * r)
    return V, [across / V, across / V, (tube * r**2 / 2 + balls * 0.4 * r**2) / V]


_SOLIDS: dict[str, tuple[int, Callable[..., tuple[float, Sequence[float]]]]] = {
    "sphere": (1, _sphere),
    "box": (3, _box),
    "ellipsoid": (3, _ellipsoid),
    "cylinder": (2, _cylinder),
    "capsule": (2, _capsule),
}
"""Number of sizes, half lengths, and the function of them that gives volume and moments of inertia per mass."""
_SURFACES = ("plane", "hfield")  # geoms without mass


def type_of(geom: XmlElement) -> str:
    """Its type; of a mesh where it names one and no type."""
    return geom.attributes.get("type", "mesh" if "mesh" in geom.attributes else "sphere")


def _sizes(geom: XmlElement) -> tuple[float, ...]:
    """The sizes of a solid; between two points its half length is half their distance."""
    count = _SOLIDS[type_of(geom)][0]
    between = "fromto" in geom.attributes and count > 1
    given = geom.attributes.get("size", "").split()
    wanted = 1 if between else count
    if len(given) < wanted:
        fault = f"size of <geom> has {len(given)} numbers in place of {wanted}"
        raise geom.fault(fault, f"a {type_of(geom)} has {wanted}, half lengths and radii")
    sizes = numbers(geom, "size", (0.0,) * len(given))[:wanted]
    if between:
        ends = np.array(numbers(geom, "fromto", (0.0,) * 6))
        sizes = (*sizes, *sizes[: count - 2], float(np.linalg.norm(ends[3:] - ends[:3])) / 2)
    if min(sizes) <= 0:
        raise geom.fault(f"a size of <geom> is {min(sizes):g}", "it has to be positive")
    return sizes


def geom_pose(geom: XmlElement, settings: MjcfSettings, *, back: bool = False) -> np.ndarray:
    """Pose T (4×4) of a geom in the frame around it; z points from the first of two points to the other, or `back`.

    MuJoCo has it back. Geoms look the same either way, and more of them need no turn so; of sites the axes count.
    """
    if "fromto" not in geom.attributes:
        return pose_of(geom, settings)
    ends = np.array(numbers(geom, "fromto", (0.0,) * 6))
    if not (ends[3:] - ends[:3]).any():
        raise geom.fault("the two points of fromto are the same", "give two that differ")
    T = np.eye(4)
    along = ends[:3] - ends[3:] if back else ends[3:] - ends[:3]
    T[:3, :3], T[:3, 3] = turn_of_z(along), (ends[3:] + ends[:3]) / 2
    return T


def geom_masses(geom: XmlElement, T: np.ndarray, meshes: Meshes) -> Masses:
    """Mass, centre of mass and inertia of a geom."""
    kind, massless = type_of(geom), (0.0, np.zeros(3), np.zeros((3, 3)))
    if kind in _SURFACES or number(geom, "mass", -1) == 0 or number(geom, "density", _DENSITY) == 0:
        return massless
    volume, centre, I_C = _mesh_solid(geom, meshes) if kind == "mesh" else _plain_solid(geom)
    density = number(geom, "density", _DENSITY)
    density = number(geom, "mass", 0) / volume if "mass" in geom.attributes else density
    R = T[:3, :3]
    return density * volume, T[:3, 3] + R @ centre, density * (R @ I_C @ R.T)


def _plain_solid(geom: XmlElement) -> Solid:
    kind, shell = type_of(geom), geom.attributes.get("shellinertia", "false") != "false"
    if kind not in _SOLIDS or shell or "mesh" in geom.attributes:
        what = "a shell" if shell else "one fitted to a mesh" if "mesh" in geom.attributes else f"type {kind}"
        raise geom.fault(f"the mass of a geom of {what} is not read", "give its body <inertial>")
    try:
        volume, moments = _SOLIDS[kind][1](*_sizes(geom))
        bounded = 0 < volume < math.inf and all(map(math.isfinite, moments))
    except (OverflowError, ZeroDivisionError):
        bounded = False
    if not bounded:
        fault = f"size of <geom> is {geom.attributes['size']!r:.60}, whose volume no number holds"
        raise geom.fault(fault, "write it in metres")
    return volume, np.zeros(3), volume * np.diag(moments)


def _mesh_solid(geom: XmlElement, meshes: Meshes) -> Solid:
    try:
        found = meshes.solid(text(geom, "mesh"))
    except NotDrawnError as reason:
        raise geom.fault(
            f"the mass of a geom needs its mesh: {reason}", "give its body <inertial>, or the geom mass 0"
        ) from None
    if not found[0] > 0:
        cure = 'make its normals point outwards, or give <mesh inertia="convex"/>'
        raise geom.fault(f"the mesh {text(geom, 'mesh')} encloses no volume", cure)
    return found


def geom_shape(geom: XmlElement, meshes: Meshes) -> dict[str, Any]:
    """Data of the shape that shows a geom."""
    kind = type_of(geom)
    if kind not in (*_DRAWN, "mesh") or (kind in _DRAWN and "mesh" in geom.attributes):
        raise NotDrawnError(f"shapes of type {kind}, not drawn")
    red, green, blue, _ = numbers(geom, "rgba", (0.5, 0.5, 0.5, 1.0))
    shade = "#" + "".join(f"{round(255 * min(max(one, 0.0), 1.0)):02x}" for one in (red, green, blue))
    color = {"color": shade} if "rgba" in geom.attributes else {}
    if kind == "mesh":
        return meshes.shape(text(geom, "mesh")) | color
    return {"type": kind, **_DRAWN[kind](*(_sizes(geom) if kind in _SOLIDS else ()))} | color


_DRAWN: dict[str, Callable[..., dict[str, Any]]] = {
    "sphere": lambda r: {"radius": r},
    "box": lambda a, b, c: {"size": [2 * a, 2 * b, 2 * c]},
    "cylinder": lambda r, h: {"radius": r, "length": 2 * h},
    "capsule": lambda r, h: {"radius": r, "length": 2 * h},
    "plane": dict,
}
"""Sizes of shapes by type of geom."""
