"""A torque as a source: an expression of time and motion."""

from typing import Literal

from cardan.model.drives.sources.axes import SourceLimits
from cardan.model.drives.sources.source import DriveSource
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Torque, TorqueSignal
from cardan.model.short_forms.text import text_of


class TorqueLimits(SourceLimits):
    """The limit of a torque, both ways."""

    torque: Torque | None = None  # [N m]


class TorqueSource(DriveSource):
    """A torque: an expression of time and motion."""

    type: Literal["torque"] = "torque"
    value: TorqueSignal  # [N m]
    limits: TorqueLimits = TorqueLimits()  # which cut it off

    def add(self, train: Train) -> None:
        self.carry(train)
        text = text_of(self.value)
        if self.limits.torque is not None:
            most = text_of(self.limits.torque)
            train.events["torque"] = f"abs({text}) - {most}"
            text = f"max(-{most}, min({most}, {text}))"
        train.show("torque", lambda: text)
        train.show("speed", train.place.speed)
        train.act(train.prefixed("torque"))
