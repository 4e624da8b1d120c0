"""What a run is asked for after it has ended: channels with their meaning, and their numbers at all instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cardan.results.channel import Channel
from cardan.system.assembly import Assembler
from cardan.system.constrained import has_constraints
from cardan.system.indeterminacy import Indeterminacy, uniqueness
from cardan.system.kernels import Kernels
from cardan.system.measures import Measure
from cardan.system.start import system_of

__all__ = ["Lookup"]

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Lookup:
    """Channels of one run.

    Parameters
    ----------
    kernels : of the system that was run.
    start : state at which it was assembled (nx,).
    rows : t, x, u, p of the returned instants.
    """

    kernels: Kernels
    start: np.ndarray
    rows: Rows

    def __reduce__(self) -> tuple[type, tuple[Kernels, np.ndarray, Rows]]:
        """Answers stay behind; they are found again where they are needed."""
        return Lookup, (self.kernels, self.start, self.rows)

    def channels(self) -> dict[str, Channel]:
        """Every channel by name."""
        return {measure.name: self._channel(measure) for measure in self.kernels.measures}

    def evaluate(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Numbers (N, *shape) of the channels `names`; reactions are distributed only if one of them is asked for."""
        everything = [measure.name for measure in self.kernels.measures]
        values = dict(zip(everything, self.kernels.measured(*self.rows), strict=True))
        answers = self._indeterminacy
        if answers is not None and not answers.unique.keys().isdisjoint(names):
            values |= self._settled(answers, values)
        return {name: values[name] for name in names}

    @cached_property
    def _indeterminacy(self) -> Indeterminacy | None:
        """Answers for the mechanism; None where no loop is closed and everything is unique."""
        system = self.kernels.system
        if not has_constraints(system.tree):
            return None
        parts, kept = self.kernels.sensitivity, system.choice.kept
        functions = system_of(system.model, system.motors)[1]
        unique = uniqueness(Assembler(functions, self.rows[3]), self.start[: system.tree.nq], kept)
        return Indeterminacy(parts.names, parts.world, unique, len(kept), parts.Phi_q.shape[0])

    def _settled(self, answers: Indeterminacy, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Reactions of minimum norm, by name."""
        w = np.concatenate([values[name] for name in answers.names], axis=-1)
        Phi_q, W = self.kernels.distribution(*self.rows) if answers.redundant else (None, None)
        vectors = answers.settled(w, Phi_q, W).reshape(len(w), -1, 3)
        return {name: vectors[:, k] for k, name in enumerate(answers.names)}

    def _channel(self, measure: Measure) -> Channel:
        answers = self._indeterminacy
        if ".reaction_" not in measure.name and measure.kind != "force":
            unique: tuple[str, ...] = ()
        else:
            unique = ("yes",) * 3 if answers is None else answers.unique[measure.name]
        notes = [measure.description]
        notes += ["minimum-norm where not unique"] * ("no" in unique)
        notes += ["NaN where a planar model cannot know it"] * ("unknown" in unique)
        return Channel(
            measure.name,
            measure.unit,
            measure.components,
            measure.kind,
            "; ".join(note for note in notes if note),
            unique,
            measure.on_request,
        )
