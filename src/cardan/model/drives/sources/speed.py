"""A speed as a source, whatever torque it takes: an expression."""

from typing import Literal

from cardan.model.drives.sources.source import DriveSource
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Rate
from cardan.model.short_forms.text import text_of


class SpeedSource(DriveSource):
    """A speed, whatever it takes: an expression."""

    type: Literal["speed"] = "speed"
    value: Rate  # [rad/s]; of a linear train [m/s]

    moves = ""

    def add(self, train: Train) -> None:
        self.carry(train)
        train.show("speed", train.place.speed)
        train.given_speed = text_of(self.value)
