"""Twists and wrenches, angular part first, and their change of frame.

Source: Featherstone 2008, Table 2.1 and eqs. 2.24–2.35
"""

import casadi as ca

from cardan.spatial.rotations import Number, skew
from cardan.spatial.tracing import traced


def motion_matrix(R: Number, p: Number) -> Number:
    """Matrix X_CP (6×6) that maps twists in parent axes at the parent origin to child axes at the child origin."""
    E = R.T
    return ca.vertcat(ca.horzcat(E, ca.DM(3, 3)), ca.horzcat(-(E @ skew(p)), E))


def motion_to_child(R: Number, p: Number, m: Number) -> Number:
    """Twists m (6, k) of the parent frame in child axes at the child origin, without forming X."""
    return _twist_to_child(R, p, m) if m.shape[1] == 1 else _to_child(R, p, m)


def _to_child(R: Number, p: Number, m: Number) -> Number:
    w, u = m[:3, :], m[3:, :]
    if p.nnz():
        u = u - skew(p) @ w
    if R.is_eye():
        return ca.vertcat(w, u)
    E = R.T
    return ca.vertcat(E @ w, E @ u)


def force_to_parent(R: Number, p: Number, f: Number) -> Number:
    """Wrenches f (6, k) at the child origin in child axes, as wrenches at the parent origin in parent axes."""
    return _wrench_to_parent(R, p, f) if f.shape[1] == 1 else _to_parent(R, p, f)


def _to_parent(R: Number, p: Number, f: Number) -> Number:
    n, F = (f[:3, :], f[3:, :]) if R.is_eye() else (R @ f[:3, :], R @ f[3:, :])
    return ca.vertcat(n + skew(p) @ F if p.nnz() else n, F)


_twist_to_child = traced((3, 3), (3, 1), (6, 1))(_to_child)
_wrench_to_parent = traced((3, 3), (3, 1), (6, 1))(_to_parent)


@traced((6, 1))
def cross_motion(v: Number) -> Number:
    """Operator [v×] on twists (6×6)."""
    W, U = skew(v[:3]), skew(v[3:])
    return ca.vertcat(ca.horzcat(W, ca.DM(3, 3)), ca.horzcat(U, W))


def cross_force(v: Number) -> Number:
    """Operator [v×*] on wrenches (6×6), −[v×]ᵀ."""
    W, U = skew(v[:3]), skew(v[3:])
    return ca.vertcat(ca.horzcat(W, U), ca.horzcat(ca.DM(3, 3), W))
