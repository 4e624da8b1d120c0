"""What joints that move only together hold by friction: each in proportion to the most that it could hold.

The joints of one freedom s have velocities v_i = g_i ṡ. They hold the force Q of this freedom as long as
|Q| ≤ Σ |g_i| F_i, however they share it; equal parts of their limits, φ_i = F_i sign(g_i) Q/Σ |g_j| F_j, come to these
limits together. With the accelerations H_ij = g_i g_j/m of unit efforts, the mass m drops out.

Where limits follow the load, they depend on the efforts φ in turn: φ_i = e sign(g_i) F_i(φ) with the part e of their
limits that all joints use, and Σ sign(g_i) v̇_i = 0, are solved with the other efforts (`coupled`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number

__all__ = ["HeldFreedom", "OneFreedom", "Shares", "held_freedoms", "in_proportion"]

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


@dataclass(frozen=True)
class HeldFreedom:
    """Joints of one freedom that friction holds together, all of them or none."""

    places: tuple[int, ...]  # of their k efforts among the unknown ones
    holds: Number  # 1 while all stick, else 0
    signs: Number  # sign of the velocity of each as the freedom moves, up to a common one (k,)
    limits: tuple[Number, ...]  # given largest efforts, without the part that follows a load


def held_freedoms(H: Number, rows: Sequence[int], shared: Sequence[OneFreedom]) -> tuple[HeldFreedom, ...]:
    """The joints of each freedom.

    Parameters
    ----------
    H, rows, shared : as of `in_proportion`.
    """
    out = []
    for freedom in shared:
        places = tuple(rows.index(k) for k in freedom)
        column, most = H[places, places[0]], H[places[0], places[0]]
        for i in places[1:]:  # relative to the joint that moves the most: no sign of one at its dead centre
            column, most = ca.if_else(H[i, i] > most, H[places, i], column), ca.fmax(H[i, i], most)
        holds = ca.SX(1)
        for _, sticks in freedom.values():
            holds *= sticks
        out.append(HeldFreedom(places, holds, ca.sign(column), tuple(limit for limit, _ in freedom.values())))
    return tuple(out)


Limit = Callable[[int, Number, Number], tuple[Number, Number]]
"""(place of a joint, its given limit, efforts φ (s,)) → its largest effort while sticking, and derivatives (1, s)."""


@dataclass(frozen=True)
class Shares:
    """Joints that hold one freedom together: each uses the same part e of what it could hold."""

    freedoms: Sequence[HeldFreedom]  # the joints of each freedom
    H: Number  # accelerations (s, s) of the velocities under unit efforts
    a0: Number  # and without efforts (s,)

    def joined(self, A: Number, b: Number, y: Number, limit: Limit, *, given: bool = False) -> tuple[Number, Number]:
        """The equations A φ = b with those of the shares: φ_i = e σ_i F_i(φ) and Σ σ_i v̇_i = 0 of each freedom.

        Beyond |e| = 1, which no friction holds, F_i grows no more with φ: what jams could need any part, or have none.

        Parameters
        ----------
        A, b : equations of the efforts (s, s), (s,).
        y : efforts (s,) and parts e at which the limits F are taken with their derivatives.
        limit : limits of the joints.
        given : whether the limits are taken as given, without derivatives.
        """
        n, count = A.shape[0], len(self.freedoms)
        if not count:
            return A, b
        out, side = ca.SX(n + count, n + count), ca.SX(ca.vertcat(b, ca.SX(count, 1)))
        out[:n, :n] = A
        for j, freedom in enumerate(self.freedoms, start=n):
            e, within = ca.fmax(ca.fmin(y[j], 1), -1), ca.fabs(y[j]) <= 1
            members = list(zip(freedom.places, freedom.limits, strict=True))
            limits, rates = zip(*(limit(*each, y[:n]) for each in members), strict=True)
            unloaded = [limit(*each, ca.SX(n, 1))[0] for each in members]
            some = sum(unloaded) > 0  # without loads equal efforts, which pass the limits
            for k, (i, sign) in enumerate(zip(freedom.places, ca.vertsplit(freedom.signs), strict=True)):
                beyond = ca.if_else(some, unloaded[k], 1)
                slope = ca.if_else(within, ca.if_else(sum(limits) > 0, limits[k], 1), beyond)
                own = (0 if given else e) * sign * rates[k]
                known = ca.if_else(within, 0, sign * e * (limits[k] - beyond)) - ca.dot(own.T, y[:n])
                row = -own
                row[i] += 1
                out[i, :n] = ca.if_else(freedom.holds, row, out[i, :n])
                out[i, j] = -freedom.holds * sign * slope
                side[i] = ca.if_else(freedom.holds, known, side[i])
            at = list(freedom.places)
            out[j, :n] = freedom.holds * (freedom.signs.T @ self.H[at, :])
            out[j, j] = 1 - freedom.holds
            side[j] = -freedom.holds * ca.dot(freedom.signs, self.a0[at])
        return out, side
