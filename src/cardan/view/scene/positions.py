"""Where bodies and places of a mechanism are, of a run or in one position: what all pictures are drawn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.run_results import frame_on_body
from cardan.errors import ModelError
from cardan.model.joints.joint import Joint
from cardan.model.meshes import read_mesh
from cardan.model.model import Model
from cardan.model.place import GROUND, End, split
from cardan.safety.reading import is_inside
from cardan.view.scene.records import Mount

__all__ = ["Positions"]


class Positions(ABC):
    """Positions of a mechanism at N instants: those of a run, or a single one."""

    folders: tuple[Path, ...] | None = None  # from which meshes may be read; None: from any

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
        if self.folders is not None and not is_inside(file, self.folders):
            fault = f"the mesh {file!r} lies outside of the folders of the model and of the run"
            raise ModelError(fault, "give its folder to allow=")
        if (file, scale) not in self._meshes:
            self._meshes[file, scale] = read_mesh(Path(file)) * scale
        return self._meshes[file, scale]

    @cached_property
    def _meshes(self) -> dict[tuple[str, float], np.ndarray]:
        return {}

    def joint_places(self, joint: Joint) -> tuple[Mount, Mount]:
        """The joint frames on parent and child, whose z is the axis of the joint if it has one."""
        R = np.array(ca.DM(joint.resolved(self.number).alignment()), dtype=float)
        parent, child = self.place(joint.parent), self.place(joint.child)
        return Mount(parent.body, parent.p, parent.R @ R), Mount(child.body, child.p, child.R @ R)

    def origin(self, place: Mount) -> np.ndarray:
        """Origin (N, 3) of a place in the world over time."""
        return self.position(place.body) + self.axes(place.body) @ place.p

    def frame(self, place: Mount) -> np.ndarray:
        """Axes (N, 3, 3) of a place in the world over time."""
        return self.axes(place.body) @ place.R

    @cached_property
    def still(self) -> frozenset[str]:
        """The ground and the bodies that are fixed to it."""
        found = {GROUND}
        fixed = [
            {split(joint.parent)[0], split(joint.child)[0]} for joint in self.model.joints.values() if not joint.nv
        ]
        while any(pair & found and not pair <= found for pair in fixed):
            found |= set().union(*(pair for pair in fixed if pair & found))
        return frozenset(found)
