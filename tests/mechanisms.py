"""Random mechanisms for theorems and comparisons: seeded, all joints, branches, reversed joints, motors, forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.model.model import Model

JOINT_TYPES = ("revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar", "free", "fixed")
_WITH_QUATERNION = ("spherical", "free")


def random_model(seed: int, bodies: int = 6, motors: bool = True, forces: bool = True) -> Model:
    """A tree of `bodies` bodies; the joint types run through all nine as the seed does."""
    rng = np.random.default_rng(seed)
    types = [JOINT_TYPES[(seed + i) % 9] for i in range(bodies)]
    names = [f"b{i}" for i in range(bodies)]
    joints = {f"j{i}": _joint(rng, kind, i, names) for i, kind in enumerate(types)}
    order = rng.permutation(bodies)
    driven = [i for i, kind in enumerate(types) if kind in ("revolute", "prismatic", "screw")]
    model: dict[str, Any] = {
        "name": f"random {seed}",
        "gravity": [0.3, -0.2, -9.81],
        "parameters": {"k": 1.5},
        "bodies": {name: _body(rng) for name in names},
        "joints": {f"j{i}": joints[f"j{i}"] for i in order},
        "motors": {f"m{i}": _motor(rng, i, joints, names) for i in driven} if motors else {},
    }
    if forces:
        model["forces"] = _forces(rng, names)
    return Model(**model)


def random_state(model: Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates with unit quaternions and velocities, in the order of the model's joints."""
    rng = np.random.default_rng(1000 + seed)
    q: list[float] = []
    for joint in model.joints.values():
        own = rng.uniform(-1, 1, joint.nq)
        if joint.type in _WITH_QUATERNION:
            own[-4:] /= np.linalg.norm(own[-4:])
        q += list(own)
    return np.array(q), rng.uniform(-1, 1, sum(joint.nv for joint in model.joints.values()))


def _vector(rng: np.random.Generator, size: float = 1.0) -> list[float]:
    return [float(x) for x in rng.uniform(-size, size, 3)]


def _body(rng: np.random.Generator) -> dict[str, Any]:
    G = rng.uniform(-0.3, 0.3, (3, 3))
    S = G @ G.T + 0.05 * np.eye(3)  # second moments of a mass distribution: the triangle inequality holds
    I = np.trace(S) * np.eye(3) - S
    inertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return {
        "mass": float(rng.uniform(0.5, 2)),
        "com": _vector(rng, 0.3),
        "inertia": [float(x) for x in inertia],
        "markers": {name: {"position": _vector(rng), "rpy": _vector(rng)} for name in ("a", "b")},
    }


def _joint(rng: np.random.Generator, kind: str, i: int, names: list[str]) -> dict[str, Any]:
    parent = "ground" if i == 0 or rng.random() < 0.15 else f"{names[rng.integers(max(0, i - 2), i)]}.a"
    ends = (parent, f"{names[i]}.b")
    if parent != "ground" and rng.random() < 0.4:
        ends = ends[::-1]
    joint: dict[str, Any] = {"type": kind, "parent": ends[0], "child": ends[1]}
    if kind in ("revolute", "prismatic", "screw", "cylindrical"):
        joint["axis"] = _vector(rng)
    if kind == "screw":
        joint["lead"] = 0.3
    if kind == "universal":
        first, other = np.array(_vector(rng)), np.array(_vector(rng))
        joint["axes"] = [first.tolist(), np.cross(first, other).tolist()]
    if kind in ("revolute", "prismatic"):
        joint |= {"stiffness": "3*k", "damping": 0.4, "rest": 0.2}
    return joint


def _motor(rng: np.random.Generator, i: int, joints: dict[str, Any], names: list[str]) -> dict[str, Any]:
    ends = [str(joints[f"j{i}"][end]).partition(".")[0] for end in ("parent", "child")]
    inner = next(end for end in ends if end != names[i])
    motor = {
        "type": "dc",
        "joint": f"j{i}",
        "ratio": 8,
        "resistance": 1.2,
        "inductance": 2e-3,
        "torque_constant": 0.2,
        "back_emf_constant": 0.2,
        "rotor_inertia": 3e-3,
        "rotor_damping": 1e-3,
    }
    return motor | {"mounted_on": inner} if inner != "ground" else motor


def _forces(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    first, last = names[0], names[-1]
    return {
        "spring": {
            "type": "spring_damper",
            "parent": f"{first}.a",
            "child": f"{last}.a",
            "stiffness": "20*k",
            "damping": 0.7,
            "rest_length": 0.4,
        },
        "point_spring": {"type": "spring_damper", "child": f"{last}.b", "stiffness": 5},
        "twist": {
            "type": "torsion_spring",
            "parent": first,
            "child": last,
            "axis": _vector(rng),
            "stiffness": 2,
            "damping": 0.3,
            "rest": 0.3,
        },
        "wind": {"type": "force", "child": f"{last}.a", "value": [f"2*sin(t) - 0.3*{last}.vx", f"{first}.y", 0.5]},
        "thrust": {"type": "force", "parent": first, "child": f"{last}.a", "value": [1, "k", 0], "frame": "child"},
        "twister": {"type": "torque", "parent": first, "child": last, "value": [0.2, 0.1, "cos(t)"], "frame": "parent"},
    }
