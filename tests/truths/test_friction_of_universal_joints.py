"""Friction of the two pins of a universal joint against the equations of one body and of two shafts, by hand.

Tolerances: runs at rtol 1e-11 and atol 1e-13, SciPy at 1e-12 and 1e-14, over some seconds: 1e-8 of values of order 1.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from tests.vectors import cross

FINE = {"rtol": 1e-11, "atol": 1e-13}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
G = np.array([0, 0, -9.81])


def pin_load(f, n, pin, length):
    """|f₁| + |f₂| at both ends of a pin, `length` apart: f₁ + f₂ = f, length/2 e × (f₁ − f₂) = n, both across it."""
    across = f - pin * (pin @ f)
    tilt = cross(n, pin) / length
    return np.linalg.norm(across / 2 + tilt) + np.linalg.norm(across / 2 - tilt)


def settled(step, start):
    """x with x = step(x), by repetition: friction changes its own load by far less than this load."""
    before, x = start, step(start)
    for _ in range(200):
        if np.abs(x - before).max() <= 1e-15 * (1 + np.abs(x).max()):
            return x
        before, x = x, step(x)
    raise AssertionError("the loads do not settle")


# a body that hangs on a universal joint: e1 = x of the ground, e2 = y of the body


MASS, COM, J = 2.0, np.array([0.05, -0.1, -0.4]), np.diag([0.21, 0.17, 0.06])
BODY = {"mass": MASS, "com": list(COM), "inertia": list(np.diag(J))}
LAW = {"coefficient": 0.3, "radius": 0.04, "length": 0.1}


def hanging(law, cut=False, turned=False, body=BODY, kind="universal", axes=("x", "y")):
    """A body under the ground on a joint that the tree crosses either way, or that closes a loop."""
    bodies, joints = {"body": body}, {}
    ends = {"parent": "ground", "child": "body"}
    if turned:  # the tree grows from a base to the body, whose joint has it as its parent
        bodies = {"base": {"mass": 1, "inertia": [1, 1, 1]}, "body": body}
        joints = {"wall": {"type": "fixed", "parent": "ground", "child": "base"}}
        ends, axes = {"parent": "body", "child": "base"}, axes[::-1]
    if cut:
        joints = {"free": {"type": "free", **ends}}
    joint = {"type": kind, **ends, "friction": law, "cut": cut}
    joint |= {"axes": list(axes)} if kind == "universal" else {"axis": axes[0]}
    return cardan.Model(gravity=list(G), bodies=bodies, joints=joints | {"joint": joint})


def sizes(law, loads, speeds):
    """Moments of friction on both pins, without their signs, as docs/friction.md says it."""
    dry = law["coefficient"] * law["radius"] * loads if "coefficient" in law else law["effort"]
    return dry * np.ones(2) + law.get("viscous", 0) * np.abs(speeds)


def ways(law, speeds):
    return np.tanh(speeds / law["regularize"]) if "regularize" in law else np.sign(speeds)


def body_motion(law, y):
    """(r̈1, r̈2), the moments of friction on both pins, and their loads: Euler's equation about the centre of the cross.

    J ω̇ + ω × J ω = com × m g + φ1 e1 + φ2 e2 + N e3, with e3 at right angles to both pins.
    """
    r1, r2, v1, v2 = y[:4]
    c1, s1, c2, s2 = np.cos(r1), np.sin(r1), np.cos(r2), np.sin(r2)
    R = np.array([[1, 0, 0], [0, c1, -s1], [0, s1, c1]]) @ np.array([[c2, 0, s2], [0, 1, 0], [-s2, 0, c2]])
    e1, e2 = np.array([1.0, 0, 0]), R[:, 1]
    e3, com = cross(e1, e2), R @ COM
    inertia = R @ (J + MASS * (COM @ COM * np.eye(3) - np.outer(COM, COM))) @ R.T
    w = v1 * e1 + v2 * e2
    turning = cross(v1 * e1, e2) * v2  # rate of w beside that of the speeds

    def solved(phi):
        matrix = np.column_stack([inertia @ e1, inertia @ e2, -e3])
        known = cross(com, MASS * G) + phi[0] * e1 + phi[1] * e2 - cross(w, inertia @ w) - inertia @ turning
        a1, a2, N = np.linalg.solve(matrix, known)
        alpha = a1 * e1 + a2 * e2 + turning
        f = MASS * (cross(alpha, com) + cross(w, cross(w, com)) - G)
        n = phi[0] * e1 + phi[1] * e2 + N * e3
        return np.array([a1, a2]), np.array([pin_load(f, n, pin, law.get("length", 1)) for pin in (e1, e2)])

    speeds = np.array([v1, v2])
    phi = settled(lambda phi: -ways(law, speeds) * sizes(law, solved(phi)[1], speeds), np.zeros(2))
    a, loads = solved(phi)
    return a, phi, loads


@cache
def body_run(k, start, times):
    """States of a body with a law of `BODY_LAWS`, and moments and loads in them; once for all ways to describe it."""
    law = BODY_LAWS[k]

    def rates(t, y):
        a, phi, _ = body_motion(law, y)
        return [*y[2:4], *a, -phi[0] * y[2], -phi[1] * y[3]]

    y = solve_ivp(rates, (0, times[-1]), [*start, 0, 0], t_eval=times, **SCIPY).y.T
    found = [body_motion(law, each) for each in y]
    return y, np.array([each[1] for each in found]), np.array([each[2] for each in found])


def pins_start(start, first, second, sign):
    """Initial values of the angles and speeds of the pins."""
    given = {first: sign * start[0], second: sign * start[1]}
    return given | {f"{first}.v": sign * start[2], f"{second}.v": sign * start[3]}


def free_start(start):
    """The same position and speeds as those of a free body; its turn about the third axis follows from the joint."""
    turn = Rotation.from_euler("XY", start[:2])
    w = turn.inv().apply([start[2], 0, 0]) + np.array([0, start[3], 0])
    given = {f"free.q{k}": {"guess": each} for k, each in zip("xyzw", turn.as_quat().tolist(), strict=True)}
    return given | {f"free.w{k}.v": each for k, each in zip("xy", w.tolist()[:2], strict=True)}


BODY_LAWS = [
    {"effort": 0.3, "viscous": 0.02},
    LAW,
    LAW | {"regularize": 0.5},
]


@pytest.mark.parametrize(
    ("k", "cut", "turned"),
    [(0, False, False), (1, False, False), (2, False, False), (1, True, False), (1, False, True), (0, True, False)],
)
def test_a_body_on_a_universal_joint_moves_by_eulers_equation(k, cut, turned):
    """Motion, moments of both pins, their loads and their heat, before any of them stops, or through it if smooth."""
    law, start = BODY_LAWS[k], (0.2, -0.1, 2.5, -2.0)
    times = np.linspace(0.01, 1.2 if "regularize" in law else 0.15, 30)
    y, phi, loads = body_run(k, start, tuple(times))
    assert "regularize" in law or (y[:, 2] > 0.1).all()  # nothing sticks meanwhile
    assert "regularize" in law or (y[:, 3] < -0.1).all()
    sign = -1 if turned else 1
    first, second = ("joint.r2", "joint.r1") if turned else ("joint.r1", "joint.r2")
    run_start = free_start(start) if cut else pins_start(start, first, second, sign)
    run = cardan.simulate(hanging(law, cut, turned), times=times, initial=run_start, **FINE)
    assert run.ok, run.message
    if not cut:
        for name, column in ((first, 0), (second, 1)):
            np.testing.assert_allclose(run.array(f"{name}.q"), sign * y[:, column], atol=1e-8)
            np.testing.assert_allclose(run.array(f"{name}.v"), sign * y[:, column + 2], atol=1e-8 * 3)
    for pin, name in enumerate((first, second)):
        np.testing.assert_allclose(run.array(f"{name}.friction"), sign * phi[:, pin], atol=1e-7)
        np.testing.assert_allclose(run.array(f"{name}.heat"), y[:, 4 + pin], atol=1e-8)
        if "coefficient" in law:
            most = law["coefficient"] * law["radius"] * loads[:, pin]
            np.testing.assert_allclose(run.array(f"{name}.friction_limit"), most, atol=1e-7)
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("law", [{"effort": 0.4, "static": 0.5}, LAW | {"static": 0.5, "preload": 5}])
def test_a_universal_joint_whose_second_pin_sticks_is_a_revolute_joint(law):
    """A pendulum whose weight lies off the plane of the swing: its second pin holds what the revolute joint does.

    The weight's moment about the second pin, 2 kg · g · 1 mm, is below what this pin can hold, and it starts at rest.
    """
    body = {"mass": 2, "com": [0.001, 0.0, -0.4], "inertia": [0.21, 0.17, 0.06]}
    times, start = np.linspace(0.05, 6, 40), 1.2
    pin = {key: value for key, value in law.items() if "coefficient" in law or key != "length"}
    one = cardan.simulate(hanging(law, body=body), times=times, initial={"joint.r1": start}, **FINE)
    other = cardan.simulate(hanging(pin, body=body, kind="revolute"), times=times, initial={"joint": start}, **FINE)
    assert one.ok, one.message
    assert other.ok, other.message
    np.testing.assert_array_equal(one.array("joint.r2.q"), 0)  # no creep
    np.testing.assert_array_equal(one.array("joint.r2.sticking"), 1)
    np.testing.assert_allclose(one.array("joint.r1.q"), other.array("joint.q"), atol=1e-8)
    for name in ("friction", "sticking", "heat"):
        np.testing.assert_allclose(one.array(f"joint.r1.{name}"), other.array(f"joint.{name}"), atol=1e-7)
    moments = one.array("joint.reaction_moment")
    np.testing.assert_allclose(moments, other.array("joint.reaction_moment"), atol=1e-7)
    held = [m @ [0, np.cos(q), np.sin(q)] for m, q in zip(moments, one.array("joint.r1.q"), strict=True)]
    np.testing.assert_allclose(one.array("joint.r2.friction"), held, atol=1e-7)
    assert np.abs(held).max() > 0.01
    stops = [[event.t for event in run.events] for run in (one, other)]
    assert len(stops[0]) > 2
    np.testing.assert_allclose(*stops, atol=1e-8)


def test_a_body_on_a_universal_joint_holds_at_rest_and_breaks_away_about_one_pin():
    """Each pin holds up to 0.5 N m; a force t along y, 0.4 m below, turns the first one at 1.25 s."""
    body = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    pull = {"type": "force", "child": "body.foot", "value": [0, "t", 0]}
    model = hanging({"effort": 0.5}, body=body | {"markers": {"foot": {"position": [0, 0, -0.4]}}})
    run = cardan.simulate(model.replace(forces={"pull": pull}), until=1.5, **FINE)
    assert [(event.name, event.did) for event in run.events] == [("joint.r1", "slides forwards")]
    assert run.events[0].t == pytest.approx(1.25, abs=1e-9)
    np.testing.assert_array_equal(run.array("joint.r2.q"), 0)


# two shafts at an angle, the second one in a bearing that lets it slide and tilt: nothing is held twice

A1, ANGLE, FAR = np.array([0.0, 0, 1]), 0.6, 0.5
A2 = np.array([np.sin(ANGLE), 0, np.cos(ANGLE)])
I1, I2, DRIVE, DRAG = 0.02, 0.03, 1.5, 0.12
SHAFT_LAW = {"coefficient": 0.15, "radius": 0.02, "length": 0.06, "regularize": 0.5}


def shafts(law, turned=False):
    """Hooke's joint between two shafts without weight."""
    markers = {"far": {"position": list(FAR * A2)}}
    pins = {"parent": "second", "child": "first", "axes": [[-np.cos(ANGLE), 0, np.sin(ANGLE)], "y"]}
    if not turned:
        pins = {"parent": "first", "child": "second", "axes": pins["axes"][::-1]}
    turn = np.outer(A2, A2) * I2 + 0.02 * (np.eye(3) - np.outer(A2, A2))
    joints = {
        "bearing": {"type": "revolute", "parent": "ground", "child": "first", "axis": "z"},
        "hooke": {"type": "universal", **pins, "friction": law},
    }
    inertia = [turn[0, 0], turn[1, 1], turn[2, 2], turn[0, 1], turn[0, 2], turn[1, 2]]
    return cardan.Model(
        gravity=[0, 0, 0],
        ground={"markers": {"far": {"position": list(FAR * A2)}}},
        bodies={
            "first": {"mass": 1, "inertia": [0.1, 0.1, I1]},
            "second": {"mass": 1, "inertia": [float(x) for x in inertia], "markers": markers},
        },
        joints=joints,
        constraints={
            "support": {"type": "point_on_line", "parent": "ground.far", "child": "second.far", "axis": list(A2)}
        },
        forces={
            "drive": {"type": "torque", "child": "first", "value": [0, 0, DRIVE]},
            "drag": {"type": "torque", "child": "second", "value": [f"-{DRAG}*second.w{k}" for k in "xyz"]},
        },
    )


def shaft_motion(law, theta, speed, drive=DRIVE):
    """θ̈ of the first shaft, the speeds of both pins, and their moments of friction and loads.

    Second shaft, about the centre of the cross: I2 ω̇2 a2 = n + FAR a2 × F + T2 a2 and 0 = f + F, with F across a2
    at its bearing; first one: I1 θ̈ = T1 − n·a1; the cross: n = φ1 e1 + φ2 e2 + N e3.
    """
    e1 = np.array([-np.sin(theta), np.cos(theta), 0])
    e1_rate = cross(A1, e1) * speed
    e2 = cross(A2, e1)
    length = np.linalg.norm(e2)
    e2_rate = cross(A2, e1_rate) / length
    e2 = e2 / length
    e2_rate = e2_rate - e2 * (e2 @ e2_rate)
    e3, e3_rate = cross(e1, e2), cross(e1_rate, e2) + cross(e1, e2_rate)
    ratio = (A1 @ e3) / (A2 @ e3)
    ratio_rate = ((A1 @ e3_rate) * (A2 @ e3) - (A1 @ e3) * (A2 @ e3_rate)) / (A2 @ e3) ** 2
    speeds = np.array([ratio * speed * (A2 @ e1), -speed * (A1 @ e2)])

    def solved(phi):
        # unknowns θ̈ and N, with ω̇2 = ratio θ̈ + ratio_rate θ̇
        matrix = np.array([[I1, e3 @ A1], [I2 * ratio, -(e3 @ A2)]])
        drag = -DRAG * ratio * speed
        known = [drive - phi[1] * (e2 @ A1), phi[0] * (e1 @ A2) + drag - I2 * ratio_rate * speed]
        a, N = np.linalg.solve(matrix, known)
        n = phi[0] * e1 + phi[1] * e2 + N * e3
        f = -cross(A2, n) / FAR
        return a, np.array([pin_load(f, n, pin, law.get("length", 1)) for pin in (e1, e2)])

    phi = settled(lambda phi: -ways(law, speeds) * sizes(law, solved(phi)[1], speeds), np.zeros(2))
    a, loads = solved(phi)
    return a, speeds, phi, loads


SHAFT_LAWS = [SHAFT_LAW, {"effort": 0.2, "viscous": 0.01, "regularize": 0.5}]
SHAFT_TIMES = np.linspace(0.02, 0.6, 30)


@cache
def shaft_run(k):
    """States with a law of `SHAFT_LAWS`, once for both ways round of the joint."""

    def rates(t, y):
        a, speeds, phi, _ = shaft_motion(SHAFT_LAWS[k], y[0], y[1])
        return [y[1], a, *(-phi * speeds)]

    return solve_ivp(rates, (0, SHAFT_TIMES[-1]), [0, 12.0, 0, 0], t_eval=SHAFT_TIMES, **SCIPY).y.T


@pytest.mark.parametrize(("k", "turned"), [(0, False), (0, True), (1, False)])
def test_hookes_joint_between_two_shafts(k, turned):
    """More than a turn of a drive with 1.5 N m: what is transmitted loads both pins as couples in their bearings."""
    law, times, y = SHAFT_LAWS[k], SHAFT_TIMES, shaft_run(k)
    assert y[-1, 0] > 2 * np.pi
    run = cardan.simulate(shafts(law, turned=turned), times=times, initial={"bearing.v": 12.0}, **FINE)
    assert run.ok, run.message
    np.testing.assert_allclose(run.array("bearing.q"), y[:, 0], atol=1e-8 * y[-1, 0])
    np.testing.assert_allclose(run.array("bearing.v"), y[:, 1], atol=1e-8 * y[:, 1].max())
    found = [shaft_motion(law, *each[:2]) for each in y]
    sign = -1 if turned else 1
    names = ("hooke.r2", "hooke.r1") if turned else ("hooke.r1", "hooke.r2")
    for pin, name in enumerate(names):
        np.testing.assert_allclose(run.array(f"{name}.heat"), y[:, 2 + pin], atol=1e-8 * y[-1, 2 + pin])
        moments = np.array([each[2][pin] for each in found])
        np.testing.assert_allclose(run.array(f"{name}.friction"), sign * moments, atol=1e-6 * np.abs(moments).max())
        if "coefficient" in law:
            most = law["coefficient"] * law["radius"] * np.array([each[3][pin] for each in found])
            np.testing.assert_allclose(run.array(f"{name}.friction_limit"), most, rtol=1e-6)
    # the balance of powers: what the drag and friction take is what the drive gives beside the kinetic energy
    assert run.report.relative_energy_error < 1e-9


def test_pins_of_a_shaft_line_that_follow_their_load_stick_together():
    """At rest both use the same part of what they could hold; nothing creeps."""
    law = {key: value for key, value in SHAFT_LAW.items() if key != "regularize"}
    run = cardan.simulate(shafts(law), until=0.5)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-6
    rests = run["hooke.r1.sticking"].values == 1
    parts = [np.abs(run[f"hooke.{pin}.friction"] / run[f"hooke.{pin}.friction_limit"]).values for pin in ("r1", "r2")]
    np.testing.assert_allclose(parts[0][rests], parts[1][rests], atol=1e-9)


def test_kinetostatics_of_a_shaft_line_has_the_friction_of_both_pins():
    """The drive of a uniform turn gives what the hand-written equations leave over at θ̈ = 0."""
    law = {key: value for key, value in SHAFT_LAW.items() if key != "regularize"}
    model = shafts(law)
    times = [0.1, 0.45, 0.8]
    run = cardan.kinetostatics(model.replace(motions={"bearing": "2*t"}), times=times)
    assert run.ok, run.message
    for t, effort in zip(times, run.array("bearing.effort"), strict=True):
        whole = brentq(lambda drive, t=t: shaft_motion(law, 2 * t, 2.0, drive)[0], -1, 3, xtol=1e-14)
        assert effort == pytest.approx(whole - DRIVE, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "friction", "words"),
    [
        ("universal", {"coefficient": 0.1, "radius": "10 mm"}, "type universal needs a length"),
        ("universal", {"coefficient": 0.1, "length": "50 mm"}, "type universal needs a radius"),
        ("universal", {"effort": 1, "length": "50 mm"}, "with a given effort has no length"),
        ("universal", {"effort": "1 N"}, "a torque"),
        (
            "free",
            {"effort": 1},
            "in a joint of type free nothing touches.*\n.*a planar joint, or a constraint of type point_on",
        ),
        ("fixed", {"effort": 1}, "type fixed does not move, so that nothing rubs"),
    ],
)
def test_what_such_joints_cannot_have_is_refused(kind, friction, words):
    joint = {"type": kind, "parent": "ground", "child": "body", "friction": friction}
    joint |= {"axes": ["x", "y"]} if kind == "universal" else {}
    with pytest.raises(ModelError, match=words):
        cardan.Model(bodies={"body": BODY}, joints={"joint": joint})
