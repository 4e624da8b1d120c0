"""The overhead crane of Hoang & Vuong, section 3.1, against its equations (29)–(34) written down by hand."""

import numpy as np
import pytest
import sympy

import cardan
from cardan.matrix_form.terms import FORMULATIONS
from tests.selection import each
from tests.truths.references import reference, vanishes

MT, MP, L, RW, G, D1 = 2, 0.85, 0.7, 0.025, 9.81, 2  # printed in the paper, SI
R, IM, DM, KM, KE, RA, LA, U = 10, 1e-3, 0.1, 1, 0.1, 1, 1e-3, 10
TIMES = np.linspace(0, 5, 101)
TOLERANCE = 1e-8  # what the project promises for the whole run; the reference's own error is 3e-11

STATES = np.random.default_rng(1).uniform(-2, 2, (50, 4))


def full(t, x):
    """Eq. (33): A(q) q̈ + h(q, q̇) = B u with q₃ = ∫ i dt."""
    q2, v1, v2, i = x[1:]
    A = np.array(
        [
            [MT + MP + (R / RW) ** 2 * IM, MP * L * np.cos(q2), 0],
            [MP * L * np.cos(q2), MP * L**2, 0],
            [0, 0, LA],
        ]
    )
    h = np.array(
        [
            -MP * L * v2**2 * np.sin(q2) + (D1 + DM * (R / RW) ** 2) * v1 - (R / RW) * KM * i,
            MP * G * L * np.sin(q2),
            KE * (R / RW) * v1 + RA * i,
        ]
    )
    return np.array([v1, v2, *np.linalg.solve(A, [0, 0, U] - h)])


def simplified(t, x):
    """Eq. (34): Ms q̈ + Cs q̇ + Ds q̇ + gs = Bs u."""
    q2, v = x[1], x[2:]
    Ms = np.array(
        [
            [MT + MP + R**2 * IM / RW**2, MP * L * np.cos(q2)],
            [MP * L * np.cos(q2), MP * L**2],
        ]
    )
    Cs = np.array([[0, -MP * L * v[1] * np.sin(q2)], [0, 0]])
    Ds = np.diag([D1 + DM * (R / RW) ** 2 + R**2 * KM / RA * KE / RW**2, 0])
    gs = np.array([0, MP * G * L * np.sin(q2)])
    Bs = np.array([R * KM / RA / RW, 0])
    return np.array([*v, *np.linalg.solve(Ms, Bs * U - (Cs + Ds) @ v - gs)])


@pytest.fixture(scope="module")
def crane():
    """The model of the gallery."""
    return cardan.load("overhead_crane")


@pytest.fixture(scope="module")
def expected():
    """States of the full model at `TIMES` by the hand-written equations."""
    return reference(full, np.zeros(5), TIMES)


def run(crane, motors, **options):
    """A run at tolerances far below the comparison's.

    Explicit methods take the longest steps that are stable here; between their ends, fast states are then a thousand
    times less accurate than the tolerances (SciPy's are, too).
    """
    return cardan.simulate(crane, times=TIMES, motors=motors, rtol=1e-12, atol=1e-13, **options)


@pytest.mark.parametrize("method", ["auto", "tsit5", "dop853", "rodas5p"])
def test_full_model(crane, expected, method):
    motion = run(crane, "full", method=method)
    assert motion.ok
    assert motion.state_names == ("travel.q", "swing.q", "travel.v", "swing.v", "drive.current")
    np.testing.assert_allclose(motion.x, expected, atol=TOLERANCE, rtol=0)


def test_simplified_model(crane):
    motion = run(crane, "simplified")
    expected = reference(simplified, np.zeros(4), TIMES)
    np.testing.assert_allclose(motion.x, expected, atol=TOLERANCE, rtol=0)
    current = (U - KE * R / RW * expected[:, 2]) / RA
    np.testing.assert_allclose(motion.array("drive.current"), current, atol=RA * KE * R / RW * TOLERANCE, rtol=0)


def test_state_derivative_is_the_papers_over_many_states(crane):
    x = np.column_stack([STATES, np.linspace(-3, 3, len(STATES))])
    ours = cardan.compile(crane).state_derivative(x, [U])
    theirs = np.array([full(0, state) for state in x])
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-10)  # accelerations up to 1e3 through κ(A) ≤ 1e3
    ours = cardan.compile(crane, motors="simplified").state_derivative(STATES, [U])
    np.testing.assert_allclose(ours, [simplified(0, state) for state in STATES], rtol=1e-12, atol=1e-10)


def papers_matrices():
    """Matrices of (29)–(34) in SymPy, by motor model, in the symbols of the model file."""
    mt, mp, L, rw, g, d1, r, Im, dm, Km, Ke, Ra, La = sympy.symbols("mt mp L rw g d1 r Im dm Km Ke Ra La")
    q2, v2 = sympy.symbols("swing swing.v")
    M = sympy.Matrix([[mt + mp + (r / rw) ** 2 * Im, mp * L * sympy.cos(q2)], [mp * L * sympy.cos(q2), mp * L**2]])
    C = sympy.Matrix([[0, -mp * L * v2 * sympy.sin(q2)], [0, 0]])
    g_ = sympy.Matrix([0, mp * g * L * sympy.sin(q2)])
    full = {"D": sympy.diag(d1 + dm * (r / rw) ** 2, 0), "B": sympy.Matrix([r / rw * Km, 0])}
    full |= {"L": sympy.Matrix([La]), "R": sympy.Matrix([Ra]), "E": sympy.Matrix([[Ke * r / rw, 0]])}
    D = sympy.diag(d1 + dm * (r / rw) ** 2 + r**2 * Km * Ke / Ra / rw**2, 0)
    simplified = {"D": D, "B": sympy.Matrix([r * Km / Ra / rw, 0])}
    common = {"M": M, "C": C, "g": g_, "Q": sympy.zeros(2, 1)}
    return {"full": common | full, "simplified": common | simplified}


@each("motors", ["full", "simplified"])
@each("formulation", FORMULATIONS)
def test_symbolic_matrices_are_the_papers(crane, motors, formulation):
    eq = cardan.equations(crane, motors, formulation)
    assert eq.coordinates == ("travel", "swing")
    assert eq.velocities == ("travel.v", "swing.v")
    assert eq.inputs == ("drive",)
    for name, expected in papers_matrices()[motors].items():
        assert vanishes(getattr(eq, name) - expected), name


def test_mechanism_without_motor_is_that_of_the_energies(crane):
    """Eq. (29) alone: no rotor in M, only the trolley's own damping in D, efforts as inputs."""
    terms = cardan.equations(crane, "none").evaluate([0.3, 0.5], [0.2, 0.7])
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(terms["M"], [[MT + MP, MP * L * c], [MP * L * c, MP * L**2]], rtol=1e-14)
    np.testing.assert_allclose(terms["C"] @ [0.2, 0.7], [-MP * L * 0.49 * s, 0], rtol=0, atol=1e-14)
    np.testing.assert_array_equal(terms["D"], np.diag([D1, 0]))
    np.testing.assert_array_equal(terms["B"], np.eye(2))
    assert terms["L"].shape == (0, 0)


def test_energies_are_eq_29(crane):
    q, v = STATES[:, :2], STATES[:, 2:]
    kinetic, potential = cardan.compile(crane, motors="none").energy(q, v)
    expected = (
        (MT + MP) * v[:, 0] ** 2 / 2 + MP * L * np.cos(q[:, 1]) * v[:, 0] * v[:, 1] + MP * L**2 * v[:, 1] ** 2 / 2
    )
    np.testing.assert_allclose(kinetic, expected, rtol=0, atol=1e-14 * 50)
    np.testing.assert_allclose(potential, -MP * G * L * np.cos(q[:, 1]), rtol=0, atol=1e-14 * 50)


@each("motors", ["full", "simplified"])
def test_energy_balance_from_volts_to_load(crane, motors):
    """E(t) − E(0) = ∫ (u i + (Km − Ke) ω i − dissipation) dt, each term integrated by hand from the states.

    The printed Km ≠ Ke makes power from nothing: `conversion` says how much, and without it nothing balances.
    """
    t = np.linspace(0, 2, 20_001)
    motion = cardan.simulate(crane, times=t, motors=motors, rtol=1e-11, atol=1e-12)
    v, i = motion.array("travel.v"), motion.array("drive.current")
    w = R / RW * v
    rates = {
        "input": U * i,
        "conversion": (KM - KE) * w * i,
        "forces": 0 * i,
        "dissipation": RA * i**2 + D1 * v**2 + DM * w**2,
    }
    for name, rate in rates.items():
        work = np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(t))])
        # trapezoidal rule: h²/12 times the change of the rate's slope, which is below 2e6 W/s at the start
        np.testing.assert_allclose(motion.array(f"work.{name}"), work, rtol=0, atol=(t[1] ** 2) / 12 * 2e6)
    assert motion.report.energy_error < 1e-8 * motion.report.energy_scale  # tolerances of the run, over its turnover
    assert motion.array("work.conversion")[-1] > 0.5 * motion.report.energy_scale


def test_ideal_machine_converts_without_gain(crane):
    """With Km = Ke the electrical power Ke ω i becomes mechanical power: `conversion` is zero at all times."""
    motion = run(crane, "full", parameters={"Ke": 1.0})
    assert (
        np.abs(motion.array("work.conversion")).max() < 1e-12 * motion.report.energy_scale
    )  # round-off of a difference
    assert motion.report.energy_error < 1e-8 * motion.report.energy_scale


def test_printed_values_lead_where_the_paper_says(crane):
    """Figs. 6–8: the current falls from its peak to a constant; friction and back-EMF decide the trolley's speed."""
    motion = cardan.simulate(crane)
    damping = D1 + (R / RW) ** 2 * DM
    speed = R / RW * KM * U / (damping * RA + (R / RW) ** 2 * KM * KE)
    pull = MP * G * np.tan(np.abs(motion.array("swing.q")).max())  # what the payload may at most pull with
    assert motion.array("travel.v")[-1] == pytest.approx(speed, abs=pull / damping)
    current = motion.array("drive.current")
    assert current[0] == 0
    assert current[-1] == pytest.approx((U - KE * R / RW * speed) / RA, abs=KE * R / RW * pull / damping / RA)
    assert current.max() < U / RA
