"""Bodies: lines and plates through their joints and markers, or their shapes where they have a single joint point."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from cardan.frozen import dataclass
from cardan.model.place import GROUND
from cardan.view.drawing.pen import Pen, hull
from cardan.view.drawing.sizes import MASS
from cardan.view.scene.bodies import anchors, body_parts, centre_of_mass, colours, distinct, shortest_tree
from cardan.view.scene.drives import gear_parts
from cardan.view.scene.records import BentRod, Mount, ScenePart
from cardan.view.scene.rods import bent_rods, rod_curve
from cardan.view.scene.still import StillPosition
from cardan.view.symbols.joints import JOINTS


@dataclass(frozen=True, eq=False)
class Skeleton:
    """What is drawn of a body."""

    name: str
    colour: str  # of its lines
    is_still: bool  # fixed to the ground
    points: np.ndarray  # its joints and markers (n, 3), world [m]
    edges: tuple[tuple[np.ndarray, np.ndarray], ...]  # lines between them
    lengths: tuple[tuple[np.ndarray, np.ndarray], ...]  # lines between its own joints and markers
    is_plate: bool  # the points are corners of a plate
    shapes: tuple[ScenePart, ...]  # solids that stand for it
    corners: np.ndarray  # what bounds them (n, 3), world [m]
    centre: np.ndarray | None  # centre of mass (3,)
    curves: tuple[tuple[np.ndarray, ...], ...] = ()  # what is drawn in place of the edges, where it bends


def skeletons(position: StillPosition) -> dict[str, Skeleton]:
    """What is drawn of every body, by name."""
    shapes: dict[str, list[ScenePart]] = {}
    for part in body_parts(position, 0.0):
        if part.owner != GROUND and position.shapes(part.owner):
            shapes.setdefault(part.owner, []).append(part)
    chosen = colours(position)
    inside = {part for parts in position.rods.values() for part in parts[1:]}
    seen = [name for name in position.model.bodies if name not in inside]
    bent = {rod.owner: _bent(position, rod, chosen[rod.owner]) for rod in bent_rods(position, chosen)}
    return {name: bent.get(name) or _skeleton(position, name, chosen[name], shapes.get(name, [])) for name in seen}


def _bent(position: StillPosition, rod: BentRod, colour: str) -> Skeleton:
    """A rod that bends: its curve, and lines to those of its joints and markers that stand beside its axis."""
    curve = rod_curve(position, rod)[0]
    places = []
    for part in position.rods[rod.owner]:
        record = position.model.bodies[part].resolved(position.number)
        markers = [np.array([float(x) for x in one.position]) for one in record.markers.values() if not one.part]
        own = [point for point in [*anchors(position, part), *markers] if np.any(np.abs(point[1:]) > 1e-12)]
        places += [position.origin(Mount(part, point, np.eye(3)))[0] for point in own]
    beside = [(curve[np.argmin(np.linalg.norm(curve - place, axis=1))], place) for place in places]
    chords = curve[:: len(rod.rings) // (len(position.rods[rod.owner]) - 1)]
    return Skeleton(
        rod.owner,
        colour,
        is_still=False,
        points=np.concatenate([curve, np.array(places).reshape(-1, 3)]),
        edges=(*pairwise(chords), *beside),
        lengths=((curve[0], curve[-1]),),
        is_plate=False,
        shapes=(),
        corners=np.empty((0, 3)),
        centre=None,
        curves=(tuple(curve), *beside),
    )


def _skeleton(position: StillPosition, name: str, colour: str, shapes: list[ScenePart]) -> Skeleton:
    record = position.model.bodies[name].resolved(position.number)
    points = anchors(position, name)
    markers = [np.array([float(x) for x in marker.position]) for marker in record.markers.values()]
    own = distinct([*points, *markers])
    points = distinct([*own, *_guided(position, name)])
    centre = centre_of_mass(position, name)
    if name in position.still or len(own) > 1 or not _holds(position, shapes, points):
        shapes = []
    if len(points) < 2 and not shapes and centre is not None:
        points = distinct([*points, centre])
    R, p = position.axes(name)[0], position.position(name)[0]
    edges = [(p + R @ a, p + R @ b) for a, b in shortest_tree(points)]
    world = np.array([p + R @ point for point in points]).reshape(-1, 3)
    return Skeleton(
        name,
        colour,
        name in position.still,
        world,
        tuple(edges),
        tuple((p + R @ a, p + R @ b) for a, b in shortest_tree(own)),
        len(own) == len(points) and _spans_a_plane(world),
        tuple(shapes),
        np.concatenate([_corners(position, part) for part in shapes]) if shapes else np.empty((0, 3)),
        None if centre is None else p + R @ centre,
    )


def _holds(position: StillPosition, shapes: list[ScenePart], points: list[np.ndarray]) -> bool:
    """Whether the shapes of a body reach as far as its points: what slides on it, slides on them."""
    if len(points) < 2 or not shapes:
        return True
    corners = np.concatenate([_corners(position, part) for part in shapes])
    R, p = position.axes(shapes[0].owner)[0], position.position(shapes[0].owner)[0]
    own = (corners - p) @ R
    return all(np.all(point >= own.min(axis=0) - 1e-9) and np.all(point <= own.max(axis=0) + 1e-9) for point in points)


def _guided(position: StillPosition, name: str) -> list[np.ndarray]:
    """Where bodies are that slide on a body (3,), body axes: it reaches so far."""
    out = []
    for joint in position.joints.values():
        parent, child = position.joint_places(joint)
        if parent.body == name and JOINTS[joint.type].holder == "rail":
            R, p = position.axes(name)[0], position.position(name)[0]
            out.append(R.T @ (position.origin(child)[0] - p))
    return out


def _spans_a_plane(points: np.ndarray) -> bool:
    """Whether three or more points are not on one line."""
    if len(points) < 3:
        return False
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(sizes[1] > 0.05 * sizes[0])


def _corners(position: StillPosition, part: ScenePart) -> np.ndarray:
    """Points (n, 3) that bound a solid, world."""
    R, p = position.frame(part.place)[0], position.origin(part.place)[0]
    form = part.form
    if form["type"] == "mesh":
        return np.asarray(p + np.asarray(form["corners"]) @ R.T)
    half = np.asarray(form["size"]) / 2 if "size" in form else np.full(3, form["radius"])
    if form["type"] == "cylinder":
        half = np.array([form["radius"], form["radius"], form["length"] / 2])
    ends = np.array(np.meshgrid(*zip(-half, half, strict=True))).reshape(3, -1).T
    return np.asarray(p + ends @ R.T)


def draw_bodies(pen: Pen, bodies: Mapping[str, Skeleton], position: StillPosition) -> None:
    """Draw the bodies that move; what is fixed to the ground is hatched at its joints."""
    order = sorted(bodies.values(), key=lambda body: _depth(pen, body))
    for body in order:
        if body.is_still:
            continue
        pen.owner = f"body {body.name}"
        for part in body.shapes:
            draw_shape(pen, position, part, body.colour)
        if body.is_plate:
            pen.flat(hull(pen.at(body.points)), "plate", True, body.colour)
            inner = [edge for edge in body.edges if not _on_hull(pen, body, edge)]
        else:
            inner = list(body.edges)
        for points in body.curves or inner:
            pen.line(points, "body", colour=body.colour)


def _on_hull(pen: Pen, body: Skeleton, edge: tuple[np.ndarray, np.ndarray]) -> bool:
    corners = hull(pen.at(body.points))
    ends = [pen.at(end) for end in edge]
    return all(np.min(np.linalg.norm(corners - end, axis=1)) < 0.5 for end in ends)


def _depth(pen: Pen, body: Skeleton) -> float:
    """How near to the eye: what is nearer is drawn later."""
    points = body.points if len(body.points) else body.corners
    return float(np.mean(points @ pen.camera.toward)) if len(points) else 0.0


def draw_shape(pen: Pen, position: StillPosition, part: ScenePart, colour: str) -> None:
    """Draw the silhouette and the visible edges of a solid."""
    R, p, form = position.frame(part.place)[0], position.origin(part.place)[0], part.form
    if form["type"] == "box":
        pen.box(p, R, form["size"], "shape", colour)
    elif form["type"] == "cylinder":
        pen.cylinder(p, R[:, 2], form["radius"], form["length"], "shape", colour)
    elif form["type"] in ("sphere", "bowl"):
        pen.disc(pen.at(p), form["radius"] * pen.scale, "shape", colour, count=48)
    else:
        pen.flat(hull(pen.at(_corners(position, part))), "shape", True, colour)


def draw_masses(pen: Pen, bodies: Mapping[str, Skeleton], taken: np.ndarray) -> None:
    """Draw the marks of the centres of mass that no joint covers."""
    for body in bodies.values():
        if body.centre is None or body.is_still or body.name == GROUND:
            continue
        c = pen.at(body.centre)
        if len(taken) and np.min(np.linalg.norm(taken - c, axis=1)) < 2.6 * MASS:
            continue
        pen.owner = f"body {body.name}"
        near = _nearest(pen, body, c)
        if near is not None:
            pen.flat(np.array([near, c]), "edge", colour=body.colour)
        pen.disc(c, MASS, "mass", body.colour)
        for first in (0, np.pi):
            turn = first + np.linspace(0, np.pi / 2, 8)
            arc = c + MASS * np.column_stack([np.cos(turn), np.sin(turn)])
            pen.flat(np.vstack([c, arc]), "mass quarter", True, body.colour)


def _nearest(pen: Pen, body: Skeleton, c: np.ndarray) -> np.ndarray | None:
    """The point (2,) of a body that is nearest to its centre of mass; None where this lies on the body."""
    outline = pen.at(body.corners if len(body.corners) else body.points)
    if len(outline) > 2 and (body.is_plate or len(body.corners)) and _is_inside(hull(outline), c):
        return None
    lines = [(pen.at(a), pen.at(b)) for a, b in body.edges]
    lines += [(point, point) for point in pen.at(body.points)]
    feet = []
    for a, b in lines:
        d = b - a
        part = float(np.clip((c - a) @ d / max(float(d @ d), 1e-12), 0, 1))
        feet.append(a + part * d)
    if not feet:
        return None
    gaps = [float(np.linalg.norm(c - foot)) for foot in feet]
    k = int(np.argmin(gaps))
    return feet[k] if gaps[k] > 1.2 * MASS else None


def _is_inside(corners: np.ndarray, point: np.ndarray) -> bool:
    """Whether a convex polygon holds a point."""
    d, r = np.roll(corners, -1, axis=0) - corners, point - corners
    turn = d[:, 0] * r[:, 1] - d[:, 1] * r[:, 0]
    return bool(np.all(turn >= 0) or np.all(turn <= 0))


def extent(position: StillPosition, bodies: Mapping[str, Skeleton]) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) that bound the mechanism, and those of its joints."""
    points = [body.points for body in bodies.values()] + [body.corners for body in bodies.values()]
    points += [body.centre[None] for body in bodies.values() if body.centre is not None and not body.is_still]
    seen = [joint for joint in position.joints.values() if joint.nv and joint.drawn is None]
    ends = [end for joint in seen for end in (joint.parent, joint.child)]
    joints = np.array([position.origin(position.place(end))[0] for end in ends]).reshape(-1, 3)
    for part in gear_parts(position, 0.0):
        R, p, r = position.frame(part.place)[0], position.origin(part.place)[0], part.form.get("radius", 0.0)
        points.append(p + r * np.vstack([R[:, :2].T, -R[:, :2].T]))
    return np.concatenate([*points, joints] if any(map(len, [*points, joints])) else [np.zeros((1, 3))]), joints
