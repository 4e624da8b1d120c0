"""Scenes of bodies that touch: slopes, blocks that slide or tip, stacks, cradles, discs; pairs of shapes; starts."""

from itertools import product

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.formats.yaml import loads
from cardan.model.contacts.pairs import Placed, touches
from cardan.model.shapes import Box, Capsule, Cylinder, Points, Sphere

G = 9.81
FLOOR = "ground: {shapes: [{name: floor, type: plane}]}"


def scene(bodies, joints, contacts, initial="{}", more=""):
    return loads(f"""
cardan: 1
bodies: {{{FLOOR}, {bodies}}}
joints: {{{joints}}}
contacts: {{{contacts}}}
initial: {initial}
{more}
""")


def flying(shape, contact, initial, more=""):
    """One body that flies, with one shape."""
    return scene(
        f"b: {{shapes: [{shape}]}}",
        "fly: {type: free, parent: ground, child: b}",
        f"c: {{between: [b, ground], {contact}}}",
        initial,
        more,
    )


def block(mu, stiffness, damping, gravity):
    """A block, 60 mm wide and 200 mm high, at rest on a floor that is a slope under this gravity."""
    law = f"stiffness: {stiffness}, exponent: 1, damping: {damping}, friction: {{coefficient: {mu}}}"
    return flying(
        "{type: box, size: [0.06, 0.1, 0.2], density: 1000}", law, "{fly.z: 0.1}", f"gravity: {list(gravity)}"
    )


def test_a_block_on_a_slope_stays_for_1000_seconds():
    """tan = 0.26 below μ = 0.4: after it has settled it does not creep; no events, and few steps."""
    run = cardan.simulate(block(0.4, 1e6, 10, [1.0, 0, -9.0]), until=1000.0)
    x, t = run["fly.x.q"].values, run.t
    assert abs(x[-1] - x[np.argmin(abs(t - 5))]) < 1e-9
    assert run["c.force"].values[-1] == pytest.approx([-1.2, 0, 10.8], rel=1e-6)
    assert run.events[-1].t < 1.0


def test_a_block_slides_as_coulomb_says():
    """a = g_x − μ g_z; it bobs on its corners with a relative depth of 1e-3, which the friction follows."""
    run = cardan.simulate(block(0.2, 1e7, 10, [4, 0, -9]), until=0.2)
    assert run["fly.vx.v"].values[-1] == pytest.approx((4 - 0.2 * 9) * 0.2, rel=3e-3)
    assert abs(run["fly.wy.v"].values[-1]) < 0.02


def test_a_block_tips_over_its_edge():
    """Against the equation of a body that turns about its edge; the stiffer the contact, the nearer."""
    w, h = 0.06, 0.2

    def rates(_, y):
        x, z = -w / 2 * np.cos(y[0]) + h / 2 * np.sin(y[0]), w / 2 * np.sin(y[0]) + h / 2 * np.cos(y[0])
        return [y[1], (4 * z + 9 * x) / ((w * w + h * h) / 3)]

    omega = solve_ivp(rates, (0, 0.2), [0, 0], rtol=1e-10, atol=1e-12).y[1, -1]
    run = cardan.simulate(block(0.8, 1e8, 100, [4, 0, -9]), until=0.2)
    assert run["fly.wy.v"].values[-1] == pytest.approx(omega, rel=6e-3)


def test_three_boxes_stay_on_each_other():
    """Each carries the weight of those above; touching each other has events, resting has none."""
    bodies, joints, contacts, start = [], [], [], []
    for i in range(3):
        a = 0.1 - 0.01 * i
        feet = [[x * a, y * a, -0.05] for x, y in product((-1, 1), repeat=2)]
        hull = f"{{name: hull, type: box, size: [{2 * a}, {2 * a}, 0.1], density: 1000}}"
        bodies.append(f"b{i}: {{shapes: [{hull}, {{name: feet, type: points, points: {feet}}}]}}")
        joints.append(f"f{i}: {{type: free, parent: ground, child: b{i}}}")
        below = "ground" if i == 0 else f"b{i - 1}.hull"
        law = "stiffness: 1e6, damping: 10, friction: {coefficient: 0.5}"
        contacts.append(f"c{i}: {{between: [b{i}.feet, {below}], {law}}}")
        start.append(f"f{i}.z: {0.0501 + 0.1001 * i}, f{i}.x: {0.005 * i}")
    model = scene(", ".join(bodies), ", ".join(joints), ", ".join(contacts), f"{{{', '.join(start)}}}")
    run = cardan.simulate(model, until=10.0)
    masses = [1000 * (0.2 - 0.02 * i) ** 2 * 0.1 for i in range(3)]
    for i in range(3):
        assert run[f"c{i}.normal"].values[-1] == pytest.approx(sum(masses[i:]) * G, rel=1e-6)
        assert run[f"f{i}.x.q"].values[-1] == pytest.approx(0.005 * i, abs=1e-4)
    assert [event.did for event in run.events] == ["touches"] * 12
    assert np.max(np.diff(run["energy.total"].values)) < 1e-9


def test_newtons_cradle_passes_the_motion_on():
    """Elastic balls 0.1 mm apart: the last one takes all; 1 % of the speed stays because blows last 1 ms."""
    n = 3
    ball = "mass: 1, com: [0, 0, -1], inertia: [1e-9, 1e-9, 1e-9]"
    bodies = [f"b{i}: {{{ball}, shapes: [{{type: sphere, radius: 0.05, position: [0, 0, -1]}}]}}" for i in range(n)]
    places = [f"{{body: ground, position: [{0.1001 * i}, 0, 0]}}" for i in range(n)]
    joints = [f"j{i}: {{type: revolute, parent: {places[i]}, child: b{i}, axis: y}}" for i in range(n)]
    contacts = [f"c{i}: {{between: [b{i}, b{i + 1}], stiffness: 1e9}}" for i in range(n - 1)]
    run = cardan.simulate(scene(*map(", ".join, (bodies, joints, contacts)), "{j0: 0.3}"), until=0.9)
    at = np.argmin(abs(run.t - 0.55))
    speeds = [run[f"j{i}.v"].values[at] for i in range(n)]
    whole = np.sqrt(2 * G * (np.cos(run["j2.q"].values[at]) - np.cos(0.3)))
    assert abs(speeds[2]) == pytest.approx(whole, rel=1e-3)
    assert max(map(abs, speeds[:2])) < 0.01 * whole
    assert run.report.relative_energy_error < 1e-7


@pytest.mark.parametrize(("key", "axis"), [("spinning", "wz"), ("rolling", "wy")])
def test_a_ball_is_slowed_by_the_moment_of_its_load(key, axis):
    """A spinning ball: I dω/dt = −c m g, I = 2/5 m r²; a rolling one: 7/5 m r² in place of I."""
    c, r, rolls = 2e-3, 0.1, key == "rolling"
    start = "{fly.z: 0.1, fly.wy: 5, fly.vx: 0.5}" if rolls else "{fly.z: 0.1, fly.wz: 5}"
    law = f"stiffness: 1e8, damping: 10, friction: {{coefficient: 0.5, {key}: {c}}}"
    run = cardan.simulate(flying(f"{{type: sphere, radius: {r}, density: 1000}}", law, start), until=3.0)
    slowed = c * G / ((1.4 if rolls else 0.4) * r * r)
    at = np.argmin(abs(run.t - 0.5))
    assert run[f"fly.{axis}.v"].values[at] == pytest.approx(5 - slowed * run.t[at], rel=3e-3)
    end = 5 / slowed
    expected = 0.0 if end < 2.5 else 5 - slowed * 3.0
    assert run[f"fly.{axis}.v"].values[-1] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    "shape",
    [
        "{type: capsule, radius: 0.05, length: 0.2, density: 1000}",
        "{type: cylinder, radius: 0.05, length: 0.2, density: 1000}",
        "{type: wheel, radius: 0.1, rim: 0.02, density: 1000}",
        "{type: box, size: [0.1, 0.15, 0.2], density: 1000}",
    ],
)
def test_what_falls_loses_energy_and_carries_its_weight(shape):
    law = "stiffness: 1e5, exponent: 1, damping: 5, friction: {coefficient: 0.5}"
    model = flying(shape, law, "{fly: {rpy: [1, 0.3, 0]}, fly.z: 0.25, fly.vx: 0.3}")
    run = cardan.simulate(model, until=1.0)
    total = run["energy.total"].values
    # bristles bent under a small load may give back more under a larger one: below 1e-4 of the energy
    assert np.max(total - np.minimum.accumulate(total)) < 1e-4 * total[0]
    assert run.report.relative_energy_error < 1e-6


def test_long_scenes_take_fixed_steps():
    """A wheel rolls straight on without slip, also with 1 ms steps of semi-implicit Euler.

    It rolls on the middle of the overlap: its lever is 0.4 % below the radius, half of the depth (m g/k)^(2/3).
    """
    shape = "{type: wheel, radius: 0.3, rim: 0.02, density: 1000}"
    law = "stiffness: 1e6, damping: 1, friction: {coefficient: 0.6}"
    start = "{fly: {rpy: [-90 deg, 0, 0]}, fly.z: 0.2999, fly.vx: 1.5, fly.wz: 5}"
    run = cardan.simulate(flying(shape, law, start), until=10.0, method="semi_implicit_euler", step=1e-3)
    assert run["fly.x.q"].values[-1] == pytest.approx(15.0, rel=2e-3)
    assert run["fly.vx.v"].values[-1] == pytest.approx(0.3 * run["fly.wz.v"].values[-1], rel=5e-3)


IMPLICIT = "linearly_implicit_euler"


@pytest.mark.parametrize(("name", "rise"), [("bouncing_ball", 1e-6), ("woodpecker", 1e-2)])
def test_blows_within_fixed_steps_never_win_energy(name, rise):
    """Spin and bounces of a ball, rattling of a sleeve, whose contacts last 4 and 0.2 ms.

    Elastic energy of a depth that curves away within a step is won; of the woodpecker h² a/2 of its load, below 1 %.
    """
    for step in (1e-3, 1e-4):
        run = cardan.simulate(cardan.load(name), until=2.0, method=IMPLICIT, step=step)
        total = run["energy.total"].values
        assert run.ok
        assert np.max(total - np.minimum.accumulate(total)) < rise * (total[0] - total[-1])


def test_fixed_steps_through_stiff_contacts_err_in_proportion_to_their_length():
    """A robot that drives a curve on wheels; a block on a slope, deep within bristles, stays where it is."""
    robot = cardan.load("wheeled_robot")
    ends = []
    for settings in ({}, {"method": IMPLICIT, "step": 1e-3}, {"method": IMPLICIT, "step": 5e-4}):
        run = cardan.simulate(robot, until=5.0, **settings)
        ends.append([run[f"drive.{axis}.q"].values[-1] for axis in "xy"])
    exact, coarse, fine = np.array(ends)
    assert np.linalg.norm(coarse - exact) < 5e-3
    assert np.linalg.norm(fine - exact) / np.linalg.norm(coarse - exact) == pytest.approx(0.5, abs=0.03)  # order 1
    rest = cardan.simulate(block(0.4, 1e6, 10, [1.0, 0, -9.0]), until=5.0, method=IMPLICIT, step=1e-3)
    x = rest["fly.x.q"].values
    assert np.ptp(x[rest.t > 2]) < 1e-11
    assert rest["c.force"].values[-1] == pytest.approx([-1.2, 0, 10.8], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "out"), [("hopping_leg", "height"), ("gripper", "left.q"), ("cam_follower", "guide.q")]
)
def test_errors_of_motors_and_stiff_contacts_fall_with_a_fixed_step(name, out):
    """A hop and its blow, a grip and a cam at 1 and 0.5 ms: half as far off the accurate run, up to second order."""
    model, times = cardan.load(name), np.linspace(0, 0.4, 41)
    exact = cardan.simulate(model, times=times)[out].values
    runs = [cardan.simulate(model, times=times, method=IMPLICIT, step=step) for step in (1e-3, 5e-4)]
    coarse, fine = (np.abs(run[out].values - exact).max() for run in runs)
    assert coarse < 0.02
    assert fine / coarse == pytest.approx(0.5, abs=0.1)


def test_kinetostatics_and_sweeps_know_contacts():
    bodies = "b: {mass: 1, shapes: [{type: sphere, radius: r}]}"
    joints = "s: {type: prismatic, axis: z, parent: ground, child: b}"
    law = "c: {between: [b, ground], stiffness: 1e5, exponent: 1, damping: 0.1}"
    model = scene(bodies, joints, law, more="parameters: {r: 0.1 m}")
    moved = model.replace(motions={"s": "0.1 - 0.001*sin(10*t)"})
    t = np.linspace(0.05, 1, 7)
    depth, speed = 0.001 * np.sin(10 * t), 0.01 * np.cos(10 * t)
    normal = np.where(depth > 0, 1e5 * depth * (1 + 0.1 * speed), 0)
    loads_ = cardan.kinetostatics(moved, times=t)
    assert loads_["c.normal"].values == pytest.approx(normal, rel=1e-9)
    assert loads_["s.effort"].values == pytest.approx(G - normal + 0.1 * np.sin(10 * t), rel=1e-9)
    falling = model.replace(initial={"s": 0.3})
    swept = cardan.sweep(falling, parameters={"r": [0.05, 0.1]}, until=0.5, outputs=["s.q"])["s.q"].values[:, -1]
    alone = [cardan.simulate(falling, until=0.5, parameters={"r": r})["s.q"].values[-1] for r in (0.05, 0.1)]
    assert swept == pytest.approx(alone, rel=1e-7)


CAPSULE = Capsule.model_construct(radius=0.1, length=0.6)
SPHERE = Sphere.model_construct(radius=0.2)
BOX = Box.model_construct(size=(0.2, 0.4, 0.6))
CYLINDER = Cylinder.model_construct(radius=0.2, length=0.3)
POINT = Points.model_construct(points=((0.0, 0.0, 0.0),))


def distance(placed, x):
    """Signed distance of a point from the surface of a shape."""
    x, shape = np.array(placed.R).T @ (x - np.array(placed.p).ravel()), placed.shape
    if shape is BOX:
        d = np.abs(x) - np.array(shape.size) / 2
        return np.linalg.norm(np.maximum(d, 0)) + min(d.max(), 0)
    if shape is CYLINDER:
        d = np.array([np.hypot(*x[:2]) - shape.radius, abs(x[2]) - shape.length / 2])
        return np.linalg.norm(np.maximum(d, 0)) + min(d.max(), 0)
    half = shape.length / 2 if shape is CAPSULE else 0
    return np.linalg.norm(x - [0, 0, np.clip(x[2], -half, half)]) - getattr(shape, "radius", 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (CAPSULE, CAPSULE),
        (CAPSULE, SPHERE),
        (BOX, SPHERE),
        (SPHERE, BOX),
        (POINT, SPHERE),
        (POINT, CAPSULE),
        (POINT, BOX),
        (CYLINDER, SPHERE),
        (POINT, CYLINDER),
    ],
)
def test_gaps_are_least_distances(first, second, seed):
    """Against a search for the point with the least sum of distances from both."""
    rng = np.random.default_rng(seed)

    def placed(shape):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        return Placed(shape, ca.DM(Q * np.sign(np.linalg.det(Q))), ca.DM(rng.normal(size=3)))

    a, b = placed(first), placed(second)
    (touch,) = touches(a, b)
    starts = [np.array(a.p).ravel() * (1 - w) + np.array(b.p).ravel() * w for w in (0.0, 0.5, 0.9)]
    tight = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}
    found = [
        minimize(lambda x: distance(a, x) + distance(b, x), x, method="Nelder-Mead", options=tight) for x in starts
    ]
    assert float(touch.gap) == pytest.approx(min(one.fun for one in found), abs=1e-6)
    n, p = np.array(touch.normal).ravel(), np.array(touch.point).ravel()
    assert np.linalg.norm(n) == pytest.approx(1, rel=1e-12)
    assert distance(a, p + n * float(touch.gap) / 2) == pytest.approx(0, abs=1e-9)
    assert distance(b, p - n * float(touch.gap) / 2) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("solid", "gap", "normal"), [(BOX, -0.02, [1, 0, 0]), (CYLINDER, -0.05, [0, 0, -1])])
def test_a_point_inside_is_pushed_to_the_nearest_face(solid, gap, normal):
    inside = Placed(POINT, ca.DM.eye(3), ca.DM([0.08, 0.06, -0.1]))
    (touch,) = touches(inside, Placed(solid, ca.DM.eye(3), ca.DM(3, 1)))
    assert float(touch.gap) == pytest.approx(gap, abs=1e-12)
    assert np.array(touch.normal).ravel() == pytest.approx(normal)


def test_shapes_that_overlap_at_the_start_are_named_or_settle():
    sphere, law = "{type: sphere, radius: 0.1, density: 500}", "stiffness: 1e6"
    with pytest.warns(ModelWarning, match=r"b \(sphere\) and ground.floor 0.01 m deep in each other"):
        cardan.simulate(flying(sphere, law, "{fly.z: 0.09}"), until=0.01)
    run = cardan.simulate(flying(sphere, f"settle: true, {law}", "{fly.z: 0.09}"), until=0.01)
    assert run["fly.z.q"].values[0] == pytest.approx(0.1, abs=1e-11)
    model = flying(sphere, f"settle: true, {law}", "{fly.z: 0.09}")
    swept = cardan.sweep(model, initial={"fly.z": [0.05, 0.2]}, until=0.01, outputs=["fly.z.q"])["fly.z.q"].values
    assert swept[:, 0] == pytest.approx([0.1, 0.2], abs=1e-11)
    stuck = scene(
        "b: {mass: 1, shapes: [{type: sphere, radius: 0.1}]}",
        "s: {type: prismatic, axis: x, parent: ground, child: b}",
        "c: {between: [b, ground], stiffness: 1e6, settle: true}",
    )
    with pytest.raises(ModelError, match=r"stay 0\.1 m deep"):
        cardan.simulate(stuck, until=0.01)
    bound = stuck.replace(constraints={"k": {"type": "expression", "expression": "s"}})
    with pytest.raises(ModelError, match=r"stay 0\.1 m deep"):
        cardan.simulate(bound, until=0.01)


def test_what_overlaps_in_a_loop_settles_along_it():
    """A slider-crank whose crank of 0.3 m holds a ball of 0.1 m 1 mm deep in the floor. A step of Newton's method along
    the floor's gap leaves it above by half the change of its slope, x²/2 · 0.2/0.3² with x = 1 mm/cos, and the slider
    where the rod of 0.8 m leads to.
    """
    text = """
cardan: 1
planar: xz
bodies:
  ground: {shapes: [{name: floor, type: plane, position: [0, 0, -0.3]}]}
  crank:
    mass: 1
    markers: {pin: {position: [0.3, 0, 0]}}
    shapes: [{type: sphere, radius: 0.1, position: [0.3, 0, 0]}]
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {wrist: {position: [0.8, 0, 0]}}}
  slider: {mass: 1}
joints:
  crank: {type: revolute, parent: ground, child: crank, axis: -y}
  pin: {type: revolute, parent: crank.pin, child: rod, axis: -y}
  guide: {type: prismatic, parent: ground, child: slider, axis: x}
  wrist: {type: revolute, parent: rod.wrist, child: slider, axis: -y}
contacts: {c: {between: [crank, ground], stiffness: 1e6, settle: true}}
"""
    run = cardan.simulate(loads(f"{text}initial: {{crank: {float(np.arcsin(-0.201 / 0.3))}}}"), times=[0])
    height, reach = run.array("rod.position")[0, 2], run["guide.q"].values[0]
    assert -1e-11 < height + 0.2 < 1.1 * (1e-3 / np.cos(np.arcsin(0.201 / 0.3))) ** 2 / 2 * 0.201 / 0.3**2
    assert reach == pytest.approx(np.sqrt(0.3**2 - height**2) + np.sqrt(0.8**2 - height**2), abs=1e-11)


def test_everything_that_can_meet_does_and_what_a_joint_joins_does_not():
    sphere = "shapes: [{type: sphere, radius: 0.1, density: 500}]"
    model = scene(
        f"a: {{{sphere}}}, b: {{{sphere}}}, c: {{{sphere}}}",
        "fa: {type: free, parent: ground, child: a}, r: {type: revolute, parent: a, child: b, axis: y}, "
        "fc: {type: free, parent: ground, child: c}",
        "k: {between: [all, all], stiffness: 1e5}",
        "{fa.z: 0.11, fc.z: 0.4, fc.x: 1}",
    )
    run = cardan.simulate(model, until=0.01)
    assert sum(name.startswith("k.touch") for name in run.channels) == 6  # 3 with the floor, a–c, b–c; and k.touching


def test_derivatives_of_runs_with_bounces():
    """Against central differences of runs at rtol 1e-11, whose own error is 1e-6 of them."""
    joints = "s: {type: prismatic, axis: z, parent: ground, child: b}"
    bodies = "b: {mass: 1, shapes: [{type: sphere, radius: 0.1}]}"
    law = "c: {between: [b, ground], stiffness: k, exponent: 1, damping: 0.1}"
    model = scene(bodies, joints, law, "{s: 0.5}", "parameters: {k: 1e5}")
    found = cardan.sensitivities(model, 0.6, parameters=["k"], rtol=1e-9, atol=1e-11)["s.q"][-1, 0]
    ends = [
        cardan.simulate(model, until=0.6, parameters={"k": k}, rtol=1e-11, atol=1e-13)["s.q"].values[-1]
        for k in (1e5 - 10, 1e5 + 10)
    ]
    assert found == pytest.approx((ends[1] - ends[0]) / 20, rel=1e-3)


def test_a_can_that_was_dropped_stands_without_further_events():
    """At rest it takes no more steps than instants are shown; named in the other order, the force turns round."""
    law = "stiffness: 1e6, damping: 100, exponent: 1, friction: {coefficient: 0.5}"
    can = flying(
        "{type: cylinder, radius: 0.05, length: 0.2, density: 1000}", law, "{fly: {rpy: [0.1, 0, 0]}, fly.z: 0.12}"
    )
    run = cardan.simulate(can, until=5.0)
    weight = 1000 * np.pi * 0.05**2 * 0.2 * G
    assert run["c.force"].values[-1] == pytest.approx([0, 0, weight], rel=1e-6, abs=1e-6)
    assert run["c.touching"].values[-1] == 3
    assert run.events[-1].t < 1.0
    assert np.sum(run.t > 2.0) < 610  # an instant each 5 ms and little more
    turned = can.replace(contacts={"c": can.contacts["c"].replace(between=("ground", "b"))})
    assert cardan.simulate(turned, until=5.0)["c.force"].values[-1] == pytest.approx(
        [0, 0, -weight], rel=1e-6, abs=1e-6
    )


def test_a_run_that_fails_at_a_fixed_step_says_so():
    """A step too long for the contact of two light balls: what was computed has a summary."""
    sphere = "shapes: [{type: sphere, radius: 0.05, density: 1000}]"
    law = "k: {between: [all, all], stiffness: 1e6, restitution: 0.5, friction: {coefficient: 0.3}}"
    joints = "f0: {type: free, parent: ground, child: a}, f1: {type: free, parent: ground, child: b}"
    model = scene(f"a: {{{sphere}}}, b: {{{sphere}}}", joints, law, "{f0.z: 0.1, f1.z: 0.22, f1.x: -0.01}")
    run = cardan.simulate(model, until=1.0, method="semi_implicit_euler", step=1e-3)
    assert not run.ok
    assert "f1.z.q" in str(run)
