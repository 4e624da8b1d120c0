"""A Delta robot with universal and spherical joints against Newton and Euler by hand.

Positions in closed form from the place of the plate, which does not turn; velocities and accelerations by central
differences of seventh order; then the 60 equations of ten bodies for the 60 unknown forces and moments.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import cardan
from cardan.spatial.rotations import skew
from tests.vectors import cross

R, r, La, Lr, s = 0.2, 0.05, 0.25, 0.6, 0.04
ARM, ROD, PLATE = (
    (0.8, [1e-4, 0.8 * La**2 / 12, 0.8 * La**2 / 12]),
    (0.15, [0.0045, 0.0045, 1e-5]),
    (0.6, [4e-4, 4e-4, 8e-4]),
)
BODIES = [*[ARM, ROD, ROD] * 3, PLATE]
G = 9.81
H = 1e-3  # step of differences [s]: h⁶ of derivatives up to 1e4, and round-off/h² of 1e-10
FIRST = np.array([-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60])
SECOND = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90])
CLOSE = 1e-8  # N and N m, from the differences


@pytest.fixture(scope="module")
def model():
    return cardan.load(Path(__file__).parent / "models" / "delta.yaml")


def place(t):
    return np.array([0.1 * np.cos(5 * t), 0.1 * np.sin(5 * t), -0.6 + 0.05 * np.sin(3 * t)])


def turned(axis, angle):
    return Rotation.from_euler(axis, angle).as_matrix()


def poses(p):
    """Centres of mass and axes of arm, left and right rod of each leg, then of the plate at p; angles of the drives."""
    out, angles = [], []
    for leg in range(3):
        Z = turned("z", 2 * np.pi * leg / 3)
        x, y, z = wrist = Z.T @ p + [r - R, 0, 0]
        # |wrist − La (cos θ, 0, −sin θ)| = Lr; the elbow stands outside
        A, B, C = 2 * La * x, -2 * La * z, x**2 + y**2 + z**2 + La**2 - Lr**2
        theta = np.arctan2(B, A) - np.arccos(C / np.hypot(A, B))
        base, arm = Z @ [R, 0, 0], Z @ turned("y", theta)
        elbow = La * np.array([np.cos(theta), 0, -np.sin(theta)])
        up = (elbow - wrist) / Lr  # z of both rods: about y of the arm, then about x of the rod
        rod = Z @ turned("y", np.arctan2(up[0], up[2])) @ turned("x", -np.arcsin(up[1]))
        out.append((base + arm @ [La / 2, 0, 0], arm))
        out += [(base + Z @ (elbow + np.array([0, side * s, 0])) + rod @ [0, 0, -Lr / 2], rod) for side in (1, -1)]
        angles.append(theta)
    return [*out, (p, np.eye(3))], angles


def needed(t):
    """Force and moment about the centre of mass that each body needs, weight included (60,)."""
    near = [poses(place(t + k * H))[0] for k in range(-3, 4)]
    out = []
    for body, (mass, inertia) in enumerate(BODIES):
        axes = np.array([one[body][1] for one in near])
        rate, second = np.tensordot(FIRST, axes, 1) / H, np.tensordot(SECOND, axes, 1) / H**2
        W, U = rate @ axes[3].T, second @ axes[3].T + rate @ rate.T
        w, alpha = (np.array([X[2, 1] - X[1, 2], X[0, 2] - X[2, 0], X[1, 0] - X[0, 1]]) / 2 for X in (W, U))
        J = axes[3] @ np.diag(inertia) @ axes[3].T
        a = np.tensordot(SECOND, np.array([one[body][0] for one in near]), 1) / H**2
        out += [mass * (a + np.array([0, 0, G])), J @ alpha + cross(w, J @ w)]
    return np.concatenate(out)


def loads(t):
    """Force and moment of every joint on its child about its marker, world axes."""
    now, _ = poses(place(t))
    A, found, column = np.zeros((60, 60)), {}, 0

    def put(name, point, child, parent, moments):
        """Columns of a joint: its force and its moments along the columns of `moments`."""
        nonlocal column
        for body, sign in ((child, 1), (parent, -1)):
            if body is not None:
                rows = slice(6 * body, 6 * body + 3), slice(6 * body + 3, 6 * body + 6)
                A[rows[0], column : column + 3] = sign * np.eye(3)
                A[rows[1], column : column + 3] = sign * np.array(skew(point - now[body][0]))
                A[rows[1], column + 3 : column + 3 + moments.shape[1]] = sign * moments
        found[name] = column, moments
        column += 3 + moments.shape[1]

    for leg, letter in enumerate("abc"):
        arm = 3 * leg
        put(f"{letter}_drive", turned("z", 2 * np.pi * leg / 3) @ [R, 0, 0], arm, None, np.eye(3))
        for rod, end in ((arm + 1, "l"), (arm + 2, "r")):
            centre, axes = now[rod]
            across = cross(now[arm][1][:, 1], axes[:, 0])  # both pins turn freely
            put(f"{letter}_u{end}", centre + axes @ [0, 0, Lr / 2], rod, arm, across[:, None])
            put(f"{letter}_s{end}", centre - axes @ [0, 0, Lr / 2], 9, rod, np.zeros((3, 0)))
    x = np.linalg.solve(A, needed(t))
    return {name: (x[k : k + 3], m @ x[k + 3 : k + 3 + m.shape[1]]) for name, (k, m) in found.items()}


def test_drives_and_reactions_of_all_joints(model):
    times = np.array([0.0, 0.3, 0.7])
    run = cardan.kinetostatics(model, times)
    for k, t in enumerate(times):
        _, angles = poses(place(t))
        for name, (force, moment) in loads(t).items():
            assert run.array(f"{name}.reaction_force")[k] == pytest.approx(force, abs=CLOSE), name
            assert run.array(f"{name}.reaction_moment")[k] == pytest.approx(moment, abs=CLOSE), name
        for leg, letter in enumerate("abc"):
            axis = turned("z", 2 * np.pi * leg / 3)[:, 1]
            effort = axis @ loads(t)[f"{letter}_drive"][1]
            assert run.array(f"{letter}_drive.effort")[k] == pytest.approx(effort, abs=CLOSE)
            assert run.array(f"{letter}_drive.q")[k] == pytest.approx(angles[leg], abs=1e-12)  # round-off


def test_modes_on_springs_of_the_drives(model):
    """Eigenvalues of M ẍ + D ẋ + K x = 0 in the place of the plate, from differences of energies and positions."""
    stiff, drag, e = 40.0, 0.5, 1e-4
    springs = {f"{x}_drive": model.joints[f"{x}_drive"].replace(stiffness=stiff, damping=drag) for x in "abc"}
    found = cardan.linearize(model.replace(motions={}, joints={**model.joints, **springs}), equilibrium=True)

    def energy(p):
        all_poses, angles = poses(p)
        weight = sum(mass * G * pose[0][2] for (mass, _), pose in zip(BODIES, all_poses, strict=True))
        return weight + stiff / 2 * np.sum(np.square(angles))

    z = brentq(lambda z: energy(np.array([0, 0, z + e])) - energy(np.array([0, 0, z - e])), -0.7, -0.35)
    p, ways = np.array([0, 0, z]), e * np.eye(3)
    assert found.x["float.z.q"] == pytest.approx(
        z, abs=1e-7
    )  # differences: e² of the third derivative, over the stiffness
    sides = [[poses(p + side * way) for side in (1, -1)] for way in ways]
    K = [[(energy(p + a + b) - energy(p + a - b) - energy(p - a + b) + energy(p - a - b)) for b in ways] for a in ways]
    turns = np.array([(np.array(plus[1]) - minus[1]) / (2 * e) for plus, minus in sides])
    M = np.zeros((3, 3))
    for body, (mass, inertia) in enumerate(BODIES):
        axes = poses(p)[0][body][1]
        v = np.array([(plus[0][body][0] - minus[0][body][0]) / (2 * e) for plus, minus in sides])
        spins = [axes.T @ (plus[0][body][1] - minus[0][body][1]) / (2 * e) for plus, minus in sides]
        w = np.array([[W[2, 1], W[0, 2], W[1, 0]] for W in spins])
        M += mass * v @ v.T + w @ np.diag(inertia) @ w.T
    M_inverse = np.linalg.inv(M)
    lower = [-M_inverse @ np.array(K) / (4 * e**2), -M_inverse @ (drag * turns @ turns.T)]
    by_hand = np.linalg.eigvals(np.block([[np.zeros((3, 3)), np.eye(3)], lower]))
    ours, theirs = (x[np.lexsort((x.real, np.round(x.imag, 3)))] for x in (found.eigenvalues, by_hand))
    assert ours == pytest.approx(theirs, abs=2e-5)  # round-off/e² of an energy of 40 J, over a mass of 1 kg
