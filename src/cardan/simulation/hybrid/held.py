"""Inputs that hold a value between events: sampled laws, and inputs that events set.

Each held value is a state with the rate zero, which nothing but its events changes; runs return it as `drive.sampled`
or `drive.held`. The input itself becomes an expression of these states.
"""

from __future__ import annotations

from collections.abc import Mapping

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.expressions.evaluation import names_of
from cardan.model.expressions.grammar import Call, Constant, Name, ParsedExpression
from cardan.model.model import Model
from cardan.model.names import efforts, graph_inputs, user_states
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.signal import Sampled, Table
from cardan.model.state_equation import StateEquation

__all__ = ["HELD", "SAMPLED", "SET", "Held", "hold"]

SAMPLED, HELD, SET = ".sampled", ".held", ".set"
"""What follows the name of an input in the names of its states: value of the last sample, value set by an event, 1 once
an event has set it."""


@dataclass(frozen=True)
class Held:
    """A model and its signals with states for what is held."""

    model: Model  # with these states
    signals: Mapping[str, Scalar | Table]  # signals of all inputs, in their order
    sampled: tuple[tuple[str, Sampled], ...]  # sampled laws by the name of their input


def hold(model: Model, signals: Mapping[str, Scalar | Table | Sampled]) -> Held:
    """The model with states for sampled inputs and inputs that events set, and signals that read them.

    Parameters
    ----------
    model : the mechanism.
    signals : signals of all inputs, in their order.

    Raises
    ------
    ModelError
        An event sets what is no input of this run, or an input that is a table.
    """
    sampled = tuple((name, signal) for name, signal in signals.items() if isinstance(signal, Sampled))
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
        return Held(model, {name: s for name, s in signals.items() if not isinstance(s, Sampled)}, ())
    units = efforts(model.joints) | {name: motor.input_unit for name, motor in model.motors.items()}
    units |= graph_inputs(model)
    further: dict[str, StateEquation] = {}
    read: dict[str, Scalar | Table] = {}
    for name, signal in signals.items():
        zero = StateEquation(rate=0, initial=f"0 {units[name]}")
        own = signal
        if isinstance(own, Sampled):
            further[name + SAMPLED] = zero
            own = _scalar(Name(name + SAMPLED))
        if name in changed:
            assert isinstance(own, Scalar)
            further |= {name + SET: StateEquation(rate=0), name + HELD: zero}
            is_set = Call(">", (Name(name + SET), Constant(0.5)))
            before = own.expression if own.expression is not None else Constant(float(own.value or 0.0))
            own = _scalar(Call("if", (is_set, Name(name + HELD), before)), str(own))
        read[name] = own
    return Held(model.model_copy(update={"states": Section({**model.states, **further})}), read, sampled)


def _scalar(expression: ParsedExpression, before: str = "") -> Scalar:
    """The scalar of an expression that no user wrote; `before` tells it from others of the same names."""
    names = names_of(expression)
    return Scalar(f"{', '.join(sorted(names))} ({before})", None, expression, names)
