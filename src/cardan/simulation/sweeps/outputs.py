"""Outputs of a sweep: results of each run over time, or one number by a reduction such as `max(drive.current)`."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import ParsedExpression, names_of, parse
from cardan.model.quantities.dimensions import expression_unit
from cardan.model.units import Dimension, dimension_of
from cardan.results.channel import Channel

REDUCTIONS = ("max", "min", "mean", "final")
"""What makes one number of the values over a whole motion."""

_REDUCED = re.compile(rf"\s*({'|'.join(REDUCTIONS)})\s*\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Ends:
    """Ends of B runs: the end of the sweep, or the instant at which an event stopped a run."""

    t: np.ndarray  # (B,) [s]; NaN for a run that failed
    values: Mapping[str, np.ndarray]  # results (B, …) there, by name; NaN likewise


@dataclass(frozen=True)
class Output:
    """One variable of a sweep."""

    name: str  # of the variable: as it was written, or as the caller calls it
    reduction: str  # a key of `REDUCTIONS`; empty for values over time
    channel: Channel | None  # the result that it is; None for an expression
    expression: ParsedExpression | None  # of results, parameters and t; None for a result
    columns: Mapping[str, tuple[str, int | None]]  # result and component of every name in the expression
    unit: str  # SI unit; empty where it is not known

    @property
    def needs(self) -> frozenset[str]:
        """Names of the results that are needed."""
        channel = () if self.channel is None else (self.channel.name,)
        return frozenset([*channel, *(result for result, _ in self.columns.values())])

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components of a vector; empty for a number."""
        return self.channel.components if self.channel is not None else ()

    def values(
        self,
        count: int,
        t: np.ndarray,
        found: Mapping[str, np.ndarray],
        reduced: Mapping[str, np.ndarray],
        ends: Ends,
        parameters: Mapping[str, Any],
    ) -> np.ndarray:
        """Values (B, N, …), or (B, …) after a reduction."""
        if self.name in reduced:
            return reduced[self.name]
        if self.reduction:  # the final value: between two instants where an event stopped the run
            t, found = ends.t[:, None], {name: values[:, None] for name, values in ends.values.items()}
        x = found[self.channel.name] if self.channel is not None else self._over_time(count, t, found, parameters)
        return np.asarray(x[:, -1] if self.reduction else x)

    def of_run(
        self, parameters: Mapping[str, np.ndarray], t: np.ndarray, found: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Values (N, …) over the instants t (N,) of one run."""
        if self.channel is not None:
            return found[self.channel.name]
        return self._over_time(1, t, {name: values[None] for name, values in found.items()}, parameters)[0]

    def _over_time(
        self, count: int, t: np.ndarray, found: Mapping[str, np.ndarray], parameters: Mapping[str, Any]
    ) -> np.ndarray:
        """Values (B, N) of its expression at the instants t (N,), or those of each run (B, N) [s]."""
        assert self.expression is not None
        scope = {"t": t, "pi": np.pi, **{name: np.reshape(x, (-1, 1)) for name, x in parameters.items()}}
        for name, (result, k) in self.columns.items():
            scope[name] = found[result] if k is None else found[result][..., k]
        with np.errstate(all="ignore"):  # where an expression has no value it is NaN
            return np.broadcast_to(evaluate(self.expression, scope.__getitem__), (count, np.shape(t)[-1]))


def read_outputs(
    wanted: Iterable[str] | Mapping[str, str] | None,
    channels: Mapping[str, Channel],
    parameters: Mapping[str, Dimension | None],
) -> tuple[Output, ...]:
    """The variables that a caller asks for."""
    if isinstance(wanted, str):
        raise ModelError(f"outputs={wanted!r} is one text", f"give a list: [{wanted!r}]")
    texts = dict(wanted) if isinstance(wanted, Mapping) else {text: text for text in wanted or ()}
    for name, text in texts.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            raise ModelError(f"the output {text!r} is no text", 'write the name of a result, or "max(drive.current)"')
    return tuple(_read(name, text, channels, parameters) for name, text in texts.items())


def _read(name: str, text: str, channels: Mapping[str, Channel], parameters: Mapping[str, Dimension | None]) -> Output:
    if text in channels:
        return Output(name, "", channels[text], None, {}, channels[text].unit)
    reduction, inside = "", text
    if (match := _REDUCED.fullmatch(text)) and _is_expression(match[2]):
        reduction, inside = match[1], match[2].strip()
        if inside in channels:
            return Output(name, reduction, channels[inside], None, {}, channels[inside].unit)
    try:
        expression = parse(inside)
    except ModelError as error:
        if _is_expression(re.sub(rf"\b({'|'.join(REDUCTIONS)})\s*\(", "abs(", text)):
            fault = f"{text!r} calculates with reductions, which stand alone"
            cure = "make each of them an output of its own, such as max(swing.q), and calculate with the numbers found"
            raise ModelError(Issue(fault, cure, ("outputs", name))) from None
        raise error.under("outputs", name) from None
    names = names_of(expression)
    known = {n: channel for n in names if (channel := _channel_of(n, channels)) is not None}
    for wrong in sorted(names - known.keys() - parameters.keys() - {"t", "pi"}):
        every = [column for channel in channels.values() for column in channel.columns]
        raise ModelError(f"there is no result {wrong!r} in the output {text!r}", nearest(wrong, [*channels, *every]))
    columns = {n: _column(n, channel) for n, channel in known.items()}
    return Output(name, reduction, None, expression, columns, _unit(expression, known, parameters))


def _channel_of(column: str, channels: Mapping[str, Channel]) -> Channel | None:
    """The result that has this column; a description of all results would cost more than hundreds of runs."""
    for name in (column, column.rpartition(".")[0]):
        if name in channels and column in channels[name].columns:
            return channels[name]
    return None


def _column(name: str, channel: Channel) -> tuple[str, int | None]:
    """The result that a name belongs to, and the number of its component."""
    return channel.name, channel.columns.index(name) if channel.components else None


def _is_expression(text: str) -> bool:
    """Whether a text is one expression, not several with commas: `max(a, b)` is a function of two."""
    try:
        parse(text)
    except ModelError:
        return False
    return True


def _unit(
    expression: ParsedExpression, known: Mapping[str, Channel], parameters: Mapping[str, Dimension | None]
) -> str:
    """The SI unit of an expression of results and parameters; empty where it is not known."""
    units = {name: channel.unit for name, channel in known.items()} | {"t": "s"}
    dimensions = {**parameters, **{name: dimension_of(unit) for name, unit in units.items()}}
    return expression_unit(expression, units, dimensions.get)
