"""The channels of one motion that is known by its instants: a run, or the result of a kineto-static analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cardan.assembly.independent_coordinates import Embedding
from cardan.channels.channels import Channels
from cardan.channels.functions import Need
from cardan.channels.solver import Solver
from cardan.errors import few, warn
from cardan.frozen import dataclass, field
from cardan.functions.system_functions import SystemFunctions
from cardan.functions.uniqueness import Instants
from cardan.numerics.distinct import distinct
from cardan.numerics.round_off import GAP, NEGLIGIBLE
from cardan.results.channel import Channel
from cardan.results.deferred import Deferred
from cardan.system.system import System

InputSignals = Callable[[np.ndarray], np.ndarray]
"""Inputs (N, m) at the instants (N,)."""


@dataclass(frozen=True, eq=False)
class RunChannels:
    """Channels of one motion; accelerations and multipliers are computed once, when a channel needs them."""

    solver: Solver  # solver of the mechanism
    t: np.ndarray  # instants (N,) [s]
    x: np.ndarray  # states (N, nx)
    inputs: InputSignals  # inputs over time
    breaks: np.ndarray  # instants at which inputs or laws of time may jump (K,) [s]
    solution: np.ndarray | None = None  # accelerations and multipliers (N, nv + c), where they are known
    _found: dict[Need, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Pickling drops computed solutions; they are computed again on demand."""
        return RunChannels, (self.solver, self.t, self.x, self.inputs, self.breaks, self.solution)

    @cached_property
    def instants(self) -> Instants:
        """t, x, u, p of the instants."""
        return self.t, self.x, self.inputs(self.t), self.solver.p

    def at(self, t: np.ndarray, x: np.ndarray) -> RunChannels:
        """The channels at other instants (N,) and states (N, nx) of the motion; at a jump, values after it."""
        return RunChannels(self.solver, t, x, self.inputs, np.empty(0))

    def described(self) -> Deferred[Channel]:
        """Every channel by name; its description is made on first use."""
        return Deferred(lambda: self._channels.names, self._channels.describe)

    def on_request(self) -> frozenset[str]:
        """Names of the channels that are found by name but not listed."""
        return self._channels.on_request

    def evaluate(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Values (N, *shape) of some channels."""
        found = self._channels.evaluate(names, *self.instants, self._solved(self._channels.need(names)))
        for motor, results in self._of_voltages.items():
            for name in found.keys() & results:
                found[name] = np.where(self._jumps.get(motor, False), np.nan, found[name])
        return found

    @property
    def _channels(self) -> Channels:
        return Channels(self.solver.functions, self.solver)

    def _solved(self, need: Need) -> np.ndarray | None:
        """Accelerations and multipliers for a need, from an earlier larger need if there was one."""
        if self.solution is not None or need is Need.NOTHING:
            return self.solution
        known = [found for level, found in self._found.items() if level >= need]
        if not known:
            self._found[need] = self.solver.solve(self.instants, need)
        return known[0] if known else self._found[need]

    @property
    def _of_voltages(self) -> Mapping[str, tuple[str, ...]]:
        return of_voltages(self.solver.functions.system)

    @cached_property
    def _jumps(self) -> Mapping[str, np.ndarray]:
        return current_jumps(self)


def of_run(
    functions: SystemFunctions,
    t: np.ndarray,
    x: np.ndarray,
    inputs: InputSignals,
    p: np.ndarray,
    breaks: np.ndarray,
    *,
    position: np.ndarray,
    embedding: Embedding | None = None,
    projected: bool = True,
    solution: np.ndarray | None = None,
) -> RunChannels:
    """The channels of one motion; each is computed on first use."""
    return RunChannels(Solver(functions, position, p, embedding, projected), t, x, inputs, breaks, solution)


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
        jumps = np.abs(after[name] - before[name]) > NEGLIGIBLE * np.nanmax(np.abs(everywhere[name]))
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
