"""DC motor with a permanent magnet: L di/dt + R i + Ke ω = u, rotor torque Km i.   Source: Hoang & Vuong, eqs. 8–10"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from cardan.model.motors.motor import Motor
from cardan.model.quantities import ZERO, BackEmfConstant, Inductance, Resistance, TorqueConstant

__all__ = ["Dc"]

Number = Any


class Dc(Motor):
    """Armature circuit of resistance, inductance and back-EMF; Km = Ke in SI for a machine without iron losses."""

    type: Literal["dc"] = "dc"
    resistance: Resistance  # Ra [Ω]
    inductance: Inductance = ZERO  # La [H]; may stay away in the simplified model
    torque_constant: TorqueConstant  # Km [N m/A]
    back_emf_constant: BackEmfConstant  # Ke [V s/rad]

    input_unit: ClassVar[str] = "V"

    def back_emf(self, w: Number) -> Number:
        """Voltage [V] at rotor speed w [rad/s]."""
        return self.back_emf_constant * w

    def torque(self, i: Number) -> Number:
        """Torque [N m] on the rotor at current i [A]."""
        return self.torque_constant * i

    def current_rate(self, i: Number, w: Number, u: Number) -> Number:
        """di/dt [A/s] under the voltage u [V]."""
        return (u - self.resistance * i - self.back_emf(w)) / self.inductance

    def steady_current(self, w: Number, u: Number) -> Number:
        """Current [A] with L di/dt neglected (eq. 22)."""
        return (u - self.back_emf(w)) / self.resistance
