"""What joints that move only together hold by friction: each in proportion to the most that it could hold.

The joints of one freedom s have velocities v_i = g_i ṡ. They hold the force Q of this freedom as long as
|Q| ≤ Σ |g_i| F_i, however they share it; equal parts of their limits, φ_i = F_i sign(g_i) Q/Σ |g_j| F_j, come to these
limits together. With the accelerations H_ij = g_i g_j/m of unit efforts, the mass m drops out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.kinematics.tree import Number

__all__ = ["OneFreedom", "in_proportion"]

OneFreedom = Mapping[int, tuple[Number, Number]]
"""Of joints with one common freedom, by velocity: largest effort of friction, and 1 while friction holds the joint."""


def in_proportion(phi: Number, H: Number, rows: Sequence[int], shared: Sequence[OneFreedom]) -> Number:
    """Efforts (s,) with the same effect as `phi`, of which the joints of each freedom hold equal parts of their limits.

    Parameters
    ----------
    phi : efforts on the velocities `rows` (s,).
    H : accelerations (s, s) of these velocities under unit efforts on them.
    rows : indices of the velocities.
    shared : the joints of each freedom.
    """
    out = ca.SX(phi)
    for limits in shared:
        places, sticks = [rows.index(k) for k in limits], ca.vertcat(*(holds for _, holds in limits.values()))
        F = sticks * ca.vertcat(*(limit for limit, _ in limits.values()))
        length = ca.sqrt(ca.fmax(ca.diag(H)[places], 0))  # |g|/√m
        pushed = H[places, places] @ (sticks * phi[places])  # g Q/m
        whole = ca.dot(F, length)
        for n, i in enumerate(places):
            part = pushed[n] / ca.if_else(length[n] * whole > 0, length[n] * whole, 1)
            out[i] = ca.if_else(sticks[n], F[n] * part, phi[i])
    return out
