"""A name of a place in a train, at which other trains begin or end."""

from typing import Literal

from cardan.model.drives.elements.element import TrainElement
from cardan.model.drives.train import Train
from cardan.model.records.section import check_name


class BranchElement(TrainElement):
    """A name of the place reached: others have `from: a1.name` or `to: a1.name`."""

    type: Literal["branch"] = "branch"
    place: str

    short = "place"

    def add(self, train: Train) -> None:
        check_name(self.place)
        train.mark(self.place)
