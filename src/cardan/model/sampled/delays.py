"""Delays of sampled laws: delay(x, T) is the value that x had n samples earlier, n = T over the law's period.

A chain of n states holds the last n values. At t = 0 all of them take the value of x, which is therefore the value of
the delay until T.
"""

from collections.abc import Mapping
from typing import Any

from cardan.errors import Issue, ModelError, Path
from cardan.frozen import dataclass, field, replace
from cardan.model.checks.arguments import number
from cardan.model.expressions.grammar import DELAY, Call, Constant, Name, ParsedExpression, has_delay, names_of
from cardan.model.model import Model
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.sampled.functions import SampledFunction
from cardan.model.signal import Sampled
from cardan.model.state_equation import StateEquation
from cardan.numerics.round_off import SIX_DIGITS

LONGEST = 100  # samples of a delay; each is a state of the run


_NO_RATE = StateEquation(rate=0)


@dataclass(frozen=True)
class _Sampling:
    """A law, and when it is computed."""

    every: Scalar
    period: float  # its value [s]
    text: str
    kind: NumberKind | None  # what it may name


@dataclass
class Delays:
    """Replaces delays by chains of states, and collects these."""

    values: Mapping[str, float]  # value of each parameter by name
    states: dict[str, StateEquation] = field(default_factory=dict)  # the chains
    followed: set[str] = field(default_factory=set)  # parameters on which their lengths depend

    def of(self, model: Model, signals: Mapping[str, Any]) -> tuple[Model, dict[str, Any]]:
        """The model and the signals of its inputs without delays."""
        read = {name: self._signal(("inputs", name), signal) for name, signal in signals.items()}
        own = {
            name: x if x.next is None or x.every is None
            else x.unchecked(next=self._law(("states", name, "next"), x.next, x.every))
            for name, x in model.states.items()
        }  # fmt: skip
        return (model.unchecked(states=Section({**own, **self.states})) if self.states else model), read

    def _signal(self, path: Path, signal: Any) -> Any:
        """The signal without delays."""
        if isinstance(signal, Sampled):
            return signal.unchecked(value=self._law((*path, "value"), signal.value, signal.every))
        if isinstance(signal, SampledFunction):
            return replace(signal, of=tuple(self._law((*path, "of"), x, signal.every) for x in signal.of))
        return signal

    def _law(self, path: Path, law: Scalar, every: Scalar) -> Scalar:
        """A law without delays."""
        if law.expression is None or not has_delay(law.expression):
            return law
        period = number(every, self.values, (*path[:2], "every"))
        found = self._expression(path, law.expression, _Sampling(every, period, str(law), law.kind))
        return _scalar(found, str(law), law.kind)

    def _expression(self, path: Path, given: ParsedExpression, law: _Sampling) -> ParsedExpression:
        """An expression without delays."""
        if not isinstance(given, Call):
            return given
        operands = tuple(self._expression(path, operand, law) for operand in given.operands)
        if given.operation != DELAY:
            return replace(given, operands=operands)
        value, first = operands[0], Call("<", (Name("t"), Constant(law.period / 2)))
        for _ in range(self._samples(path, given.operands[1], law.period)):
            name = f"{path[1]}.delayed_{len(self.states) + 1}"
            self.states[name] = _NO_RATE.unchecked(
                next=_scalar(value, f"{name}, {law.text}", law.kind), every=law.every
            )
            value = Call("if", (first, operands[0], Name(name)))
        return value

    def _samples(self, path: Path, length: ParsedExpression, period: float) -> int:
        """Length of a delay in samples."""
        if unknown := sorted(names_of(length) - self.values.keys()):
            fault = f"the time of a delay depends on {unknown[0]!r}"
            raise ModelError(Issue(fault, "write a number of seconds, or parameters", path))
        self.followed |= names_of(length)
        time = number(_scalar(length, ""), self.values, path)
        count = round(time / period) if period > 0 and 0 <= time <= (LONGEST + 0.5) * period else -1
        if count < 0 or abs(time / period - count) > SIX_DIGITS:
            fault = f"a delay of {time:g} s is not 0 to {LONGEST} whole periods of {period:g} s"
            raise ModelError(Issue(fault, "give a multiple of the period, or sample the law more often", path))
        return count


def _scalar(expression: ParsedExpression, before: str, kind: NumberKind | None = None) -> Scalar:
    """The scalar of an expression that no user wrote; `before` distinguishes it from others of the same names."""
    names = names_of(expression)
    found = Scalar(f"{', '.join(sorted(names))} ({before})", None, expression, names)
    return found if kind is None else found.of(kind)
