"""A torque as a source: an expression of time and motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from cardan.model.drives.sources.source import DriveSource
from cardan.model.quantities.fields import TorqueSignal
from cardan.model.short_forms.text import text_of

if TYPE_CHECKING:
    from cardan.model.drives.train import Train

__all__ = ["TorqueSource"]


class TorqueSource(DriveSource):
    """A torque: an expression of time and motion."""

    type: Literal["torque"] = "torque"
    value: TorqueSignal  # [N m]

    def add(self, train: Train) -> None:
        self.carry(train)
        train.show("torque", lambda: text_of(self.value))
        train.show("speed", train.place.speed)
        train.act(train.prefixed("torque"))
