"""What is benchmarked: a 7-joint arm, the same arm with crooked axes, chains of its links, and states of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import cardan

__all__ = ["ARM", "arm", "chain", "crooked_arm", "states"]

ARM = Path(__file__).with_name("arm7.yaml")

ANGLE, SPEED, EFFORT = 3.0, 2.0, 20.0  # states are drawn evenly from ±3 rad, ±2 rad/s, ±20 N m


def arm() -> cardan.Model:
    """The arm: its axes turn by 90° from joint to joint, as those of most robots do."""
    return cardan.load(ARM)


def crooked_arm() -> cardan.Model:
    """The arm with all axes and placements turned by odd angles: no entry of a rotation is 0 or ±1."""
    return _chain(7, tilt=0.1)


def chain(n: int) -> cardan.Model:
    """A chain of n revolute joints that repeats the links of the arm.

    Parameters
    ----------
    n : int
        Number of joints.
    """
    return _chain(n, tilt=0.0)


def states(n: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates [rad], velocities [rad/s] and efforts [N m], each (count, n), always the same ones.

    Parameters
    ----------
    n : int
        Number of joints.
    count : int
        Number of states.
    """
    random = np.random.default_rng(seed=7)
    q, v, tau = (size * random.uniform(-1, 1, (count, n)) for size in (ANGLE, SPEED, EFFORT))
    return q, v, tau


def _chain(n: int, tilt: float) -> cardan.Model:
    """Links of the arm in turn, the first again after the seventh; placements and axes turned by `tilt` [rad]."""
    links = list(arm().model_dump()["bodies"].values())
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    parent = "ground"
    for i in range(n):
        body = dict(links[i % len(links)])
        root = {"position": [tilt / 10, 0, 0], "rpy": [tilt, -tilt, 0]}
        body["markers"] = {"root": root, "next": _turned(body["markers"].get("next", {"position": [0, 0, 0.2]}), tilt)}
        bodies[f"link{i + 1}"] = body
        ends = {"parent": parent, "child": f"link{i + 1}.root"}
        joints[f"q{i + 1}"] = {"type": "revolute", "axis": [tilt, -tilt, 1], **ends}
        parent = f"link{i + 1}.next"
    return cardan.Model(name=f"chain of {n}", bodies=bodies, joints=joints)


def _turned(marker: dict[str, Any], tilt: float) -> dict[str, Any]:
    angles = marker.get("rpy") or [0, 0, 0]
    return {"position": marker["position"], "rpy": [_radians(angle) + tilt for angle in angles]}


def _radians(angle: float | str) -> float:
    return float(np.radians(float(angle.removesuffix("deg")))) if isinstance(angle, str) else float(angle)
