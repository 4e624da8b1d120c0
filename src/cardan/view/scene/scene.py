"""`scene_of`: everything that a picture of a run shows."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from cardan.errors import ModelError, warn
from cardan.model.model import Model
from cardan.model.place import GROUND, split
from cardan.model.plane import Plane
from cardan.model.sections import uniform_gravity
from cardan.model.shapes import Mesh
from cardan.results.trajectory import Trajectory, check_run
from cardan.safety.text import visible
from cardan.view.scene.arrows import arrows
from cardan.view.scene.bodies import anchors, body_parts, colours, floors, shape_points
from cardan.view.scene.connections import connection_parts, links
from cardan.view.scene.drives import gear_parts, motor_parts, rotors
from cardan.view.scene.joints import joint_parts
from cardan.view.scene.motion import ShownMotion
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import SYMBOL, Mount, Scene, ScenePart
from cardan.view.scene.rods import bent_rods
from cardan.view.scene.traces import traces


def scene_of(run: Trajectory, trace: Sequence[str] | None = None, folders: Sequence[Path] | None = None) -> Scene:
    """Bodies, joints, links, drives, paths and loads of a run, ready to be drawn.

    Example
    -------
    >>> import cardan
    >>> scene = scene_of(cardan.simulate(cardan.load("compound_pendulum"), until=0.1))
    >>> scene.bodies, scene.positions.shape[1:]
    (('rod',), (1, 3))
    """
    check_run(run)
    if not len(run):
        raise ModelError("the run has no instant", "simulate it again, or give another file")
    motion = ShownMotion(run, None if folders is None else tuple(folders))
    names = tuple(motion.model.bodies)
    if not names:
        raise ModelError(
            "the model has no bodies, so that nothing moves in space", "draw its results: cardan.plot(run)"
        )
    low, high, size = _extent(motion)
    _doubt_units(motion)
    s, up = SYMBOL * size, up_of(motion)
    parts = _parts(motion, s, up)
    low, high = _with_curves(motion, parts, s, low, high)
    parts += floors(motion, low, high)
    return Scene(
        title=motion.model.name or "mechanism",
        instants=run.t[motion.shown],
        bodies=names,
        positions=np.stack([motion.position(name) for name in names], axis=1),
        orientations=np.stack([motion.quaternion(name) for name in names], axis=1),
        colours=colours(motion),
        parts=tuple(parts),
        rotors=tuple(rotors(motion, s)),
        links=tuple(links(motion, s)),
        rods=tuple(bent_rods(motion, colours(motion))),
        traces=tuple(traces(motion, trace)),
        arrows=tuple(arrows(motion)),
        up=up,
        normal=None if not motion.model.planar else Plane(motion.model.planar).normal,
        low=low,
        high=high,
        size=size,
    )


def _parts(motion: ShownMotion, s: float, up: np.ndarray) -> list[ScenePart]:
    return [
        *body_parts(motion, s),
        *joint_parts(motion, s, up),
        *connection_parts(motion, s),
        *motor_parts(motion, s),
        *gear_parts(motion, s),
    ]


def _with_curves(
    motion: ShownMotion, parts: Sequence[ScenePart], s: float, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest coordinates (3,) with room for the curves on which points slide and for parts of drives."""
    for place in (motion.shown_places(joint, s)[0] for joint in motion.joints.values() if joint.drawn is not None):
        points = motion.origin(place)
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    for part in parts:
        if part.layer == "joints" and part.form["type"] == "mesh":
            points = motion.origin(part.place)[0] + part.form["corners"] @ motion.frame(part.place)[0].T
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return low, high


def _doubt_units(motion: ShownMotion) -> None:
    """Warn of meshes whose size over that of the mechanism is nearer to 1000, millimetres read as metres, than to 1."""
    points = [
        motion.origin(Mount(name, point, np.eye(3)))[0]
        for name in (GROUND, *motion.model.bodies)
        for point in anchors(motion, name)
    ]
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if points else 0.0
    for name in motion.model.bodies:
        for shape in motion.shapes(name):
            if isinstance(shape, Mesh) and size:
                corners = motion.mesh(shape.file, shape.scale).reshape(-1, 3)
                ratio = float(np.linalg.norm(np.ptp(corners, axis=0))) / size
                if ratio > 1000**0.5:
                    fault = f"the mesh {visible(shape.file)} of {name!r} is {ratio:.0f} times as large as the mechanism"
                    warn(f"{fault}; if its unit is the millimetre, write scale: 0.001")


def up_of(motion: Positions) -> np.ndarray:
    """Against gravity, along the nearest axis that a planar model shows; z, or y of the plane xy, without gravity."""
    g = np.array([motion.number(entry) for entry in uniform_gravity(motion.model)])
    planar = motion.model.planar
    if planar:
        g = g - Plane(planar).normal * (Plane(planar).normal @ g)
    if not g.any():
        return np.eye(3)[1 if planar == "xy" else 2]
    k = int(np.argmax(np.abs(g)))
    return -np.sign(g[k]) * np.eye(3)[k]


def _extent(motion: ShownMotion) -> tuple[np.ndarray, np.ndarray, float]:
    """Smallest and largest coordinates (3,) that the mechanism reaches, and the mean diagonal of its largest piece."""
    paths: dict[str, np.ndarray] = {}
    wheels = [(part.place, part.form["radius"]) for part in gear_parts(motion, 0.0) if "radius" in part.form]
    for name in (GROUND, *motion.model.bodies):
        points = shape_points(motion, name)
        rims = [(place, r * sign) for place, r in wheels if place.body == name for sign in (-1, 1)]
        points += [place.p + r * place.R[:, k] for place, r in rims for k in (0, 1)]
        if points:
            r_B = np.array(points)
            paths[name] = motion.position(name)[:, None] + np.einsum("nij,kj->nki", motion.axes(name), r_B)
    if not paths:
        paths = {name: motion.position(name)[:, None] for name in motion.model.bodies}

    def diagonal(names: Iterable[str]) -> float:
        points = np.concatenate([paths[name] for name in names], axis=1)
        return float(np.mean(np.linalg.norm(np.ptp(points, axis=1), axis=1)))

    every = np.concatenate(list(paths.values()), axis=1)
    pieces = [kept for piece in _pieces(motion.model) if (kept := paths.keys() & piece)]
    size = max(map(diagonal, pieces), default=0.0) or diagonal(paths) or 1.0
    return every.min(axis=(0, 1)), every.max(axis=(0, 1)), size


def _pieces(model: Model) -> list[set[str]]:
    """Bodies that joints, constraints and forces hold together; a free joint does not."""
    pieces = [{name} for name in (GROUND, *model.bodies)]
    held = [joint for joint in model.joints.values() if joint.nv < 6]
    for one in (*held, *model.constraints.values(), *model.forces.values()):
        ends = {split(end)[0] for end in (getattr(one, "parent", ""), getattr(one, "child", "")) if end}
        joined = [piece for piece in pieces if piece & ends]
        pieces = [piece for piece in pieces if not piece & ends] + ([set().union(*joined)] if joined else [])
    return pieces
