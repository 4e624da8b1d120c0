"""Inputs over time: constants, expressions and tables become segments on which all inputs are smooth.

A table is affine between its samples, so every sample ends a segment; expressions of t end one where they switch or
turn (`timing`). The integrator steps to the ends of the segments and never over them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cardan.errors import ModelError, nearest
from cardan.model.quantities.scalar import Scalar
from cardan.model.signal import Table
from cardan.numerics.distinct import distinct

__all__ = ["Segments", "check_names", "segments", "values_at", "varies"]

Signal = Scalar | Table


@dataclass(frozen=True)
class Segments:
    """u(t) = c0[s] + c1[s] (t − a[s]) on a[s] ≤ t < b[s]; entries of inputs that are expressions are zero."""

    a: np.ndarray  # (S,) [s]
    b: np.ndarray  # (S,) [s]
    c0: np.ndarray  # (S, m)
    c1: np.ndarray  # (S, m) [1/s]


def segments(
    signals: Mapping[str, Signal], until: float, parameters: Mapping[str, float], switches: np.ndarray
) -> Segments:
    """Segments of [0, until] for the signals of all inputs, in their order.

    Parameters
    ----------
    signals : constants, expressions and tables by the names of the inputs.
    until : end [s].
    parameters : values of the parameters, for constants that name them.
    switches : further instants to step to (N,) [s].

    Raises
    ------
    ModelError
        The file of a table cannot be read, or holds no samples in order of time.
    """
    tables = {k: _samples(name, s) for k, (name, s) in enumerate(signals.items()) if isinstance(s, Table)}
    knots = [t for samples in tables.values() for t in samples[:, 0]]
    ends = distinct(np.concatenate([knots, switches]))
    ends = ends[(ends > 0) & (ends < until)]
    a, b = np.concatenate([[0.0], ends]), np.concatenate([ends, [until]])
    c0, c1 = np.zeros((a.size, len(signals))), np.zeros((a.size, len(signals)))
    for k, signal in enumerate(signals.values()):
        if isinstance(signal, Table):
            c0[:, k], c1[:, k] = _affine(tables[k], a, signal.interpolation)
        elif not varies(signal, parameters):
            c0[:, k] = signal.evaluate(parameters.__getitem__)
    return Segments(a, b, c0, c1)


def _samples(name: str, table: Table) -> np.ndarray:
    """Samples (N, 2) of the input `name`."""
    try:
        return np.array(table.samples())
    except ModelError as error:
        raise error.under("inputs", name) from None


def varies(signal: Signal, parameters: Container[str]) -> bool:
    """Whether a signal is an expression of more than parameters: of t, or of the state, which makes it feedback.

    Parameters
    ----------
    signal : signal of an input.
    parameters : names of the parameters.
    """
    return isinstance(signal, Scalar) and any(name not in parameters for name in signal.names - {"pi"})


def values_at(pieces: Segments, t: np.ndarray) -> np.ndarray:
    """Values (N, m) of the inputs that `pieces` describes at the instants t (N,); at a jump, those after it."""
    if pieces.a.size == 1:
        return pieces.c0 + pieces.c1 * (t - pieces.a)[:, None]
    s = np.clip(np.searchsorted(pieces.a, t, side="right") - 1, 0, pieces.a.size - 1)
    return pieces.c0[s] + pieces.c1[s] * (t - pieces.a[s])[:, None]


def _affine(samples: np.ndarray, a: np.ndarray, interpolation: str) -> tuple[np.ndarray, np.ndarray]:
    """Value and slope (S,) at the start of each segment; outside its samples a table keeps its end values."""
    t, y = samples.T
    after = np.searchsorted(t, a, side="right")
    left = np.clip(after - 1, 0, t.size - 1)
    right = np.clip(after, 0, t.size - 1)
    inside = (after > 0) & (after < t.size) & (interpolation == "linear")
    width = np.where(inside, t[right] - t[left], 1.0)
    slope = np.where(inside, (y[right] - y[left]) / width, 0.0)
    return y[left] + slope * np.where(inside, a - t[left], 0.0), slope


def check_names(given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse inputs `given` that are not among the `known` ones, those of motors or joints.

    Raises
    ------
    ModelError
        The name of an input is unknown.
    """
    for name in given:
        if name not in known:
            raise ModelError(f"there is no input {name!r}", nearest(name, known))
