"""The bilinear form that makes the Coriolis matrix Christoffel's, from the way in which mass flows past a frame.

A twist S = (s, σ) gives a point r of a body the velocity σ + s × r; as the point itself moves with ṙ, this changes by
s × ṙ beside what S does. C[j, i] = Σ_bodies ∫ ∂ṙ/∂v_j · d/dt (∂ṙ/∂v_i) dm is therefore Σ S_jᵀ (I Ṡ_i + B S_i) with
B S = ∫ (r × (s × ṙ); s × ṙ) dm. Two integrals, which add up over bodies, make B.

Source: the connection of Echeandia & Wensing 2021, "Numerical methods to compute the Coriolis matrix and Christoffel
symbols for rigid-body systems", eq. 11, written out
"""

from typing import Any

import casadi as ca

from cardan.frozen import dataclass
from cardan.spatial.inertia import Inertia
from cardan.spatial.rotations import skew
from cardan.spatial.tracing import traced

Number = Any  # casadi.SX or casadi.DM


@dataclass(frozen=True)
class Flow:
    """How the mass of moving bodies flows past a frame; r from the frame's origin, ṙ seen by who stands still."""

    p: Number  # momentum ∫ ṙ dm (3,) [kg m/s]
    G: Number  # −∫ [r×] [ṙ×] dm (3×3) [kg m²/s]; G + Gᵀ is the rate of the inertia tensor


def flow(I: Inertia, V: Number) -> Flow:
    """Flow of a body with inertia I that moves with the twist V (6,): ṙ = u + ω × r."""
    return Flow(*_flow(I.m, I.h, I.J, V))


@traced((1, 1), (3, 1), (3, 3), (6, 1))
def _flow(m: Number, h: Number, J: Number, V: Number) -> tuple[Number, Number]:
    W, u = skew(V[:3]), V[3:]
    return W @ h + m * u, -(W @ J + skew(h) @ skew(u))


def transformed(f_B: Flow, R_AB: Number, p_A: Number) -> Flow:
    """Flow in frame A of what flows as f_B in frame B, whose origin is p_A and whose axes are R_AB in A."""
    return Flow(*_transformed(f_B.p, f_B.G, R_AB, p_A))


@traced((3, 1), (3, 3), (3, 3), (3, 1))
def _transformed(p_B: Number, G_B: Number, R_AB: Number, p_A: Number) -> tuple[Number, Number]:
    p = R_AB @ p_B
    return p, R_AB @ G_B @ R_AB.T - skew(p_A) @ skew(p)


def add(a: Flow, b: Flow) -> Flow:
    """Flow of two bodies together, in their common frame."""
    return Flow(a.p + b.p, a.G + b.G)


def connection(f: Flow) -> Number:
    """B (6×6) = [[G, 0], [−p×, 0]] of the flow f; C = Σ Jᵀ (I J̇ + B J) then has Ṁ − 2C skew."""
    return ca.horzcat(ca.vertcat(f.G, -skew(f.p)), ca.DM(6, 3))
