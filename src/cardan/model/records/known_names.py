"""What records ask of the names of a model; `Names` in `model/names.py` answers."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from cardan.errors import Issue


class KnownNames(Protocol):
    """The names of a model, for the checks of its records; units by name."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def places(self) -> tuple[str, ...]:
        """Every place that a record may act at."""

    @property
    def carrying(self) -> Mapping[str, Any]:
        """The joints that carry a body."""

    @property
    def coordinates(self) -> Mapping[str, str]:
        """Coordinates of the mechanism."""

    @property
    def efforts(self) -> Mapping[str, str]:
        """Efforts on the velocities of the mechanism."""

    @property
    def kinematic(self) -> frozenset[str]:
        """Names that are known without the equations of motion."""

    @property
    def motion(self) -> Mapping[str, str]:
        """What an expression may name where motion matters, parameters excepted."""

    @property
    def results(self) -> Mapping[str, str]:
        """What an output may name, parameters excepted."""

    def coordinates_of(self, joint: str) -> Mapping[str, str]:
        """Coordinates of a joint."""

    def target(self, name: str) -> Any:
        """What a motion of this name prescribes; None if there is no such coordinate or place."""

    def advice(self, name: str, known: Iterable[str]) -> str:
        """What to write in place of an unknown name of a coordinate, of those `known`."""

    def place_issues(self, **places: Any) -> Iterator[Issue]:
        """Of the places, given by their keys in a record, those that do not exist."""
