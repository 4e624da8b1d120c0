"""Friction of a train against its housing."""

from typing import Any, Literal, Self

from cardan.errors import Issue, ModelError, within
from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.joints.friction import Friction
from cardan.model.quantities.scalar import Scalar


def plain_law(value: Any) -> Friction:
    """The friction of an element, with a given effort."""
    if not isinstance(value, dict | Friction):
        raise ModelError(f"{f'{value!r:.60}'} is not a table of keys", "write {effort: 0.4 N*m}")
    law = value if isinstance(value, Friction) else Friction(**{str(key): entry for key, entry in value.items()})
    if law.coefficient is not None:
        raise ModelError(Issue("a train has no normal load", "write effort in place of coefficient"))
    return law


def check_units(law: Friction, train: Train, *path: str) -> None:
    """Refuse numbers in units that do not fit the motion of a train; the law stands at a `path` in its entry."""
    unit = "m/s" if train.is_linear else "rad/s"
    for key in type(law).model_fields:
        kind, number = law.number_kind(key, unit), getattr(law, key)
        if kind is not None and isinstance(number, Scalar) and number.dimension is not None:
            with within(*path, key):
                kind.check_dimension(str(number), number.dimension)


class FrictionElement(TrainElement):
    """Friction against the housing, with the keys of the friction of joints."""

    type: Literal["friction"] = "friction"
    law: Friction

    @classmethod
    def read(cls, value: Any, name: str) -> Self:
        return cls(name=name, law=plain_law(value))

    def add(self, train: Train) -> None:
        check_units(self.law, train, self.type)
        if train.segment.clutch is not None:  # its coordinate is the slip, and friction needs the speed
            train.turn_with()
        train.segment.frictions.append((train.place, self.law, train.prefixed(self.called)))


class BrakeElement(FrictionElement):
    """A brake against the housing: friction."""

    type: Literal["brake"] = "brake"  # type: ignore[assignment]
