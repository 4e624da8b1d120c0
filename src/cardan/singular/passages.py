"""Singular positions that a run has passed: minima of the distance, refined, and confirmed by the rank of Φq.

Source: Stoer & Bulirsch 2002, §2.1.5 (Hermite polynomials)
"""

from __future__ import annotations

import numpy as np

from cardan.assembly.start import system_of
from cardan.frozen import dataclass
from cardan.numerics.golden_section import minima
from cardan.results.run_records import Passage
from cardan.singular.closed_loops import ClosedLoops
from cardan.singular.singularity import longest_row, unit_rows
from cardan.singular.step_log import StepLog, distance
from cardan.singular.tolerances import ITERATIONS, NEAR, SAME, SINGULAR, STARTS

Array = np.ndarray
NODES = 4  # number of step ends in an interpolant: their positions and velocities make degree 7, as exact as the steps


def passages(log: StepLog) -> tuple[Passage, ...]:
    """Every singular position that a run has passed, in order."""
    rank = len(log.functions.system.choice.kept)
    if not rank or len(log.t) < 2:
        return ()
    instants, positions = _minima(log)
    if not instants.size:
        return ()
    loops = ClosedLoops(log.functions, log.p)
    places = np.unique(np.linspace(0, len(log.t) - 1, STARTS).astype(int))
    jacobians = [loops.at(log.t[k], log.q[k])[1] for k in places]
    longest = longest_row(jacobians)
    usual = np.max([np.linalg.svd(unit_rows(J, longest), compute_uv=False)[:rank] for J in jacobians], axis=0)
    found: list[Passage] = []
    for t, q in zip(instants, positions, strict=True):
        passage = _confirmed(loops, float(t), q, usual, longest)
        if passage is not None and not (found and t - found[-1].t < SAME * (log.t[-1] - log.t[0])):
            found.append(passage)
    return tuple(found)


def _minima(log: StepLog) -> tuple[Array, Array]:
    """Instants (C,) and positions (C, nq) of the small minima of the distance, including a singular start."""
    t, r = distance(log)
    before, after = np.append(np.inf, r[:-1]), np.append(r[1:], np.inf)
    least = np.isfinite(before) & np.isfinite(after) & (r <= before) & (r < after)
    least[0] = r[0] <= SINGULAR * np.max(r)
    dips = np.flatnonzero(least)
    steps = np.clip(np.searchsorted(log.t, t[dips], "right") - 1, 0, len(log.t) - 2)
    path = _path(log, steps)
    a, b = t[np.maximum(dips - 1, 0)], t[np.minimum(dips + 1, len(t) - 1)]
    instants = np.where(dips == 0, log.t[0], minima(lambda t: log.distance_at(t, path(t)), a, b, ITERATIONS))
    positions = path(instants)
    near = log.distance_at(instants, positions) < NEAR * np.max(r)
    return instants[near], positions[near]


def _path(log: StepLog, steps: Array) -> Hermite:
    """Positions as functions of time in the steps with the given indices (C,)."""
    count = min(NODES, len(log.t))
    rows = np.clip(steps - (count - 2) // 2, 0, len(log.t) - count)[:, None] + np.arange(count)
    return Hermite.through(log.t[rows], log.q[rows], log.rates[rows])


def _confirmed(loops: ClosedLoops, t: float, q: Array, usual: Array, longest: float) -> Passage | None:
    """The passage, if singular values are zero at the closed position near q that are not zero elsewhere.

    `usual` are the singular values of Φq elsewhere, with rows of unit length; rows far shorter than `longest` are zero.
    """
    q, _, _ = loops.closed(t, loops.moved(q, np.zeros(loops.functions.system.tree.nv)))
    left, sizes, _ = np.linalg.svd(unit_rows(loops.at(t, q)[1], longest), full_matrices=False)
    rank = len(usual)
    lost = int(np.sum(sizes[:rank] < SINGULAR * usual))
    if not lost:
        return None
    system = loops.functions.system
    owners = [owner for owner, _ in system_of(system.model, system.motors)[1].labels]
    weights = np.linalg.norm(left[:, rank - lost : rank], axis=1)
    dependent = dict.fromkeys(o for o, weight in zip(owners, weights, strict=True) if weight > NEAR * np.max(weights))
    return Passage(t, float(sizes[rank - 1]), float(usual[-1]), lost, tuple(dependent))


@dataclass(frozen=True)
class Hermite:
    """C Hermite polynomials in Newton's form, side by side."""

    nodes: Array  # (C, 2m) each instant twice [s]
    coefficients: Array  # (C, 2m, nq)

    @staticmethod
    def through(t: Array, q: Array, rates: Array) -> Hermite:
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
        return Hermite(z, np.stack(coefficients, axis=1))

    def __call__(self, t: Array) -> Array:
        """Values (C, nq) at the instants t (C,)."""
        out = self.coefficients[:, -1]
        for k in range(self.nodes.shape[1] - 2, -1, -1):
            out = out * (t - self.nodes[:, k])[:, None] + self.coefficients[:, k]
        return out
