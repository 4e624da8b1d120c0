"""Where the bodies and places of a mechanism are at the instants of a run that a picture shows."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from cardan.analysis.run_results import model_of, parameters_of, results
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.model.model import Model
from cardan.model.place import GROUND
from cardan.results.trajectory import Trajectory
from cardan.simulation.instants import INSTANTS
from cardan.spatial.rotations import matrices_of
from cardan.view.scene.positions import Positions

MOST_INSTANTS = INSTANTS
"""Instants that a picture shows: a run of as many and ten bodies takes half a megabyte."""


@dataclass(frozen=True, eq=False)
class ShownMotion(Positions):
    """A run with its model, read at the instants that a picture shows."""

    run: Trajectory
    folders: tuple[Path, ...] | None = None  # from which meshes may be read; None: from any

    @property
    def known(self) -> Mapping[str, str]:
        """SHA-256 of the meshes of the run, by their paths."""
        return self.run.provenance.meshes

    @property
    def model(self) -> Model:
        """The model of the run, as it was then."""
        try:
            return model_of(self.run)
        except ModelError as error:
            version = self.run.provenance.version
            if not self.run.provenance.source:
                raise
            cure = "simulate the model again with this Cardan"
            raise ModelError(
                f"the model in the run cannot be read; Cardan {version} wrote it: {error.issues[0].fault}", cure
            ) from None

    @cached_property
    def shown(self) -> np.ndarray:
        """Indices of the instants that are shown: all, or of a longer run evenly chosen ones."""
        count = len(self.run)
        return np.unique(np.linspace(0, count - 1, min(count, MOST_INSTANTS)).round().astype(int))

    @property
    def count(self) -> int:
        """Number of instants that are shown."""
        return int(self.shown.size)

    @cached_property
    def values(self) -> dict[str, float]:
        """Values of the parameters [SI]."""
        return parameters_of(self.run)

    @cached_property
    def _results(self) -> dict[str, np.ndarray]:
        names = [f"{body}.{what}" for body in self.model.bodies for what in ("position", "orientation")]
        return {name: value[self.shown] for name, value in results(self.run, names).items()}

    def position(self, body: str) -> np.ndarray:
        """Origin (N, 3) of a body in the world."""
        return np.zeros((self.shown.size, 3)) if body == GROUND else self._results[f"{body}.position"]

    def quaternion(self, body: str) -> np.ndarray:
        """Unit quaternions (N, 4), w first, that turn the axes of a body into the world's."""
        if body == GROUND:
            return np.broadcast_to([1.0, 0.0, 0.0, 0.0], (self.shown.size, 4))
        return self._results[f"{body}.orientation"]

    def axes(self, body: str) -> np.ndarray:
        """Axes (N, 3, 3) of a body in the world."""
        return matrices_of(self.quaternion(body))

    def results(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Values (N, *shape) of those of the results that the run has: a file may store a part of them."""
        known = [name for name in names if name in self.run.channels]
        return {name: value[self.shown] for name, value in self.run.arrays(known).items()}
