"""Accelerations and reactions by Newton's and Euler's equations of every body, with its joints as equations.

Six accelerations for every body and one for every rotor, in world axes; a joint is a set of directions in which its
child moves against its parent, and of directions in which it does not. From the numbers of a model file alone: nothing
here is shared with Cardan, neither laws nor algorithms.

    [M  −Jᵀ] [A]   [F]
    [J   0 ] [λ] = [γ]          solved densely, by least squares where equations are redundant

Source: Haug 1989, §11.3; conventions: docs/notation.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tests.vectors import cross

__all__ = ["RANK", "WIDTHS", "Bodies", "Row", "Solution", "transform"]

WIDTHS = {  # number of coordinates and of velocities
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "screw": (1, 1),
    "cylindrical": (2, 2),
    "universal": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "free": (7, 6),
    "fixed": (0, 0),
}
NONE = np.zeros(3)
X, Y, Z = np.eye(3)
RANK = 1e-8  # singular value of J, its rows of order 1, that counts as zero: above closing errors, below moving loops

Keys = Mapping[str, Any]


def transform(joint: Keys, q: np.ndarray) -> np.ndarray:
    """T_PC (4×4): child marker in the parent marker at the coordinates q of a joint."""
    kind, T = joint["type"], np.eye(4)
    if kind in ("revolute", "screw", "prismatic", "cylindrical"):
        k = _unit(joint["axis"])
        turn, shift = {
            "revolute": lambda: (q[0], 0.0),
            "screw": lambda: (q[0], joint["lead"] * q[0] / (2 * np.pi)),
            "prismatic": lambda: (0.0, q[0]),
            "cylindrical": lambda: (q[1], q[0]),
        }[kind]()
        T[:3, :3], T[:3, 3] = Rotation.from_rotvec(turn * k).as_matrix(), shift * k
    elif kind == "universal":
        first, second = (_unit(axis) for axis in joint["axes"])
        T[:3, :3] = (Rotation.from_rotvec(q[0] * first) * Rotation.from_rotvec(q[1] * second)).as_matrix()
    elif kind == "planar":
        T[:3, :3], T[:3, 3] = Rotation.from_rotvec(q[2] * Z).as_matrix(), [q[0], q[1], 0]
    elif kind in ("spherical", "free"):
        T[:3, :3] = Rotation.from_quat(q[-4:], scalar_first=True).as_matrix()
        T[:3, 3] = q[:3] if kind == "free" else NONE
    return T


@dataclass(frozen=True)
class Row:
    """A direction of relative motion: m · ω_rel + l · v_rel at the child marker, world axes, and its rate."""

    m: np.ndarray
    l: np.ndarray
    m_rate: np.ndarray
    l_rate: np.ndarray


@dataclass(frozen=True)
class Moving:
    """A frame and how it moves: origin p, axes R, their velocity and angular velocity, world axes; its body."""

    body: str
    R: np.ndarray
    p: np.ndarray
    v: np.ndarray
    w: np.ndarray


@dataclass(frozen=True)
class Solution:
    """What the equations say."""

    a: dict[str, np.ndarray]  # accelerations of each joint in the tree, as Cardan's v̇
    wrenches: dict[str, np.ndarray]  # moment and force (6,) of each joint on its child, the smallest where not unique
    unique: dict[str, np.ndarray]  # which of the six components are unique
    smallest: float  # smallest singular value of J that counts; rows and masses are of order 1
    largest_zero: float  # largest one that counts as zero
    rotors: dict[str, float]  # acceleration of each rotor's angle in space


@dataclass(frozen=True)
class Bodies:
    """A mechanism in one state."""

    keys: Keys  # the model file with numbers only
    q: Mapping[str, np.ndarray]  # coordinates of the joints in the tree, by joint; the others are cut
    v: Mapping[str, np.ndarray]  # their velocities
    tau: Mapping[str, np.ndarray]  # efforts on these
    currents: Mapping[str, float] | None = None  # of the motors; rotors take part where it is not None
    voltages: Mapping[str, float] | None = None  # of motors without inductance, in place of currents

    # --- position and velocity -------------------------------------------------------------------------------------

    @cached_property
    def poses(self) -> dict[str, np.ndarray]:
        """T_WB (4×4) of each body and of the ground."""
        return self._placed(self.q)

    @cached_property
    def neutral(self) -> dict[str, np.ndarray]:
        """T_WB of each body with all joints in the tree at q = 0."""
        zero = {"spherical": [1, 0, 0, 0], "free": [0, 0, 0, 1, 0, 0, 0]}
        kinds = {name: self.keys["joints"][name]["type"] for name in self.q}
        return self._placed({n: np.array(zero.get(k, np.zeros(WIDTHS[k][0])), dtype=float) for n, k in kinds.items()})

    def _placed(self, q: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        found = {"ground": np.eye(4)}
        while len(found) <= len(self.keys["bodies"]):
            for name in q:
                joint = self.keys["joints"][name]
                (a, T_AP), (b, T_BC) = self._end(joint["parent"]), self._end(joint["child"])
                T_PC = transform(joint, q[name])
                if a in found and b not in found:
                    found[b] = found[a] @ T_AP @ T_PC @ np.linalg.inv(T_BC)
                elif b in found and a not in found:
                    found[a] = found[b] @ T_BC @ np.linalg.inv(T_PC) @ np.linalg.inv(T_AP)
        return found

    @cached_property
    def twists(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Angular velocity and velocity of the origin of each body and of the ground."""
        found = {"ground": (NONE, NONE)}
        while len(found) <= len(self.keys["bodies"]):
            for name in self.q:
                joint = self.keys["joints"][name]
                a, b = (self._end(joint[end])[0] for end in ("parent", "child"))
                if (a in found) == (b in found):
                    continue
                P, C = self._frame(joint["parent"]), self._frame(joint["child"])
                rows = _free(joint, P.R, C.R, NONE, NONE)
                w = sum((x * row.m for x, row in zip(self.v[name], rows, strict=True)), NONE)
                v = sum((x * row.l for x, row in zip(self.v[name], rows, strict=True)), NONE)
                near, far, sign = (a, b, 1) if a in found else (b, a, -1)
                w_near, v_near = found[near]
                at_child = v_near + cross(w_near, C.p - self.poses[near][:3, 3]) + sign * v
                w_far = w_near + sign * w
                found[far] = w_far, at_child + cross(w_far, self.poses[far][:3, 3] - C.p)
        return found

    def _end(self, end: str) -> tuple[str, np.ndarray]:
        """Body and T_BM of a marker."""
        body, _, marker = end.partition(".")
        if not marker:
            return body, np.eye(4)
        if marker == "com":
            return body, _pose(np.eye(3), self.keys["bodies"][body]["com"])
        record = self.keys["ground"] if body == "ground" else self.keys["bodies"][body]
        return body, _placement(record["markers"][marker])

    def _frame(self, end: str) -> Moving:
        """A marker in the world; without velocity until the twists are known."""
        body, T_BM = self._end(end)
        T = self.poses[body] @ T_BM
        return Moving(body, T[:3, :3], T[:3, 3], NONE, NONE)

    def at(self, end: str) -> Moving:
        """A marker in the world with its velocities."""
        frame = self._frame(end)
        w, v = self.twists[frame.body]
        return Moving(frame.body, frame.R, frame.p, v + cross(w, frame.p - self.poses[frame.body][:3, 3]), w)

    def gaps(self, name: str) -> np.ndarray:
        """How far a joint is from fitting: zeros where its two markers are as the joint allows."""
        joint = self.keys["joints"][name]
        P, C = self._frame(joint["parent"]), self._frame(joint["child"])
        p, R, kind = P.R.T @ (C.p - P.p), P.R.T @ C.R, joint["type"]
        if kind in ("revolute", "cylindrical", "screw", "prismatic"):
            k = _unit(joint["axis"])
            along, turn = k @ p, Rotation.from_matrix(R).as_rotvec() @ k
            thread = (along - joint["lead"] * turn / (2 * np.pi)) if kind == "screw" else 0.0
            if kind == "screw":
                thread -= joint["lead"] * np.round(thread / joint["lead"])
            turned = (R - np.eye(3)).ravel() if kind == "prismatic" else R @ k - k
            return np.array([*(p - along * k), *turned, thread, along if kind == "revolute" else 0.0])
        if kind == "universal":
            first, second = (_unit(axis) for axis in joint["axes"])
            return np.array([*p, first @ R @ second])
        if kind == "planar":
            return np.array([p[2], *(R @ Z - Z)])
        return {"spherical": p, "free": np.zeros(0), "fixed": np.array([*p, *(R - np.eye(3)).ravel()])}[kind]

    # --- equations -------------------------------------------------------------------------------------------------

    @cached_property
    def index(self) -> dict[str, int]:
        """First column of each body: angular accelerations, then those of the centre of mass."""
        return {name: 6 * i for i, name in enumerate(self.keys["bodies"])}

    @cached_property
    def rotor_index(self) -> dict[str, int]:
        """Column of each rotor with inertia."""
        motors = self.keys.get("motors", {}) if self._driven else {}
        return {name: 6 * len(self.index) + i for i, name in enumerate(motors)}

    @property
    def _driven(self) -> bool:
        return self.currents is not None or self.voltages is not None

    @property
    def _size(self) -> int:
        return 6 * len(self.index) + len(self.rotor_index)

    def _com(self, body: str) -> np.ndarray:
        return self.poses[body][:3, :3] @ np.array(self.keys["bodies"][body]["com"]) + self.poses[body][:3, 3]

    def rates(self, name: str) -> tuple[Moving, Moving, np.ndarray, np.ndarray]:
        """The two markers of a joint, and its relative angular velocity and velocity at the child marker."""
        joint = self.keys["joints"][name]
        P, C = self.at(joint["parent"]), self.at(joint["child"])
        return P, C, C.w - P.w, C.v - P.v - cross(P.w, C.p - P.p)

    def equation(self, P: Moving, C: Moving, row: Row) -> tuple[np.ndarray, float]:
        """(J, bias) with d/dt(m · ω_rel + l · v_rel) = J A + bias."""
        J, bias = np.zeros(self._size), 0.0
        v_parent = P.v + cross(P.w, C.p - P.p)  # of the parent's point at the child marker
        for frame, sign in ((C, 1), (P, -1)):
            if frame.body == "ground":
                continue
            com = self._com(frame.body)
            s, w = C.p - com, frame.w
            at_com = frame.v + cross(w, com - frame.p)
            first = self.index[frame.body]
            J[first : first + 3] += sign * (row.m + cross(s, row.l))
            J[first + 3 : first + 6] += sign * row.l
            bias += sign * (row.l @ cross(w, C.v - at_com))  # d/dt(ω × s) = α × s + ω × (ṗ − v_com)
        return J, bias + row.m_rate @ (C.w - P.w) + row.l_rate @ (C.v - v_parent)

    def solution(self) -> Solution:
        """Accelerations and reactions."""
        M, F = self._inertia(), self._forces()
        rows, gamma, owners = self._joint_rows()
        offset = len(rows)
        for J, right in self._rotor_rows():
            rows.append(J)
            gamma.append(right)
        J, c = np.array(rows).reshape(-1, self._size), len(rows)
        K = np.block([[M, -J.T], [J, np.zeros((c, c))]])
        x = np.linalg.lstsq(K, np.concatenate([F, gamma]), rcond=1e-11)[0]
        A, lam = x[: self._size], x[self._size :]
        sizes = np.linalg.svd(J, compute_uv=True)
        kept = int(np.sum(sizes[1] > RANK))
        free = np.eye(c) if not c else sizes[0][:, kept:]  # Jᵀ free = 0: multipliers that do nothing
        names = list(self.keys["joints"])
        W, w = np.zeros((6 * len(names), c)), np.zeros(6 * len(names))
        for k, (name, row) in enumerate(owners):
            W[6 * names.index(name) : 6 * names.index(name) + 6, k] = [*row.m, *row.l]
        for name, dual, ratio, k in self._gears():
            W[6 * names.index(name) : 6 * names.index(name) + 6, offset + k] = -ratio * np.array([*dual.m, *dual.l])
        for name in self.q:
            w[6 * names.index(name) : 6 * names.index(name) + 6] = self._effort_wrench(name)
        w = w + W @ lam
        B = W @ free
        if B.shape[1]:
            w = w - B @ np.linalg.lstsq(B, w, rcond=1e-9)[0]
        unique = np.linalg.norm(B, axis=1) < 1e-6
        return Solution(
            {name: self._coordinate_accelerations(name, A) for name in self.q},
            {name: w[6 * k : 6 * k + 6] for k, name in enumerate(names)},
            {name: unique[6 * k : 6 * k + 6] for k, name in enumerate(names)},
            float(min(sizes[1][:kept], default=1.0)),
            float(max(sizes[1][kept:], default=0.0)),
            {name: float(A[k]) for name, k in self.rotor_index.items()},
        )

    def velocity_equations(self) -> tuple[np.ndarray, np.ndarray]:
        """J (c, n) of the cut joints over the velocities in the tree, and the residuals J v (c,) of this state."""
        cut = [name for name in self.keys["joints"] if name not in self.q]
        columns = []
        for name in self.v:
            for k in range(len(self.v[name])):
                unit = {other: np.zeros_like(x) for other, x in self.v.items()}
                unit[name] = np.eye(len(self.v[name]))[k]
                columns.append(Bodies(self.keys, self.q, unit, {})._residuals(cut))
        own = self._residuals(cut)
        return np.array(columns).T.reshape(len(own), -1), own

    def _residuals(self, joints: list[str]) -> np.ndarray:
        out = []
        for name in joints:
            P, C, w, v = self.rates(name)
            out += [row.m @ w + row.l @ v for row in _fixed(self.keys["joints"][name], P.R, C.R, P.w, C.w)]
        return np.array(out)

    def _joint_rows(self) -> tuple[list[np.ndarray], list[float], list[tuple[str, Row]]]:
        rows, gamma, owners = [], [], []
        for name, joint in self.keys["joints"].items():
            P, C, _, _ = self.rates(name)
            for row in _fixed(joint, P.R, C.R, P.w, C.w):
                J, bias = self.equation(P, C, row)
                rows.append(J)
                gamma.append(-bias)
                owners.append((name, row))
        return rows, gamma, owners

    def _gears(self) -> Iterator[tuple[str, Row, float, int]]:
        """Joint, direction, ratio and number of each rotor's gear."""
        for k, name in enumerate(self.rotor_index):
            motor = self.keys["motors"][name]
            joint, component = self._motion(motor["joint"])
            P, C, _, _ = self.rates(joint)
            row = _free(self.keys["joints"][joint], P.R, C.R, P.w, C.w)[component]
            yield joint, _dual(row), motor["ratio"], k

    def _rotor_rows(self) -> Iterator[tuple[np.ndarray, float]]:
        """Ω − n · ω_carrier − r v = 0, differentiated."""
        for (joint, dual, ratio, _), (name, column) in zip(self._gears(), self.rotor_index.items(), strict=True):
            P, C, _, _ = self.rates(joint)
            J, bias = self.equation(P, C, dual)
            J, bias = -ratio * J, -ratio * bias
            J[column] += 1
            carrier = self._carrier(name)
            if carrier:  # n turns with the carrier: n · ω changes by n · α alone
                J[self.index[carrier] : self.index[carrier] + 3] -= self._rotor_axis(name)
            yield J, -bias

    def _carrier(self, name: str) -> str | None:
        """Body on which a motor sits: the one it names, else the parent of its joint; None for the ground."""
        motor = self.keys["motors"][name]
        parent = self._end(self.keys["joints"][self._motion(motor["joint"])[0]]["parent"])[0]
        body = motor.get("mounted_on", parent)
        return None if body == "ground" else str(body)

    def _rotor_axis(self, name: str) -> np.ndarray:
        """Axis n of a rotor on a carrier, world axes."""
        motor, carrier = self.keys["motors"][name], self._carrier(name)
        R = self.poses[carrier][:3, :3]
        if "rotor_axis" in motor:
            return R @ _unit(motor["rotor_axis"])
        name, component = self._motion(motor["joint"])
        joint = self.keys["joints"][name]
        body, T_BP = self._end(joint["parent"])
        R_P = (self.neutral[body] @ T_BP)[:3, :3]
        row = _free(joint, R_P, R_P, NONE, NONE)[component]
        return R @ self.neutral[carrier][:3, :3].T @ _unit(row.m if row.m.any() else row.l)

    def _rotor_speed(self, name: str) -> float:
        """Speed ω = r v of a rotor against its stator."""
        joint, component = self._motion(self.keys["motors"][name]["joint"])
        return float(self.keys["motors"][name]["ratio"] * self.v[joint][component])

    def _motion(self, driven: str) -> tuple[str, int]:
        """Joint and component of a motion `joint` or `joint.r`."""
        joint, _, suffix = driven.partition(".")
        order = {"cylindrical": "d r", "universal": "r1 r2", "planar": "x y rz", "spherical": "wx wy wz"}
        order |= {"free": "vx vy vz wx wy wz"}
        kind = self.keys["joints"][joint]["type"]
        return joint, order[kind].split().index(suffix) if suffix else 0

    def _inertia(self) -> np.ndarray:
        M = np.zeros((self._size, self._size))
        for body, k in self.index.items():
            M[k : k + 3, k : k + 3] = self._tensor(body)
            M[k + 3 : k + 6, k + 3 : k + 6] = self.keys["bodies"][body]["mass"] * np.eye(3)
        for name, k in self.rotor_index.items():
            M[k, k] = self.keys["motors"][name]["rotor_inertia"]
        return M

    def _tensor(self, body: str) -> np.ndarray:
        R = self.poses[body][:3, :3]
        xx, yy, zz, xy, xz, yz = self.keys["bodies"][body]["inertia"]
        return R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T

    def _forces(self) -> np.ndarray:
        F = np.zeros(self._size)
        for body, k in self.index.items():
            w, I = self.twists[body][0], self._tensor(body)
            F[k : k + 3] -= cross(w, I @ w)
            F[k + 3 : k + 6] += self.keys["bodies"][body]["mass"] * np.array(self.keys["gravity"])
        for joint in self.q:
            wrench = self._effort_wrench(joint)
            self._apply(F, self.keys["joints"][joint], wrench[:3], wrench[3:])
        for load in self.keys.get("forces", {}).values():
            self._apply(F, load, *self.load(load))
        for name in self.rotor_index:
            motor, carrier = self.keys["motors"][name], self._carrier(name)
            if carrier:  # angular momentum Im Ω n turns with the carrier
                n = self._rotor_axis(name)
                w = self.twists[carrier][0]
                spin = self._rotor_speed(name) + n @ w
                F[self.index[carrier] : self.index[carrier] + 3] -= motor["rotor_inertia"] * spin * cross(w, n)
        return F

    def _apply(self, F: np.ndarray, ends: Keys, moment: np.ndarray, force: np.ndarray) -> None:
        """Add a wrench about the child marker on the child, and its opposite on the parent."""
        p = self._frame(ends["child"]).p
        for end, sign in ((ends["child"], 1), (ends.get("parent", "ground"), -1)):
            body = end.partition(".")[0]
            if body != "ground":
                k = self.index[body]
                F[k : k + 3] += sign * (moment + cross(p - self._com(body), force))
                F[k + 3 : k + 6] += sign * force

    def _effort_wrench(self, name: str) -> np.ndarray:
        """Moment and force of springs, dampers, efforts and motors of a joint, without their rotors' inertia."""
        joint = self.keys["joints"][name]
        P, C, _, _ = self.rates(name)
        tau = np.array(self.tau.get(name, np.zeros(len(self.v[name]))), dtype=float)
        tau = tau - np.array(joint.get("damping", 0.0)) * self.v[name]
        if "stiffness" in joint:
            tau = tau - np.array(joint["stiffness"]) * (self.q[name] - np.array(joint.get("rest", 0.0)))
        for driving in self.keys.get("motors", {}) if self._driven else ():
            motor = self.keys["motors"][driving]
            driven, component = self._motion(motor["joint"])
            if driven == name:
                speed = self._rotor_speed(driving)
                torque = motor["torque_constant"] * self.current(driving) - motor["rotor_damping"] * speed
                tau[component] += motor["ratio"] * torque
        rows = [_dual(row) for row in _free(joint, P.R, C.R, P.w, C.w)]
        return sum((x * np.array([*row.m, *row.l]) for x, row in zip(tau, rows, strict=True)), np.zeros(6))

    def current(self, name: str) -> float:
        """Current of a motor: a state, or steady where its inductance is neglected."""
        if self.currents is not None:
            return self.currents[name]
        assert self.voltages is not None
        motor = self.keys["motors"][name]
        return (self.voltages[name] - motor["back_emf_constant"] * self._rotor_speed(name)) / motor["resistance"]

    def current_rate(self, name: str, u: float) -> float:
        """di/dt of a motor under the voltage u."""
        motor = self.keys["motors"][name]
        drop = motor["resistance"] * self.current(name) + motor["back_emf_constant"] * self._rotor_speed(name)
        return float((u - drop) / motor["inductance"])

    def load(self, load: Keys) -> tuple[np.ndarray, np.ndarray]:
        """Moment about the child marker and force of a force element on its child, world axes."""
        a, b = self.at(load.get("parent", "ground")), self.at(load["child"])
        if load["type"] in ("force", "torque"):
            R = {"world": np.eye(3), "parent": a.R, "child": b.R}[load.get("frame", "world")]
            vector = R @ np.array(load["value"], dtype=float)
            return (NONE, vector) if load["type"] == "force" else (vector, NONE)
        k, d = load.get("stiffness", 0.0), load.get("damping", 0.0)
        if load["type"] == "spring_damper":
            if "axis" in load:
                n = a.R @ _unit(load["axis"])
                length = n @ (b.p - a.p)
                rate = n @ (b.v - a.v) + cross(a.w, n) @ (b.p - a.p)
            else:
                length = float(np.linalg.norm(b.p - a.p))
                n = (b.p - a.p) / length
                rate = n @ (b.v - a.v)
            return NONE, -(k * (length - load.get("rest_length", 0.0)) + d * rate) * n
        return self._torsion(load, a, b), NONE

    def _torsion(self, load: Keys, a: Moving, b: Moving) -> np.ndarray:
        """Moment of a torsion spring: θ = 2 atan2(c, s) of the quaternion with the parts s and, along the axis, c."""
        k = _unit(load["axis"])
        s, *vector = Rotation.from_matrix(a.R.T @ b.R).as_quat(scalar_first=True)
        r = np.array(vector)
        c = r @ k
        theta = 2 * np.arctan2(c, s) - load.get("rest", 0.0)
        theta -= 2 * np.pi * np.round(theta / (2 * np.pi))
        gradient = a.R @ ((s * (s * k + cross(r, k)) + c * r) / (s * s + c * c))
        rate = gradient @ (b.w - a.w)
        return -(load.get("stiffness", 0.0) * theta + load.get("damping", 0.0) * rate) * gradient

    def _coordinate_accelerations(self, name: str, A: np.ndarray) -> np.ndarray:
        """v̇ of a joint from the accelerations of its bodies: directions d with relative motion Σ d v."""
        joint = self.keys["joints"][name]
        P, C, _, _ = self.rates(name)
        rows = _free(joint, P.R, C.R, P.w, C.w)
        out = np.array([J @ A + bias for J, bias in (self.equation(P, C, _dual(row)) for row in rows)])
        # d/dt(dual · motion) = Σ (dual · d) v̇ + Σ d/dt(dual · d) v, and dual · d is constant in every joint
        return out

    def energy(self) -> tuple[float, float]:
        """Kinetic energy with rotors, and potential energy of gravity and of all springs."""
        kinetic = potential = 0.0
        for body, record in self.keys["bodies"].items():
            w, v = self.twists[body]
            com = self._com(body)
            at_com = v + cross(w, com - self.poses[body][:3, 3])
            kinetic += 0.5 * record["mass"] * at_com @ at_com + 0.5 * w @ self._tensor(body) @ w
            potential -= record["mass"] * com @ np.array(self.keys["gravity"])
        for name in self.rotor_index:
            motor, spin, carrier = self.keys["motors"][name], self._rotor_speed(name), self._carrier(name)
            if carrier:
                spin += self._rotor_axis(name) @ self.twists[carrier][0]
            kinetic += 0.5 * motor["rotor_inertia"] * spin**2
        for name in self.q:
            joint = self.keys["joints"][name]
            if "stiffness" in joint:
                stretch = self.q[name] - np.array(joint.get("rest", 0.0))
                potential += 0.5 * float(np.sum(np.array(joint["stiffness"]) * stretch**2))
        for load in self.keys.get("forces", {}).values():
            potential += self._spring_energy(load)
        return float(kinetic), float(potential)

    def _spring_energy(self, load: Keys) -> float:
        if load["type"] not in ("spring_damper", "torsion_spring"):
            return 0.0
        a, b = self.at(load.get("parent", "ground")), self.at(load["child"])
        if load["type"] == "spring_damper":
            along = a.R @ _unit(load["axis"]) @ (b.p - a.p) if "axis" in load else np.linalg.norm(b.p - a.p)
            return float(0.5 * load.get("stiffness", 0.0) * (along - load.get("rest_length", 0.0)) ** 2)
        s, *r = Rotation.from_matrix(a.R.T @ b.R).as_quat(scalar_first=True)
        theta = 2 * np.arctan2(np.array(r) @ _unit(load["axis"]), s) - load.get("rest", 0.0)
        theta -= 2 * np.pi * np.round(theta / (2 * np.pi))
        return float(0.5 * load.get("stiffness", 0.0) * theta**2)


# --- joints ----------------------------------------------------------------------------------------------------------


def _free(joint: Keys, R_P: np.ndarray, R_C: np.ndarray, w_P: np.ndarray, w_C: np.ndarray) -> list[Row]:
    """Directions in which the child moves: relative twist Σ (m, l) v, at the child marker."""

    def turn(k: np.ndarray, w: np.ndarray, pitch: float = 0.0) -> Row:
        return Row(k, pitch * k, cross(w, k), pitch * cross(w, k))

    def shift(k: np.ndarray) -> Row:
        return Row(NONE, k, NONE, cross(w_P, k))

    kind = joint["type"]
    if kind in ("revolute", "screw", "prismatic", "cylindrical"):
        k = R_P @ _unit(joint["axis"])
        return {
            "revolute": lambda: [turn(k, w_P)],
            "screw": lambda: [turn(k, w_P, joint["lead"] / (2 * np.pi))],
            "prismatic": lambda: [shift(k)],
            "cylindrical": lambda: [shift(k), turn(k, w_P)],
        }[kind]()
    if kind == "universal":
        return [turn(R_P @ _unit(joint["axes"][0]), w_P), turn(R_C @ _unit(joint["axes"][1]), w_C)]
    if kind == "planar":
        return [shift(R_P[:, 0]), shift(R_P[:, 1]), turn(R_P[:, 2], w_P)]
    turns = [turn(R_C[:, i], w_C) for i in range(3)]
    return {"spherical": turns, "free": [shift(R_P[:, i]) for i in range(3)] + turns, "fixed": []}[kind]


def _dual(row: Row) -> Row:
    """The wrench of unit effort: power 1 for unit velocity, 0 for the joint's others; a screw's is its moment."""
    return Row(row.m, NONE, row.m_rate, NONE) if row.m.any() else row


def _fixed(joint: Keys, R_P: np.ndarray, R_C: np.ndarray, w_P: np.ndarray, w_C: np.ndarray) -> list[Row]:
    """Directions in which the child does not move: (m, l) · relative twist = 0."""

    def turn(n: np.ndarray) -> Row:
        return Row(n, NONE, cross(w_P, n), NONE)

    def shift(n: np.ndarray) -> Row:
        return Row(NONE, n, NONE, cross(w_P, n))

    kind = joint["type"]
    if kind in ("revolute", "screw", "prismatic", "cylindrical"):
        k = _unit(joint["axis"])
        across = [R_P @ n for n in _across(k)]
        k = R_P @ k
        c = joint.get("lead", 0.0) / (2 * np.pi)
        along = Row(-c * k, k, -c * cross(w_P, k), cross(w_P, k))
        return {
            "revolute": lambda: [*map(shift, across), shift(k), *map(turn, across)],
            "screw": lambda: [*map(shift, across), along, *map(turn, across)],
            "prismatic": lambda: [*map(shift, across), *map(turn, across), turn(k)],
            "cylindrical": lambda: [*map(shift, across), *map(turn, across)],
        }[kind]()
    shifts, turns = [shift(X), shift(Y), shift(Z)], [turn(X), turn(Y), turn(Z)]
    if kind in ("spherical", "fixed", "universal"):  # along the world's axes, which do not turn
        shifts = [Row(NONE, n, NONE, NONE) for n in (X, Y, Z)]
        turns = [Row(n, NONE, NONE, NONE) for n in (X, Y, Z)]
    if kind == "universal":
        k1, k2 = R_P @ _unit(joint["axes"][0]), R_C @ _unit(joint["axes"][1])
        rate = cross(cross(w_P, k1), k2) + cross(k1, cross(w_C, k2))
        return [*shifts, Row(cross(k1, k2), NONE, rate, NONE)]
    if kind == "planar":
        return [shift(R_P[:, 2]), turn(R_P[:, 0]), turn(R_P[:, 1])]
    return {"spherical": shifts, "free": [], "fixed": [*shifts, *turns]}[kind]


def _across(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors perpendicular to k and to each other."""
    first = cross(k, np.eye(3)[np.argmin(np.abs(k))])
    first /= np.linalg.norm(first)
    return first, cross(k, first)


def _unit(axis: Any) -> np.ndarray:
    if isinstance(axis, str):
        return {"x": X, "y": Y, "z": Z}[axis]
    return np.array(axis, dtype=float) / np.linalg.norm(axis)


def _pose(R: np.ndarray, p: Any) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def _placement(marker: Keys) -> np.ndarray:
    """T_BM of a marker's keys."""
    R = np.eye(3)
    if "rotation" in marker:
        R = np.array(marker["rotation"])
    elif "quaternion" in marker:
        R = Rotation.from_quat(marker["quaternion"], scalar_first=True).as_matrix()
    elif "rpy" in marker:
        R = Rotation.from_euler("xyz", marker["rpy"]).as_matrix()
    elif "axis_angle" in marker:
        R = Rotation.from_rotvec(marker["axis_angle"]["angle"] * _unit(marker["axis_angle"]["axis"])).as_matrix()
    return _pose(R, marker.get("position", NONE))
