"""A brake of a train."""

from __future__ import annotations

from typing import Literal

from cardan.model.drives.elements.friction import FrictionElement

__all__ = ["BrakeElement"]


class BrakeElement(FrictionElement):
    """A brake against the housing: friction."""

    type: Literal["brake"] = "brake"  # type: ignore[assignment]
