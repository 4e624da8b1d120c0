"""What every element of a train satisfies: it adds itself as the train is built from the source on.

Signs and ratios follow from the order: a torque that an element passes on drives what stands behind it, and a gear of
ratio N makes what stands behind it N times slower.   Source: docs/drives.md
"""

from typing import Any, ClassVar, Self

from pydantic import PrivateAttr

from cardan.errors import ModelError
from cardan.model.drives.train import Train
from cardan.model.records.record import Record


class TrainElement(Record):
    """What every element satisfies."""

    type: str
    name: str = ""  # by which its results are called; empty: its kind, with a number where there are several
    _number: str = PrivateAttr("")

    short: ClassVar[str] = ""  # the field that a plain number stands for
    moves: ClassVar[str] = ""  # "linear" of elements of linear trains alone, "turning" of those of others

    @classmethod
    def read(cls, value: Any, name: str) -> Self:
        """The element that an entry of a train describes."""
        if isinstance(value, dict) or not cls.short:
            if not isinstance(value, dict):
                raise ModelError(f"{f'{value!r:.60}'} is not a table of keys", "write {key: value, …}")
            return cls(name=name, **{str(key): entry for key, entry in value.items()})
        return cls(**{"name": name, cls.short: value})

    @property
    def called(self) -> str:
        """Its name in results."""
        return self.name or self.type + self._number

    def numbered(self, k: int) -> None:
        """Call it by its number among several of its kind."""
        self._number = str(k)

    def add(self, train: Train) -> None:
        """Add it at the end of what is built so far."""
        raise NotImplementedError(self.type)
