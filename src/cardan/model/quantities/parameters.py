"""Values of the parameters: definitions and overrides in, one number (or array) for each name out.

A parameter may be an expression of others, in any order; an override changes everything that is derived from it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cardan.errors import MOST, Issue, ModelError, nearest
from cardan.model.quantities.dimensions import expression_unit, infer
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import Dimension, describe, si_unit


def resolve(parameters: Mapping[str, Scalar], overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The value of every parameter in SI, in the order of their definition.

    Example
    -------
    >>> definitions = {"L": Scalar.read("700 mm"), "half": Scalar.read("L/2")}
    >>> {name: float(value) for name, value in resolve(definitions, {"L": 2}).items()}
    {'L': 2.0, 'half': 1.0}
    """
    definitions = _overridden(parameters, overrides or {})
    order = in_order_of_use(definitions)
    values: dict[str, Any] = {}
    for name in order:
        definition = definitions[name]
        values[name] = definition.evaluate(values.__getitem__) if isinstance(definition, Scalar) else definition
    faults = [
        _not_finite(name, definitions[name], values[name]) for name in definitions if not _is_finite(values[name])
    ]
    if faults:
        raise ModelError(faults)
    return {name: values[name] for name in definitions}


def dimensions(parameters: Mapping[str, Scalar]) -> dict[str, Dimension | None]:
    """The dimension of every parameter, None where it is not known; the definitions must be free of circles."""
    found: dict[str, Dimension | None] = {}
    faults: list[Issue] = []
    for name in in_order_of_use(parameters):
        scalar = parameters[name]
        try:
            found[name] = infer(scalar.expression, found.get) if scalar.expression else scalar.dimension
        except ModelError as error:
            faults.extend(issue.under(name) for issue in error.issues)
            found[name] = None
    if faults:
        raise ModelError(faults)
    return found


def units(parameters: Mapping[str, Scalar]) -> dict[str, str]:
    """The SI unit of every parameter, "rad" of one that was written as an angle; empty where it is not known.

    Example
    -------
    >>> units({name: Scalar.read(text) for name, text in {"a": "30 deg", "b": "a/2", "r": "m", "m": "25 mm"}.items()})
    {'a': 'rad', 'b': 'rad', 'r': 'm', 'm': 'm'}
    """
    known, found = dimensions(parameters), dict[str, str]()
    for name in in_order_of_use(parameters):
        scalar = parameters[name]
        if scalar.expression is not None:
            found[name] = expression_unit(scalar.expression, found, known.get)
        else:
            found[name] = si_unit(scalar.unit) if scalar.unit else ""
    return {name: found[name] for name in parameters}


def _overridden(parameters: Mapping[str, Scalar], overrides: Mapping[str, Any]) -> dict[str, Any]:
    definitions: dict[str, Any] = dict(parameters)
    faults: list[Issue] = []
    for name, override in overrides.items():
        if name not in parameters:
            faults.append(Issue(f"there is no parameter {name!r}", nearest(name, parameters), (name,)))
            continue
        try:
            definitions[name] = _read(override, parameters[name])
        except ModelError as error:
            faults.extend(issue.under(name) for issue in error.issues)
    if faults:
        raise ModelError(faults)
    return definitions


def _read(override: Any, definition: Scalar) -> Any:
    if isinstance(override, (np.ndarray, list, tuple)):
        return _array(override)
    scalar = Scalar.read(override)
    old, new = definition.dimension, scalar.dimension
    if old is not None and new is not None and old != new:
        raise ModelError(
            f"{str(scalar)!r} is {describe(new)}, but the model says {definition}", f"write {describe(old)}"
        )
    return scalar


def _array(override: Any) -> np.ndarray:
    try:
        return np.asarray(override, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{f'{override!r:.60}'} is not an array of numbers", "give numbers in SI units") from error


def in_order_of_use(definitions: Mapping[str, Any], *, alone: bool = True) -> list[str]:
    """The names in an order in which each comes after those it depends on: a depth-first search without recursion."""
    order: dict[str, None] = {}
    faults: list[Issue] = []
    for start in definitions:
        if len(faults) >= MOST:
            break
        path: dict[str, Iterator[str]] = {} if start in order else {start: _uses(definitions[start])}
        while path:
            name = next(reversed(path))
            used = next(path[name], None)
            if used is None:
                order[name] = None
                path.popitem()
            elif used in path:
                faults.append(_circle([*path], used))
            elif used not in definitions and not alone:
                continue
            elif used not in definitions:
                cure = nearest(used, [other for other in definitions if other != name])
                faults.append(Issue(f"the name {used!r} is not defined", cure, (name,)))
            elif used not in order:
                path[used] = _uses(definitions[used])
    if faults:
        raise ModelError(faults)
    return list(order)


def _uses(definition: Any) -> Iterator[str]:
    return iter(sorted(definition.names) if isinstance(definition, Scalar) else ())


_SHOWN = 12  # names of a circle that its message shows


def _circle(path: list[str], again: str) -> Issue:
    names = [*path[path.index(again) :], again]
    names = names if len(names) <= _SHOWN else [*names[: _SHOWN // 2], "…", *names[-_SHOWN // 2 :]]
    return Issue(f"the definition is circular: {' → '.join(names)}", "give one of them a value of its own", (again,))


def _is_finite(value: Any) -> bool:
    return bool(np.all(np.isfinite(value)))


def _not_finite(name: str, definition: Any, value: Any) -> Issue:
    text = f" ({definition})" if isinstance(definition, Scalar) else ""
    shown = value if np.ndim(value) == 0 else "not finite everywhere"
    return Issue(f"the value of {name!r}{text} is {shown}", "give it a finite value", (name,))
