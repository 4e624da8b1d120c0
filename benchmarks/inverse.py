"""Inverse kinematics: 10 000 poses in one call, against Newton's method around Pinocchio and by hand in NumPy.

All sides start every pose from the same position and end below 1e-10 m and rad. Pinocchio's side is the loop of its own
examples over some of the poses: frames and Jacobian in C++, the step in NumPy. NumPy's side has the equations and
derivatives of the platform by hand, for one pose after the other, and for all poses at once with `numpy.linalg.solve`
of 10 000 matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cardan

from .loop_problems import quietly
from .peers import pinocchio_model, require
from .table import Goal, Result, Row
from .timing import Effort, in_turns

__all__ = ["TITLE", "measure"]

TITLE = "Inverse kinematics, per pose"

FULL_BATCH = 10_000  # poses
SINGLE = 100  # poses of the side that takes one after the other
ROUNDS = 21
EXACT = 1e-10  # largest distance left [m, rad]
NEWTON = 30  # largest number of steps of the peers


def measure(effort: Effort) -> Result:
    """Times per pose for an arm with six joints and for a platform with three loops.

    Parameters
    ----------
    effort : Effort
        How many poses and rounds.
    """
    require("pinocchio")
    count, rounds = (FULL_BATCH if effort.batch > SINGLE else effort.batch), min(effort.rounds, ROUNDS)
    return Result((_arm(count, rounds), *_platform(count, rounds)))


def _arm(count: int, rounds: int) -> Row:
    """The gallery's arm with six joints; a pose of its last link."""
    import pinocchio as pin

    model = cardan.load("manipulator_6dof")
    start = np.array([cardan.assemble(model).q[f"q{k}"] for k in range(1, 7)])
    q = start + np.random.default_rng(3).uniform(-1, 1, (count, 6)) * [0.5, 0.2, 0.2, 0.5, 0.2, 0.5]
    poses = cardan.compile(model).forward_kinematics(q)["link6"]
    targets = {"link6.position": poses[:, :3, 3], "link6.orientation": poses[:, :3, :3]}
    peer = pinocchio_model(model)
    data, last = peer.createData(), peer.njoints - 1
    mount = _mount(model, peer, start)
    few = [pin.SE3(pose[:3, :3], pose[:3, 3]) * mount.inverse() for pose in poses[:SINGLE]]

    def ours() -> Any:
        return cardan.inverse_kinematics(model, targets, threads=1)

    def theirs() -> list[np.ndarray]:
        return [_pinocchio(peer, data, last, start, pose) for pose in few]

    assert ours().ok
    assert ours().gap.max() < EXACT
    for found, pose in zip(theirs(), few, strict=True):
        pin.forwardKinematics(peer, data, found)
        assert np.abs(pin.log6(data.oMi[last].actInv(pose)).vector).max() < EXACT
    one, other = in_turns([ours, theirs], rounds)
    what = f"arm with six joints, {count} poses"
    return Row(what, one.per(count), "Newton around Pinocchio", other.per(len(few)), Goal(ratio=10))


def _mount(model: cardan.Model, peer: Any, q: np.ndarray) -> Any:
    """Placement of the last link in the frame of Pinocchio's last joint, whose axis is z."""
    import pinocchio as pin

    data = peer.createData()
    pin.forwardKinematics(peer, data, q)
    pose = cardan.compile(model).forward_kinematics(q)["link6"]
    return data.oMi[peer.njoints - 1].inverse() * pin.SE3(pose[:3, :3], pose[:3, 3])


def _pinocchio(peer: Any, data: Any, last: int, start: np.ndarray, pose: Any) -> np.ndarray:
    """Coordinates for a pose of the last joint, as in Pinocchio's example of inverse kinematics without its damping."""
    import pinocchio as pin

    q = start.copy()
    for _ in range(NEWTON):
        pin.forwardKinematics(peer, data, q)
        left = data.oMi[last].actInv(pose)
        error = pin.log6(left).vector
        if np.abs(error).max() < EXACT / 10:
            break
        J = -pin.Jlog6(left.inverse()) @ pin.computeJointJacobian(peer, data, q, last)
        q = pin.integrate(peer, q, -np.linalg.solve(J, error))
    return q


def _platform(count: int, rounds: int) -> tuple[Row, Row]:
    """The gallery's planar platform with three cranks; all six coordinates are unknown."""
    model = quietly(lambda: cardan.load("planar_3rrr"))
    names = ("crank1", "crank2", "crank3", "platform.x", "platform.y", "platform.rz")
    at = cardan.assemble(model).q
    start = np.array([at[name] for name in names])
    y = np.random.default_rng(4).uniform(-1, 1, (count, 3)) * [0.1, 0.1, 0.3]
    targets = {"platform.position": y[:, :2], "platform.angle": y[:, 2]}

    def ours() -> Any:
        return cardan.inverse_kinematics(model, targets, threads=1)

    found, theirs = ours(), _numpy(start, y)
    assert found.ok
    assert found.gap.max() < EXACT
    cranks = np.stack([found.q[name] for name in names[:3]], axis=1)
    assert np.abs(np.exp(1j * cranks) - np.exp(1j * theirs[:, :3])).max() < 1e-8
    few = y[:SINGLE]
    sides = [ours, lambda: [_numpy(start, pose[None]) for pose in few], lambda: _numpy(start, y)]
    one, single, batch = in_turns(sides, rounds)
    what = f"platform with three loops, {count} poses"
    return (
        Row(what, one.per(count), "Newton in NumPy, pose by pose", single.per(len(few)), Goal(ratio=10)),
        Row(what, one.per(count), "Newton in NumPy, all poses at once", batch.per(count)),
    )


def _numpy(start: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coordinates (N, 6) of the platform for its poses y (N, 3) by Newton's method on |B_i − A_i|² = l2²."""
    around = np.array([7 * np.pi / 6, -np.pi / 6, np.pi / 2])
    bases = 1.2 / np.sqrt(3) * np.stack([np.cos(around), np.sin(around)], axis=-1)
    corner, crank, rod = 0.4 / np.sqrt(3), 0.35, 0.35
    q = np.tile(start, (len(y), 1))
    J = np.zeros((len(y), 6, 6))
    J[:, [3, 4, 5], [3, 4, 5]] = 1.0
    legs = np.arange(3)
    for _ in range(NEWTON):
        angle = q[:, 5, None] + around
        arm = corner * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        link = crank * np.stack([np.cos(q[:, :3]), np.sin(q[:, :3])], axis=-1)
        s = q[:, None, 3:5] + arm - bases - link
        r = np.concatenate([np.sum(s * s, axis=-1) - rod**2, q[:, 3:] - y], axis=1)
        if np.abs(r).max() < EXACT / 10:
            break
        J[:, legs, legs] = 2 * (s[..., 0] * link[..., 1] - s[..., 1] * link[..., 0])
        J[:, :3, 3:5] = 2 * s
        J[:, :3, 5] = 2 * (s[..., 1] * arm[..., 0] - s[..., 0] * arm[..., 1])
        q = q - np.linalg.solve(J, r[..., None])[..., 0]
    return q
