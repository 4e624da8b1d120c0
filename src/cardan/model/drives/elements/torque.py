"""A torque on a train from outside: a load, a fan."""

from typing import Literal

from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import ForceSignal, TorqueSignal
from cardan.model.short_forms.text import text_of


class TorqueElement(TrainElement):
    """A torque from outside, in the direction of the rotation: an expression."""

    type: Literal["torque"] = "torque"
    torque: TorqueSignal

    short = "torque"
    moves = "turning"

    def add(self, train: Train) -> None:
        train.show(f"{self.called}.torque", lambda: text_of(self.torque))
        train.act(train.prefixed(f"{self.called}.torque"))


class ForceElement(TrainElement):
    """A force on a linear train from outside, in the direction of the motion: an expression."""

    type: Literal["force"] = "force"
    force: ForceSignal

    short = "force"
    moves = "linear"

    def add(self, train: Train) -> None:
        train.show(f"{self.called}.force", lambda: text_of(self.force))
        train.act(train.prefixed(f"{self.called}.force"))
