"""The log of a run's steps, and the distance to a singular position along it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cardan.frozen import dataclass, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import Log
from cardan.singular.tolerances import SAMPLES, SPACING

Array = np.ndarray


@dataclass(frozen=True)
class StepLog:
    """The ends of a run's K steps, including its start."""

    functions: SystemFunctions  # functions of the system
    log: Log  # log of the integration
    p: Array  # parameters
    projected: bool  # whether each state was projected onto the constraints

    @property
    def t(self) -> Array:
        """Instants (K,) [s]."""
        return self.log.t

    @property
    def x(self) -> Array:
        """States (K, nx)."""
        return self.log.x

    @property
    def q(self) -> Array:
        """Positions (K, nq)."""
        return self.x[:, : self.functions.system.tree.nq]

    @property
    def v(self) -> Array:
        """Velocities (K, nv)."""
        tree = self.functions.system.tree
        return self.x[:, tree.nq : tree.nq + tree.nv]

    def until(self, t_end: float) -> StepLog:
        """The steps that end at t_end [s] or before."""
        log, kept = self.log, self.t <= t_end
        parts = {name: getattr(log, name)[kept] for name in ("t", "x", "w", "nearness")}
        return self if kept.all() else replace(self, log=log._replace(**parts))

    @property
    def r(self) -> Array:
        """Distance to a singular position at the ends of the steps (K,) [-]."""
        return self.log.nearness if self.projected else self._ends[0]

    @property
    def drift(self) -> Array:
        """Distance of the positions from the closed ones (K,) [m, rad]."""
        return self._ends[1]

    @property
    def rates(self) -> Array:
        """Derivatives q̇ of the positions (K, nq)."""
        return self._ends[2]

    def distance_at(self, t: Array, q: Array) -> Array:
        """Distance to a singular position (N,): the root of the smallest pivot, which grows linearly from zero [-]."""
        return self._evaluated(t, np.column_stack([q, np.zeros((len(t), self.x.shape[1] - q.shape[1]))]))[0]

    @cached_property
    def _ends(self) -> tuple[Array, Array, Array]:
        return self._evaluated(self.t, self.x)

    def _evaluated(self, t: Array, x: Array) -> tuple[Array, Array, Array]:
        u = np.zeros(len(self.functions.system.input_names))
        distances, drift, rates = self.functions.batch("nearness")(t, x, u, self.p)
        return distances[:, 0], drift[:, 0], rates


def distance(log: StepLog) -> tuple[Array, Array]:
    """Instants (N,), including the ends of all steps, and the distance to a singular position at them (N,) [-].

    Between the ends of a step positions come from the cubic Hermite polynomial.
    """
    q, rates, h = log.q, log.rates, np.diff(log.t)
    moved = h * np.max(np.abs([rates[:-1], rates[1:]]), axis=(0, 2), initial=0.0)
    parts = np.clip(np.ceil(moved / SPACING), 1, max(1, SAMPLES // max(q.size, 1))).astype(int)
    k = np.repeat(np.arange(len(h)), parts)  # step of each sample
    s = ((np.arange(len(k)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[k])[:, None]
    between = cubic(s, h[k, None], q[k], q[k + 1], rates[k], rates[k + 1])
    t, r = np.append(log.t[k] + s[:, 0] * h[k], log.t[-1:]), np.append(log.r[k], log.r[-1:])
    inner = np.flatnonzero(s[:, 0] > 0)
    r[inner] = log.distance_at(t[inner], between[inner])
    return t, r


def cubic(s: Any, h: Any, q0: Array, q1: Array, rate0: Array, rate1: Array) -> Array:
    """Positions within steps, on the cubic Hermite polynomial."""
    bend = h * (rate0 * (s * (1 - s) ** 2) - rate1 * ((1 - s) * s**2))
    return np.asarray(q0 * ((1 + 2 * s) * (1 - s) ** 2) + q1 * ((3 - 2 * s) * s**2) + bend)
