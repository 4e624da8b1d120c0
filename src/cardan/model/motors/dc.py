"""DC motor with a permanent magnet: L di/dt + R i + Ke ω = u, rotor torque Km i.   Source: Hoang & Vuong, eqs. 8–10"""

from __future__ import annotations

from typing import Literal

from cardan.model.motors.motor import Motor, Number
from cardan.model.quantities import BackEmfConstant, TorqueConstant

__all__ = ["Dc"]


class Dc(Motor):
    """Armature circuit of resistance, inductance and back-EMF; Km = Ke in SI for a machine without iron losses."""

    type: Literal["dc"] = "dc"
    torque_constant: TorqueConstant  # Km [N m/A]
    back_emf_constant: BackEmfConstant  # Ke [V s/rad]

    input_unit = "V"

    def back_emf(self, w: Number) -> Number:
        return self.back_emf_constant * w

    def torque(self, i: Number) -> Number:
        return self.torque_constant * i

    def current_rate(self, i: Number, w: Number, u: Number) -> Number:
        return (u - self.resistance * i - self.back_emf(w)) / self.inductance

    def steady_current(self, w: Number, u: Number) -> Number:
        return (u - self.back_emf(w)) / self.resistance  # eq. 22
