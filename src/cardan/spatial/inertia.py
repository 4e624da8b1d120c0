"""Rigid-body inertia as the 4×4 pseudo-inertia [[J, h], [hᵀ, m]]: ten parameters, linear, so that bodies add up.

J = ∫ r rᵀ dm holds the second moments; the tensor of the textbooks is tr(J) E − J. Moved to another frame, a
pseudo-inertia P becomes T P Tᵀ, which takes fewer operations than moving the tensor.

Source: Hroncová, eq. 8 (corrected); Khalil & Dombre 2002, §9.3; Featherstone 2008, §2.13
"""

import casadi as ca

from cardan.frozen import dataclass
from cardan.spatial.rotations import Number, skew
from cardan.spatial.tracing import traced


@dataclass(frozen=True)
class Inertia:
    """Inertia of a rigid body in a frame fixed to it."""

    m: Number  # mass [kg]
    h: Number  # first moment m c (3,) [kg m], c from the frame's origin
    J: Number  # second moments ∫ r rᵀ dm about the frame's origin (3×3) [kg m²]


_OTHERS = ca.sparsify(1 - ca.DM.eye(3))  # all entries but the diagonal

ZERO = Inertia(ca.DM(1, 1), ca.DM(3, 1), ca.DM(3, 3))


def symmetric(xx: Number, yy: Number, zz: Number, xy: Number, xz: Number, yz: Number) -> Number:
    """Symmetric matrix (3×3) with the diagonal xx, yy, zz and xy, xz, yz off it."""
    return ca.blockcat([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def from_com(m: Number, c: Number, I_C: Number) -> Inertia:
    """Inertia of a body of mass m [kg], centre of mass c (3,) [m] and tensor I_C (3×3) [kg m²] about it."""
    return Inertia(m, m * c, _symmetrised(second_moments(I_C) + m * (c @ c.T)))


def second_moments(I: Number) -> Number:
    """J = ½ tr(I) E − I (3×3) of a tensor I about the same point."""
    return 0.5 * ca.trace(I) * ca.DM.eye(3) - I


def tensor(P: Inertia) -> Number:
    """Inertia tensor I = tr(J) E − J (3×3) about the frame's origin [kg m²]."""
    return ca.diag(_OTHERS @ ca.diag(P.J)) - _OTHERS * P.J


def transformed(P_B: Inertia, R_AB: Number, p_A: Number) -> Inertia:
    """Inertia in frame A of what has inertia P_B in frame B, whose origin is p_A and whose axes are R_AB in A."""
    return _shifted(_turned(P_B, R_AB), p_A)


def _turned(P: Inertia, R: Number) -> Inertia:
    """P in a frame with the same origin, in which its own axes are R."""
    return P if R.is_eye() else Inertia(P.m, R @ P.h, congruence(R, P.J))


def _shifted(P: Inertia, p: Number) -> Inertia:
    """P in a frame with the same axes, in which its own origin is p."""
    return Inertia(P.m, *_shifted_moments(P.m, P.h, P.J, p)) if p.nnz() else P


def _symmetrised(A: Number) -> Number:
    """A with its upper triangle replaced by the lower: equal in value, so the graph holds each entry once."""
    return ca.tril2symm(ca.tril(A))


@traced((1, 1), (3, 1), (3, 3), (3, 1))
def _shifted_moments(m: Number, h: Number, J: Number, p: Number) -> tuple[Number, Number]:
    """First and second moments about a point that lies by −p away."""
    half = (h + 0.5 * (m * p)) @ p.T
    return h + m * p, _symmetrised(J + half + half.T)


def add(a: Inertia, b: Inertia) -> Inertia:
    """Inertia of two bodies moving as one, in their common frame."""
    return Inertia(a.m + b.m, a.h + b.h, a.J + b.J)


def spun(P: Inertia, axis: Number, I: Number) -> Inertia:
    """P with a further moment of inertia I [kg m²] about the unit vector `axis` (3,), as of a rotor turning along."""
    return Inertia(P.m, P.h, P.J + second_moments(I * (axis @ axis.T)))


def matrix(P: Inertia) -> Number:
    """Spatial inertia (6×6), angular part first: momentum = matrix @ twist (Featherstone 2008, eq. 2.63)."""
    return _matrix(P.m, P.h, P.J)


@traced((1, 1), (3, 1), (3, 3))
def _matrix(m: Number, h: Number, J: Number) -> Number:
    """The blocks of `matrix`."""
    H = skew(h)
    return ca.blockcat([[tensor(Inertia(m, h, J)), H], [H.T, m * ca.DM.eye(3)]])


def bias(P: Inertia, V: Number) -> Number:
    """V ×* I V (6,), the wrench that a twist V needs without acceleration; v × m v, round-off alone, is left out."""
    return _bias(P.m, P.h, tensor(P), V)


@traced((1, 1), (3, 1), (3, 3), (6, 1))
def _bias(m: Number, h: Number, I: Number, V: Number) -> Number:
    """The parts of `bias`; h × (w × v) is w × (h × v) − v × (h × w)."""
    W = skew(V[:3])
    turned = W @ V[3:]
    return ca.vertcat(W @ (I @ V[:3]) + skew(h) @ turned, m * turned + W @ (W @ h))


def pseudo(P: Inertia) -> Number:
    """Pseudo-inertia (4×4) about the frame's origin."""
    return ca.vertcat(ca.horzcat(P.J, P.h), ca.horzcat(P.h.T, P.m))


def moment(P: Inertia, U: Number) -> Number:
    """∫ r × U r dm (3,) [N m] for accelerations U r, U (3×3): the skew part of U J."""
    return _moment(P.J, U)


@traced((3, 3), (3, 3))
def _moment(J: Number, U: Number) -> Number:
    """The components of `moment`."""
    (xx, yy, zz), (yx, zx, zy) = (J[0, 0], J[1, 1], J[2, 2]), (J[1, 0], J[2, 0], J[2, 1])
    return ca.vertcat(
        yy * U[2, 1] - zz * U[1, 2] + zy * (U[2, 2] - U[1, 1]) + yx * U[2, 0] - zx * U[1, 0],
        zz * U[0, 2] - xx * U[2, 0] + zx * (U[0, 0] - U[2, 2]) + zy * U[0, 1] - yx * U[2, 1],
        xx * U[1, 0] - yy * U[0, 1] + yx * (U[1, 1] - U[0, 0]) + zx * U[1, 2] - zy * U[0, 2],
    )


def congruence(R: Number, A: Number) -> Number:
    """R A Rᵀ of a symmetric A (3×3), each entry off the diagonal computed once; cheaper where R turns about z."""
    if _turns_about_z(R):
        return _turned_about_z(R[0, 0], R[1, 0], A)
    return _symmetrised((R @ A) @ R.T)


def _turns_about_z(R: Number) -> bool:
    """Whether R has the pattern [[c, −s, 0], [s, c, 0], [0, 0, 1]]."""
    pattern = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2)]
    return (
        isinstance(R, ca.SX)
        and sorted(zip(*R.sparsity().get_triplet(), strict=True)) == sorted(pattern)
        and ca.is_equal(R[0, 0], R[1, 1], 1)
        and ca.is_equal(R[0, 1], -R[1, 0], 2)
    )


@traced((1, 1), (1, 1), (3, 3))
def _turned_about_z(c: Number, s: Number, A: Number) -> Number:
    """R A Rᵀ with half the operations: for p = s (xx − yy) + 2 c xy its entries are xx − s p, yy + s p, c p − xy."""
    p = s * (A[0, 0] - A[1, 1]) + c * (2 * A[1, 0])
    xz, yz = c * A[2, 0] - s * A[2, 1], s * A[2, 0] + c * A[2, 1]
    return symmetric(A[0, 0] - s * p, A[1, 1] + s * p, A[2, 2], c * p - A[1, 0], xz, yz)
