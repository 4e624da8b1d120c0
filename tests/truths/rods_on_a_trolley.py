"""Rods in a chain on a trolley, whose drives keep relations while dry friction in the pins sticks and slides.

Written by hand in the position of the trolley and the angles of the rods from the vertical.
The drives keep J v̇ = γ by the least efforts, τ = (J M⁻¹ B)ᵀ μ.
"""

from dataclasses import dataclass

import numpy as np

import cardan

G = 9.81
TROLLEY = 3.0
MASSES, LENGTHS, CENTRES, INERTIAS = (2.0, 1.5, 0.8), (0.5, 0.4, 0.3), (0.3, 0.15, 0.1), (0.05, 0.03, 0.01)


def model(rods, friction, *, drag=None, stiffness=4.0, still=False, **more):
    """The chain as a model; `friction` are laws by the number of the pin, `drag` the law of the trolley's rail."""
    bodies, joints = {"trolley": {"mass": TROLLEY}}, {}
    rail = {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"}
    joints["rail"] = rail | ({"friction": drag} if drag else {})
    if still:
        bodies, joints = {}, {}
    for i in range(rods):
        bodies[f"rod{i + 1}"] = {
            "mass": MASSES[i],
            "com": [0, 0, -CENTRES[i]],
            "inertia": [INERTIAS[i]] * 3,
            "markers": {"end": {"position": [0, 0, -LENGTHS[i]]}, "mark": {"position": [0, 0, -0.2]}},
        }
        parent = f"rod{i}.end" if i else "ground" if still else "trolley"
        joints[f"pin{i + 1}"] = {
            "type": "revolute",
            "parent": parent,
            "child": f"rod{i + 1}",
            "axis": [0, -1, 0],
            "stiffness": stiffness,
        } | ({"friction": friction[i]} if friction.get(i) else {})
    return cardan.Model(planar="xz", gravity=[0, 0, -G], bodies=bodies, joints=joints, **more)


@dataclass
class Chain:
    """The same by hand; velocities are those of the trolley, then of the angles from the vertical."""

    rods: int
    sliding: tuple[float, ...]  # friction moments of the pins
    rows: object  # (t, q, v) → J (k, n), γ (k,)
    drives: np.ndarray  # (n, d) efforts of the drives
    stiffness: float = 4.0

    def matrices(self, q, v):
        """M (n, n) and the efforts of weight, springs and centrifugal forces (n,)."""
        n, a, w = self.rods, q[1:], v[1:]
        M, Q = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
        M[0, 0] = TROLLEY
        for i in range(n):
            arms = np.array([*LENGTHS[:i], CENTRES[i]])
            J = np.zeros((2, n + 1))
            J[0, 0] = 1
            J[0, 1 : i + 2], J[1, 1 : i + 2] = arms * np.cos(a[: i + 1]), arms * np.sin(a[: i + 1])
            bias = np.array(
                [-(arms * np.sin(a[: i + 1])) @ w[: i + 1] ** 2, (arms * np.cos(a[: i + 1])) @ w[: i + 1] ** 2]
            )
            M += MASSES[i] * J.T @ J
            M[i + 1, i + 1] += INERTIAS[i]
            Q -= MASSES[i] * J.T @ (bias + np.array([0, G]))
        Q -= self.pins.T @ (self.stiffness * (self.pins @ q))
        return M, Q

    @property
    def pins(self):
        """Velocities of the pins per velocity (rods, n)."""
        P = np.zeros((self.rods, self.rods + 1))
        for i in range(self.rods):
            P[i, i + 1] = 1
            if i:
                P[i, i] = -1
        return P

    def solve(self, t, q, v, ways):
        """v̇ with the ways of the pins, 0 for rest, under the least efforts of the drives."""
        M, Q = self.matrices(q, v)
        J, gamma = self.rows(t, q, v)
        held, P = [i for i in range(self.rods) if ways[i] == 0], self.pins
        (k, n), h = J.shape, len(held)
        E, T = P[held].T, (J @ np.linalg.inv(M) @ self.drives).T
        A = np.block([[M, -self.drives @ T, -E], [J, np.zeros((k, k + h))], [E.T, np.zeros((h, k + h))]])
        friction = P.T @ (-np.array(ways) * np.array(self.sliding))
        return np.linalg.solve(A, np.concatenate([Q + friction, gamma, np.zeros(h)]))[:n]
