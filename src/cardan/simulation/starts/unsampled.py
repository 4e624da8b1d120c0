"""The model whose sampled laws act at all times: it rests where samples change nothing."""

from dataclasses import replace

from cardan.model.expressions.grammar import DELAY, Call, Name, ParsedExpression, names_of
from cardan.model.model import Model
from cardan.model.quantities.fields import INPUT
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.signal import Sampled
from cardan.model.state_equation import StateEquation


def unsampled(model: Model) -> Model:
    """The model with the rate next − x in place of a next value of x, and inputs that follow their laws at once."""
    states = {name: _followed(name, x) for name, x in model.states.items()}
    inputs = {name: x.value if isinstance(x, Sampled) else x for name, x in model.inputs.items()}
    return model.unchecked(states=Section(states), inputs=type(model.inputs)(inputs))


def _followed(name: str, equation: StateEquation) -> StateEquation:
    """A state without samples; one whose initial value is given keeps it."""
    law = equation.next
    if law is None or law.expression is None or "initial" in equation.model_fields_set:
        return equation
    expression = Call("-", (_at_once(law.expression), Name(name)))
    rate = Scalar(f"{law} - {name}", None, expression, names_of(expression)).of(INPUT)
    return StateEquation(rate=rate)


def _at_once(given: ParsedExpression) -> ParsedExpression:
    """An expression without delays."""
    if not isinstance(given, Call):
        return given
    operands = tuple(_at_once(operand) for operand in given.operands)
    return operands[0] if given.operation == DELAY else replace(given, operands=operands)
