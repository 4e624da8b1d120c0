"""Instants at which the current of a motor jumps: this takes an infinite voltage, so voltage and power are NaN there.

Just before and after the jump they are finite.

The current of a motor that drives a motion follows from the effort of its drive. It jumps where the acceleration, an
input or a force does.   Source: docs/kinetostatics.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import few, warn
from cardan.numerics.distinct import distinct
from cardan.system.system import System
from cardan.system.timing import GAP, JUMP

if TYPE_CHECKING:
    from cardan.channels.run_channels import RunChannels


def of_voltages(system: System) -> dict[str, tuple[str, ...]]:
    """Results of a system that contain a rate of current, by the name of its motor: voltage, power, outputs of them."""
    out = {}
    for motor in system.driven_motors:
        if motor.has_inductance:
            of_motor = (f"{motor.name}.voltage", f"{motor.name}.power")
            outputs = (name for name, scalar in system.model.outputs.items() if scalar.names & {*of_motor})
            out[motor.name] = (*of_motor, *outputs)
    return out


def current_jumps(channels: RunChannels) -> dict[str, np.ndarray]:
    """Whether the current of each motor that drives a motion jumps at the instants (N,), by the name of the motor."""
    motors, t = list(of_voltages(channels.solver.functions.system)), channels.t
    if not motors or not channels.breaks.size:
        return {}
    nearest = channels.breaks[
        np.clip(np.searchsorted(channels.breaks, t - GAP * np.spacing(t)), 0, channels.breaks.size - 1)
    ]
    places = np.flatnonzero((np.abs(t - nearest) <= GAP * np.spacing(t)) & (t > 0))
    if not places.size:
        return {}
    names, at, aside = [f"{motor}.current" for motor in motors], nearest[places], GAP * np.spacing(t[places])
    before, after = (channels.at(at + side, channels.x[places]).evaluate(names) for side in (-aside, aside))
    everywhere, out = channels.evaluate(names), {}
    for motor, name in zip(motors, names, strict=True):
        jumps = np.abs(after[name] - before[name]) > JUMP * np.nanmax(np.abs(everywhere[name]))
        if jumps.any():
            follows = np.diff(t, prepend=-np.inf) <= 2 * GAP * np.spacing(t)  # the row after a jump, if there are two
            out[motor] = np.isin(np.arange(t.size), places[jumps.ravel()]) & (t == nearest) & ~follows
            _warn(motor, distinct(at[jumps.ravel()]))
    return out


def _warn(motor: str, instants: np.ndarray) -> None:
    shown = few(f"{t:.6g}" for t in instants)
    cure = 'choose a motion with a continuous acceleration (quintic, cycloid, s_curve), or motors="simplified"'
    warn(
        f"the current of {motor!r} jumps at t = {shown} s, for which no voltage is high enough: it is NaN there; {cure}"
    )
