"""A payload at the output as a force on the model; its components are parameters, so another one compiles nothing."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.model.checks.arguments import check_unit, number
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.sections import uniform_gravity

_CURE = 'give a mass, "5 kg", or a force in world axes [N], [0, 0, -50]'


@lru_cache(maxsize=64)
def loaded(model: Model, place: str) -> tuple[Model, tuple[str, str, str]]:
    """The model with a force on its output, and the names of the parameters that are its components."""
    stem = "payload"
    while any(taken.startswith(stem) for taken in (*model.parameters, *model.forces, *model.joints, *model.bodies)):
        stem += "_"
    names = (f"{stem}_x", f"{stem}_y", f"{stem}_z")
    force = {"type": "force", "child": place, "value": list(names)}
    zero = dict.fromkeys(names, "0 N")
    return (
        model.replace(forces={**model.forces, stem: force}, parameters={**model.parameters, **zero}, motions={}),
        names,
    )


def force_of(payload: Any, model: Model, parameters: Mapping[str, Any] | None) -> np.ndarray:
    """Force of a payload (3,) in world axes [N]: the weight of a mass, or the force itself; zero without one."""
    if payload is None:
        return np.zeros(3)
    values = {name: float(value) for name, value in resolve(model.parameters, parameters).items()}
    several = isinstance(payload, list | tuple | np.ndarray)
    entries = [*payload] if several else [payload]
    if len(entries) != (3 if several else 1):
        raise ModelError(Issue(f"a payload has not {len(entries)} components", _CURE, ("payload",)))
    found = []
    for entry in entries:
        try:
            scalar = Scalar.read(entry)
        except ModelError as error:
            raise error.under("payload") from None
        check_unit(scalar, "N" if several else "kg", model.parameters, ("payload",))
        found.append(number(scalar, values, ("payload",)))
    if several:
        return np.array(found)
    gravity = uniform_gravity(model, "a payload needs one weight")
    return found[0] * np.array([number(entry, values, ("gravity",)) for entry in gravity])
