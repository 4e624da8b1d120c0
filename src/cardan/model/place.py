"""Names of places: "ground", "body" or "body.marker"."""

from __future__ import annotations

__all__ = ["GROUND", "split"]

GROUND = "ground"


def split(place: str) -> tuple[str, str]:
    """Body and marker of a `place`; the marker is empty where the place is the body itself or the ground."""
    body, _, marker = place.partition(".")
    return body, marker
