"""Which reactions of one mechanism are unique, and the smallest ones where they are not."""

from collections.abc import Callable, Sequence

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.start import system_of
from cardan.frozen import dataclass, field
from cardan.functions.system_functions import SystemFunctions
from cardan.loads.reactions import Frame, hidden_count
from cardan.loads.uniqueness import Answer, Matrices, least_multipliers, uniqueness
from cardan.system.constrained import has_constraints
from cardan.system.drives import unselected_rows

Instants = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""t (N,), x (N, nx), u (N, m) and p (k,) of N instants."""


@dataclass(frozen=True, eq=False)
class Uniqueness:
    """Uniqueness of the reactions, computed on first use at an assembled position and at its neighbours."""

    functions: SystemFunctions  # functions of the system
    position: Callable[[], np.ndarray]  # gives an assembled position (nq,)
    p: np.ndarray  # values of the parameters (k,)
    _answers: dict[Frame, dict[str, tuple[Answer, ...]]] = field(default_factory=dict, init=False, repr=False)

    @property
    def redundant(self) -> bool:
        """Whether some equations follow from others, so that multipliers are not unique."""
        return has_constraints(self.functions.system.tree) and len(self._kept) < self.functions.equations

    @property
    def _kept(self) -> tuple[int, ...]:
        """Indices of equations with unique multipliers: the selected ones, and those that a drive keeps."""
        system = self.functions.system
        return (*system.choice.kept, *unselected_rows(system.tree, self.functions.equations))

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
        if not hidden_count(self.functions.system.tree):
            return np.zeros(sum(label.size for label in self.functions.distribution(frame).labels), dtype=bool)
        answers = self._in_frame(frame).values()
        return np.array([answer == "unknown" for components in answers for answer in components], dtype=bool)

    def least(self, instants: Instants, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Changes of the multipliers (N, c) that make reactions w (N, m) the smallest, and these reactions (N, m)."""
        parts = self.functions.distribution("world")
        counted = np.repeat([label.counted for label in parts.labels], [label.size for label in parts.labels])
        counted &= ~self.unknown("world")
        Phi_q, W, _ = parts.at(*instants)
        change = least_multipliers(Phi_q, W[:, counted], w[:, counted], self._kept)
        return change, w + (W @ change[:, :, None])[..., 0]

    @property
    def numbers_per_instant(self) -> int:
        """How many numbers `least` needs in memory for each instant."""
        return 4 * sum(rows * columns for rows, columns in self.functions.distribution("world").shapes)

    def _in_frame(self, frame: Frame) -> dict[str, tuple[Answer, ...]]:
        """Whether each component is unique, by reaction."""
        if frame not in self._answers:
            system = self.functions.system
            places = Assembler(system_of(system.model, system.motors)[1], self.p).neighbours(self.position())
            labels = self.functions.distribution(frame).labels
            matrices, rank = self._at_rest(frame, places), len(self._kept)
            self._answers[frame] = uniqueness(labels, matrices, rank, system.tree.rounding)
        return self._answers[frame]

    def _at_rest(self, frame: Frame, places: Sequence[np.ndarray]) -> Matrices:
        """Φq, ∂(reactions)/∂λ and ∂(reactions)/∂(hidden components) at positions, t = 0."""
        system, count = self.functions.system, len(places)
        rest = np.zeros(system.nx - system.tree.nq)
        x, u = np.array([np.concatenate([q, rest]) for q in places]), np.zeros((count, len(system.input_names)))
        return self.functions.distribution(frame).at(np.zeros(count), x, u, self.p)
