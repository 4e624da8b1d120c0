"""Singular positions along a run: minima of the distance to them, refined, and confirmed by the rank of Φq."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.analysis.singularity import HERE, unit_rows
from cardan.results.passage import Passage
from cardan.simulation.closure import Closure
from cardan.simulation.course import Course
from cardan.system.start import system_of

__all__ = ["Passages", "minima"]

Array = np.ndarray
DIP = 0.7  # of a neighbour: between two samples a distance falls to zero from three times what it is at the nearer one
START = 1e-6  # of the largest distance: a motion that starts so near starts in a singular position
ITERATIONS = 45  # of the golden section: the interval shrinks to 4e-10 of itself
GOLDEN = (5**0.5 - 1) / 2
COMPARED = 5  # positions of the run that tell which singular values vanish everywhere
MERGED = 1e-6  # of the run: minima so close are one
UNCERTAIN = 3.0  # correction of a position by its loops, times this, may be what a singular value differs from zero by
VAGUE = 1e-3  # singular value that is not zero, however uncertain
SHARE = 0.1  # of the largest entry: equations that take part in a dependence


def minima(r: Array, dip: float = DIP) -> Array:
    """Samples at which a distance to singular positions has a minimum; by default only those that may be zero.

    Parameters
    ----------
    r : the distances (N,) along a run.
    dip : of the larger neighbour: more is no minimum.
    """
    before, after = np.append(np.inf, r[:-1]), np.append(r[1:], np.inf)
    inner = np.isfinite(before) & np.isfinite(after)
    dips = inner & (r <= before) & (r < after) & (r <= dip * np.maximum(before, after))
    if len(r) and r[0] <= START * np.max(r):
        dips[0] = True
    return np.flatnonzero(dips)


@dataclass(frozen=True)
class Passages:
    """The search for passages of one run, done when somebody asks."""

    course: Course  # of the run

    def __call__(self) -> tuple[Passage, ...]:
        """Every singular position that the run has passed, in order."""
        course = self.course
        rank = len(course.kernels.system.choice.kept)
        dips = minima(course.samples[1]) if rank and len(course.t) > 1 else np.zeros(0, int)
        if not dips.size:
            return ()
        instants, positions = _refined(course, dips)
        closure = Closure(course.kernels, course.p)
        places = np.unique(np.linspace(0, len(course.t) - 1, COMPARED).astype(int))
        usual = np.max([_sizes(closure.at(course.t[k], course.q[k])[1], rank) for k in places], axis=0)
        found: list[Passage] = []
        for t, q in zip(instants, positions, strict=True):
            passage = _confirmed(closure, float(t), q, rank, usual)
            if passage is not None and not (found and t - found[-1].t < MERGED * (course.t[-1] - course.t[0])):
                found.append(passage)
        return tuple(found)


def _refined(course: Course, dips: Array) -> tuple[Array, Array]:
    """Instants (C,) and positions (C, nq) of the minima around the samples `dips`."""
    t = course.samples[0]
    a, b = t[np.maximum(dips - 1, 0)], t[np.minimum(dips + 1, len(t) - 1)]
    place = course.positions(np.clip(np.searchsorted(course.t, t[dips], "right") - 1, 0, len(course.t) - 2))
    low, high = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    r_low, r_high = course.distance(low, place(low)), course.distance(high, place(high))
    for _ in range(ITERATIONS):
        left = r_low < r_high
        a, b = np.where(left, a, low), np.where(left, high, b)
        low_new, high_new = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        fresh = np.where(left, low_new, high_new)
        r_fresh = course.distance(fresh, place(fresh))
        r_low, r_high = np.where(left, r_fresh, r_high), np.where(left, r_low, r_fresh)
        low, high = low_new, high_new
    middle = np.where(dips == 0, course.t[0], 0.5 * (a + b))
    return middle, place(middle)


def _confirmed(closure: Closure, t: float, q: Array, rank: int, usual: Array) -> Passage | None:
    """The passage, if singular values vanish in the closed position near q that do not vanish elsewhere."""
    q, way, _ = closure.closed(t, closure.moved(q, np.zeros(closure.kernels.system.tree.nv)))
    rows = unit_rows(closure.at(t, q)[1])
    left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    sizes = sizes[:rank]
    limit = HERE + min(UNCERTAIN * float(np.linalg.norm(way)), VAGUE)
    lost = int(np.sum(sizes < limit * usual))
    if not lost:
        return None
    system = closure.kernels.system
    owners = [owner for owner, _ in system_of(system.model, system.motors)[1].labels]
    weights = np.linalg.norm(left[:, rank - lost : rank], axis=1)
    taking = dict.fromkeys(o for o, weight in zip(owners, weights, strict=True) if weight > SHARE * np.max(weights))
    return Passage(t, float(sizes[-1]), float(usual[-1]), lost, tuple(taking))


def _sizes(J: Array, rank: int) -> Array:
    return np.linalg.svd(unit_rows(J), compute_uv=False)[:rank]
