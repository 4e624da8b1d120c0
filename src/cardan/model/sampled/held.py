"""Values that are constant between events: sampled inputs, states and given parts of reactions, inputs that events set.

Each held value is a state with the rate zero that changes at its events alone; runs return it as `drive.sampled` or
`drive.held`. The input, or the given part, becomes an expression of these states.
"""

from collections.abc import Callable, Mapping
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass, field
from cardan.model.checks.arguments import check_unit, number
from cardan.model.expressions.grammar import Call, Constant, Name, ParsedExpression, names_of
from cardan.model.model import Model
from cardan.model.names import efforts, graph_inputs, user_states
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.sampled.functions import GivenFunction, SampledFunction, with_given
from cardan.model.signal import Sampled, Table
from cardan.model.state_equation import StateEquation

SAMPLED, HELD, SET = ".sampled", ".held", ".set"
"""Ends of the names of the states of an input: value of the last sample, value set by an event, 1 once an event has set
it."""


@dataclass(frozen=True)
class HeldSample:
    """Values that are computed at multiples of a period, and the states that hold them."""

    path: tuple[str, str]  # place of the law in the call: ("inputs", "drive")
    every: Scalar  # period [s]
    states: tuple[str, ...]  # names of the states
    of: tuple[Scalar, ...]  # the values, or the arguments of the function that returns them
    is_called: bool = False  # whether a Python function gives the values
    key: str = "value"  # of the law at its place
    function: Callable[..., Any] | None = field(default=None, compare=False)  # called with the values of `of`

    def period(self, values: Mapping[str, float], parameters: Mapping[str, Scalar]) -> float:
        """Its period [s]."""
        path = (*self.path, "every")
        check_unit(self.every, "s", parameters, path)
        period = number(self.every, values, path)
        if not period > 0:
            raise ModelError(Issue(f"a period of {period:g} s is not possible", "give a positive time", path))
        return period


@dataclass(frozen=True)
class Held:
    """A model and its signals, with states for held values."""

    model: Model  # with these states
    signals: Mapping[str, Scalar | Table]  # signals of all inputs, in their order
    sampled: tuple[HeldSample, ...]


def hold(
    model: Model,
    signals: Mapping[str, Scalar | Table | Sampled | SampledFunction],
    given: tuple[GivenFunction, ...] = (),
    programs: Mapping[str, SampledFunction] | None = None,
) -> Held:
    """The model with states for sampled laws and inputs that events set, and signals that read them.

    The values of its `programs` come from these functions; without them they would stay as they are.
    """
    if programs is None and model.programs:
        name = next(iter(model.programs))
        fault = f"it computes {', '.join(model.programs[name].outputs)} beside the equations"
        raise ModelError(Issue(fault, "leave the functional mock-up unit out, or simulate", ("programs", name)))
    model, components = with_given(model, given)
    sampled = [sample for name, signal in signals.items() if (sample := _sample(name, signal)) is not None]
    computed = {state for program in model.programs.values() for state in program.outputs}
    sampled += [
        _updated(name, equation)
        for name, equation in model.states.items()
        if equation.next is not None and name not in computed
    ]
    sampled += [
        _called(("programs", name), tuple(model.programs[name].outputs), law) for name, law in (programs or {}).items()
    ]
    sampled += [_called(("given", one.constraint), components[one.constraint], one.law) for one in given]
    states = user_states(model)
    actions = [(name, event.do.set) for name, event in model.events.items() if not isinstance(event.do, str)]
    wanted = {target: ("events", name, "do", "set", target) for name, targets in actions for target in targets}
    changed = {target: path for target, path in wanted.items() if target not in states}
    for target, path in changed.items():
        if target not in signals:
            raise ModelError(Issue(f"there is no input {target!r} in this run", nearest(target, signals), path))
        if isinstance(signals[target], Table):
            fault = f"the event sets {target!r}, which is a table"
            raise ModelError(Issue(fault, "write the table as interpolate(t, t0, y0, t1, y1, …)", path))
    if not sampled and not changed:
        return Held(model, {name: s for name, s in signals.items() if isinstance(s, Scalar | Table)}, ())
    units = efforts(model.joints) | {name: motor.input_unit for name, motor in model.motors.items()}
    units |= graph_inputs(model)
    newtons = StateEquation(rate=0, initial="0 N")
    further = {state: newtons for states in components.values() for state in states}
    read: dict[str, Scalar | Table] = {}
    for name, signal in signals.items():
        zero = StateEquation(rate=0, initial=0 if units[name] == "1" else f"0 {units[name]}")
        law = signal
        if isinstance(law, Sampled | SampledFunction):
            further[name + SAMPLED] = zero
            law = _scalar(Name(name + SAMPLED))
        if name in changed:
            assert isinstance(law, Scalar)
            further |= {name + SET: StateEquation(rate=0), name + HELD: zero}
            is_set = Call(">", (Name(name + SET), Constant(0.5)))
            before = law.expression if law.expression is not None else Constant(float(law.value or 0.0))
            law = _scalar(Call("if", (is_set, Name(name + HELD), before)), str(law))
        read[name] = law
    return Held(model.unchecked(states=Section({**model.states, **further})), read, tuple(sampled))


def _updated(name: str, equation: StateEquation) -> HeldSample:
    """The samples of a state with a next value."""
    assert equation.next is not None
    assert equation.every is not None
    return HeldSample(("states", name), equation.every, (name,), (equation.next,), key="next")


def _sample(name: str, signal: Scalar | Table | Sampled | SampledFunction) -> HeldSample | None:
    """The sample of an input, None if it is not sampled."""
    path: tuple[str, str] = ("inputs", name)
    states: tuple[str, ...] = (name + SAMPLED,)
    if isinstance(signal, SampledFunction) and signal.inputs:  # one function for several: the first of them calls it
        states = tuple(each + SAMPLED for each in signal.inputs) if name == signal.inputs[0] else ()
    if isinstance(signal, Sampled):
        return HeldSample(path, signal.every, states, (signal.value,))
    if isinstance(signal, SampledFunction) and states:
        return _called(path, states, signal)
    return None


def _called(path: tuple[str, str], states: tuple[str, ...], law: SampledFunction) -> HeldSample:
    return HeldSample(path, law.every, states, law.of, is_called=True, function=law.function)


def _scalar(expression: ParsedExpression, before: str = "") -> Scalar:
    """The scalar of an expression that no user wrote; `before` distinguishes it from others of the same names."""
    names = names_of(expression)
    return Scalar(f"{', '.join(sorted(names))} ({before})", None, expression, names)
