"""Instants that steps have to end at, found before a run: where expressions of t jump, kink or turn.

*Switchings*: a jump or a kink lies where the argument of a step, sign or abs, or the difference of two compared numbers
changes its sign, or where that of a floor passes a whole number, that of `interpolate` one of its places (`switching`).
*Turning points*: between two neighbouring extremes a function is monotone, so its change within a step shows at the
ends of the step, and step control sees it. A pulse that rises and falls within one step does not show; it does if a
step ends at its peak.

Both are changes of sign of expressions in t, isolated on intervals: none is missed, however short.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from cardan.codegen.targets.interval_target import bounds_of
from cardan.frozen import dataclass
from cardan.model.expressions.evaluation import evaluate, switching
from cardan.model.expressions.grammar import Call, Constant, ParsedExpression
from cardan.model.expressions.operations import CASADI
from cardan.model.expressions.timed import Definitions, is_steady, is_timed, known_names, switching_within, timed_parts
from cardan.model.motions.piecewise import MOST_INSTANTS
from cardan.numerics.distinct import distinct
from cardan.numerics.intervals import Interval
from cardan.numerics.isolation import Sided, changes
from cardan.numerics.round_off import GAP, NEGLIGIBLE

SAMPLES = 257  # number of instants at which this size is computed

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Timing:
    """Instants that steps have to end at, and the expressions for which they are too many."""

    instants: Array  # in order [s]
    too_many: tuple[str, ...]  # names of the expressions with more than `MOST_INSTANTS` instants


def find_instants(
    expressions: Iterable[tuple[str, ParsedExpression]],
    until: float,
    parameters: Mapping[str, float],
    names: Definitions | None = None,
    *,
    turning: bool = True,
    resting: bool = False,
) -> Timing:
    """Switchings, each the first instant after the change, and turning points of expressions over [0, until].

    Conditions on other quantities than t and parameters are ignored: they switch with the motion.
    """
    names = known_names(parameters) if names is None else names
    found: list[Array] = []
    too_many: list[str] = []
    for words, expression in expressions:
        parts = [(False, part) for part in switching(expression) if is_timed(part, names)]
        if turning:
            timed = timed_parts(expression, names)
            parts += [(True, part) for part in timed if resting or not is_steady(part, names)]
        instants = [_instants_of(part, until, parameters, names, turns=turns) for turns, part in parts]
        found += [one for one in instants if one is not None]
        too_many += [words] if any(one is None for one in instants) else []
    return Timing(distinct(np.concatenate([np.zeros(0), *found])), tuple(dict.fromkeys(too_many)))


def _instants_of(
    part: ParsedExpression, until: float, parameters: Mapping[str, float], names: Definitions, *, turns: bool
) -> Array | None:
    """Instants at which a part of an expression switches, or `turns` [s]; None if they are too many."""
    values = tuple((name, parameters[name]) for name in sorted(names.of(part)) if name in parameters)
    lets = tuple((name, names.lets[name]) for name in names.parts(part))
    return _searched(part, until, values, lets, turns)


@lru_cache(maxsize=512)
def _searched(
    part: ParsedExpression,
    until: float,
    values: tuple[tuple[str, float], ...],
    lets: tuple[tuple[str, ParsedExpression], ...],
    turns: bool,
) -> Array | None:
    """As `_instants_of`, of the names in the part; the cache serves runs that vary something else."""
    parameters = dict(values)
    search = _Search(until, parameters, known_names(parameters, lets))
    return search.turning_points(part) if turns else search.switchings(part)


@dataclass(frozen=True)
class _Search:
    """A search over [0, until] of one part."""

    until: float  # [s]
    parameters: Mapping[str, float]
    names: Definitions

    def switchings(self, condition: ParsedExpression) -> Array | None:
        """Instants at which a condition of `switching` changes its sign or interval [s]; None if they are too many."""
        function, side = _function_and_side(condition)
        pieces = self._pieces(function)
        return None if pieces is None else changes(_sided(partial(self._law, function), side), *pieces, MOST_INSTANTS)

    def turning_points(self, part: ParsedExpression) -> Array | None:
        """Instants at which an expression of t turns from growing to falling or back [s]; None if too many."""
        pieces = self._pieces(part)
        if pieces is None:
            return None
        law = partial(self._law, part)
        t = ca.SX.sym("t")
        bounds = bounds_of(ca.Function("value", [t], [law(t)]))
        small = NEGLIGIBLE * _size(bounds(*[np.linspace(0, self.until, SAMPLES)] * 2)[0][0])
        found = changes(_sided(partial(_slope, law), _sign, small), *pieces, MOST_INSTANTS)
        if found is None:
            return None
        turns = np.sort(np.concatenate([*pieces, found]))
        kept = turns[_changed(bounds(turns, turns)[0][0], small)]
        return kept[np.isin(kept, found)]

    def _pieces(self, function: ParsedExpression) -> Interval | None:
        """Starts and ends of the intervals on which a function of t is smooth; None if these are too many."""
        inner = switching_within(function, self.names)
        found = [_instants_of(one, self.until, self.parameters, self.names, turns=False) for one in inner]
        if any(instants is None for instants in found):
            return None
        ends = distinct(np.concatenate([np.zeros(0), *(x for x in found if x is not None)]))
        ends = ends[ends > 0]
        low = np.concatenate([[GAP * np.spacing(self.until)], ends + GAP * np.spacing(ends)])
        high = np.concatenate([ends - GAP * np.spacing(ends), [self.until]])
        return low[low < high], high[low < high]

    def _law(self, expression: ParsedExpression, t: Any) -> Any:
        """Value of an expression at t."""
        scope = {"t": t, **{name: ca.SX(x) for name, x in self.parameters.items()}}
        for name in self.names.parts(expression):
            scope[name] = ca.SX(evaluate(self.names.lets[name], scope.__getitem__, CASADI))
        return ca.SX(evaluate(expression, scope.__getitem__, CASADI))


def _size(values: Array) -> float:
    """Largest finite size of some values."""
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def _changed(values: Array, small: float) -> list[int]:
    """Numbers of the values that differ by more than a `small` change from the one kept before; the first is kept."""
    kept, numbers = [0] if values.size else [], values.tolist()
    for index, value in enumerate(numbers):
        if not abs(value - numbers[kept[-1]]) <= small:
            kept.append(index)
    return kept


def _function_and_side(condition: ParsedExpression) -> tuple[ParsedExpression, Callable[[Array], Array]]:
    """The function of t in a condition of `switching`, and the function that numbers the intervals of its values."""
    if isinstance(condition, Call) and condition.operation == "floor":
        return condition.operands[0], np.floor
    if isinstance(condition, Call) and condition.operation == "places":
        places = [entry.value for entry in condition.operands[1::2] if isinstance(entry, Constant)]
        return condition.operands[0], partial(_lines_before, np.array(places))
    return condition, _sign


def _lines_before(places: Array, values: Array) -> Array:
    """Number of places of an interpolation up to some values."""
    return np.searchsorted(distinct(places), values, side="right").astype(np.float64)


def _slope(law: Any, t: Any) -> Any:
    """Derivative of a law at t."""
    return ca.gradient(law(t), t)


def _sign(values: Array) -> Array:
    """1 for values from 0 on, 0 below it and for NaN."""
    return np.where(values >= 0, 1.0, 0.0)


def _sided(law: Any, side: Any, area: float = 0.0) -> Sided:
    """A law of t with its derivative, for the search of its changes of side."""
    t = ca.SX.sym("t")
    value = law(t)
    alone = bounds_of(ca.Function("value", [t], [value]))
    both = bounds_of(ca.Function("both", [t], [value, ca.gradient(value, t)]))

    def bounds(low: Array, high: Array) -> tuple[Interval, Interval]:
        values, slopes = both(low, high)
        return values, slopes

    return Sided(lambda x: alone(x, x)[0][0], bounds, side, area)
