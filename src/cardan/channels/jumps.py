"""Instants at which the current of a motor jumps: this takes an infinite voltage, so voltage and power are NaN there.

The current of a motor that drives a motion follows from the effort of its drive. It jumps where the acceleration, an
input or a force does.   Source: docs/kinetostatics.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import warn
from cardan.system.system import System
from cardan.system.timing import GAP, JUMP

if TYPE_CHECKING:
    from cardan.channels.run_channels import RunChannels

__all__ = ["current_jumps", "of_voltages"]

SHOWN = 3  # largest number of instants in a message


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
    """Whether the current of each motor that drives a motion jumps at the instants (N,), by the name of the motor.

    Parameters
    ----------
    channels : channels of the motion.

    Warns
    -----
    ModelWarning
        A current jumps; the message names the motor and the instants.
    """
    motors, t = list(of_voltages(channels.solver.functions.system)), channels.t
    places = np.flatnonzero(np.isin(t, channels.breaks) & (t > 0))
    if not motors or not places.size:
        return {}
    names, aside = [f"{motor}.current" for motor in motors], GAP * np.spacing(t[places])
    before, after = (channels.at(t[places] + side, channels.x[places]).evaluate(names) for side in (-aside, aside))
    everywhere, out = channels.evaluate(names), {}
    for motor, name in zip(motors, names, strict=True):
        jumps = np.abs(after[name] - before[name]) > JUMP * np.nanmax(np.abs(everywhere[name]))
        if jumps.any():
            out[motor] = np.isin(np.arange(t.size), places[jumps])
            _warn(motor, np.unique(t[out[motor]]))
    return out


def _warn(motor: str, instants: np.ndarray) -> None:
    shown = ", ".join(f"{t:.6g}" for t in instants[:SHOWN]) + ", …" * (instants.size > SHOWN)
    cure = 'choose a motion with a continuous acceleration (quintic, cycloid, s_curve), or motors="simplified"'
    warn(
        f"the current of {motor!r} jumps at t = {shown} s, for which no voltage is high enough: it is NaN there; {cure}"
    )
