"""Friction of balls in sockets, rods in sleeves and discs on planes against the equations of one body.

Tolerances: runs at rtol 1e-11 and atol 1e-13, SciPy at 1e-12 and 1e-14, over some seconds: 1e-8 of values of order 1.
"""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from cardan.system.response import accelerations_and_multipliers
from cardan.system.state import symbolic_state
from cardan.system.system import build_system
from tests.vectors import cross, skew

pytestmark = pytest.mark.exhaustive


FINE = {"rtol": 1e-11, "atol": 1e-13}
SCIPY = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
G = np.array([0, 0, -9.81])
TIMES = np.linspace(0.05, 1.5, 30)


def one_body(joint, body, cut=False, **more):
    """A body on the ground by one joint; with `cut` it moves freely, and the joint closes a loop."""
    joints = {"joint": {"parent": "ground", "child": "body", **joint}}
    if cut:
        joints = {"free": {"type": "free", "parent": "ground", "child": "body"}} | joints
        joints["joint"]["cut"] = True
    return cardan.Model(gravity=list(G), bodies={"body": body}, joints=joints, **more)


def fixed_point(law, start=10.0):
    """N with N = law(N): friction turns its own load by far less than this load."""
    before, N = 0.0, start
    while abs(N - before) > 1e-15 * abs(N):
        before, N = N, law(N)
    return N


# a ball pendulum: the body turns about the centre of its ball

MASS, COM, J = 2.0, np.array([0.1, -0.05, -0.4]), np.diag([0.11, 0.17, 0.06])
BALL = {"mass": MASS, "com": list(COM), "inertia": list(np.diag(J))}
J_BALL = J + MASS * (COM @ COM * np.eye(3) - np.outer(COM, COM))
SPIN = np.array([1.5, -2.0, 3.0])


def ball_friction(law, load, s):
    """Size of the moment of friction, as docs/friction.md says it."""
    smooth = np.tanh(s / law["regularize"])
    drag = law.get("viscous", 0) * s
    if "effort" in law:
        return smooth * (law["effort"] + drag)
    curve = law["coefficient"]
    if law.get("type") == "stribeck":
        curve = curve + (law["static"] - curve) * np.exp(-((s / law["speed"]) ** 2))
    return smooth * (curve * law["radius"] * (load + law.get("preload", 0)) + drag)


def ball_motion(law, R, w):
    """(ω̇, moment of friction) of the ball pendulum, body axes: Euler's equation about the fixed point."""
    weight = MASS * R.T @ G
    s = np.linalg.norm(w)

    def turn(load):
        M = -ball_friction(law, load, s) * w / s
        return np.linalg.solve(J_BALL, cross(COM, weight) + M - cross(w, J_BALL @ w)), M

    def load(N):
        a, _ = turn(N)
        return np.linalg.norm(MASS * (cross(a, COM) + cross(w, cross(w, COM))) - weight)

    return turn(fixed_point(load) if "coefficient" in law else 0.0)


def ball_run(law):
    """R (n, 3, 3), ω (n, 3) and heat (n,) of the ball pendulum, from SciPy."""

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:12]
        a, M = ball_motion(law, R, w)
        return np.concatenate([(R @ skew(w)).ravel(), a, [-M @ w]])

    start = np.concatenate([np.eye(3).ravel(), SPIN, [0]])
    y = solve_ivp(rates, (0, TIMES[-1]), start, t_eval=TIMES, **SCIPY).y.T
    return y[:, :9].reshape(-1, 3, 3), y[:, 9:12], y[:, 12]


BALL_LAWS = [
    {"effort": 0.8, "viscous": 0.05, "regularize": 0.3},
    {"coefficient": 0.25, "radius": 0.05, "regularize": 0.3},
    {"coefficient": 0.2, "radius": 0.05, "regularize": 0.3, "preload": 15, "viscous": 0.1},
    {
        "type": "stribeck",
        "coefficient": 0.1,
        "static": 0.3,
        "speed": 2.0,
        "radius": 0.05,
        "regularize": 0.3,
    },
]


@pytest.mark.parametrize("law", BALL_LAWS)
def test_a_ball_pendulum_moves_by_eulers_equation(law):
    """Spin, heat and moment of friction; the axis of the spin turns all the time."""
    R, w, heat = ball_run(law)
    run = cardan.simulate(
        one_body({"type": "spherical", "friction": law}, BALL),
        times=TIMES,
        initial={f"joint.w{x}.v": value for x, value in zip("xyz", SPIN, strict=True)},
        **FINE,
    )
    assert run.ok, run.message
    spins = np.column_stack([run.array(f"joint.w{x}.v") for x in "xyz"])
    np.testing.assert_allclose(spins, w, atol=1e-8)
    np.testing.assert_allclose(run.array("joint.heat"), heat, atol=1e-8 * heat[-1])
    moments = np.array([r @ ball_motion(law, r, each)[1] for r, each in zip(R, w, strict=True)])
    np.testing.assert_allclose(run.array("joint.friction_moment"), moments, atol=1e-8)
    np.testing.assert_allclose(run.array("joint.friction_force"), 0, atol=1e-15)
    np.testing.assert_allclose(run.array("joint.friction"), -np.linalg.norm(moments, axis=1), atol=1e-8)
    # it is all that a ball in its socket transmits beside its force
    np.testing.assert_allclose(run.array("joint.reaction_moment"), moments, atol=1e-8)
    assert run.report.relative_energy_error < 1e-9
    if "coefficient" in law:
        loads = np.linalg.norm(run.array("joint.reaction_force"), axis=1) + law.get("preload", 0)
        most = law.get("static", law["coefficient"]) * law["radius"] * loads
        np.testing.assert_allclose(run.array("joint.friction_limit"), most, rtol=1e-9)


@pytest.mark.parametrize("law", BALL_LAWS[:2])
def test_a_ball_that_closes_a_loop_rubs_alike(law):
    run = cardan.simulate(
        one_body({"type": "spherical", "friction": law}, BALL, cut=True),
        times=TIMES,
        initial={f"free.w{x}.v": value for x, value in zip("xyz", SPIN, strict=True)},
        **FINE,
    )
    assert run.ok, run.message
    R, w, heat = ball_run(law)
    spins = np.column_stack([run.array(f"free.w{x}.v") for x in "xyz"])
    np.testing.assert_allclose(spins, w, atol=1e-8)
    np.testing.assert_allclose(run.array("joint.heat"), heat, atol=1e-8 * heat[-1])
    moments = np.array([r @ ball_motion(law, r, each)[1] for r, each in zip(R, w, strict=True)])
    np.testing.assert_allclose(run.array("joint.reaction_moment"), moments, atol=1e-8)


def test_inverse_dynamics_knows_the_moment():
    """The moment of friction of a known motion, from the acceleration that Euler's equation gives without efforts."""
    law = BALL_LAWS[2]
    model = one_body({"type": "spherical", "friction": law}, BALL)
    turn = Rotation.from_rotvec([0.4, -0.7, 0.2])
    a, _ = ball_motion(law, turn.as_matrix(), SPIN)
    x, y, z, w = turn.as_quat()
    dyn = cardan.compile(model)
    np.testing.assert_allclose(dyn.inverse_dynamics([w, x, y, z], SPIN, a), 0, atol=1e-12)
    np.testing.assert_allclose(dyn.forward_dynamics([w, x, y, z], SPIN, np.zeros(3)), a, rtol=1e-12)


@pytest.mark.parametrize("law", [{"effort": 0.8}, {"coefficient": 0.4, "radius": 0.2, "preload": 10}])
def test_at_rest_friction_is_a_damping(law):
    """F tanh(|ω|/v₀) ω/|ω| is F/v₀ ω near rest, also in its derivatives at rest itself, as stiff methods need them."""
    body, joint = {"mass": 1, "inertia": [0.1, 0.2, 0.4]}, {"type": "spherical", "friction": law | {"regularize": 0.3}}
    system = build_system(one_body(joint, body))
    s = symbolic_state(system)
    change = ca.jacobian(accelerations_and_multipliers(system, s)[0], s.v)
    at_rest = ca.Function("change", [s.t, s.x, s.u, system.tree.p], [change])
    F = law.get("effort", 0.4 * 0.2 * (9.81 + 10))
    expected = -F / 0.3 * np.diag([10, 5, 2.5])
    np.testing.assert_allclose(at_rest(0, [1, 0, 0, 0, 0, 0, 0, 0], [], []).full(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("law", BALL_LAWS[:2])
def test_formulations_agree_on_it(law):
    """Also bond graphs, which the given part of friction is a part of."""
    assert cardan.verify(one_body({"type": "spherical", "friction": law}, BALL, cut=True)).ok


# a rod in a level sleeve along x, its centre of mass beside the axis

OFF, ALONG, J_ROD, RADIUS = 0.03, 0.12, 0.02, 0.04
ROD = {"mass": 3.0, "com": [ALONG, 0, -OFF], "inertia": [J_ROD, 0.3, 0.3]}


def rod_motion(law, state):
    """(d̈, r̈, force along the axis, moment about it) of the rod, by Newton's and Euler's laws."""
    (r, v, w), m = state, 3.0
    com = np.array([ALONG, OFF * np.sin(r), -OFF * np.cos(r)])  # from the child marker, axes of the sleeve
    s = np.hypot(RADIUS * w, v)

    def moved(N):
        size = np.tanh(s / law["regularize"]) * law.get("effort", N)
        F, M = -size * v / s, -size * RADIUS * RADIUS * w / s
        return F / m, (M + m * com[1] * G[2]) / (J_ROD + m * OFF**2), F, M

    def load(N):
        a, turn, _, _ = moved(law["coefficient"] * N)
        axis = np.array([1.0, 0, 0])
        f = m * (a * axis + turn * cross(axis, com) - w**2 * np.array([0, com[1], com[2]]) - G)
        across = f * [0, 1, 1]
        if "length" not in law:
            return np.linalg.norm(across)
        n = cross(com, f) * [0, 1, 1]
        tilt = cross(n, axis) / law["length"]
        return np.linalg.norm(across / 2 + tilt) + np.linalg.norm(across / 2 - tilt)

    return moved(law["coefficient"] * fixed_point(load) if "coefficient" in law else 0.0)


ROD_LAWS = [
    {"effort": 6, "radius": RADIUS, "regularize": 0.05},
    {"coefficient": 0.15, "radius": RADIUS, "regularize": 0.05},
    {"coefficient": 0.1, "radius": RADIUS, "length": 0.2, "regularize": 0.05},
]


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("law", ROD_LAWS)
def test_a_rod_slides_and_turns_in_its_sleeve(law, cut):
    """Friction acts against the velocity of the rod's surface, so that turning makes sliding easier."""
    given = {"free.vx.v": 2.0, "free.wx.v": 9.0} if cut else {"joint.d.v": 2.0, "joint.r.v": 9.0}

    def rates(t, y):
        a, turn, F, M = rod_motion(law, y[1:4])
        return [y[2], y[3], a, turn, -F * y[2] - M * y[3]]

    y = solve_ivp(rates, (0, TIMES[-1]), [0, 0, 2, 9, 0], t_eval=TIMES, **SCIPY).y.T
    run = cardan.simulate(
        one_body({"type": "cylindrical", "axis": "x", "friction": law}, ROD, cut=cut),
        times=TIMES,
        initial=given,
        **FINE,
    )
    assert run.ok, run.message
    names = ("free.vx.v", "free.wx.v") if cut else ("joint.d.v", "joint.r.v")
    for name, column in zip(names, (2, 3), strict=True):
        np.testing.assert_allclose(run.array(name), y[:, column], atol=1e-8 * 9)
    np.testing.assert_allclose(run.array("joint.heat"), y[:, 4], atol=1e-8 * y[-1, 4])
    expected = np.array([rod_motion(law, each[1:4])[2:] for each in y])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(run.array("joint.friction_force")[:, 0], expected[:, 0], atol=3e-8 * scale)
    np.testing.assert_allclose(run.array("joint.friction_moment")[:, 0], expected[:, 1], atol=3e-8 * scale)
    # the joint's reaction contains it: nothing else acts along and about the axis
    np.testing.assert_allclose(run.array("joint.reaction_force")[:, 0], expected[:, 0], atol=3e-8 * scale)
    np.testing.assert_allclose(run.array("joint.reaction_moment")[:, 0], expected[:, 1], atol=3e-8 * scale)
    assert run.report.relative_energy_error < 1e-9


def test_which_part_of_a_joint_is_the_child_changes_nothing():
    """A sleeve on a fixed rod, as the child and as the parent of their joint."""
    law = {"coefficient": 0.15, "radius": RADIUS, "regularize": 0.05}
    runs = []
    for parent, child, sign in (("rod", "sleeve", 1), ("sleeve", "rod", -1)):
        joint = {"type": "cylindrical", "parent": parent, "child": child, "axis": "x", "friction": law}
        model = cardan.Model(
            gravity=list(G),
            bodies={"rod": {"mass": 1, "inertia": [1, 1, 1]}, "sleeve": ROD},
            joints={"wall": {"type": "fixed", "parent": "ground", "child": "rod"}, "joint": joint},
        )
        given = {"joint.d.v": 2.0 * sign, "joint.r.v": 9.0 * sign}
        runs.append(cardan.simulate(model, times=TIMES, initial=given, **FINE))
    one, other = runs
    for name in ("sleeve.position", "joint.friction", "joint.heat"):
        np.testing.assert_allclose(other.array(name), one.array(name), atol=1e-8)
    for name in ("joint.friction_force", "joint.reaction_force"):
        np.testing.assert_allclose(other.array(name), -one.array(name), atol=1e-7)  # forces of some 30 N


# a disc that slides and spins on a level plane

PUCK = {"mass": 0.5, "inertia": [0.1, 0.1, 0.2]}


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("law", [{"effort": 0.5 * 0.3 * 9.81}, {"coefficient": 0.3}])
def test_a_disc_slides_straight_on_a_plane(law, cut):
    """v̇ = −μ g tanh(v/v₀), so that sinh(v/v₀) falls as exp(−μ g t/v₀); its spin goes on."""
    v0, start, way, mu_g = 0.2, 3.0, np.array([0.6, -0.8]), 0.3 * 9.81
    pre = "free.v" if cut else "joint."
    joint = {"type": "planar", "friction": law | {"regularize": v0}}
    spin = "free.wz.v" if cut else "joint.rz.v"
    given = {f"{pre}x.v": start * way[0], f"{pre}y.v": start * way[1], spin: 5.0}
    run = cardan.simulate(one_body(joint, PUCK, cut=cut), times=TIMES, initial=given, **FINE)
    assert run.ok, run.message
    v = v0 * np.arcsinh(np.sinh(start / v0) * np.exp(-mu_g * TIMES / v0))
    velocity = run.array("body.velocity")
    np.testing.assert_allclose(velocity[:, :2], v[:, None] * way, atol=1e-8)
    np.testing.assert_allclose(run.array(spin), 5, atol=1e-9)
    force = -0.5 * mu_g * np.tanh(v / v0)[:, None] * way
    np.testing.assert_allclose(run.array("joint.friction_force")[:, :2], force, atol=1e-7)  # tanh falls over v0 = 0.2
    np.testing.assert_allclose(run.array("joint.reaction_force")[:, :2], force, atol=1e-7)
    heat = 0.25 * (start**2 - v**2)
    np.testing.assert_allclose(run.array("joint.heat"), heat, atol=1e-8)


def test_the_drives_of_a_disc_on_a_circle_overcome_its_friction():
    """Kineto-statics: m a, and μ m g along the velocity once round the circle in 2π seconds."""
    joint = {"type": "planar", "friction": {"coefficient": 0.3, "regularize": "1 mm/s"}}
    circle = {"joint.x": "0.2*cos(t)", "joint.y": "0.2*sin(t)"}
    run = cardan.kinetostatics(one_body(joint, PUCK, motions=circle | {"joint.rz": "3*t"}), times=TIMES)
    out, along = np.array([np.cos(TIMES), np.sin(TIMES)]), np.array([-np.sin(TIMES), np.cos(TIMES)])
    expected = -0.5 * 0.2 * out + 0.3 * 0.5 * 9.81 * along  # tanh(200) = 1
    found = [run.array(f"joint.{x}.effort") for x in "xy"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.array("joint.rz.effort"), 0, atol=1e-12)


def refused(kind, friction, axis=None, **more):
    joint = {"type": kind, "parent": "ground", "child": "b", "friction": friction}
    if axis is not None:
        joint["axis"] = axis
    cardan.Model(bodies={"b": {"mass": 1, "inertia": [1, 1, 1]}}, joints={"j": joint}, **more)


@pytest.mark.parametrize(
    ("kind", "friction", "axis", "words"),
    [
        ("planar", {"effort": 1, "static": 2, "regularize": 0.1}, None, "never sticks, so static has no meaning"),
        (
            "spherical",
            {"coefficient": 0.1, "regularize": 0.1},
            None,
            "joint of type spherical needs a radius",
        ),
        (
            "spherical",
            {"effort": 1, "radius": 1, "regularize": 0.1},
            None,
            "effort in a joint of type spherical has no",
        ),
        (
            "cylindrical",
            {"effort": 1, "regularize": 0.1},
            "z",
            "effort in a joint of type cylindrical needs a",
        ),
        ("planar", {"coefficient": 1, "radius": 1, "regularize": 0.1}, None, "joint of type planar has no radius"),
    ],
)
def test_friction_that_several_motions_cannot_have_is_refused(kind, friction, axis, words):
    with pytest.raises(ModelError, match=words):
        refused(kind, friction, axis)


def test_friction_across_the_plane_of_a_planar_model_is_refused():
    with pytest.raises(ModelError, match="load along the normal of the plane xy, which has no such loads"):
        refused("planar", {"coefficient": 0.1, "regularize": 0.1}, planar="xy")
