"""Andrews' squeezing mechanism from its geometry alone: Lagrange's equations with multipliers, solved by SciPy.

Source: Hairer & Wanner, Solving Ordinary Differential Equations II, ch. VII.7, where q = (β, Θ, γ, Φ, δ, Ω, ε).
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

__all__ = ["NAMES", "squeezer"]

NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (-0.06171389001427645, 0, 0.45527981916307037, 0.22266839016588588)
START = np.array([*START, 0.48736497954384256, -0.22266839016588588, 1.2305474445498212])
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
STIFFNESS, LENGTH, TORQUE = 4530.0, 0.07785, 0.033


def _turned(at: ca.SX, angle: ca.SX, x: float, y: float) -> ca.SX:
    """The point (x, y) of a body that is turned by an angle, its origin at a point."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.DM(at) + ca.vertcat(x * c - y * s, x * s + y * c)


def _terms() -> ca.Function:
    """(q, v) → (M, Q, Φ, Φq, −Φ̇q v) of M v̇ + Φqᵀ λ = Q, Φq v̇ = −Φ̇q v, all of it from positions of points."""
    q, v = ca.SX.sym("q", 7), ca.SX.sym("v", 7)
    b, th, g, ph, d, om, e = ca.vertsplit(q)
    F, H, G = _turned((0, 0), b, 0.007, 0), _turned(A, e, 0, -0.04), _turned(A, d, 0.04, 0)
    centres = [
        _turned((0, 0), b, 0.00092, 0),
        F - _turned((0, 0), b + th, 0.0115, 0),
        _turned(B, g, 0.01043, -0.01874),
        G + _turned((0, 0), ph + d, 0, -(0.02 - 0.01421)),
        _turned(A, d, 0.02308, 0.00916),
        H + _turned((0, 0), om + e, 0.02 - 0.01421, 0),
        _turned(A, e, -0.00449, -0.01228),
    ]
    turns = [b, b + th, g, ph + d, d, om + e, e]
    E = F - _turned((0, 0), b + th, 0.028, 0)
    others = [
        _turned(B, g, 0, -0.035),
        G + _turned((0, 0), ph + d, 0, -0.02),
        H + _turned((0, 0), om + e, 0.02, 0),
    ]
    Phi = ca.vertcat(*(E - other for other in others))
    T = sum(
        m * ca.sumsqr(ca.jtimes(c, q, v)) / 2 + J * ca.jtimes(w, q, v) ** 2 / 2
        for m, J, c, w in zip(MASSES, INERTIAS, centres, turns, strict=True)
    )
    spring = STIFFNESS / 2 * (ca.norm_2(_turned(B, g, 0.02, -0.018) - ca.DM(C)) - LENGTH) ** 2
    p = ca.gradient(T, v)
    M, J = ca.jacobian(p, v), ca.jacobian(Phi, q)
    Q = ca.gradient(T - spring, q) - ca.jtimes(p, q, v) + ca.vertcat(TORQUE, ca.DM.zeros(6))
    terms = [M, Q, Phi, J, -ca.jtimes(J @ v, q, v)]
    return ca.Function("terms", [q, v], [ca.densify(ca.SX(x)) for x in terms])


def _accelerations(terms: ca.Function, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """v̇ (7,) and λ (6,) of the state (q, v)."""
    M, Q, _, J, gamma = (np.array(x) for x in terms(state[:7], state[7:]))
    K = np.block([[M, J.T], [J, np.zeros((6, 6))]])
    found = np.linalg.solve(K, np.vstack([Q, gamma])).ravel()
    return found[:7], found[7:]


def squeezer(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities, accelerations (N, 7) and multipliers (N, 6) at the instants.

    The equations are those of index 1; at the instants drift is taken off by least changes of q and v.
    """
    terms = _terms()
    state, rows = np.concatenate([START, np.zeros(7)]), []

    def derivative(_: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[7:], _accelerations(terms, x)[0]])

    for begin, end in zip([0.0, *times[:-1]], times, strict=True):
        if end > begin:
            state = solve_ivp(derivative, (begin, end), state, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        for _ in range(2):
            _, _, Phi, J, _ = (np.array(x) for x in terms(state[:7], state[7:]))
            state[:7] -= np.linalg.lstsq(J, Phi.ravel(), rcond=None)[0]
            state[7:] -= np.linalg.lstsq(J, J @ state[7:], rcond=None)[0]
        rows.append((state[:7].copy(), state[7:].copy(), *_accelerations(terms, state)))
    q, v, a, lam = (np.array(column) for column in zip(*rows, strict=True))
    return q, v, a, lam
