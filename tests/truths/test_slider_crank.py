"""The slider-crank of Hoang & Vuong, section 3.3: (37), (38) by hand, and its motion as one ODE of second order."""

from functools import cache

import numpy as np
import pytest
import sympy

import cardan
from tests.selection import each
from tests.truths.references import reference, vanishes

L1, L2, M1, M2, M3, JW, G = 0.2, 0.5, 1, 1, 0.5, 2.0, 9.81  # SI, as in the gallery's file
I1, I2 = M1 * L1**2 / 12, M2 * L2**2 / 12
R, IM, DM, KM, KE, RA, LA, U = 10, 1e-3, 0.1, 3, 0.1, 3, 1e-3, 20
TIMES = np.linspace(0, 3, 31)
TOLERANCE = 1e-8  # what the project promises over the whole run
CLOSED = 1e-10  # the same for the loop


def rod(q1):
    """q2 and its first two derivatives by q1: l1 sin q1 = l2 sin q2."""
    q2 = np.arcsin(L1 / L2 * np.sin(q1))
    first = L1 * np.cos(q1) / (L2 * np.cos(q2))
    return q2, first, (np.sin(q2) * first**2 - L1 / L2 * np.sin(q1)) / np.cos(q2)


def slider(q1):
    """q3 and its first two derivatives by q1: q3 = l1 cos q1 + l2 cos q2."""
    q2, a, b = rod(q1)
    first = -L1 * np.sin(q1) - L2 * np.sin(q2) * a
    return L1 * np.cos(q1) + L2 * np.cos(q2), first, -L1 * np.cos(q1) - L2 * (np.cos(q2) * a**2 + np.sin(q2) * b)


def reduced(q1):
    """(J, J', V') of J q̈1 + ½ J' q̇1² + V' = torque.

    T = ½ J q̇1² with every speed proportional to q̇1. The rod's centre is at (l1 cos q1 + l2/2 cos q2, l1/2 sin q1), for
    l2 sin q2 = l1 sin q1, so that V = g sin q1 (m1 l1/2 + m2 l1/2).
    """
    _, a, b = rod(q1)
    q2 = rod(q1)[0]
    _, s, s1 = slider(q1)
    x = -L1 * np.sin(q1) - L2 / 2 * np.sin(q2) * a
    x1 = -L1 * np.cos(q1) - L2 / 2 * (np.cos(q2) * a**2 + np.sin(q2) * b)
    y, y1 = L1 / 2 * np.cos(q1), -L1 / 2 * np.sin(q1)
    J = I1 + M1 * L1**2 / 4 + JW + R**2 * IM + I2 * a**2 + M2 * (x**2 + y**2) + M3 * s**2
    return J, 2 * (I2 * a * b + M2 * (x * x1 + y * y1) + M3 * s * s1), G * np.cos(q1) * L1 / 2 * (M1 + M2)


def full(t, state):
    """Rates of (q1, q̇1, i)."""
    q1, v, i = state
    J, J1, V1 = reduced(q1)
    return [v, (R * KM * i - R**2 * DM * v - J1 * v**2 / 2 - V1) / J, (U - RA * i - KE * R * v) / LA]


def simplified(t, state):
    """Rates of (q1, q̇1) with L di/dt = 0."""
    q1, v = state
    J, J1, V1 = reduced(q1)
    return [v, (R * KM / RA * (U - KE * R * v) - R**2 * DM * v - J1 * v**2 / 2 - V1) / J]


@cache
def minimal(motors):
    """The run by the ODE in the minimal coordinate: (q1, q2, q3, their rates), then the current."""
    start = [0, 0, 0] if motors == "full" else [0, 0]
    x = reference(full if motors == "full" else simplified, start, TIMES)
    q1, v = x[:, 0], x[:, 1]
    q2, a, _ = rod(q1)
    q3, s, _ = slider(q1)
    i = x[:, 2] if motors == "full" else (U - KE * R * v) / RA
    return np.column_stack([q1, q2, q3, v, a * v, s * v, i])


def papers_state(run):
    """The same columns of a run, in the paper's coordinates."""
    q1, pin, q3, v, pin_v, v3 = run.x[:, :6].T
    return np.column_stack([q1, -(q1 + pin), q3, v, -(v + pin_v), v3, run.array("drive.current")])


def error(motors, **options):
    """Largest difference of a run from the minimal ODE, and the run."""
    run = cardan.simulate(cardan.load("slider_crank"), times=TIMES, motors=motors, **options)
    assert run.ok, run.message
    return np.abs(papers_state(run) - minimal(motors)).max(), run


@pytest.mark.parametrize(
    ("method", "motors"), [("tsit5", "simplified"), ("dop853", "full"), ("dop853", "simplified"), ("rodas5p", "full")]
)
def test_the_run_is_that_of_the_minimal_ode(method, motors):
    difference, run = error(motors, method=method, rtol=1e-11, atol=1e-12)
    assert difference < TOLERANCE
    assert run.report.constraint_violation < CLOSED
    assert run.report.relative_energy_error < TOLERANCE


@each("method", ["dop853", "rodas5p"])
@each("stabilization", ["baumgarte", "none"])
def test_the_paper_s_stabilization_and_none(stabilization, method):
    """Without projection the loop drifts with the integrator's own error, quadratically in time if nothing holds it."""
    difference, run = error("simplified", method=method, stabilization=stabilization, rtol=1e-12, atol=1e-13)
    assert difference < TOLERANCE
    assert run.report.constraint_violation < (CLOSED if stabilization == "baumgarte" else 10 * CLOSED)


def test_baumgarte_pulls_an_error_back_that_stays_without_him():
    """Coarse tolerances, so that the drift is seen: it stays bounded with gains and grows without them."""
    coarse = {"method": "tsit5", "rtol": 1e-5, "atol": 1e-7}
    drift = {
        name: error("simplified", stabilization=name, **coarse)[1].report.constraint_violation
        for name in ("none", "baumgarte", "projection")
    }
    assert drift["projection"] < CLOSED < drift["baumgarte"] < 0.2 * drift["none"]
    gentle = error("simplified", stabilization="baumgarte", alpha=2.0, beta=2.0, **coarse)[1]
    assert drift["baumgarte"] < gentle.report.constraint_violation


@each("method, order", [("rk4", 4), ("semi_implicit_euler", 1)])
def test_fixed_steps_keep_their_order(method, order):
    steps = (4e-3, 2e-3) if order == 4 else (2e-3, 1e-3)
    errors = []
    for step in steps:
        difference, run = error("simplified", method=method, step=step)
        assert run.report.constraint_violation < CLOSED
        errors.append(difference)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_a_current_that_settles_and_two_models_that_agree():
    """Figs. 9-12: the current settles within the first half second, and both models move almost alike."""
    runs = {
        motors: cardan.simulate(cardan.load("slider_crank"), times=TIMES, motors=motors)
        for motors in ("full", "simplified")
    }
    assert (
        np.abs(runs["full"].x[:, :6] - runs["simplified"].x).max() < 0.02
    )  # rad, m, rad/s: a line's width in the figures
    current = runs["full"].array("drive.current")
    late = TIMES > 1.0
    assert np.ptp(current[late]) < 0.1 * current.max()


def symbols():
    """Symbols of the model file in the paper's coordinates."""
    names = "l1 l2 m1 m2 m3 Jw IC1 IC2 g r Im q1 q2 q1.v q2.v"
    return sympy.symbols(names)


def test_symbolic_matrices_are_the_papers():
    """From (37), (38), with the flywheel that M11 lacks in print."""
    l1, l2, m1, m2, m3, Jw, IC1, IC2, g, r, Im, q1, q2, v1, v2 = symbols()
    a1, a2 = l1 / 2, l2 / 2
    eq = cardan.equations(cardan.load("slider_crank"), "simplified")
    assert eq.coordinates == ("q1", "q2", "q3")
    inertias = {IC1: m1 * l1**2 / 12, IC2: m2 * l2**2 / 12}
    c, s = sympy.cos(q1 + q2), sympy.sin(q1 + q2)
    M11 = IC1 + Jw + m1 * a1**2 + m2 * l1**2 + r**2 * Im
    M = sympy.Matrix([[M11, -m2 * l1 * a2 * c, 0], [-m2 * l1 * a2 * c, IC2 + m2 * a2**2, 0], [0, 0, m3]])
    C = m2 * l1 * a2 * s * sympy.Matrix([[0, v2, 0], [v1, 0, 0], [0, 0, 0]])
    gravity = sympy.Matrix([g * sympy.cos(q1) * (m1 * a1 + m2 * l1), -m2 * g * a2 * sympy.cos(q2), 0])
    for ours, papers in ((eq.M, M), (eq.C, C), (eq.g, gravity)):
        assert vanishes((ours - papers).subs(inertias))
    Phi_q = sympy.Matrix(
        [
            [-l1 * sympy.sin(q1), -l2 * sympy.sin(q2), -1],
            [l1 * sympy.cos(q1), -l2 * sympy.cos(q2), 0],
        ]
    )
    assert vanishes(eq.Phi_q - Phi_q)


def test_numbers_of_the_matrices():
    """Matrices in the paper's coordinates at 1e-12, D and B of the simplified motor included."""
    eq = cardan.equations(cardan.load("slider_crank"), "simplified")
    q1, q2, q3 = 0.4, 0.9, 0.6
    v1, v2, v3 = 1.1, -0.7, 0.3
    terms = eq.evaluate([q1, q2, q3], [v1, v2, v3])
    k = M2 * L1 * L2 / 2
    expected = {
        "M": [
            [I1 + JW + M1 * L1**2 / 4 + M2 * L1**2 + R**2 * IM, -k * np.cos(q1 + q2), 0],
            [-k * np.cos(q1 + q2), I2 + M2 * L2**2 / 4, 0],
            [0, 0, M3],
        ],
        "C": k * np.sin(q1 + q2) * np.array([[0, v2, 0], [v1, 0, 0], [0, 0, 0]]),
        "D": np.diag([R**2 * DM + R**2 * KM * KE / RA, 0, 0]),
        "g": [G * np.cos(q1) * (M1 * L1 / 2 + M2 * L1), -M2 * G * L2 / 2 * np.cos(q2), 0],
        "B": [[R * KM / RA], [0], [0]],
        "Phi": [L1 * np.cos(q1) + L2 * np.cos(q2) - q3, L1 * np.sin(q1) - L2 * np.sin(q2)],
        "Phi_q": [[-L1 * np.sin(q1), -L2 * np.sin(q2), -1], [L1 * np.cos(q1), -L2 * np.cos(q2), 0]],
        "gamma": [
            L1 * np.cos(q1) * v1**2 + L2 * np.cos(q2) * v2**2,
            L1 * np.sin(q1) * v1**2 - L2 * np.sin(q2) * v2**2,
        ],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(terms[name], value, atol=1e-12, rtol=0, err_msg=name)


def test_reactions_by_hand():
    """Slider: m3 q̈3 is the wrist's force along x, and what the wrist pushes down the guide pushes up."""
    run = cardan.simulate(cardan.load("slider_crank"), times=TIMES)
    wrist, guide, a = run.array("wrist.reaction_force"), run.array("slide.reaction_force"), run.array("slide.a")
    scale = np.nanmax(np.abs(wrist)) * 1e-12  # some thousand round-offs
    np.testing.assert_allclose(wrist[:, 0], M3 * a, rtol=0, atol=scale)
    np.testing.assert_allclose(wrist[:, 1] + guide[:, 1], M3 * G * np.ones_like(a), rtol=0, atol=scale)
    for free in (guide[:, 0], *(run.array(f"{joint}.reaction_moment")[:, 2] for joint in ("wrist", "pin"))):
        np.testing.assert_allclose(free, 0, rtol=0, atol=scale)  # no actuator, spring or friction along the free axis
    effort = run.array("crank.effort") - R**2 * (IM * run.array("crank.a") + DM * run.array("crank.v"))
    np.testing.assert_allclose(run.array("crank.reaction_moment")[:, 2], effort, rtol=0, atol=scale)
