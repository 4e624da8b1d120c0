"""Numbers that a call gives in place of the model's: read, checked for names and dimension, evaluated."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from cardan.errors import Issue, ModelError, Path, nearest
from cardan.model.quantities.dimensions import infer
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.scalar import Scalar

LARGEST = 2_000_000_000  # numbers of a result: 16 GB


def check_size(what: str, count: int, numbers: int, cure: str) -> None:
    """Refuse a result of `count` things, called `what`, with this many numbers each that would not fit into memory."""
    if numbers * count > LARGEST:
        raise ModelError(f"{count} {what} with {numbers} values each are {8e-9 * numbers * count:.0f} GB", cure)


def check_named(argument: str, given: Any) -> None:
    """Refuse an argument that is not `given` by name."""
    if given is not None and not (isinstance(given, Mapping) and all(isinstance(name, str) for name in given)):
        raise ModelError(f"{argument}={f'{given!r:.60}'} is not given by name", f"write {argument}={{name: value}}")


def number(scalar: Scalar, values: Mapping[str, float], path: Path) -> float:
    """Value of a scalar that may name parameters, in SI."""
    for wrong in sorted(scalar.names - values.keys()):
        raise ModelError(Issue(f"the name {wrong!r} is not a parameter", nearest(wrong, values), path))
    return scalar.number(values)


def check_unit(scalar: Scalar, unit: str, parameters: Mapping[str, Scalar], path: Path) -> None:
    """Refuse a quantity, or an expression of known dimension, whose dimension is not that of `unit`."""
    check_kind(scalar, NumberKind.value_in(unit), parameters, path)


def check_kind(scalar: Scalar, kind: NumberKind | None, parameters: Mapping[str, Scalar], path: Path) -> None:
    """Refuse a quantity, or an expression of known dimension, whose dimension is not that of its `kind`."""
    try:
        found = infer(scalar.expression, dimensions(parameters).get) if scalar.expression else scalar.dimension
        if found is not None and kind is not None:
            kind.check_dimension(str(scalar), found)
    except ModelError as error:
        raise error.under(*path) from None


def check_seed(seed: Any) -> None:
    """Refuse a `seed` of random numbers that is not a whole number from 0 on."""
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise ModelError(f"seed={f'{seed!r:.60}'} is not possible", "give a whole number from 0 on")
