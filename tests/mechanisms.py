"""Random mechanisms for theorems and comparisons: seeded, all joints, branches, reversed joints, motors, forces."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.gallery import gallery, gallery_path
from cardan.kinematics.build import build
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import GROUND
from cardan.model.joints import JOINTS
from cardan.model.model import Model
from cardan.model.names import velocities
from cardan.model.records.plain import plain

WITH_BODIES = [name for name in gallery() if "\nbodies:" in gallery_path(name).read_text(encoding="utf-8")]
"""Models of the gallery but those that are bond graphs alone."""
_SECTIONS = ("\nmotors:", "\ndrives:")
WITH_MOTORS = [
    name for name in gallery() if any(key in gallery_path(name).read_text(encoding="utf-8") for key in _SECTIONS)
]
"""Models of the gallery that have motors; tests are collected without loading them."""
IMPOSSIBLE = {
    *((name, "none") for name in ("manutec_r3", "positioning_axis", "servo_slider_crank", "worm_hoist")),
    ("positioning_axis", "simplified"),
}
"""Models whose controllers or states measure currents, without these or where they follow voltages at once."""
JOINT_TYPES = ("revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar", "free", "fixed")
CLOSING_TYPES = tuple(kind for kind in JOINT_TYPES if kind != "free")  # a free joint closes nothing
K = 1.5  # value of the random models' parameter
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
    joint |= _axes(rng, kind)
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


def random_closed(seed: int, loops: int = 2, bodies: int = 6) -> Model:
    """A random tree with loops that close in its initial position; the closing joints' types run through all of them.

    A closing marker is placed where the forward kinematics of the position has it, so the loop closes exactly there.
    """
    rng = np.random.default_rng(5000 + seed)
    tree = random_model(seed, bodies, motors=False, forces=False)
    q, v = random_state(tree, seed)
    keys = plain(tree)
    for k in range(loops):
        kind = CLOSING_TYPES[(seed + k) % len(CLOSING_TYPES)]
        a, b = (f"b{i}" for i in rng.choice(bodies, 2, replace=False))
        parent = "ground" if rng.random() < 0.3 else f"{a}.a"
        keys = closed(keys, f"loop{k}", kind, parent, b, q, rng)[0]
    names = _coordinates(tree)
    keys["initial"] = {name: {"guess": float(x)} for name, x in zip(names, q, strict=True)}
    keys["initial"] |= {name: float(x) for name, x in zip(velocities(tree.joints), 0.3 * v, strict=True)}
    return Model(**keys)


def closed(
    keys: dict[str, Any], name: str, kind: str, parent: str, body: str, q: np.ndarray, rng: np.random.Generator
) -> tuple[dict[str, Any], np.ndarray]:
    """The model `keys` with one more joint, of type `kind`, that fits at q; and that joint's own coordinates there."""
    tree = build(Model(**{**keys, "initial": {}}), motors="none")
    state = motion(tree, ca.DM(q), ca.DM(tree.nv, 1))
    numbers = ca.Function("places", [tree.p], [ca.SX(_world(state, tree.places[at])) for at in (parent, body)])
    T_WP, T_WB = (np.array(x) for x in numbers([K] * len(tree.parameters)))
    joint = {"type": kind, "parent": parent, "child": f"{body}.{name}", "cut": True} | _axes(rng, kind)
    law = JOINTS[kind](**joint).resolved(lambda scalar: ca.DM(scalar.value))
    own = rng.uniform(-0.6, 0.6, law.nq)
    own = np.array(law.normalised(ca.DM(own))).ravel()
    turn = np.eye(4)
    turn[:3, :3] = np.array(ca.DM(law.alignment()))
    T_BM = np.linalg.inv(T_WB) @ T_WP @ turn @ np.array(ca.DM(law.transform(ca.DM(own)))) @ turn.T
    marker = {"position": T_BM[:3, 3].tolist(), "rotation": T_BM[:3, :3].tolist()}
    host = keys["bodies"][body]
    hosted = {**host, "markers": {**host.get("markers", {}), name: marker}}
    more = {"bodies": {**keys["bodies"], body: hosted}, "joints": {**keys["joints"], name: joint}}
    return {**keys, **more}, own


def one_loop(kind: str, cut: str, seed: int = 0) -> Model:
    """Ground, three bodies and ground again: universal `j0`, spherical `j1`, cylindrical `j2`, and `j3` of type `kind`.

    The joint `cut` closes the loop; the mechanism and its position at rest are the same for every choice.
    """
    rng = np.random.default_rng(300 + seed)
    chain = ("universal", "spherical", "cylindrical")
    joints = {
        f"j{i}": {"type": chain[i], "parent": f"b{i - 1}.a" if i else "ground", "child": f"b{i}.b"}
        | _axes(rng, chain[i])
        for i in range(3)
    }
    keys: dict[str, Any] = {"bodies": {f"b{i}": _body(rng) for i in range(3)}, "joints": joints}
    tree = Model(**keys)
    q, _ = random_state(tree, seed)
    keys, own = closed(keys, "j3", kind, "ground", "b2", q, rng)
    names = {name: float(x) for name, x in zip(_coordinates(tree), q, strict=True)}
    names |= {f"j3{suffix}": float(x) for (suffix, _), x in zip(JOINTS[kind].coordinates, own, strict=True)}
    keys["joints"] = {name: {**joint, "cut": name == cut} for name, joint in keys["joints"].items()}
    keys["initial"] = {name: {"guess": x} for name, x in names.items() if name.partition(".")[0] != cut}
    return Model(**keys)


def _world(state: Any, place: Any) -> Any:
    return place.T_LM if place.link == GROUND else state.T_WL[place.link] @ place.T_LM


def _coordinates(model: Model) -> list[str]:
    return [name + suffix for name, joint in model.joints.items() for suffix, _ in joint.coordinates]


def _axes(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """What a joint of some type needs beside its ends."""
    if kind == "universal":
        first, other = np.array(_vector(rng)), np.array(_vector(rng))
        return {"axes": [first.tolist(), np.cross(first, other).tolist()]}
    out: dict[str, Any] = {"axis": _vector(rng)} if kind in ("revolute", "prismatic", "screw", "cylindrical") else {}
    return out | {"lead": 0.3} if kind == "screw" else out
