"""The results of a run beyond its state, evaluated when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cardan.system.kernels import Kernels

__all__ = ["Measured"]


@dataclass(frozen=True)
class Measured:
    """The `evaluate` of a trajectory; it can be pickled, and makes its machine code again where it is unpickled."""

    kernels: Kernels  # functions of the system
    rows: tuple[np.ndarray, ...]  # (t, x, u, p) of the returned instants

    def __call__(self, names: Sequence[str]) -> Mapping[str, np.ndarray]:
        """Values (N, *shape) of the measures with these `names`."""
        known = [measure.name for measure in self.kernels.measures]
        values = dict(zip(known, self.kernels.measured(*self.rows), strict=True))
        return {name: values[name] for name in names}
