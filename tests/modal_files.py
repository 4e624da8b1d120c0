"""Modal data of a beam by hand-written finite elements: cubic functions of Hermite, after Craig and Bampton."""

from pathlib import Path

import numpy as np
from scipy.linalg import eigh

LENGTH, WIDTH, HEIGHT, E, RHO = 1.2, 0.03, 0.006, 210e9, 7850.0
ELEMENTS = 16


def hermite(s: float, h: float) -> list[float]:
    """The cubic functions of an element of length h at 0 ≤ s ≤ 1: deflection and slope at both ends."""
    return [1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)]


def beam_fields(fixed: int = 4) -> dict[str, np.ndarray]:
    """A steel beam along x, clamped at its origin, that bends in xz: its tip's two modes and `fixed` ones behind it."""
    h, A, I = LENGTH / ELEMENTS, WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12
    size = 2 * (ELEMENTS + 1)
    K, N, x, mass = np.zeros((size, size)), [], [], []
    own = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2]])
    own = np.vstack([own, [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]) * E * I / h**3
    for e in range(ELEMENTS):
        K[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += own
        for gauss, weight in zip(*np.polynomial.legendre.leggauss(4), strict=True):
            N.append(np.zeros(size))
            N[-1][2 * e : 2 * e + 4] = hermite((gauss + 1) / 2, h)
            x.append((e + (gauss + 1) / 2) * h)
            mass.append(RHO * A * h * weight / 2)
    N, K, mass = np.array(N)[:, 2:], K[2:, 2:], np.array(mass)
    inner, M = slice(0, -2), (N.T * mass) @ N
    _, normal = eigh(K[inner, inner], M[inner, inner])
    static = -np.linalg.solve(K[inner, inner], K[inner, -2:])
    T = np.vstack([np.hstack([static, normal[:, :fixed]]), np.eye(2, 2 + fixed)])
    modes, tip = np.zeros((2 + fixed, len(x), 3)), np.zeros((2 + fixed, 1, 6))
    modes[:, :, 2] = (N @ T).T
    tip[:, 0, 2], tip[:, 0, 4] = T[-2], -T[-1]
    return {
        "positions": np.outer(x, [1, 0, 0]),
        "mass": mass,
        "modes": modes,
        "stiffness": T.T @ K @ T,
        "interfaces": np.array(["tip"]),
        "interface_positions": np.array([[LENGTH, 0, 0]]),
        "interface_modes": tip,
    }


def lump_fields(count: int = 12) -> dict[str, np.ndarray]:
    """Some points of mass with random modes, which vanish at the origin; all points are interface nodes that turn."""
    n, rng = 3, np.random.default_rng(3)
    X, A = rng.uniform([0.1, -0.5, -0.5], [1.1, 0.5, 0.5], (count, 3)), rng.normal(size=(n, n))
    modes = rng.uniform(-1, 1, (n, count, 3)) * X[:, :1]
    return {
        "positions": X,
        "mass": rng.uniform(0.05, 0.2, count),
        "modes": modes,
        "stiffness": 500 * (A @ A.T + np.eye(n)),
        "interfaces": np.array([f"p{k}" for k in range(count)]),
        "interface_positions": X,
        "interface_modes": np.concatenate([modes, rng.uniform(-1, 1, (n, count, 3))], axis=2),
    }


def written(path: Path, fields: dict[str, np.ndarray]) -> str:
    """The path of a file with these fields."""
    np.savez(path, **fields)
    return str(path)
