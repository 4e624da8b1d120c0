"""4×4 transforms T_AB that map coordinates of frame B into frame A; the six basic matrices and their derivatives.

Source: docs/notation.md §2; Hroncová, eqs. 1–6
"""

import casadi as ca

from cardan.spatial.rotations import Number, rotation_x, rotation_y, rotation_z, skew

_LAST_ROW = ca.sparsify(ca.DM([[0, 0, 0, 1]]))


def pose(R: Number, p: Number) -> Number:
    """Transform T_AB with rotation R_AB (3×3) and the origin of B in A, p (3,) [m]."""
    return ca.vertcat(ca.horzcat(R, p), _LAST_ROW)


def rotation(T_AB: Number) -> Number:
    """Rotation R_AB (3×3) of a transform."""
    return T_AB[:3, :3]


def position(T_AB: Number) -> Number:
    """Origin of B in A (3,) [m]."""
    return T_AB[:3, 3]


def inverse(T_AB: Number) -> Number:
    """Transform T_BA, by transposition (no matrix is inverted)."""
    R_BA = rotation(T_AB).T
    return pose(R_BA, -(R_BA @ position(T_AB)))


def basic(kind: int, x: Number) -> Number:
    """Basic matrix of the papers: `kind` 1–3 translates by x [m] along x, y, z; 4–6 rotates by x [rad] about them.

    Example
    -------
    >>> print(basic(2, ca.DM(0.5))[1, 3])
    0.5
    """
    if kind <= 3:
        p = [ca.DM(1, 1)] * 3
        p[kind - 1] = x
        return pose(ca.DM.eye(3), ca.vertcat(*p))
    return pose((rotation_x, rotation_y, rotation_z)[kind - 4](x), ca.DM(3, 1))


def twist_operator(V: Number) -> Number:
    """Matrix Ω (4×4) of a twist V (6,), angular part first, in the axes of a frame T: Ṫ = T Ω."""
    return ca.vertcat(ca.horzcat(skew(V[:3]), V[3:]), ca.DM(1, 4))
