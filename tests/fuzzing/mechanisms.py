"""Random mechanisms as the keys of a model file, numbers only, made around a position in which every loop is closed.

Bodies stand anywhere in the world; a joint is put at a place in the world, and its markers follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from tests.fuzzing.newton_euler_bodies import WIDTHS, transform

__all__ = ["KINDS", "Made", "carrying", "random_loop", "random_tree"]

KINDS = tuple(WIDTHS)
SUFFIXES = {
    "cylindrical": (".d", ".r"),
    "universal": (".r1", ".r2"),
    "planar": (".x", ".y", ".rz"),
    "spherical": (".wx", ".wy", ".wz"),
    "free": (".vx", ".vy", ".vz", ".wx", ".wy", ".wz"),
}
LOOPS = ("spatial", "planar", "spherical", "parallel slides", "coaxial", "two hinges")
ALONG = {"z": "xy", "y": "xz", "x": "yz"}  # normal of a plane and its name


@dataclass(frozen=True)
class Made:
    """A mechanism and the position that it was made in."""

    keys: dict[str, Any]
    q: dict[str, np.ndarray]  # coordinates of all joints, of those that close loops as well
    about: str  # a few words
    plain: bool  # right angles and round numbers: zeros in a position, and positions that may be singular


def random_tree(seed: int) -> Made:
    """A tree of 2 to 12 bodies, mostly few: all joints, springs, dampers, forces, motors; some of right angles."""
    rng = np.random.default_rng(seed)
    making = _Making(rng, int(rng.choice([2, 3, 4, 5, 6, 8, 12], p=[0.2, 0.25, 0.2, 0.15, 0.1, 0.06, 0.04])))
    for i, body in enumerate(making.bodies):
        parent = "ground" if i == 0 or rng.random() < 0.15 else str(rng.choice(making.bodies[max(0, i - 3) : i]))
        making.joint(f"j{i}", str(rng.choice(KINDS)), parent, body, making.frame())
    making.springs()
    making.motors()
    making.loads()
    return making.done(f"{len(making.bodies)} bodies")


def random_loop(seed: int) -> Made:
    """A mechanism with one loop or two of one of the sorts `LOOPS`, most of them with redundant equations."""
    rng = np.random.default_rng(seed)
    sort = LOOPS[seed % len(LOOPS)]
    few = sort in ("coaxial", "two hinges")  # others do not move with two bodies
    making = _Making(rng, int(rng.integers(2, 5) if few else rng.integers(3, 6)))
    {
        "spatial": _spatial,
        "planar": _planar,
        "spherical": _spherical,
        "parallel slides": _slides,
        "coaxial": _coaxial,
        "two hinges": _hinges,
    }[sort](making)
    if rng.random() < 0.5:
        making.shuffle()
    if rng.random() < 0.5:
        making.springs()
    if rng.random() < 0.3:
        making.motors()
    if not making.flat and rng.random() < 0.5:
        making.loads()
    return making.done(sort + (f" ({making.keys['planar']})" if making.flat else ""))


def carrying(joints: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The joints that carry bodies, in the order of the file: shortest ways from the ground, ties by that order."""
    ends = {name: [joint[end].partition(".")[0] for end in ("parent", "child")] for name, joint in joints.items()}
    reached, found = {"ground"}, set()
    while True:
        before, new = frozenset(reached), set()
        for name, (a, b) in ends.items():
            near = (a in before) != (b in before)
            far = b if a in before else a
            if near and not joints[name].get("cut") and far not in new:
                new.add(far)
                found.add(name)
        if not new:
            return [name for name in joints if name in found]
        reached |= new


class _Making:
    """A mechanism while it is made."""

    def __init__(self, rng: np.random.Generator, bodies: int) -> None:
        self.rng = rng
        self.plain = bool(rng.random() < 0.3)  # right angles and round numbers, whose zeros shorten programs
        self.bodies = [f"b{i}" for i in range(bodies)]
        self.T = {"ground": np.eye(4)} | {body: self.frame() for body in self.bodies}
        self.q: dict[str, np.ndarray] = {}
        self.flat = False
        self.keys: dict[str, Any] = {
            "name": "random",
            "gravity": self.vector(10),
            "ground": {"markers": {}},
            "bodies": {body: self._body(point=bool(rng.random() < 0.1)) for body in self.bodies},
            "joints": {},
            "forces": {},
            "motors": {},
        }

    def vector(self, size: float = 1.0) -> list[float]:
        """Three numbers up to `size`."""
        if self.plain:
            return [float(x) for x in size * self.rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], 3)]
        return [float(x) for x in self.rng.uniform(-size, size, 3)]

    def unit(self) -> np.ndarray:
        """A direction."""
        if self.plain:
            return np.eye(3)[self.rng.integers(3)] * self.rng.choice([-1.0, 1.0])
        k = self.rng.normal(size=3)
        return k / np.linalg.norm(k)

    def across(self, n: np.ndarray) -> np.ndarray:
        """A direction at right angles to n."""
        k = np.cross(n, self.unit())
        return k / np.linalg.norm(k) if np.linalg.norm(k) > 0.1 else self.across(n)

    def frame(self) -> np.ndarray:
        """A place in the world (4×4)."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = Rotation.random(random_state=self.rng).as_matrix(), self.vector()
        if self.plain:
            T[:3, :3] = self.rng.permutation(np.diag(self.rng.choice([-1.0, 1.0], 3)))
            T[:3, 0] *= np.linalg.det(T[:3, :3])
        return T

    def joint(self, name: str, kind: str, parent: str, child: str, at: np.ndarray, axis: Any = None) -> None:
        """Add a joint whose parent marker is `at` the world's place; `axis` in the world, else any."""
        rng = self.rng
        joint: dict[str, Any] = {"type": kind}
        if kind in ("revolute", "prismatic", "screw", "cylindrical"):
            joint["axis"] = (at[:3, :3].T @ (self.unit() if axis is None else axis) * rng.uniform(0.5, 2)).tolist()
        if kind == "screw":
            joint["lead"] = float(rng.uniform(0.1, 0.5) * rng.choice([-1, 1]))
        if kind == "universal":
            first = self.unit() if axis is None else at[:3, :3].T @ axis
            joint["axes"] = [first.tolist(), self.across(first).tolist()]
        q = rng.uniform(-1, 1, WIDTHS[kind][0])
        if kind in ("spherical", "free"):
            q[-4:] /= np.linalg.norm(q[-4:])
        if child == "ground" or (parent != "ground" and rng.random() < 0.3):
            parent, child = child, parent
        T_WC = at @ transform(joint, q)
        joint |= {"parent": self._marker(parent, f"{name}p", at), "child": self._marker(child, f"{name}c", T_WC)}
        self.keys["joints"][name] = joint
        self.q[name] = q

    def springs(self) -> None:
        """Springs and dampers in some joints."""
        for name in carrying(self.keys["joints"]):
            joint = self.keys["joints"][name]
            width = WIDTHS[joint["type"]][1]
            if not width or self.rng.random() < 0.5:
                continue
            joint["damping"] = self._entries(width, joint["type"], 0.5)
            if joint["type"] not in ("spherical", "free"):
                joint["stiffness"] = self._entries(width, joint["type"], 5)
                joint["rest"] = self._entries(width, joint["type"], 0.5)

    def motors(self) -> None:
        """Motors on some joints, half of them on any body or the ground, the others on the parent of their joint."""
        rng = self.rng
        for name in carrying(self.keys["joints"]):
            kind = self.keys["joints"][name]["type"]
            if not WIDTHS[kind][1] or rng.random() < 0.5:
                continue
            K = float(rng.uniform(0.05, 0.3))
            motor = {"type": "dc", "joint": name + str(rng.choice(SUFFIXES.get(kind, ("",))))}
            motor |= {"ratio": float(rng.uniform(-8, 8)), "resistance": 1.2, "inductance": 0.01}
            motor |= {"torque_constant": K, "back_emf_constant": K}
            motor |= {"rotor_inertia": float(rng.uniform(1e-3, 1e-2)), "rotor_damping": 1e-3}
            turning = kind in ("spherical", "free") or motor["joint"].endswith(
                ".r2"
            )  # axes that do not stand in the parent
            if (rng.random() < 0.5 or turning) and not self.flat:
                motor["mounted_on"] = str(rng.choice(["ground", *self.bodies]))
                if rng.random() < 0.5:
                    motor["rotor_axis"] = (2 * self.unit()).tolist()
            self.keys["motors"][f"m{name}"] = motor

    def loads(self) -> None:
        """One or two force elements."""
        rng, forces = self.rng, self.keys["forces"]
        plain, self.plain = self.plain, False  # a spring has no direction where markers coincide or tilt by half a turn
        for i in range(int(rng.integers(0, 3))):
            a, b = rng.choice(["ground", *self.bodies], 2, replace=False)
            if b == "ground":
                a, b = b, a
            ends = {"parent": self._marker(str(a), f"f{i}p", self.frame())}
            ends["child"] = self._marker(str(b), f"f{i}c", self.frame())
            law = {"stiffness": float(rng.uniform(1, 20)), "damping": float(rng.uniform(0, 1))}
            frame = str(rng.choice(["world", "parent", "child"]))
            forces[f"f{i}"] = (
                ends
                | [
                    {"type": "spring_damper", **law, "rest_length": 0.4},
                    {"type": "spring_damper", "stiffness": law["stiffness"]},
                    {"type": "spring_damper", **law, "rest_length": -0.3, "axis": (2 * self.unit()).tolist()},
                    {"type": "torsion_spring", **law, "axis": (2 * self.unit()).tolist(), "rest": 0.3},
                    {"type": "force", "value": self.vector(5), "frame": frame},
                    {"type": "torque", "value": self.vector(2), "frame": frame},
                ][int(rng.integers(6))]
            )
        self.plain = plain

    def shuffle(self) -> None:
        """Joints in another order of the file."""
        names = [str(name) for name in self.rng.permutation(list(self.keys["joints"]))]
        self.keys["joints"] = {name: self.keys["joints"][name] for name in names}

    def flatten(self, normal: str) -> np.ndarray:
        """Turn bodies about the normal x, y or z of a plane and put them into it; returns the normal (3,)."""
        n = np.eye(3)["xyz".index(normal)]
        for body in self.bodies:
            self.T[body] = self.flat_frame(n)
            record = self.keys["bodies"][body]
            record["com"] = (np.array(record["com"]) * (1 - n)).tolist()
            keep = [
                3 + [(0, 1), (0, 2), (1, 2)].index(pair) for pair in [(0, 1), (0, 2), (1, 2)] if not n[[*pair]].any()
            ]
            record["inertia"] = [x if k < 3 or k in keep else 0.0 for k, x in enumerate(record["inertia"])]
        self.keys["gravity"] = (np.array(self.keys["gravity"]) * (1 - n)).tolist()
        self.keys["planar"] = ALONG[normal]
        self.flat = True
        return n

    def flat_frame(self, n: np.ndarray) -> np.ndarray:
        """A place in the plane through the origin with normal n, turned about it."""
        T = np.eye(4)
        T[:3, :3] = Rotation.from_rotvec(self.rng.uniform(-3, 3) * n).as_matrix()
        T[:3, 3] = np.array(self.vector()) * (1 - n)
        return T

    def done(self, about: str) -> Made:
        """The mechanism."""
        keys = {key: value for key, value in self.keys.items() if value != {}}
        return Made(keys, {name: self.q[name] for name in keys["joints"]}, about, self.plain)

    def _entries(self, width: int, kind: str, size: float) -> Any:
        """One number for each velocity."""
        entries = [float(x) for x in self.rng.uniform(0.1, size, width)]
        return entries[0] if width == 1 else entries

    def _marker(self, body: str, name: str, at: np.ndarray) -> str:
        """A marker on a body at the world's place, its rotation written in one of four ways."""
        T = np.linalg.inv(self.T[body]) @ at
        R = Rotation.from_matrix(T[:3, :3])
        turn = R.as_rotvec()
        angle = float(np.linalg.norm(turn))
        ways: list[dict[str, Any]] = [
            {"rotation": T[:3, :3].tolist()},
            {"quaternion": (R.as_quat(scalar_first=True) * self.rng.uniform(0.5, 2)).tolist()},
            {"rpy": R.as_euler("xyz").tolist()},
            {"axis_angle": {"axis": (turn / angle).tolist() if angle > 1e-3 else [0, 0, 1], "angle": angle}},
        ]
        way = ways[int(self.rng.integers(4 if angle > 1e-3 else 3))]
        record = self.keys["ground"] if body == "ground" else self.keys["bodies"][body]
        record["markers"][name] = {"position": T[:3, 3].tolist(), **way}
        return f"{body}.{name}"

    def _body(self, point: bool) -> dict[str, Any]:
        G = self.rng.uniform(-0.3, 0.3, (3, 3))
        S = G @ G.T + 0.05 * np.eye(3)  # second moments of a distribution of mass
        I = np.trace(S) * np.eye(3) - S
        inertia = [float(x) for x in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])]
        if self.plain:
            inertia[3:] = [0.0, 0.0, 0.0]
        inertia = [0.0] * 6 if point else inertia
        return {"mass": float(self.rng.uniform(0.5, 2)), "com": self.vector(0.3), "inertia": inertia, "markers": {}}


def _chain(making: _Making, joints: list[tuple[str, np.ndarray, Any]]) -> None:
    """Bodies one after the other from the ground and back to it; place and axis of every joint in the world."""
    ring = ["ground", *making.bodies, "ground"]
    for i, (kind, at, axis) in enumerate(joints):
        making.joint(f"j{i}", kind, ring[i], ring[i + 1], at, axis)
    if making.rng.random() < 0.5:
        cut = f"j{making.rng.integers(len(joints))}"
        making.keys["joints"][cut]["cut"] = True


def _spatial(making: _Making) -> None:
    """Any joints; one more closes a loop, sometimes two."""
    rng = making.rng
    for i, body in enumerate(making.bodies):
        parent = "ground" if i == 0 or rng.random() < 0.2 else str(rng.choice(making.bodies[:i]))
        making.joint(f"j{i}", str(rng.choice(KINDS)), parent, body, making.frame())
    for k in range(1 if rng.random() < 0.7 else 2):
        a, b = rng.choice(["ground", *making.bodies], 2, replace=False)
        kind = str(rng.choice([kind for kind in KINDS if kind != "free"]))
        making.joint(f"loop{k}", kind, str(a), str(b), making.frame())
        making.keys["joints"][f"loop{k}"]["cut"] = True


def _planar(making: _Making) -> None:
    """All turns about one normal; half of them declared planar, the others with three redundant equations."""
    rng = making.rng
    if rng.random() < 0.5:
        normal = making.flatten(str(rng.choice(list(ALONG))))
        places = [making.flat_frame(normal) for _ in range(len(making.bodies) + 1)]
    else:
        normal = making.unit()
        places = [making.frame() for _ in range(len(making.bodies) + 1)]
    kinds = [str(rng.choice(["revolute", "prismatic"], p=[0.75, 0.25])) for _ in places]
    axes = [normal if kind == "revolute" else making.across(normal) for kind in kinds]
    _chain(making, list(zip(kinds, places, axes, strict=True)))


def _spherical(making: _Making) -> None:
    """All axes pass through one point."""
    rng, point = making.rng, making.vector()
    joints: list[tuple[str, np.ndarray, Any]] = []
    for _ in range(len(making.bodies) + 1):
        kind, at, axis = str(rng.choice(["revolute", "cylindrical"], p=[0.8, 0.2])), making.frame(), making.unit()
        at[:3, 3] = point + rng.uniform(-1, 1) * axis
        joints.append((kind, at, axis))
    _chain(making, joints)


def _slides(making: _Making) -> None:
    """Slides only, sometimes all in one plane: nothing turns."""
    normal, flat = making.unit(), making.rng.random() < 0.3
    axes = [making.across(normal) if flat else making.unit() for _ in range(len(making.bodies) + 1)]
    _chain(making, [("prismatic", making.frame(), axis) for axis in axes])


def _coaxial(making: _Making) -> None:
    """Joints about and along one line."""
    rng, axis, point = making.rng, making.unit(), making.vector()
    joints: list[tuple[str, np.ndarray, Any]] = []
    for _ in range(len(making.bodies) + 1):
        kind = str(rng.choice(["revolute", "prismatic", "screw", "cylindrical"]))
        at = making.frame()
        at[:3, 3] = point + rng.uniform(-1, 1) * axis
        joints.append((kind, at, axis))
    _chain(making, joints)


def _hinges(making: _Making) -> None:
    """A tree, one of whose joints is there twice."""
    rng = making.rng
    for i, body in enumerate(making.bodies):
        parent = "ground" if i == 0 else str(rng.choice(making.bodies[:i]))
        kind = str(rng.choice(["revolute", "prismatic", "cylindrical", "spherical", "universal"]))
        at, axis = making.frame(), making.unit()
        making.joint(f"j{i}", kind, parent, body, at, axis)
        if i == len(making.bodies) - 1:
            again = making.frame()
            again[:3, 3] = at[:3, 3] + rng.uniform(0.2, 1) * axis
            second = {"spherical": "spherical", "universal": "spherical", "prismatic": "prismatic"}.get(kind)
            second = second or str(rng.choice(["revolute", "cylindrical"]))
            making.joint("again", second, parent, body, again, axis)
