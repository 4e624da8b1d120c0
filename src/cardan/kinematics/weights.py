"""Weights of the bodies where gravity depends on the place: a force at each centre of mass."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import casadi as ca

from cardan.kinematics.relations.around import evaluate
from cardan.kinematics.tree import LoadPlacement, Number, Place
from cardan.model.body import Body
from cardan.model.forces import Load, MarkerMotion, Wrench
from cardan.model.forces.load import ZERO_WRENCH
from cardan.model.gravity import PointGravity
from cardan.model.model import Model
from cardan.model.place import GROUND
from cardan.model.sections import uniform_gravity


class WeightLaw(Load):
    """Weight of a body at its centre of mass, in a gravity that depends on the place."""

    type: Literal["gravity"] = "gravity"
    transmits = ("force",)
    undefined = "gravity has no value where the centre of mass is"
    mass: Any  # [kg]
    acceleration: Any  # function of a place (3,) in the world → (3,) [m/s²]
    level: Any = None  # function of a place → potential energy per mass [J/kg]; None where there is none

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        return ZERO_WRENCH if self.level is None else self._wrench(b)

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        return self._wrench(b) if self.level is None else ZERO_WRENCH

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        return ca.DM(1, 1) if self.level is None else self.mass * self.level(b.p)

    def _wrench(self, b: MarkerMotion) -> Wrench:
        return Wrench(ca.DM(3, 1), self.mass * self.acceleration(b.p))


def weights(
    model: Model, parameter: Callable[[str], Number], bodies: Mapping[str, Body], places: Mapping[str, Place]
) -> Iterator[LoadPlacement]:
    """Placements of the weights `<body>.weight`; none where gravity is the same everywhere."""
    gravity = model.gravity
    if gravity == uniform_gravity(model):
        return
    laws: dict[str, Any]
    if isinstance(gravity, PointGravity):
        towards = gravity.resolved(lambda scalar: evaluate(scalar, parameter))
        laws = {"acceleration": towards.acceleration, "level": towards.potential}
    else:
        laws = {"acceleration": partial(_field, model, parameter), "level": None}
    for name, body in bodies.items():
        if not ca.SX(body.mass).is_zero():
            record = WeightLaw.model_construct(parent=GROUND, child=f"{name}.com", mass=body.mass, **laws)
            yield LoadPlacement(f"{name}.weight", record, places[GROUND], places[f"{name}.com"])


def _field(model: Model, parameter: Callable[[str], Number], p: Number) -> Number:
    """Acceleration (3,) at the place p (3,); parameters that are called x, y or z stand for themselves."""
    assert not isinstance(model.gravity, PointGravity)
    at = {name: p[k] for k, name in enumerate("xyz") if name not in model.parameters}

    def number(name: str) -> Number:
        return at[name] if name in at else parameter(name)

    return ca.vertcat(*(evaluate(entry, number) for entry in model.gravity))
