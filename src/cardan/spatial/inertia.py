"""Rigid-body inertia as its ten parameters (m, h = m c, I about the frame's origin): linear, so that bodies add up.

Source: Featherstone 2008, §2.13; Khalil & Dombre 2002, §9.3 (the same parameters)
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from cardan.spatial.rotations import Number, skew

__all__ = ["ZERO", "Inertia", "add", "from_com", "matrix", "pseudo", "symmetric", "transformed"]


@dataclass(frozen=True)
class Inertia:
    """Inertia of a rigid body in a frame fixed to it."""

    m: Number  # mass [kg]
    h: Number  # first moment m c (3,) [kg m], c from the frame's origin
    I: Number  # noqa: E741  tensor about the frame's origin (3×3) [kg m²]


ZERO = Inertia(ca.DM(1, 1), ca.DM(3, 1), ca.DM(3, 3))


def symmetric(xx: Number, yy: Number, zz: Number, xy: Number, xz: Number, yz: Number) -> Number:
    """Symmetric 3×3 matrix from its tensor elements."""
    return ca.blockcat([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def from_com(m: Number, c: Number, I_C: Number) -> Inertia:
    """Inertia of a body of mass m [kg], centre of mass c (3,) [m] and tensor I_C (3×3) [kg m²] about it (Steiner)."""
    return Inertia(m, m * c, _symmetrised(I_C + m * _minus_skew_product(c, c)))


def transformed(J_B: Inertia, R_AB: Number, p_A: Number) -> Inertia:
    """Inertia in frame A of what has inertia J_B in frame B, whose origin is p_A and whose axes are R_AB in A."""
    h_A = R_AB @ J_B.h
    half = _minus_skew_product(h_A, p_A)
    I_A = congruence(R_AB, J_B.I) + half + half.T + J_B.m * _minus_skew_product(p_A, p_A)
    return Inertia(J_B.m, h_A + J_B.m * p_A, _symmetrised(I_A))


def add(a: Inertia, b: Inertia) -> Inertia:
    """Inertia of two bodies moving as one, in their common frame."""
    return Inertia(a.m + b.m, a.h + b.h, a.I + b.I)


def matrix(J: Inertia) -> Number:
    """Spatial inertia (6×6), angular part first: momentum = matrix @ twist (Featherstone 2008, eq. 2.63)."""
    H = skew(J.h)
    return ca.vertcat(ca.horzcat(J.I, H), ca.horzcat(H.T, J.m * ca.DM.eye(3)))


def pseudo(J: Inertia) -> Number:
    """Pseudo-inertia (4×4) about the frame's origin: [[½ tr(I) E − I, h], [hᵀ, m]] (Hroncová, eq. 8, corrected)."""
    return ca.vertcat(ca.horzcat(0.5 * ca.trace(J.I) * ca.DM.eye(3) - J.I, J.h), ca.horzcat(J.h.T, J.m))


def congruence(R: Number, A: Number) -> Number:
    """R A Rᵀ of a symmetric A (3×3), each entry off the diagonal computed once."""
    return _symmetrised((R @ A) @ R.T)


def _symmetrised(A: Number) -> Number:
    """A with its upper triangle replaced by the lower: equal in value, so the graph holds each entry once."""
    return ca.tril2symm(ca.tril(A))


def _minus_skew_product(a: Number, b: Number) -> Number:
    """−[a×][b×] = (aᵀb) E − b aᵀ."""
    return ca.dot(a, b) * ca.DM.eye(3) - b @ a.T
