"""Switchings by motion: expressions whose `if`, `sign`, `step`, `abs`, `max`, `min`, `floor`, `mod` and places of
interpolation follow the mode instead of the state.

`max(0, x)` becomes x in one mode and 0 in the other, with the invariants x ≥ 0 and x ≤ 0. The law is smooth over every
step; a step ends at the instant at which an invariant becomes negative, and the mode changes there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from cardan.errors import Path
from cardan.frozen import dataclass, field, replace
from cardan.model.constraints import Constraint
from cardan.model.expressions.grammar import COMPARISONS, Call, Constant, Name, ParsedExpression, names_of
from cardan.model.expressions.timed import Definitions, known_names
from cardan.model.joints import Joint
from cardan.model.model import Model
from cardan.model.quantities.lets import needed, reached
from cardan.model.quantities.number_kind import IDEAL_PARTS
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.records.walk import scalars
from cardan.model.sampled.held import SET

MOST = 200  # largest number of switchings in the mode; no step ends at further ones, such as those of very long tables
PREFIX = "switch "  # of the names of the mode, which no user can write

_Rough = TypeVar("_Rough", Joint, Constraint)
Expressions = tuple[tuple[str, Scalar], ...]


@dataclass(frozen=True)
class Switch:
    """One number of the mode: 1 and −1 for the side of a condition, −1, 0, 1 for a sign, the number itself for floor.

    At zero itself a `side` is 1 and an `above` −1.
    """

    name: str  # parameter of the frozen model
    kind: str  # "side", "above", "sign" or "floor"
    condition: ParsedExpression  # function that changes its side, in the mode
    written: ParsedExpression  # the same as the user wrote it, for the mode at the start

    @property
    def crossings(self) -> int:
        """Number of its crossing functions."""
        return 2 if self.kind == "floor" else 1


@dataclass(frozen=True)
class Frozen:
    """A mechanism whose laws follow a mode."""

    model: Model  # with a parameter for every number of the mode, after its own
    expressions: Expressions  # inputs that are expressions
    switches: tuple[Switch, ...]  # the mode


@lru_cache(maxsize=64)
def frozen(model: Model, expressions: Expressions) -> Frozen:
    """The mechanism with its forces, states, inputs, and the names of `let` that these read, in a mode."""
    lets = [(name, model.let[name]) for name in needed(model.let, model.let)]
    whole = [(name, x.expression or Constant(float(x.value or 0.0))) for name, x in lets]
    laws = [x for path, x in scalars(model) if path[0] not in ("let", "outputs") and path[-1] != "next"]
    acting = reached([name for scalar in (*laws, *dict(expressions).values()) for name in scalar.names], model.let)
    work = _Freezing(known_names(model.parameters, whole), model.constraints.keys())
    states = model.states
    bound = {name: _with_given(work, name, record) for name, record in model.constraints.items()}
    sections = {
        "joints": Section({name: _with_friction(work, joint) for name, joint in model.joints.items()}),
        "constraints": Section({name: _with_friction(work, record) for name, record in bound.items()}),
        "forces": Section({name: record.resolved(work.scalar) for name, record in model.forces.items()}),
        "states": Section({name: x.unchecked(rate=work.scalar(x.rate)) for name, x in states.items()}),
        "let": Section({name: work.scalar(x) if name in acting else x for name, x in model.let.items()}),
    }
    inputs = tuple((name, work.scalar(scalar)) for name, scalar in expressions)
    switches = tuple(work.found.values())
    if not switches:
        return Frozen(model, expressions, ())
    mode = {switch.name: Scalar.read(1.0) for switch in switches}
    changed = sections | {"parameters": Section({**model.parameters, **mode})}
    return Frozen(model.unchecked(**changed), inputs, switches)


def _with_given(work: _Freezing, name: str, record: Constraint) -> Constraint:
    """The constraint with the given part of its reaction in the mode; its equation stays as it is."""
    if record.given is None:
        return record
    return record.unchecked(given=record.given.named(name).resolved(work.scalar))


def _with_friction(work: _Freezing, record: _Rough) -> _Rough:
    """The record with the numbers of its friction in the mode."""
    moving = {} if record.friction is None else record.friction.moving(work.names.parameters)
    if record.friction is None or not moving:
        return record
    return record.unchecked(friction=record.friction.unchecked(**{key: work.scalar(x) for key, x in moving.items()}))


def place_of(model: Model, expressions: Expressions, switch: Switch) -> tuple[Path, str]:
    """Path in the file, such as ("states", "e", "rate"), and text of the first expression that has a switching."""
    work = frozen(model, expressions)
    has_it = [path for path, scalar in scalars(work.model) if switch.name in scalar.names]
    if has_it:
        path, written = has_it[0], dict(scalars(model))
        return path, str(written[path].source)
    name = next(name for name, scalar in work.expressions if switch.name in scalar.names)
    return ("inputs", name), str(dict(expressions)[name].source)


@dataclass
class _Freezing:
    """Replaces switchings by motion, and collects them."""

    names: Definitions
    bound: Collection[str] = ()  # constraints; their ideal reactions are unknown in crossing functions
    found: dict[tuple[str, ParsedExpression], Switch] = field(default_factory=dict)

    def scalar(self, scalar: Scalar) -> Scalar:
        """The scalar in the mode; itself where nothing in it switches with the motion."""
        if scalar.expression is None:
            return scalar
        expression = self.expression(scalar.expression)
        if expression == scalar.expression:
            return scalar
        names = names_of(expression)
        mode = ", ".join(sorted(name for name in names if name.startswith(PREFIX)))
        is_text = isinstance(scalar.source, str)
        source = scalar.source if is_text else repr(scalar.expression)  # two tables differ in their numbers alone
        return replace(scalar, source=f"{source} ({mode})", expression=expression, names=names)

    def expression(self, given: ParsedExpression) -> ParsedExpression:
        """The expression in the mode."""
        if not isinstance(given, Call):
            return given
        operands = tuple(self.expression(operand) for operand in given.operands)
        rule = _RULES.get(given.operation)
        changed = None if rule is None else rule(self, given, operands)
        if changed is not None:
            return changed
        return given if operands == given.operands else replace(given, operands=operands)

    def mode(self, kind: str, written: ParsedExpression, condition: ParsedExpression) -> Name | None:
        """Name of the number in the mode that stands for a condition; None if the motion does not change it."""
        moving = [name for name in self.names.of(written) if name not in self.names.parameters]
        if any(name.rpartition(".")[2] in IDEAL_PARTS and name.rpartition(".")[0] in self.bound for name in moving):
            return None
        if all(name in ("t", "pi") or name.endswith(SET) for name in moving) or len(self.found) >= MOST:
            return None
        key = kind, written
        if key not in self.found:
            self.found[key] = Switch(f"{PREFIX}{len(self.found)}", kind, condition, written)
        return Name(self.found[key].name)


Rule = Callable[[_Freezing, Call, tuple[ParsedExpression, ...]], "ParsedExpression | None"]
"""(the work, a call as written, its operands in the mode) → the call in the mode, None to keep it."""


def _difference(a: ParsedExpression, b: ParsedExpression) -> Call:
    return Call("-", (a, b))


def _positive(side: Name) -> Call:
    return Call(">", (side, Constant(0.0)))


def _sign(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    return work.mode("sign", given.operands[0], operands[0])


def _step(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    side = work.mode("side", given.operands[0], operands[0])
    return side and Call("if", (_positive(side), Constant(1.0), Constant(0.0)))


def _abs(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    side = work.mode("side", given.operands[0], operands[0])
    return side and Call("*", (side, operands[0]))


def _compare(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    kind = "side" if given.operation in (">=", "<") else "above"
    side = work.mode(kind, _difference(*given.operands), _difference(*operands))
    return side and Call(">" if given.operation in (">", ">=") else "<", (side, Constant(0.0)))


def _extreme(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    best, best_written = operands[0], given.operands[0]
    for operand, written in zip(operands[1:], given.operands[1:], strict=True):
        side = work.mode("side", _difference(best_written, written), _difference(best, operand))
        best_written = Call(given.operation, (best_written, written))
        larger, smaller = (best, operand) if given.operation == "max" else (operand, best)
        best = (
            Call(given.operation, (best, operand)) if side is None else Call("if", (_positive(side), larger, smaller))
        )
    return best


def _is_root(given: ParsedExpression) -> bool:
    """Whether an expression is a square root, or a power that need not be whole: real for bases from zero on alone."""
    if not isinstance(given, Call) or given.operation not in ("sqrt", "**", "pow"):
        return False
    exponent = given.operands[-1]
    return given.operation == "sqrt" or not (isinstance(exponent, Constant) and float(exponent.value).is_integer())


def _root(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    """A root whose base is that of the mode: just beyond its side, where the base as written is zero, of |base|."""
    base, written = operands[0], given.operands[0]
    if not _is_root(given) or base == written:
        return None
    return _real(replace(given, operands=operands), Call(">=", (written, Constant(0.0))))


def _if(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    """A choice in the mode: just beyond its side a branch is still used, with the roots of |base| there."""
    condition, (side, first, second) = given.operands[0], operands
    if side == condition:
        return None
    return Call("if", (side, _guarded(first, Call("not", (condition,))), _guarded(second, condition)))


def _guarded(given: ParsedExpression, beyond: ParsedExpression) -> ParsedExpression:
    """A branch with the roots of |base| `beyond` its side."""
    if not isinstance(given, Call):
        return given
    inner = replace(given, operands=tuple(_guarded(operand, beyond) for operand in given.operands))
    return _real(inner, beyond) if _is_root(given) else inner


def _real(root: Call, beyond: ParsedExpression) -> Call:
    """A root with |base| where a condition holds."""
    base, *rest = root.operands
    return replace(root, operands=(Call("abs where", (base, beyond)), *rest))


def _floor(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    return work.mode("floor", given.operands[0], operands[0])


def _mod(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    number = work.mode("floor", Call("/", given.operands), Call("/", operands))
    return number and _difference(operands[0], Call("*", (operands[1], number)))


def _interpolate(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    """The first value, and beyond each place its jump and its change of slope."""
    (written, *_), (x, *samples) = given.operands, operands
    if not all(isinstance(entry, Constant) for entry in samples):
        return None
    numbers = [entry.value for entry in samples if isinstance(entry, Constant)]
    places, values = numbers[::2], numbers[1::2]
    if len(work.found) + len(places) > MOST:
        return None
    slopes = [
        0.0,
        *(
            (d - c) / (b - a) if b > a else 0.0
            for (a, b), (c, d) in zip(pairwise(places), pairwise(values), strict=True)
        ),
        0.0,
    ]
    terms: list[ParsedExpression] = []
    for place in dict.fromkeys(places):
        first, last = places.index(place), len(places) - 1 - places[::-1].index(place)
        jump, kink = values[last] - values[first], slopes[last + 1] - slopes[first]
        beyond = _difference(x, Constant(place))
        side = work.mode("side", _difference(written, Constant(place)), beyond)
        if side is None:
            return None
        law = Call("+", (Constant(jump), Call("*", (Constant(kink), beyond))))
        terms.append(Call("if", (_positive(side), law, Constant(0.0))))
    total: ParsedExpression = Constant(values[0])
    for term in terms:
        total = Call("+", (total, term))
    return total


def _within(work: _Freezing, given: Call, operands: tuple[ParsedExpression, ...]) -> ParsedExpression | None:
    """x while it is within the range of a table, else NaN, which ends the run."""
    (written, low, high), (x, _, _) = given.operands, operands
    above = work.mode("side", _difference(written, low), _difference(x, low))
    below = work.mode("side", _difference(high, written), _difference(high, x))
    if above is None or below is None:
        return None
    inside = Call("and", (_positive(above), _positive(below)))
    return Call("if", (inside, x, Constant(math.nan)))


_RULES: dict[str, Rule] = {
    "if": _if,
    **dict.fromkeys(("sqrt", "**", "pow"), _root),
    "sign": _sign,
    "step": _step,
    "abs": _abs,
    **dict.fromkeys((name for name in COMPARISONS if name not in ("==", "!=")), _compare),
    "min": _extreme,
    "max": _extreme,
    "floor": _floor,
    "mod": _mod,
    "interpolate": _interpolate,
    "table within": _within,
}
