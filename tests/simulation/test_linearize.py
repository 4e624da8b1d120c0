"""`linearize` against closed forms, hand-written equations and finite differences of other functions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.selection import each, few

import cardan
from cardan.formats.yaml import loads

ROUND_OFF = 1e-9  # exact derivatives: some 1e3 roundings of terms up to 1e3
G = 9.81


def crane(**given):
    """The overhead crane without voltage."""
    return cardan.linearize(cardan.load("overhead_crane"), inputs={"drive": 0}, **given)


def test_the_hanging_crane_with_simplified_motors():
    """(mt + mp + r² Im) ẍ + mp l φ̈ = −d ẋ + b u, ẍ + l φ̈ + g φ = 0 with d, b of the paper's eqs. (26), (27)."""
    found = crane(motors="simplified", outputs=["payload.com.x", "swing.a"])
    r, l, m = 10 / 0.025, 0.7, 0.85
    M = np.array([[2 + m + r**2 * 1e-3, m * l], [m * l, m * l**2]])
    D = np.diag([2 + r**2 * (0.1 + 1 * 0.1 / 1), 0])
    K = np.diag([0, m * G * l])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    B = np.r_[0, 0, np.linalg.solve(M, [r * 1 / 1, 0])][:, None]
    assert found.states == ("travel.q", "swing.q", "travel.v", "swing.v")
    assert (found.inputs, found.outputs) == (("drive",), ("payload.com.x", "swing.a"))
    np.testing.assert_allclose(found.A, A, rtol=ROUND_OFF, atol=ROUND_OFF)
    np.testing.assert_allclose(found.B, B, rtol=ROUND_OFF, atol=ROUND_OFF)
    np.testing.assert_allclose(found.C, [[1, l, 0, 0], A[3]], rtol=ROUND_OFF, atol=ROUND_OFF)
    np.testing.assert_allclose(found.D, [[0], B[3]], rtol=ROUND_OFF, atol=ROUND_OFF)
    assert not any(found.rates.values())
    w = np.array([0.5, 3.0])
    expected = [found.C @ np.linalg.solve(1j * one * np.eye(4) - A, B) + found.D for one in w]
    np.testing.assert_allclose(found.response(w), expected, rtol=ROUND_OFF)


def test_feedback_is_part_of_the_system_and_inputs_are_beside_it():
    """θ̈ = (τ − c θ̇)/J with τ = −k (θ − 1) − 2 e + u, ė = θ: poles of s³ J + c s² + k s + 2."""
    model = loads("""
cardan: 1
gravity: [0, 0, 0]
parameters: {k: 8, J: 0.5}
bodies: {disc: {inertia: [0, J, J]}}
joints: {turn: {type: revolute, parent: ground, child: disc, axis: z, damping: 0.7}}
states: {e: turn}
inputs: {turn: "-k*(turn - 1) - 2*e"}
outputs: {angle: turn}
""")
    found = cardan.linearize(model)
    np.testing.assert_allclose(found.A, [[0, 1, 0], [-16, -1.4, -4], [1, 0, 0]], rtol=ROUND_OFF, atol=ROUND_OFF)
    np.testing.assert_allclose(found.B, [[0], [2], [0]], rtol=ROUND_OFF, atol=ROUND_OFF)
    poles = np.sort_complex(np.roots([0.5, 0.7, 8, 2]))
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), poles, rtol=ROUND_OFF)
    assert found.is_stable
    assert found.u == {"turn": 8.0}
    assert found.rates["turn.v"] == pytest.approx(16, rel=ROUND_OFF)
    assert cardan.linearize(model, parameters={"k": 4}).A[1, 0] == pytest.approx(-8, rel=ROUND_OFF)


LOOPS = [("slider_crank", "crank", 0.7), ("bricard", "J0", 0.6), ("four_bar", "A", 1.1), ("four_bar_spatial", "A", 0.4)]


@pytest.mark.parametrize(("name", "driver", "angle"), few(LOOPS, 2))
def test_closed_loops_in_motion(name, driver, angle):
    """Accelerations of assembled states beside the state, by central differences; two loops are overconstrained."""
    model, speed, h = cardan.load(name), 3.0, 1e-5
    found = cardan.linearize(model, {driver: angle, f"{driver}.v": speed}, motors="none", inputs={})
    dyn = cardan.compile(model, motors="none")

    def acceleration(q, v):
        at = cardan.assemble(model, {driver: q, f"{driver}.v": v})
        u = np.zeros(len(dyn.input_names))
        x = [*at.q.values(), *at.v.values()]
        return dyn.state_derivative(x, u)[dyn.state_names.index(f"{driver}.v")]

    by_q = (acceleration(angle + h, speed) - acceleration(angle - h, speed)) / (2 * h)
    by_v = (acceleration(angle, speed + h) - acceleration(angle, speed - h)) / (2 * h)
    assert found.states == (f"{driver}.q", f"{driver}.v")
    # differences of step h: h² of the third derivative, some 1e2, and round-off 1e-10/h of assembly
    np.testing.assert_allclose(found.A, [[0, 1], [by_q, by_v]], rtol=1e-6, atol=1e-6)


def test_a_ball_joint_has_three_freedoms():
    """A body hangs at a ball joint: two pendulums and a free turn, from the four coordinates of a quaternion."""
    m, c, Jx, Jy = 2.0, 0.3, 0.05, 0.09
    model = loads(f"""
cardan: 1
bodies: {{body: {{mass: {m}, com: [0, 0, -{c}], inertia: [{Jx}, {Jy}, 0.08]}}}}
joints: {{ball: {{type: spherical, parent: ground, child: body}}}}
initial: {{ball: {{guess: {{rpy: [0.2, -0.1, 0.3]}}}}}}
""")
    found = cardan.linearize(model, equilibrium=True)
    assert len(found.states) == 6
    expected = [0, 0, *np.repeat([(m * G * c / (J + m * c**2)) ** 0.5 for J in (Jy, Jx)], 2)]
    # double eigenvalues: √round-off of a position found to 1e-9
    np.testing.assert_allclose([mode.frequency for mode in found.modes], expected, rtol=1e-7, atol=1e-4)


def test_an_equilibrium_that_turns_with_its_drive():
    """A bead on a hoop that turns at Ω: cos θ = g/(Ω² R), small oscillations with Ω sin θ."""
    R, W = 0.4, 8.0
    model = loads(f"""
cardan: 1
bodies: {{hoop: {{inertia: [0.1, 0.1, 0.1]}}, bead: {{mass: 0.3, com: [0, 0, -{R}]}}}}
joints:
  spin: {{type: revolute, parent: ground, child: hoop, axis: z}}
  arm: {{type: revolute, parent: hoop, child: bead, axis: y}}
motions: {{spin: {W}*t}}
initial: {{arm: 0.8}}
outputs: {{angle: arm}}
""")
    found = cardan.linearize(model, equilibrium=True)
    theta = np.arccos(G / (W**2 * R))
    assert found.states == ("arm.q", "arm.v")
    assert found.x["arm.q"] == pytest.approx(theta, rel=1e-8)  # where Newton's method ends
    assert found.modes[0].frequency == pytest.approx(W * np.sin(theta), rel=1e-7)
    assert not found.is_stable  # nothing damps it


def test_an_equilibrium_of_a_closed_loop():
    """A crank on a spring carries a slider by a rod: the angle from virtual work, by a root search of its own."""
    model = loads("""
cardan: 1
planar: xz
bodies:
  crank: {mass: 1, com: [0.1, 0, 0], inertia: [0, 0.01, 0], markers: {pin: {position: [0.2, 0, 0]}}}
  rod: {mass: 0, markers: {end: {position: [0.5, 0, 0]}}}
  slider: {mass: 2}
joints:
  crank: {type: revolute, parent: ground, child: crank, axis: -y, stiffness: 15, rest: 1.2, damping: 0.5}
  pin: {type: revolute, parent: crank.pin, child: rod, axis: -y}
  end: {type: revolute, parent: rod.end, child: slider, axis: -y}
  guide: {type: prismatic, parent: ground, child: slider, axis: z}
initial: {crank: {guess: 0.9}, pin: {guess: 0.6}, guide: {guess: 0.6}}
""")
    found = cardan.linearize(model, equilibrium=True)

    def height(a):
        return 0.2 * np.sin(a) + np.sqrt(0.25 - (0.2 * np.cos(a)) ** 2)

    def moment(a, h=1e-6):
        return 15 * (1.2 - a) - 0.1 * G * np.cos(a) - 2 * G * (height(a + h) - height(a - h)) / (2 * h)

    assert found.x["crank.q"] == pytest.approx(
        brentq(moment, 0.2, 1.5, xtol=1e-12), abs=1e-7
    )  # difference quotient of step 1e-6
    assert found.is_stable
    assert len(found.states) == 2
    assert (
        max(abs(rate) for rate in found.rates.values()) < 1e-6
    )  # Newton's last step is 1e-9, accelerations 1e2 per rad


def test_the_record_shows_its_modes():
    found = crane()
    assert "3.74" in repr(found)
    assert "not all motions decay" in repr(found)
    assert found.modes[0].eigenvalue == pytest.approx(0, abs=1e-9)
    assert found.modes[0].shape["travel.q"] == pytest.approx(1)
    assert found.modes[0].damping == 0.0 or found.modes[0].frequency > 0


SLIDE = """
cardan: 1
gravity: [0, 0, 0]
bodies: {b: {mass: 1}}
joints: {s: {type: prismatic, parent: ground, child: b, axis: x%s}}
%s
"""


@each(
    "joint, more, given, words",
    [
        (", friction: {effort: 1}", "", {}, "friction that sticks"),
        (", limits: {lower: 0}", "", {}, "starts at 0 m, at or beyond its stop at 0 m"),
        (", limits: {one_way: true}", "", {}, "starts at a speed of 0, and moves one way only"),
        ("", "inputs: {s: {every: 10 ms, value: -s}}", {}, "sampled law"),
        ("", "", {"outputs": "s"}, "no list of texts"),
        ("", "", {"outputs": [5]}, "no list of texts"),
        ("", "", {"outputs": ["s", "t", "s"]}, r"^outputs\[2\]: 's' is there twice"),
        ("", "", {"outputs": ["slid"]}, r"^outputs\[0\]: 'slid' is nothing"),
        ("", "inputs: {s: 3}", {"equilibrium": True}, "no equilibrium near the initial position: the rate of 's.v'"),
    ],
)
def test_what_is_refused(joint, more, given, words):
    with pytest.raises((cardan.ModelError, cardan.SolveError), match=words):
        cardan.linearize(loads(SLIDE % (joint, more)), **given)


@each("stops", ["lower: -5 cm", "lower: -5 cm, stiffness: 1e5 N/m"])
def test_an_equilibrium_beyond_a_stop_is_refused(stops):
    """A mass of 2 kg on a spring of 100 N/m hangs at −m g/k = −0.196 m without its stop."""
    with pytest.raises(
        cardan.ModelError, match=r"'s' has its equilibrium at -0.1962 m, at or beyond its stop at -0.05 m"
    ):
        cardan.linearize(
            loads(f"""
cardan: 1
bodies: {{b: {{mass: 2}}}}
joints: {{s: {{type: prismatic, parent: ground, child: b, axis: z, stiffness: 100, damping: 1, limits: {{{stops}}}}}}}
"""),
            equilibrium=True,
        )


@each("place", ["joints", "constraints"])
def test_friction_that_sticks_is_refused_where_it_stands(place):
    rub = {"friction": {"effort": 3}}
    own = {"joints": {}, "constraints": {}} | {place: rub}
    wire = {"type": "point_on_line", "child": "b", "axis": "x"}
    model = cardan.Model(
        planar="xz",
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={
            "rail": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x", **own["joints"]},
            "lift": {"type": "prismatic", "parent": "a", "child": "b", "axis": "z"},
        },
        constraints={"wire": {**wire, **own["constraints"]}},
    )
    with pytest.raises(cardan.ModelError, match="friction that sticks") as error:
        cardan.linearize(model)
    assert error.value.issues[0].path == (place, "rail" if place == "joints" else "wire", "friction")


def test_a_singular_position_is_refused():
    with pytest.raises(cardan.SolveError, match="singular position"):
        cardan.linearize(
            loads("""
cardan: 1
planar: xy
bodies:
  ground: {markers: {D: {position: [1, 0, 0]}}}
  a: {mass: 1, inertia: [0, 0, 0.1], markers: {B: {position: [0.4, 0, 0]}}}
  b: {mass: 1, inertia: [0, 0, 0.1], markers: {C: {position: [1, 0, 0]}}}
  c: {mass: 1, inertia: [0, 0, 0.1], markers: {C: {position: [0.4, 0, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: a, axis: z}
  B: {type: revolute, parent: a.B, child: b, axis: z}
  C: {type: revolute, parent: b.C, child: c.C, axis: z}
  D: {type: revolute, parent: ground.D, child: c, axis: z}
initial: {A: 0, A.v: 1, B.v: -1}
""")
        )
