"""`energy_per_cycle`: electrical energy, heat and work of every drive over one period of its motions.

The magnetic energy of a motor is the same after a period, so the electrical energy is ∮ (R i² + e i) dt with the
back-EMF e, also where the current jumps; the work is ∮ τ v dt. Integrals are Gauss sums between the instants at which
the motions have jumps, on parts that are halved until two results agree to the tolerance of the run.

Source: docs/kinetostatics.md; quadrature: Abramowitz & Stegun 1964, §25.4.30
"""

import warnings
from collections.abc import Mapping

import numpy as np

from cardan.analysis.run_results import model_of, parameters_of
from cardan.errors import Issue, ModelError, ModelWarning, nearest
from cardan.frozen import dataclass
from cardan.model.checks.arguments import check_unit, number
from cardan.model.model import Model
from cardan.model.motions.expressed import ExpressedMotion
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import SIX_DIGITS
from cardan.results.trajectory import Trajectory, check_run
from cardan.simulation.motions.kinetostatics import kinetostatics

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_HALVINGS = 10  # largest number of them: 8192 instants between two jumps


@dataclass(frozen=True)
class CycleEnergy:
    """Energies of one drive over one period [J]."""

    drive: str  # motor, or joint without one
    work: float  # that its effort does on the joint
    electrical: float  # that it takes at its terminals; NaN without a motor
    heat: float  # R i², part of the electrical energy; NaN without a motor


@dataclass(frozen=True)
class EnergyPerCycle:
    """Energies of all drives over one period; as text a table."""

    period: float  # [s]
    rows: tuple[CycleEnergy, ...]  # motors in file order, then joints that are driven without one

    def of(self, drive: str) -> CycleEnergy:
        """The energies of a motor, or of a joint that is driven without one.

        Parameters
        ----------
        drive : str
            Its name.

        Raises
        ------
        KeyError
            There is no such drive.
        """
        for row in self.rows:
            if row.drive == drive:
                return row
        raise KeyError(f'no drive is called "{drive}"; {nearest(drive, [row.drive for row in self.rows])}')

    def __repr__(self) -> str:
        """The energies as a table."""
        table = [("energy per cycle [J]", "electrical", "heat", "work")]
        for row in self.rows:
            numbers = (row.electrical, row.heat, row.work)
            table.append((row.drive, *("–" if np.isnan(x) else f"{x:.6g}" for x in numbers)))  # type: ignore[arg-type]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(w.ljust(n) if k == 0 else w.rjust(n) for k, (w, n) in enumerate(zip(row, widths, strict=True)))
            for row in table
        ]
        return "\n".join([*lines, f"over a period of {self.period:g} s"])

    __str__ = __repr__


def energy_per_cycle(run: Trajectory, period: float | str | None = None) -> EnergyPerCycle:
    """Electrical energy that every motor takes over one period, its heat, and the work of every drive.

    Parameters
    ----------
    run : Trajectory
        From `kinetostatics`, or a file of one. The period begins at t = 0, whatever the instants of the run.
    period : float or str, optional
        Time [s] after which the motions repeat, where their key `period` does not say so.

    Raises
    ------
    ModelError
        It is no run, its motions do not prescribe every freedom or have no period, or the mechanism does not move as
        before after it.

    Example
    -------
    >>> import cardan
    >>> run = cardan.kinetostatics(cardan.load("parallel_3rrrt"), [0.0])
    >>> abs(energy_per_cycle(run, period=4.0).of("A1").work) < 1e-6  # no friction: no work over a period
    True
    """
    check_run(run)
    model, values = model_of(run), parameters_of(run)
    T = _period(model, values, period)
    breaks = {t for motion in model.motions.values() for t in motion.breaks(lambda scalar: scalar.number(values), T)}
    edges = np.array([0.0, *sorted(breaks), T])
    energies, turnover = _energies(run, model, edges)
    for _ in range(_HALVINGS):
        coarse, edges = energies, np.sort(np.concatenate([edges, (edges[1:] + edges[:-1]) / 2]))
        energies, turnover = _energies(run, model, edges)
        change = np.array([np.subtract(energies[name], coarse[name]) for name in energies])
        if not np.nanmax(np.abs(change), initial=0.0) > run.provenance.settings["rtol"] * turnover:
            break
    return EnergyPerCycle(T, tuple(CycleEnergy(name, *found) for name, found in energies.items()))


def _period(model: Model, values: Mapping[str, float], given: float | str | None) -> float:
    """The period of all motions [s]."""
    if given is not None:
        scalar = Scalar.read(given)
        check_unit(scalar, "s", model.parameters, ("period",))
        T = number(scalar, values, ("period",))
        if not (np.isfinite(T) and T > 0):
            raise ModelError(Issue(f"the period is {T:g} s", "give a positive time", ("period",)))
        return T
    stated = {name: getattr(motion, "period", None) for name, motion in model.motions.items()}
    periods = [period.number(values) for period in stated.values() if period is not None]
    moving = [
        name
        for name, motion in model.motions.items()
        if stated[name] is None
        and (not isinstance(motion, ExpressedMotion) or any("t" in scalar.names for scalar in motion.value))
    ]
    if moving or not periods:
        fault = f"the motion {moving[0]!r} has no key period" if moving else "the model has no motions with a period"
        raise ModelError(Issue(fault, "give period=, the time after which all motions repeat", ("period",)))
    T = max(periods)
    if any(abs(T / period - round(T / period)) > SIX_DIGITS for period in periods):
        fault = f"the motions have the periods {', '.join(f'{period:g} s' for period in periods)}"
        raise ModelError(Issue(fault, "give period=, a whole multiple of all of them", ("period",)))
    return T


def _energies(run: Trajectory, model: Model, edges: np.ndarray) -> tuple[dict[str, tuple[float, float, float]], float]:
    """Work, electrical energy and heat of every drive between the edges, and the largest energy turned over [J]."""
    settings, widths = run.provenance.settings, np.diff(edges)
    t = (edges[:-1, None] + widths[:, None] * (1 + _NODES) / 2).ravel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # given when the run was made
        loads = kinetostatics(
            model,
            [0.0, *t, edges[-1]],
            motors="full" if settings["motors"] == "steady" else settings["motors"],  # which it chooses itself
            parameters=settings.get("parameters"),
            initial=settings.get("initial"),
        )
    if not loads.ok:
        raise ModelError(loads.message)
    _check_closed(loads)
    dt, values, turnover = np.outer(widths, _WEIGHTS / 2).ravel(), parameters_of(run), 0.0
    out = {}
    for name, powers in _powers(loads, model, values).items():
        work, electrical, heat = (float(dt @ power[1:-1]) for power in powers)
        out[name] = work, electrical, heat
        turnover = max(turnover, float(np.nanmax([dt @ np.abs(power[1:-1]) for power in powers])))
    return out, turnover


def _powers(loads: Trajectory, model: Model, values: Mapping[str, float]) -> dict[str, tuple[np.ndarray, ...]]:
    """Powers (N,) by drive: of the effort, of resistance and back-EMF, of the resistance; NaN without a motor."""
    out, with_motors = dict[str, tuple[np.ndarray, ...]](), set[str]()
    for name, record in model.motors.items():
        if f"{name}.current" in loads:
            motor = record.resolved(lambda scalar: scalar.number(values))
            i, w = loads.array(f"{name}.current"), loads.array(f"{name}.speed")
            heat = motor.resistance * i**2
            out[name] = motor.torque(i) * w, heat + motor.back_emf(w) * i, heat
            with_motors.add(record.joint)
    for channel in loads.names:
        joint = channel.removesuffix(".effort")
        if joint != channel and loads.channels[channel].kind == "drive" and joint not in with_motors:
            unknown = np.full(len(loads), np.nan)
            out[joint] = loads.array(channel) * loads.array(f"{joint}.v"), unknown, unknown
    return out


def _check_closed(loads: Trajectory) -> None:
    """Refuse a mechanism that does not move, or motors that do not work, at the end as at the start."""
    currents = [name for name in loads.names if name.endswith(".current") and loads.channels[name].kind == "motor"]
    for name in [*(name for name in loads.state_names if name.endswith(".v")), *currents]:
        y = loads.array(name)
        if abs(y[-1] - y[0]) > SIX_DIGITS * np.abs(y).max():
            fault = f"the period of {loads.t[-1]:g} s begins with {name} = {y[0]:.6g} and ends with {y[-1]:.6g}"
            raise ModelError(Issue(fault, "give period=, the time after which all motions repeat", ("period",)))
