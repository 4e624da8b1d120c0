"""Drives, paths and controllers against published results, closed forms and loops that were written by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import cardan
from cardan.errors import ModelError
from cardan.model.drives.sources.datasheet import Datasheet
from tests.selection import each

REFERENCE = json.loads((Path(__file__).parent / "data" / "manutec_r3.json").read_text(encoding="utf-8"))


def machine(**sections):
    """A model of drives alone, without weight."""
    return cardan.Model(gravity=[0, 0, 0], **sections)


def test_the_manutec_r3_is_that_of_the_modelica_standard_library():
    """Six axes under cascade control, three of them with elastic gears, from their start at rest on: 34 events."""
    run = cardan.simulate(cardan.load("manutec_r3"), times=REFERENCE["t"], until=REFERENCE["t"][-1])
    assert run.ok
    assert len(run.events) == 34
    for quantity, column in REFERENCE["columns"].items():
        name, theirs = column["result"].removeprefix("-"), np.array(column["values"][0])
        ours = run[name].values * (-1 if column["result"].startswith("-") else 1)
        far = np.abs(ours - theirs).max()
        assert far < (1e-6 if name.endswith(".q") else 1e-5 * max(1, np.abs(theirs).max())), quantity


def test_a_gear_in_a_train_divides_inertia_by_the_square_of_its_ratio():
    train = [{"inertia": 0.2}, {"gear": -5}, {"inertia": 3.0, "name": "load"}]
    run = cardan.simulate(machine(drives={"d": {"source": {"type": "torque", "value": "2 N*m"}, "train": train}}), 1.0)
    assert run["load.a"].values[-1] == pytest.approx(-5 * 2 / (3 + 25 * 0.2), rel=1e-12)
    assert run["d.speed"].values[-1] == pytest.approx(-5 * run["load.v"].values[-1], rel=1e-12)


def test_the_train_ends_at_its_joint_with_all_it_carries():
    """Torque, inertia and friction of the motor's side at a sliding joint: N τ, N² J, N F; the gear has rad/m."""
    table = {"type": "prismatic", "parent": "ground", "child": "table", "axis": "x"}
    train = [{"inertia": 0.01}, {"friction": {"effort": 0.3, "viscous": 0.02}}, {"gear": 50}]
    drive = {"joint": "table", "source": {"type": "torque", "value": "2 N*m"}, "train": train}
    model = machine(bodies={"table": {"mass": 10}}, joints={"table": table}, drives={"d": drive})
    run = cardan.simulate(model, 2.0)
    mass, damping, force = 10 + 50**2 * 0.01, 50**2 * 0.02, 50 * (2 - 0.3)
    t = run.t
    np.testing.assert_allclose(run["table.v"], force / damping * (1 - np.exp(-damping / mass * t)), atol=1e-8)


def test_a_shaft_between_two_rotors_swings_at_its_eigenfrequency():
    train = [{"inertia": 2.0, "name": "one"}, {"shaft": {"stiffness": 30}}, {"inertia": 3.0, "name": "two"}]
    run = cardan.simulate(
        machine(drives={"d": {"train": train}}, initial={"one.v": 1.0, "two.v": 0.0}), 3.0, rtol=1e-10
    )
    w = np.sqrt(30 * (1 / 2 + 1 / 3))
    np.testing.assert_allclose(run["d.shaft.twist"], np.sin(w * run.t) / w, atol=1e-8)
    np.testing.assert_allclose(run["d.shaft.torque"], 30 * np.sin(w * run.t) / w, atol=3e-7)


def test_a_clutch_brings_two_rotors_to_one_speed():
    train = [{"inertia": 1.0, "name": "one"}, {"clutch": {"effort": 4}}, {"inertia": 3.0, "name": "two"}]
    run = cardan.simulate(machine(drives={"d": {"train": train}}, initial={"one.v": 8.0, "two.v": -8.0}), 3.0)
    together = 8.0 / (4 * (1 + 1 / 3))  # the difference of 8 rad/s goes by 4/1 + 4/3 in a second
    (event,) = run.events
    assert event.t == pytest.approx(together, abs=1e-9)
    assert run["d.two.v"].values[-1] == pytest.approx(8.0 / 4, abs=1e-9)  # momentum 8 over 4
    assert run["d.clutch.loss"].values[0] == pytest.approx(4 * 8)


def test_a_freewheel_is_that_of_a_solution_from_event_to_event():
    """Free while what stands behind is faster; locked while the torque through it is above −static: against SciPy."""
    J, K, F, S = 1.0, 2.0, 0.4, 2.5
    clutch = {"clutch": {"one_way": True, "effort": F, "static": S}}
    train = [{"inertia": J, "name": "one", "torque": "6*sin(5*t) - 0.8"}, clutch, {"inertia": K, "name": "two"}]
    initial = {"one.v": -0.5, "two.v": 0.5}
    run = cardan.simulate(machine(drives={"d": {"train": train}}, initial=initial), 4.0, rtol=1e-10)

    def torque(t):
        return 6 * np.sin(5 * t) - 0.8

    laws = {
        True: (lambda t, w: [(torque(t) + F) / J, -F / K], lambda t, w: w[1] - w[0]),
        False: (lambda t, w: [torque(t) / (J + K)] * 2, lambda t, w: K * torque(t) / (J + K) + S),
    }
    t, w, is_free, instants = 0.0, [-0.5, 0.0], True, []
    while t < 4:
        rates, ends = laws[is_free]
        ends.terminal, ends.direction = True, -1
        found = solve_ivp(rates, (t, 4), w, events=ends, rtol=1e-12, atol=1e-13, max_step=0.02)
        t, w, is_free = found.t[-1], found.y[:, -1], not is_free
        instants += [t] if found.status else []
    switched = [event.t for event in run.events if event.did in ("locks", "slides forwards")]
    np.testing.assert_allclose(switched, instants, atol=1e-9)
    np.testing.assert_allclose([run["d.one.v"].values[-1], run["d.two.v"].values[-1]], w, atol=1e-8)
    assert run["d.clutch.torque"].values.min() == pytest.approx(-S, rel=1e-9)
    assert np.abs(run["two.impulse"]).max() == 0  # the speeds meet before it locks


@each("law", [{}, {"effort": 0}])
def test_a_freewheel_locks_from_rest_on(law):
    """The torque through it grows from zero, also where friction with the limit zero holds nothing."""
    train = [{"inertia": 1, "name": "one", "torque": "10*sin(6*pi*t)"}, {"clutch": {"one_way": True, **law}}]
    run = cardan.simulate(machine(drives={"d": {"train": [*train, {"inertia": 1, "name": "two"}]}}), 0.3)
    assert [event.t for event in run.events if event.did in ("locks", "runs free")] == pytest.approx([0, 1 / 6])
    locked = run.t < 1 / 6
    expected = 5 * (1 - np.cos(6 * np.pi * run.t[locked])) / (6 * np.pi)
    np.testing.assert_allclose(run["d.two.v"].values[locked], expected, atol=1e-7)


def test_a_brake_holds():
    train = [{"inertia": 2.0, "name": "one"}, {"brake": {"effort": 5, "static": 6}}]
    drive = {"source": {"type": "torque", "value": "4*step(t - 1)"}, "train": train}
    run = cardan.simulate(machine(drives={"d": drive}, initial={"one.v": 1.0}), 2.0)
    assert run["one.q"].values[-1] == pytest.approx(1 / (2 * 2.5), abs=1e-9)
    assert run["d.brake.torque"].values[-1] == pytest.approx(-4)


def test_a_brake_that_follows_time_lets_go_and_holds():
    """Under 5 N m on 2 kg m²: 2.5 t for 1 s, braked with 25 − 10 N m, held, let go after 2 s."""
    law = {"effort": "15*step(t - 1) - 25*step(t - 2)"}  # below zero at the end: the brake is open
    train = [{"inertia": 2, "name": "w"}, {"torque": "5 + 5*step(t - 1) - 5*step(t - 2)"}, {"brake": law}]
    train.append({"friction": {"effort": "10*step(t - 1) - 10*step(t - 2)"}})
    run = cardan.simulate(machine(drives={"d": {"train": train}}), times=[0, 1, 1.2, 1.5, 2, 3])
    np.testing.assert_allclose(run["w.v"], [0, 2.5, 2.5 - 7.5 * 0.2, 0, 0, 2.5], atol=1e-9)
    assert [event.did for event in run.events] == ["slides forwards", "stops", "slides forwards"]
    assert [event.t for event in run.events] == pytest.approx([0, 1 + 2.5 / 7.5, 2], abs=1e-9)
    assert run["w.heat"].values[-1] == pytest.approx(25 * 2.5**2 / 7.5 / 2, rel=1e-9)


def test_friction_may_follow_the_motion_and_states():
    """Viscous friction that grows with the angle, and an effort that fades with a state: against SciPy."""
    law = {"effort": "3*fade", "viscous": "0.2 + 0.5*w"}
    train = [{"inertia": 2, "name": "w"}, {"friction": law}]
    fade = {"fade": {"rate": "-2*fade", "initial": 1}}
    run = cardan.simulate(machine(drives={"d": {"train": train}}, states=fade, initial={"w.v": 5}), 2.0, rtol=1e-10)
    rates = solve_ivp(
        lambda t, y: [y[1], -(3 * np.exp(-2 * t) + (0.2 + 0.5 * y[0]) * y[1]) / 2], (0, 2), [0, 5], rtol=1e-11,
        atol=1e-12, t_eval=run.t,
    )  # fmt: skip
    np.testing.assert_allclose(run["w.q"], rates.y[0], atol=1e-8)


def _four_rotors(end):
    """Four rotors of 1 kg m² joined by clutches, from event to event: speeds over time, and the instants of events."""
    slides = [lambda t: 10 * max(0, np.cos(0.4 * np.pi * t)), lambda t: 10.0 * (t >= 0.4), lambda t: 10.0 * (t >= 0.9)]
    holds, signs, pieces, events = [lambda t: 1.1 * slides[0](t), *slides[1:]], [1, 0, 0], [], []

    def found(t, at):
        """Accelerations of the rotors and torques of the clutches, `at`: inside a piece the clutches do not jump."""
        A, b = np.zeros((7, 7)), np.zeros(7)
        A[:4, :4] = np.eye(4)
        A[:3, 4:] += np.eye(3)
        A[1:4, 4:] -= np.eye(3)
        b[0] = 10 * np.sin(10 * np.pi * t)
        for k, sign in enumerate(signs):
            A[4 + k, [4 + k] if sign else [k, 1 + k]] = 1 if sign else (1, -1)
            b[4 + k] = sign * slides[k](min(t, at))
        y = np.linalg.solve(A, b)
        return y[:4], y[4:]

    t, w = 0.0, np.array([10.0, 0, 0, 0])
    while t < end:
        passed = [abs(c) - holds[k](t) if signs[k] == 0 else -1 for k, c in enumerate(found(t, t)[1])]
        if max(passed) > 1e-9:
            k = int(np.argmax(passed))
            signs[k] = int(np.sign(found(t, t)[1][k]))
            continue
        last = next(jump for jump in (0.4, 0.9, end) if jump > t)
        at = np.nextafter(last, 0)

        def left(k, sign, at=at):
            def condition(time, speeds):
                holds_on = holds[k](min(time, at)) - abs(found(time, at)[1][k]) + 1e-10  # held by none, without torque
                return sign * (speeds[k] - speeds[k + 1]) if sign else holds_on

            condition.terminal, condition.direction = True, -1
            return condition

        conditions = [left(k, sign) for k, sign in enumerate(signs)]
        piece = solve_ivp(lambda t, w, at=at: found(t, at)[0], (t, last), w, events=conditions, rtol=1e-11, atol=1e-12,
                          max_step=0.02, dense_output=True)  # fmt: skip
        pieces.append(piece)
        t, w = piece.t[-1], piece.y[:, -1]
        for k, hit in enumerate(piece.t_events):
            if len(hit):
                signs[k] = 0 if signs[k] else int(np.sign(found(t, t)[1][k]))
                events.append(t)
    return pieces, events


def test_clutches_that_close_and_open_are_those_of_coupled_clutches():
    """Example CoupledClutches of the Modelica Standard Library, of which there is no table: from event to event."""
    laws = [
        {"effort": "10*cos(0.4*pi*t)", "static": "11*cos(0.4*pi*t)"},
        *({"effort": f"10*step(t - {at})"} for at in (0.4, 0.9)),
    ]
    train = [{"inertia": 1, "name": "w1"}, {"torque": "10*sin(10*pi*t)"}]
    for k, law in enumerate(laws):
        train += [{"clutch": law, "name": f"c{k}"}, {"inertia": 1, "name": f"w{k + 2}"}]
    start = {"w1.v": 10, "w2.v": -10}  # behind a clutch against what stands before it
    run = cardan.simulate(machine(drives={"d": {"train": train}}, initial=start), 1.5, rtol=1e-10, atol=1e-11)
    pieces, events = _four_rotors(1.5)
    expected = [next(piece for piece in pieces if t <= piece.t[-1]).sol(t) for t in run.t]
    ours = np.array([run[name].values for name in ("w1.v", "d.w2.v", "d.w3.v", "d.w4.v")]).T
    np.testing.assert_allclose(ours, expected, atol=1e-7)
    assert [event.t for event in run.events if event.t > 0] == pytest.approx(events, abs=1e-8)
    assert len(events) == 6


def _behind_a_gear(N, inertias, efficiencies, torques, front=(0, 0), bearing=0, end=1.5):
    """Speed behind a gear from event to event, by the four quadrants of Pelchen, Schweiger & Otter: where it drives,
    τ_loss = (1 − η₁)τ_a, where it is driven (1 − 1/η₂)τ_a, of the torque τ_a in front, and bearings; events.
    """
    (J_a, J_b), (eta, reverse), (motor, load) = inertias, efficiencies, torques

    def acceleration(t, w, sign):
        """While what stands behind turns forwards (1), or backwards (-1)."""
        turns, found = sign * np.sign(N), []
        for way in (1, -1):  # of the torque in front
            left = eta if way == turns else 1 / reverse
            acts = motor(t) - turns * (front[0] + front[1] * abs(N * w))
            a = (N * (left * acts - turns * bearing) + load(t)) / (J_b + N**2 * J_a * left)
            found.append((way * (acts - J_a * N * a), a))
        return max(found)[1]

    def condition(way, sign):
        """While it turns one way its speed, while it rests how much it would turn that way."""

        def left(t, y):
            return way * (y[1] if sign else acceleration(t, 0, way))

        left.terminal, left.direction = sign in (0, way), -1 if sign else 1
        return left

    t, w, sign, pieces, events = 0.0, [0.0, 0.0], 0, [], []
    while t < end:
        if not sign:
            sign = 1 if acceleration(t, 0, 1) > 1e-9 else -1 if acceleration(t, 0, -1) < -1e-9 else 0
            events += [t] if sign else []
        piece = solve_ivp(
            lambda t, y, sign=sign: [y[1], acceleration(t, y[1], sign) if sign else 0],
            (t, end), w, events=[condition(1, sign), condition(-1, sign)],
            rtol=1e-10, atol=1e-12, max_step=0.01, dense_output=True,
        )  # fmt: skip
        pieces.append(piece)
        t, w = piece.t[-1], [piece.y[0, -1], 0.0]
        if piece.status == 1:
            events.append(t)
            sign = 0 if sign else 1 if len(piece.t_events[0]) else -1
    return pieces, events


@each(
    "N, inertias, efficiencies, front, bearing, motor, load",
    [
        (2, (1, 1.5), (0.5, 0.5), (0.5, 0.5), 0, "10*sin(2*pi*t)", "2.5*min(t, 2) - 10"),  # LossyGearDemo2
        (2, (1, 1.5), (0.8, 0.4), (0, 0), 0.7, "10*sin(2*pi*t)", "2.5*min(t, 2) - 10"),
        (-3, (0.5, 4), (0.7, 0.3), (0.3, 0.1), 0.2, "8*sin(9*t)", "5*cos(4*t)"),
        (5, (0.1, 1.5), (0.6, 0.1), (0, 0), 0, "2*sin(7*t)", "-5"),  # the load drives
    ],
)
def test_a_gear_with_losses_drives_is_driven_and_sticks(N, inertias, efficiencies, front, bearing, motor, load):
    gear = {"ratio": N, "efficiency": efficiencies[0], "reverse_efficiency": efficiencies[1]}
    gear["friction"] = {"effort": bearing}
    train = [{"inertia": inertias[0]}, {"torque": motor}, {"friction": {"effort": front[0], "viscous": front[1]}}]
    train += [{"gear": gear}, {"inertia": inertias[1], "name": "w"}, {"torque": load, "name": "load"}]
    run = cardan.simulate(machine(drives={"d": {"train": train}}), 1.5, rtol=1e-10, atol=1e-12)
    functions = {"sin": np.sin, "cos": np.cos, "pi": np.pi, "min": min}
    torques = [lambda t, law=law: eval(law, functions | {"t": t}) for law in (motor, load)]  # of this table alone
    pieces, events = _behind_a_gear(N, inertias, efficiencies, torques, front, bearing)
    expected = [next(piece for piece in pieces if t <= piece.t[-1] + 1e-12).sol(t)[1] for t in run.t]
    np.testing.assert_allclose(run["w.v"], expected, atol=1e-8)
    at_once = [t for k, t in enumerate(events) if k == 0 or t > events[k - 1] + 1e-9]  # a stop that is a start, too
    assert [event.t for event in run.events] == pytest.approx(at_once, abs=1e-8)
    losses = run["d.gear.loss"].values + run["d.friction.loss"].values
    assert np.trapezoid(losses, run.t) == pytest.approx(run["w.heat"].values[-1], rel=1e-3)  # between instants of a run
    assert run.report.energy_error < 1e-8 * run.report.energy_scale


@each(
    "forwards, reverse, voltage, torque",
    [
        (0.7, 0.5, 24, 1 / 0.7),  # lifts: the motor gives the load's torque over the efficiency
        (0.7, 0.5, -2, 0.5),  # lowers: the motor brakes with what the teeth leave of it
        (0.6, -0.2, -6, -0.2),  # a worm is driven downwards, too
        (0.6, -0.2, 0, 0),  # and holds without a current
        (0.5, None, 0, 0),  # as does a gear at the limit, 2 − 1/0.5 = 0
    ],
)
def test_efficiency_of_a_hoist_both_ways(forwards, reverse, voltage, torque):
    motor = {"type": "dc", "resistance": 0.5, "inductance": 1e-3, "constant": 0.05, "inertia": 1e-4}
    gear = {"ratio": 400, "efficiency": forwards} | ({} if reverse is None else {"reverse_efficiency": reverse})
    model = cardan.Model(
        bodies={"load": {"mass": 50}},
        joints={"lift": {"type": "prismatic", "parent": "ground", "child": "load", "axis": "z"}},
        drives={"d": {"joint": "lift", "source": motor, "train": [{"gear": gear}]}},
        inputs={"d": voltage},
    )
    run = cardan.simulate(model, 3.0)
    current = torque * 50 * 9.81 / 400 / 0.05
    speed = (voltage - 0.5 * current) / (0.05 * 400)
    assert run["d.current"].values[-1] == pytest.approx(current, rel=1e-8)
    assert run["lift.v"].values[-1] == pytest.approx(speed, rel=1e-7)
    assert run["d.gear.loss"].values[-1] == pytest.approx((torque - 1) * 50 * 9.81 * speed, rel=1e-7)
    if voltage == 0:
        assert not run["lift.q"].values.any()


def test_the_worm_hoist_lifts_holds_without_a_current_and_is_driven_downwards():
    """Steady currents and speeds of both ways, from the torques at the motor."""
    run = cardan.simulate(cardan.load("worm_hoist"), times=[0.0, 2.1, 3.0, 3.1, 5.1, 6.0], rtol=1e-10)
    constant, resistance, eta, reverse = 1.43 / 24, 1.0, 0.48, 2 - 1 / 0.48
    no_load = 0.2 * constant  # friction of the motor, in front of the teeth; the bearings rub behind them
    for k, volts, way, share in ((1, 24, 1, 1 / eta), (4, -12, -1, reverse)):
        drag = 0.02 / 50  # of the drum's bearings, per speed of the drum
        # volts = R i + K w and K i = way no_load + share ((m g r + drag w)/50 + way bearings)
        A = [[resistance, constant], [constant, -share * drag / 50]]
        b = [volts, way * no_load + share * (15 * 9.81 * 0.06 / 50 + way * 0.01)]
        current, speed = np.linalg.solve(A, b)
        assert run["hoist.current"].values[k] == pytest.approx(current, rel=1e-6)
        assert run["lift.v"].values[k] == pytest.approx(speed / 50 * 0.06, rel=1e-6)
        powers = [run[f"hoist.{x}"].values[k] for x in ("power", "losses", "gear.loss", "no_load_friction.loss")]
        lifted = (15 * 9.81 * 0.06 + 0.02 * speed / 50) * speed / 50
        assert run["hoist.gear.torque"].values[k] == pytest.approx(lifted / (speed / 50), rel=1e-6)
        assert powers[0] == pytest.approx(sum(powers[1:]) + lifted, rel=1e-6)
    assert run["lift.q"].values[2] == run["lift.q"].values[3]  # held
    assert run["hoist.current"].values[3] == pytest.approx(0, abs=1e-9)
    assert run["hoist.gear.torque"].values[3] == pytest.approx(15 * 9.81 * 0.06)
    assert [event.did for event in run.events] == ["slides forwards", "stops", "slides backwards", "stops"]


def test_gears_with_losses_beside_each_other_do_not_change_each_other():
    """Two at once are solved by iteration, one in closed form."""

    def drive(k, ratio, efficiency, motor):
        gear = {"ratio": ratio, "efficiency": efficiency, "friction": {"effort": 0.1}}
        train = [{"inertia": 0.5}, {"torque": motor}, {"gear": gear}, {"inertia": 1.5, "name": f"w{k}"}]
        return {"train": [*train, {"torque": "4*cos(5*t)", "name": "load"}]}

    drives = {"a": drive(1, 2, 0.6, "8*sin(9*t)"), "b": drive(2, 3, 0.8, "6*sin(5*t)")}
    t = np.linspace(0, 2, 100)
    both = cardan.simulate(machine(drives=drives), times=t, rtol=1e-10)
    for k, name in enumerate(drives, 1):
        alone = cardan.simulate(machine(drives={name: drives[name]}), times=t, rtol=1e-10)
        np.testing.assert_allclose(both[f"w{k}.v"], alone[f"w{k}.v"], atol=1e-8)


def test_a_worm_jams_where_the_inertia_behind_it_is_large():
    """1 − (1 − η₂) J_b/(J_a + J_b) decides: below zero rigid teeth have several motions, or none."""
    for inertia, status in ((4, "friction_indeterminate"), (6, "completed")):
        gear = {"ratio": 1, "efficiency": 0.6, "reverse_efficiency": -0.5}
        train = [{"inertia": inertia}, {"torque": "3 - 5*step(t - 0.2)"}, {"gear": gear}, {"inertia": 10, "name": "w"}]
        run = cardan.simulate(machine(drives={"d": {"train": train}}), 1.0)
        assert run.status == status
        assert ("'w'" in run.message) == (status != "completed")


def test_gears_with_losses_under_prescribed_motions_or_beside_friction_in_a_loop_are_refused():
    arm = {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y"}
    drive = {"joint": "hinge", "train": [{"inertia": 1}, {"gear": {"ratio": 2, "efficiency": 0.8}}]}
    model = machine(bodies={"arm": {"mass": 1}}, joints={"hinge": arm}, drives={"d": drive}, motions={"hinge": "t"})
    with pytest.raises(ModelError, match=r"a motion prescribes how the gear with losses of 'hinge' turns"):
        cardan.simulate(model, 1.0)
    with pytest.raises(ModelError, match="a gear with losses turns as a motion prescribes"):
        cardan.kinetostatics(model, times=[0.0])
    second = {"type": "revolute", "parent": "ground", "child": "other", "axis": "y", "friction": {"effort": 1}}
    bodies = {"arm": {"inertia": [0, 1, 0]}, "other": {"inertia": [0, 1, 0]}}
    couple = {"couple": {"type": "coupler", "terms": {"hinge": 1, "second": 2}}}
    model = machine(bodies=bodies, joints={"hinge": arm, "second": second}, drives={"d": drive}, constraints=couple)
    with pytest.raises(ModelError, match=r"in front of 'hinge' moves only together with 'second'"):
        cardan.simulate(model, 1.0)


def test_a_rotor_turns_its_carrier_the_other_way():
    base = {"type": "revolute", "parent": "ground", "child": "base", "axis": "z"}
    drive = {"carrier": "base", "axis": "z", "source": {"type": "torque", "value": 1}}
    drive["train"] = [{"inertia": 0.5, "name": "rotor"}]
    model = machine(bodies={"base": {"inertia": [1, 1, 4]}}, joints={"base": base}, drives={"d": drive})
    run = cardan.simulate(model, 2.0)
    np.testing.assert_allclose(4 * run["base.v"] + 0.5 * (run["base.v"] + run["rotor.v"]), 0, atol=1e-12)
    assert run["base.v"].values[-1] == pytest.approx(-1 * 2 / 4, rel=1e-9)


def test_a_speed_is_prescribed():
    drive = {"source": {"type": "speed", "value": "3*t"}, "train": [{"gear": 2}, {"inertia": 0.5, "name": "load"}]}
    run = cardan.simulate(machine(drives={"d": drive}), 2.0)
    assert run["load.q"].values[-1] == pytest.approx(3 * 2**2 / 2 / 2, abs=1e-7)


def test_armature_is_an_inertia_of_the_joint():
    rod = {"mass": 1.3, "com": [0, -0.4, 0], "inertia": [0.1, 0, 0.1]}
    hinge = {"type": "revolute", "parent": "ground", "child": "rod", "axis": "x", "armature": "0.05 kg*m^2"}
    run = cardan.simulate(cardan.Model(bodies={"rod": rod}, joints={"hinge": hinge}, initial={"hinge": 1.0}), 1.0)
    whole = 0.1 + 1.3 * 0.16 + 0.05
    energy = whole * run["hinge.v"] ** 2 / 2 - 1.3 * 9.81 * 0.4 * np.sin(run["hinge.q"])  # com at −y, weight along −z
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)


def test_a_start_at_rest_carries_the_weight_and_stays():
    arm = {"mass": 4, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    hinge = {"type": "revolute", "parent": "ground", "child": "arm", "axis": "-y"}
    motor = {"type": "dc", "resistance": 2.0, "inductance": 0.01, "constant": 0.1, "inertia": 1e-4}
    drive = {"joint": "hinge", "source": motor, "train": [{"shaft": {"stiffness": 40, "damping": 0.01}}, {"gear": 100}]}
    law = {"type": "pi", "error": "0.3 - d.speed", "kp": 1, "ki": 5, "drive": "d"}
    model = cardan.Model(
        bodies={"arm": arm},
        joints={"hinge": hinge},
        drives={"d": drive},
        controllers={"law": law | {"error": "-d.speed"}},
        initial={"hinge": "30 deg", "equilibrium": True},
    )
    run = cardan.simulate(model, 2.0)
    torque = 4 * 9.81 * 0.5 * np.cos(np.pi / 6) / 100
    np.testing.assert_allclose(run["d.shaft.torque"], torque, atol=1e-9)
    np.testing.assert_allclose(run["d.current"], torque / 0.1, atol=1e-8)
    np.testing.assert_allclose(run["hinge.q"], np.pi / 6, atol=1e-10)


@pytest.mark.parametrize("profile", ["trapezoid", "quintic", "cycloid"])
def test_paths_keep_their_limits_and_are_the_integrals_of_their_speeds(profile):
    way = {"profile": profile, "from": {"a": 0.2, "b": 1}, "to": {"a": 1.2, "b": -1}, "start": 0.5}
    way |= {"max_speed": {"a": 2, "b": 1}, "max_acceleration": 4}
    rotors = {name: {"train": [{"inertia": 1, "name": name}]} for name in "ab"}
    model = machine(
        drives=rotors,
        paths={"go": way},
        outputs={f"out.{k}": f"go.{k}" for k in ("a", "b", "a.v", "b.v", "b.a", "end")},
        states={"angle": {"rate": "go.b.v", "initial": 1}, "speed": {"rate": "go.b.a"}},
        simulate={"until": "go.end + 0.5"},
    )
    run = cardan.simulate(model)
    assert run["out.a"].values[[0, -1]] == pytest.approx([0.2, 1.2])
    assert run["out.b"].values[[0, -1]] == pytest.approx([1, -1])
    assert run.t[-1] == pytest.approx(run["out.end"].values[0] + 0.5)
    np.testing.assert_allclose(run["angle"], run["out.b"], atol=1e-8)
    np.testing.assert_allclose(run["speed"], run["out.b.v"], atol=1e-8)
    peaks = [max(abs(one) for one in run.extremes([name])[name][:2]) for name in ("out.b.v", "out.b.a")]
    shares = peaks[0] / 1, peaks[1] / 4
    assert max(shares) == pytest.approx(1, abs=1e-6)  # the limit that decides is met
    assert max(shares) < 1 + 1e-6


def test_a_pid_with_a_lag_is_a_linear_loop():
    """Against the matrix exponential: a rotor of 2 kg m² turned from 0 to 1 rad."""
    J, kp, ki, kd, lag = 2.0, 30.0, 12.0, 9.0, 0.05
    law = {"type": "pid", "error": "1 - load", "kp": kp, "ki": ki, "kd": kd, "filter": lag}
    drive = {"source": {"type": "torque", "value": "law"}, "train": [{"inertia": J, "name": "load"}]}
    run = cardan.simulate(machine(drives={"d": drive}, controllers={"law": law}), 3.0, rtol=1e-10)
    # states: angle, speed, integral, lag of the error; the set-point is a constant fifth one
    u = np.array([-(kp + kd / lag), 0, 1, -kd / lag, kp + kd / lag])
    A = np.array([[0, 1, 0, 0, 0], u / J, [-ki, 0, 0, 0, ki], [-1 / lag, 0, 0, -1 / lag, 1 / lag], [0] * 5])
    x0 = np.array([0, 0, 0, 0, 1.0])
    expected = [(expm(A * t) @ x0)[0] for t in run.t[::100]]
    np.testing.assert_allclose(run["load.q"].values[::100], expected, atol=1e-8)


def test_a_transfer_function_and_a_state_feedback_are_linear_systems():
    lag = {"type": "transfer_function", "input": "1", "numerator": [1, 3], "denominator": [1, 2, 5]}
    feedback = {"type": "state_feedback", "gains": {"load": 8, "load.v": 4}, "reference": {"load": "0.5"}}
    drive = {"source": {"type": "torque", "value": "back"}, "train": [{"inertia": 2.0, "name": "load"}]}
    model = machine(drives={"d": drive}, controllers={"lag": lag, "back": feedback})
    run = cardan.simulate(model, 3.0, rtol=1e-10)
    t = run.t
    # poles −1 ± 2i: the step response of (s + 3)/(s² + 2 s + 5) is 3/5 (1 − e^−t cos 2t) + e^−t sin 2t/5
    np.testing.assert_allclose(
        run["lag"], 0.6 * (1 - np.exp(-t) * np.cos(2 * t)) + 0.2 * np.exp(-t) * np.sin(2 * t), atol=1e-8
    )
    w = np.sqrt(3)  # 2 φ̈ = −8 (φ − 0.5) − 4 φ̇
    expected = 0.5 * (1 - np.exp(-t) * (np.cos(w * t) + np.sin(w * t) / w))
    np.testing.assert_allclose(run["load.q"], expected, atol=1e-8)


SHEET = {  # figures of the size of a motor of 150 W: nominal voltage and both ends of the characteristic
    "voltage": "24 V",
    "no_load_current": "137 mA",
    "stall_torque": "2420 mN*m",
    "stall_current": "80.2 A",
    "mechanical_time_constant": "4.67 ms",
}


def test_a_motor_from_its_sheet_has_its_no_load_point_and_its_start():
    source = {"type": "dc", "datasheet": {**SHEET, "inductance": "82.3 uH"}}
    model = machine(drives={"d": {"source": source, "train": []}}, inputs={"d": 24})
    run = cardan.simulate(model, 0.1)
    assert run["d.current"].values[-1] == pytest.approx(0.137, rel=1e-6)
    assert run["d.speed"].values[-1] * 30 / np.pi == pytest.approx(7590, rel=5e-3)
    slope = run["d.speed"].values[-1] / run["d_rotor.a"].values.max()
    assert 4.0e-3 < slope < 5.5e-3  # near the mechanical time constant, less what the inductance takes


@each(
    "sheet, said",
    [
        (
            {"voltage": "24 V", "resistance": "1 ohm", "stall_current": "48 A", "constant": 0.03},
            "says resistance 1, but voltage, stall_current give 0.5",
        ),
        ({"voltage": "24 V"}, "the resistance does not follow"),
        ({"resistance": "1 ohm"}, "the constant does not follow"),
        ({"resistance": "-1 ohm"}, "resistance"),
        ({"resistance": "R"}, "figures of a sheet are numbers"),
        ({"resistance": "1 ohm", "speed_constant": 0}, "0 is not positive"),
    ],
)
def test_a_sheet_that_contradicts_itself_or_lacks_figures_is_refused(sheet, said):
    with pytest.raises(ModelError, match=said):
        Datasheet(**sheet)


def test_a_prescribed_motion_takes_what_the_friction_of_a_sheet_and_of_a_joint_take():
    """The current is that of inertia, weight and both frictions; the motion gives their signs."""
    sheet = {"voltage": 24, "no_load_current": 0.2, "resistance": 0.3, "constant": 0.03, "inertia": 1e-5}
    model = cardan.Model(
        bodies={"arm": {"mass": 6, "com": [0.3, 0, 0], "inertia": [0, 0.25, 0]}},
        joints={
            "h": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "-y", "friction": {"effort": 0.4}}
        },
        drives={"m": {"joint": "h", "source": {"type": "dc", "datasheet": sheet}, "train": [{"gear": 50}]}},
        motions={"h": {"value": "sin(3*t)"}},
    )
    run = cardan.simulate(model, 1.0, motors="simplified")
    q, v, a = np.sin(3 * run.t), 3 * np.cos(3 * run.t), -9 * np.sin(3 * run.t)
    whole = (0.25 + 6 * 0.09 + 1e-5 * 2500) * a + 6 * 9.81 * 0.3 * np.cos(q)
    whole += (0.4 + 50 * 0.03 * 0.2) * np.sign(v)
    at = np.abs(v) > 1e-6
    np.testing.assert_allclose(run["m.current"].values[at], whole[at] / 50 / 0.03, atol=1e-8)


@each("motors", ["full", "simplified"])
def test_a_winding_warms_up_and_changes_its_motor(motors):
    """Copper and magnets follow the temperature of the winding, which a housing cools: against SciPy."""
    source = {"type": "dc", "resistance": 0.5, "inductance": "1 mH", "constant": 0.05, "damping": 1e-3, "inertia": 2e-4}
    source |= {"heat": "winding", "resistance_coefficient": 3.93e-3, "constant_coefficient": -1e-3}
    nodes = {
        "winding": {"capacity": 8, "to": {"housing": 1.5}},
        "housing": {"capacity": 60, "to": {"air": 0.5}},
        "air": 20,
    }
    model = machine(drives={"d": {"source": source, "train": []}}, thermal=nodes, inputs={"d": 12})
    run = cardan.simulate(model, 60.0, motors=motors, rtol=1e-10)

    def rates(t, y):
        i, w, winding, housing = y
        R, K = 0.5 * (1 + 3.93e-3 * (winding - 20)), 0.05 * (1 - 1e-3 * (winding - 20))
        i = i if motors == "full" else (12 - K * w) / R
        lost, passed = R * i * i + 1e-3 * w * w, 1.5 * (winding - housing)
        return [
            (12 - R * i - K * w) / 1e-3 if motors == "full" else 0.0,
            (K * i - 1e-3 * w) / 2e-4,
            (lost - passed) / 8,
            (passed - 0.5 * (housing - 20)) / 60,
        ]

    found = solve_ivp(rates, (0, 60), [0, 0, 20, 20], method="LSODA", rtol=1e-11, atol=1e-11).y[:, -1]
    assert run["winding"].values[-1] == pytest.approx(found[2], abs=1e-6)
    assert run["housing.temperature"].values[-1] == pytest.approx(found[3], abs=1e-6)
    assert run["d.speed"].values[-1] == pytest.approx(found[1], abs=1e-5)


MACHINE = {"resistance": 0.3, "inductance": 1.2e-3, "flux": 0.02, "pole_pairs": 4, "inertia": 3e-4, "damping": 1e-3}


def test_a_motor_by_three_figures_and_temperatures_with_units():
    """U, T_s and ω_0 of a motor without friction; 293.15 K and 20 degC are the same start."""
    source = {"type": "dc", "nominal": {"voltage": "24 V", "stall_torque": "2 N*m", "no_load_speed": "300 rad/s"}}
    heat = {"inertia": 1e-3, "heat": "winding", "at": "25 degC", "resistance_coefficient": 4e-3}
    model = machine(
        drives={"d": {"source": source | heat, "train": [{"inertia": 0}, {"torque": 0}, {"inertia": 1e-3}]}},
        thermal={"winding": {"capacity": 10, "initial": "293.15 K", "to": {"air": 1}}, "air": "20 degC"},
        inputs={"d": 24},
    )
    start = cardan.simulate(model, 20.0, motors="simplified")
    K, R = 24 / 300, 24 * (24 / 300) / 2
    assert start.array("d.temperature")[0] == pytest.approx(20)
    t, T, w = start.t, start.array("d.temperature"), start.array("d.speed")

    def rate(t, x):
        w, T = x
        i = (24 - K * w) / (R * (1 + 4e-3 * (T - 25)))
        return [K * i / 2e-3, (R * (1 + 4e-3 * (T - 25)) * i**2 - (T - 20)) / 10]

    found = solve_ivp(rate, (0, 20), [0, 20], t_eval=t, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(w, found.y[0], rtol=1e-6, atol=1e-5)  # a run at 1e-6
    np.testing.assert_allclose(T, found.y[1], rtol=1e-6)
    assert w[-1] == pytest.approx(300, rel=1e-9)  # the speed without a load
    assert "d.inertia2.v" in start


def test_a_winding_warms_up_under_a_prescribed_path():
    """The current follows from the motion, resistance and constant from the temperature, L di/dt from both."""
    motor = {"resistance": 0.5, "inductance": 0.02, "constant": 0.1, "inertia": 1e-4, "heat": "winding", "at": 20}
    follows = {"resistance_coefficient": 4e-3, "constant_coefficient": -1e-3}
    m, L, J, N, C, G = 5.0, 0.3, 0.1, 50.0, 2.0, 1.2
    given = {
        "bodies": {"arm": {"mass": m, "com": [L, 0, 0], "inertia": [J, J, J]}},
        "joints": {"r": {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, -1, 0]}},
        "drives": {"d": {"joint": "r", "source": {"type": "dc", **motor, **follows}, "train": [{"gear": N}]}},
        "thermal": {"winding": {"capacity": C, "to": {"air": G}}, "air": 20},
        "paths": {"go": {"profile": "cycloid", "from": {"r": 0}, "to": {"r": 1.2}, "duration": 1.5, "start": 0.5}},
    }
    run = cardan.kinetostatics(cardan.Model(**given, motions={"r": "go.r"}), times=np.linspace(0, 2.5, 26))

    def current(t, T):
        s = min(max((t - 0.5) / 1.5, 0), 1)
        q, a = 1.2 * (s - np.sin(2 * np.pi * s) / (2 * np.pi)), 1.2 * 2 * np.pi * np.sin(2 * np.pi * s) / 1.5**2
        effort = (J + m * L**2 + 1e-4 * N**2) * a + m * 9.81 * L * np.cos(q)
        return effort / (N * 0.1 * (1 - 1e-3 * (T - 20)))

    def rate(t, T):
        return (0.5 * (1 + 4e-3 * (T[0] - 20)) * current(t, T[0]) ** 2 - G * (T[0] - 20)) / C

    def temperature(t):
        return solve_ivp(lambda t, T: [rate(t, T)], (0, 2.5), [20], rtol=1e-11, atol=1e-11, max_step=0.01, t_eval=t).y[
            0
        ]

    T = temperature(run.t)
    np.testing.assert_allclose(run.array("winding"), T, rtol=1e-7)  # a run at 1e-8
    i = np.array([current(*each) for each in zip(run.t, T, strict=True)])
    np.testing.assert_allclose(run.array("d.current"), i, rtol=1e-7)
    k, h = 12, 1e-4  # 1.2 s: the rate of the current by a central difference, good to h² d³i/dt³/6 = 1e-7 A/s
    around = temperature(np.array([1.2 - h, 1.2, 1.2 + h]))
    slope = (current(1.2 + h, around[2]) - current(1.2 - h, around[0])) / (2 * h)
    w, warm = N * run.array("r.v")[k], 1 - 1e-3 * (T[k] - 20)
    voltage = 0.5 * (1 + 4e-3 * (T[k] - 20)) * i[k] + 0.1 * warm * w + 0.02 * slope
    assert run.array("d.voltage")[k] == pytest.approx(voltage, abs=1e-6)


def test_a_motion_along_a_path_is_that_of_its_profile():
    """Also at the instants at which its acceleration jumps, where efforts are those just after it."""
    joint = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x"}
    limits = {"max_speed": 2, "max_acceleration": 5}
    times = [0, 0.4, 0.5, 1.5, 1.9, 2.2]
    runs = [
        cardan.kinetostatics(machine(bodies={"b": {"mass": 3}}, joints={"x": joint}, **more), times=times)
        for more in (
            {"paths": {"go": {"from": {"x": 0}, "to": {"x": 3}, **limits}}, "motions": {"x": "go.x"}},
            {"motions": {"x": {"points": [0, 3], "profile": "trapezoid", **limits}}},
        )
    ]
    np.testing.assert_allclose(runs[0].array("x.effort").ravel(), [15, 0, 0, -15, 0, 0], atol=1e-12)
    for name in ("x.q", "x.v", "x.effort"):
        np.testing.assert_allclose(runs[0].array(name), runs[1].array(name), atol=1e-12)


def test_a_synchronous_machine_in_its_field_is_a_dc_motor():
    """With i_d kept at zero its torque is 3/2 p ψ i_q, and its back-EMF p ψ ω."""
    voltages = {"d": "-4*d.speed*1.2e-3*d.i_q", "q": "24*step(t - 0.01)"}
    dc = {"type": "dc", "torque_constant": 1.5 * 4 * 0.02, "back_emf_constant": 4 * 0.02}
    dc |= {key: MACHINE[key] for key in ("resistance", "inductance", "inertia", "damping")}
    t, load = np.linspace(0, 0.3, 301), [{"inertia": 1e-4, "name": "load"}]
    machines = [
        machine(drives={"d": {"source": {"type": "pmsm", **MACHINE, "voltages": voltages}, "train": load}}),
        machine(drives={"d": {"source": dc, "train": load}}, inputs={"d": "24*step(t - 0.01)"}, accept=["motor_power"]),
    ]
    one, other = (cardan.simulate(each, times=t, rtol=1e-10) for each in machines)
    np.testing.assert_allclose(one["load.v"], other["load.v"], atol=1e-7)
    np.testing.assert_allclose(one["d.i_q"], other["d.current"], atol=1e-7)
    np.testing.assert_allclose(one["d.torque"], other["d.torque"], atol=1e-8)


def test_a_salient_machine_has_the_currents_and_the_torque_of_its_equations():
    """Two inductances and both voltages, against SciPy; what goes in is heat, motion and the field's energy."""
    Ld, Lq, psi, R, p, J, d = 0.8e-3, 1.4e-3, 0.02, 0.3, 4, 3e-4, 1e-3
    source = {"type": "pmsm", **MACHINE, "inductance": [Ld, Lq], "voltages": {"d": "-3", "q": 12}}
    work = {"work": {"rate": "d.power - d.losses"}}
    run = cardan.simulate(machine(drives={"d": {"source": source, "train": []}}, states=work), 0.2, rtol=1e-10)

    def torque(i_d, i_q):
        return 1.5 * p * (psi * i_q + (Ld - Lq) * i_d * i_q)

    def rates(t, y):
        i_d, i_q, w = y
        return [
            (-3 - R * i_d + p * w * Lq * i_q) / Ld,
            (12 - R * i_q - p * w * (Ld * i_d + psi)) / Lq,
            (torque(i_d, i_q) - d * w) / J,
        ]

    found = solve_ivp(rates, (0, 0.2), [0, 0, 0], method="LSODA", rtol=1e-11, atol=1e-11).y[:, -1]
    assert [run[name].values[-1] for name in ("d.i_d", "d.i_q", "d.speed")] == pytest.approx(list(found), abs=1e-6)
    field = 0.75 * (Ld * run["d.i_d"].values[-1] ** 2 + Lq * run["d.i_q"].values[-1] ** 2)
    moving = J * found[2] ** 2 / 2
    assert run["work"].values[-1] == pytest.approx(field + moving, rel=1e-8)


def test_a_cascade_keeps_the_other_current_of_a_synchronous_machine_at_zero():
    law = {"type": "cascade", "drive": "d", "follow": "go.load", "position": {"kp": 20}}
    law |= {"speed": {"kp": 0.4, "time": "50 ms"}, "current": {"kp": 2.0, "time": "4 ms"}}
    way = {"from": {"load": 0}, "to": {"load": 6}, "max_speed": 60, "max_acceleration": 600}
    model = machine(
        drives={"d": {"source": {"type": "pmsm", **MACHINE}, "train": [{"inertia": 1e-4, "name": "load"}]}},
        paths={"go": way},
        controllers={"d": law},
        simulate={"until": "go.end + 1"},
    )
    run = cardan.simulate(model)
    assert run["load.q"].values[-1] == pytest.approx(6, abs=1e-3)
    assert np.abs(run["d.i_d"]).max() < 1e-5  # the decoupling is exact; what remains is the tolerance
    with pytest.raises(ModelError, match="two voltages"):
        machine(
            drives={"d": {"source": {"type": "pmsm", **MACHINE}, "train": []}},
            controllers={"e": {"type": "p", "drive": "d", "error": "1", "kp": 1}},
        )


def test_a_sampled_cascade_of_a_synchronous_machine_holds_both_voltages():
    """The loop by hand from sample to sample, decoupling and computing delay included."""
    law = {"type": "cascade", "drive": "d", "follow": "wanted", "position": {"kp": 20}, "every": "1 ms"}
    law |= {"speed": {"kp": 0.05, "ki": 1.0, "limits": 8}, "current": {"kp": 0.4, "ki": 60}, "computing_delay": "1 ms"}
    model = machine(
        drives={"d": {"source": {"type": "pmsm", **MACHINE}, "train": [{"inertia": 1e-4, "name": "wanted"}]}},
        let={"go.wanted": "2", "go.wanted.v": "0"},
        controllers={"d": law | {"follow": "go.wanted"}},
    )
    run = cardan.simulate(model, 0.06, rtol=1e-10)
    R, L, psi, p, J, d = 0.3, 1.2e-3, 0.02, 4, 4e-4, 1e-3
    y, s, q, direct, waiting = np.zeros(4), 0.0, 0.0, 0.0, None
    for _ in range(60):
        angle, w, i_d, i_q = y
        error = 20 * (2 - angle) - w
        asked = max(-8.0, min(8.0, 0.05 * error + s))
        u_q = 0.4 * (asked - i_q) + q + p * w * (L * i_d + psi)
        u_d = -0.4 * i_d + direct - p * w * L * i_q
        held, waiting = waiting or (u_d, u_q), (u_d, u_q)
        s += 1e-3 * (error + 20 * (asked - 0.05 * error - s))
        q, direct = q + 1e-3 * 60 * (asked - i_q), direct - 1e-3 * 60 * i_d

        def rates(t, y, held=held):
            _, w, i_d, i_q = y
            di_d = (held[0] - R * i_d + p * w * L * i_q) / L
            return [w, (1.5 * p * psi * i_q - d * w) / J, di_d, (held[1] - R * i_q - p * w * (L * i_d + psi)) / L]

        y = solve_ivp(rates, (0, 1e-3), y, rtol=1e-10, atol=1e-11).y[:, -1]
    assert [run[x].values[-1] for x in ("wanted.q", "wanted.v", "d.i_d", "d.i_q")] == pytest.approx(list(y), abs=1e-7)
    assert abs(y[2]) > 1e-3  # what the delay leaves of the coupling


@each("kind", ["pmsm", "duty"])
def test_a_sampled_cascade_starts_at_rest_under_a_weight(kind):
    """The current is that of the weight, and stays; a coordinate called s has a path like any other."""
    law = {"type": "cascade", "drive": "d", "follow": "go.s", "position": {"kp": 10}, "every": "1 ms"}
    law |= {"speed": {"kp": 0.05, "ki": 1.0}, "current": {"kp": 0.01, "ki": 3}, "computing_delay": "1 ms"}
    dc = {"type": "dc", "resistance": 0.3, "inductance": 1e-3, "constant": 0.12, "inertia": 3e-4}
    source = {"pmsm": {"type": "pmsm", **MACHINE}, "duty": dc | {"supply": {"voltage": 24}, "demand": "duty"}}[kind]
    model = cardan.Model(
        bodies={"cage": {"mass": 5}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "cage", "axis": "z"}},
        drives={"d": {"joint": "s", "source": source, "train": [{"gear": 100}]}},
        paths={"go": {"from": {"s": 0}, "to": {"s": 1}, "duration": 1, "start": 1}},
        controllers={"d": law},
        initial={"at": "go", "equilibrium": True},
    )
    run = cardan.simulate(model, 0.1)
    current = {"pmsm": "d.i_q", "duty": "d.current"}[kind]
    np.testing.assert_allclose(run[current], 5 * 9.81 / 100 / 0.12, rtol=1e-6)  # 3/2 p ψ = 0.12 N m/A
    assert np.abs(run["s.q"]).max() < 1e-9


def test_an_observer_with_feedback_is_a_linear_loop():
    """A rotor whose angle alone is measured: against the matrix exponential of rotor and observer together."""
    law = {"type": "state_space", "inputs": ["law"], "A": [[0, 1], [0, 0]], "B": [[0], [0.5]], "C": [[1, 0]]}
    law |= {"gain": [[20], [100]], "measured": ["load"], "feedback": [-8, -8]}
    drive = {"source": {"type": "torque", "value": "law"}, "train": [{"inertia": 2.0, "name": "load"}]}
    model = machine(drives={"d": drive}, controllers={"law": law}, initial={"load": 1.0})
    run = cardan.simulate(model, 3.0, rtol=1e-10)
    A = np.array([[0, 1, 0, 0], [0, 0, -4, -4], [20, 0, -20, 1], [100, 0, -104, -4]])
    expected = [(expm(A * t) @ [1, 0, 0, 0])[0] for t in run.t[::50]]
    np.testing.assert_allclose(run["load.q"].values[::50], expected, atol=1e-8)


def test_a_relay_switches_where_its_input_passes_its_bounds():
    law = {"type": "hysteresis", "input": "-load.v", "low": -1, "high": 1}
    drive = {"source": {"type": "torque", "value": "relay - 0.5"}, "train": [{"inertia": 1.0, "name": "load"}]}
    run = cardan.simulate(machine(drives={"d": drive}, controllers={"relay": law}), 12.0)
    assert [(event.name, event.t) for event in run.events] == [
        ("relay_on", pytest.approx(2)),
        ("relay_off", pytest.approx(6)),
        ("relay_on", pytest.approx(10)),
    ]


def test_several_torques_act_along_any_axis():
    """A shaft, a load and two inertias by parameters at a joint whose axis is oblique: as about z."""
    drive = {"joint": "j", "source": {"type": "torque", "value": "2*t", "inertia": 0.1}}
    drag, load = {"torque": "-0.3*d.shaft.twist", "name": "drag"}, {"torque": "-0.4", "name": "load"}
    drive["train"] = [{"shaft": {"stiffness": 9}}, drag, {"gear": "N"}, load]
    found = []
    for axis in ([0, 0, 1], [0, 0, -1], [0.6, 0, -0.8]):
        joint = {"type": "revolute", "parent": "ground", "child": "b", "axis": axis}
        free = {"carrier": "ground", "axis": axis, "source": {"type": "torque", "value": "1"}}
        free["train"] = [{"inertia": "N/9"}, {"inertia": "N/7", "name": "c"}]
        model = machine(
            parameters={"N": 3},
            bodies={"b": {"inertia": [2, 2, 2]}},
            joints={"j": joint},
            drives={"d": drive, "e": free},
        )
        run = cardan.simulate(model, 2.0)
        found.append([run["j.q"].values[-1], run["d_rotor.q"].values[-1], run["c.q"].values[-1]])
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-7)
    assert found[0][2] == pytest.approx(2 / (3 / 9 + 3 / 7), rel=1e-9)


@each("limits", ["24 V", 24, "2*K", [-24, "24 V"]])
def test_limits_are_quantities_or_expressions(limits):
    law = {"type": "p", "error": "1", "kp": 1000, "limits": limits}
    drive = {"train": [{"inertia": 1.0, "name": "load"}]}
    model = machine(parameters={"K": 12}, drives={"d": drive}, controllers={"up": law, "down": law | {"error": "-1"}})
    run = cardan.simulate(model, 0.1)
    assert (run["up"].values[-1], run["down"].values[-1]) == (24, -24)
