"""Inputs over time: constants, expressions and tables become segments on which all inputs are smooth.

A table is a polynomial between its samples, so every sample ends a segment; expressions of t end one where they switch
or turn (`timing`). Steps of the integrator end at the ends of the segments.
"""

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np

from cardan.errors import ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.motions.piecewise import cubic_pieces
from cardan.model.quantities.scalar import Scalar
from cardan.model.signal import Table
from cardan.numerics.distinct import distinct
from cardan.numerics.round_off import GAP

Signal = Scalar | Table


@dataclass(frozen=True)
class Segments:
    """u(t) = c0 + c1 d + c2 d² + c3 d³ of segment s with d = t − a[s] on a[s] ≤ t < b[s].

    Entries of inputs that are expressions are zero: the compiled functions contain these.
    """

    a: np.ndarray  # (S,) [s]
    b: np.ndarray  # (S,) [s]
    c0: np.ndarray  # (S, m)
    c1: np.ndarray  # (S, m) [1/s]
    c2: np.ndarray  # (S, m) [1/s²]
    c3: np.ndarray  # (S, m) [1/s³]


def segments(
    signals: Mapping[str, Signal], until: float, parameters: Mapping[str, float], switches: np.ndarray
) -> Segments:
    """Segments of [0, until] for the signals of all inputs, in their order.

    Instants that differ by round-off, such as 33·0.01 s and 11·0.03 s, are one: the last of them, so that tables are
    past their samples there.
    """
    tables = {k: _samples(name, s) for k, (name, s) in enumerate(signals.items()) if isinstance(s, Table)}
    knots = [t for samples in tables.values() for t in samples[:, 0]]
    ends = distinct(np.concatenate([knots, switches, [until]]))
    ends = ends[(ends > 0) & (ends <= until)]
    ends = ends[:-1][np.diff(ends) > GAP * np.spacing(ends[:-1])]
    a, b = np.concatenate([[0.0], ends]), np.concatenate([ends, [until]])
    c = np.zeros((4, a.size, len(signals)))
    for k, signal in enumerate(signals.values()):
        if isinstance(signal, Table):
            c[:, :, k] = _cubic(tables[k], a) if signal.interpolation == "cubic" else _affine(tables[k], a, signal)
        elif not varies(signal, parameters):
            c[0, :, k] = signal.evaluate(parameters.__getitem__)
    return Segments(a, b, *c)


def _samples(name: str, table: Table) -> np.ndarray:
    """Samples (N, 2) of the input `name`."""
    try:
        return np.array(table.samples())
    except ModelError as error:
        raise error.under("inputs", name) from None


def varies(signal: Signal, parameters: Container[str]) -> bool:
    """Whether a signal is an expression of more than parameters: of t, or of the state, which makes it feedback."""
    return isinstance(signal, Scalar) and any(name not in parameters for name in signal.names - {"pi"})


def values_at(pieces: Segments, t: np.ndarray) -> np.ndarray:
    """Values (N, m) of the inputs that `pieces` describes at the instants t (N,); at a jump, those after it."""
    if pieces.a.size == 1 and not (pieces.c1.any() or pieces.c2.any() or pieces.c3.any()):
        return np.broadcast_to(pieces.c0, (t.size, pieces.c0.shape[1]))  # one row stands for all
    s = np.clip(np.searchsorted(pieces.a, t, side="right") - 1, 0, pieces.a.size - 1)
    d = (t - pieces.a[s])[:, None]
    return pieces.c0[s] + d * (pieces.c1[s] + d * (pieces.c2[s] + d * pieces.c3[s]))


def _affine(samples: np.ndarray, a: np.ndarray, table: Table) -> np.ndarray:
    """Coefficients (4, S) of each segment, from the constant up; outside its samples a table keeps its end values."""
    t, y = samples.T
    after = np.searchsorted(t, a, side="right")
    left = np.clip(after - 1, 0, t.size - 1)
    right = np.clip(after, 0, t.size - 1)
    inside = (after > 0) & (after < t.size) & (table.interpolation == "linear")
    width = np.where(inside, t[right] - t[left], 1.0)
    slope = np.where(inside, (y[right] - y[left]) / width, 0.0)
    return np.array([y[left] + slope * np.where(inside, a - t[left], 0.0), slope, 0 * slope, 0 * slope])


def _cubic(samples: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Coefficients (4, S) of a spline through the samples for each segment, from the constant up."""
    t, y = samples.T
    pieces, _ = cubic_pieces(tuple(zip(t.tolist(), y.tolist(), strict=True)))
    before, beyond = a < t[0], a >= t[-1]
    s = np.clip(np.searchsorted(t, a, side="right") - 1, 0, t.size - 2)
    c3, c2, c1, c0 = np.array(pieces)[:, s]
    d = a - t[s]
    moved = np.array([c0 + d * (c1 + d * (c2 + d * c3)), c1 + d * (2 * c2 + 3 * d * c3), c2 + 3 * d * c3, c3])
    moved[:, before | beyond] = 0.0
    moved[0, before], moved[0, beyond] = y[0], y[-1]
    return moved


def check_names(given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse inputs `given` that are not among the `known` ones, those of motors or joints."""
    for name in given:
        if name not in known:
            raise ModelError(f"there is no input {name!r}", nearest(name, known))
