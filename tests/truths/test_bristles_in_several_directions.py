"""Bristles (LuGre friction) of balls, sleeves and plates, and beside joints that stick in several directions.

Tolerances: runs at rtol 1e-10 and atol 1e-12 with the stiff method, SciPy's Radau at 1e-10 and 1e-12 over a second:
1e-8 of values of order 1.
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
SCIPY = {"method": "Radau", "rtol": 1e-10, "atol": 1e-12}
G = 9.81
PLATE = {"mass": 2.0, "inertia": [0.1, 0.1, 0.2]}
LAW = {"type": "lugre", "effort": 3.0, "static": 4.0, "speed": 0.1, "viscous": 0.4, "bristle": 2e3}
LAW |= {"bristle_damping": 20.0}


def bristles(w, z):
    """ż and the effort σ₀ z + σ₁ ż + σ₂ w against the motion."""
    s = np.linalg.norm(w)
    bend = w - 2e3 * s * z / (3.0 + 1.0 * np.exp(-((s / 0.1) ** 2)))
    return bend, 2e3 * z + 20.0 * bend + 0.4 * w


def plate(friction, **more):
    joint = {"type": "planar", "parent": "ground", "child": "plate", "friction": friction}
    return cardan.Model(bodies={"plate": PLATE}, joints={"j": joint}, **more)


def test_a_plate_that_a_turning_force_pulls_about():
    """m ẇ = F(t) − σ₀ z − σ₁ ż − σ₂ w: it bends its bristles, slides, and turns round."""
    pull = {"type": "force", "child": "plate", "value": ["6*sin(3*t)", "5*sin(5*t + 1)", 0]}
    run = cardan.simulate(plate(LAW, forces={"pull": pull}), until=1.5, **STIFF)

    def rates(t, y):
        bend, f = bristles(y[2:4], y[4:6])
        return [*y[2:4], *(np.array([6 * np.sin(3 * t), 5 * np.sin(5 * t + 1)]) - f) / 2.0, *bend]

    found = solve_ivp(rates, (0, 1.5), np.zeros(6), **SCIPY).y[:, -1]
    names = ["j.x.q", "j.y.q", "j.x.v", "j.y.v", "j.bristle1", "j.bristle2"]
    np.testing.assert_allclose([run.array(name)[-1] for name in names], found, rtol=0, atol=1e-8)
    _, f = bristles(found[2:4], found[4:6])
    np.testing.assert_allclose(run.array("j.friction_force")[-1], [*-f, 0], rtol=0, atol=1e-4)  # 2e3 N/m × 1e-8 m
    along = -f @ found[2:4] / np.linalg.norm(found[2:4])
    assert run.array("j.friction")[-1] == pytest.approx(along, abs=1e-4)
    assert run.report.relative_energy_error < 1e-8


SPIN = (1.5, -2.0, 3.0)


@cache
def ball_pendulum():
    """Its last state: attitude (4,), angular velocity (3,) and bends (3,)."""

    def rates(t, y):
        R, w = Rotation.from_quat(y[:4], scalar_first=True).as_matrix(), y[4:7]
        bend, f = bristles(w, y[7:])
        turn = cross(COM, MASS * R.T @ [0, 0, -G]) - cross(w, J_BALL @ w) - f
        return [-y[1:4] @ w / 2, *(y[0] * w + cross(y[1:4], w)) / 2, *np.linalg.solve(J_BALL, turn), *bend]

    return solve_ivp(rates, (0, 1.0), [1.0, 0, 0, 0, *SPIN, 0, 0, 0], **SCIPY).y[:, -1]


@pytest.mark.parametrize("cut", [False, True])
def test_a_ball_pendulum_by_eulers_equation(cut):
    """J ω̇ = c × Rᵀ m g − ω × J ω − σ₀ z − σ₁ ż − σ₂ ω, in the axes of the child."""
    start = {f"{'free' if cut else 'joint'}.w{x}": w for x, w in zip("xyz", SPIN, strict=True)}
    model = one_body({"type": "spherical", "friction": LAW}, BALL, cut=cut, initial=start)
    run, y = cardan.simulate(model, until=1.0, **STIFF), ball_pendulum()
    at = [*(f"{'free' if cut else 'joint'}.w{x}.v" for x in "xyz"), *(f"joint.bristle{k}" for k in (1, 2, 3))]
    np.testing.assert_allclose([run.array(name)[-1] for name in at], y[4:], rtol=0, atol=1e-8)
    R = Rotation.from_quat(y[:4], scalar_first=True).as_matrix()
    moment = R @ -bristles(y[4:7], y[7:])[1]
    np.testing.assert_allclose(run.array("joint.friction_moment")[-1], moment, rtol=0, atol=1e-4)
    assert run.report.relative_energy_error < 1e-8


def test_along_a_line_they_are_those_of_a_slider():
    """A rod that is pulled along its sleeve; the bristles of the other direction stay straight."""
    runs = {}
    for kind, law in (("cylindrical", LAW | {"radius": 0.05}), ("prismatic", LAW)):
        joint = {"type": kind, "parent": "ground", "child": "b", "axis": "x", "friction": law}
        force = {"pull": {"type": "force", "child": "b", "value": ["6*sin(3*t)", 0, 0]}}
        body = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1]}
        model = cardan.Model(bodies={"b": body}, joints={"j": joint}, forces=force)
        runs[kind] = cardan.simulate(model, times=np.linspace(0, 2, 21), **STIFF)
    sleeve, slider = runs["cylindrical"], runs["prismatic"]
    for one, other in (("j.d.q", "j.q"), ("j.d.v", "j.v"), ("j.bristle2", "j.bristle"), ("j.heat", "j.heat")):
        np.testing.assert_allclose(sleeve.array(one), slider.array(other), rtol=0, atol=1e-8)
    assert set(sleeve.array("j.bristle1")) == {0.0}


@pytest.mark.parametrize("by", ["coefficient", "effort"])
def test_a_cart_on_bristles_beside_a_plate_that_sticks(by):
    """M s̈ = −σ₀ z − σ₁ ż − σ₂ ṡ + R, with R = −m s̈ of a plate that sticks and R = μ m g when it slides on the cart.

    The plate begins with 1 m/s across the cart, and rests on it when both have the same velocity.
    """
    mu, m, M, v = 0.3, 1.0, 3.0, 1.0
    friction = {"coefficient": mu} if by == "coefficient" else {"effort": mu * m * G}
    guide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x", "friction": LAW}
    joint = {"type": "planar", "parent": "cart", "child": "load", "friction": friction}
    model = cardan.Model(
        bodies={"cart": {"mass": M}, "load": {"mass": m, "inertia": [0.1, 0.1, 0.1]}},
        joints={"guide": guide, "j": joint},
        forces={"f": {"type": "force", "child": "cart", "value": ["4*sin(4*t)", 0, 0]}},
        initial={"j.x.v": v},
    )
    run = cardan.simulate(model, until=1.5, **STIFF)
    assert run.ok, run.message

    def slides(t, y):
        bend, f = bristles(y[1:2], y[2:3])
        a = (mu * m * G - f[0] + 4 * np.sin(4 * t)) / M
        return [y[1], a, bend[0], -mu * G - a]

    def sticks(t, y):
        bend, f = bristles(y[1:2], y[2:3])
        return [y[1], (4 * np.sin(4 * t) - f[0]) / (M + m), bend[0], 0]

    def rests(t, y):
        return y[3]

    rests.terminal = True
    first = solve_ivp(slides, (0, 1.5), [0, 0, 0, v], events=rests, **SCIPY)
    then = solve_ivp(sticks, (first.t[-1], 1.5), first.y[:, -1], **SCIPY).y[:, -1]
    assert [(event.name, event.did) for event in run.events] == [("j", "stops")]
    assert run.events[0].t == pytest.approx(first.t[-1], abs=1e-8)
    names = ["guide.q", "guide.v", "guide.bristle"]
    np.testing.assert_allclose([run.array(name)[-1] for name in names], then[:3], rtol=0, atol=1e-8)
    assert run.array("j.x.v")[-1] == 0.0


def test_functions_have_the_bristles_of_steady_sliding():
    """F(|w|) + σ₂ |w| against w = (3, 4) m/s, where Stribeck's curve has fallen to 3 N: 3 + 0.4·5 N."""
    dyn = cardan.compile(plate(LAW))
    a = dyn.forward_dynamics([0, 0, 0], [3, 4, 1], np.zeros(3))
    np.testing.assert_allclose(a, [-0.6 * 5 / 2, -0.8 * 5 / 2, 0], atol=1e-12)


def test_formulations_agree():
    assert cardan.verify(one_body({"type": "spherical", "friction": LAW}, BALL)).ok
