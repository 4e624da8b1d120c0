"""Elastic joining of two markers by a stiffness of six directions, in the axes half-way between both.

With the relative rotation exp(θ×) of the markers, φ = |θ|, the axes half-way are those of the parent turned by θ/2; in
them u is the way from parent to child, and e = (u − u₀, θ). The potential is Π = ½ eᵀ K e − e·F₀, the damping force
C ė. Both ends play the same part: with the ends exchanged, e has the opposite sign. With w = ω_child − ω_parent in
these axes

    θ̇ = A w,   A = h 1 + (1 − h) n nᵀ,   h = (φ/2)/sin(φ/2),
    u̇ = ṙ − ω × u,   ω = ½ (ω_parent + ω_child) − ½ tan(φ/4) n × w,

so that the wrench follows from Π by virtual power, in motions of any size.

Source: Géradin & Cardona 2001, *Flexible Multibody Dynamics*, §4.9 (rotation vector, its rate)
"""

from abc import abstractmethod

import casadi as ca

from cardan.frozen import dataclass
from cardan.model.forces.load import Load, MarkerMotion, Number, Wrench
from cardan.spatial.rotations import from_quaternion, skew
from cardan.spatial.tracing import traced

_SMALL = (
    1e-3  # sin²(φ/2) below which five terms of the series leave 0.02 × 1e-15, and above which 1 − h keeps 13 digits
)
_SERIES = (1 / 6, 3 / 40, 5 / 112, 35 / 1152, 63 / 2816)  # (h − 1)/sin²(φ/2), from asin(s)/s


@dataclass(frozen=True)
class _Half:
    """Relative position of two markers, seen from the axes half-way between them."""

    R: Number  # these axes in the world (3×3)
    u: Number  # from parent to child (3,) [m]
    theta: Number  # rotation vector from parent to child (3,) [rad]
    A: Number  # its rate per relative angular velocity (3×3), symmetric
    t: Number  # tan(φ/4) n (3,)


class Elastic(Load):
    """A force law with a potential of the relative displacement and rotation of its markers."""

    transmits = ("force", "moment")
    turns_less_than_half = True
    undefined = "its ends are turned against each other by half a turn, which leaves no direction of rotation"

    @abstractmethod
    def at_rest(self) -> Number:
        """u₀ (3,): the way from parent to child without a load [m]."""

    @abstractmethod
    def springs(self) -> Number:
        """K (6×6): stiffness, displacement first."""

    @abstractmethod
    def dampers(self) -> Number:
        """C (6×6): damping."""

    def preloads(self) -> Number:
        """F₀ (6,): force and moment on the child at e = 0 [N, N m]."""
        return ca.DM(6, 1)

    def conservative(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        half = _half(a, b)
        return _wrench(half, self.springs() @ self._deflection(half) - self.preloads())

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        C = ca.sparsify(ca.SX(self.dampers()))
        if not C.nnz():
            return Wrench(ca.DM(3, 1), ca.DM(3, 1))
        half = _half(a, b)
        w, mean = half.R.T @ (b.w - a.w), half.R.T @ (a.w + b.w) / 2
        turning = mean - ca.cross(half.t, w) / 2
        u_rate = half.R.T @ (b.v - a.v) - ca.cross(turning, half.u)
        return _wrench(half, C @ ca.vertcat(u_rate, half.A @ w))

    def potential(self, a: MarkerMotion, b: MarkerMotion) -> Number:
        e = self._deflection(_half(a, b))
        return ca.dot(e, self.springs() @ e) / 2 - ca.dot(self.preloads(), e)

    def _deflection(self, half: _Half) -> Number:
        return ca.vertcat(half.u - self.at_rest(), half.theta)


def _half(a: MarkerMotion, b: MarkerMotion) -> _Half:
    """Relative position of the markers a and b."""
    turn, theta, A, t = _rotation(a.R.T @ b.R)
    R = a.R @ turn
    return _Half(R, R.T @ (b.p - a.p), theta, A, t)


@traced((3, 3))
def _rotation(R: Number) -> tuple[Number, Number, Number, Number]:
    """Rotation by half of R (3×3), its rotation vector θ (3,), A (3×3) and tan(φ/4) n (3,)."""
    c = ca.sqrt(1 + R[0, 0] + R[1, 1] + R[2, 2]) / 2  # cos(φ/2)
    e = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / (4 * c)  # sin(φ/2) n
    s2 = ca.dot(e, e)
    is_small = s2 < _SMALL
    known = ca.if_else(is_small, 0.5, s2)  # the branch that is not taken has a value, too
    series = sum(coefficient * s2**k for k, coefficient in enumerate(_SERIES))
    k = ca.if_else(is_small, series, (ca.atan2(ca.sqrt(known), c) / ca.sqrt(known) - 1) / known)
    h = 1 + k * s2
    return from_quaternion(ca.vertcat(1 + c, e)), 2 * h * e, h * ca.DM.eye(3) - k * (e @ e.T), e / (1 + c)


def _wrench(half: _Half, resisted: Number) -> Wrench:
    """Wrench on the child of the force and moment (6,) that e meets, by virtual power."""
    f, m = resisted[:3], resisted[3:]
    g = ca.cross(half.u, f)
    return Wrench(-half.R @ (half.A @ m - (g - skew(g) @ half.t) / 2), -half.R @ f)
