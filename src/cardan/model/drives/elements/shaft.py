"""An elastic shaft of a train, with a damper and a gap."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Backlash, Damping, Size, Stiffness, TorsionalDamping, TorsionalStiffness
from cardan.model.quantities.scalar import ZERO
from cardan.model.short_forms.text import negative, over, plus, text_of, times


class ShaftElement(TrainElement):
    """An elastic shaft with a damper, and a gap.

    With backlash b the twist φ acts beyond ±b/2, and the damper while the sides touch, no more than the spring pushes:
    the torque never pulls through the gap.
    """

    type: Literal["shaft"] = "shaft"
    stiffness: TorsionalStiffness  # [N m/rad]
    damping: TorsionalDamping = ZERO  # [N m s/rad]
    backlash: Backlash | None = None  # [rad]
    housing: bool = False  # whether its other end is fixed in the housing

    moves = "turning"
    words: ClassVar[tuple[str, str, str]] = ("twist", "twist_rate", "torque")  # names of its results

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.stiffness.value is not None and not self.stiffness.value > 0:
            raise ModelError(Issue(f"a {self.type} needs a stiffness", "give a positive one", ("stiffness",)))
        return self

    def add(self, train: Train) -> None:
        own = [f"{self.called}.{what}" for what in self.words]
        twist, rate, torque = map(train.prefixed, own)
        before = train.place
        train.act(f"-{torque}")
        if self.housing:
            train.show(own[0], before.angle)
            train.show(own[1], before.speed)
        else:
            train.next_segment()
            behind = train.place
            train.act(torque)
            train.joints.append((before, behind))
            train.show(own[0], lambda: plus(before.angle(), negative(behind.angle())))
            train.show(own[1], lambda: plus(before.speed(), negative(behind.speed())))
        train.show(own[2], lambda: self._torque(twist, rate))
        if self.backlash is None:
            train.show(f"{self.called}.loss", lambda: times(text_of(self.damping), f"{rate}**2"))

    def _torque(self, twist: str, rate: str) -> str:
        """The torque that it passes on."""
        k, damper = text_of(self.stiffness), times(text_of(self.damping), rate)
        if self.backlash is None:
            return plus(times(k, twist), damper)
        gap = over(text_of(self.backlash), "2.0")
        forward, backward = times(k, f"({twist} - {gap})"), times(k, f"(-{twist} - {gap})")
        ahead = f"max(0, min(2*{forward}, {forward} + {damper}))"
        return f"{ahead} - max(0, min(2*{backward}, {backward} - {damper}))"


class SpringElement(ShaftElement):
    """A spring with a damper, and a gap: the shaft of a linear train."""

    type: Literal["spring"] = "spring"  # type: ignore[assignment]
    stiffness: Stiffness  # [N/m]
    damping: Damping = ZERO  # [N s/m]
    backlash: Size | None = None  # [m]

    moves = "linear"
    words = ("compression", "compression_rate", "force")
