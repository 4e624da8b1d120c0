"""Reactions of the joints of one mechanism by name, from the column of all reactions that the catalogue computes.

Source: docs/notation.md §8; which are unique, and the smallest ones: `cardan.loads.uniqueness`
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.start import start
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.loads.reactions import Label, hidden_count, labels
from cardan.loads.uniqueness import least_multipliers, numbers, uniqueness
from cardan.model.quantities.parameters import resolve
from cardan.system.constrained import has_constraints
from cardan.system.drives import unselected_rows

__all__ = ["JointReactions"]


@dataclass(frozen=True, eq=False)
class JointReactions:
    """The reactions of a mechanism, in the order of the column that the catalogue computes."""

    functions: SystemFunctions  # functions of the system

    def by_joint(
        self, w: np.ndarray, q: np.ndarray, v: np.ndarray, t: np.ndarray, p: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Moment and force (…, 6) of every joint by name: of its parent on its child,
        about the child marker's origin.
        """
        w = self._least(w, q, v, t, p) if self._redundant else w
        if self._unknown.any():
            w = np.where(self._unknown, np.nan, w)
        first = np.cumsum([0, *(label.size for label in self._labels)])
        at = {label.name: slice(first[k], first[k + 1]) for k, label in enumerate(self._labels)}
        return {
            joint: np.concatenate([w[..., at[f"{joint}.reaction_{part}"]] for part in ("moment", "force")], axis=-1)
            for joint in self.functions.system.tree.ends
        }

    def _least(self, w: np.ndarray, q: np.ndarray, v: np.ndarray, t: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The reactions with the least sum of squares that belong to the same motion."""
        system, leading = self.functions.system, w.shape[:-1]
        count = int(np.prod(leading))

        def rows(x: np.ndarray) -> np.ndarray:
            return np.broadcast_to(x, (*leading, x.shape[-1])).reshape(count, -1)

        x = np.hstack([rows(q), rows(v), np.zeros((count, system.nz))])
        u = np.zeros((count, len(system.input_names)))
        instants = np.broadcast_to(t, leading).ravel()
        Phi_q, W, _ = self.functions.distribution("world").at(instants, x, u, rows(p) if p.size else p)
        counted = np.repeat([label.counted for label in self._labels], [label.size for label in self._labels])
        counted &= ~self._unknown
        flat = w.reshape(count, -1)
        change = least_multipliers(Phi_q, W[:, counted], flat[:, counted], self._kept)
        return (flat + (W @ change[:, :, None])[..., 0]).reshape(w.shape)

    @cached_property
    def _labels(self) -> list[Label]:
        return labels(self.functions.system.tree)

    @property
    def _redundant(self) -> bool:
        """Whether some equations follow from others, so that multipliers are not unique."""
        return has_constraints(self.functions.system.tree) and len(self._kept) < self.functions.equations

    @property
    def _kept(self) -> tuple[int, ...]:
        """The equations that determine multipliers: those selected, and those of drives that no selection has."""
        system = self.functions.system
        return (*system.choice.kept, *unselected_rows(system.tree, self.functions.equations))

    @cached_property
    def _unknown(self) -> np.ndarray:
        """Which components a planar model cannot know."""
        system = self.functions.system
        if not hidden_count(system.tree):
            return np.zeros(sum(label.size for label in self._labels), dtype=bool)
        assembling, values = AssemblyFunctions(system.tree), resolve(system.model.parameters)
        begin = start(system, assembling, system.model.initial, values)
        p = np.array([float(value) for value in values.values()])
        places = Assembler(assembling, p).neighbours(begin.x[: system.tree.nq])
        unselected = unselected_rows(system.tree, self.functions.equations)
        rank, parts = len(begin.choice.kept) + len(unselected), numbers(system.tree, p, idle=unselected)
        answers = uniqueness(*parts, places, rank, system.tree.rounding)
        return np.array([answer == "unknown" for label in self._labels for answer in answers[label.name]])
