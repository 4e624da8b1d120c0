"""A mass in a linear train."""

from __future__ import annotations

from typing import Literal

from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Mass
from cardan.model.short_forms.text import text_of

__all__ = ["MassElement"]


class MassElement(TrainElement):
    """A mass."""

    type: Literal["mass"] = "mass"
    mass: Mass

    short = "mass"
    moves = "linear"

    def add(self, train: Train) -> None:
        train.carry(self.called, self.name, text_of(self.mass), "position")
