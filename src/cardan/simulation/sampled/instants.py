"""Instants of samples: multiples of their periods, at which steps end."""

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.model.quantities.scalar import Scalar
from cardan.model.sampled.held import HeldSample
from cardan.system.timing import LIMIT


def sample_instants(
    sampled: Sequence[HeldSample], until: float, values: Mapping[str, float], parameters: Mapping[str, Scalar]
) -> list[np.ndarray]:
    """Multiples of the period of each sampled law, from 0 past the end [s]."""
    found = []
    for law in sampled:
        path = (*law.path, "every")
        period = law.period(values, parameters)
        if until / period > LIMIT:
            fault = f"a period of {period:g} s gives more than {LIMIT:,} samples within {until:g} s"
            raise ModelError(Issue(fault, "give a longer one, or shorten the run", path))
        found.append(period * np.arange(int(until / period) + 2))
    return found


def ticks_of(instants: Sequence[np.ndarray], starts: np.ndarray) -> np.ndarray:
    """1 where a sample is made at the start of a segment (S,), else 0 (S, r).

    A segment starts at the last of the instants that are one up to round-off (`segments`): the next start is theirs.
    """
    ticks = np.zeros((starts.size + 1, len(instants)))
    for k, times in enumerate(instants):
        ticks[np.searchsorted(starts, times), k] = 1.0
    return ticks[:-1]
