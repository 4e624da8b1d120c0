"""Random trees that other engines can express, too: every joint crossed from parent to child, nothing but bodies."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from cardan.model import Model

__all__ = ["TYPES", "Joint", "Tree", "random_tree", "states"]

TYPES = ("revolute", "prismatic", "spherical", "free", "revolute", "spherical")


@dataclass(frozen=True)
class Joint:
    """A joint with its body, as numbers."""

    name: str
    type: str
    parent: int  # index of an earlier body, −1: ground
    axis: np.ndarray  # unit vector, parent marker axes
    T_PM: np.ndarray  # marker on the parent (4×4); the identity on the ground
    T_BN: np.ndarray  # marker on the body (4×4)
    mass: float  # [kg]
    com: np.ndarray  # (3,) [m]
    inertia: np.ndarray  # (3×3) about the centre of mass [kg m²]


@dataclass(frozen=True)
class Tree:
    """The joints and the model made of them."""

    joints: tuple[Joint, ...]
    model: Model

    def slices(self, width: dict[str, int]) -> list[slice]:
        """Where each joint's entries stand when it has `width[type]` of them."""
        ends = np.cumsum([0, *(width[joint.type] for joint in self.joints)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]


NQ = {"revolute": 1, "prismatic": 1, "spherical": 4, "free": 7}
NV = {"revolute": 1, "prismatic": 1, "spherical": 3, "free": 6}


def random_tree(seed: int, bodies: int = 7, depth_first: bool = False) -> Tree:
    """A tree of `bodies` bodies; free joints hang on the ground, others anywhere."""
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    for i in range(bodies):
        possible = _path(joints) if depth_first else list(range(max(0, i - 3), i))
        joints.append(_joint(rng, i, TYPES[(seed + i) % len(TYPES)], possible))
    return Tree(tuple(joints), _model(tuple(joints)))


def states(tree: Tree, seed: int, number: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates with unit quaternions (N, nq), velocities and accelerations (N, nv)."""
    rng = np.random.default_rng(100 + seed)
    q = rng.uniform(-1, 1, (number, sum(NQ[joint.type] for joint in tree.joints)))
    for joint, part in zip(tree.joints, tree.slices(NQ), strict=True):
        if joint.type in ("spherical", "free"):
            q[:, part][:, -4:] /= np.linalg.norm(q[:, part][:, -4:], axis=1, keepdims=True)
    nv = sum(NV[joint.type] for joint in tree.joints)
    return q, rng.uniform(-1, 1, (number, nv)), rng.uniform(-1, 1, (number, nv))


def _path(joints: list[Joint]) -> list[int]:
    """The last body and what carries it."""
    out, k = [], len(joints) - 1
    while k >= 0:
        out.append(k)
        k = joints[k].parent
    return out


def _joint(rng: np.random.Generator, i: int, kind: str, possible: list[int]) -> Joint:
    parent = -1 if kind == "free" or not possible or rng.random() < 0.1 else int(rng.choice(possible))
    axis, G = rng.normal(size=3), rng.uniform(-0.3, 0.3, (3, 3))
    second = G @ G.T + 0.05 * np.eye(3)
    return Joint(
        f"j{i}",
        kind,
        parent,
        axis / np.linalg.norm(axis),
        np.eye(4) if parent < 0 else _pose(rng),
        _pose(rng),
        float(rng.uniform(0.5, 2)),
        rng.uniform(-0.3, 0.3, 3),
        np.trace(second) * np.eye(3) - second,
    )


def _pose(rng: np.random.Generator) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.uniform(-1, 1, 3)
    return T


def _model(joints: tuple[Joint, ...]) -> Model:
    bodies: dict[str, Any] = {}
    records: dict[str, Any] = {}
    for i, joint in enumerate(joints):
        I = joint.inertia
        markers = {"n": _marker(joint.T_BN)}
        markers |= {f"m{k}": _marker(other.T_PM) for k, other in enumerate(joints) if other.parent == i}
        entries = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        bodies[f"b{i}"] = {
            "mass": joint.mass,
            "com": joint.com.tolist(),
            "inertia": [float(x) for x in entries],
            "markers": markers,
        }
        ends = {"parent": "ground" if joint.parent < 0 else f"b{joint.parent}.m{i}", "child": f"b{i}.n"}
        keys = {"axis": joint.axis.tolist()} if joint.type in ("revolute", "prismatic") else {}
        records[joint.name] = {"type": joint.type, **ends, **keys}
    return Model(name="random tree", bodies=bodies, joints=records)


def _marker(T: np.ndarray) -> dict[str, Any]:
    return {"position": T[:3, 3].tolist(), "rotation": T[:3, :3].tolist()}
