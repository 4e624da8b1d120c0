"""Kineto-statics of the platform on three chains: driving moments and the wrenches of all 12 joints, per position.

The gallery's `parallel_3rrrt` follows its circle; every side gets the instants, and finds coordinates, velocities,
accelerations, the three moments and 12 forces and moments in world axes, in new memory. Results agree to 1e-9.

Cardan's side is the whole call of `cardan.kinetostatics` and knows nothing of this mechanism: the check of arguments,
the branch from t = 0 by the integrator, the works of the drives, the projection of every position until |Φ| ≤ 1e-10,
distances to singular positions, and results by name. Machine code that pays after some 50 000 positions is made before.
Pinocchio's side cuts two of the universal joints: Newton's method from the position before, two more solutions for
velocities and accelerations, `rnea`, the multipliers and moments from one matrix, and `rnea` with the forces of the cut
joints. NumPy's side is written by hand for this platform alone, without any iteration: closed-form angles, Newton's and
Euler's equations from the platform down each chain, and 12 equations for what the platform receives; it checks nothing,
and keeps moments and wrenches alone. It takes one position after the other, or all at once.

At 20 × the speed of the last side a position would take 0.2 µs. Cardan's three programs have 9300 operations per
position: 3400 for a step of Newton's method, 4700 for accelerations and multipliers, 1200 for wrenches. With eight
positions at once that is 1200 operations of a vector unit, which take 0.6 µs with loads and stores. The steps of the
integrator and their continuous extension take another 0.15 µs, the rest of the call 0.2 µs; writing the wrenches into
new memory alone takes 0.1 µs.

Times are of the processor, measured beside other programs (load 14 on two cores) on an AMD EPYC, family 25 model 17.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import cardan

from .peers import require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Kineto-statics of a parallel manipulator, per position"

FULL_BATCH = 10_000  # positions
PAYING = 60_000  # positions after which every function of the model is machine code in lanes
WARM = 1000  # positions of the call whose whole time counts
SINGLE = 100  # positions of the sides that take one after the other
ROUNDS = 21
EXACT = 1e-9  # largest difference between two sides, relative to the largest value

CHAINS = "ABC"
L1, L2, L3, M1, M2, M3 = 0.4, 0.1, 0.8, 1.0, 0.25, 2.0
OUTER, INNER, PLATFORM, G, RHO, HEIGHT = 0.4, 0.1, 1.5, 9.81, 0.05, 0.8  # as in the model file
RATE = np.pi / 2  # of the circle [rad/s]
UP = np.array([0.0, 0.0, 1.0])

Wrenches = dict[str, np.ndarray]
"""Forces and moments (N, 3) by name of the result, efforts (N,) likewise."""


def measure(effort: Effort) -> Result:
    """Times per position in a batch, and of a whole call.

    Parameters
    ----------
    effort : Effort
        How many positions and rounds.
    """
    require("pinocchio")
    count, rounds = (FULL_BATCH if effort.batch > SINGLE else effort.batch), min(effort.rounds, ROUNDS)
    few = min(SINGLE, count)
    model, platform = cardan.load("parallel_3rrrt"), _Pinocchio()
    t, short = np.linspace(0, 4, count), np.linspace(0, 4, WARM)
    if count == FULL_BATCH:
        _cardan(model, np.linspace(0, 4, PAYING))
    some = t[:few]
    expected = _cardan(model, t)
    _check(_by_hand(t), expected)
    _check(platform.solve(some), {name: values[:few] for name, values in expected.items()})

    def singly() -> list[Wrenches]:
        return [_by_hand(instant[None]) for instant in some]

    sides = [
        lambda: _cardan(model, t),
        lambda: _cardan(model, short),
        lambda: platform.solve(some),
        singly,
        lambda: _by_hand(t),
    ]
    ours, call, theirs, one, batch = in_turns(sides, rounds, time.process_time)
    what = f"moments and 12 wrenches, {count} positions"
    return Result(
        (
            Row(what, ours.per(count), "Pinocchio, position by position", theirs.per(few), Goal(ratio=20)),
            Row(what, ours.per(count), "NumPy by hand, position by position", one.per(few), Goal(ratio=20)),
            Row(what, ours.per(count), "NumPy by hand, all at once", batch.per(count), Goal(ratio=20)),
            Row("the same, limit", ours.per(count), goal=Goal(limit=10e-6)),
            Row(f"a whole call for {WARM} positions", call, goal=Goal(limit=20e-3)),
        )
    )


def _cardan(model: cardan.Model, t: np.ndarray) -> Wrenches:
    names = [f"{c}{k}.reaction_{what}" for c in CHAINS for k in (1, 2, 3, 4) for what in ("force", "moment")]
    return cardan.kinetostatics(model, t).arrays([*names, *(f"{c}1.effort" for c in CHAINS)])


def _check(found: Wrenches, expected: Wrenches) -> None:
    """Assert that two sides agree; Pinocchio's forces are in axes of its own, so that lengths are compared there."""
    for name, values in expected.items():
        own = values if found[name].ndim == values.ndim else np.linalg.norm(values, axis=-1)
        assert np.abs(found[name] - own).max() <= EXACT * max(1.0, np.abs(own).max()), name


class _Pinocchio:
    """The tree in Pinocchio, with the universal joints of chains B and C cut, and its equations of closure."""

    def __init__(self) -> None:
        import pinocchio as pin

        self.pin, self.model = pin, pin.Model()
        self.model.gravity.linear = -G * UP
        self.joints, self.tips, self.markers = {}, {}, {}
        for k, name in enumerate(CHAINS):
            gamma = 2 * np.pi * k / 3
            turn = pin.rpy.rpyToMatrix(0, 0, gamma)
            place, last = pin.SE3(turn, turn @ [OUTER, 0, 0]), 0
            for j, (kind, m, length) in enumerate(zip("yyz", (M1, M2, M3), (L1, L2, L3), strict=True), start=1):
                last = self._joint(last, kind, place, f"{name}{j}")
                inertia = pin.Inertia(m, np.array([length / 2, 0, 0]), m * length**2 / 12 * np.eye(3))
                self.model.appendBodyToJoint(last, inertia, pin.SE3.Identity())
                place = pin.SE3(np.eye(3), np.array([length, 0, 0]))
            if name == "A":
                self.platform = self._joint(self._joint(last, "z", place, "A4"), "y", pin.SE3.Identity(), "platform")
                centre = np.array([-INNER, 0, 0])
                whole = pin.Inertia(PLATFORM, centre, np.zeros((3, 3)))
                self.model.appendBodyToJoint(self.platform, whole, pin.SE3.Identity())
                self.centre = self._frame("centre", self.platform, pin.SE3(np.eye(3), centre))
            else:
                self.tips[name] = self._frame(f"{name}.tip", last, place)
                marker = pin.SE3(turn, centre + turn @ [INNER, 0, 0])
                self.markers[name] = self._frame(f"{name}.marker", self.platform, marker)
        self.data = self.model.createData()
        drives = [self.model.joints[self.joints[f"{name}1"]].idx_v for name in CHAINS]
        self.drives = np.eye(self.model.nv)[:, drives]

    def _joint(self, parent: int, axis: str, place: Any, name: str) -> int:
        kind = self.pin.JointModelRY() if axis == "y" else self.pin.JointModelRZ()
        self.joints[name] = self.model.addJoint(parent, kind, place, name)
        return int(self.joints[name])

    def _frame(self, name: str, joint: int, place: Any) -> int:
        return int(self.model.addFrame(self.pin.Frame(name, joint, place, self.pin.FrameType.OP_FRAME)))

    def solve(self, t: np.ndarray) -> Wrenches:
        """Efforts (N,) and lengths (N,) of all forces and moments, one instant after the other."""
        q = np.deg2rad([-22, -112, 0, 0, 134, -22, -112, 0, -22, -112, 0.0])
        out = []
        for instant in t:
            q, found = self._at(instant, q)
            out.append(found)
        return {name: np.array([found[name] for found in out]) for name in out[0]}

    def _at(self, t: float, q: np.ndarray) -> tuple[np.ndarray, dict[str, float]]:
        pin, model, data = self.pin, self.model, self.data
        c, s = RHO * np.cos(RATE * t), RHO * np.sin(RATE * t)
        for _ in range(20):
            r, J = self._closure(q)
            r[8:] -= [c, s, HEIGHT]
            if np.abs(r).max() < 1e-12:
                break
            q = q - np.linalg.solve(J, r)
        wanted = np.zeros((2, 11))
        wanted[0, 8:], wanted[1, 8:] = [-RATE * s, RATE * c, 0], [-(RATE**2) * c, -(RATE**2) * s, 0]
        v = np.linalg.solve(J, wanted[0])
        a = np.linalg.solve(J, wanted[1] - self._drift(q, v))
        y = np.linalg.solve(np.hstack([self.drives, J[:8].T]), pin.rnea(model, data, q, v, a))
        found = {f"{name}1.effort": -y[k] for k, name in enumerate(CHAINS)}
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()] * model.njoints)
        for k, name in enumerate(self.tips):
            force, across = y[3 + 4 * k : 6 + 4 * k], np.cross(*self._axes(name))
            moment = y[6 + 4 * k] * across
            place = data.oMf[self.tips[name]].translation
            wrench = pin.Force(force, moment + np.cross(place, force))
            for joint, sign in ((self.joints[f"{name}3"], 1.0), (self.platform, -1.0)):
                forces[joint] = forces[joint] + data.oMi[joint].actInv(wrench * sign)
            found[f"{name}4.reaction_force"] = float(np.linalg.norm(force))
            found[f"{name}4.reaction_moment"] = float(np.linalg.norm(moment))
        pin.rnea(model, data, q, v, a, forces)
        for name, joint in self.joints.items():
            if name != "platform":
                found[f"{name}.reaction_force"] = float(np.linalg.norm(data.f[joint].linear))
                found[f"{name}.reaction_moment"] = float(np.linalg.norm(data.f[joint].angular))
        return q, found

    def _axes(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The two axes of a cut universal joint in the world."""
        return self.data.oMf[self.tips[name]].rotation[:, 2], self.data.oMf[self.markers[name]].rotation[:, 1]

    def _closure(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (11,) of both cut joints and the place of the platform, and their derivatives (11, 11)."""
        pin, model, data = self.pin, self.model, self.data
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        world, r, J = pin.LOCAL_WORLD_ALIGNED, np.empty(11), np.empty((11, 11))
        for k, name in enumerate(self.tips):
            tip, marker = self.tips[name], self.markers[name]
            m, y = self._axes(name)
            apart = pin.getFrameJacobian(model, data, tip, world) - pin.getFrameJacobian(model, data, marker, world)
            r[4 * k : 4 * k + 3] = data.oMf[tip].translation - data.oMf[marker].translation
            r[4 * k + 3] = m @ y
            J[4 * k : 4 * k + 3], J[4 * k + 3] = apart[:3], np.cross(m, y) @ apart[3:]
        r[8:], J[8:] = data.oMf[self.centre].translation, pin.getFrameJacobian(model, data, self.centre, world)[:3]
        return r, J

    def _drift(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Second derivatives (11,) of the residuals without accelerations of the joints."""
        pin, model, data = self.pin, self.model, self.data
        pin.forwardKinematics(model, data, q, v, 0 * v)
        world, out = pin.LOCAL_WORLD_ALIGNED, np.empty(11)
        for k, name in enumerate(self.tips):
            ends = self.tips[name], self.markers[name]
            w, w_marker = (pin.getFrameVelocity(model, data, end, world).angular for end in ends)
            a, b = (pin.getFrameClassicalAcceleration(model, data, end, world) for end in ends)
            m, y = self._axes(name)
            turning = np.cross(np.cross(w, m), y) + np.cross(m, np.cross(w_marker, y))
            out[4 * k : 4 * k + 3] = a.linear - b.linear
            out[4 * k + 3] = turning @ (w - w_marker) + np.cross(m, y) @ (a.angular - b.angular)
        out[8:] = pin.getFrameClassicalAcceleration(model, data, self.centre, world).linear
        return out


def _by_hand(t: np.ndarray) -> Wrenches:
    """Newton's and Euler's equations of all bodies, from the closed-form motion (angles as in the gallery's tests)."""
    c, s, zero = np.cos(RATE * t), np.sin(RATE * t), np.zeros_like(t)
    x = np.stack([RHO * c, RHO * s, zero + HEIGHT], axis=-1)
    v, a = RATE * RHO * np.stack([-s, c, zero], axis=-1), -(RATE**2) * RHO * np.stack([c, s, zero], axis=-1)
    A, b = np.zeros((len(t), 12, 12)), np.zeros((len(t), 12))
    b[:, :3] = PLATFORM * (a + G * UP)
    legs = []
    for k in range(3):
        leg = _leg(x, v, a, 2 * np.pi * k / 3)
        legs.append(leg)
        at = slice(4 * k, 4 * k + 3)
        A[:, [0, 1, 2], [4 * k, 4 * k + 1, 4 * k + 2]] = 1
        arm = INNER * leg["radial"]
        A[:, 3:6, at] = [[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]]
        A[:, 3:6, 4 * k + 3] = leg["n"]
        A[:, 6 + 2 * k, at], b[:, 6 + 2 * k] = np.cross(leg["m"], leg["tip"]), -_dot(leg["N3"], leg["m"])
        A[:, 7 + 2 * k, at] = np.cross(leg["k"], leg["tip"] + leg["wrist"])
        b[:, 7 + 2 * k] = -(leg["N2"] + leg["N3"] + np.cross(leg["wrist"], leg["F3"])) @ leg["k"]
    y = np.linalg.solve(A, b[..., None])[..., 0]
    out: Wrenches = {}
    for k, (name, leg) in enumerate(zip(CHAINS, legs, strict=True)):
        f4, n4 = y[:, 4 * k : 4 * k + 3], y[:, 4 * k + 3, None] * leg["n"]
        f3, n3 = f4 + leg["F3"], n4 + np.cross(leg["tip"], f4) + leg["N3"]
        f2, n2 = f3 + leg["F2"], n3 + np.cross(leg["wrist"], f3) + leg["N2"]
        f1, n1 = f2 + leg["F1"], n2 + np.cross(leg["knee"], f2) + leg["N1"]
        for j, (f, n) in enumerate(((f1, n1), (f2, n2), (f3, n3), (f4, n4)), start=1):
            out[f"{name}{j}.reaction_force"], out[f"{name}{j}.reaction_moment"] = f, n
        out[f"{name}1.effort"] = n1 @ leg["k"]
    return out


def _leg(x: np.ndarray, v: np.ndarray, a: np.ndarray, gamma: float) -> dict[str, np.ndarray]:
    """Directions of a chain, its bodies from joint to joint, and the forces F and moments N that move each body."""
    e = np.array([np.cos(gamma), np.sin(gamma), 0.0])
    k = np.cross(e, UP)
    d = x + (INNER - OUTER) * e
    (p, q, c), (dp, dq, dc), (ddp, ddq, ddc) = ((y @ e, y @ UP, y @ k) for y in (d, v, a))
    s3 = c / L3
    c3 = np.sqrt(1 - s3**2)
    w3 = dc / (L3 * c3)
    b3 = (ddc / L3 + s3 * w3**2) / c3
    far, rate, bend = L2 + L3 * c3, -L3 * s3 * w3, -L3 * (c3 * w3**2 + s3 * b3)
    reach2 = p**2 + q**2
    th1 = np.arctan2(q, p) - np.arccos((L1**2 + reach2 - far**2) / (2 * L1 * np.sqrt(reach2)))
    c1, s1 = np.cos(th1), np.sin(th1)
    c2, s2 = (p - L1 * c1) / far, (q - L1 * s1) / far
    across, along = c1 * s2 - s1 * c2, c1 * c2 + s1 * s2  # sine and cosine from body 1 to body 2
    w1 = (dp * c2 + dq * s2 - rate) / (L1 * across)
    w2 = (dq * c2 - dp * s2 - L1 * w1 * along) / far
    ep, eq = ddp + L1 * w1**2 * c1, ddq + L1 * w1**2 * s1
    b1 = (ep * c2 + eq * s2 - bend + far * w2**2) / (L1 * across)
    b2 = (eq * c2 - ep * s2 - L1 * b1 * along - 2 * rate * w2) / far

    def vector(radial: np.ndarray, up: np.ndarray) -> np.ndarray:
        return radial[:, None] * e + up[:, None] * UP

    n1, t1, n, t2 = vector(c1, s1), vector(-s1, c1), vector(c2, s2), vector(-s2, c2)
    m = np.cross(n, k)
    knee, wrist, tip = L1 * n1, L2 * n, L3 * (c3[:, None] * n + s3[:, None] * k)
    a1 = L1 * (b1[:, None] * t1 - (w1**2)[:, None] * n1)
    a2 = a1 + L2 * (b2[:, None] * t2 - (w2**2)[:, None] * n)
    turn = b2[:, None] * k + b3[:, None] * m + (w2 * w3)[:, None] * np.cross(k, m)
    F1, F2, F3 = M1 * (a1 / 2 + G * UP), M2 * ((a1 + a2) / 2 + G * UP), M3 * ((a2 + a) / 2 + G * UP)
    return {
        "radial": e,
        "k": k,
        "m": m,
        "n": n,
        "knee": knee,
        "wrist": wrist,
        "tip": tip,
        "F1": F1,
        "F2": F2,
        "F3": F3,
        "N1": M1 * L1**2 / 12 * b1[:, None] * k + np.cross(knee / 2, F1),
        "N2": M2 * L2**2 / 12 * b2[:, None] * k + np.cross(wrist / 2, F2),
        "N3": M3 * L3**2 / 12 * turn + np.cross(tip / 2, F3),
    }


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ij,ij->i", a, b))
