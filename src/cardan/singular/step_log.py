"""The course of a motion through its loops: what was kept of its steps, and how near it came to singular positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cardan.functions.energy_balance import balance
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import Log

__all__ = ["FAR", "MOST", "Course", "Interpolant"]

Array = np.ndarray
PARTS = 4  # of a step at least, where the distance to a singular position is looked at
FAR = 0.2  # of a coordinate between two such places: a thirtieth of a turn [rad, m]
MOST = 1000  # parts of a step
NODES = 4  # steps' ends whose positions and velocities make an interpolant: of degree 7, as good as the steps


@dataclass(frozen=True)
class Course:
    """Ends of steps along a run, K of them."""

    functions: SystemFunctions  # of the system
    t: Array  # (K,) [s]
    x: Array  # (K, nx)
    w: Array  # (K, nw) works
    p: Array  # parameters
    nearness: Array | None = None  # (K,) distances from a singular position where known

    @staticmethod
    def of(functions: SystemFunctions, log: Log, p: Array, *, known: bool) -> Course:
        """The course that a log of steps tells of.

        Parameters
        ----------
        functions : of the system.
        log : of its steps.
        p : parameters.
        known : whether the log knows how near singular positions were.
        """
        return Course(functions, log.t, log.x, log.w, p, log.nearness if known else None)

    @property
    def q(self) -> Array:
        """Positions (K, nq)."""
        return self.x[:, : self.functions.system.tree.nq]

    @property
    def v(self) -> Array:
        """Velocities (K, nv)."""
        tree = self.functions.system.tree
        return self.x[:, tree.nq : tree.nq + tree.nv]

    def until(self, t_end: float) -> Course:
        """The part up to an instant t_end [s]."""
        if not len(self.t) or self.t[-1] <= t_end:
            return self
        kept = self.t <= t_end
        nearness = None if self.nearness is None else self.nearness[kept]
        return Course(self.functions, self.t[kept], self.x[kept], self.w[kept], self.p, nearness)

    @cached_property
    def r(self) -> Array:
        """Distance to a singular position (K,) at the ends of steps [-]."""
        return self._ends[0] if self.nearness is None else self.nearness

    @cached_property
    def energies(self) -> tuple[Array, Array]:
        """What the balance of energy lacks at the ends of steps, from the start (K,), and the turnover until then [J].

        The turnover is the largest kinetic energy, change of potential energy or work so far.
        """
        u = np.zeros((len(self.t), len(self.functions.system.input_names)))
        lacking, parts = balance(self.functions, (self.t, self.x, u, self.p), self.w)
        least, most = np.minimum.accumulate(parts), np.maximum.accumulate(parts)
        least[:, 0] = 0.0
        return lacking, np.max(most - least, axis=1)

    @property
    def drift(self) -> Array:
        """Drift (K,) at the ends of steps [m, rad]."""
        return self._ends[1]

    @property
    def rates(self) -> Array:
        """Rates of the positions q̇ (K, nq) at the ends of steps."""
        return self._ends[2]

    @cached_property
    def _ends(self) -> tuple[Array, Array, Array]:
        return self._evaluated(self.t, self.x)

    @cached_property
    def samples(self) -> tuple[Array, Array]:
        """Instants within all steps, their ends included, and the distance to a singular position there."""
        return self.sampled(FAR, MOST)

    def sampled(self, far: float, most: int) -> tuple[Array, Array]:
        """The same, at places that are no further apart than `far` in any coordinate.

        Parameters
        ----------
        far : [rad, m]
        most : parts of a step; places of long ones are further apart then.
        """
        rates, h = self.rates, np.diff(self.t)
        moved = h * np.max(np.abs([rates[:-1], rates[1:]]), axis=(0, 2), initial=0.0)
        parts = np.clip(np.ceil(moved / far), PARTS, most).astype(int)
        k = np.repeat(np.arange(len(h)), parts)  # step of each sample, its start among them
        s = ((np.arange(len(k)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[k])[:, None]
        cubic = (
            self.q[k] * ((1 + 2 * s) * (1 - s) ** 2)
            + self.q[k + 1] * ((3 - 2 * s) * s**2)
            + h[k, None] * (rates[k] * (s * (1 - s) ** 2) - rates[k + 1] * ((1 - s) * s**2))
        )
        t = np.append(self.t[k] + s[:, 0] * h[k], self.t[-1:])
        inner = s[:, 0] > 0
        r = np.append(self.r[k], self.r[-1:])
        r[:-1][inner] = self.distance(t[:-1][inner], cubic[inner])
        return t, r

    def distance(self, t: Array, q: Array) -> Array:
        """Distance to a singular position [-]: the root of the smallest pivot, which grows linearly from zero.

        Parameters
        ----------
        t, q : instants (N,) and positions (N, nq).
        """
        return self._evaluated(t, np.column_stack([q, np.zeros((len(t), self.x.shape[1] - q.shape[1]))]))[0]

    def positions(self, steps: Array) -> Interpolant:
        """Positions around the steps (C,) given by number."""
        count = min(NODES, len(self.t))
        first = np.clip(np.asarray(steps) - (count - 2) // 2, 0, len(self.t) - count)
        rows = first[:, None] + np.arange(count)
        return Interpolant.through(self.t[rows], self.q[rows], self.rates[rows])

    def _evaluated(self, t: Array, x: Array) -> tuple[Array, Array, Array]:
        u = np.zeros(len(self.functions.system.input_names))
        distances, drift, rates = self.functions.batch("nearness")(t, x, u, self.p)
        return distances[:, 0], drift[:, 0], rates


@dataclass(frozen=True)
class Interpolant:
    """Hermite polynomials in Newton's form, C of them side by side.   Source: Stoer & Bulirsch 2002, §2.1.5"""

    nodes: Array  # (C, 2m) each instant twice [s]
    coefficients: Array  # (C, 2m, nq)

    @staticmethod
    def through(t: Array, q: Array, rates: Array) -> Interpolant:
        """Polynomials through q (C, m, nq) with the slopes `rates` at t (C, m)."""
        z, table = np.repeat(t, 2, axis=1), np.repeat(q, 2, axis=1)
        coefficients = [table[:, 0]]
        for order in range(1, z.shape[1]):
            span = z[:, order:] - z[:, :-order]
            same = span == 0
            table = np.diff(table, axis=1) / np.where(same, 1, span)[:, :, None]
            if order == 1:
                table[:, ::2] = rates
            coefficients.append(table[:, 0])
        return Interpolant(z, np.stack(coefficients, axis=1))

    def __call__(self, t: Array) -> Array:
        """Values (C, nq) at the instants t (C,)."""
        out = self.coefficients[:, -1]
        for k in range(self.nodes.shape[1] - 2, -1, -1):
            out = out * (t - self.nodes[:, k])[:, None] + self.coefficients[:, k]
        return out
