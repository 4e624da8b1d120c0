"""A moment of inertia in a train, or a mass in a linear one."""

from typing import Literal

from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Mass, MomentOfInertia
from cardan.model.short_forms.text import text_of


class InertiaElement(TrainElement):
    """A moment of inertia."""

    type: Literal["inertia"] = "inertia"
    inertia: MomentOfInertia

    short = "inertia"
    moves = "turning"

    def add(self, train: Train) -> None:
        train.carry(self.called, self.name, text_of(self.inertia), "angle")


class MassElement(TrainElement):
    """A mass in a linear train."""

    type: Literal["mass"] = "mass"
    mass: Mass

    short = "mass"
    moves = "linear"

    def add(self, train: Train) -> None:
        train.carry(self.called, self.name, text_of(self.mass), "position")
