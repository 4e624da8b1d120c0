"""What a run is asked for after it has ended: channels with their meaning, and their numbers at all instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.independent_coordinates import Embedding
from cardan.assembly.start import system_of
from cardan.channels.functions import ChannelFunctions, channel_functions
from cardan.errors import warn
from cardan.functions.system_functions import SystemFunctions
from cardan.loads.reactions import FRAMES, Frame, hidden_count
from cardan.loads.uniqueness import Answer, Numbers, least_multipliers, uniqueness
from cardan.numerics.stacked import Entries
from cardan.results.channel import Channel
from cardan.results.deferred import Deferred
from cardan.singular.limits import Complete, Rows, Solutions
from cardan.system.constrained import has_constraints
from cardan.system.input_segments import Segments, values_at

__all__ = ["Lookup"]

REACTIONS: dict[str, Frame] = {"reactions" if frame == "world" else f"reactions_{frame}": frame for frame in FRAMES}
"""Frame of every family of measures that closed loops may leave undetermined."""
BLOCK = 4_000_000  # numbers that are held at a time


@dataclass(frozen=True)
class Lookup:
    """Channels of one run.

    Parameters
    ----------
    functions : of the system that was run.
    start : state at which it was assembled (nx,).
    t, x : the returned instants (N,) and states (N, nx).
    pieces : the inputs over time.
    p : parameters (k,).
    embedding : the straight branch of the run, if it was integrated on one.
    projected : whether states are held on the constraints.
    """

    functions: SystemFunctions
    start: np.ndarray
    t: np.ndarray
    x: np.ndarray
    pieces: Segments
    p: np.ndarray
    embedding: Embedding | None
    projected: bool

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Answers stay behind; they are found again where they are needed."""
        return Lookup, (self.functions, self.start, self.t, self.x, self.pieces, self.p, self.embedding, self.projected)

    @cached_property
    def _functions(self) -> ChannelFunctions:
        return channel_functions(self.functions)

    @cached_property
    def rows(self) -> Rows:
        """t, x, u, p of the returned instants."""
        return self.t, self.x, values_at(self.pieces, self.t), self.p

    def channels(self) -> Deferred[Channel]:
        """Every channel by name; each is described when it is looked at."""
        return Deferred(lambda: self._functions.measures, self._channel)

    def evaluate(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Numbers (N, *shape) of the channels `names`; no family of results is computed that none of them is of."""
        wanted = [self._functions.measures[name] for name in names]
        values: dict[str, np.ndarray] = {}
        for family in dict.fromkeys(measure.family for measure in wanted):
            values |= self._family(family, [measure.name for measure in wanted if measure.family == family])
        return {measure.name: values[measure.name].reshape(-1, *measure.shape) for measure in wanted}

    def _family(self, family: str, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Columns (N, size) of some results of a family."""
        everything = [measure.name for measure in self._functions.measures.values() if measure.family == family]
        places = [everything.index(name) for name in names]
        blocks = []
        for instants in self._blocks(sum(len(m.components) or 1 for m in self._functions.measures.values())):
            columns = self._columns(family, instants)
            if family in REACTIONS and not self._determined:
                columns = self._settled(REACTIONS[family], columns)
            blocks.append([columns[place] for place in places])
        return {name: np.concatenate([block[i] for block in blocks]) for i, name in enumerate(names)}

    def _columns(self, family: str, instants: slice) -> list[np.ndarray]:
        """All results of a family (N, size each), reactions as they come."""
        t, x, u, p = self._at(instants)
        if not self._closed or family not in (*REACTIONS, "accelerations"):
            return self._functions.family(family)(t, x, u, p)
        if family == "accelerations":
            return [self._accelerations[instants, k : k + 1] for k in range(self.functions.system.tree.nv)]
        return self._functions.reactions(family)(t, x, np.hstack([u, self._solution[instants]]), p)

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
        system = self.functions.system
        return system_of(system.model, system.motors)[1]

    @property
    def _closed(self) -> bool:
        return has_constraints(self.functions.system.tree)

    @property
    def _redundant(self) -> bool:
        """Whether some equations follow from others, so that multipliers are not unique."""
        return len(self.functions.system.choice.kept) < len(self._assembling.labels)

    @cached_property
    def _determined(self) -> bool:
        """Whether every reaction is unique: no equation is redundant, and none is hidden out of a plane."""
        return not self._closed or (not self._redundant and not hidden_count(self.functions.system.tree))

    @cached_property
    def _answers(self) -> dict[Frame, dict[str, tuple[Answer, ...]]]:
        """What is unique, as far as it has been asked for."""
        return {}

    def _unique(self, frame: Frame) -> dict[str, tuple[Answer, ...]]:
        """Whether each component is unique, by reaction."""
        if frame not in self._answers:
            parts = self.functions.distribution(frame)
            kept = self.functions.system.choice.kept
            self._answers[frame] = uniqueness(parts.labels, self._evaluate(frame), self._places, len(kept))
        return self._answers[frame]

    @cached_property
    def _places(self) -> list[np.ndarray]:
        """The assembled position and its neighbours."""
        assembler = Assembler(self._assembling, self.rows[3])
        return assembler.neighbours(self.start[: self.functions.system.tree.nq])

    def _settled(self, frame: Frame, columns: list[np.ndarray]) -> list[np.ndarray]:
        """Reactions (N, size each), NaN where unknown."""
        w = np.concatenate(columns, axis=1)
        w[:, _are(self._unique(frame), "unknown")] = np.nan
        return np.split(w, np.cumsum([label.size for label in self.functions.distribution(frame).labels])[:-1], axis=1)

    @cached_property
    def _accelerations(self) -> np.ndarray:
        """v̇ (N, nv) of a mechanism with constraints."""
        if self.embedding is not None:
            return self._solutions.on_branch(self.rows, self.embedding)
        return self._any_solution[:, : self.functions.system.tree.nv]

    @cached_property
    def _any_solution(self) -> np.ndarray:
        """v̇ and λ (N, nv + c) of a mechanism with constraints; any λ of those that belong to v̇."""
        return self._solved(lambda _, found: found, self.functions.system.tree.nv + len(self._assembling.labels))

    @cached_property
    def _solution(self) -> np.ndarray:
        """v̇ and λ (N, nv + c) of a mechanism with constraints; of many λ those with the smallest reactions."""
        if self._redundant:
            patterns = self.functions.distribution("world").patterns
            found = self._solved(self._least, 4 * sum(pattern.nnz() for pattern in patterns))
        else:
            found = self._any_solution
        lost = self.rows[0][np.isnan(found[:, -1]) & np.isfinite(found[:, 0])]
        if lost.size:
            shown = ", ".join(f"{instant:.6g}" for instant in lost[:3]) + ", ..." * (lost.size > 3)
            warn(
                f"the reactions of {self.functions.system.model.name or 'the mechanism'} grow without bound towards "
                f"its singular position at t = {shown} s: they are NaN there; look at an instant beside it"
            )
        return found

    @property
    def _solutions(self) -> Solutions:
        return Solutions(self.functions, self._assembling, self.embedding, self.projected)

    def _solved(self, complete: Complete, size: int) -> np.ndarray:
        """v̇ and λ (N, nv + c), in parts; each instant needs `size` numbers."""
        return np.concatenate([self._solutions.at(self._at(part), complete) for part in self._blocks(size)])

    def _least(self, rows: Rows, found: np.ndarray) -> np.ndarray:
        """Solutions (N, nv + c) with multipliers that make the reactions small, from others of the same motion."""
        (t, x, u, p), parts = rows, self.functions.distribution("world")
        counted = np.repeat([label.counted for label in parts.labels], [label.size for label in parts.labels])
        counted &= ~_are(self._unique("world"), "unknown")
        Phi_q, W, _ = parts.at(*rows)
        w = np.concatenate(self._functions.reactions("reactions")(t, x, np.hstack([u, found]), p), axis=1)
        change = least_multipliers(Phi_q, W.chosen(counted), w[:, counted], self.functions.system.choice.kept)
        return found + np.hstack([np.zeros((len(t), self.functions.system.tree.nv)), change])

    def _evaluate(self, frame: Frame) -> Numbers:
        """(Φq, W, H) of positions at t = 0."""
        tree, (_, _, u, p) = self.functions.system.tree, self.rows
        rest = np.zeros(self.functions.system.nx - tree.nq)

        def at(places: Sequence[np.ndarray]) -> tuple[Entries, Entries, Entries]:
            x, still = np.array([np.concatenate([q, rest]) for q in places]), np.zeros((len(places), u.shape[1]))
            return self.functions.distribution(frame).at(np.zeros(len(places)), x, still, p)

        return at

    def _channel(self, name: str) -> Channel:
        measure = self._functions.measures[name]
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
