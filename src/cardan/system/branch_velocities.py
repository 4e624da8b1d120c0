"""Velocities along a branch of motion, where a mechanism starts in a singular position and several branches meet.

There Φq v = −Φt allows more velocities than motions have. A motion has accelerations as well, Φq v̇ = γ(q, v): with
λᵀ Φq = 0 its velocities satisfy λᵀ γ(q, v) = 0, which is quadratic in them and tells the tangents of the branches.
Where equations are redundant, or lose more than one rank, not all solutions are tangents: those that are lead to
positions in which the loops close.

Source: Müller 2019, "Higher-order analysis of kinematic singularities of lower pair linkages and serial manipulators",
J. Mechanisms Robotics 11:010803 (second-order tangent cone)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cardan.numerics.rank import least_squares, null_space

if TYPE_CHECKING:
    from cardan.system.assembly import Assembler

__all__ = ["along_branch"]

REACHED = 1e-8  # of γ: the position is singular to the root of round-off
TANGENT = 1e-13  # of what γ changes by with the velocities: a thousand round-offs
STRAIGHTEST = 1e-6  # of what γ changes by with a velocity, over the most: nothing but round-off
ITERATIONS = 50  # Newton needs five from nearby
OTHERS = 30  # velocities from which tangents are sought; few branches meet anywhere
AHEAD = 0.02  # where loops have to close along a tangent, in the fastest coordinate that bends [rad, m]
CLOSED = 1e-9  # gap there
STRAIGHT = 0.2  # of this way: motions bend by less on it, and what is no tangent leads back or to another one


def along_branch(assembler: Assembler, q: np.ndarray, v: np.ndarray, given: Sequence[int]) -> np.ndarray:
    """Velocities (nv,) near v that some motion has; v itself where it is one or none is found.

    Parameters
    ----------
    assembler : of the mechanism.
    q : assembled position (nq,), in which equations depend on each other.
    v : velocities (nv,) with Φq v = −Φt.
    given : entries of them that come first.
    """
    gamma, left = (x.ravel() for x in assembler.functions.turning(q, assembler.p, v))
    if np.max(np.abs(left)) <= REACHED * (1 + np.max(np.abs(gamma))):
        return v
    _, J, Phi_t, _ = assembler.at(q)
    allowed, dependent = null_space(J), null_space(J.T)
    if not dependent.shape[1]:
        return v
    bends = _bends(assembler, q, dependent)
    first = None
    for held in (list(given), []):
        free = allowed @ null_space(allowed[held]) if held else allowed
        keeps_size = not held and not Phi_t.any()
        for start in _starts(v, free):
            found = _tangent(assembler, q, start, free, dependent, keeps_size)
            if found is not None and _leads_on(assembler, q, found, bends):
                return found
            first = found if first is None else first
    return v if first is None else first


def _starts(v: np.ndarray, free: np.ndarray) -> Iterator[np.ndarray]:
    """v (nv,), then others that differ from it in the span of `free` (nv, f), always the same."""
    yield v
    rng, size = np.random.default_rng(0), float(np.max(np.abs(v)))
    for _ in range(OTHERS if free.shape[1] else 0):
        yield v + free @ (size * rng.standard_normal(free.shape[1]))


def _bends(assembler: Assembler, q: np.ndarray, dependent: np.ndarray) -> np.ndarray:
    """Which velocities (nv,) tell branches apart: not those of geared rotors and the like, however fast they are."""
    some = np.random.default_rng(0).standard_normal(assembler.tree.nv)
    slopes = np.linalg.norm(dependent.T @ assembler.functions.bending(q, assembler.p, some)[1], axis=0)
    return np.asarray(slopes > STRAIGHTEST * np.max(slopes))


def _leads_on(assembler: Assembler, q: np.ndarray, v: np.ndarray, bends: np.ndarray) -> bool:
    """Whether the loops close a little ahead of q along v, without a turn; `bends` are the velocities that count."""
    speed = float(np.max(np.abs(v[bends])))
    if not speed > 0:
        return True
    ahead = assembler.moved(q, AHEAD / speed * v)
    closed, gap = assembler.nearest(ahead)
    counted = assembler.moved(q, AHEAD * bends) != q
    return gap <= CLOSED and float(np.max(np.abs(closed - ahead)[counted])) <= STRAIGHT * AHEAD


def _tangent(
    assembler: Assembler, q: np.ndarray, v: np.ndarray, free: np.ndarray, dependent: np.ndarray, keeps_size: bool
) -> np.ndarray | None:
    """Newton's method for λᵀ γ = 0, v changed in the span of `free` (nv, f) only; None where it does not get there.

    `keeps_size`: v stays as large as it is, since v = 0, which solves this as well, is no direction.
    """
    size = np.linalg.norm(v)
    for _ in range(ITERATIONS):
        gamma, slopes = assembler.functions.bending(q, assembler.p, v)
        left = dependent.T @ gamma.ravel()
        if np.max(np.abs(left)) <= TANGENT * np.linalg.norm(slopes) * np.linalg.norm(v):
            return v
        if not free.shape[1]:
            return None
        across = free @ null_space((v @ free)[None]) if keeps_size else free  # along v there is nothing but v = 0
        v = v - across @ least_squares(dependent.T @ slopes @ across, left)
        v = size / np.linalg.norm(v) * v if keeps_size else v
    return None
