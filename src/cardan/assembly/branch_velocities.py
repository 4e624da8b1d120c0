"""Velocities along a branch of motion, where a mechanism starts in a singular position and several branches meet.

There Φq v = −Φt allows more velocities than motions have. A motion has accelerations as well, Φq v̇ = γ(q, v): with
λᵀ Φq = 0 its velocities satisfy λᵀ γ(q, v) = 0, which is quadratic in them: its solutions are the tangents of the
branches. Where equations are redundant, Newton's method may not converge from the given velocities; it then starts from
random ones.

Source: Müller 2019, "Higher-order analysis of kinematic singularities of lower pair linkages and serial manipulators",
J. Mechanisms Robotics 11:010803 (second-order tangent cone)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cardan.numerics.rank import least_squares, null_space

if TYPE_CHECKING:
    from cardan.assembly.assembler import Assembler

__all__ = ["along_branch"]

REACHED = 1e-8  # residual λᵀ γ over γ [-]: a position is singular to the root of round-off
ITERATIONS = 50  # of Newton's method, which needs five from nearby
OTHERS = 30  # random velocities from which tangents are sought; few branches meet anywhere


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
    for held in (list(given), []):
        free = allowed @ null_space(allowed[held]) if held else allowed
        keeps_size = not held and not Phi_t.any()
        for start in _starts(v, free):
            found = _tangent(assembler, q, start, free, dependent, keeps_size)
            if found is not None:
                return found
    return v


def _starts(v: np.ndarray, free: np.ndarray) -> Iterator[np.ndarray]:
    """v (nv,), then others that differ from it in the span of `free` (nv, f), always the same."""
    yield v
    rng, size = np.random.default_rng(0), float(np.max(np.abs(v)))
    for _ in range(OTHERS if free.shape[1] else 0):
        yield v + free @ (size * rng.standard_normal(free.shape[1]))


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
        near = np.max(np.abs(left)) <= REACHED * np.linalg.norm(slopes) * np.linalg.norm(v)
        if not free.shape[1]:
            return v if near else None
        across = free @ null_space((v @ free)[None]) if keeps_size else free  # along v there is nothing but v = 0
        v = v - across @ least_squares(dependent.T @ slopes @ across, left)
        v = size / np.linalg.norm(v) * v if keeps_size else v
        if near:  # the step has squared what was left
            return v
    return None
