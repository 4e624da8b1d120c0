"""Reactions of the joints of one mechanism by name, from the column of all reactions that the catalogue computes.

Source: docs/notation.md §8; which are unique, and the smallest ones: `cardan.loads.uniqueness`
"""

import numpy as np

from cardan.assembly.start import start, system_of
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.functions.uniqueness import Uniqueness
from cardan.loads.reactions import labels
from cardan.model.quantities.parameters import resolve


@dataclass(frozen=True, eq=False)
class JointReactions:
    """The reactions of a mechanism, in the order of the column that the catalogue computes."""

    functions: SystemFunctions  # functions of the system
    uniqueness: Uniqueness  # at the position in which the model starts, with the values of its parameters

    def by_joint(
        self, w: np.ndarray, q: np.ndarray, v: np.ndarray, t: np.ndarray, p: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Moment and force (…, 6) of every joint by name: of its parent on its child,
        about the child marker's origin.
        """
        uniqueness, named = self.uniqueness, labels(self.functions.system.tree)
        w = self._least(w, q, v, t, p) if uniqueness.redundant else w
        if not uniqueness.complete:
            w = np.where(uniqueness.unknown("world"), np.nan, w)
        first = np.cumsum([0, *(label.size for label in named)])
        at = {label.name: slice(first[k], first[k + 1]) for k, label in enumerate(named)}
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
        _, least = self.uniqueness.least((instants, x, u, rows(p) if p.size else p), w.reshape(count, -1))
        return least.reshape(w.shape)


def joint_reactions(functions: SystemFunctions) -> JointReactions:
    """The reactions of the joints of a mechanism."""
    system = functions.system
    values = resolve(system.model.parameters)

    def position() -> np.ndarray:
        assembling = system_of(system.model, system.motors)[1]
        return start(system, assembling, system.model.initial, values).x[: system.tree.nq]

    uniqueness = Uniqueness(functions, position, np.array([float(value) for value in values.values()]))
    return JointReactions(functions, uniqueness)
