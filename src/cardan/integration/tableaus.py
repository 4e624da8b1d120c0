"""Runge–Kutta and Rosenbrock methods as data: coefficients with their sources.

Every method has a continuous extension in one form, with stages K_s and a scale σ: h for Runge–Kutta, 1 for Rosenbrock.

    x(t + θ h) = x + σ Σ_r β_r(θ) Σ_s dense[r, s] K_s,     β = θ, θ(1−θ), θ²(1−θ), θ²(1−θ)², θ³(1−θ)², …

This is the nested form of dop853.f (Hairer, Nørsett & Wanner 1993); both ends of a step are met by construction, since
row 0 holds the weights of the step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cardan.frozen import dataclass
from cardan.integration import coefficients

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Controller:
    """Step-size law h ← h · clip(safety · err^−alpha · err_old^beta, shrink, grow).

    Source: Hairer, Nørsett & Wanner 1993, IV.2 eq. (2.43c): alpha = 1/q − 0.75 beta, q the order of the error estimate.
    """

    alpha: float  # exponent of this step's error [-]
    beta: float  # exponent of the previous error; > 0 damps the oscillation of h along a stability boundary [-]
    safety: float  # fraction of the predicted step that is taken [-]
    shrink: float  # least factor [-]
    grow: float  # greatest factor [-]


@dataclass(frozen=True)
class ExplicitTableau:
    """An explicit Runge–Kutta pair whose stage `last` is f(t + h, x_new), the first stage of the next step."""

    name: str
    citation: str  # where it is published
    order: int  # order of the step that is taken
    A: Array  # (S, S): row `last` holds the weights b; rows after it serve the continuous extension only
    c: Array  # (S,)
    E: Array  # (2, S): error weights; err = e0² / √(e0² + 0.01 e1²) as in dop853.f, plain e0 where row 1 is zero
    W: Array  # (2, S): a divided difference of stages, Σ|w| = 1, of their derivatives and of themselves over h; in it a
    # motion cancels as far as it is smooth
    last: int  # index of the stage f(t + h, x_new)
    error_uses_last: bool  # the error estimate needs that stage
    dense: Array  # (R, S): continuous extension, see the head of this file
    controller: Controller | None  # None: fixed step


@dataclass(frozen=True)
class TrustedDecays:
    """For which decays, x' = λ x with λ < 0, the error estimate of an explicit method can be trusted."""

    longest: float  # |h λ| up to which the estimate grows with the step [-]
    visible: float  # difference `W` that a decay leaves in the longest such step if it errs by 1 between its ends [-]


def trusted_decays(tableau: ExplicitTableau) -> TrustedDecays:
    """Return for which decays the estimate can be trusted: for all if it is larger for all longer steps.

    The estimate of DOP853 falls from h λ = −4.99 on and is zero at −5.65, where a step leaves −x/4. Up to there it is
    larger than the error of the step, and the continuous extension stays within ±x; at −6 it overshoots to −10 x.
    """
    size, stages = len(tableau.A), tableau.last + 1
    values = np.zeros((size, size))  # powers of z = h λ in the stages, over x
    for s in range(size):
        values[s, 0] = 1.0
        values[s, 1:] = tableau.A[s, :s] @ values[:s, :-1]
    weights = tableau.E[0, :stages]
    # powers below the order of the estimate cancel, up to the digits of its weights
    known = np.abs(weights @ values[:stages]) > 1e-13 * np.abs(weights) @ np.abs(values[:stages])
    step = np.polynomial.Polynomial([0.0, *np.where(known, weights @ values[:stages], 0.0)]).trim()
    roots = step.deriv().roots()
    turns = np.real(roots[np.isreal(roots) & (np.real(roots) < 0.0)])
    if not turns.size:
        return TrustedDecays(np.inf, np.inf)
    z, theta = float(np.max(turns)), np.linspace(0.0, 1.0, 101)
    x = values @ z ** np.arange(size)
    beta = np.cumprod([theta if row % 2 == 0 else 1.0 - theta for row in range(len(tableau.dense))], axis=0)
    error = np.max(np.abs(1.0 + z * (tableau.dense @ x) @ beta - np.exp(z * theta)))
    return TrustedDecays(-z, float(np.abs(tableau.W[0] @ x) / error))


def middle_of(tableau: ExplicitTableau) -> Array:
    """Return the weights (2, S) of the stages in the middle of a step: of the continuous extension, x + h Σ w K, and of
    its slope, Σ w K.
    """
    beta, slope, value, rate = [], [], 1.0, 0.0
    for row in range(len(tableau.dense)):
        value, rate = 0.5 * value, 0.5 * rate + (value if row % 2 == 0 else -value)
        beta.append(value)
        slope.append(rate)
    return np.array([beta, slope]) @ tableau.dense


@dataclass(frozen=True)
class RosenbrockTableau:
    """A Rosenbrock method in the transformed form without matrix products (Hairer & Wanner 1996, IV.7 eq. (7.25)).

    (I/(hγ) − J) k_i = f(t + c_i h, x + Σ A_ij k_j) + Σ C_ij k_j / h + h d_i f_t,     x_new = x + Σ b_i k_i
    """

    name: str
    citation: str  # where it is published
    order: int  # order of the step that is taken
    gamma: float  # diagonal of the method [-]
    A: Array  # (S, S)
    C: Array  # (S, S)
    c: Array  # (S,)
    d: Array  # (S,)
    b: Array  # (S,)
    E: Array  # (S,): error = Σ E_i k_i
    dense: Array  # (R, S)
    controller: Controller | None  # None: fixed step


def rk4() -> ExplicitTableau:
    """Return the classical fourth-order method with cubic Hermite output."""
    A = _matrix(5, {1: {0: 0.5}, 2: {1: 0.5}, 3: {2: 1.0}, 4: {0: 1 / 6, 1: 1 / 3, 2: 1 / 3, 3: 1 / 6}})
    return ExplicitTableau(
        name="rk4",
        citation="W. Kutta, Z. Math. Phys. 46 (1901) 435–453",
        order=4,
        A=A,
        c=np.array([0, 0.5, 0.5, 1, 1]),
        E=np.zeros((2, 5)),
        W=_weighted(A, {3: -1.0, 4: 1.0}),
        last=4,
        error_uses_last=False,
        dense=_hermite(5, A[4], 0, 4),
        controller=None,
    )


def tsit5() -> ExplicitTableau:
    """Return Tsitouras' 5(4) pair with its free fourth-order continuous extension."""
    weights = {
        0: 0.09646076681806523,
        1: 0.01,
        2: 0.4798896504144996,
        3: 1.379008574103742,
        4: -3.290069515436081,
        5: 2.324710524099774,
    }
    A = _matrix(
        7,
        {
            1: {0: 0.161},
            2: {0: -0.008480655492356989, 1: 0.335480655492357},
            3: {0: 2.8971530571054935, 1: -6.359448489975075, 2: 4.3622954328695815},
            4: {0: 5.325864828439257, 1: -11.748883564062828, 2: 7.4955393428898365, 3: -0.09249506636175525},
            5: {
                0: 5.86145544294642,
                1: -12.92096931784711,
                2: 8.159367898576159,
                3: -0.071584973281401,
                4: -0.028269050394068383,
            },
            6: weights,
        },
    )
    error = [
        -0.001780011052225777,
        -0.0008164344596567469,
        0.007880878010261995,
        -0.1447110071732629,
        0.5823571654525552,
        -0.45808210592918697,
        1 / 66,
    ]
    return ExplicitTableau(
        name="tsit5",
        citation="Ch. Tsitouras, Comput. Math. Appl. 62 (2011) 770–775",
        order=5,
        A=A,
        c=np.array([0, 0.161, 0.327, 0.9, 0.9800255409045097, 1, 1]),
        E=np.array([error, np.zeros(7)]),
        W=_weighted(A, {5: -1.0, 6: 1.0}),
        last=6,
        error_uses_last=True,
        dense=_tsit5_dense(A[6]),
        controller=_controller(5, 0.04, shrink=0.2, grow=10.0),
    )


def _tsit5_dense(weights: Array) -> Array:
    """Return Tsitouras' polynomials b_s(θ) = Σ_j p_sj θ^j, j = 1…4, changed to the nested basis."""
    p = np.array(
        [
            [1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
            [0.0, 0.1317, -0.2234, 0.1017],
            [0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
            [0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
            [0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
            [0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
            [0.0, 1.5, -4.0, 2.5],
        ]
    ).T
    third = p[3]
    second = -p[2] - 2 * third
    first = second + third - p[1]
    return np.array([weights, first, second, third])


def dop853() -> ExplicitTableau:
    """Return the 8(5,3) pair of Dormand and Prince with its seventh-order continuous extension (three more stages)."""
    A = _matrix(16, coefficients.DOP853_A)
    slopes = _matrix(16, coefficients.DOP853_D)[:4]
    return ExplicitTableau(
        name="dop853",
        citation="E. Hairer, S. Nørsett & G. Wanner, Solving Ordinary Differential Equations I (1993), II.5, dop853.f",
        order=8,
        A=A,
        c=np.array(coefficients.DOP853_C),
        E=np.array([_row(16, coefficients.DOP853_E5), A[12] - _row(16, coefficients.DOP853_E3)]),
        W=_difference(A, [0, 5, 6, 7, 8, 9, 10]),
        last=12,
        error_uses_last=False,
        dense=np.vstack([_hermite(16, A[12], 0, 12), slopes]),
        controller=_controller(8, 0.04, shrink=1 / 3, grow=6.0),  # dop853.f has 0; this halves the rejected steps
    )


def rodas5p() -> RosenbrockTableau:
    """Return Rodas5P: order 5(4), stiffly accurate, L-stable, with a fourth-order continuous extension."""
    A = _matrix(8, coefficients.RODAS5P_A)
    weights = A[7] + np.eye(8)[7]
    H = np.array(coefficients.RODAS5P_H)
    return RosenbrockTableau(
        name="rodas5p",
        citation="G. Steinebach, BIT Numer. Math. 63 (2023) 27",
        order=5,
        gamma=0.21193756319429014,
        A=A,
        C=_matrix(8, coefficients.RODAS5P_C),
        c=np.array(coefficients.RODAS5P_ALPHA),
        d=np.array(coefficients.RODAS5P_D),
        b=weights,
        E=np.eye(8)[7],
        # The source nests θ(1−θ)(H0 + θ (H1 + θ H2)), and θ³(1−θ) = θ²(1−θ) − θ²(1−θ)².
        dense=np.array([weights, H[0], H[1] + H[2], -H[2]]),
        controller=_controller(5, 0.0, shrink=0.2, grow=6.0),
    )


def linearly_implicit_euler() -> RosenbrockTableau:
    """Return the one-stage Rosenbrock method with γ = 1: one Newton step of the implicit Euler method, L-stable."""
    none, one = np.zeros((1, 1)), np.ones((1, 1))
    return RosenbrockTableau(
        name="linearly_implicit_euler",
        citation="E. Hairer & G. Wanner, Solving Ordinary Differential Equations II (1996), IV.9, eq. (9.24)",
        order=1,
        gamma=1.0,
        A=none,
        C=none,
        c=none[0],
        d=one[0],
        b=one[0],
        E=none[0],
        dense=one,
        controller=None,
    )


def _controller(q: int, beta: float, *, shrink: float, grow: float) -> Controller:
    """Return the controller of an error estimate of order q (its local error is O(h^q))."""
    return Controller(alpha=1.0 / q - 0.75 * beta, beta=beta, safety=0.9, shrink=shrink, grow=grow)


def _hermite(stages: int, weights: Array, first: int, last: int) -> Array:
    """Return the first three dense rows: cubic Hermite interpolation through x, x_new, f and f_new."""
    start, end = np.eye(stages)[first], np.eye(stages)[last]
    return np.array([weights, start - weights, 2 * weights - start - end])


def _difference(A: Array, stages: list[int]) -> Array:
    """Return `W` for a divided difference of stages at different instants."""
    c = A.sum(axis=1)
    return _weighted(A, {s: 1.0 / math.prod(c[s] - c[other] for other in stages if other != s) for s in stages})


def _weighted(A: Array, weights: dict[int, float]) -> Array:
    """Return `W` for a weighted sum of stages."""
    w = _row(len(A), weights) / sum(map(abs, weights.values()))
    return np.array([w, w @ A])


def _matrix(size: int, rows: dict[int, dict[int, float]]) -> Array:
    """Return a (size, size) matrix from its non-zero entries {row: {column: value}}."""
    matrix = np.zeros((size, size))
    for row, entries in rows.items():
        for column, value in entries.items():
            matrix[row, column] = value
    return matrix


def _row(size: int, entries: dict[int, float]) -> Array:
    """Return a vector from its non-zero entries {index: value}."""
    return _matrix(size, {0: entries})[0]
