"""What bodies look like: their shapes, or rods between their joints and balls at their masses."""

from collections.abc import Iterator

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.model.model import Model
from cardan.model.place import GROUND, End, split
from cardan.model.shapes import Bowl, Box, Capsule, Cylinder, Mesh, PlaneShape, Points, Shape, Sphere, Wheel
from cardan.view.scene.directions import along
from cardan.view.scene.look import LOOK
from cardan.view.scene.positions import Positions
from cardan.view.scene.records import Form, Mount, ScenePart

COLOURS = ("#3f7fd0", "#e0853a", "#3aa07a", "#b066ab", "#c8a024", "#46a9c0", "#cf5c5a", "#7f8fa6")
"""Of bodies in the order of the file: told apart on light and dark ground."""

STILL: str = LOOK["still"]
"""Of bodies that are fixed to the ground."""


def colours(motion: Positions) -> dict[str, str]:
    """The colour of every body."""
    moving = [name for name in motion.model.bodies if name not in motion.still]
    chosen = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(moving)}
    return {name: chosen.get(name, STILL) for name in motion.model.bodies}


def anchors(motion: Positions, body: str) -> list[np.ndarray]:
    """Points (3,) of a body at which joints, constraints and forces act, each once, in body axes."""
    model = motion.model
    seen = [joint for joint in motion.joints.values() if joint.nv and joint.drawn is None]
    ends = [end for joint in seen for end in (joint.parent, joint.child)]
    for section in (model.constraints, motion.forces):
        ends += [end for one in section.values() for end in (getattr(one, "parent", ""), getattr(one, "child", ""))]
    ends += [end for _, *pair in ports(model) for end in pair]
    points = [motion.place(end).p for end in ends if end and split(end)[0] == body]
    return distinct(points)


def nodes(motion: Positions) -> dict[str, list[str]]:
    """Bodies of the interface nodes of every body from modal data, by the name of its frame."""
    out = dict[str, list[str]]()
    for joint in motion.joints.values():
        if not joint.both_ways:
            out.setdefault(split(joint.parent)[0], []).append(split(joint.child)[0])
    return out


def ports(model: Model) -> Iterator[tuple[str, End, End]]:
    """Names and markers of the ports between two markers, by which hand-made bond graphs push bodies: cylinders."""
    for graph, record in model.graphs.items():
        for name, element in record.elements.items():
            child = getattr(element, "child", None)
            if element.is_port and child is not None:
                yield f"{graph}.{name}", element.parent, child  # type: ignore[attr-defined]


def distinct(points: list[np.ndarray]) -> list[np.ndarray]:
    """The points, each once."""
    out: list[np.ndarray] = []
    for point in points:
        if not any(np.allclose(point, other, atol=1e-12) for other in out):
            out.append(point)
    return out


def body_parts(motion: Positions, size: float) -> Iterator[ScenePart]:
    """The solids that stand for the bodies."""
    largest = max([motion.number(body.mass) for body in motion.model.bodies.values()], default=0.0)
    chosen = colours(motion)
    for k, shape in enumerate(motion.shapes(GROUND)):
        yield from _shape_parts(motion, GROUND, k, shape, size, STILL)
    bending = {part for parts in motion.rods.values() for part in parts}
    for name in motion.model.bodies:
        for k, shape in enumerate(() if name in bending else motion.shapes(name)):
            yield from _shape_parts(motion, name, k, shape, size, chosen[name])
        if not motion.shapes(name):
            yield from _rods(motion, name, size, chosen[name])
            yield from _ball(motion, name, size, largest, chosen[name])


def _shape_parts(motion: Positions, name: str, k: int, shape: Shape, size: float, colour: str) -> Iterator[ScenePart]:
    """The solids of one shape of a body; planes are drawn as large as the mechanism (`floors`)."""
    known: Shape = shape.resolved(motion.number)
    T = np.array(ca.DM(known.transform()), dtype=float)
    try:
        forms = [*_forms(motion, known, size)]
    except ModelError as error:
        raise error.under("bodies", name, "shapes", k, "file") from None
    for form, p in forms:
        place = Mount(name, T[:3, 3] + T[:3, :3] @ p, T[:3, :3])
        yield ScenePart(name, "shapes", form, place, shape.color or colour)


def _forms(motion: Positions, shape: Shape, size: float) -> Iterator[tuple[Form, np.ndarray]]:
    """Solids of a shape, and where their centres are in its axes (3,)."""
    centre = np.zeros(3)
    if isinstance(shape, Box):
        yield {"type": "box", "size": [float(edge) for edge in shape.size]}, centre
    elif isinstance(shape, Cylinder | Capsule):
        yield {"type": "cylinder", "radius": float(shape.radius), "length": float(shape.length)}, centre
        for side in (-0.5, 0.5) if isinstance(shape, Capsule) else ():
            end = np.array([0.0, 0.0, side * float(shape.length)])
            yield {"type": "sphere", "radius": float(shape.radius)}, end
    elif isinstance(shape, Wheel):
        yield {"type": "cylinder", "radius": float(shape.radius), "length": 2 * float(shape.rim)}, centre
    elif isinstance(shape, Sphere):
        yield {"type": "sphere", "radius": float(shape.radius)}, centre
    elif isinstance(shape, Bowl):
        yield {"type": "bowl", "radius": float(shape.radius)}, centre
    elif isinstance(shape, Points):
        for point in shape.points:
            yield {"type": "sphere", "radius": 0.3 * size}, np.array([float(x) for x in point])
    elif isinstance(shape, Mesh):
        triangles = motion.mesh(shape.file, float(shape.scale))
        corners, index = np.unique(triangles.reshape(-1, 3).astype(np.float32), axis=0, return_inverse=True)
        yield {"type": "mesh", "corners": corners, "triangles": index.astype(np.uint32).reshape(-1, 3)}, centre


def floors(motion: Positions, low: np.ndarray, high: np.ndarray) -> Iterator[ScenePart]:
    """Plates for the planes among the shapes, as large as all that a mechanism between `low` and `high` reaches."""
    edge = 1.2 * float(np.linalg.norm(high - low))
    for name in (GROUND, *motion.model.bodies):
        for shape in motion.shapes(name):
            if isinstance(shape, PlaneShape):
                T = np.array(ca.DM(shape.resolved(motion.number).transform()), dtype=float)
                R, p = T[:3, :3], T[:3, 3]
                along = R.T @ ((low + high) / 2 - p) if name == GROUND else np.zeros(3)
                form: Form = {"type": "box", "size": [edge, edge, 0.01 * edge]}
                place = Mount(name, p + R @ np.array([along[0], along[1], -0.005 * edge]), R)
                yield ScenePart(name, "ground", form, place, shape.color or "ground")


def _rods(motion: Positions, name: str, size: float, colour: str) -> Iterator[ScenePart]:
    """Rods between the joints of a body; three of them make a triangle, more the shortest tree."""
    points = anchors(motion, name)
    centre = centre_of_mass(motion, name)
    if centre is not None:
        points = distinct([*points, centre])
    if name in motion.still or name in nodes(motion):
        return
    for a, b in shortest_tree(points):
        length = float(np.linalg.norm(b - a))
        form: Form = {"type": "cylinder", "radius": 0.45 * size, "length": length}
        yield ScenePart(name, "shapes", form, Mount(name, (a + b) / 2, along(b - a)), colour)


def centre_of_mass(motion: Positions, name: str) -> np.ndarray | None:
    """Centre of mass (3,) of a body that has a mass, body axes."""
    body = motion.model.bodies[name].resolved(motion.number)
    return np.array([float(c) for c in body.com]) if float(body.mass) else None


def shortest_tree(points: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The lines of the shortest tree through points, by Prim."""
    joined, waiting, out = points[:1], points[1:], []
    while waiting:
        pairs = [(float(np.linalg.norm(a - b)), i, k) for i, a in enumerate(joined) for k, b in enumerate(waiting)]
        _, i, k = min(pairs)
        out.append((joined[i], waiting[k]))
        joined.append(waiting.pop(k))
    return out


def _ball(motion: Positions, name: str, size: float, largest: float, colour: str) -> Iterator[ScenePart]:
    """A ball at the centre of mass whose volume is proportional to the mass."""
    centre = centre_of_mass(motion, name)
    if centre is not None and name not in motion.still:
        radius = 2.5 * size * abs(motion.number(motion.model.bodies[name].mass) / largest) ** (1 / 3)
        yield ScenePart(name, "masses", {"type": "sphere", "radius": radius}, Mount(name, centre, np.eye(3)), colour)


def shape_points(motion: Positions, body: str) -> list[np.ndarray]:
    """Points (3,) of a body that bound it: its joints, markers, centre of mass, and the corners of its shapes."""
    points = anchors(motion, body)
    if body == GROUND:
        return points
    record = motion.model.bodies[body].resolved(motion.number)
    points += [np.array([float(x) for x in marker.position]) for marker in record.markers.values()]
    centre = centre_of_mass(motion, body) if body not in motion.still else None
    points += [] if centre is None else [centre]
    return points + motion.corners(body)
