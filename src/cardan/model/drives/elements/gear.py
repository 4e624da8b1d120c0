"""A gear of a train."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from cardan.errors import Issue, ModelError
from cardan.model.drives.elements.element import TrainElement
from cardan.model.quantities.fields import Anything
from cardan.model.short_forms.text import text_of

if TYPE_CHECKING:
    from cardan.model.drives.train import Train

__all__ = ["GearElement"]


class GearElement(TrainElement):
    """A gear without losses: what stands behind it is `ratio` times slower; a negative one turns the direction."""

    type: Literal["gear"] = "gear"
    ratio: Anything  # [-]; of a joint that slides, the last one [rad/m]

    short = "ratio"

    def add(self, train: Train) -> None:
        if self.ratio.value == 0:
            raise ModelError(Issue("a gear ratio of 0 is not possible", "give speed before over speed behind it"))
        train.gear(text_of(self.ratio))
