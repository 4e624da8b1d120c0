"""The digging machine: a program constraint kept by two drives, against equations derived by hand.

With B the scoop, J = ∂B/∂φ and n = (1, −1): m Jᵀ(J φ̈ + J̇ φ̇) = Jᵀ (F − m g e_y) + M, nᵀ(J φ̈ + J̇ φ̇) = 0. In the plane
of the scoop this is Newton's law: the moments act on it as the force J⁻ᵀ M.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, section 4; signs corrected in docs/errata.md
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from tests.selection import each

L, BETA, MASS, G, A = 1.2, 0.8, 25.0, 9.81, 0.5
NORMAL = np.array([1.0, -1.0])
START = [1.2741886705342877, 1.3823566834064653, 0.07529676933528129, -0.3561756616535491]
VARIANTS = ("digging_machine", "digging_machine_minimum_norm", "digging_machine_ideal", "digging_machine_table")
CLOSE = 1e-9  # relative; the integrations below run at 1e-12 and 1e-13


def position(phi):
    a, s = phi[0], phi[0] + phi[1]
    return L * np.array([np.cos(a) - BETA * np.cos(s), np.sin(a) - BETA * np.sin(s)])


def jacobian(phi):
    a, s = phi[0], phi[0] + phi[1]
    outer = BETA * np.array([np.sin(s), -np.cos(s)])
    return L * np.column_stack([np.array([-np.sin(a), np.cos(a)]) + outer, outer])


def convective(phi, rate):
    """J̇ φ̇."""
    a, s, both = phi[0], phi[0] + phi[1], rate.sum()
    inner = -np.array([np.cos(a), np.sin(a)]) * rate[0] ** 2
    return L * (inner + BETA * np.array([np.cos(s), np.sin(s)]) * both**2)


def solution(phi, rate, share):
    """Accelerations and moments M = base + unit μ, where `share` gives base and unit for f = nᵀ J."""
    J, slip = jacobian(phi), convective(phi, rate)
    v = J @ rate
    force = np.array([-(60 + 30 * v[0]), -(40 + 20 * v[1]) - MASS * G])
    base, unit = share(J)
    inverse = np.linalg.inv(J)
    along = inverse.T @ unit / MASS  # acceleration of the scoop per unit of μ
    mu = -NORMAL @ ((force + inverse.T @ base) / MASS) / (NORMAL @ along)
    scoop = (force + inverse.T @ base) / MASS + along * mu
    return inverse @ (scoop - slip), base + unit * mu


def only_second(J):
    return np.zeros(2), np.array([0.0, 1.0])


def smallest(J):
    """Least |M| among those with the same normal acceleration: along the row H of responses, nᵀ J⁻ᵀ/m."""
    return np.zeros(2), np.linalg.inv(J) @ NORMAL


def ideal(J):
    return np.zeros(2), J.T @ NORMAL


SHARES = dict(zip(VARIANTS, (only_second, smallest, ideal, only_second), strict=True))


@each("name", VARIANTS)
def test_moments_and_motion_are_those_of_the_hand_derivation(name):
    times = np.linspace(0, 0.3, 31)

    def rates(t, x):
        return np.concatenate([x[2:], solution(x[:2], x[2:], SHARES[name])[0]])

    by_hand = solve_ivp(rates, (0, 0.3), START, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times).y
    run = cardan.simulate(cardan.load(name), times=times, rtol=1e-12, atol=1e-13)
    assert run.status == "completed"
    found = np.array([run[entry].values for entry in ("phi1.q", "phi2.q", "phi1.v", "phi2.v")])
    np.testing.assert_allclose(found, by_hand, rtol=0, atol=CLOSE * np.abs(by_hand).max())
    moments = np.array([solution(x[:2], x[2:], SHARES[name])[1] for x in found.T]).T
    efforts = np.array([run["phi1.effort"].values, run["phi2.effort"].values])
    np.testing.assert_allclose(efforts, moments, rtol=0, atol=CLOSE * np.abs(moments).max())


@each("name", VARIANTS)
def test_the_scoop_stays_on_its_line(name):
    run = cardan.simulate(cardan.load(name), until=0.3)
    phi = np.array([run["phi1.q"].values, run["phi2.q"].values])
    x, y = np.array([position(one) for one in phi.T]).T
    assert np.abs(x - y - A).max() < 1e-9
    assert run.report.energy_error < 1e-4  # J, of some hundred J at rtol 1e-8


def test_the_line_holds_for_longer_and_without_projection():
    model = cardan.load("digging_machine")
    for settings in ({"rtol": 1e-8}, {"rtol": 1e-12, "atol": 1e-13, "stabilization": "none"}):
        run = cardan.simulate(model, until=1.5, **settings)
        assert run.status == "completed"
        phi = np.array([run["phi1.q"].values, run["phi2.q"].values])
        x, y = np.array([position(one) for one in phi.T]).T
        assert np.abs(x - y - A).max() < 1e-9


@each("initial", [{"phi1": 1.27, "phi2": 1.38}, {"phi1.v": 0.2, "phi2.v": 0.3}])
def test_without_stabilization_a_wrong_start_drifts_in_a_straight_line(initial):
    """The drives keep φ̈ = 0 alone, so that φ(t) = φ(0) + φ̇(0) t."""
    model = cardan.load("digging_machine")
    with pytest.warns(cardan.ModelWarning, match="does not meet the relation of 'line'"):
        run = cardan.simulate(model, initial=initial, until=0.3, stabilization="none", rtol=1e-11, atol=1e-13)
    given = {name: float(str(value)) for name, value in {**model.initial, **initial}.items()}
    phi, rate = np.array([given["phi1"], given["phi2"]]), np.array([given["phi1.v"], given["phi2.v"]])
    (x, y), J = position(phi), jacobian(phi)
    residual = x - y - A + (J[0] - J[1]) @ rate * run.t
    assert np.abs(run.array("line.residual") - residual).max() < 1e-10  # ten times rtol, over 0.3 s
    setup = cardan.prepare(model, until=0.3, stabilization="none", rtol=1e-11, atol=1e-13)
    with pytest.warns(cardan.ModelWarning, match="does not meet the relation of 'line'"):
        again = setup.run(initial=initial)  # another model than that of the setup's own start
    assert np.array_equal(again.array("line.residual"), run.array("line.residual"))


@each("name, share", [(VARIANTS[1], smallest), (VARIANTS[2], ideal)])
def test_both_drives_stretch_the_links_out_before_one_second(name, share):
    run = cardan.simulate(cardan.load(name), until=1.5)
    assert run.status == "drive_lost"
    assert run.t[-1] < 1
    assert abs(np.sin(run["phi2.q"].values[-1])) < 0.05
    assert len(run.t) > 10

    def rates(t, x):
        return np.concatenate([x[2:], solution(x[:2], x[2:], share)[0]])

    def stretched(t, x):
        return np.sin(x[1]) - 1e-3

    stretched.terminal = True
    by_hand = solve_ivp(rates, (0, 1.5), START, method="DOP853", rtol=1e-10, atol=1e-12, events=stretched)
    assert run.t[-1] == pytest.approx(by_hand.t[-1], abs=2e-4)  # the sine is 1e-3 there, not zero


def test_a_table_of_the_soil_is_the_formula():
    runs = [cardan.simulate(cardan.load(name), until=0.3) for name in (VARIANTS[0], VARIANTS[3])]
    ends = [np.array([run["phi1.q"].values[-1], run["phi2.effort"].values[-1]]) for run in runs]
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-6)  # two runs at rtol 1e-8


@pytest.mark.parametrize("phi", [(1.1, 0.9), (0.4, 2.0), (-0.7, 1.3)])
def test_the_matrices_of_the_paper_entry_by_entry(phi):
    """A, A_q, Q⁰, Q*, f, f₀, F, F₀ and D at random speeds (eqs. 25–33, corrected)."""
    rate = np.array([0.7, -1.9])
    equations = cardan.equations(cardan.load("digging_machine"))
    parameters = {"m": MASS, "l": L, "beta": BETA, "a": A, "g": G, "X0": 60, "cx": 30, "Y0": 40, "cy": 20}
    at = dict(zip(("phi1", "phi2", "phi1.v", "phi2.v"), (*phi, *rate), strict=True)) | parameters

    def number(name):
        matrix = equations.compatibility[name]
        by_name = {symbol: at[symbol.name] for symbol in matrix.free_symbols}
        return np.array(matrix.subs(by_name).evalf(), dtype=float)

    J, slip = jacobian(phi), convective(np.array(phi), rate)
    c, s = np.cos(phi[1]), np.sin(phi[1])
    inertia = MASS * L**2
    expected_A = inertia * np.array([[1 + BETA**2 - 2 * BETA * c, BETA * (BETA - c)], [BETA * (BETA - c), BETA**2]])
    slope = inertia * BETA * s * np.array([[2, 1], [1, 0]])
    w1, w2 = rate
    v = J @ rate
    force = J.T @ np.array([-(60 + 30 * v[0]), -(40 + 20 * v[1]) - MASS * G])
    Q0, Q_star = np.array([0, 0.5 * rate @ slope @ rate]), slope @ rate * w2
    f, f0 = NORMAL @ J, NORMAL @ slip
    F = f @ np.linalg.inv(expected_A)
    expected = {
        "A": expected_A,
        "dA_1": np.zeros((2, 2)),
        "dA_2": slope,
        "Q0": Q0[:, None],
        "Qstar": Q_star[:, None],
        "f": f[None],
        "f0": np.array([[f0]]),
        "F": F[None],
        "F0": np.array([[F @ (force + Q0 - Q_star) + f0]]),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(number(name), value, rtol=1e-11, atol=1e-11 * np.abs(value).max(), err_msg=name)
    np.testing.assert_allclose(number("N") @ f, 0, atol=1e-12 * np.abs(f).max())
    np.testing.assert_allclose(inertia * BETA * s * (w1 + w2) * w1, Q0[1], rtol=1e-12)


def test_transmission_matrices_and_their_derivatives():
    matrices = cardan.equations(cardan.load("digging_machine")).compatibility
    angles = {symbol.name: symbol for symbol in matrices["t_1"].free_symbols | matrices["t_2"].free_symbols}
    for place, angle in ((1, "phi1"), (2, "phi2")):
        t = matrices[f"t_{place}"]
        assert (t.diff(angles[angle]) - matrices[f"t_{place}1"]).is_zero_matrix
        assert (t.diff(angles[angle], 2) - matrices[f"t_{place}2"]).is_zero_matrix
