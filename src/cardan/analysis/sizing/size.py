"""Motors and gears that can give what a motion asks of a drive, with what limits each.

A motor of inertia J behind a gear of ratio N has the torque τ/N + J N α, the current i = that over its constant, and
the voltage R i + K N ω; with an efficiency η of the gear τ/(N η) while it drives, η τ/N while it brakes.

Source: Isermann 2005, *Mechatronic Systems*, §5.5; VDI/VDE 3547 (RMS torque as measure of continuous duty)
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardan.analysis.sizing.catalogue import CatalogueMotor, read_catalogue
from cardan.analysis.sizing.duty import Array, Duty, duty_of
from cardan.channels.solver import BLOCK
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.results.trajectory import Trajectory


@dataclass(frozen=True)
class Choice:
    """A motor with a gear, and how much of each of its limits the motion uses."""

    motor: CatalogueMotor
    ratio: float
    shares: dict[str, float]  # of each limit [-]; NaN where the catalogue has none
    rms_torque: float  # of the motor [N m]
    peak_torque: float  # of the motor [N m]
    peak_speed: float  # of the motor [rad/s]
    losses: float  # mean heat in its winding [W]
    inertia_ratio: float  # largest inertia of the load, seen from the motor, over that of the rotor [-]

    def motor_motion(self, duty: Duty) -> tuple[Array, Array]:
        """Speed [rad/s] and torque [N m] of the motor (N,), by a gear without losses."""
        inertia = self.motor.inertia * self.ratio * duty.acceleration
        return self.ratio * duty.speed, duty.torque / self.ratio + inertia

    @property
    def used(self) -> float:
        """The largest share of a limit [-]."""
        return max((share for share in self.shares.values() if not np.isnan(share)), default=0.0)

    @property
    def is_possible(self) -> bool:
        """Whether no limit is passed."""
        return self.used <= 1.0

    @property
    def limited_by(self) -> str:
        """The limit that is used most."""
        known = {name: share for name, share in self.shares.items() if not np.isnan(share)}
        return max(known, key=lambda name: known[name]) if known else "nothing"


@dataclass(frozen=True)
class Sizing:
    """What a motion asks of a drive, and the choices of a catalogue: possible ones first, the fullest used in front."""

    duty: Duty
    choices: tuple[Choice, ...]

    def table(self, most: int = 20) -> str:
        """The first choices as text, a line each; `most` of them at most."""
        head = f"{'motor':24} {'ratio':>8} {'used':>6}  {'limited by':18}"
        head += f" {'RMS N*m':>9} {'peak N*m':>9} {'rad/s':>9} {'heat W':>8} {'inertia':>8}"
        lines = [
            f"{one.motor.name:24.24} {one.ratio:8.4g} {one.used:6.0%}  {one.limited_by:18} {one.rms_torque:9.3g} "
            f"{one.peak_torque:9.3g} {one.peak_speed:9.4g} {one.losses:8.3g} {one.inertia_ratio:8.3g}"
            for one in self.choices[:most]
        ]
        return "\n".join([head, *lines])

    def __repr__(self) -> str:
        """The duty, and how many choices there are."""
        possible = sum(one.is_possible for one in self.choices)
        return f"{self.duty!r}\n  {possible} of {len(self.choices)} choices of motor and gear can give this"


def size(
    run: Trajectory,
    drive: str,
    *,
    catalogue: str | Path | Sequence[CatalogueMotor] | None = None,
    ratios: Sequence[float] = (1.0,),
    efficiency: float = 1.0,
) -> Sizing:
    """What a run asks of a drive, and which motors and gears of a catalogue can give it.

    Parameters
    ----------
    run : Trajectory
        A motion of the mechanism: of `kinetostatics`, or of `simulate`.
    drive : str
        A motor of the run, whose place the choices take, or a coordinate that a motion or an effort drives.
    catalogue : path or sequence of CatalogueMotor, optional
        CSV file with the columns name, resistance, constant, inertia, and as far as known rated_torque, max_torque,
        max_speed, voltage, thermal_resistance, max_heating; by default a small catalogue of invented motors.
    ratios : sequence of float
        Ratios of gears to try: speed of the motor over that of the joint [-], [rad/m] where the joint slides.
    efficiency : float
        Of the gears, above 0 up to 1.

    Returns
    -------
    Sizing
        The duty of the drive, and all choices with what limits each.

    Raises
    ------
    ModelError
        There is no such drive; the catalogue cannot be read; a ratio or the efficiency is impossible.

    Example
    -------
    >>> import cardan
    >>> go = {"profile": "quintic", "points": [["0 s", 0], ["1 s", "90 deg"]]}
    >>> run = cardan.kinetostatics(cardan.load("scara"), motions={"joint1": go, "joint2": "0"})
    >>> found = cardan.size(run, "joint1", ratios=[20, 50, 100])
    >>> found.choices[0].is_possible, found.choices[-1].is_possible
    (True, False)
    """
    motors = read_catalogue(catalogue) if catalogue is None or isinstance(catalogue, str | Path) else tuple(catalogue)
    N = np.asarray(list(ratios), dtype=float)
    if not N.size or not np.isfinite(N).all() or not N.all():
        raise ModelError(Issue("a gear ratio is zero or no number", "give ratios such as 20, 50", ("ratios",)))
    if not 0 < efficiency <= 1:
        raise ModelError(Issue(f"an efficiency of {efficiency:g} is not possible", "give 0 to 1", ("efficiency",)))
    duty = duty_of(run, drive)
    found, pieces = list[Choice](), max(1, BLOCK // (len(N) * len(duty.t)))
    for first in range(0, len(motors), pieces):
        found += _choices(duty, motors[first : first + pieces], N, efficiency)
    found.sort(key=lambda one: (not one.is_possible, -one.used if one.is_possible else one.used))
    return Sizing(duty, tuple(found))


def _choices(duty: Duty, motors: Sequence[CatalogueMotor], N: Array, efficiency: float) -> list[Choice]:
    """Each of some motors with each ratio."""

    def column(key: str) -> Array:
        return np.array([getattr(motor, key) for motor in motors])[:, None]  # (M, 1)

    drives = duty.torque * duty.speed > 0
    load = np.where(drives, duty.torque / efficiency, duty.torque * efficiency) / N[:, None]  # (R, N)
    torque = load + column("inertia")[:, :, None] * (N[:, None] * duty.acceleration)  # (M, R, N)
    speed = N[:, None] * duty.speed
    current = torque / column("constant")[:, :, None]
    voltage = column("resistance")[:, :, None] * current + column("constant")[:, :, None] * speed
    rms, peak, fastest = duty.rms(torque), np.abs(torque).max(axis=-1), np.abs(speed).max(axis=-1)
    losses = column("resistance") * (rms / column("constant")) ** 2
    loads = duty.load_inertia / (column("inertia") * N**2)
    shares = {
        "continuous torque": rms / column("rated_torque"),
        "peak torque": peak / column("max_torque"),
        "speed": fastest / column("max_speed"),
        "voltage": np.abs(voltage).max(axis=-1) / column("voltage"),
        "heating": losses * column("thermal_resistance") / column("max_heating"),
    }
    return [
        Choice(
            motor,
            float(ratio),
            {name: float(values[i, j]) for name, values in shares.items()},
            float(rms[i, j]),
            float(peak[i, j]),
            float(fastest[j]),
            float(losses[i, j]),
            float(loads[i, j]),
        )
        for i, motor in enumerate(motors)
        for j, ratio in enumerate(N)
    ]
