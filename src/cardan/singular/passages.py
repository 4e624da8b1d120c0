"""Singular positions along a run: minima of the distance to them, refined, and confirmed by the rank of Φq."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.assembly.start import system_of
from cardan.results.passage import Passage
from cardan.singular.closure import Closure
from cardan.singular.singularity import HERE, longest_row, unit_rows
from cardan.singular.step_log import MOST as PARTS
from cardan.singular.step_log import Course, Interpolant

__all__ = ["Passages", "minima"]

Array = np.ndarray
FAR = 0.1  # of a coordinate between two samples of the distance [rad, m]; its dips can be as narrow as 0.2
MOST = 1_000_000  # coordinates at all samples together where steps have more than PARTS: evaluated in a second
DIP = 0.7  # of the distance beside a minimum: one that stays above is not zero
START = 1e-6  # of the largest distance: a motion that starts so near starts in a singular position
ROUGH = 12  # steps of the golden section that tell which minima may be zero: the interval shrinks to 3e-3 of itself
ITERATIONS = 45  # of all: to 4e-10
GOLDEN = (5**0.5 - 1) / 2
COMPARED = 5  # positions of the run that tell which singular values vanish everywhere
MERGED = 1e-6  # of the run: minima so close are one
UNCERTAIN = 3.0  # correction of a position by its loops, times this, may be what a singular value differs from zero by
VAGUE = 1e-3  # singular value that is not zero, however uncertain
SHARE = 0.1  # of the largest entry: equations that take part in a dependence


def minima(r: Array) -> Array:
    """Samples at which a distance to singular positions has a minimum, a start that is singular among them.

    Parameters
    ----------
    r : the distances (N,) along a run.
    """
    before, after = np.append(np.inf, r[:-1]), np.append(r[1:], np.inf)
    dips = np.isfinite(before) & np.isfinite(after) & (r <= before) & (r < after)
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
        rank = len(course.functions.system.choice.kept)
        if not rank or len(course.t) < 2:
            return ()
        most = max(PARTS, MOST // (course.q.shape[1] * len(course.t)))
        instants, positions = _refined(course, *course.sampled(FAR, most))
        if not instants.size:
            return ()
        closure = Closure(course.functions, course.p)
        places = np.unique(np.linspace(0, len(course.t) - 1, COMPARED).astype(int))
        jacobians = [closure.at(course.t[k], course.q[k])[1] for k in places]
        longest = longest_row(jacobians)
        usual = np.max([np.linalg.svd(unit_rows(J, longest), compute_uv=False)[:rank] for J in jacobians], axis=0)
        found: list[Passage] = []
        for t, q in zip(instants, positions, strict=True):
            passage = _confirmed(closure, float(t), q, rank, usual, longest)
            if passage is not None and not (found and t - found[-1].t < MERGED * (course.t[-1] - course.t[0])):
                found.append(passage)
        return tuple(found)


def _refined(course: Course, t: Array, r: Array) -> tuple[Array, Array]:
    """Instants (C,) and positions (C, nq) of the minima that may be zero of the distance r (N,), sampled at t."""
    dips = minima(r)
    before, after = np.maximum(dips - 1, 0), np.minimum(dips + 1, len(t) - 1)
    place = course.positions(np.clip(np.searchsorted(course.t, t[dips], "right") - 1, 0, len(course.t) - 2))
    a, b, least = _narrowed(course, place, t[before], t[after], ROUGH)
    near = (dips == 0) | (least < DIP * np.maximum(r[before], r[after]))
    place = Interpolant(place.nodes[near], place.coefficients[near])
    a, b, _ = _narrowed(course, place, a[near], b[near], ITERATIONS - ROUGH)
    middle = np.where(dips[near] == 0, course.t[0], 0.5 * (a + b))
    return middle, place(middle)


def _narrowed(course: Course, place: Interpolant, a: Array, b: Array, steps: int) -> tuple[Array, Array, Array]:
    """Ends (C,) of the intervals around minima of the distance after some steps, and the least distance seen last."""
    low, high = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    r_low, r_high = course.distance(low, place(low)), course.distance(high, place(high))
    for _ in range(steps):
        left = r_low < r_high
        a, b = np.where(left, a, low), np.where(left, high, b)
        low_new, high_new = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        fresh = np.where(left, low_new, high_new)
        r_fresh = course.distance(fresh, place(fresh))
        r_low, r_high = np.where(left, r_fresh, r_high), np.where(left, r_low, r_fresh)
        low, high = low_new, high_new
    return a, b, np.minimum(r_low, r_high)


def _confirmed(closure: Closure, t: float, q: Array, rank: int, usual: Array, longest: float) -> Passage | None:
    """The passage, if singular values vanish in the closed position near q that do not vanish elsewhere.

    `usual` are these elsewhere, for Φq with rows of unit length, but for those that vanish beside the `longest` one.
    """
    q, way, _ = closure.closed(t, closure.moved(q, np.zeros(closure.functions.system.tree.nv)))
    rows = unit_rows(closure.at(t, q)[1], longest)
    left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    sizes = sizes[:rank]
    limit = HERE + min(UNCERTAIN * float(np.linalg.norm(way)), VAGUE)
    lost = int(np.sum(sizes < limit * usual))
    if not lost:
        return None
    system = closure.functions.system
    owners = [owner for owner, _ in system_of(system.model, system.motors)[1].labels]
    weights = np.linalg.norm(left[:, rank - lost : rank], axis=1)
    taking = dict.fromkeys(o for o, weight in zip(owners, weights, strict=True) if weight > SHARE * np.max(weights))
    return Passage(t, float(sizes[-1]), float(usual[-1]), lost, tuple(taking))
