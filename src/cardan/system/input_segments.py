"""Inputs over time: constants, expressions and tables become segments on which all inputs are smooth.

A table is affine between its samples, so every sample ends a segment; an expression ends one wherever a sign, a step
or a comparison in it switches. The integrator steps to the ends of the segments and never over them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from cardan.errors import ModelError, nearest
from cardan.model.expressions.evaluation import ParsedExpression, evaluate, names_of, switching
from cardan.model.expressions.grammar import Call
from cardan.model.lets import needed, reached
from cardan.model.quantities.scalar import Scalar
from cardan.model.signal import Table

__all__ = ["Segments", "check_names", "segments", "switch_times", "values_at", "varies"]

SCAN = 20_000  # number of instants at which a switching function is evaluated: shorter pulses may be missed

Signal = Scalar | Table


@dataclass(frozen=True)
class Segments:
    """u(t) = c0[s] + c1[s] (t − a[s]) on a[s] ≤ t < b[s]; entries of inputs that are expressions are zero."""

    a: np.ndarray  # (S,) [s]
    b: np.ndarray  # (S,) [s]
    c0: np.ndarray  # (S, m)
    c1: np.ndarray  # (S, m) [1/s]


def segments(
    signals: Mapping[str, Signal], until: float, parameters: Mapping[str, float], switches: Iterable[float]
) -> Segments:
    """Segments of [0, until] for the signals of all inputs, in their order.

    Parameters
    ----------
    signals : constants, expressions and tables by the names of the inputs.
    until : end [s].
    parameters : values of the parameters, for constants that name them.
    switches : further instants to step to [s].

    Raises
    ------
    ModelError
        The file of a table cannot be read, or holds no samples in order of time.
    """
    tables = {k: _samples(name, s) for k, (name, s) in enumerate(signals.items()) if isinstance(s, Table)}
    knots = [t for samples in tables.values() for t in samples[:, 0]]
    ends = np.unique([t for t in (*knots, *switches) if 0 < t < until])
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


def switch_times(
    expressions: Iterable[ParsedExpression],
    until: float,
    parameters: Mapping[str, float],
    lets: Mapping[str, Scalar] | None = None,
) -> list[float]:
    """Instants [s] at which an expression in t jumps or kinks, each the first instant after the change.

    Parameters
    ----------
    expressions : expressions of inputs and forces; conditions on other quantities than t and parameters are ignored.
    until : end of the time that is searched, from 0 [s].
    parameters : values of the parameters.
    lets : names for parts of the expressions, if any.
    """
    out: list[float] = []
    lets = lets or {}
    for expression in expressions:
        for condition in switching(expression):
            names = reached(names_of(condition), lets) - lets.keys()
            if "t" in names and names <= {"t", "pi", *parameters}:
                parts = {name: lets[name] for name in needed(names_of(condition), lets)}
                out += _changes(partial(_side, condition, parameters, parts), until)
    return out


def _side(
    condition: ParsedExpression, parameters: Mapping[str, float], parts: Mapping[str, Scalar], t: np.ndarray
) -> np.ndarray:
    """On which side of its switch a condition is at the instants t: its value for a `floor`, else 1 from f = 0 on."""
    scope = {**parameters, "t": t, "pi": np.pi}
    with np.errstate(all="ignore"):
        for name, part in parts.items():
            scope[name] = part.evaluate(scope.__getitem__)
        value = np.broadcast_to(np.asarray(evaluate(condition, scope.__getitem__), dtype=float), np.shape(t))
    if isinstance(condition, Call) and condition.operation == "floor":
        return np.nan_to_num(value)
    return np.where(value >= 0, 1.0, 0.0)


def _changes(side: Callable[[np.ndarray], np.ndarray], until: float) -> list[float]:
    """First instants after each change of side, by bisection of all of them down to neighbouring doubles."""
    t = np.linspace(0, until, SCAN + 1)
    at = side(t)
    changed = np.flatnonzero(at[1:] != at[:-1])
    low, high, before = t[changed], t[changed + 1], at[changed]
    while True:
        middle = 0.5 * (low + high)
        between = (low < middle) & (middle < high)
        if not between.any():
            return [float(instant) for instant in high]
        same = side(middle) == before
        low, high = np.where(between & same, middle, low), np.where(between & ~same, middle, high)


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
