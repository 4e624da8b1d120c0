"""DC motor with a permanent magnet: L di/dt + R i + Ke ω = u, rotor torque Km i.   Source: Hoang & Vuong, eqs. 8–10"""

from collections.abc import Iterator
from typing import Literal

from cardan.errors import Issue
from cardan.model.motors.motor import Motor, Number
from cardan.model.quantities.fields import BackEmfConstantLaw, TorqueConstantLaw
from cardan.model.records.element import ValueOf
from cardan.numerics.round_off import WRITTEN


class Dc(Motor):
    """Armature circuit of resistance, inductance and back-EMF; Km = Ke in SI for a machine without iron losses."""

    type: Literal["dc"] = "dc"
    torque_constant: TorqueConstantLaw  # Km [N m/A], also an expression
    back_emf_constant: BackEmfConstantLaw  # Ke [V s/rad], likewise

    def back_emf(self, w: Number) -> Number:
        return self.back_emf_constant * w

    def torque(self, i: Number) -> Number:
        return self.torque_constant * i

    def current_for(self, torque: Number) -> Number:
        return torque / self.torque_constant

    def current_rate(self, i: Number, w: Number, u: Number) -> Number:
        return (u - self.resistance * i - self.back_emf(w)) / self.inductance

    def steady_current(self, w: Number, u: Number) -> Number:
        return (u - self.back_emf(w)) / self.resistance  # eq. 22

    def doubts(self, value_of: ValueOf) -> Iterator[Issue]:
        try:
            Km, Ke = value_of(self.torque_constant), value_of(self.back_emf_constant)
        except KeyError:  # expressions of the motion
            return
        if abs(Km - Ke) > WRITTEN * max(abs(Km), abs(Ke)):
            does = "creates" if abs(Km) > abs(Ke) else "destroys"
            fault = f"the motor {does} power: torque constant {Km:g} N*m/A, back-EMF constant {Ke:g} V*s/rad"
            yield Issue(fault, "in SI units the two are equal, apart from iron losses", kind="motor_power")
