"""What every motor kind satisfies: it drives one coordinate through a gear; its rotor is mechanics, its circuit a law.

Source: docs/notation.md §5
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from cardan.model.quantities import ONE, ZERO, Anything, Direction, Inductance, Inertia, Resistance, TorsionalDamping
from cardan.model.record import Record

__all__ = ["Motor"]

Number = Any  # casadi.SX or casadi.DM


class Motor(Record):
    """A motor with a gear. `ratio` r = motor speed / joint speed: r > 1 slows down; for linear joints [rad/m]."""

    joint: str  # joint with one velocity, or joint.component
    ratio: Anything = ONE
    rotor_inertia: Inertia = ZERO  # [kg m²] about the rotor's axis
    rotor_damping: TorsionalDamping = ZERO  # [N m s/rad] at the rotor
    mounted_on: str | None = None  # body that carries the stator; None: only r² Im is added to the driven coordinate
    rotor_axis: Direction | None = None  # axis in the carrier's axes; None: that of the joint
    resistance: Resistance  # of the circuit [Ω]
    inductance: Inductance = ZERO  # of the circuit [H]; may stay away in the simplified model

    input_unit: ClassVar[str]  # of what drives it

    @abstractmethod
    def back_emf(self, w: Number) -> Number:
        """Voltage [V] at rotor speed w [rad/s]."""

    @abstractmethod
    def torque(self, i: Number) -> Number:
        """Torque [N m] on the rotor at current i [A]."""

    @abstractmethod
    def current_rate(self, i: Number, w: Number, u: Number) -> Number:
        """di/dt [A/s] at current i [A] and rotor speed w [rad/s] under the voltage u [V]."""

    @abstractmethod
    def steady_current(self, w: Number, u: Number) -> Number:
        """Current [A] at rotor speed w [rad/s] under the voltage u [V], L di/dt neglected."""
