"""Joints that may stick in several directions, of which the mechanism leaves fewer free: a ball in a spatial four-bar.

The sliding velocity is w = B ċ (k,), with the velocities ċ of r < k freedoms. At rest friction φ (k,) balances the
forces along these, Bᵀ φ. It may have any further part in the null space of Bᵀ; without one it is the least. So the
least one is within its limit if any is. It lies in the range of B, as w does: as the joint begins to slide against it,
friction goes on without a jump.

With the accelerations H (k, k) under unit efforts, whose range is that of B, it is the solution of (H + c P) φ = −ẇ₀,
c > 0, with the projector P onto the null space of Bᵀ: its equations P φ = 0 take the place of those of H φ = −ẇ₀ that
the others imply. The characteristic polynomial of H is λ^(k − r) p(λ), so that P = p(H)/p(0) needs no choice of rows.

Source: Gantmacher 1959, *The Theory of Matrices*, vol. 1, ch. IV §5 (Faddeev's method for p(H) and p(0))
"""

from __future__ import annotations

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF

__all__ = ["RestrictedMotions", "completion"]


@dataclass(frozen=True)
class RestrictedMotions:
    """Motions of one joint that friction may hold together, to which the mechanism leaves fewer freedoms."""

    velocities: tuple[int, ...]  # of the motions
    freedoms: int  # at least one


def completion(H: Number, rank: int, size: Number) -> Number:
    """Matrix c P (k, k) that makes H + c P regular.

    Where the rank of `H` is less, as of a joint at its dead centre, which the mechanism does not move, the round-off of
    `H` takes the place of c, and the identity that of P: no effort within any limit would hold the joint there.
    """
    one = ca.SX.eye(H.shape[0])
    N, c = one, ca.SX(1)
    for i in range(1, rank + 1):
        HN = H @ N
        c = ca.trace(HN) / i
        N = c * one - HN
    is_sound = c > ROUND_OFF * size**rank
    return ca.if_else(is_sound, ca.trace(H) * N / ca.if_else(is_sound, c, 1), ROUND_OFF * size * one)
