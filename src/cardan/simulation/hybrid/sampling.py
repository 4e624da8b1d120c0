"""Instants of samples: multiples of their periods, at which steps end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.model.checks.arguments import check_unit, number
from cardan.model.quantities.scalar import Scalar
from cardan.simulation.hybrid.held import HeldSample
from cardan.system.timing import GAP, LIMIT

__all__ = ["sample_instants", "ticks_of"]


def sample_instants(
    sampled: Sequence[HeldSample], until: float, values: Mapping[str, float], parameters: Mapping[str, Scalar]
) -> list[np.ndarray]:
    """Instants of each sampled law, from 0 up to but not including the end [s]."""
    found = []
    for law in sampled:
        path = (*law.path, "every")
        check_unit(law.every, "s", parameters, path)
        period = number(law.every, values, path)
        if not period > 0:
            raise ModelError(Issue(f"a period of {period:g} s is not possible", "give a positive time", path))
        if until / period > LIMIT:
            fault = f"a period of {period:g} s gives more than {LIMIT:,} samples within {until:g} s"
            raise ModelError(Issue(fault, "give a longer one, or shorten the run", path))
        instants = period * np.arange(int(until / period) + 2)
        found.append(instants[instants < until])
    return _merged(found)


def _merged(found: list[np.ndarray]) -> list[np.ndarray]:
    """The same instants, those that differ by round-off, such as 33·0.01 s and 11·0.03 s, as one number."""
    every = np.sort(np.concatenate([[0.0], *found]))
    own = every[np.append(True, np.diff(every) > GAP * np.spacing(every[1:]))]
    return [own[np.searchsorted(own, t + GAP * np.spacing(t), side="right") - 1] for t in found]


def ticks_of(instants: Sequence[np.ndarray], starts: np.ndarray) -> np.ndarray | None:
    """1 where a sample is made at the start of a segment, else 0 (S, r); None without samples."""
    return np.stack([np.isin(starts, ticks) for ticks in instants], axis=1).astype(float) if instants else None
