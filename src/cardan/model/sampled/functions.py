"""Python functions that are called at multiples of a period: inputs, and given parts of reactions.

In: `{every: "10 ms", of: ["swing", "swing.v"], value: f}`. The numbers that f returns hold until the next call.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.checks.arguments import check_named
from cardan.model.checks.scopes import name_issues
from cardan.model.constraints.given import Given, with_own_names
from cardan.model.expressions.grammar import Name
from cardan.model.model import Model
from cardan.model.names import Names
from cardan.model.quantities.fields import INPUT
from cardan.model.quantities.number_kind import IDEAL_PARTS
from cardan.model.quantities.scalar import Scalar

KEYS = ("every", "of", "value")
PLACES = ("frame", "child", "parent")


@dataclass(frozen=True)
class SampledFunction:
    """A Python function, the period of its calls and its arguments."""

    every: Scalar  # period [s]
    of: tuple[Scalar, ...]  # expressions whose values at the instant of the call are its arguments
    function: Callable[..., Any]
    inputs: tuple[str, ...] = ()  # the inputs whose values it returns, if these are several

    def plain(self) -> dict[str, Any]:
        """The same in plain values, the function by its name."""
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return {"every": str(self.every), "of": [str(scalar) for scalar in self.of], "value": f"function {name}"}

    def check(self, model: Model, path: tuple[str, ...]) -> None:
        """Refuse unknown names in its arguments; `path` is its place in the call."""
        names = Names(model)
        if issues := [issue for scalar in self.of for issue in name_issues(names, scalar.of(INPUT), (*path, "of"))]:
            raise ModelError(issues)


@dataclass(frozen=True)
class GivenFunction:
    """A sampled function whose three numbers are the given part of a constraint's reaction."""

    constraint: str
    law: SampledFunction
    places: Mapping[str, Any]  # keys `frame`, `child`, `parent` of the call

    def states(self, frame: str) -> tuple[str, ...]:
        """Names of the states that hold the components in the axes of a `frame`."""
        return tuple(f"{self.constraint}.sampled.{axis}" for axis in ("tnb" if frame == "path" else "xyz"))


def read_function(value: Any, path: tuple[str, ...]) -> SampledFunction | None:
    """The sampled function that an entry of a call describes; None if the entry has no Python function."""
    if callable(value):
        cure = 'write {"every": "10 ms", "of": ["t"], "value": function}'
        raise ModelError(Issue("a Python function alone does not say when it is called", cure, path))
    if not isinstance(value, Mapping) or not callable(value.get("value")):
        return None
    for key in value:
        if key not in KEYS:
            raise ModelError(Issue(f"{key!r} is no key of a sampled function", nearest(str(key), KEYS), (*path, key)))
    if "every" not in value:
        raise ModelError(Issue("'every' is missing", 'give the period, such as every: "10 ms"', path))
    of = value.get("of", "t")
    written = tuple(of) if isinstance(of, list | tuple) else (of,)
    _check_arguments(value["value"], written, path)
    return SampledFunction(Scalar.read(value["every"]), tuple(Scalar.read(x) for x in written), value["value"])


def _check_arguments(function: Callable[..., Any], of: tuple[Any, ...], path: tuple[str, ...]) -> None:
    """Refuse a function that cannot be called with one number for each entry of `of`."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not say what they take
        return
    try:
        signature.bind(*of)
    except TypeError as error:
        names = ", ".join(map(str, of))
        fault = f"the function does not take the {len(of)} argument{'s' * (len(of) != 1)} of: [{names}]: {error}"
        cure = 'name in "of" what it takes, in its order, such as "of": ["t", "swing"]'
        raise ModelError(Issue(fault, cure, (*path, "of"))) from None


def read_given(model: Model, given: Mapping[str, Any] | None) -> tuple[GivenFunction, ...]:
    """The functions that the argument `given` names, by constraint."""
    check_named("given", given)
    return tuple(_read_given(model, name, value) for name, value in (given or {}).items())


def _read_given(model: Model, name: str, value: Any) -> GivenFunction:
    path = ("given", name)
    if name not in model.constraints:
        raise ModelError(Issue(f"there is no constraint {name!r}", nearest(name, model.constraints), path))
    entries = dict(value) if isinstance(value, Mapping) else {}
    places = {key: entries.pop(key) for key in PLACES if key in entries}
    law = read_function(entries, path)
    if law is None:
        cure = 'write {"every": "10 ms", "of": ["t"], "value": function}; expressions stand in given: of the constraint'
        raise ModelError(Issue("this is no Python function with a period", cure, path))
    of = tuple(with_own_names(scalar, name) for scalar in law.of)
    for part in IDEAL_PARTS:
        if any(f"{name}.{part}" in scalar.names for scalar in of):
            fault = f"{part!r}, the ideal part of the reaction, is unknown where the function is called"
            cure = "name positions and velocities, or write the law as an expression in given: of the constraint"
            raise ModelError(Issue(fault, cure, (*path, "of")))
    return GivenFunction(name, SampledFunction(law.every, of, law.function), places)


def with_given(model: Model, functions: tuple[GivenFunction, ...]) -> tuple[Model, dict[str, tuple[str, ...]]]:
    """The model with given parts that read held values, and the names of these values by constraint."""
    if not functions:
        return model, {}
    constraints = dict(model.constraints)
    for function in functions:
        constraint = constraints[function.constraint]
        known = {} if constraint.given is None else {key: getattr(constraint.given, key) for key in PLACES}
        placed = Given(**{**known, **function.places}, value=(0, 0, 0))
        constraints[function.constraint] = constraint.replace(given=placed)
    checked = model.replace(constraints=constraints)
    states = {}
    for function in functions:
        name, law = function.constraint, function.law
        law.check(checked, ("given", name))
        constraint = checked.constraints[name]
        assert constraint.given is not None
        states[name] = function.states(constraint.given.frame)
        values = tuple(Scalar(state, None, Name(state), frozenset([state])) for state in states[name])
        held = constraint.given.unchecked(value=values)
        constraints[name] = constraint.unchecked(given=held)
    return checked.unchecked(constraints=type(checked.constraints)(constraints)), states
