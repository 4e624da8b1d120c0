"""Bristles (LuGre friction) of balls, sleeves and plates under the load that the joint itself carries.

Tolerances: runs at rtol 1e-10 and atol 1e-12 with the stiff method, SciPy's DOP853 at 1e-12 and 1e-14 over a second:
1e-8 of values of order 1; forces of friction 1e-6, as 1e-8 m of bend are worth 1e2 N/m × 1e-8 m and more.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import cardan
from tests.truths.test_friction_of_several_motions import BALL, COM, J_BALL, MASS, one_body
from tests.vectors import cross

pytestmark = pytest.mark.exhaustive

STIFF = {"method": "rodas5p", "rtol": 1e-10, "atol": 1e-12}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
G = 9.81
LAW = {"type": "lugre", "coefficient": 0.3, "static": 0.45, "speed": 0.1, "bristle": 200.0, "bristle_damping": 2.0}
PLATE = {"mass": 2.0, "inertia": [0.1, 0.1, 0.2]}
VISCOUS = 0.4


def bristles(w, z):
    """ż and the friction over the load g = σ₀ z + σ₁ ż against the motion."""
    s = np.linalg.norm(w)
    bend = w - 200.0 * s * z / (0.3 + 0.15 * np.exp(-((s / 0.1) ** 2)))
    return bend, 200.0 * z + 2.0 * bend


def plate(friction, **more):
    joint = {"type": "planar", "parent": "ground", "child": "plate", "friction": friction}
    return cardan.Model(gravity=[0, 0, -G], bodies={"plate": PLATE}, joints={"j": joint}, **more)


@pytest.mark.parametrize("preload", [0.0, 5.0])
def test_a_plate_on_a_rough_table_under_a_force_that_lifts_and_presses(preload):
    """m ẇ = F(t) − N g − σ₂ w with N = m g − F_z(t) and the preload; the plate turns its bristles with it."""
    spin = 0.8
    pull = {"type": "force", "child": "plate", "value": ["9*sin(3*t)", "8*sin(5*t + 1)", "10*sin(7*t)"]}
    law = LAW | {"viscous": VISCOUS, "preload": preload}
    run = cardan.simulate(plate(law, forces={"pull": pull}, initial={"j.rz.v": spin}), until=1.5, **STIFF)
    assert run.ok, run.message

    def force(t, y):
        R = Rotation.from_euler("z", spin * t).as_matrix()[:2, :2]
        bend, over_load = bristles(R.T @ y[2:4], y[4:6])
        return bend, R @ ((2.0 * G - 10 * np.sin(7 * t) + preload) * over_load) + VISCOUS * y[2:4]

    def rates(t, y):
        bend, f = force(t, y)
        drive = np.array([9 * np.sin(3 * t), 8 * np.sin(5 * t + 1)])
        return [*y[2:4], *(drive - f) / 2.0, *bend, f @ y[2:4]]

    y = solve_ivp(rates, (0, 1.5), np.zeros(7), **SCIPY).y[:, -1]
    names = ["j.x.q", "j.y.q", "j.x.v", "j.y.v", "j.bristle1", "j.bristle2"]
    np.testing.assert_allclose([run.array(name)[-1] for name in names], y[:6], rtol=0, atol=1e-8)
    f = force(1.5, y)[1]
    np.testing.assert_allclose(run.array("j.friction_force")[-1], [*-f, 0], rtol=0, atol=1e-6)
    assert run.array("j.friction")[-1] == pytest.approx(-f @ y[2:4] / np.linalg.norm(y[2:4]), abs=1e-6)
    assert run.array("j.heat")[-1] == pytest.approx(y[6], abs=1e-7)
    most = 0.45 * (2.0 * G - 10 * np.sin(7 * 1.5) + preload)
    assert run.array("j.friction_limit")[-1] == pytest.approx(most, rel=1e-12)
    assert run.report.relative_energy_error < 1e-8


SPIN, RADIUS = (1.5, -2.0, 3.0), 0.05


@cache
def ball_pendulum():
    """Its last state, and its attitude, the load and the moment of friction in it."""

    def turning(y):
        R, w = Rotation.from_quat(y[:4], scalar_first=True).as_matrix(), y[4:7]
        (bend, g), weight = bristles(w, y[7:10]), MASS * R.T @ [0, 0, -G]

        def turn(N):
            M = -RADIUS * N * g - 0.1 * w
            return np.linalg.solve(J_BALL, cross(COM, weight) + M - cross(w, J_BALL @ w)), M

        def load(N):
            return MASS * (cross(turn(N)[0], COM) + cross(w, cross(w, COM))) - weight

        c, C = load(0.0), load(1.0) - load(0.0)  # N = |c + C N|
        N = np.roots([C @ C - 1, 2 * c @ C, c @ c]).max()
        return R, bend, N, *turn(N)

    def rates(t, y):
        w, (_, bend, _, a, M) = y[4:7], turning(y)
        return [-y[1:4] @ w / 2, *(y[0] * w + cross(y[1:4], w)) / 2, *a, *bend, -M @ w]

    y = solve_ivp(rates, (0, 0.4), [1.0, 0, 0, 0, *SPIN, 0, 0, 0, 0], **SCIPY).y[:, -1]
    R, _, N, _, M = turning(y)
    return y, R, N, M


@pytest.mark.parametrize("cut", [False, True])
def test_a_ball_pendulum_by_eulers_equation(cut):
    """J ω̇ = c × Rᵀ m g − ω × J ω − r N g − σ₂ ω with N = |m (a − g)|, in the axes of the child."""
    start = {f"{'free' if cut else 'joint'}.w{x}": w for x, w in zip("xyz", SPIN, strict=True)}
    law = LAW | {"radius": RADIUS, "viscous": 0.1}
    model = one_body({"type": "spherical", "friction": law}, BALL, cut=cut, initial=start)
    run = cardan.simulate(model, until=0.4, **STIFF)
    assert run.ok, run.message
    y, R, N, M = ball_pendulum()
    at = [*(f"{'free' if cut else 'joint'}.w{x}.v" for x in "xyz"), *(f"joint.bristle{k}" for k in (1, 2, 3))]
    np.testing.assert_allclose([run.array(name)[-1] for name in at], y[4:10], rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.array("joint.friction_moment")[-1], R @ M, rtol=0, atol=1e-6)
    assert run.array("joint.friction")[-1] == pytest.approx(M @ y[4:7] / np.linalg.norm(y[4:7]), abs=1e-6)
    assert run.array("joint.friction_limit")[-1] == pytest.approx(0.45 * RADIUS * N, abs=1e-6)
    assert run.array("joint.heat")[-1] == pytest.approx(y[10], abs=1e-7)
    assert run.report.relative_energy_error < 1e-8


def test_a_rod_whose_weight_lies_beyond_the_end_of_its_sleeve():
    """J φ̈ = M(t) − r N g₁ and m s̈ = F(t) − N g₂, where the ends carry N = |S/2 + m g c/L| + |S/2 − m g c/L| with
    S = m g − F_z(t).
    """
    m, J, radius, length, c = 2.0, 0.01, 0.05, 0.2, 0.3
    law = LAW | {"radius": radius, "length": length}
    joint = {"type": "cylindrical", "parent": "ground", "child": "rod", "axis": "x", "friction": law}
    body = {"mass": m, "com": [c, 0, 0], "inertia": [J, 0.1, 0.1]}
    drive = {"type": "force", "child": "rod", "value": ["40*sin(3*t)", 0, "30*sin(7*t)"]}
    twist = {"type": "torque", "child": "rod", "value": ["1.5*cos(5*t)", 0, 0]}
    model = cardan.Model(
        gravity=[0, 0, -G], bodies={"rod": body}, joints={"j": joint}, forces={"drive": drive, "twist": twist}
    )
    run = cardan.simulate(model, until=1.0, **STIFF)
    assert run.ok, run.message

    def force(t, y):
        across, tilt = m * G - 30 * np.sin(7 * t), m * G * c / length
        bend, g = bristles(np.array([radius * y[3], y[2]]), y[4:6])
        return bend, (abs(across / 2 + tilt) + abs(across / 2 - tilt)) * g

    def rates(t, y):
        bend, f = force(t, y)
        return [y[2], y[3], (40 * np.sin(3 * t) - f[1]) / m, (1.5 * np.cos(5 * t) - radius * f[0]) / J, *bend]

    y = solve_ivp(rates, (0, 1.0), np.zeros(6), **SCIPY).y[:, -1]
    names = ["j.d.q", "j.r.q", "j.d.v", "j.r.v", "j.bristle1", "j.bristle2"]
    np.testing.assert_allclose([run.array(name)[-1] for name in names], y, rtol=0, atol=1e-8)
    f = force(1.0, y)[1]
    np.testing.assert_allclose(run.array("j.friction_force")[-1], [-f[1], 0, 0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.array("j.friction_moment")[-1], [-radius * f[0], 0, 0], rtol=0, atol=1e-6)
    assert run.report.relative_energy_error < 1e-8


def test_along_a_line_they_are_those_of_a_slider():
    """A rod that is pulled along its sleeve, under its weight; the bristles of the other direction stay straight."""
    runs = {}
    for kind, law in (("cylindrical", LAW | {"radius": 0.05}), ("prismatic", LAW)):
        joint = {"type": kind, "parent": "ground", "child": "b", "axis": "x", "friction": law}
        force = {"pull": {"type": "force", "child": "b", "value": ["9*sin(3*t)", 0, 0]}}
        body = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1]}
        model = cardan.Model(gravity=[0, 0, -G], bodies={"b": body}, joints={"j": joint}, forces=force)
        runs[kind] = cardan.simulate(model, times=np.linspace(0, 2, 21), **STIFF)
    sleeve, slider = runs["cylindrical"], runs["prismatic"]
    pairs = [("j.d.q", "j.q"), ("j.d.v", "j.v"), ("j.bristle2", "j.bristle"), ("j.heat", "j.heat")]
    for one, other in (*pairs, ("j.friction_limit", "j.friction_limit")):
        np.testing.assert_allclose(sleeve.array(one), slider.array(other), rtol=0, atol=1e-8)
    along = np.abs(slider.array("j.v")) > 0
    braked = slider.array("j.friction")[along] * np.sign(slider.array("j.v")[along])
    np.testing.assert_allclose(sleeve.array("j.friction")[along], braked, rtol=0, atol=1e-6)
    assert set(sleeve.array("j.bristle1")) == {0.0}


def test_a_plate_on_a_cart_that_comes_to_rest():
    """m (s̈ + ẇ) = −f, M s̈ = 2 + f₁ − μ N with N² = ((M + m) g)² + f₂² until ṡ = 0; then the guide holds the cart."""
    mu, m, M = 0.2, 2.0, 3.0
    guide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x", "friction": {"coefficient": mu}}
    joint = {"type": "planar", "parent": "cart", "child": "load", "friction": LAW}
    model = cardan.Model(
        gravity=[0, 0, -G],
        bodies={"cart": {"mass": M}, "load": {"mass": m, "inertia": [0.1, 0.1, 0.1]}},
        joints={"guide": guide, "j": joint},
        forces={"f": {"type": "force", "child": "cart", "value": [2, 0, 0]}},
        initial={"guide.v": 1.0, "j.x.v": 0.1, "j.y.v": -0.1},
    )
    run = cardan.simulate(model, until=1.0, **STIFF)
    assert run.ok, run.message

    def rates(t, y, slides=True):
        bend, over_load = bristles(y[2:4], y[4:6])
        f = m * G * over_load
        a = (2 - mu * np.hypot((M + m) * G, f[1]) + f[0]) / M if slides else 0.0
        return [y[1], a, *(-f / m - [a, 0]), *bend]

    def rests(t, y):
        return y[1]

    rests.terminal = True
    first = solve_ivp(rates, (0, 1.0), [0, 1.0, 0.1, -0.1, 0, 0], events=rests, **SCIPY)
    then = solve_ivp(rates, (first.t[-1], 1.0), first.y[:, -1], args=(False,), **SCIPY).y[:, -1]
    assert [(event.name, event.did) for event in run.events] == [("guide", "stops")]
    assert run.events[0].t == pytest.approx(first.t[-1], abs=1e-8)
    names = ["guide.q", "guide.v", "j.x.v", "j.y.v", "j.bristle1", "j.bristle2"]
    np.testing.assert_allclose([run.array(name)[-1] for name in names], then, rtol=0, atol=1e-8)


@pytest.mark.parametrize("g", [0.39, 0.41])
def test_bristles_that_change_their_own_load_by_more_than_it(g):
    """A rod whose mass lies h beside its sleeve: m |s̈| = g (P + 2 m |s̈| h/L) has no answer beyond g = L/(2 h) = 0.4.

    The bristles are straight at the start, so that g is their damping × the velocity.
    """
    m, preload, damping = 2.0, 3.0, 0.1
    law = LAW | {"coefficient": 1.0, "static": 1.0, "bristle_damping": damping, "preload": preload}
    joint = {"type": "cylindrical", "parent": "ground", "child": "rod", "axis": "x"}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"rod": {"mass": m, "com": [0, 0, -0.25], "inertia": [0.1, 0.1, 0.1]}},
        joints={"j": joint | {"friction": law | {"radius": 0.05, "length": 0.2}}},
        initial={"j.d.v": g / damping},
    )
    run = cardan.simulate(model, until=1e-6)
    if g < 0.4:
        assert run.ok, run.message
        assert run.array("j.d.a")[0] == pytest.approx(-g * preload / m / (1 - g / 0.4), rel=1e-12)
    else:
        assert run.status == "friction_indeterminate"
        assert run.message.startswith(
            "friction indeterminate at t = 0 s: 'j' has friction with several solutions or none"
        )


def test_functions_and_kinetostatics_have_the_bristles_of_steady_sliding():
    """μ m g + σ₂ |w| against w = (3, 4) m/s, where Stribeck's curve has fallen to μ."""
    brake = 0.3 * 2.0 * G + VISCOUS * 5
    dyn = cardan.compile(plate(LAW | {"viscous": VISCOUS}))
    a = dyn.forward_dynamics([0, 0, 0], [3, 4, 1], np.zeros(3))
    np.testing.assert_allclose(a, [-0.6 * brake / 2, -0.8 * brake / 2, 0], rtol=0, atol=1e-12)
    tau = dyn.inverse_dynamics([0, 0, 0], [3, 4, 1], np.zeros(3))
    np.testing.assert_allclose(tau, [0.6 * brake, 0.8 * brake, 0], rtol=0, atol=1e-12)
    still = plate(LAW | {"viscous": VISCOUS}, motions={"j.x": "3*t", "j.y": "4*t", "j.rz": "0*t"})
    run = cardan.kinetostatics(still, times=[1.0], motors="none")
    efforts = [run.array(f"j.{x}.effort")[0] for x in ("x", "y")]
    np.testing.assert_allclose(efforts, [0.6 * brake, 0.8 * brake], rtol=1e-6)  # bristles reach their bend so far


def test_formulations_agree_and_the_balance_of_energy_holds():
    found = cardan.verify(one_body({"type": "spherical", "friction": LAW | {"radius": 0.05}}, BALL))
    assert found.ok, [check for check in found.checks if not check.ok]
