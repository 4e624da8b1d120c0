"""What a motion asks of a drive: torque, speed and power at the joint, their peaks, means and RMS values."""

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError, nearest
from cardan.frozen import dataclass
from cardan.numerics.round_off import WRITTEN
from cardan.results.trajectory import Trajectory, check_run

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Duty:
    """Torque and motion of a driven joint over time; at jumps both sides are instants."""

    drive: str  # motor or coordinate
    t: Array  # (N,) [s]
    torque: Array  # (N,) at the joint [N m]; of a sliding joint [N]
    speed: Array  # (N,) of the joint [rad/s, m/s]
    acceleration: Array  # (N,) of the joint [rad/s², m/s²]
    inertia: Array  # (N,) of the load at the joint [kg m², kg]; NaN behind elastic shafts and in some loops

    @property
    def peak_torque(self) -> float:
        """Largest size of the torque."""
        return float(np.max(np.abs(self.torque)))

    @property
    def peak_speed(self) -> float:
        """Largest size of the speed."""
        return float(np.max(np.abs(self.speed)))

    @property
    def peak_power(self) -> float:
        """Largest power that the drive gives [W]."""
        return float(np.max(self.torque * self.speed))

    @property
    def braking_power(self) -> float:
        """Largest power that the drive takes [W]."""
        return float(np.max(-self.torque * self.speed, initial=0.0))

    @property
    def rms_torque(self) -> float:
        """Root of the mean square of the torque over time."""
        return float(self.rms(self.torque))

    @property
    def mean_speed(self) -> float:
        """Mean size of the speed over time."""
        return float(self.mean(np.abs(self.speed)))

    @property
    def load_inertia(self) -> float:
        """Largest inertia of the load."""
        known = self.inertia[np.isfinite(self.inertia)]
        return float(known.max()) if known.size else np.nan

    @property
    def energy(self) -> float:
        """Work that the drive has done [J]."""
        return float(np.trapezoid(self.torque * self.speed, self.t))

    @property
    def _weights(self) -> Array:
        """Share (N,) of each instant in a mean over time, by trapezoids."""
        steps = np.diff(self.t) / ((self.t[-1] - self.t[0]) or 1.0)
        weights = (np.append(steps, 0.0) + np.append(0.0, steps)) / 2
        return weights if weights.any() else np.eye(len(self.t))[-1]

    def mean(self, values: Array) -> Array:
        """Mean over time of values (…, N), by trapezoids."""
        return np.asarray(values @ self._weights)

    def rms(self, values: Array) -> Array:
        """Root of the mean square over time of values (…, N)."""
        return np.sqrt(self.mean(values**2))

    def __repr__(self) -> str:
        """The figures in four lines."""
        load = "not known" if np.isnan(self.load_inertia) else f"{self.load_inertia:.4g} at most"
        return (
            f"Duty of {self.drive}: torque {self.peak_torque:.4g} at most, {self.rms_torque:.4g} RMS\n"
            f"  speed {self.peak_speed:.4g} at most, {self.mean_speed:.4g} in the mean\n"
            f"  inertia of the load {load}\n"
            f"  power {self.peak_power:.4g} W at most, {self.braking_power:.4g} W in braking; work {self.energy:.4g} J"
        )


def duty_of(run: Trajectory, drive: str) -> Duty:
    """What a run asks of a motor, at the joint behind its gear, or of the drive of a coordinate.

    Raises
    ------
    ModelError
        There is no such motor or driven coordinate, or the run failed.
    """
    check_run(run)
    if not run.ok or not len(run.t):
        raise ModelError(f"the run did not end as it should: {run.message}", "size a drive by a run that completes")
    joint, torque = drive, f"{drive}.effort"
    if f"{drive}.output_torque" in run.channels:
        joint, torque = _joint_of(run, drive), f"{drive}.output_torque"
    if torque not in run.channels or f"{joint}.v" not in run.names:
        ends = (".output_torque", ".effort")
        known = [name.removesuffix(end) for name in run.names for end in ends if name.endswith(end)]
        raise ModelError(f"there is no motor and no driven coordinate {drive!r}", nearest(drive, known))
    effort, v, a = (np.asarray(run.array(name), dtype=float) for name in (torque, f"{joint}.v", f"{joint}.a"))
    if not effort.any():
        cure = "prescribe its motion in a model without this source, and size the coordinate there"
        raise ModelError(f"nothing whose torque is known drives {drive!r} in this run", cure)
    inertia = run.array(f"{joint}.inertia") if f"{joint}.inertia" in run else np.full(len(run.t), np.nan)  # of a file
    if joint == f"{drive}_rotor" and np.isfinite(inertia).all():  # the rotor in front of an elastic shaft is no load
        effort, inertia = effort - inertia * a, np.full(len(run.t), np.nan)
    return Duty(drive, np.asarray(run.t, dtype=float), effort, v, a, inertia)


def duties_of(run: Trajectory) -> list[Duty]:
    """What a run asks of each of its motors that move or give a torque; none of a run that failed."""
    found, end = list[Duty](), ".output_torque"
    for motor in (name.removesuffix(end) for name in run.names if name.endswith(end) and run.ok and len(run.t)):
        try:
            found.append(duty_of(run, motor))
        except ModelError:  # it does nothing in this run
            continue
    return found


def _joint_of(run: Trajectory, motor: str) -> str:
    """The coordinate that a motor drives: whose speed is the motor's over the ratio of the torques of its gear."""
    before, behind, w = (run.array(f"{motor}.{what}") for what in ("input_torque", "output_torque", "speed"))
    k = int(np.argmax(np.abs(before)))
    ratio = behind[k] / before[k] if before[k] else 0.0
    for name in run.names:
        if name.endswith(".v") and ratio and np.allclose(run.array(name) * ratio, w, rtol=WRITTEN, atol=0.0):
            return name.removesuffix(".v")
    fault = f"the motor {motor!r} neither moves nor gives a torque in this run"
    raise ModelError(fault, "choose a run in which it works")
