"""`motor_times`: electrical and mechanical time constants of the motors, and what neglecting L di/dt costs.

With J the inertia that the drive moves and D its damping: L di/dt = u − R i − K_e r v and J dv/dt = r K_m i − D v. The
electrical time constant is L/R. The mechanical one, without L, is T = R J / (R D + r² K_m K_e). With L, the eigenvalues
s of the two equations obey L J s² + (R J + L D) s + R D + r² K_m K_e = 0; the slow one has the time constant T' = −1/s.

Source: Hoang & Vuong, §2.4 and eqs. (18), (20), (22)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.analysis.assembly import assembled_system
from cardan.frozen import dataclass
from cardan.model.model import Model
from cardan.numerics.rank import least_squares, null_space
from cardan.system.drives import drive_velocities


@dataclass(frozen=True)
class MotorTimes:
    """Time constants of one motor in the initial position."""

    electrical: float  # L/R [s]
    mechanical: float  # time constant of the speed without L; infinite without damping and back-EMF [s]
    error: float  # T/T' − 1, by which T is too long without L [-]; nan where current and speed oscillate
    oscillates: bool  # whether current and speed oscillate against each other, which L di/dt = 0 cannot show

    def __str__(self) -> str:
        """The two times, and whether L di/dt = 0 is safe."""
        times = f"electrical time constant {self.electrical:.3g} s, mechanical {self.mechanical:.3g} s"
        if self.electrical == 0:
            return f"{times}; there is no L di/dt"
        if self.oscillates:
            return f"{times}; neglecting L di/dt is not safe: current and speed oscillate against each other"
        word = "long" if self.error >= 0 else "short"
        return f"{times}; neglecting L di/dt makes the mechanical one {100 * abs(self.error):.3g} % too {word}"


def motor_times(model: Model, parameters: Mapping[str, Any] | None = None) -> dict[str, MotorTimes]:
    """Time constants of all motors by name, in the initial position, while the other joints move freely.

    Example
    -------
    >>> import cardan
    >>> round(motor_times(cardan.load("slider_crank"))["drive"].electrical, 6)
    0.000333
    """
    system, assembler, x, _ = assembled_system(model, None, parameters)
    values = dict(zip(model.parameters, assembler.p.tolist(), strict=True))
    q = x[: system.tree.nq]
    Phi_q, M = assembler.at(q)[1], assembler.inertia(q)
    N = null_space(Phi_q[: len(Phi_q) - len(drive_velocities(system.tree))])  # motions aside: the motor moves freely
    mobility = N @ least_squares(N.T @ M @ N, N.T)  # accelerations per effort

    found = {}
    for rotor in system.tree.motor_rotors:
        motor = model.motors[rotor.name].resolved(lambda scalar: scalar.number(values))
        joint, suffix = motor.driven
        law = model.joints[joint].resolved(lambda scalar: scalar.number(values))
        at = [name for name, _ in law.velocities].index(suffix)
        D = float(law.per_velocity("damping")[at]) + motor.ratio**2 * motor.rotor_damping
        Km, Ke = motor.torque(1.0) - motor.torque(0.0), motor.back_emf(1.0) - motor.back_emf(0.0)
        found[rotor.name] = _times(motor, float(mobility[rotor.v, rotor.v]), D, motor.ratio**2 * Km * Ke)
    return found


def _times(motor: Any, mobility: float, D: float, coupling: float) -> MotorTimes:
    """The times for the acceleration per effort `mobility`, the damping D and r² Km Ke."""
    L, R = motor.inductance, motor.resistance
    slowing = R * D + coupling
    mechanical = R / (mobility * slowing) if mobility * slowing > 0 else np.inf
    linear = L * D * mobility + R  # coefficient of s, times the mobility
    discriminant = linear**2 - 4 * L * mobility * slowing
    ratio = 2 * R / (linear + np.sqrt(discriminant)) if discriminant >= 0 else np.nan  # T/T'
    return MotorTimes(L / R, float(mechanical), float(ratio - 1), bool(discriminant < 0))
