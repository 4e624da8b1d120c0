"""What every source of a drive satisfies: it turns the first shaft of its train."""

from typing import ClassVar

from cardan.model.drives.train import Train
from cardan.model.quantities.fields import MomentOfInertia
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record
from cardan.model.short_forms.text import text_of


class DriveSource(Record):
    """What every source satisfies."""

    type: str
    inertia: MomentOfInertia = ZERO  # of its rotor

    moves: ClassVar[str] = "turning"  # which trains it drives; empty for all

    def carry(self, train: Train) -> None:
        """Add its rotor to the train."""
        if self.inertia.value != 0:
            train.segment.inertias.append((train.place, text_of(self.inertia), ""))

    def add(self, train: Train) -> None:
        """Add it at the begin of the train."""
        raise NotImplementedError(self.type)
