"""Motors and gears that can give what a motion asks of a drive, with what limits each.

A motor of inertia J behind a gear of ratio N has the torque τ/N + J N α, the current i = that over its constant, and
the voltage R i + K N ω; with an efficiency η of the gear τ/(N η) while it drives, η τ/N while it brakes.

Source: Isermann 2005, *Mechatronic Systems*, §5.5; VDI/VDE 3547 (RMS torque as measure of continuous duty)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardan.analysis.sizing.catalogue import UNITS, CatalogueMotor, read_catalogue
from cardan.analysis.sizing.duty import Array, Duty, duty_of
from cardan.blocks import Arrays, Piece, Work, in_blocks, joined
from cardan.channels.solver import BLOCK
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.results.trajectory import Trajectory

if TYPE_CHECKING:
    from distributed import Client

LIMITS = ("continuous torque", "peak torque", "speed", "voltage", "heating")
"""What may limit a choice."""

_LOADS = "rms_torque", "peak_torque", "peak_speed", "losses", "inertia_ratio"
_DUTY = "t", "torque", "speed", "acceleration", "inertia"


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
    client: Client | str | None = None,
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
    client : dask.distributed.Client or str, optional
        Cluster that tries the motors of a large catalogue, as of `sweep`.

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
    shares = _Shares(duty, N, efficiency)
    columns = {name: np.array([getattr(motor, name) for motor in motors]) for name in UNITS}
    work = Work(
        len(motors),
        lambda items: {name: x[items.start : items.stop] for name, x in columns.items()},
        shares,
        _read_shares,
        shares.text,
        most=max(1, BLOCK // (len(N) * len(duty.t))),
    )
    numbers = joined(in_blocks(work, client), len(motors)) if motors else {}
    places = np.ndindex(len(motors), len(N))
    found = [_choice(motors[i], float(N[j]), numbers, (i, j)) for i, j in places]
    found.sort(key=lambda one: (not one.is_possible, -one.used if one.is_possible else one.used))
    return Sizing(duty, tuple(found))


@dataclass(frozen=True, eq=False)
class _Shares:
    """The function that computes what a motion uses of the limits of motors."""

    duty: Duty
    ratios: Array  # of gears (R,)
    efficiency: float

    def pieces(self, rows: Arrays) -> Iterator[Piece]:
        """Shares and loads (M, R) of some motors, by name."""
        duty, N, efficiency = self.duty, self.ratios, self.efficiency
        column = {name: x[:, None] for name, x in rows.items()}  # (M, 1)
        drives = duty.torque * duty.speed > 0
        load = np.where(drives, duty.torque / efficiency, duty.torque * efficiency) / N[:, None]  # (R, N)
        torque = load + column["inertia"][:, :, None] * (N[:, None] * duty.acceleration)  # (M, R, N)
        speed = N[:, None] * duty.speed
        current = torque / column["constant"][:, :, None]
        voltage = column["resistance"][:, :, None] * current + column["constant"][:, :, None] * speed
        rms, peak = duty.rms(torque), np.abs(torque).max(axis=-1)
        fastest = np.broadcast_to(np.abs(speed).max(axis=-1), rms.shape)
        losses = column["resistance"] * (rms / column["constant"]) ** 2
        values = {
            "continuous torque": rms / column["rated_torque"],
            "peak torque": peak / column["max_torque"],
            "speed": fastest / column["max_speed"],
            "voltage": np.abs(voltage).max(axis=-1) / column["voltage"],
            "heating": losses * column["thermal_resistance"] / column["max_heating"],
        }
        loads = rms, peak, fastest, losses, duty.load_inertia / (column["inertia"] * N**2)
        yield np.arange(len(rms)), values | dict(zip(_LOADS, loads, strict=True))

    def lost(self, count: int, why: str) -> Arrays:
        """Limits that are passed, of motors that cannot be computed."""
        return {name: np.full((count, len(self.ratios)), np.inf) for name in (*LIMITS, *_LOADS)}

    def text(self) -> str:
        """Plain data of which `_read_shares` makes the function."""
        duty = {name: getattr(self.duty, name) for name in _DUTY}
        plain = {"drive": self.duty.drive, **{name: x.tolist() for name, x in duty.items()}}
        return json.dumps({"duty": plain, "ratios": self.ratios.tolist(), "efficiency": self.efficiency})


def _read_shares(text: str, threads: int) -> _Shares:
    plain = json.loads(text)
    duty = Duty(plain["duty"]["drive"], *(np.array(plain["duty"][name]) for name in _DUTY))
    return _Shares(duty, np.array(plain["ratios"]), plain["efficiency"])


def _choice(motor: CatalogueMotor, ratio: float, numbers: Arrays, place: tuple[int, ...]) -> Choice:
    """The choice of a motor and a ratio, in their place in the arrays."""
    shares = {name: float(numbers[name][place]) for name in LIMITS}
    return Choice(motor, ratio, shares, *(float(numbers[name][place]) for name in _LOADS))
