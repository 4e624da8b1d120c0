"""Trains that branch, meet, and pass planetary gears, against equations written by hand and SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError
from tests.selection import each

CLOSE = {"rtol": 1e-11, "atol": 1e-12}  # of the equations by hand; runs have 1e-10, over some seconds 1e-8


def machine(**sections):
    """A model of drives alone, without weight."""
    return cardan.Model(gravity=[0, 0, 0], **sections)


def last(run, *names):
    """Values at the end of a run."""
    return [float(run[name].values[-1]) for name in names]


def test_a_planetary_gear_with_three_free_shafts_keeps_the_equation_of_willis():
    """Sun and carrier are the coordinates by hand; the ring drives a wheel that turns the other way, twice as slow."""
    sun = [{"inertia": 0.3, "name": "sun", "torque": "2"}, {"planetary": {"teeth": [30, 70], "to": "ring"}}]
    arm = [{"inertia": 1.5, "name": "arm"}, {"torque": "-0.5*arm.v", "name": "drag"}]
    wheel = [{"gear": -2}, {"inertia": 0.4, "name": "wheel", "torque": "-1"}]
    model = machine(drives={"a": {"train": [*sun, *arm]}, "b": {"from": "a.ring", "train": wheel}})
    run = cardan.simulate(model, 2.0, rtol=1e-10)
    i = 70 / 30
    ring = np.array([-1, 1 + i]) / i
    G = np.array([[1, 0], [0, 1], ring / -2])
    M = G.T @ np.diag([0.3, 1.5, 0.4]) @ G
    found = solve_ivp(lambda t, w: np.linalg.solve(M, G.T @ [2, -0.5 * w[1], -1]), (0, 2), [0, 0], **CLOSE).y[:, -1]
    assert last(run, "sun.v", "arm.v", "wheel.v", "a.ring.v") == pytest.approx([*(G @ found), ring @ found], abs=1e-8)
    np.testing.assert_allclose(run["a.planetary.torque"], 2 - 0.3 * run["sun.a"], atol=1e-9)
    assert run.report.relative_energy_error < 1e-8


@each("ways, ratio", [(["sun", "carrier"], 1 + 70 / 30), (["carrier", "ring"], 70 / 100), (["ring", "sun"], -30 / 70)])
def test_a_planetary_gear_whose_third_shaft_stands_still_is_a_gear(ways, ratio):
    train = [{"inertia": 1, "torque": "2"}, {"planetary": {"teeth": ["z", 70], "ways": ways}}]
    train.append({"inertia": 8, "name": "load"})
    run = cardan.simulate(machine(parameters={"z": 30}, drives={"a": {"train": train}}), 1.0)
    assert last(run, "a.load.v") == pytest.approx([2 * ratio / (ratio**2 + 8)], rel=1e-10)


def test_a_differential_drives_both_wheels_with_one_torque():
    case = [{"inertia": 0.3, "name": "pinion", "torque": "20"}, {"gear": 4}]
    case += [
        {"planetary": {"teeth": [20, 20], "ways": ["carrier", "sun"], "to": "left"}},
        {"inertia": 1.5, "name": "r"},
    ]
    model = machine(drives={"a": {"train": case}, "b": {"from": "a.left", "train": [{"inertia": 3.0, "name": "l"}]}})
    run = cardan.simulate(model, 2.0)
    pinion, right, left = last(run, "pinion.v", "r.v", "l.v")
    assert 1.5 * right == pytest.approx(3 * left, rel=1e-10)
    assert pinion / 4 == pytest.approx((right + left) / 2, rel=1e-10)
    # wheels: T/2 (1/1.5 + 1/3)/2 = T/4 is the acceleration of the case, T = 4 (20 − 0.3 · 4 T/4)
    assert pinion == pytest.approx(4 * (80 / 2.2) / 4 * 2, rel=1e-10)


def test_one_motor_drives_two_joints_by_two_shafts():
    joints = {
        "r": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"},
        "x": {"type": "prismatic", "parent": "ground", "child": "table", "axis": "y"},
    }
    motor = {"type": "dc", "resistance": 1, "inductance": 0.01, "constant": 0.1, "inertia": 1e-3}
    drives = {
        "b": {
            "from": "a.shaft_end",
            "joint": "x",
            "train": [{"shaft": {"stiffness": 20, "damping": 0.05}}, {"gear": 30}],
        },
        "a": {"joint": "r", "source": motor, "train": [{"branch": "shaft_end"}]},
    }
    drives["a"]["train"] += [{"shaft": {"stiffness": 50, "damping": 0.1}}, {"gear": 5}]
    model = machine(
        bodies={"arm": {"inertia": [1, 1, 0.2]}, "table": {"mass": 4}},
        joints=joints,
        drives=drives,
        inputs={"a": 12},
        initial={"r": 0.3, "x": 0.05},
    )
    run = cardan.simulate(model, 1.0, rtol=1e-10)

    def rates(t, y):
        i, q, w, a, va, x, vx = y
        one, other = 50 * (q - 5 * a) + 0.1 * (w - 5 * va), 20 * (q - 30 * x) + 0.05 * (w - 30 * vx)
        return [(12 - i - 0.1 * w) / 0.01, w, (0.1 * i - one - other) / 1e-3, va, 5 * one / 0.2, vx, 30 * other / 4]

    found = solve_ivp(rates, (0, 1), [0, 1.5, 0, 0.3, 0, 0.05, 0], method="Radau", **CLOSE).y[:, -1]
    names = ("a.current", "a_rotor.q", "a_rotor.v", "r.q", "r.v", "x.q", "x.v")
    assert last(run, *names) == pytest.approx(list(found), abs=1e-7)


def test_three_motors_meet_on_one_shaft():
    """Two of them by gears, which turn with it, and one by an elastic shaft."""

    def motor(torque):
        return {"type": "torque", "value": torque, "inertia": 0.01}

    rubs = {"friction": {"type": "viscous", "viscous": 0.01}}
    drives = {
        "b": {"source": motor("0.2"), "to": "a.main", "train": [{"gear": 3}, rubs]},
        "a": {"joint": "r", "source": motor("0.5*t"), "train": [{"gear": 2}, {"branch": "main"}, {"gear": 4}]},
        "c": {"source": motor("0.1"), "to": "a.main", "train": [{"shaft": {"stiffness": 3}}]},
    }
    joint = {"type": "revolute", "parent": "ground", "child": "drum", "axis": "z"}
    model = machine(bodies={"drum": {"inertia": [1, 1, 2]}}, joints={"r": joint}, drives=drives)
    run = cardan.simulate(model, 2.0, rtol=1e-10)
    J = 2 + (8**2 + 12**2) * 0.01

    def rates(t, y):
        a, v, c, w = y
        shaft = 3 * (c - 4 * a)
        return [v, (8 * 0.5 * t + 12 * 0.2 + 4 * shaft - 16 * 0.01 * v) / J, w, (0.1 - shaft) / 0.01]

    _, v, c, w = solve_ivp(rates, (0, 2), [0] * 4, method="DOP853", **CLOSE).y[:, -1]
    names = ("a.speed", "b.speed", "c_rotor.q", "c.speed", "b.friction.torque")
    assert last(run, *names) == pytest.approx([8 * v, 12 * v, c, w, -0.01 * 4 * v], abs=1e-8)


def test_two_joints_on_one_shaft_move_together():
    joints = {
        "r": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"},
        "x": {"type": "prismatic", "parent": "ground", "child": "table", "axis": "y"},
    }
    drives = {
        "a": {"joint": "r", "source": {"type": "torque", "value": 3}, "train": [{"gear": 5}, {"branch": "out"}]},
        "b": {"from": "a.out", "joint": "x", "train": [{"gear": "10 rad/m"}]},
    }
    bodies = {"arm": {"inertia": [1, 1, 0.2]}, "table": {"mass": 4}}
    run = cardan.simulate(machine(bodies=bodies, joints=joints, drives=drives, initial={"r": 0.2}), 1.0)
    assert run["x.q"].values[0] == pytest.approx(0.02, abs=1e-12)
    assert last(run, "r.v", "x.v") == pytest.approx([15 / 0.24, 1.5 / 0.24], rel=1e-9)


def test_a_clutch_may_end_at_a_joint_and_gears_stand_between_clutches():
    """A rotor of 1 kg m² speeds up 2/4 kg m² of a drum, 1.2 N m, until they meet; then both turn by 3 N m."""
    drive = {"joint": "r", "source": {"type": "torque", "value": 3, "inertia": 1}}
    drive["train"] = [{"clutch": {"effort": 1.2}}, {"gear": 2}]
    joint = {"type": "revolute", "parent": "ground", "child": "drum", "axis": "z"}
    bodies, initial = {"drum": {"inertia": [1, 1, 2]}}, {"r.v": 3.0, "a_rotor.v": 0}
    run = cardan.simulate(machine(bodies=bodies, joints={"r": joint}, drives={"a": drive}, initial=initial), 3.0)
    meet = 6 / (4.2 + 1.2 / 0.5)
    assert [(event.did, event.t) for event in run.events] == [("stops", pytest.approx(meet, abs=1e-9))]
    assert last(run, "a.speed", "r.v") == pytest.approx([4.2 * meet + (3 - meet) * 2, 2.1 * meet + 3 - meet], rel=1e-8)
    train = [{"inertia": 1, "name": "i", "torque": "3"}, {"clutch": {"effort": 1}}, {"inertia": 1, "name": "k"}]
    train += [{"gear": 2}, {"clutch": {"effort": 5}, "name": "held"}, {"inertia": 3, "name": "l"}]
    model = machine(drives={"a": {"train": train}}, initial={"k.v": -2, "i.v": 0})
    k = -2 + 3 / (1 + 3 / 4)
    assert last(cardan.simulate(model, 3.0), "a.i.v", "a.k.v", "a.l.v") == pytest.approx([6, k, k / 2], rel=1e-9)


def test_a_freewheel_closes_a_planetary_gear():
    """It locks ring and sun while the engine pulls: all turns as one; driven by the load it runs free."""
    drives = {
        "a": {"train": [{"inertia": 1, "name": "sun", "torque": "3*cos(t)"}, {"branch": "crank"}]},
        "b": {"from": "a.ring", "train": [{"inertia": 0.5, "name": "ring"}]},
        "lock": {"from": "a.crank", "to": "a.ring", "train": [{"clutch": {"one_way": True}}]},
    }
    drives["a"]["train"] += [{"planetary": {"teeth": [20, 40], "to": "ring"}}, {"inertia": 2, "name": "arm"}]
    run = cardan.simulate(machine(drives=drives), 4.0, rtol=1e-10)
    assert [(event.did, event.t) for event in run.events] == [
        ("locks", 0),
        ("runs free", pytest.approx(np.pi / 2, abs=1e-9)),
    ]
    locked = run.t < np.pi / 2
    np.testing.assert_allclose(run["sun.v"].values[locked], 3 * np.sin(run.t[locked]) / 3.5, atol=1e-8)
    # free: arm = (sun + 2 ring)/3; (1 + 2/9) s + 4/9 r = 3 cos t, 4/9 s + (0.5 + 8/9) r = 0 for the accelerations
    share = np.linalg.solve([[1 + 2 / 9, 4 / 9], [4 / 9, 0.5 + 8 / 9]], [3, 0])
    found = 3 / 3.5 + share * (np.sin(4) - 1)
    assert last(run, "sun.v", "ring.v") == pytest.approx(list(found), abs=1e-8)


def test_a_gear_shift_is_that_of_a_solution_from_event_to_event():
    """Modelica's SimpleGearShift: a brake holds the ring at first; then a clutch makes it turn with the sun."""
    nominal, load = 10 * np.pi / 3, "-20*(load.v/(10*pi/3))*abs(load.v/(10*pi/3))"
    train = [{"branch": "crank"}, {"planetary": {"teeth": [50, 75], "to": "ring"}}]
    train.append({"inertia": 10, "name": "load", "torque": load})
    drives = {
        "engine": {"source": {"type": "torque", "value": "20*step(t - 0.5)", "inertia": 1}, "train": train},
        "brake": {"from": "engine.ring", "train": [{"brake": {"effort": "100*(1 - shift)"}}]},
        "clutch": {"from": "engine.crank", "to": "engine.ring", "train": [{"clutch": {"effort": "100*shift"}}]},
    }
    run = cardan.simulate(machine(let={"shift": "max(0, min(1, (t - 2)/0.1))"}, drives=drives), 5.0, rtol=1e-9)

    mass, ring = np.array([1, 10]), np.array([-1, 2.5]) / 1.5  # of engine and load; ring speed from theirs
    slip = ring - [1, 0]  # of the clutch

    def shift(t):
        return max(0, min(1, (t - 2) / 0.1))

    def solved(t, w, rests, efforts):
        """Accelerations while the speed `rests` @ w stays, under efforts of the brake and of the clutch; what holds."""
        torque = [20 * (t >= 0.5), -20 * (w[1] / nominal) ** 2] + ring * efforts[0] + slip * efforts[1]
        held = -(rests @ (torque / mass)) / (rests @ (rests / mass)) if rests.any() else 0.0
        return (torque + rests * held) / mass, held

    def moves(t, end, w, rests, efforts, ends=None):
        """Instant and speeds at the end of a phase."""
        if ends is not None:
            ends.terminal = True
        found = solve_ivp(
            lambda t, w: solved(t, w, rests, efforts(t))[0], (t, end), w, events=ends, max_step=0.01, **CLOSE
        )
        return found.t[-1], found.y[:, -1]

    def grip(t, w):
        return 100 * (1 - shift(t)) - abs(solved(t, w, ring, (0, 100 * shift(t)))[1])

    t, w = moves(0.5, 2.0, [0, 0], ring, lambda t: (0, 0))
    gives, w = moves(t, 3.0, w, ring, lambda t: (0, 100 * shift(t)), grip)
    locks, w = moves(gives, 4.0, w, 0 * ring, lambda t: (-100 * (1 - shift(t)), 100 * shift(t)), lambda t, w: slip @ w)
    t, w = moves(locks, 2.2, w, slip, lambda t: (0, 0) if t > 2.1 else (-100 * (1 - shift(t)), 0))
    t, w = moves(t, 5.0, w, slip, lambda t: (0, 0))
    assert [event.t for event in run.events] == pytest.approx([0.5, gives, locks], abs=1e-8)
    assert last(run, "engine.speed", "load.v", "engine.ring.v") == pytest.approx([*w, w[0]], abs=1e-7)


def test_masses_of_a_linear_train_swing_at_their_eigenfrequency_and_slide_at_joints():
    train = [{"mass": 2.0, "name": "one"}, {"spring": {"stiffness": 30}}, {"mass": 3.0, "name": "two"}]
    initial = {"one.v": 1.0, "two.v": 0.0}
    run = cardan.simulate(machine(drives={"d": {"linear": True, "train": train}}, initial=initial), 3.0, rtol=1e-10)
    w = np.sqrt(30 * (1 / 2 + 1 / 3))
    np.testing.assert_allclose(run["d.spring.compression"], np.sin(w * run.t) / w, atol=1e-8)
    np.testing.assert_allclose(run["d.spring.force"], 30 * np.sin(w * run.t) / w, atol=3e-7)
    rod = {"type": "prismatic", "parent": "ground", "child": "rod", "axis": "x"}
    train = [{"mass": "3 kg", "force": "8 N"}, {"friction": {"effort": "2 N"}}]
    drive = {"linear": True, "joint": "rod", "train": train}
    model = machine(bodies={"rod": {"mass": 1}}, joints={"rod": rod}, drives={"d": drive})
    run = cardan.simulate(model, 2.0)
    assert last(run, "rod.v", "d.friction.force") == pytest.approx([2 * (8 - 2) / 4, -2], rel=1e-9)


def test_a_freewheel_that_shares_several_freedoms_with_two_brakes_is_refused():
    gear = [{"inertia": 1, "name": "sun"}, {"branch": "crank"}, {"planetary": {"teeth": [20, 40], "to": "ring"}}]
    drives = {
        "a": {"train": [*gear, {"branch": "arm"}, {"inertia": 1, "name": "arm_side"}]},
        "b": {"from": "a.ring", "train": [{"inertia": 1, "name": "ring"}, {"brake": {"effort": 1}}]},
        "c": {"from": "a.crank", "train": [{"brake": {"effort": 1}}]},
        "f": {"from": "a.crank", "to": "a.arm", "train": [{"clutch": {"one_way": True}}]},
    }
    with pytest.raises(
        ModelError, match=r"'f_1' moves one way only and moves only together .*\n.*let it move both ways"
    ):
        cardan.simulate(machine(drives=drives), 0.1)


def test_trains_are_written_and_read_again(tmp_path):
    drives = {
        "a": {
            "train": [{"inertia": 1, "name": "sun"}, {"branch": "crank"}, {"planetary": {"teeth": [2, 4], "to": "r"}}]
        },
        "b": {"from": "a.crank", "to": "a.r", "train": [{"clutch": {"one_way": True, "effort": 1}}]},
    }
    drives["a"]["train"].append({"inertia": 2, "name": "arm"})
    model = machine(drives=drives)
    cardan.save(model, tmp_path / "model.yaml")
    assert cardan.load(tmp_path / "model.yaml") == model


def test_a_cascade_drives_a_train_that_ends_in_another_as_if_it_were_one():
    motor = {"type": "dc", "resistance": 1, "inductance": 0.002, "constant": 0.1, "inertia": 1e-3}
    law = {"type": "cascade", "drive": "m", "follow": "go.load", "position": {"kp": 20}}
    law |= {"speed": {"kp": 0.5, "time": "50 ms"}, "current": {"kp": 2.0, "time": "2 ms"}}
    low, high = [{"inertia": 0.01}, {"branch": "main"}], [{"gear": 4}, {"inertia": 0.5, "name": "load"}]
    apart = {"a": {"train": [*low, *high]}, "m": {"source": motor, "to": "a.main", "train": [{"gear": 3}]}}
    whole = {"m": {"source": motor, "train": [{"gear": 3}, *low, *high]}}
    way = {"from": {"load": 0}, "to": {"load": 2}, "max_speed": 2, "max_acceleration": 8}
    one, other = (
        cardan.simulate(machine(drives=drives, paths={"go": way}, controllers={"m": law}), 2.0, rtol=1e-10)
        for drives in (apart, whole)
    )
    assert last(one, "load.q", "m.speed") == pytest.approx(last(other, "load.q", "m.speed"), abs=1e-8)


@each("shaft", [{}, {"name": "belt"}])
def test_a_planar_model_has_drives_of_joints_that_slide_and_machines_of_their_own(shaft):
    """Their rotors feel no turn in the plane: as in space, where a rotor along the rail does not either."""
    runs = []
    for planar, inertia in (("xz", [0, 2, 0]), (None, [2, 2, 2])):
        model = cardan.Model(
            planar=planar,
            bodies={"trolley": {"mass": 12}, "load": {"mass": 30, "com": [0, 0, -1], "inertia": inertia}},
            joints={
                "rail": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"},
                "rope": {"type": "revolute", "parent": "trolley", "child": "load", "axis": "y"},
            },
            drives={
                "a": {
                    "joint": "rail",
                    "source": {"type": "torque", "value": "2*sin(3*t)", "inertia": 1e-3},
                    "train": [{"shaft": {"stiffness": 40, **shaft}}, {"gear": 20}],
                },
                "fan": {"train": [{"inertia": 1e-3, "name": "fan", "torque": "0.1 - fan.v*1e-3"}]},
                "cart": {"linear": True, "train": [{"mass": 2, "name": "cart", "force": "-3*cart"}]},
            },
            initial={"rope": 0.4, "cart": 0.1},
        )
        runs.append(cardan.simulate(model, 2.0, rtol=1e-10))
    for name in ("rail.q", "rope.q", "a_rotor.q", "fan.v", "cart.q", f"a.{shaft.get('name', 'shaft')}.torque"):
        np.testing.assert_allclose(runs[0][name].values[-1], runs[1][name].values[-1], atol=1e-8)


def test_friction_stands_behind_a_freewheel_and_a_second_motor_too():
    """A wheel that rubs and is overtaken by its second motor, from event to event."""
    law = {"friction": {"effort": 0.6, "viscous": 0.02}}
    first = {"source": {"type": "torque", "value": "3*sin(4*t)", "inertia": 0.05}}
    first["train"] = [
        {"gear": 3},
        {"clutch": {"one_way": True}},
        {"branch": "x"},
        {"inertia": 0.4, "name": "wheel"},
        law,
    ]
    second = {"source": {"type": "torque", "value": "0.6*step(t - 1)", "inertia": 1e-3}, "to": "a.x"}
    second["train"] = [{"friction": {"effort": 0.05}}, {"gear": 2}]
    run = cardan.simulate(machine(drives={"a": first, "b": second}), 2.5, rtol=1e-10)
    front, behind = 0.05 * 9, 0.4 + 1e-3 * 4

    def torque(t, w):
        return 1.2 * (t >= 1) - 0.7 - 0.02 * w

    def together(t, y):
        return [(9 * np.sin(4 * t) + torque(t, y[0])) / (front + behind)] * 2

    def apart(t, y):
        return [9 * np.sin(4 * t) / front, torque(t, y[1]) / behind]

    def passed_on(t, y):
        return 9 * np.sin(4 * t) - front * together(t, y)[0]

    passed_on.terminal = True
    begin = np.arcsin(0.7 / 9) / 4
    locked = solve_ivp(together, (begin, 1), [0, 0], events=passed_on, **CLOSE)
    y, t = locked.y[:, -1], locked.t[-1]
    for end in (1, 2.5):
        free = solve_ivp(apart, (t, end - 1e-12 if end == 1 else end), y, **CLOSE)
        y, t = free.y[:, -1], end
        assert (free.y[1] - free.y[0])[-1] > 0
    assert [event.t for event in run.events if event.t > 0][::2] == pytest.approx([begin, locked.t[-1]], abs=1e-7)
    assert last(run, "a.speed", "a.wheel.v", "b.speed") == pytest.approx([3 * y[0], y[1], 2 * y[1]], abs=1e-7)


def test_two_joints_on_one_planetary_gear_start_where_they_are_given():
    """The motor begins 110 rad away, and all follows the equations of Lagrange."""
    arms = {name: {"mass": 2, "com": [0.2, 0, 0], "inertia": [0, 0.03, 0]} for name in ("u", "v")}
    model = cardan.Model(
        bodies=arms,
        joints={
            f"j{k}": {"type": "revolute", "parent": "ground", "child": k, "axis": "y", "damping": 0.1} for k in arms
        },
        drives={
            "a": {
                "source": {"type": "torque", "value": "0.1*sin(2*t)", "inertia": 1e-4},
                "joint": "ju",
                "train": [{"gear": 20}, {"planetary": {"teeth": [30, 60], "to": "ring"}}],
            },
            "b": {"from": "a.ring", "joint": "jv", "train": [{"gear": -2}]},
        },
        initial={"ju": 0.5, "jv": 1},
    )
    run = cardan.simulate(model, 1.0, rtol=1e-10)
    G = np.array([60.0, 80.0])  # 0.05 rotor = 3 ju − 2 ring, ring = −2 jv
    M = 0.11 * np.eye(2) + 1e-4 * np.outer(G, G)

    def rates(t, y):
        weight = 2 * 9.81 * 0.2 * np.cos(y[:2])
        return [*y[2:], *np.linalg.solve(M, weight - 0.1 * y[2:] + G * 0.1 * np.sin(2 * t))]

    found = solve_ivp(rates, (0, 1), [0.5, 1, 0, 0], **CLOSE).y[:, -1]
    assert run["a_rotor.q"].values[0] == pytest.approx(110)
    assert last(run, "ju.q", "jv.q", "ju.v", "jv.v") == pytest.approx(list(found), abs=1e-7)
