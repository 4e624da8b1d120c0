"""The planar 3-RRR manipulator of Hoang & Vuong, section 3.4: (39) by hand, constant rods, power balance."""

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import cardan
from tests.selection import each
from tests.truths.references import vanishes

L0, L1, A, B, M1, M2, M3, IC3 = 1.2, 0.4, 0.35, 0.35, 1, 0.8, 1.5, 0.05  # SI, as in the gallery's file; A, B: links
R, IM, DM, KM, KE, RA = 10, 1e-3, 0.1, 3, 0.1, 3
ALPHA = np.array([7 * np.pi / 6, -np.pi / 6, np.pi / 2])
CORNER = L1 / np.sqrt(3)
BASES = L0 / np.sqrt(3) * np.column_stack([np.cos(ALPHA), np.sin(ALPHA)])
START = np.array([0.02, -0.01, 0.1])
TIMES = np.linspace(0, 2.5, 26)
CLOSED = 1e-10  # f_i [m²], as the project promises


def voltages(t):
    """Inputs of the run [V]."""
    return np.array([1.2 * np.sin(2 * np.pi * t), -1.0 * np.sin(2.6 * np.pi * t), 0.8 * np.sin(1.8 * np.pi * t)])


def corners(x):
    """Platform corners (3, 2) and their derivative by φ."""
    angle = x[2] + ALPHA
    return (
        x[:2] + CORNER * np.column_stack([np.cos(angle), np.sin(angle)]),
        CORNER * np.column_stack([-np.sin(angle), np.cos(angle)]),
    )


def cranks(x):
    """θ_i = ψ_i + acos(…) by the law of cosines in the triangle O_i A_i B_i."""
    d = corners(x)[0] - BASES
    r = np.linalg.norm(d, axis=1)
    return np.arctan2(d[:, 1], d[:, 0]) + np.arccos((A**2 + r**2 - B**2) / (2 * A * r))


def rates(x, v):
    """Crank speeds K v and the part of their accelerations that v alone makes, for f_i = |B_i − A_i|² − l2²."""
    theta = cranks(x)
    p, dp = corners(x)
    e, n = np.column_stack([np.cos(theta), np.sin(theta)]), np.column_stack([-np.sin(theta), np.cos(theta)])
    s = p - BASES - A * e
    onto_cranks = A * np.sum(s * n, axis=1)
    K = np.column_stack([s[:, 0], s[:, 1], np.sum(s * dp, axis=1)]) / onto_cranks[:, None]
    w = K @ v
    s_dot = v[:2] + dp * v[2] - A * n * w[:, None]
    bent = -(p - x[:2]) * v[2] ** 2 + A * e * w[:, None] ** 2
    return K, (np.sum(s_dot * s_dot, axis=1) + np.sum(s * bent, axis=1)) / onto_cranks


def minimal(t, y):
    """ẏ of y = (x, y, φ and rates): Σ (J θ̈ − τ) K_i + diag(m, m, I) ẍ = 0, motors simplified."""
    x, v = y[:3], y[3:]
    K, bias = rates(x, v)
    J = M1 * A**2 / 12 + M1 * A**2 / 4 + M2 * A**2 / 2 + R**2 * IM
    tau = R * KM / RA * (voltages(t) - KE * R * K @ v) - R**2 * DM * K @ v
    platform = np.diag([M3 + 1.5 * M2, M3 + 1.5 * M2, IC3 + 1.5 * M2 * CORNER**2])
    return np.concatenate([v, np.linalg.solve(platform + J * K.T @ K, K.T @ (tau - J * bias))])


@pytest.fixture(scope="module")
def runs():
    """The run with full and with simplified motors."""
    model = cardan.load("planar_3rrr")
    return {
        motors: cardan.simulate(model, times=TIMES, motors=motors, rtol=1e-11, atol=1e-12)
        for motors in ("full", "simplified")
    }


@pytest.fixture(scope="module")
def expected():
    """(x, y, φ, rates) of the minimal ODE."""
    run = solve_ivp(minimal, (0, 2.5), [*START, 0, 0, 0], "DOP853", TIMES, rtol=1e-12, atol=1e-13)
    return run.y.T


def test_the_run_is_that_of_the_minimal_ode(runs, expected):
    run = runs["simplified"]
    np.testing.assert_allclose(run.x[:, 3:6], expected[:, :3], atol=1e-8, rtol=0)
    np.testing.assert_allclose(run.x[:, 9:12], expected[:, 3:], atol=1e-8, rtol=0)
    np.testing.assert_allclose(run.x[:, :3], [cranks(x) for x in expected[:, :3]], atol=1e-8, rtol=0)


@each("motors", ["full", "simplified"])
def test_rods_keep_their_length(runs, motors):
    run = runs[motors]
    assert run.ok
    assert run.report.constraint_violation < CLOSED
    for theta, x in zip(run.x[:, :3], run.x[:, 3:6], strict=True):
        ends = BASES + A * np.column_stack([np.cos(theta), np.sin(theta)])
        f = np.sum((corners(x)[0] - ends) ** 2, axis=1) - B**2
        assert np.abs(f).max() < CLOSED


def test_the_branch_of_the_guess_is_kept(runs):
    start = runs["full"].x[0]
    np.testing.assert_allclose(start[:3], cranks(START), rtol=0, atol=1e-12)
    np.testing.assert_allclose(start[:3], [1.2568, 3.4512, -0.7485], rtol=0, atol=1e-4)  # the guesses' own digits
    np.testing.assert_array_equal(start[3:6], START)


def test_power_balances_with_an_ideal_machine():
    """With Km = Ke no power is made from nothing: E(t) − E(0) = input + forces − losses, and conversion is zero."""
    run = cardan.simulate(cardan.load("planar_3rrr"), times=TIMES, parameters={"Ke": 3.0}, rtol=1e-10, atol=1e-12)
    assert run.report.relative_energy_error < 1e-6
    assert np.abs(run.array("work.conversion")).max() < 1e-15  # J: round-offs of works of some joules
    energy = run.array("energy.total")
    work = run.array("work.input") - run.array("work.dissipation")
    np.testing.assert_allclose(energy - energy[0], work, rtol=0, atol=1e-6 * np.abs(work).max())


def test_the_printed_motor_makes_power_that_is_accounted_for(runs):
    assert np.abs(runs["full"].array("work.conversion")).max() > 0.1  # J
    assert runs["full"].report.relative_energy_error < 1e-8


def test_rods_transmit_forces_along_themselves(runs):
    """And those forces move the platform: m ẍ = Σ F_i, I φ̈ = Σ (B_i − C) × F_i."""
    run = runs["full"]
    forces = [run.array(f"rod{i}.force") for i in (1, 2, 3)]
    total, moment = np.zeros((len(TIMES), 3)), np.zeros(len(TIMES))
    for i, force in enumerate(forces):
        along = run.array(f"platform.B{i + 1}.position") - run.array(f"crank{i + 1}.A.position")
        assert np.abs(np.cross(along, force)).max() < 1e-12 * np.abs(force).max()
        arm = run.array(f"platform.B{i + 1}.position") - run.array("platform.position")
        total, moment = total + force, moment + np.cross(arm, force)[:, 2]
    m, I = M3 + 1.5 * M2, IC3 + 1.5 * M2 * CORNER**2
    scale = 1e-9 * np.abs(np.array(forces)).max()
    np.testing.assert_allclose(m * run.array("platform.x.a"), total[:, 0], rtol=0, atol=scale)
    np.testing.assert_allclose(m * run.array("platform.y.a"), total[:, 1], rtol=0, atol=scale)
    np.testing.assert_allclose(I * run.array("platform.rz.a"), moment, rtol=0, atol=scale)


def test_symbolic_matrices_are_the_papers():
    """(39) with reflected rotors; the lumped rods are parameters of the file."""
    eq = cardan.equations(cardan.load("planar_3rrr"), "simplified")
    Ip, mc, xc, Ic, m1, m2, m3, l1, b, IC1, IC3_, r, Im = sympy.symbols("Ip mc xc Ic m1 m2 m3 l1 b IC1 IC3 r Im")
    lumped = {Ip: IC3_ + 3 * m2 * b**2 / 2, Ic: IC1 + m1 * l1**2 / 4 + m2 * l1**2 / 2 - mc * xc**2}
    crank = IC1 + m1 * l1**2 / 4 + m2 * l1**2 / 2 + r**2 * Im
    platform = (m3 + 3 * m2 / 2, m3 + 3 * m2 / 2, IC3_ + 3 * m2 * b**2 / 2)
    assert vanishes((eq.M - sympy.diag(crank, crank, crank, *platform)).subs(lumped))
    assert vanishes(eq.C)
    assert vanishes(eq.g)


def test_the_constraints_and_their_jacobian(expected):
    """Φ_i = |B_i − A_i|² − l2² and Φq v = 0 for speeds that the law of cosines allows."""
    eq = cardan.equations(cardan.load("planar_3rrr"), "none")
    x, v = expected[7, :3], expected[7, 3:]
    K, bias = rates(x, v)
    terms = eq.evaluate([*cranks(x), *x], [*(K @ v), *v])
    np.testing.assert_allclose(terms["Phi"], 0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(terms["Phi_q"] @ [*(K @ v), *v], 0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(terms["Phi_q"] @ [*bias, 0, 0, 0], terms["gamma"], rtol=0, atol=1e-12)
