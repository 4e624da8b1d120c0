"""Accelerations and multipliers along a motion, from which forces and reactions are computed."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cardan.assembly.independent_coordinates import Embedding
from cardan.assembly.start import system_of
from cardan.channels.functions import Need, channel_functions
from cardan.errors import warn
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.functions.uniqueness import Instants, Uniqueness
from cardan.singular import EquationsOfMotion, limits
from cardan.system.constrained import has_constraints

BLOCK = 4_000_000  # numbers in memory at a time while instants are evaluated


@dataclass(frozen=True, eq=False)
class Solver:
    """The equations of motion of one mechanism, solved at given instants."""

    functions: SystemFunctions  # functions of the system
    position: np.ndarray  # an assembled position (nq,), at which the uniqueness of reactions is determined
    p: np.ndarray  # values of the parameters (k,)
    embedding: Embedding | None = None  # the straight branch of the motion, if it is integrated on one
    projected: bool = True  # whether states are held on the constraints

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickling drops computed answers; they are computed again on demand."""
        return Solver, (self.functions, self.position, self.p, self.embedding, self.projected)

    @cached_property
    def uniqueness(self) -> Uniqueness:
        """Which reactions are unique."""
        return Uniqueness(self.functions, lambda: self.position, self.p)

    def solve(self, instants: Instants, need: Need) -> np.ndarray:
        """Accelerations and multipliers (N, nv + c)."""
        if not has_constraints(self.functions.system.tree):
            return channel_functions(self.functions).accelerations(*instants)
        if need is Need.MULTIPLIERS:
            return self._with_multipliers(instants)
        if self.embedding is None:
            return self._in_blocks(instants, lambda _, found: found)
        a = self._equations.on_branch(instants, self.embedding)
        return np.hstack([a, np.full((len(a), self.functions.equations), np.nan)])

    def _with_multipliers(self, instants: Instants) -> np.ndarray:
        """The solutions with the smallest reactions, where redundant equations allow many."""
        if self.uniqueness.redundant:
            found = self._in_blocks(instants, self._with_least_reactions, self.uniqueness.numbers_per_instant)
        else:
            found = self._in_blocks(instants, lambda _, found: found)
        rows = np.flatnonzero(np.isnan(found[:, -1]) & np.isfinite(instants[1]).all(axis=1))
        if rows.size:  # elsewhere a force is NaN, such as one beyond its table
            t, x, u, p = instants
            there = t[rows], x[rows], u[rows], p[rows] if p.ndim > 1 else p
            rows = rows[~self._equations.far(there)]
        lost = instants[0][rows]
        if lost.size:
            shown = ", ".join(f"{instant:.6g}" for instant in lost[:3]) + ", ..." * (lost.size > 3)
            name = self.functions.system.model.name or "the mechanism"
            warn(
                f"the reactions of {name} grow without bound or are lost in round-off at its "
                f"singular position at t = {shown} s: they are NaN there; look at an instant beside it"
            )
        return found

    def _with_least_reactions(self, instants: Instants, found: np.ndarray) -> np.ndarray:
        """Accelerations and multipliers (N, nv + c) with the smallest reactions that belong to the same motion."""
        reactions = channel_functions(self.functions).family("reactions")
        change, _ = self.uniqueness.least(instants, np.concatenate(reactions.columns(*instants, found), axis=1))
        return found + np.hstack([np.zeros((len(found), self.functions.system.tree.nv)), change])

    def _in_blocks(
        self, instants: Instants, complete: Callable[[Instants, np.ndarray], np.ndarray], numbers: int = 0
    ) -> np.ndarray:
        """Solutions (N, nv + c), completed by `complete`, which holds so many numbers for each instant."""
        size = numbers or self.functions.system.tree.nv + self.functions.equations
        parts = blocks(len(instants[0]), size)
        of_parts, equations = [part_of(instants, part) for part in parts], self._equations
        if self.projected:
            return joined([limits(equations, part, complete) for part in of_parts])
        return joined([equations.solved(part, complete)[0] for part in of_parts])

    @property
    def _equations(self) -> EquationsOfMotion:
        system = self.functions.system
        return EquationsOfMotion(self.functions, system_of(system.model, system.motors)[1], self.embedding)


def blocks(count: int, size: int) -> list[slice]:
    """Consecutive parts of instants, so that the memory needed does not grow with their number; one part at least."""
    step = max(1, BLOCK // max(size, 1))
    return [slice(first, min(first + step, count)) for first in range(0, max(count, 1), step)]


def joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    """The values at all instants from those at consecutive parts; of one part without a copy."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def part_of(instants: Instants, part: slice) -> Instants:
    """The `part` of some `instants`; parameters that are the same at all of them stay whole."""
    t, x, u, p = instants
    return t[part], x[part], u[part], p[part] if p.ndim > 1 else p
