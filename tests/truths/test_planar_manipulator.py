"""The planar manipulator of Hoang & Vuong, section 3.2, against (35) and (36) by hand, and with motor 2 on link 1."""

import numpy as np
import pytest
import sympy

import cardan
from cardan.matrix_form.terms import FORMULATIONS
from tests.selection import each, few
from tests.truths.references import reference, vanishes

M1, M2, L1, L2, A1, A2, I1, I2 = 2, 1.5, 0.5, 0.4, 0.25, 0.2, 1 / 24, 0.02  # SI, as in the gallery's file
D1, D2, G = 0.5, 0.4, 9.81
R, IM, DM, KM, KE, RA, LA = 10, 1e-3, 0.1, 1, 0.1, 1, 1e-3
TIMES = np.linspace(0, 3, 61)
START = (-np.pi / 2, 0, 0, 0)
TOLERANCE = 1e-8  # what the project promises for the whole run; the reference's own error is 1e-11
MODELS = {"planar_manipulator": 0.0, "planar_manipulator_mounted": IM}


def voltages(t):
    """Inputs of the run."""
    return np.array([20 * np.sin(2 * t) + 15, 10 * np.cos(3 * t)])


def mechanics(x, carried):
    """(M, C v + g) with both rotors; `carried` is the inertia of a rotor that rides on link 1.

    T of (35) + ½ Im (r q̇1)² + ½ Im (ω1 + r q̇2)² where the second rotor is carried, ω1 = q̇1, instead of ½ Im (r q̇2)².
    """
    q1, q2, v1, v2 = x[:4]
    c, s = np.cos(q2), np.sin(q2)
    M = np.array(
        [
            [
                I1 + M1 * A1**2 + I2 + M2 * (L1**2 + A2**2 + 2 * L1 * A2 * c) + R**2 * IM,
                I2 + M2 * (A2**2 + L1 * A2 * c),
            ],
            [I2 + M2 * (A2**2 + L1 * A2 * c), I2 + M2 * A2**2 + R**2 * IM],
        ]
    ) + carried * np.array([[1, R], [R, 0]])
    C = M2 * L1 * A2 * s * np.array([[-v2, -(v1 + v2)], [v1, 0]])
    g = np.array(
        [M1 * G * A1 * np.cos(q1) + M2 * G * (L1 * np.cos(q1) + A2 * np.cos(q1 + q2)), M2 * G * A2 * np.cos(q1 + q2)]
    )
    return M, C @ [v1, v2] + g


def full(carried):
    """Eqs. (18) and (20) as ẋ = f(t, x), x = (q, v, i)."""

    def rates(t, x):
        M, h = mechanics(x, carried)
        v, i = x[2:4], x[4:]
        D = np.array([D1, D2]) + R**2 * DM
        return np.array([*v, *np.linalg.solve(M, R * KM * i - D * v - h), *((voltages(t) - RA * i - KE * R * v) / LA)])

    return rates


def simplified(carried):
    """Eq. (28) as ẋ = f(t, x), x = (q, v); Ds with r² dm, which the paper's matrix lacks (errata)."""

    def rates(t, x):
        M, h = mechanics(x, carried)
        v = x[2:4]
        D = np.array([D1, D2]) + R**2 * DM + R**2 * KM * KE / RA
        return np.array([*v, *np.linalg.solve(M, R * KM / RA * voltages(t) - D * v - h)])

    return rates


@pytest.mark.parametrize("name", few(reversed(MODELS), 1))
def test_full_model(name):
    motion = cardan.simulate(cardan.load(name), times=TIMES, rtol=1e-12, atol=1e-13)
    assert motion.ok
    expected = reference(full(MODELS[name]), [*START, 0, 0], TIMES)
    np.testing.assert_allclose(motion.x, expected, atol=TOLERANCE, rtol=0)
    assert motion.report.energy_error < 1e-8 * motion.report.energy_scale  # tolerances of the run, over its turnover


@pytest.mark.parametrize("name", few(reversed(MODELS), 1))
def test_simplified_model(name):
    motion = cardan.simulate(cardan.load(name), times=TIMES, motors="simplified", rtol=1e-12, atol=1e-13)
    expected = reference(simplified(MODELS[name]), START, TIMES)
    np.testing.assert_allclose(motion.x, expected, atol=TOLERANCE, rtol=0)
    i = (voltages(TIMES).T - KE * R * expected[:, 2:]) / RA
    for k, motor in enumerate(("motor1", "motor2")):
        np.testing.assert_allclose(motion.array(f"{motor}.current"), i[:, k], atol=KE * R / RA * TOLERANCE, rtol=0)
    assert motion.report.energy_error < 1e-8 * motion.report.energy_scale


def test_the_carried_rotor_makes_a_difference_that_the_comparison_would_see():
    runs = [cardan.simulate(cardan.load(name), times=TIMES) for name in MODELS]
    assert np.abs(runs[0].x - runs[1].x).max() > 1e3 * TOLERANCE


def symbols():
    """Symbols of the model file that the matrices need."""
    return sympy.symbols("m1 m2 l1 a1 a2 I1 I2 g r Im shoulder elbow shoulder.v elbow.v")


def papers_matrices():
    """(M, C, g) of (35), (36) in SymPy, r² Im included."""
    m1, m2, l1, a1, a2, J1, J2, g, r, Im, q1, q2, v1, v2 = symbols()
    c, s = sympy.cos(q2), sympy.sin(q2)
    M12 = J2 + m2 * (a2**2 + l1 * a2 * c)
    M11 = J1 + m1 * a1**2 + J2 + m2 * (l1**2 + a2**2 + 2 * l1 * a2 * c) + r**2 * Im
    M = sympy.Matrix([[M11, M12], [M12, J2 + m2 * a2**2 + r**2 * Im]])
    C = m2 * l1 * a2 * s * sympy.Matrix([[-v2, -(v1 + v2)], [v1, 0]])
    g2 = m2 * g * a2 * sympy.cos(q1 + q2)
    return {"M": M, "C": C, "g": sympy.Matrix([m1 * g * a1 * sympy.cos(q1) + m2 * g * l1 * sympy.cos(q1) + g2, g2])}


@each("formulation", FORMULATIONS)
def test_symbolic_matrices_are_the_papers(formulation):
    eq = cardan.equations(cardan.load("planar_manipulator"), "simplified", formulation)
    for name, expected in papers_matrices().items():
        assert vanishes(getattr(eq, name) - expected), name
    d1, d2, r, dm, Km, Ke, Ra = sympy.symbols("d1 d2 r dm Km Ke Ra")
    motor = r**2 * dm + r**2 * Km * Ke / Ra
    assert vanishes(eq.D - sympy.diag(d1 + motor, d2 + motor))
    assert vanishes(eq.B - sympy.diag(r * Km / Ra, r * Km / Ra))


def test_the_carried_rotor_adds_exactly_its_own_terms():
    """½ Im (q̇1 + r q̇2)² instead of ½ Im r² q̇2²: M11 += Im, M12 += r Im; constant, so C and g stay."""
    r, Im = sympy.symbols("r Im")
    plain, mounted = (cardan.equations(cardan.load(name), "full", "newton_euler") for name in MODELS)
    assert vanishes(mounted.M - plain.M - Im * sympy.Matrix([[1, r], [r, 0]]))
    for name in ("C", "D", "g", "B", "L", "R", "E"):
        assert vanishes(getattr(mounted, name) - getattr(plain, name)), name


def test_numbers_of_the_matrices():
    x = np.array([0.3, -0.8, 1.1, 0.4])
    terms = cardan.equations(cardan.load("planar_manipulator"), "full").evaluate(x[:2], x[2:])
    M, h = mechanics(x, 0.0)
    np.testing.assert_allclose(terms["M"], M, rtol=1e-14)
    np.testing.assert_allclose(terms["C"] @ x[2:] + terms["g"], h, rtol=1e-13)
    np.testing.assert_allclose(terms["L"], LA * np.eye(2), rtol=1e-15)
    np.testing.assert_allclose(terms["E"], R * KE * np.eye(2), rtol=1e-15)
