"""Which reactions of one mechanism are unique, and the smallest ones where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.start import system_of
from cardan.channels.functions import channel_functions
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.loads.reactions import Frame, hidden_count
from cardan.loads.uniqueness import Answer, Matrices, SensitivityAt, least_multipliers, uniqueness
from cardan.system.constrained import has_constraints
from cardan.system.drives import unselected_rows

__all__ = ["Instants", "Uniqueness"]

Instants = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""t (N,), x (N, nx), u (N, m) and p (k,) of N instants."""


@dataclass(frozen=True, eq=False)
class Uniqueness:
    """Uniqueness of the reactions, computed on first use at an assembled position and at its neighbours."""

    functions: SystemFunctions  # functions of the system
    position: np.ndarray  # an assembled position (nq,)
    p: np.ndarray  # values of the parameters (k,)
    _answers: dict[Frame, dict[str, tuple[Answer, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickling drops computed answers; they are computed again on demand."""
        return Uniqueness, (self.functions, self.position, self.p)

    @property
    def redundant(self) -> bool:
        """Whether some equations follow from others, so that multipliers are not unique."""
        return has_constraints(self.functions.system.tree) and len(self._kept) < len(self._assembling.labels)

    @property
    def _kept(self) -> tuple[int, ...]:
        """Indices of equations with unique multipliers: the selected ones, and those that a drive keeps."""
        system = self.functions.system
        return (*system.choice.kept, *unselected_rows(system.tree, len(self._assembling.labels)))

    @property
    def complete(self) -> bool:
        """Whether every reaction is unique: no equation is redundant, and none is hidden out of a plane."""
        tree = self.functions.system.tree
        return not has_constraints(tree) or (not self.redundant and not hidden_count(tree))

    def of(self, name: str, frame: Frame) -> tuple[Answer, ...]:
        """Whether each component of a reaction is unique."""
        return self._in_frame(frame)[name]

    def unknown(self, frame: Frame) -> np.ndarray:
        """Which components of all reactions in a `frame`, one after the other, a planar model cannot know."""
        answers = self._in_frame(frame).values()
        return np.array([answer == "unknown" for components in answers for answer in components], dtype=bool)

    def least(self, instants: Instants, solution: np.ndarray) -> np.ndarray:
        """Accelerations and multipliers (N, nv + c) with the smallest reactions that belong to the same motion."""
        (t, x, u, p), parts = instants, self.functions.distribution("world")
        counted = np.repeat([label.counted for label in parts.labels], [label.size for label in parts.labels])
        counted &= ~self.unknown("world")
        Phi_q, W, _ = parts.at(*instants)
        reactions = channel_functions(self.functions).family("reactions")
        w = np.concatenate(reactions.columns(t, x, u, p, solution), axis=1)
        change = least_multipliers(Phi_q, W[:, counted], w[:, counted], self._kept)
        return solution + np.hstack([np.zeros((len(t), self.functions.system.tree.nv)), change])

    @property
    def numbers_per_instant(self) -> int:
        """How many numbers `least` needs in memory for each instant."""
        return 4 * sum(rows * columns for rows, columns in self.functions.distribution("world").shapes)

    def _in_frame(self, frame: Frame) -> dict[str, tuple[Answer, ...]]:
        """Whether each component is unique, by reaction."""
        if frame not in self._answers:
            labels = self.functions.distribution(frame).labels
            rank, rounding = len(self._kept), self.functions.system.tree.rounding
            self._answers[frame] = uniqueness(labels, self._sensitivity(frame), self._positions, rank, rounding)
        return self._answers[frame]

    @property
    def _assembling(self) -> AssemblyFunctions:
        system = self.functions.system
        return system_of(system.model, system.motors)[1]

    @property
    def _positions(self) -> list[np.ndarray]:
        """The assembled position and its neighbours."""
        return Assembler(self._assembling, self.p).neighbours(self.position)

    def _sensitivity(self, frame: Frame) -> SensitivityAt:
        """Φq, ∂(reactions)/∂λ and ∂(reactions)/∂(hidden components) at positions, t = 0."""
        system = self.functions.system
        rest = np.zeros(system.nx - system.tree.nq)

        def at(positions: Sequence[np.ndarray]) -> Matrices:
            count = len(positions)
            x, u = np.array([np.concatenate([q, rest]) for q in positions]), np.zeros((count, len(system.input_names)))
            return self.functions.distribution(frame).at(np.zeros(count), x, u, self.p)

        return at
