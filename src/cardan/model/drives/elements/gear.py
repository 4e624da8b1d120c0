"""A gear of a train, with or without losses."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.elements.friction import check_units, plain_law
from cardan.model.drives.train import Train
from cardan.model.joints.friction import Friction
from cardan.model.quantities.fields import Anything, Number
from cardan.model.quantities.scalar import ONE, Scalar
from cardan.model.short_forms.text import over, plus, text_of


def _bearings(value: Any) -> Friction | None:
    return None if value is None else plain_law(value)


class GearElement(TrainElement):
    """What stands behind it is `ratio` times slower; a negative one turns the direction."""

    type: Literal["gear"] = "gear"
    ratio: Anything  # [-]; of a joint that slides, the last one [rad/m]
    efficiency: Number = ONE  # while what stands in front drives [-]
    reverse_efficiency: Number | None = None  # while what stands behind drives [-]; None: by the same friction of teeth
    friction: Annotated[Friction | None, BeforeValidator(_bearings)] = None  # of its bearings, at its front

    short = "ratio"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.ratio.value == 0:
            raise ModelError(Issue("a gear ratio of 0 is not possible", "give speed before over speed behind it"))
        forwards = self.efficiency.value
        if forwards is not None and not 0 < forwards <= 1:
            fault = f"an efficiency of {forwards:g} is not possible"
            raise ModelError(Issue(fault, "write 0.9 for 90 %", ("efficiency",)))
        backwards = self.reverse.value
        if backwards is not None and backwards > 1:
            fault = f"a reverse efficiency of {backwards:g} is not possible"
            cure = "write 0.8 for 80 %, or 0 for a gear that locks itself"
            raise ModelError(Issue(fault, cure, ("reverse_efficiency",)))
        return self

    @property
    def reverse(self) -> Scalar:
        """The efficiency while what stands behind drives; 2 − 1/η where the teeth rub alike both ways."""
        if self.reverse_efficiency is not None:
            return self.reverse_efficiency
        return Scalar.read(plus("2.0", f"-{over('1.0', text_of(self.efficiency))}"))

    @property
    def has_losses(self) -> bool:
        """Whether its teeth or bearings rub."""
        return self.efficiency.value != 1 or self.reverse.value != 1 or self.friction is not None

    def add(self, train: Train) -> None:
        front = train.place
        train.gear(text_of(self.ratio))
        if self.friction is not None:
            check_units(self.friction, train, self.type, "friction")
        if self.has_losses:
            train.mesh(self, front)
