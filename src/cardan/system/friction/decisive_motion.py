"""The motion of joints of two freedoms, some of which slide in several directions, that is nearest to their limits.

Joints with the velocities w_i = B_i c of two freedoms c hold the force q with efforts Σ B_iᵀ φ_i = q, |φ_i| ≤ F_i, if
and only if q·c ≤ h(c) = Σ F_i |B_i c| for all c: their power in no motion is more than what friction can take. The
largest part of a limit that one of them uses is least at e = max q·c/h(c). In the decisive motion c, where it is
reached, all joints that move have φ_i = e F_i w_i/|w_i|, as if they slid against this motion; a joint that rests in it
holds the remainder with a smaller part.

With c = q̂ + τ n for the unit vectors q̂ along q and n across it, h is a convex function of τ. Either it is least at a
kink, where a joint along one motion rests, or these joints have known signs and h' = K + Σ P_j x_j/√(x_j² + D_j), over
joints that slide in both freedoms, with x_j = τ + m_j. Its root is found by Newton's method with an unknown share s_j
for each of these sigmoids, s_j √(x_j² + D_j) = x_j and Σ P_j s_j = −K, which goes on with large steps where sigmoids
are nearly steps. It lies between the roots of the single sigmoids with equal shares.

Source: Andersen, Christiansen, Conn & Overton 2000, *An efficient primal-dual interior-point method for minimizing a
sum of Euclidean norms*, SIAM J. Sci. Comput. 22:243 (the shares); Kamenjarzh 1996, *Limit Analysis of Solids and
Structures* (the theorem)
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from cardan.kinematics.tree import Number
from cardan.numerics.round_off import EPSILON
from cardan.system.friction.block import size_and_direction

__all__ = ["decisive_motion", "freedoms_of", "orthonormal"]

STEPS = 12  # of Newton's method: of 3 000 random sums of two to four sigmoids none needs more than 8, of 3 000 with
# widths down to 1e-4 of their distances all have h to round-off after 12


def freedoms_of(H: Number, count: int) -> Number:
    """Matrix V (m, count) with H = V Vᵀ: velocities per velocity of freedoms in which the mechanism has unit masses."""
    left, columns = ca.densify(ca.SX(H)), list[Number]()
    for _ in range(count):
        column, most = left[:, 0], left[0, 0]
        for i in range(1, H.shape[0]):
            larger = left[i, i] > most
            column, most = ca.if_else(larger, left[:, i], column), ca.if_else(larger, left[i, i], most)
        columns.append(column / ca.sqrt(ca.if_else(most > 0, most, 1)))
        left = left - columns[-1] @ columns[-1].T
    return ca.horzcat(*columns)


def orthonormal(V: Number) -> Number:
    """Columns with the same range as those of `V`, by Gram and Schmidt's method."""
    out = list[Number]()
    for column in ca.horzsplit(V):
        left = column - sum((own * ca.dot(own, column) for own in out), ca.SX(0))
        size = ca.norm_2(left)
        out.append(left / ca.if_else(size > 0, size, 1))
    return ca.horzcat(*out)


def decisive_motion(
    q: Number, lines: Sequence[tuple[Number, Number]], turning: Sequence[tuple[Number, Number]]
) -> tuple[Number, list[Number]]:
    """The velocities c (2,) of the freedoms, as large as one likes, in which friction is nearest to its limit as it
    holds a force; and 1 for each joint along one motion that rests in this motion.
    """
    along = _unit(q)
    along = ca.if_else(ca.dot(along, along) > 0, along, ca.DM([1, 0]))
    axes = ca.horzcat(along, ca.vertcat(-along[1], along[0]))  # q̂ and n
    g, f = [row @ axes for row, _ in lines], [limit for _, limit in lines]
    B, F = [rows @ axes for rows, _ in turning], [limit for _, limit in turning]

    def whole(c: Number) -> Number:
        rubbed = sum((limit * ca.fabs(row @ c) for row, limit in zip(g, f, strict=True)), ca.SX(0))
        return rubbed + sum(limit * ca.norm_2(rows @ c) for rows, limit in zip(B, F, strict=True))

    at_kinks, signs = list[Number](), list[Number]()
    for k, row in enumerate(g):
        c = ca.vertcat(ca.fabs(row[1]), -row[0] * ca.if_else(row[1] < 0, -1, 1))
        slope = sum((f[n] * ca.sign(g[n] @ c) * g[n][1] for n in range(len(g)) if n != k), ca.SX(0))
        for rows, limit in zip(B, F, strict=True):
            slope += limit * ca.dot(_unit(rows @ c), rows[:, 1])
        at_kinks.append(c)
        signs.append(ca.if_else(row[1] == 0, ca.sign(row[0]), -ca.sign(slope) * ca.sign(row[1])))
    K = sum((limit * sign * row[1] for limit, sign, row in zip(f, signs, g, strict=True)), ca.SX(0))
    c = ca.vertcat(1, _least(K, B, F))
    part, decides = 1 / _positive(whole(c)), [ca.SX(0)] * len(g)  # of the limits, over |q|
    for k, other in enumerate(at_kinks):
        own = other[0] / _positive(whole(other))
        is_least = own >= part
        part, c = ca.if_else(is_least, own, part), ca.if_else(is_least, other, c)
        decides = [ca.if_else(is_least, float(n == k), each) for n, each in enumerate(decides)]
    return axes @ c, decides


def _least(K: Number, B: Sequence[Number], F: Sequence[Number]) -> Number:
    """The τ at which K τ + Σ F_j |B_j (1, τ)| is least."""
    d = [_positive(ca.sumsqr(rows[:, 1])) for rows in B]
    m = [ca.dot(rows[:, 0], rows[:, 1]) / one for rows, one in zip(B, d, strict=True)]
    D = [ca.sumsqr(rows[:, 0] - mid * rows[:, 1]) / one for rows, mid, one in zip(B, m, d, strict=True)]
    P = [limit * ca.sqrt(one) for limit, one in zip(F, d, strict=True)]
    share = K / _positive(sum(P))
    share = -ca.fmax(ca.fmin(share, 1 - EPSILON), EPSILON - 1)  # its size is below 1 if h is least between kinks
    roots = [share * ca.sqrt(_positive(width) / (1 - share**2)) - mid for mid, width in zip(m, D, strict=True)]
    tau, low, high = roots[0], ca.mmin(ca.vertcat(*roots)), ca.mmax(ca.vertcat(*roots))
    if len(B) == 1:
        return tau
    shares = [share] * len(B)
    for _ in range(STEPS):
        lengths = [ca.sqrt(_positive((tau + mid) ** 2 + width)) for mid, width in zip(m, D, strict=True)]
        sigmoids = [(tau + mid) / length for mid, length in zip(m, lengths, strict=True)]
        slopes = [(1 - s * own) / length for s, own, length in zip(shares, sigmoids, lengths, strict=True)]
        slope = sum(size * own for size, own in zip(P, slopes, strict=True))
        value = K + sum(size * own for size, own in zip(P, sigmoids, strict=True))
        new = ca.fmax(ca.fmin(tau - value / _positive(slope), high), low)
        shares = [
            ca.fmax(ca.fmin(own + change * (new - tau), 1), -1) for own, change in zip(sigmoids, slopes, strict=True)
        ]
        tau = new
    return tau


def _positive(x: Number) -> Number:
    """x if it is positive, else 1: a divisor of what is then zero or not used."""
    return ca.if_else(x > 0, x, 1)


def _unit(w: Number) -> Number:
    """w/|w|, zero at w = 0."""
    return size_and_direction(w)[1]
