"""Limits, supplies and pulses of motors against closed forms and equations that were written by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError
from cardan.integration import EVENTS
from tests.selection import each

MOTOR = {"type": "dc", "resistance": 0.5, "inductance": 1e-3, "constant": 0.05, "inertia": 2e-4, "damping": 1e-4}


def machine(*, inputs=None, train=(), source=MOTOR, **sections):
    drives = sections.pop("drives", None) or {"d": {"source": source, "train": list(train)}}
    return cardan.Model(gravity=[0, 0, 0], drives=drives, inputs=inputs or {}, **sections)


def clip(x, middle, size):
    return max(middle - size, min(middle + size, x))


@each("motors", ["full", "simplified"])
def test_limits_cut_off_what_reaches_the_motor(motors):
    """The law of the limits by SciPy: the current never passes its limit, and the voltage is cut off last."""
    limits = {"voltage": "30 V", "current": "15 A"} | ({"current_rate": 3000} if motors == "full" else {})
    load = [{"torque": "0.6*step(t - 0.5)"}]  # turns the motor faster than 30 V would
    model = machine(source=MOTOR | {"limits": limits}, inputs={"d": "50*step(0.3 - t)"}, train=load)
    run = cardan.simulate(model, 0.8, motors=motors, rtol=1e-9)

    def voltage(t, i, w):
        u = clip(50.0 if t < 0.3 else 0.0, 0.05 * w, 0.5 * 15)
        u = clip(u, 0.5 * i + 0.05 * w, 1e-3 * 3000) if motors == "full" else u
        return clip(u, 0, 30)

    def rates(t, y):
        i, w = y
        i = i if motors == "full" else (voltage(t, 0, w) - 0.05 * w) / 0.5
        di = (voltage(t, i, w) - 0.5 * i - 0.05 * w) / 1e-3 if motors == "full" else 0.0
        return [di, (0.05 * i - 1e-4 * w + (0.6 if t > 0.5 else 0)) / 2e-4]

    y = np.zeros(2)
    for begin, end in ((0, 0.3), (0.3, 0.5), (0.5, 0.8)):
        y = solve_ivp(rates, (begin, end), y, method="LSODA", rtol=1e-10, atol=1e-10, max_step=1e-3).y[:, -1]
    assert run["d.speed"].values[-1] == pytest.approx(y[1], abs=1e-4)
    before = run.t <= 0.5
    assert np.abs(run["d.current"].values[before]).max() <= 15 * (1 + 1e-9)
    assert np.abs(run["d.voltage"]).max() == pytest.approx(30)
    np.testing.assert_allclose(run["d.power"], run["d.voltage"] * run["d.current"], atol=1e-9)
    assert run["d.demand"].values.max() == 50


def test_a_call_that_changes_an_input_meets_the_same_limit():
    run = cardan.simulate(machine(source=MOTOR | {"limits": {"voltage": 10}}), 0.1, inputs={"d": 30})
    assert run["d.voltage"].values[-1] == 10


def test_motors_on_one_supply_share_its_voltage_and_feed_energy_back():
    """Two motors behind one resistance, one by its duty, by SciPy; what the source gives is what all losses take."""
    pairs = {
        "a": {"source": MOTOR | {"supply": "bus"}, "train": [{"inertia": 1e-3}]},
        "b": {"source": MOTOR | {"supply": "bus", "demand": "duty"}, "train": []},
    }
    inputs = {"a": "40*step(0.4 - t) - 5", "b": "0.5*sin(9*t)"}
    supply = {"bus": {"voltage": "48 V", "resistance": "0.2 ohm"}}
    given = {"from_source": {"rate": "48*bus.current"}, "lost": {"rate": "bus.losses + a.losses + b.losses"}}
    run = cardan.simulate(machine(drives=pairs, inputs=inputs, supplies=supply, states=given), 1.0, rtol=1e-10)

    def rates(t, y):
        (ia, ib, wa, wb, _), da, db = y, (35 if t < 0.4 else -5) / 48, 0.5 * np.sin(9 * t)
        current = da * ia + db * ib
        U = 48 - 0.2 * current
        return [
            (da * U - 0.5 * ia - 0.05 * wa) / 1e-3,
            (db * U - 0.5 * ib - 0.05 * wb) / 1e-3,
            (0.05 * ia - 1e-4 * wa) / 1.2e-3,
            (0.05 * ib - 1e-4 * wb) / 2e-4,
            U * current,
        ]

    y = np.zeros(5)
    for begin, end in ((0, 0.4), (0.4, 1.0)):
        y = solve_ivp(rates, (begin, end), y, method="LSODA", rtol=1e-11, atol=1e-11).y[:, -1]
    names = ("a.current", "b.current", "a.speed", "b.speed", "bus.energy")
    assert [run[name].values[-1] for name in names] == pytest.approx(list(y), abs=1e-6)
    assert run["bus.current"].values.min() < -1  # braking feeds back
    assert run["bus.voltage"].values.max() > 48
    field = 0.5e-3 * (y[0] ** 2 + y[1] ** 2)
    moving = (1.2e-3 * y[2] ** 2 + 2e-4 * y[3] ** 2) / 2
    assert run["from_source"].values[-1] == pytest.approx(run["lost"].values[-1] + field + moving, rel=1e-9)


@each("frequency, duty", [(1000, 0.3), (20_000, -0.7)])
def test_pulses_have_the_ripple_of_a_coil_behind_a_resistance(frequency, duty):
    """From rest, the current at the end of the k-th period is (1 − e^(−k T/τ)) times the periodic minimum."""
    R, L, U, T, D = 0.5, 1e-3, 48, 1 / frequency, abs(duty)
    pwm = {"mode": "switched", "frequency": f"{frequency} Hz"}
    source = MOTOR | {"constant": 1e-9, "supply": {"voltage": U}, "demand": "duty", "pwm": pwm}
    times = np.array([0, 9 * T, 9 * T + D * T, 10 * T])
    run = cardan.simulate(machine(source=source, inputs={"d": duty}), times=times, until=10 * T)
    fall, on = np.exp(-T * R / L), np.exp(-D * T * R / L)
    largest = U / R * (1 - on) / (1 - fall)
    least = largest * fall / on
    expected = [least * (1 - fall**9), largest - least * fall**9 * on, least * (1 - fall**10)]
    np.testing.assert_allclose(run["d.current"].values[1:], np.sign(duty) * np.array(expected), rtol=1e-9)
    assert run["d.bus.current"].values[1] >= 0


def test_averaged_pulses_are_the_duty_times_the_supply():
    one = machine(source=MOTOR | {"supply": {"voltage": 48}, "demand": "duty", "pwm": {}}, inputs={"d": "0.25"})
    run, plain = (cardan.simulate(each, 0.2) for each in (one, machine(inputs={"d": 12})))
    np.testing.assert_allclose(run["d.speed"].values[-1], plain["d.speed"].values[-1], rtol=1e-9)
    assert run["d.duty"].values[-1] == 0.25


def test_a_cascade_keeps_the_limits_of_its_motor_without_winding_up():
    """Its set-point of the current stays at the limit while the rotor speeds up, and overshoots little afterwards."""
    source = MOTOR | {"limits": {"current": 10}, "supply": {"voltage": 48}}
    law = {"type": "cascade", "drive": "d", "follow": "go.load"}
    law |= {"speed": {"kp": 0.5, "time": "50 ms"}, "current": {"kp": 2.0, "time": "2 ms"}}
    way = {"from": {"load": 0}, "to": {"load": 300}, "max_speed": 600, "max_acceleration": 1e5}
    model = machine(
        source=source,
        train=[{"inertia": 1e-3, "name": "load"}],
        controllers={"d": law},
        paths={"go": way},
        outputs={"wanted": "d.speed_out"},
    )
    run = cardan.simulate(model, 0.5)
    assert np.abs(run["d.current"]).max() <= 10 * (1 + 1e-6)
    assert run["wanted"].values.max() == pytest.approx(10)
    assert run["d.speed"].values.max() < 600 * 1.02


def test_a_temperature_that_passes_its_limit_is_recorded():
    source = MOTOR | {"heat": "winding", "limits": {"temperature": 60}}
    nodes = {"winding": {"capacity": 5, "to": {"air": 0.5}}, "air": 20}
    run = cardan.simulate(machine(source=source, inputs={"d": 12}, train=[{"torque": "-0.6"}], thermal=nodes), 20.0)
    (event,) = run.events
    assert event.name == "d_temperature_limit"
    assert np.interp(event.t, run.t, run["winding"]) == pytest.approx(60, abs=1e-6)


def test_a_network_begins_at_the_temperature_that_stays():
    nodes = {"winding": {"capacity": 5, "to": {"air": 0.5}}, "air": 35}
    run = cardan.simulate(machine(source=MOTOR | {"heat": "winding"}, inputs={"d": 0}, thermal=nodes), 1.0)
    np.testing.assert_allclose(run["winding"], 35)


def instants(run):
    """Instants by event."""
    return {name: [e.t for e in run.events if e.name == name] for name in dict.fromkeys(e.name for e in run.events)}


def test_limits_of_a_motor_are_reached_and_left_at_their_instants():
    """A rotor under K I until K² I t/J = U − R I, and then never again; a torque and an amplitude that follow t."""
    source = {"type": "dc", "resistance": 0.5, "constant": 0.05, "inertia": 2e-4, "limits": {"current": 15}}
    found = instants(cardan.simulate(machine(source=source, inputs={"d": 10}), 0.5, motors="simplified", rtol=1e-10))
    assert found == {"d_current_limit": [0.0], "d_current_limit_left": [pytest.approx(2.5 * 2e-4 / (0.05**2 * 15))]}
    of_voltage = MOTOR | {"limits": {"voltage": 6}}
    found = instants(cardan.simulate(machine(source=of_voltage, inputs={"d": "9*sin(5*t)"}), 1.0))
    first = np.arcsin(6 / 9) / 5
    np.testing.assert_allclose(found["d_voltage_limit"], [first, first + np.pi / 5])
    np.testing.assert_allclose(found["d_voltage_limit_left"], [np.pi / 5 - first])
    torque = {"source": {"type": "torque", "value": "9*t", "limits": {"torque": 2}}, "train": [{"inertia": 1}]}
    assert instants(cardan.simulate(machine(drives={"d": torque}), 1.0)) == {"d_torque_limit": [pytest.approx(2 / 9)]}
    still = {"source": {"type": "torque", "value": 1, "limits": {"torque": 2}}, "train": [{"inertia": 1}]}
    assert not cardan.simulate(machine(drives={"d": still}), 1.0).events


def test_a_machine_of_three_phases_notes_its_amplitude():
    phases = {"resistance": 1, "inductance": 1e-3, "flux": 0.05, "pole_pairs": 2, "inertia": 1e-4, "damping": 1e-3}
    fed = {"type": "pmsm", **phases, "current": [0, "8*t"], "limits": {"current": 2}}
    assert instants(cardan.simulate(machine(source=fed), 0.5)) == {"d_current_limit": [pytest.approx(0.25)]}
    under = {"type": "pmsm", **phases, "voltages": {"d": "3*t", "q": "4*t"}, "limits": {"voltage": 2}}
    assert instants(cardan.simulate(machine(source=under), 0.5)) == {"d_voltage_limit": [pytest.approx(0.4)]}


@pytest.mark.parametrize("law", [{"type": "p", "kp": 4}, {"type": "pi", "kp": 4, "ki": 1}])
def test_a_sampled_controller_meets_its_limits_at_samples(law):
    """Its error jumps between two samples, and is back before a later one."""
    error = "5*(step(t - 0.0505) - step(t - 0.0731))"
    controllers = {"c": {**law, "error": error, "every": "1 ms", "limits": [-3, 6]}}
    run = cardan.simulate(machine(controllers=controllers, inputs={"d": "c"}), 0.2)
    assert instants(run) == {"c_limit": [pytest.approx(0.051)], "c_limit_left": [pytest.approx(0.074)]}


@pytest.mark.parametrize("every", [{}, {"every": "1 ms"}])
def test_a_cascade_meets_the_limits_of_its_source_or_its_own(every):
    """The speed loop asks for more than the motor's current while the error of the speed is above I/kp = 20."""
    law = {
        "type": "cascade",
        "drive": "d",
        "follow": "go.load",
        "speed": {"kp": 0.5},
        "current": {"kp": 0.5, "ki": 250, "limits": 12},
    }
    way = {"from": {"load": 0}, "to": {"load": 300}, "max_speed": 600, "max_acceleration": 1e5}
    train = [{"inertia": 1e-3, "name": "load"}]
    source = MOTOR | {"limits": {"current": 10}}
    outputs = {"error": "d.speed_error", "asked": "d.current_out"}
    model = machine(source=source, train=train, controllers={"d": law | every}, paths={"go": way}, outputs=outputs)
    run = cardan.simulate(model, 1.5)
    found = instants(run)
    error, asked = (np.interp(found["d_current_limit_left"][-1], run.t, run[name]) for name in ("error", "asked"))
    assert abs(error) == pytest.approx(20, abs=1 if every else 0.02)  # it changes by half of this in a period
    assert abs(asked) < 12
    assert found["d_voltage_limit"]
    assert run.ok


def test_limits_that_are_met_without_end_end_no_run():
    """Some 28 000 times; a run logs half as many events of limits as it may have in all, and ends by others."""
    stop = {"when": "t - 5.9", "do": "stop"}
    source = MOTOR | {"limits": {"voltage": 24}}
    model = machine(source=source, inputs={"d": "24 + 1e-3*sin(1.5e4*t)"}, events={"end": stop})
    run = cardan.simulate(model, 6.0)
    assert run.status == "stopped"
    assert [(event.t, event.name) for event in run.events][-1] == (pytest.approx(5.9), "end")
    assert len(run.events) == EVENTS // 2 + 1


def test_calls_without_motors_or_events_leave_limits_out():
    model = machine(source=MOTOR | {"limits": {"voltage": 6}}, inputs={"d": "9*sin(5*t)"}, parameters={"k": 1})
    assert not cardan.simulate(model, 0.5, motors="none").events
    assert cardan.sensitivities(model, 0.5, parameters=["k"]).ok
    assert cardan.sweep(model, 0.5, parameters={"k": [1, 2]}, outputs=["final(d.speed)"]).sizes["k"] == 2


def test_a_torque_source_has_a_limit():
    drive = {"source": {"type": "torque", "value": "9*t", "limits": {"torque": "2 N*m"}}, "train": [{"inertia": 1}]}
    assert cardan.simulate(machine(drives={"d": drive}), 1.0)["d.torque"].values[-1] == 2


def test_whatever_reads_a_motor_reads_one_with_a_supply(tmp_path):
    """Equations and checks have the voltage that reaches it as input; a linear model has that of the converter."""
    source = MOTOR | {"supply": {"voltage": 48, "resistance": 0.5}, "limits": {"voltage": 40}}
    model = machine(source=source, inputs={"d": 20}, train=[{"inertia": 1e-3, "name": "load"}])
    cardan.save(model, tmp_path / "model.yaml")
    assert cardan.load(tmp_path / "model.yaml") == model
    assert cardan.verify(model).ok
    assert cardan.equations(model).B.shape == (1, 1)


def test_a_prescribed_motion_draws_its_power_from_the_supply():
    keys, motion = {"supply": {"voltage": 48}}, {"load": {"value": "30*t**2"}}
    train = [{"inertia": 1e-3, "name": "load"}, {"torque": -0.5}]
    run = cardan.simulate(machine(source=MOTOR | keys, train=train, motions=motion), 1.0)
    np.testing.assert_allclose(run["d.bus.power"], run["d.power"], rtol=1e-12)
    for other in ({"demand": "duty"}, {"supply": {"voltage": 48, "resistance": 1}}, {"limits": {"current_rate": 9}}):
        with pytest.raises(ModelError, match="decides the voltage of the motor 'd', which has a law of its own"):
            machine(source=MOTOR | keys | other, train=train, motions=motion)


@each(
    "source, inputs, said",
    [
        ({"limits": {"voltage": -3}}, {}, r"drives.d.source.limits.voltage: the limit -3 is not positive"),
        ({"limits": {"voltage": [-24, 24]}}, {}, r"limits.voltage: a limit of a source is one number"),
        ({"limits": {"torque": 3}}, {}, "unknown key 'torque'"),
        ({"limits": 24}, {}, "source.limits: 24 is not a table of limits"),
        ({"limits": {"temperature": 3}}, {}, "a temperature has a limit, and none is named"),
        ({"demand": "duty"}, {}, "a duty has no voltage"),
        ({"pwm": {}}, {}, "pulses have no voltage"),
        ({"pwm": {"mode": "switched"}, "supply": {"voltage": 3}}, {}, "switched pulses have no frequency"),
        ({"supply": {"voltage": -48}}, {}, "the voltage -48 is not positive"),
        ({"supply": {"voltage": 48, "resistance": -1}}, {}, "resistance"),
        ({"supply": {"resistance": 1}}, {}, "voltage"),
        ({"supply": "buss"}, {}, "there is no supply 'buss'.*\n.*bus"),
        ({"supply": "bus"}, {"d": "60 - bus.voltage"}, "inputs that follow inputs are an algebraic loop"),
    ],
)
def test_what_cannot_be_is_refused(source, inputs, said):
    with pytest.raises(ModelError, match=said):
        machine(source=MOTOR | source, inputs=inputs, supplies={"bus": {"voltage": 48, "resistance": 1}})


@each("supply", [{"bus": 48}, {"b us": {"voltage": 48}}])
def test_a_supply_that_is_none_is_refused(supply):
    with pytest.raises(ModelError, match="supplies"):
        machine(supplies=supply)


def test_a_simplified_motor_behind_a_resistance_is_refused():
    model = machine(source=MOTOR | {"supply": {"voltage": 48, "resistance": 1}})
    with pytest.raises(ModelError, match=r"its voltage follows 'd.bus.current'|its voltage follows 'd.current'"):
        cardan.simulate(model, 0.1, motors="simplified")


@each("method", ["dop853", "rodas5p"])
def test_what_the_source_gives_is_stored_or_lost_in_a_place_with_a_name(method):
    """A motor that speeds up, brakes into its supply, rubs and comes to rest three times, with a shaft and a load."""
    source = MOTOR | {"supply": {"voltage": 48, "resistance": 0.2}, "limits": {"current": 25}}
    rub, shaft = {"friction": {"effort": 0.02, "viscous": 1e-4}}, {"shaft": {"stiffness": 40, "damping": 0.01}}
    lost = {
        "inner": "d.bus.losses",
        "motor": "d.losses",  # winding and bearings
        "friction": "0.02*abs(d.speed) + 1e-4*d.speed**2",
        "shaft": "d.shaft.loss",
        "outside": "0.05*load.v",
    }
    states = {name: {"rate": rate} for name, rate in lost.items()} | {"given": {"rate": "48*d.bus.current"}}
    train = [rub, shaft, {"inertia": 1e-3, "name": "load"}, {"torque": -0.05}]
    model = machine(source=source, train=train, states=states, inputs={"d": "40*sin(8*t)"})
    run = cardan.simulate(model, 1.0, method=method, rtol=1e-10)
    last = {name: run[name].values[-1] for name in ("d.current", "d.speed", "load.v", "d.shaft.twist", *states)}
    stored = 0.5e-3 * last["d.current"] ** 2 + 1e-4 * last["d.speed"] ** 2
    stored += 0.5e-3 * last["load.v"] ** 2 + 20 * last["d.shaft.twist"] ** 2
    # each term is integrated with 1e-10 per step, over a thousand steps
    assert last["given"] == pytest.approx(stored + sum(last[name] for name in lost), rel=1e-10)
    assert run.report.relative_energy_error < 1e-10
    assert len(run.events) >= 3


def test_a_cascade_that_gives_a_duty_is_one_that_gives_its_share_of_the_voltage():
    """Its limits are those of the duty: with gains over 48 V all runs as with voltages, in saturation too."""
    found = []
    for demand, unit in (("voltage", 1.0), ("duty", 48.0)):
        source = MOTOR | {"supply": {"voltage": "48 V", "resistance": "0.2 ohm"}, "demand": demand}
        law = {
            "type": "cascade",
            "drive": "d",
            "follow": "go.load",
            "position": {"kp": 5},
            "speed": {"kp": 0.2, "ki": 2},
        }
        law["current"] = {"kp": 2 / unit, "ki": 400 / unit}
        model = machine(
            source=source,
            train=[{"inertia": 1e-3, "name": "load"}],
            paths={"go": {"from": {"load": 0}, "to": {"load": 200}, "max_speed": 1500, "max_acceleration": 1e4}},
            controllers={"d": law},
        )
        found.append(cardan.simulate(model, 0.6, rtol=1e-10))
    assert found[1]["d.duty"].values.max() == 1
    for name in ("load.q", "d.current", "d.speed_integral"):
        np.testing.assert_allclose(found[1][name].values[-1], found[0][name].values[-1], rtol=1e-6)


@each("limits", [{}, {"limits": 25}])
def test_a_start_at_rest_behind_a_supply_holds_the_weight_and_stays(limits):
    """What the supply gives need not rest; currents and integrals do, and carry the weight behind the shaft."""
    source = MOTOR | {"supply": {"voltage": "48 V", "resistance": "0.05 ohm"}, "heat": "w"}
    law = {"type": "cascade", "drive": "d", "follow": "go.h", "speed": {"kp": 0.4, "ki": 6.0, **limits}}
    law["current"] = {"kp": 0.6, "ki": 300}
    model = cardan.Model(
        bodies={"arm": {"mass": 6, "com": [0.3, 0, 0], "inertia": [0, 0.25, 0]}},
        joints={"h": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "-y"}},
        thermal={"w": {"capacity": 20, "to": {"air": 1}}, "air": 20},
        drives={"d": {"joint": "h", "source": source, "train": [{"shaft": {"stiffness": 100}}, {"gear": 80}]}},
        paths={"go": {"from": {"h": "-30 deg"}, "to": {"h": "60 deg"}, "duration": 1, "start": 1}},
        controllers={"d": law},
        initial={"at": "go", "equilibrium": True},
    )
    run = cardan.simulate(model, 0.5)
    i = 6 * 9.81 * 0.3 * np.cos(np.pi / 6) / 80 / 0.05
    drop = 48 * (1 - np.sqrt(1 - 4 * 0.05 * 0.5 * i**2 / 48**2)) / 2  # d U = R i at U = 48 − R_b d i
    u = 0.5 * i * 48 / (48 - drop)
    at_rest = {"d.current": i, "d.speed_integral": i, "d.current_integral": u, "d_rotor.q": -80 * np.pi / 6 + i * 5e-4}
    for name, value in at_rest.items():
        np.testing.assert_allclose(run[name].values, value, rtol=1e-6, err_msg=name)
