"""What every motor kind satisfies: it drives one coordinate through a gear; its rotor is mechanics, its circuit a law.

Source: docs/notation.md §5
"""

from __future__ import annotations

from typing import ClassVar

from cardan.model.quantities import ONE, ZERO, Anything, Direction, Inertia, TorsionalDamping
from cardan.model.record import Record

__all__ = ["Motor"]


class Motor(Record):
    """A motor with a gear. `ratio` r = motor speed / joint speed: r > 1 slows down; for linear joints [rad/m]."""

    joint: str  # joint with one velocity, or joint.component
    ratio: Anything = ONE
    rotor_inertia: Inertia = ZERO  # [kg m²] about the rotor's axis
    rotor_damping: TorsionalDamping = ZERO  # [N m s/rad] at the rotor
    mounted_on: str | None = None  # body that carries the stator; None: only r² Im is added to the driven coordinate
    rotor_axis: Direction | None = None  # axis in the carrier's axes; None: that of the joint

    input_unit: ClassVar[str]  # of what drives it
