"""Impacts of several end stops at one instant, and stops that are closed meanwhile: closed forms and theorems.

Tolerances: impacts are exact but for round-off; runs at rtol 1e-10 and atol 1e-12 in between.
"""

import numpy as np
import pytest

import cardan
from tests.selection import few

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81
FLAT = {"gravity": [0, 0, 0]}


def row(masses, restitutions, friction=None, **more):
    """Blocks in a row on a rail, each jointed to the one before it, with a lower stop at zero distance."""
    bodies = {f"b{i}": {"mass": mass} for i, mass in enumerate(masses)}
    joints = {"j0": {"type": "prismatic", "parent": "ground", "child": "b0", "axis": "x"}}
    for i, e in enumerate(restitutions, start=1):
        limits = {"lower": 0, "restitution": e}
        joints[f"j{i}"] = {"type": "prismatic", "parent": f"b{i - 1}", "child": f"b{i}", "axis": "x", "limits": limits}
    if friction is not None:
        joints["j0"]["friction"] = friction
    return cardan.Model(bodies=bodies, joints=joints, **{**FLAT, **more})


def speeds(run, count):
    return np.cumsum([run[f"j{i}.v"].values[-1] for i in range(count)])


def test_a_cradle_whose_balls_touch():
    """Equal masses, ε = 1: the first turns back with 1/3, the others go on with 2/3 (one impact of all together)."""
    run = cardan.simulate(row([1, 1, 1], [1, 1]), until=1, initial={"j0.v": 1.0, "j1.v": -1.0, "j1": 0.5}, **FINE)
    assert run.events[0].t == pytest.approx(0.5, abs=1e-14)
    np.testing.assert_allclose(speeds(run, 3), [-1 / 3, 2 / 3, 2 / 3], rtol=0, atol=1e-14)
    assert run["j2.q"].values[-1] == 0.0


def test_a_cradle_with_gaps_passes_the_motion_on():
    """One impact after another: the last ball leaves with the speed of the first."""
    start = {"j0.v": 1.0, "j1.v": -1.0, "j1": 0.5, "j2": 1e-6}
    run = cardan.simulate(row([1, 1, 1], [1, 1]), until=1, initial=start, **FINE)
    np.testing.assert_allclose(speeds(run, 3), [0, 0, 1], rtol=0, atol=1e-12)


def test_a_plastic_impact_on_a_block_at_the_wall_stops_both():
    """The wall's stop is closed while the second block runs into the first: it takes the whole momentum."""
    rail = {"type": "prismatic", "axis": "x"}
    joints = {
        "wall": rail | {"parent": "ground", "child": "one", "limits": {"lower": 0}},
        "gap": rail | {"parent": "one", "child": "two", "limits": {"lower": 0}},
    }
    model = cardan.Model(bodies={"one": {"mass": 2}, "two": {"mass": 3}}, joints=joints, gravity=[-1, 0, 0])
    run = cardan.simulate(model, until=1, initial={"gap": 0.5, "gap.v": -2.0}, **FINE)
    t = -2 + np.sqrt(4 + 1)  # 0.5 = 2 t + t²/2
    v = 2 + t
    met = [event for event in run.events if event.t > 0]
    assert [(event.name, event.did) for event in met] == [("gap", "meets its lower stop")]
    assert met[0].t == pytest.approx(t, abs=1e-12)
    assert run["gap.impulse"].values[-1] == pytest.approx(3 * v, rel=1e-12)
    assert run["wall.impulse"].values[-1] == pytest.approx(3 * v, rel=1e-12)
    assert run["wall.stop_force"].values[-1] == pytest.approx(5)
    assert run["gap.stop_force"].values[-1] == pytest.approx(3)


def test_a_closed_stop_does_not_pull_in_an_impact():
    """A block that is hit away from the wall at which it rests leaves it: no impulse of the wall."""
    rail = {"type": "prismatic", "axis": "x"}
    joints = {
        "wall": rail | {"parent": "ground", "child": "one", "limits": {"lower": 0}},
        "gap": rail | {"parent": "one", "child": "two", "limits": {"upper": 0, "restitution": 0}},
    }
    model = cardan.Model(bodies={"one": {"mass": 2}, "two": {"mass": 3}}, joints=joints, gravity=[-1, 0, 0])
    run = cardan.simulate(model, until=0.2, initial={"gap": -0.1, "gap.v": 2.0}, **FINE)
    hit = next(event for event in run.events if event.name == "gap")
    v = 2 - hit.t
    assert run["wall.impulse"].values[-1] == 0.0
    k = int(np.searchsorted(run.t, hit.t, side="right"))
    assert run["wall.v"].values[k] == pytest.approx(3 / 5 * v, rel=0.05)


def test_two_walls_at_one_instant():
    """A point that runs into a corner: each wall turns its own component, by its own restitution."""
    wall = {"type": "prismatic", "limits": {"lower": 0}}
    joints = {
        "x": wall | {"parent": "ground", "child": "carriage", "axis": "x", "limits": {"lower": 0, "restitution": 0.5}},
        "y": wall | {"parent": "carriage", "child": "point", "axis": "y"},
    }
    model = cardan.Model(bodies={"carriage": {"mass": 1}, "point": {"mass": 2}}, joints=joints, **FLAT)
    run = cardan.simulate(model, until=2, initial={"x": 1, "y": 2, "x.v": -1, "y.v": -2}, **FINE)
    assert [event.t for event in run.events] == pytest.approx([1, 1])
    assert run["x.v"].values[-1] == pytest.approx(0.5, abs=1e-14)
    assert run["y.v"].values[-1] == 0.0


def test_a_stack_of_balls_comes_to_rest():
    """Two balls over a floor, ε = 1/2 and 0.6: both series of bounces end, and the floor carries both."""
    z = {"type": "prismatic", "axis": "z"}
    joints = {
        "low": z | {"parent": "ground", "child": "one", "limits": {"lower": 0, "restitution": 0.5}},
        "high": z | {"parent": "one", "child": "two", "limits": {"lower": 0, "restitution": 0.6}},
    }
    model = cardan.Model(bodies={"one": {"mass": 2}, "two": {"mass": 1}}, joints=joints)
    run = cardan.simulate(model, until=5, initial={"low": 1, "high": 0.2}, **FINE)
    assert run.ok, run.message
    assert run["low.stop_force"].values[-1] == pytest.approx(3 * G)
    assert run["high.stop_force"].values[-1] == pytest.approx(G)
    assert run.report.relative_energy_error < 1e-9


@pytest.mark.parametrize("seed", few(range(8), 1))
def test_energy_never_grows_and_nothing_penetrates(seed):
    """Random rows of blocks that touch, hit by random speeds, each stop with a restitution of its own."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    masses, e = rng.uniform(0.2, 5, n), rng.uniform(0, 1, n - 1)
    model = row(masses, e)
    start = {"j0.v": rng.normal()}
    start |= {f"j{i}.v": -rng.uniform(0.1, 2) for i in range(1, n)}
    before = np.cumsum([start[f"j{i}.v"] for i in range(n)])
    run = cardan.simulate(model, until=1e-9, initial=start, **FINE)
    assert {event.t for event in run.events} == {run.events[0].t}
    after = speeds(run, n)
    lost = 0.5 * np.sum(masses * before**2) - 0.5 * np.sum(masses * after**2)
    assert lost > -1e-13
    assert masses @ after == pytest.approx(masses @ before, abs=1e-12)
    gaps = np.diff(after)
    assert gaps.min() > -1e-12
    heat = sum(run[f"j{i}.impact_heat"].values[-1] for i in range(1, n))
    assert heat == pytest.approx(lost, abs=1e-12)
    impulses = np.array([run[f"j{i}.impulse"].values[-1] for i in range(1, n)])
    assert impulses.min() >= 0
    np.testing.assert_allclose(masses * (after - before), -np.diff([0, *impulses, 0]), rtol=0, atol=1e-12)


def test_different_restitutions_that_would_add_energy():
    """A heavy block between two light ones, ε = 1 and 0: Newton's law alone would create energy; it is kept."""
    masses = [1.0, 0.01, 1.0]
    model = row(masses, [1.0, 0.0])
    start = {"j0.v": 1.0, "j1.v": -1.0, "j2.v": -1.0, "j1": 0.1, "j2": 0.1}
    run = cardan.simulate(model, until=0.1 + 1e-9, initial=start, **FINE)
    after = speeds(run, 3)
    before = np.array([1.0, 0.0, -1.0])
    assert 0.5 * np.sum(masses * after**2) <= 0.5 * np.sum(masses * before**2) * (1 + 1e-13)
    assert np.diff(after).min() >= -1e-13


def test_friction_does_not_hold_against_an_impulse():
    """A block that sticks is hit: it slides at once, and stops after v/(F/m) s."""
    model = row([2, 1], [0.0], friction={"effort": 4})
    run = cardan.simulate(model, until=2, initial={"j1": 0.5, "j1.v": -3.0}, **FINE)
    hit = 0.5 / 3
    common = -1.0
    names = [(event.name, event.did) for event in run.events]
    assert names[:2] == [("j0", "slides backwards"), ("j1", "meets its lower stop")]
    assert ("j0", "stops") in names
    stops = next(event for event in run.events if event.did == "stops")
    assert run.events[0].t == pytest.approx(hit, abs=1e-12)
    assert stops.t == pytest.approx(hit + abs(common) / (4 / 3), abs=1e-9)


def test_friction_and_a_stop_in_one_joint():
    """A block under its weight on a rail with friction F: the stop carries m g, friction nothing; pulled up by a force
    2 t it lets go of the stop at m g, and slides from m g + F on."""
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "z"}
    slide |= {"friction": {"effort": 3}, "limits": {"lower": 0}}
    model = cardan.Model(bodies={"block": {"mass": 0.5}}, joints={"slide": slide})
    run = cardan.simulate(model, until=5, motors="none", inputs={"slide": "2*t"}, initial={"slide": 0.1}, **FINE)
    weight = 0.5 * G
    down = [event for event in run.events if event.did == "meets its lower stop"]
    left = next(event for event in run.events if event.did == "leaves its stop")
    up = next(event for event in run.events if event.did == "slides forwards")
    assert len(down) == 1
    assert left.t == pytest.approx(weight / 2, abs=1e-9)
    assert up.t == pytest.approx((weight + 3) / 2, abs=1e-9)
    rests = (run.t > down[0].t) & (run.t < left.t)
    holds = (run.t > left.t) & (run.t < up.t)
    np.testing.assert_allclose(run["slide.stop_force"].values[rests], weight - 2 * run.t[rests], rtol=0, atol=1e-9)
    assert set(run["slide.friction"].values[rests]) == {0.0}
    np.testing.assert_allclose(run["slide.friction"].values[holds], weight - 2 * run.t[holds], rtol=0, atol=1e-9)
    assert set(run["slide.stop_force"].values[holds]) == {0.0}
    assert run["slide.sticking"].values[holds].min() == 1
    assert run["slide.sticking"].values[rests].max() == 0
    s = 5 - up.t
    assert run["slide.q"].values[-1] == pytest.approx(2 / 0.5 * s**3 / 6, rel=1e-6)


def test_only_the_stop_opens_that_has_to():
    """Held together, wall and gap would both pull; without the second block the first is pressed against the wall."""
    rail = {"type": "prismatic", "axis": "x", "limits": {"lower": 0}}
    joints = {
        "wall": rail | {"parent": "ground", "child": "one"},
        "gap": rail | {"parent": "one", "child": "two"},
    }
    forces = {
        "on_one": {"type": "force", "child": "one", "value": [-1, 0, 0]},
        "on_two": {"type": "force", "child": "two", "value": ["if(t < 1, -5, 3)", 0, 0]},
    }
    model = cardan.Model(bodies={"one": {"mass": 2}, "two": {"mass": 3}}, joints=joints, forces=forces, **FLAT)
    run = cardan.simulate(model, until=2, times=[0.5, 2], **FINE)
    assert [(event.name, event.did) for event in run.events if event.t > 0] == [("gap", "leaves its stop")]
    np.testing.assert_allclose(run["wall.stop_force"].values, [6, 1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["gap.stop_force"].values, [5, 0], rtol=0, atol=1e-12)
    assert run["gap.q"].values[-1] == pytest.approx(0.5)


def random_tree(rng, same):
    """A tree of revolute and prismatic joints, of which most run into a stop at once; their bounds and restitutions."""
    n = int(rng.integers(2, 7))
    q, v, sides, e = rng.uniform(-1, 1, n), rng.normal(size=n), rng.choice([-1, 0, 1], n), rng.uniform(0, 1, n)
    e = np.full(n, e[0]) if same else e
    v = np.where(sides == 0, v, -sides * np.abs(v))
    bodies, joints = {}, {}
    for i in range(n):
        markers = {"m": {"position": rng.normal(size=3).tolist()}}
        shape = {"mass": rng.uniform(0.3, 3), "com": rng.normal(size=3).tolist(), "inertia": [0.3, 0.3, 0.3]}
        bodies[f"b{i}"] = {**shape, "markers": markers}
        joints[f"j{i}"] = {
            "type": ("revolute", "prismatic")[int(rng.integers(2))],
            "parent": "ground" if i == 0 else f"b{int(rng.integers(0, i))}.m",
            "child": f"b{i}",
            "axis": rng.normal(size=3).tolist(),
        }
        if sides[i]:
            joints[f"j{i}"]["limits"] = {("lower" if sides[i] > 0 else "upper"): q[i], "restitution": e[i]}
    return cardan.Model(bodies=bodies, joints=joints, **FLAT), q, v, sides, e


@pytest.mark.parametrize("seed", few(range(12), 2))
def test_impacts_of_random_trees(seed):
    """M (v⁺ − v⁻) = P, 0 ≤ P ⊥ v⁺ + ε v⁻ ≥ 0, and less kinetic energy than before."""
    same = seed % 2 == 0
    model, q, v, sides, e = random_tree(np.random.default_rng(seed), same)
    names = list(model.joints)
    start = {name: q[i] for i, name in enumerate(names)} | {f"{name}.v": v[i] for i, name in enumerate(names)}
    run = cardan.simulate(model, until=1e-15, times=[0, 1e-15], initial=start)
    after = np.array([run[f"{name}.v"].values[-1] for name in names])
    P = np.array([run[f"{name}.impulse"].values[-1] if side else 0 for name, side in zip(names, sides, strict=True)])
    M = cardan.compile(model).mass_matrix(q)
    close = 1e-12 * np.abs(M).max() * np.abs(v).max()  # 1e-15 s of motion, and round-off
    np.testing.assert_allclose(M @ (after - v), P, rtol=0, atol=close)
    assert (sides * P).min() >= 0
    assert (sides * after).min(initial=0) >= -close
    assert after @ M @ after <= v @ M @ v + close
    if same:
        assert np.abs(P * (after + e * v)).max() < close
        assert (sides * (after + e * v)).min() >= -close


@pytest.mark.exhaustive
@pytest.mark.parametrize(("axis", "seed"), [("z", 3), ("z", 6), ([0.3, 0.4, 0.7], 3), ([0.3, 0.4, 0.7], 4)])
@pytest.mark.parametrize("floor", [None, -1.0])
def test_a_stack_in_free_fall_touches_without_force(axis, seed, floor):
    """Three blocks fall, meet without rebound and stay together: contact forces are zero but for round-off."""
    rng = np.random.default_rng(seed)
    masses, start = rng.uniform(0.2, 5, 3), {"j0.v": rng.normal()}
    for i in (1, 2):
        start |= {f"j{i}": rng.uniform(0, 0.3), f"j{i}.v": -rng.uniform(0.1, 1)}
    model = row(masses, [0, 0], gravity=[0, 0, -G])
    joints = {name: joint.replace(axis=axis) for name, joint in model.joints.items()}
    if floor is not None:
        joints["j0"] = joints["j0"].replace(limits={"lower": floor})
    run = cardan.simulate(model.replace(joints=joints), until=4, initial=start, **FINE)
    assert run.ok, run.message
    falls = slice(-1, None) if floor is None else slice(0, 0)
    for i in (1, 2):
        assert np.abs(run[f"j{i}.v"].values[-1]) < 1e-12
        assert run[f"j{i}.q"].values.min() > -1e-12
        np.testing.assert_allclose(run[f"j{i}.stop_force"].values[falls], 0, atol=1e-12)
    weight = G * (1 if axis == "z" else axis[2] / np.linalg.norm(axis))
    if floor is not None:
        forces = [run[f"j{i}.stop_force"].values[-1] for i in range(3)]
        np.testing.assert_allclose(forces, weight * np.cumsum(masses[::-1])[::-1], rtol=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [1, 3, 5, 8, 24])
def test_random_trees_with_stops_and_friction_run_to_their_end(seed):
    """Shaken for six seconds: bounces end, nothing goes through a stop, and the energy balances."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    bodies, joints = {}, {}
    for i in range(n):
        shape = {"mass": rng.uniform(0.3, 3), "com": (0.3 * rng.normal(size=3)).tolist(), "inertia": [0.1, 0.1, 0.1]}
        bodies[f"b{i}"] = {**shape, "markers": {"m": {"position": (0.5 * rng.normal(size=3)).tolist()}}}
        kind = ("revolute", "prismatic")[int(rng.integers(2))]
        parent = "ground" if i == 0 else f"b{int(rng.integers(0, i))}.m"
        joints[f"j{i}"] = {"type": kind, "parent": parent, "child": f"b{i}", "axis": rng.normal(size=3).tolist()}
        bounds = {"lower": -rng.uniform(0.1, 1), "upper": rng.uniform(0.1, 1)}
        joints[f"j{i}"]["limits"] = {**bounds, "restitution": float(rng.choice([0, 0.3, 0.7]))}
        if rng.uniform() < 0.6:
            joints[f"j{i}"]["friction"] = {"effort": rng.uniform(0.1, 3)}
    start = {f"j{i}.v": rng.normal() for i in range(n)}
    shaken = {f"j{i}": f"{4 * rng.normal():.3f}*sin({rng.uniform(0.5, 4):.3f}*t)" for i in range(n)}
    run = cardan.simulate(
        cardan.Model(bodies=bodies, joints=joints), until=6, motors="none", initial=start, inputs=shaken
    )
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-6
    for name, joint in joints.items():
        assert run[f"{name}.q"].values.min() > joint["limits"]["lower"] - 1e-8
        assert run[f"{name}.q"].values.max() < joint["limits"]["upper"] + 1e-8
