"""A spring of a linear train, with a damper and a gap."""

from __future__ import annotations

from typing import Literal

from cardan.model.drives.elements.shaft import ShaftElement
from cardan.model.quantities.fields import Damping, Size, Stiffness
from cardan.model.quantities.scalar import ZERO

__all__ = ["SpringElement"]


class SpringElement(ShaftElement):
    """A spring with a damper, and a gap: the shaft of a linear train."""

    type: Literal["spring"] = "spring"  # type: ignore[assignment]
    stiffness: Stiffness  # [N/m]
    damping: Damping = ZERO  # [N s/m]
    backlash: Size | None = None  # [m]

    moves = "linear"
    words = ("compression", "compression_rate", "force")
