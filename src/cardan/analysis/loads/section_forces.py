"""`section_forces`: normal force, shear, torsion and bending in a body, where the plane of one of its markers cuts it.

The part beyond the plane, x > 0 in the marker's axes, is balanced by Newton and Euler: the loads on it, its weight and
its inertia forces. Shapes with a density are cut; the mass of a body without them counts at its centre of mass.

Source: Beer & Johnston, Mechanics of Materials, §1 (internal forces); docs/loads.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from cardan.analysis.run_results import axes_of, marker_on_body, model_of, parameters_of, results, turned
from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.body import Body
from cardan.model.place import GROUND, End, split
from cardan.model.sections import uniform_gravity
from cardan.model.shapes import Box, Cylinder, Shape, Sphere
from cardan.numerics.round_off import WRITTEN
from cardan.results.trajectory import Trajectory, check_run
from cardan.spatial import inertia
from cardan.spatial.halves import ball_beyond, box_beyond, cylinder_beyond

if TYPE_CHECKING:
    import xarray

_BALANCE = 1e-6  # residual of the whole body's balance over its loads: accelerations solved near singular positions [-]
_NAMES = {
    "normal": ("N", "normal force, tension positive"),
    "shear_y": ("N", "shear force along y of the marker"),
    "shear_z": ("N", "shear force along z of the marker"),
    "torsion": ("N*m", "torsion moment about x of the marker"),
    "bending_y": ("N*m", "bending moment about y of the marker"),
    "bending_z": ("N*m", "bending moment about z of the marker"),
}


def section_forces(run: Trajectory, marker: str) -> xarray.Dataset:
    """Force and moment that the part of a body beyond a marker's plane exerts on the rest, over time.

    `normal` (tension positive), `shear_y`, `shear_z` [N]; `torsion`, `bending_y`, `bending_z` [N m] about the marker's
    origin. The x axis of the marker is the normal of the plane. The attribute `mass` says how the mass is distributed.

    Parameters
    ----------
    run : Trajectory
        From `simulate` or `kinetostatics`, or a file of one.
    marker : str
        Marker of a body, such as "rod.middle".

    Raises
    ------
    ModelError
        There is no such marker; a joint, a load or the centre of mass of a body without densities lies in the plane,
        where section forces jump; or something acts on the body that has no place.
    KeyError
        The run was read from a file that lacks reactions.

    Example
    -------
    >>> import cardan
    >>> run = cardan.kinetostatics(cardan.load("basket_arm_shapes"), [0.0, 2.0, 4.0])
    >>> [round(float(moment)) for moment in section_forces(run, "arm2.middle").bending_z]
    [-1433, -1420, -1433]
    """
    check_run(run)
    body = _checked_body(run, marker)
    _, p_BM, R_BM = marker_on_body(run, marker)
    R_WM = axes_of(run, [body])[body] @ R_BM
    record = model_of(run).bodies[body].resolved(lambda scalar: float(scalar.evaluate(parameters_of(run).__getitem__)))
    T_MB = np.eye(4)
    T_MB[:3, :3], T_MB[:3, 3] = R_BM.T, -R_BM.T @ p_BM
    motion = _motion(run, body, p_BM, R_BM, R_WM)
    whole = _whole(record, T_MB)
    loads = list(_loads(run, body, p_BM, R_BM, R_WM))
    _check_balance(body, loads, whole, motion)
    beyond, words = _beyond(record, T_MB, body, marker)
    size = max([float(np.abs(load.arm).max()) for load in loads if len(load.arm)], default=0.0)
    for load in loads:
        if (
            load.is_fixed
            and len(run)
            and abs(load.place[0, 0]) <= WRITTEN * max(size, float(np.linalg.norm(load.place[0])))
        ):
            fault = f"{load.name!r} acts in the plane of {marker}, where section forces jump"
            raise ModelError(fault, "give a marker a little before or behind it")
    total = -_inertia_wrench(beyond, motion)
    for load in loads:
        total = total + np.where(load.place[:, :1] > 0, load.wrench, 0.0)
    return _dataset(run, marker, total, words)


@dataclass(frozen=True)
class _Mass:
    """A part of a body about the marker's origin, in the marker's axes."""

    m: float  # [kg]
    h: np.ndarray  # ∫ r dm (3,) [kg m]
    J: np.ndarray  # ∫ r rᵀ dm (3×3) [kg m²]


@dataclass(frozen=True)
class _Motion:
    """Motion of a marker over time, in its axes."""

    a: np.ndarray  # acceleration of its origin less that of gravity (N, 3) [m/s²]
    U: np.ndarray  # [α×] + [ω×]² (N, 3, 3) [1/s²]


@dataclass(frozen=True)
class _Load:
    """A load on the body over time, in the marker's axes."""

    name: str  # joint, constraint or force
    wrench: np.ndarray  # force, and moment about the marker's origin (N, 6)
    arm: np.ndarray  # point at which the force acts (N, 3) [m]
    place: np.ndarray  # point that says on which side of the plane it acts (N, 3) [m]
    is_fixed: bool  # whether this point is fixed to the body


def _checked_body(run: Trajectory, marker: str) -> str:
    """The body of a marker."""
    model = model_of(run)
    known = [f"{name}.{one}" for name, body in model.bodies.items() for one in (*body.markers, "com")]
    if marker not in known:
        raise ModelError(f"{marker!r:.60} is no marker of a body", nearest(marker, known))
    return split(marker)[0]


def _motion(run: Trajectory, body: str, p_BM: np.ndarray, R_BM: np.ndarray, R_WM: np.ndarray) -> _Motion:
    names = [f"{body}.{what}" for what in ("acceleration", "angular_velocity", "angular_acceleration")]
    a, w, alpha = (turned(R_WM, results(run, names)[name]) for name in names)
    model, values = model_of(run), parameters_of(run)
    g = np.array([entry.number(values) for entry in uniform_gravity(model, "section forces need the same everywhere")])
    W = _cross_matrix(w)
    U = _cross_matrix(alpha) + W @ W
    return _Motion(a + U @ (R_BM.T @ p_BM) - np.einsum("nij,i->nj", R_WM, g), U)


def _cross_matrix(a: np.ndarray) -> np.ndarray:
    """[a×] (N, 3, 3) of vectors (N, 3)."""
    return np.cross(np.eye(3), a[:, None, :]).transpose(0, 2, 1) * -1.0


def _inertia_wrench(part: _Mass, motion: _Motion) -> np.ndarray:
    """m a and the moment of momentum's rate (N, 6) of a part, its weight included."""
    force = part.m * motion.a + motion.U @ part.h
    K = motion.U @ part.J
    turning = np.stack([K[:, 2, 1] - K[:, 1, 2], K[:, 0, 2] - K[:, 2, 0], K[:, 1, 0] - K[:, 0, 1]], axis=1)
    return np.hstack([force, np.cross(part.h, motion.a) + turning])


def _whole(body: Body, T_MB: np.ndarray) -> _Mass:
    """All of a body."""
    I_C = np.array(ca.DM(body.inertia_matrix()), dtype=float)
    c = np.array([float(x) for x in body.com])
    P = inertia.from_com(float(body.mass), ca.DM(c), ca.DM(I_C))
    P = inertia.transformed(P, ca.DM(T_MB[:3, :3]), ca.DM(T_MB[:3, 3]))
    return _Mass(float(P.m), np.array(ca.DM(P.h)).ravel(), np.array(ca.DM(P.J)))


def _beyond(body: Body, T_MB: np.ndarray, name: str, marker: str) -> tuple[_Mass, str]:
    """The part beyond the plane, and in words how the mass is distributed."""
    shapes = [shape for shape in body.shapes if shape.density is not None]
    if shapes and all(isinstance(shape, Box | Cylinder | Sphere) for shape in shapes):
        parts = [(float(shape.density or 0), _shape_beyond(shape, T_MB)) for shape in shapes]
        m, h, J = (sum(rho * part[k] for rho, part in parts) for k in range(3))
        return _Mass(float(m), np.asarray(h), np.asarray(J)), "distributed over the shapes"
    whole = _whole(body, T_MB)
    if not whole.m:
        return whole, "none"
    c = whole.h / whole.m
    if abs(c[0]) <= WRITTEN * max(float(np.linalg.norm(c)), float(np.linalg.norm(T_MB[:3, 3]))):
        fault = f"the plane of {marker} cuts {name!r} at its centre of mass, at which all of its mass counts"
        cure = "give the body boxes, cylinders or spheres with a density, or a marker beside the centre"
        raise ModelError(Issue(fault, cure, ("bodies", name)))
    if c[0] > 0:
        return whole, "at the centre of mass, beyond the section"
    return _Mass(0.0, np.zeros(3), np.zeros((3, 3))), "at the centre of mass, before the section"


def _shape_beyond(shape: Shape, T_MB: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    T = T_MB @ np.array(ca.DM(shape.transform()), dtype=float)
    if isinstance(shape, Box):
        return box_beyond(T, np.array([float(x) for x in shape.size]))
    if isinstance(shape, Cylinder):
        return cylinder_beyond(T, float(shape.radius), float(shape.length))
    assert isinstance(shape, Sphere)
    return ball_beyond(T[:3, 3], float(shape.radius))


def _loads(run: Trajectory, body: str, p_BM: np.ndarray, R_BM: np.ndarray, R_WM: np.ndarray) -> Iterator[_Load]:
    """Loads of joints, constraints and force elements on a body."""
    model = model_of(run)
    acting: list[tuple[str, End, End, str, str, bool]] = [
        (name, one.parent, one.child, f"{name}.reaction_force", f"{name}.reaction_moment", _slides(one.velocities))
        for name, one in model.joints.items()
    ]
    for name, record in (*model.constraints.items(), *model.forces.items()):
        ends = getattr(record, "ends", (getattr(record, "parent", None), getattr(record, "child", None)))
        if ends is not None and None not in ends:
            acting.append((name, *ends, f"{name}.force", f"{name}.moment", False))
    origin = _position(run, (body, p_BM, np.eye(3)))
    for name, parent, child, force, moment, slides in acting:
        for end, sign in ((child, 1.0), (parent, -1.0)):
            if split(end)[0] != body:
                continue
            f, n = (
                sign * turned(R_WM, run.array(what)) if what in run.channels else np.zeros((len(run), 3))
                for what in (force, moment)
            )
            if force not in run.channels and moment not in run.channels:
                run.array(force)  # raises with the nearest names
            arm = turned(R_WM, _position(run, marker_on_body(run, child)) - origin)
            fixed = np.broadcast_to((marker_on_body(run, end)[1] - p_BM) @ R_BM, arm.shape)
            is_fixed = not slides or end is child
            yield _Load(name, np.hstack([f, n + np.cross(arm, f)]), arm, fixed if is_fixed else arm, is_fixed)


def _slides(velocities: tuple[tuple[str, str], ...]) -> bool:
    return any(unit == "m/s" for _, unit in velocities)


def _position(run: Trajectory, marker: tuple[str, np.ndarray, np.ndarray]) -> np.ndarray:
    """Position (N, 3) of a marker's origin in the world."""
    body, r_B, _ = marker
    if body == GROUND:
        return np.broadcast_to(r_B, (len(run), 3))
    return results(run, [f"{body}.position"])[f"{body}.position"] + axes_of(run, [body])[body] @ r_B


def _check_balance(body: str, loads: list[_Load], whole: _Mass, motion: _Motion) -> None:
    """Refuse a body on which something acts beside the loads of joints, constraints between markers and forces."""
    needed = _inertia_wrench(whole, motion)
    off = np.nan_to_num(sum((load.wrench for load in loads), -needed))
    terms = [np.nan_to_num(np.abs(one)) for one in (needed, *(load.wrench for load in loads))]
    force = max(float(term[:, :3].max(initial=0.0)) for term in terms)
    lever = max([float(np.abs(load.arm).max(initial=0.0)) for load in loads], default=0.0)
    moment = max(force * lever, *(float(term[:, 3:].max(initial=0.0)) for term in terms))
    for part, size, unit in ((slice(0, 3), force, "N"), (slice(3, 6), moment, "N*m")):
        worst = float(np.abs(off[:, part]).max(initial=0.0))
        if worst > _BALANCE * size:
            fault = f"the loads on {body!r} are {worst:.3g} {unit} short of its inertia forces"
            cure = "an equation of points, or a motor mounted on the body, acts on it without a place"
            raise ModelError(Issue(fault, cure, ("bodies", body)))


def _dataset(run: Trajectory, marker: str, total: np.ndarray, words: str) -> xarray.Dataset:
    import xarray

    time = ("time", run.t, {"units": "s"})
    data = {
        name: ("time", total[:, k], {"units": unit, "long_name": text})
        for k, (name, (unit, text)) in enumerate(_NAMES.items())
    }
    return xarray.Dataset(
        data, coords={"time": time}, attrs={"section": marker, "mass": words, "model": run.provenance.model}
    )
