"""Where bodies and places of a mechanism are, of a run or in one position: what all pictures are drawn from."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.run_results import frame_on_body
from cardan.errors import ModelError, warn
from cardan.model.flexible import outside_rods, rods
from cardan.model.forces import Load
from cardan.model.joints.joint import Joint
from cardan.model.meshes import fingerprint, read_mesh
from cardan.model.model import Model
from cardan.model.place import GROUND, End, split
from cardan.model.shapes import Bowl, Box, Capsule, Cylinder, Mesh, Points, Shape, Sphere, Wheel
from cardan.safety.reading import is_inside
from cardan.safety.text import visible
from cardan.view.scene.records import Mount

STEP = 6.0  # distance of the parts of a drive over the size of a symbol, of which a motor takes five [-]


class Positions(ABC):
    """Positions of a mechanism at N instants: those of a run, or a single one."""

    folders: tuple[Path, ...] | None = None  # from which meshes may be read; None: from any

    @property
    def known(self) -> Mapping[str, str]:
        """SHA-256 of the meshes that may be read anywhere, by their paths."""
        return {}

    @property
    @abstractmethod
    def model(self) -> Model:
        """The mechanism."""

    @property
    @abstractmethod
    def values(self) -> dict[str, float]:
        """Values of the parameters [SI]."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number N of instants."""

    @abstractmethod
    def position(self, body: str) -> np.ndarray:
        """Origin (N, 3) of a body in the world."""

    @abstractmethod
    def axes(self, body: str) -> np.ndarray:
        """Axes (N, 3, 3) of a body in the world."""

    @abstractmethod
    def results(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Values (N, *shape) of those of the results that are known."""

    @property
    def rods(self) -> dict[str, tuple[str, ...]]:
        """The rigid parts of every rod that bends."""
        return rods(self.model.bodies)

    @property
    def joints(self) -> dict[str, Joint]:
        """All joints but those at which rods bend."""
        return outside_rods(self.model.joints, self.model.bodies)

    @property
    def forces(self) -> dict[str, Load]:
        """All forces but the springs in rods."""
        return outside_rods(self.model.forces, self.model.bodies)

    def number(self, scalar: Any) -> float:
        """The value of a scalar of the model, which depends on parameters alone."""
        return float(scalar.evaluate(self.values.__getitem__))

    @cached_property
    def _places(self) -> dict[End, Mount]:
        return {}

    def place(self, end: End) -> Mount:
        """The frame of a place on its body."""
        if end not in self._places:
            self._places[end] = Mount(*frame_on_body(self.model, self.number, end))
        return self._places[end]

    def mesh(self, file: str, scale: float) -> np.ndarray:
        """Corners (n, 3, 3) of the triangles of a mesh [m]."""
        if (file, scale) not in self._meshes:
            self._meshes[file, scale] = read_mesh(Path(self.found(file) or file)) * scale
        return self._meshes[file, scale]

    def found(self, file: str) -> str | None:
        """The path of a mesh: as it is written, else by the end of its path in the folders; None where it is nowhere.

        A run remembers the folder of its meshes, from which it may have moved together with them.
        """
        parts = Path(file).parts
        ends = [str(Path(folder, *parts[k:])) for folder in self.folders or () for k in range(1, len(parts))]
        for path in (file, *ends):
            is_near = self.folders is None or is_inside(path, self.folders)
            if os.path.isfile(path) and (is_near or self.known.get(path, "unknown") == fingerprint(path)):
                return path
        return None

    def shapes(self, body: str) -> tuple[Shape, ...]:
        """The shapes of a body, or of the ground, but for meshes whose file cannot be read; warns of these."""
        if body not in self._shapes:
            record = self.model.ground if body == GROUND else self.model.bodies[body]
            lost = [one.file for one in record.shapes if isinstance(one, Mesh) and self.found(one.file) is None]
            for file in dict.fromkeys(lost):
                fault = f"the mesh {visible(file)} of {body!r} is not in the folders of the model and of the run"
                warn(f"{fault}; it is left out of the picture: give its folder to allow=")
            for one in record.shapes:
                if isinstance(one, Mesh) and one.file not in lost:
                    try:
                        self.mesh(one.file, float(one.scale))
                    except ModelError as error:
                        lost.append(one.file)
                        warn(f"{body}: {error.issues[0].fault}; it is left out of the picture")
            self._shapes[body] = tuple(one for one in record.shapes if getattr(one, "file", None) not in lost)
        return self._shapes[body]

    @cached_property
    def _shapes(self) -> dict[str, tuple[Shape, ...]]:
        return {}

    @cached_property
    def _meshes(self) -> dict[tuple[str, float], np.ndarray]:
        return {}

    def joint_places(self, joint: Joint) -> tuple[Mount, Mount]:
        """The joint frames on parent and child, whose z is the axis of the joint if it has one."""
        R = np.array(ca.DM(joint.resolved(self.number).alignment()), dtype=float)
        parent, child = self.place(joint.parent), self.place(joint.child)
        return Mount(parent.body, parent.p, parent.R @ R), Mount(child.body, child.p, child.R @ R)

    def shown_places(self, joint: Joint, size: float) -> tuple[Mount, Mount]:
        """As `joint_places`, where pictures with symbols of a size [m] show it: parts of a drive one after another."""
        parent, child = self.joint_places(joint)
        if joint.drawn is None:
            return parent, child
        driven = self.model.joints.get(str(joint.drawn.at))
        place = parent if driven is None else self.joint_places(driven)[0]
        back = STEP * size * joint.drawn.before + (0.0 if driven is None else self._reach(driven))
        R = parent.R if place.body == parent.body else place.R
        at = Mount(place.body, place.p - place.R[:, 2] * back, R)
        if joint.velocities[0][1] == "m/s":
            return at, child.shifted(-back)
        return at, at

    def shaft(self, joint: Joint, size: float) -> tuple[Mount, float]:
        """Where the shaft from a part of a drive to the next one, or to its joint, begins, and its length [m]."""
        assert joint.drawn is not None, "asked for parts of drives only"
        driven, place = self.model.joints.get(str(joint.drawn.at)), self.shown_places(joint, size)[0]
        if driven is None:
            return place, -STEP * size
        R = self.joint_places(driven)[0].R
        return Mount(place.body, place.p, R), STEP * size + (self._reach(driven) if joint.drawn.before == 1 else 0.0)

    def _reach(self, joint: Joint) -> float:
        """How far the shapes of what a joint moves reach against its axis, from its place on the parent [m]."""
        parent, child = self.joint_places(joint)
        axis, home = self.frame(parent)[:, :, 2], self.position(child.body) - self.origin(parent)
        points = [home + self.axes(child.body) @ corner for corner in self.corners(child.body)]
        return max([0.0, *(-float(np.einsum("ni,ni->n", axis, point).min()) for point in points)])

    def corners(self, body: str) -> list[np.ndarray]:
        """Points (3,) that bound the shapes of a body, body axes."""
        known, out = self.shapes(body) if body in self.model.bodies else (), list[np.ndarray]()
        for shape in (one.resolved(self.number) for one in known):
            T = np.array(ca.DM(shape.transform()), dtype=float)
            low, high = self._bounds(shape)
            ends = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
            out += list(ends @ T[:3, :3].T + T[:3, 3])
        return out

    def _bounds(self, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest coordinates (3,) of a shape in its own axes."""
        if isinstance(shape, Mesh):
            corners = self.mesh(shape.file, float(shape.scale)).reshape(-1, 3)
            return corners.min(axis=0), corners.max(axis=0)
        if isinstance(shape, Box):
            half = np.array([float(edge) for edge in shape.size]) / 2
        elif isinstance(shape, Cylinder):
            half = np.array([float(shape.radius), float(shape.radius), float(shape.length) / 2])
        elif isinstance(shape, Capsule):
            half = np.array([0, 0, float(shape.length) / 2]) + float(shape.radius)
        elif isinstance(shape, Wheel):
            half = np.array([float(shape.radius), float(shape.radius), float(shape.rim)])
        elif isinstance(shape, Points):
            points = np.array([[float(x) for x in point] for point in shape.points])
            return points.min(axis=0), points.max(axis=0)
        else:
            half = np.full(3, float(shape.radius) if isinstance(shape, Sphere | Bowl) else 0.0)
        return -half, half

    def origin(self, place: Mount) -> np.ndarray:
        """Origin (N, 3) of a place in the world over time."""
        return self.position(place.body) + self.axes(place.body) @ place.p

    def frame(self, place: Mount) -> np.ndarray:
        """Axes (N, 3, 3) of a place in the world over time."""
        return self.axes(place.body) @ place.R

    @cached_property
    def still(self) -> frozenset[str]:
        """The ground and the bodies that are fixed to it; a rod that is clamped there bends."""
        found = {GROUND}
        fixed = [
            {split(joint.parent)[0], split(joint.child)[0]} for joint in self.model.joints.values() if not joint.nv
        ]
        while any(pair & found and not pair <= found for pair in fixed):
            found |= set().union(*(pair for pair in fixed if pair & found))
        return frozenset(found).difference(*self.rods.values())
