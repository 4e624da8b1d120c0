"""Velocities along a branch of motion, for a mechanism that starts in a singular position where branches meet.

At such a position Φq v = −Φt has more solutions than there are motions. A motion also has accelerations with
Φq v̇ = γ(q, v), so for every λ with λᵀ Φq = 0 its velocities satisfy λᵀ γ(q, v) = 0. These equations are quadratic in
v; their solutions are the tangents of the branches. If Newton's method does not converge from the given velocities, as
can happen with redundant equations, it starts again from random velocities. Random velocities also lead to the tangents
of other branches that have the given velocities.

Source: Müller 2019, "Higher-order analysis of kinematic singularities of lower pair linkages and serial manipulators",
J. Mechanisms Robotics 11:010803 (second-order tangent cone)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cardan.numerics.largest import largest
from cardan.numerics.rank import least_squares, null_space
from cardan.numerics.round_off import BITS

if TYPE_CHECKING:
    from cardan.assembly.assembler import Assembler

REACHED = 1e-8  # largest residual λᵀ γ over γ of a tangent [-]: singular positions are accurate to √ε
DISTINCT = REACHED**0.5  # smallest distance of two tangents over |v| [-]: the accuracy of a double root
OTHERS = 30  # number of random velocities from which tangents are searched; only a few branches meet at a position


def along_branch(assembler: Assembler, q: np.ndarray, v: np.ndarray, given: Sequence[int]) -> np.ndarray:
    """Velocities (nv,) near v that are tangent to a branch; v itself if it is tangent or if no tangent is found."""
    _, J, Phi_t = assembler.at(q)
    allowed, dependent = null_space(J), null_space(J.T)
    gamma = assembler.functions.bending(q, assembler.p, v)[0].ravel()
    left = largest(dependent.T @ gamma)
    if left <= REACHED * (1 + np.max(np.abs(gamma))):
        return v
    for held in (list(given), []):
        free = allowed @ null_space(allowed[held]) if held else allowed
        keeps_size = not held and not Phi_t.any()
        for start in _starts(v, free):
            found = _tangent(assembler, q, start, free, dependent, keeps_size)
            if found is not None:
                return found
    return v


def other_branch(assembler: Assembler, q: np.ndarray, v: np.ndarray, given: Sequence[int]) -> np.ndarray | None:
    """Velocities (nv,) of another branch, with the same given ones and nearest to v; None if none is found."""
    allowed, dependent = null_space(assembler.at(q)[1]), null_space(assembler.at(q)[1].T)
    free = allowed @ null_space(allowed[list(given)])
    gamma = assembler.functions.bending(q, assembler.p, v)[0].ravel()
    if largest(dependent.T @ gamma) > REACHED * (1 + largest(gamma)):
        return None
    for start in list(_starts(v, free))[1:]:
        found = _tangent(assembler, q, start, free, dependent, keeps_size=False)
        found = found if found is None else _towards(assembler, q, found, v, free, dependent)
        if found is not None and np.max(np.abs(found - v)) > DISTINCT * np.max(np.abs(v)):
            return found
    return None


def _towards(
    assembler: Assembler, q: np.ndarray, found: np.ndarray, v: np.ndarray, free: np.ndarray, dependent: np.ndarray
) -> np.ndarray | None:
    """The tangent nearest to v (nv,) on the branch of a tangent `found`; the branch may have several freedoms.

    `free` (nv, f) spans the changes that keep the given velocities; None if the method does not converge.
    """
    size = float(np.max(np.abs(v)))
    for _ in range(BITS):
        slopes = assembler.functions.bending(q, assembler.p, found)[1]
        binding = dependent.T @ slopes @ free
        binding = binding[np.linalg.norm(binding, axis=1) > REACHED * np.linalg.norm(slopes)]
        along = free @ null_space(binding)
        step = along @ (along.T @ (v - found))
        if largest(step) <= DISTINCT * size:
            return found
        nearer = _tangent(assembler, q, found + step, free, dependent, keeps_size=False)
        if nearer is None:
            return None
        found = nearer
    return None


def _starts(v: np.ndarray, free: np.ndarray) -> Iterator[np.ndarray]:
    """v (nv,), then v changed at random within the span of `free` (nv, f), the same in every call."""
    yield v
    rng, size = np.random.default_rng(0), float(np.max(np.abs(v)))
    for _ in range(OTHERS if free.shape[1] else 0):
        yield v + free @ (size * rng.standard_normal(free.shape[1]))


def _tangent(
    assembler: Assembler, q: np.ndarray, v: np.ndarray, free: np.ndarray, dependent: np.ndarray, keeps_size: bool
) -> np.ndarray | None:
    """Solution v of λᵀ γ = 0 by Newton steps in the span of `free` (nv, f); None if the method does not converge.

    `keeps_size`: the steps keep |v|, because v = 0 solves the equations as well but is not a direction.
    """
    size = np.linalg.norm(v)
    for _ in range(BITS):
        gamma, slopes = assembler.functions.bending(q, assembler.p, v)
        left = dependent.T @ gamma.ravel()
        near = np.max(np.abs(left)) <= REACHED * np.linalg.norm(slopes) * np.linalg.norm(v)
        if not free.shape[1]:
            return v if near else None
        across = free @ null_space((v @ free)[None]) if keeps_size else free  # a step along v leads to v = 0
        v = v - across @ least_squares(dependent.T @ slopes @ across, left)
        v = size / np.linalg.norm(v) * v if keeps_size else v
        if near:  # the last step has squared the residual
            return v
    return None
