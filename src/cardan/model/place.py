"""Places that joints, forces and constraints act at: "ground", "body", "body.marker", or a frame given on the spot."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import ModelError
from cardan.model.placement import Placement

GROUND = "ground"


class InlinePlace(Placement):
    """A frame on a body, given where it is used instead of as a marker: `{body: ground, position: [0.9 m, 0, 0]}`."""

    body: str  # "ground" or a body

    def __str__(self) -> str:
        """How messages name it."""
        return f"a place on {self.body}"


def split(place: str | InlinePlace) -> tuple[str, str]:
    """Body and marker of a `place`; the marker is empty where the place is a body, the ground or given on the spot."""
    if isinstance(place, InlinePlace):
        return place.body, ""
    body, _, marker = place.partition(".")
    return body, marker


def _read(value: Any) -> Any:
    if isinstance(value, Mapping):
        return InlinePlace(**{str(key): entry for key, entry in value.items()})
    if isinstance(value, str | InlinePlace):
        return value
    cure = "write ground, a body, body.marker or {body: …, position: […]}"
    raise ModelError(f"{f'{value!r:.60}'} is not a place", cure)


End = Annotated[str | InlinePlace, BeforeValidator(_read)]
"""A place by its name, or given on the spot."""
