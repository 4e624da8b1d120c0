"""The channels of one motion that is known by its instants: a run, or the result of a kineto-static analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from cardan.assembly.independent_coordinates import Embedding
from cardan.channels.channels import Channels
from cardan.channels.functions import Need
from cardan.channels.jumps import current_jumps, of_voltages
from cardan.channels.solver import Solver
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.functions.uniqueness import Instants
from cardan.results.channel import Channel
from cardan.results.deferred import Deferred

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
