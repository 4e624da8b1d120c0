"""What a run is asked for after it has ended: channels with their meaning, and their numbers at all instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cardan.numerics.stacked import Entries
from cardan.results.channel import Channel
from cardan.results.deferred import Deferred
from cardan.simulation.signals import Segments, values_at
from cardan.system.assembly import Assembler
from cardan.system.assembly_functions import AssemblyFunctions
from cardan.system.constrained import has_constraints
from cardan.system.embedded_kernels import embedded_kernels_of
from cardan.system.embedding import Embedding
from cardan.system.indeterminacy import Answer, Numbers, least_multipliers, uniqueness
from cardan.system.kernels import Kernels
from cardan.system.reactions import FRAMES, Frame, hidden_count
from cardan.system.start import system_of

__all__ = ["Lookup"]

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
REACTIONS: dict[str, Frame] = {"reactions" if frame == "world" else f"reactions_{frame}": frame for frame in FRAMES}
"""Frame of every family of measures that closed loops may leave undetermined."""
BLOCK = 4_000_000  # numbers that are held at a time


@dataclass(frozen=True)
class Lookup:
    """Channels of one run.

    Parameters
    ----------
    kernels : of the system that was run.
    start : state at which it was assembled (nx,).
    t, x : the returned instants (N,) and states (N, nx).
    pieces : the inputs over time.
    p : parameters (k,).
    embedding : the straight branch of the run, if it was integrated on one.
    """

    kernels: Kernels
    start: np.ndarray
    t: np.ndarray
    x: np.ndarray
    pieces: Segments
    p: np.ndarray
    embedding: Embedding | None

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Answers stay behind; they are found again where they are needed."""
        return Lookup, (self.kernels, self.start, self.t, self.x, self.pieces, self.p, self.embedding)

    @cached_property
    def rows(self) -> Rows:
        """t, x, u, p of the returned instants."""
        return self.t, self.x, values_at(self.pieces, self.t), self.p

    def channels(self) -> Deferred[Channel]:
        """Every channel by name; each is described when it is looked at."""
        return Deferred(lambda: self.kernels.measures, self._channel)

    def evaluate(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Numbers (N, *shape) of the channels `names`; no family of results is computed that none of them is of."""
        wanted = [self.kernels.measures[name] for name in names]
        values: dict[str, np.ndarray] = {}
        for family in dict.fromkeys(measure.family for measure in wanted):
            values |= self._family(family, [measure.name for measure in wanted if measure.family == family])
        return {measure.name: values[measure.name].reshape(-1, *measure.shape) for measure in wanted}

    def _family(self, family: str, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Columns (N, size) of some results of a family."""
        everything = [measure.name for measure in self.kernels.measures.values() if measure.family == family]
        places = [everything.index(name) for name in names]
        blocks = []
        for instants in self._blocks(sum(len(m.components) or 1 for m in self.kernels.measures.values())):
            columns = self._columns(family, instants)
            if family in REACTIONS and not self._determined:
                columns = self._settled(REACTIONS[family], columns, instants)
            blocks.append([columns[place] for place in places])
        return {name: np.concatenate([block[i] for block in blocks]) for i, name in enumerate(names)}

    def _columns(self, family: str, instants: slice) -> list[np.ndarray]:
        """All results of a family (N, size each), reactions as they come."""
        branch, (t, x, u, p) = self.embedding, self._at(instants)
        if family != "accelerations" or branch is None:
            return self.kernels.measured(family)(t, x, u, p)
        # the branch knows them in singular positions, too, where equations do not
        system, expressions = self.kernels.system, tuple(self.kernels.expressions.items())
        kernels = embedded_kernels_of(system.model, system.motors, expressions, branch.pattern)
        return kernels.accelerations(t, branch.reduced(x), u, np.append(p, branch.sizes))

    def _blocks(self, size: int) -> list[slice]:
        """The instants in parts, so that memory does not grow with all of them; each needs `size` numbers."""
        count, step = len(self.rows[0]), max(1, BLOCK // size)
        return [slice(first, min(first + step, count)) for first in range(0, max(count, 1), step)]

    def _at(self, instants: slice) -> Rows:
        """Rows of some instants."""
        t, x, u, p = self.rows
        return t[instants], x[instants], u[instants], p

    @cached_property
    def _assembling(self) -> AssemblyFunctions:
        system = self.kernels.system
        return system_of(system.model, system.motors)[1]

    @cached_property
    def _determined(self) -> bool:
        """Whether every reaction is unique: no equation is redundant, and none is hidden out of a plane."""
        system = self.kernels.system
        if not has_constraints(system.tree):
            return True
        return len(system.choice.kept) == len(self._assembling.labels) and not hidden_count(system.tree)

    @cached_property
    def _answers(self) -> dict[Frame, dict[str, tuple[Answer, ...]]]:
        """What is unique, as far as it has been asked for."""
        return {}

    def _unique(self, frame: Frame) -> dict[str, tuple[Answer, ...]]:
        """Whether each component is unique, by reaction."""
        if frame not in self._answers:
            parts = self.kernels.distribution(frame)
            kept = self.kernels.system.choice.kept
            self._answers[frame] = uniqueness(parts.labels, self._evaluate(frame), self._places, len(kept))
        return self._answers[frame]

    @cached_property
    def _places(self) -> list[np.ndarray]:
        """The assembled position and its neighbours."""
        assembler = Assembler(self._assembling, self.rows[3])
        return assembler.neighbours(self.start[: self.kernels.system.tree.nq])

    def _settled(self, frame: Frame, columns: list[np.ndarray], instants: slice) -> list[np.ndarray]:
        """Reactions of minimum norm (N, size each) from any that belong to the motion; NaN where unknown."""
        unique, parts = self._unique(frame), self.kernels.distribution(frame)
        w, change = np.concatenate(columns, axis=1), self._change
        if change is not None:
            _, W, _ = parts.at(*self._at(instants))
            w = w + W.times(change[instants])
        w[:, _are(unique, "unknown")] = np.nan
        return np.split(w, np.cumsum([label.size for label in parts.labels])[:-1], axis=1)

    @cached_property
    def _change(self) -> np.ndarray | None:
        """Change of the multipliers (N, c) that makes the reactions small; None where all of them are unique."""
        kept, parts = self.kernels.system.choice.kept, self.kernels.distribution("world")
        if len(kept) == parts.patterns[0].shape[0]:
            return None
        counted = np.repeat([label.counted for label in parts.labels], [label.size for label in parts.labels])
        counted &= ~_are(self._unique("world"), "unknown")
        blocks = []
        for instants in self._blocks(4 * sum(pattern.nnz() for pattern in parts.patterns)):
            Phi_q, W, _ = parts.at(*self._at(instants))
            w = np.concatenate(self.kernels.measured("reactions")(*self._at(instants)), axis=1)
            blocks.append(least_multipliers(Phi_q, W.chosen(counted), w[:, counted], kept))
        return np.concatenate(blocks)

    def _evaluate(self, frame: Frame) -> Numbers:
        """(Φq, W, H) of positions at t = 0."""
        tree, (_, _, u, p) = self.kernels.system.tree, self.rows
        rest = np.zeros(self.kernels.system.nx - tree.nq)

        def at(places: Sequence[np.ndarray]) -> tuple[Entries, Entries, Entries]:
            x, still = np.array([np.concatenate([q, rest]) for q in places]), np.zeros((len(places), u.shape[1]))
            return self.kernels.distribution(frame).at(np.zeros(len(places)), x, still, p)

        return at

    def _channel(self, name: str) -> Channel:
        measure = self.kernels.measures[name]
        unique: tuple[str, ...] = ()
        if measure.family in REACTIONS:
            count = len(measure.components) or 1
            unique = ("yes",) * count if self._determined else self._unique(REACTIONS[measure.family])[name]
        notes = [measure.description]
        notes += ["minimum-norm where not unique"] * ("no" in unique)
        notes += ["NaN where a planar model cannot know it"] * ("unknown" in unique)
        words = "; ".join(note for note in notes if note)
        return Channel(measure.name, measure.unit, measure.components, measure.kind, words, unique)


def _are(answers: dict[str, tuple[Answer, ...]], what: Answer) -> np.ndarray:
    """Which components have an answer."""
    return np.array([answer == what for row in answers.values() for answer in row], dtype=bool)
