"""Bodies that touch, against hand-written equations of motion, closed forms and theorems.

Runs at rtol 1e-9 unless a tolerance says otherwise.
"""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads

G = 9.81
FINE = {"rtol": 1e-9, "atol": 1e-11}
RADIUS, MASS = 0.1, 0.5


def ball(law, **initial):
    """A solid ball above a floor; z is the height of its centre."""
    start = ", ".join(f"fly.{name}: {value}" for name, value in ({"z": 1.0} | initial).items())
    return loads(f"""
cardan: 1
bodies:
  ground: {{shapes: [{{name: floor, type: plane}}]}}
  ball: {{mass: {MASS}, inertia: [2e-3, 2e-3, 2e-3], shapes: [{{type: sphere, radius: {RADIUS}}}]}}
joints: {{fly: {{type: free, parent: ground, child: ball}}}}
contacts: {{floor: {{between: [ball, ground.floor], {law}}}}}
initial: {{{start}}}
""")


def bounces(force, until):
    """Instants of touching and leaving, and the largest height after each, of a ball under a law of δ and δ̇."""
    found, heights, state, t = [], [], [1.0 - RADIUS, 0.0], 0.0
    touching = False
    while True:

        def rates(_, y, on=touching):
            return [y[1], -G + (max(force(-y[0], -y[1]), 0) / MASS if on else 0.0)]

        def gap(_, y):
            return y[0]

        gap.terminal, gap.direction = True, 1.0 if touching else -1.0
        run = solve_ivp(rates, (t, until), state, events=gap, rtol=1e-11, atol=1e-13, method="DOP853", max_step=0.01)
        t, state = run.t[-1], run.y[:, -1]
        if t >= until:
            return found, heights
        found.append(t)
        heights += [state[1] ** 2 / (2 * G)] if touching else []
        touching = not touching
        state[0] = 0.0


LAWS = {
    "stiffness: 1e5, damping: 0.2": lambda d, v: 1e5 * max(d, 0) ** 1.5 * (1 + 0.2 * v),
    "stiffness: 5e4, exponent: 1": lambda d, v: 5e4 * d,
    "type: impact, stiffness: 1e6, exponent: 1.8, damping: 5, depth: 1 mm": lambda d, v: (
        1e6 * max(d, 0) ** 1.8 + 5 * np.interp(d / 1e-3, [0, 1], [0, 1]) ** 2 * (3 - 2 * np.clip(d / 1e-3, 0, 1)) * v
    ),
    "type: hertz, youngs_modulus: [1e7, 2e7], poisson_ratio: 0.3, damping: 0.1": lambda d, v: (
        4 / 3 / (0.91 / 1e7 + 0.91 / 2e7) * np.sqrt(RADIUS) * max(d, 0) ** 1.5 * (1 + 0.1 * v)
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_ball_bounces_as_the_law_says(law):
    run = cardan.simulate(ball(law), until=2.0, **FINE)
    instants, heights = bounces(LAWS[law], 2.0)
    assert [event.did for event in run.events] == (["touches", "leaves"] * len(instants))[: len(instants)]
    # the error of a run grows over the bounces
    met = [event.t for event in run.events if event.did == "touches"]
    assert met == pytest.approx(instants[::2], abs=1e-7)
    z, t = run["fly.z.q"].values, run.t
    for k, height in enumerate(heights[:-1]):
        flight = (t > instants[2 * k + 1]) & (t < instants[2 * k + 2])
        top = np.argmax(np.where(flight, z, 0))
        v = run["fly.vz.v"].values[top]
        assert z[top] - RADIUS + v**2 / (2 * G) == pytest.approx(height, rel=1e-6)


@pytest.mark.parametrize("e", [0.05, 0.5, 0.8, 0.99, 1.0])
@pytest.mark.parametrize("exponent", [1, 1.5])
def test_restitution_is_the_ratio_of_speeds_at_every_speed(e, exponent):
    """Without gravity it is exact."""
    for speed in (0.1, 3.0):
        model = ball(f"stiffness: 1e5, exponent: {exponent}, restitution: {e}", z=0.2, vz=-speed)
        run = cardan.simulate(model.replace(gravity=(0, 0, 0)), until=0.1 / speed + 0.5 / (e * speed), **FINE)
        assert run["fly.vz.v"].values[-1] == pytest.approx(e * speed, rel=1e-6)


@pytest.mark.parametrize("e", [0.5, 1.0])
def test_a_ball_that_starts_deep_leaves_as_after_an_impact_of_this_depth(e):
    """m v' = k δ^1.5 (1 − x v/v₀) − m g with ½ m v₀² = k δ^2.5/2.5, for any weight, also none; x of e by its root."""
    k, depth = 1e6, 0.01
    met = np.sqrt(2 * k * depth**2.5 / 2.5 / MASS)
    x = brentq(lambda x: np.log((1 + x) / (1 - e * x)) - (1 + e) * x, 1e-3, 1 / e - 1e-9) if e < 1 else 0.0
    for g in (0.0, 1e-3, G):

        def rates(_, y, g=g):
            return [y[1], k * max(-y[0], 0) ** 1.5 * max(1 - x * y[1] / met, 0) / MASS - g]

        by_hand = solve_ivp(rates, (0, 0.02), [-depth, 0], rtol=1e-10, atol=1e-13, max_step=1e-4)
        model = ball(f"stiffness: {k}, restitution: {e}", z=RADIUS - depth).replace(gravity=[0, 0, -g])
        with pytest.warns(cardan.errors.ModelWarning, match="deep in each other") if g else nullcontext():
            run = cardan.simulate(model, until=0.02, **FINE)
        assert run.array("fly.vz.v").max() == pytest.approx(by_hand.y[1].max(), rel=1e-4)  # of the instants returned


def test_stiffness_has_the_unit_that_its_exponent_asks_for():
    for law, k in (("5 N/mm^1.5", 5 * 1000**1.5), ("7 N/mm, exponent: 1", 7e3)):
        value = ball(f"stiffness: {law}").contacts["floor"].stiffness.value
        assert value == pytest.approx(k, rel=1e-12)


def test_a_ball_that_slides_ends_rolling():
    """v = 5/7 v0 of a solid ball, reached at t = 2 v0/(7 μ g): momentum about the point of contact stays.

    The point lies δ/2 above the lowest one, δ = 8.6e-6 m, and the slip is 0 to the stiffness of the bristles.
    """
    model = ball("stiffness: 2e8, damping: 1, friction: {coefficient: 0.2}", z=RADIUS, vx=1.0)
    run = cardan.simulate(model, until=0.5)
    assert run["fly.vx.v"].values[-1] == pytest.approx(5 / 7, rel=2e-4)
    assert run["fly.wy.v"].values[-1] * RADIUS == pytest.approx(5 / 7, rel=2e-4)
    end = run.t[np.argmax((run["floor.slip"].values < 1e-3) & (run.t > 0.05))]
    assert end == pytest.approx(2 / (7 * 0.2 * G), abs=5e-3)  # the ball bobs while it begins to touch
    assert run["floor.heat"].values[-1] == pytest.approx(MASS / 7, rel=1e-3)  # ½ m v0² (1 − 5/7)


def test_energy_closes_and_a_ball_at_rest_has_no_events():
    model = ball("stiffness: 1e6, restitution: 0.3, friction: {coefficient: 0.3, rolling: 1 mm}", vx=0.5)
    run = cardan.simulate(model, until=20.0)
    total = run["energy.total"].values
    assert np.max(np.diff(total)) < 1e-6 * total[0]
    assert run.report.relative_energy_error < 1e-5
    assert run.events[-1].t < 5.0
    assert run["floor.touching"].values[-1] == 1
    assert run["floor.force"].values[-1] == pytest.approx([0, 0, MASS * G], abs=1e-5)
    assert abs(run["fly.vx.v"].values[-1]) < 1e-6  # rolling resistance has brought it to rest


def test_files_with_contacts_are_written_as_they_were_read():
    model = ball("type: hertz, youngs_modulus: [1e7, 2e7], poisson_ratio: 0.3, friction: {coefficient: 0.2}")
    assert loads(dump(model)) == model


@pytest.mark.parametrize(
    ("law", "key", "fault"),
    [
        ("stiffness: 0", "contacts.floor.stiffness", "out of range"),
        ("stiffness: -5", "contacts.floor.stiffness", "out of range"),
        ("stiffness: 1, exponent: 0.5", "contacts.floor.exponent", "out of range"),
        ("stiffness: 1, restitution: 1.2", "contacts.floor.restitution", "add energy"),
        ("stiffness: 1, restitution: 0.5, damping: 1", "contacts.floor", "damping or restitution"),
        ("stiffness: 1, friction: {coefficient: 0.3, static: 0.2}", "contacts.floor.friction.static", "below"),
        ("stiffness: 1, friction: {coefficient: 0.3, speed: 1}", "contacts.floor.friction", "static one"),
        ("stiffness: 1, friction: {type: stribeck, coefficient: 0.3}", "contacts.floor.friction", "needs static"),
        ("stiffness: 1, friction: {type: lugre, coefficient: 0.3}", "contacts.floor.friction", "needs bristle"),
        ("stiffness: 1, friction: {coefficient: 0.3, bristle_damping: 1}", "contacts.floor.friction", "stiffness"),
        ("stiffness: 1, friction: {coefficient: 0.3, regularize: 0}", "contacts.floor.friction.regularize", "is 0"),
        (
            "stiffness: 1, friction: {coefficient: 0.3, regularize: 1, bristle: 1}",
            "contacts.floor.friction",
            "no bristles",
        ),
        (
            "stiffness: 1, friction: {coefficient: 0.3, static: 0.4, bristle: 1}",
            "contacts.floor.friction",
            "without damping",
        ),
        ("type: hard, stiffness: 1", "contacts.floor.type", "no contact type"),
        ("stiffness: 1e6 kg", "contacts.floor.stiffness", "a stiffness of a contact is needed"),
        ("stiffness: 1000 N/mm", "contacts.floor.stiffness", "a stiffness of a contact is needed"),
        ("type: impact, stiffness: 1 V, damping: 1, depth: 1 mm", "contacts.floor.stiffness", "is needed"),
    ],
)
def test_contacts_that_cannot_be_are_refused(law, key, fault):
    with pytest.raises(ModelError) as error:
        ball(law)
    issue = error.value.issues[0]
    assert (issue.key, issue.line) == (key, 7)
    assert fault in issue.fault


@pytest.mark.parametrize(
    ("between", "shapes", "fault"),
    [
        ("[ball, ball]", "{type: sphere, radius: 1}", "no shape of 'ball' can meet one of 'ball'"),
        ("[ball, bal]", "{type: sphere, radius: 1}", "there is no body 'bal'"),
        ("[ball.sole, ground]", "{type: sphere, radius: 1}", "has no shape 'sole'"),
        ("[ball, ground]", "{type: mesh, file: a.stl}", "has no shapes"),
        ("[ball.hull, ground]", "{name: hull, type: mesh, file: a.stl}", "a.stl cannot be read"),
        ("[ball, ground]", "{type: plane}", "plane and plane is not supported"),
    ],
)
def test_shapes_that_cannot_meet_are_refused(between, shapes, fault):
    text = dump(ball("stiffness: 1")).replace("[ball, ground.floor]", between)
    with pytest.raises(ModelError, match=r"line \d+: contacts.floor.between") as error:
        loads(text.replace("{type: sphere, radius: 0.1}", shapes))
    assert fault in str(error.value)


@pytest.mark.parametrize(
    ("law", "what"),
    [
        ("type: hertz, youngs_modulus: 1e7, poisson_ratio: 0.3", "no Hertz' law"),
        ("stiffness: 1e5, friction: {coefficient: 0.3, rolling: 1 mm}", "no resistance to rolling"),
    ],
)
def test_some_laws_need_round_surfaces(law, what):
    text = dump(ball(law))
    with pytest.raises(ModelError, match=f"edge or a corner, where there is {what}"):
        loads(text.replace("type: sphere, radius: 0.1", "type: box, size: [1, 1, 1]"))


def test_shapes_have_names_of_their_own_and_surfaces_no_density():
    text = dump(ball("stiffness: 1"))
    with pytest.raises(ModelError, match="two shapes have the name 'a'"):
        loads(text.replace("{type: sphere, radius: 0.1}", 2 * "{name: a, type: sphere, radius: 1}, "))
    with pytest.raises(ModelError, match="no volume"):
        loads(text.replace("type: plane", "type: plane, density: 1"))


def test_bristles_without_weight_need_their_stiffness():
    model = ball("stiffness: 1, friction: {coefficient: 0.3}").replace(gravity=(0, 0, 0))
    with pytest.raises(ModelError, match="without weight"):
        cardan.simulate(model, until=1.0)


BOWL, STIFF = 0.5, 1e9


def in_bowl(angle, shape, law):
    """A ball, or what else stands in its place, at rest at an angle from the bottom of a bowl, its radius off it."""
    reach = BOWL - (RADIUS if "sphere" in shape else 0)
    x, z = reach * np.sin(angle), BOWL - reach * np.cos(angle)
    return loads(f"""
cardan: 1
planar: xz
bodies:
  ground: {{shapes: [{{name: bowl, type: bowl, radius: {BOWL}, position: [0, 0, {BOWL}]}}]}}
  ball: {{mass: {MASS}, inertia: [2e-3, 2e-3, 2e-3], shapes: [{shape}]}}
joints:
  fly: {{type: planar, parent: {{body: ground, rpy: [90 deg, 0, 0]}}, child: {{body: ball, rpy: [90 deg, 0, 0]}}}}
contacts: {{bowl: {{between: [ball, ground.bowl], stiffness: {STIFF}, restitution: 0.2, {law}}}}}
initial: {{fly.x: {x}, fly.y: {z}}}
""")


@pytest.mark.parametrize(
    ("shape", "law", "squared"),
    [
        (f"{{type: sphere, radius: {RADIUS}}}", "friction: {coefficient: 1}", 5 * G / (7 * (BOWL - RADIUS))),
        ("{type: points, points: [[0, 0, 0]]}", "friction: null", G / BOWL),
    ],
)
@pytest.mark.parametrize("angle", [0.01, 1.0])
def test_a_ball_rolls_in_a_bowl_and_a_point_slides(angle, shape, law, squared):
    """θ'' = −ω² sin θ with ω² = 5 g/7(R − r) for a ball that rolls, g/R for a point without friction. The depth of the
    contact, and the bend of its bristles, which are as stiff, change the length in ω² by (N/k)^(2/3) each, and the
    phase by half as much. Energy never grows.
    """
    run = cardan.simulate(in_bowl(angle, shape, law), until=3.0, rtol=1e-8)
    rolling = solve_ivp(lambda _, y: [y[1], -squared * np.sin(y[0])], (0, 3), [angle, 0], dense_output=True, **FINE)
    p = run.array("ball.position")
    depth = (3 * MASS * G / STIFF) ** (2 / 3)  # where a fall from the rim presses most
    assert np.arctan2(p[:, 0], BOWL - p[:, 2]) == pytest.approx(
        rolling.sol(run.t)[0], abs=depth / (BOWL - RADIUS) * squared**0.5 * 3 * angle
    )
    energy = run.array("energy.total")
    assert np.max(np.maximum.accumulate(energy) - energy[0]) < 1e-7 * MASS * G * BOWL  # ten times rtol


def stl(path, corners):
    """A text file of triangles between all corners: only their hull counts."""
    rows = [f"vertex {x!r} {y!r} {z!r}" for k in range(len(corners) - 2) for x, y, z in corners[k : k + 3]]
    path.write_text("solid a\n" + "\n".join(rows) + "\nendsolid a\n", encoding="utf-8")
    return str(path)


def test_a_mesh_falls_on_a_plane_as_its_hull(tmp_path):
    """That of a box with a point inside tumbles exactly as a box does."""
    box = [[x, y, z] for x in (-1.0, 1.0) for y in (-2.0, 2.0) for z in (-0.5, 0.5)]
    file = stl(tmp_path / "box.stl", [*box, [0.1, 0.0, 0.0]])
    runs = [
        cardan.simulate(
            loads(
                dump(ball("stiffness: 1e5, damping: 0.2, friction: {coefficient: 0.3}", **{"vx": 1.0, "wx": 3.0}))
                .replace("{type: sphere, radius: 0.1}", shape)
                .replace("between: [ball, ", "between: [ball.hull, ")
            ),
            until=0.8,
            **FINE,
        )
        for shape in (
            "{name: hull, type: box, size: [0.2, 0.4, 0.1]}",
            f"{{name: hull, type: mesh, file: {file}, scale: 0.1}}",
        )
    ]
    assert sum(event.did == "touches" for event in runs[0].events) == 2
    one, other = (run.array("ball.position") for run in runs)
    assert other == pytest.approx(one, abs=1e-6)  # impacts of a tumbling box make a thousand times of the tolerance


@pytest.mark.parametrize(
    ("corners", "against", "fault"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "plane", "is flat, and has no convex hull"),
        (
            [[np.cos(k), np.sin(k), z] for k in range(60) for z in (0.0, 1.0)],
            "plane",
            "has 120 corners, and contacts take 100",
        ),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "sphere, radius: 1", "mesh and sphere is not supported"),
    ],
)
def test_meshes_that_cannot_touch_are_refused(corners, against, fault, tmp_path):
    shape = f"{{name: hull, type: mesh, file: {stl(tmp_path / 'a.stl', [[float(x) for x in row] for row in corners])}}}"
    text = dump(ball("stiffness: 1")).replace("[ball, ground.floor]", "[ball.hull, ground.floor]")
    text = text.replace("{type: sphere, radius: 0.1}", shape).replace("type: plane", f"type: {against}")
    with pytest.raises(ModelError, match="between") as error:
        loads(text)
    assert fault in str(error.value)
