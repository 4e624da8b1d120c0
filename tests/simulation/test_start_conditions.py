"""Conditions on the start: points, accelerations, outputs, and parameters that are solved, against closed forms."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.analysis import motor_times
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads

SOLVED = 1e-9  # absolute: Newton's method ends at residuals of round-off, 1e-10 of their size
G = 9.80665
ARM = {"mass": 1, "com": ["l/2", 0, 0], "inertia": [0.1, 0.1, 0.1], "markers": {"tip": {"position": ["l", 0, 0]}}}


def double_pendulum(**initial):
    """Modelica.Mechanics.MultiBody.Examples.Elementary.DoublePendulumInitTip: its tip starts at (0.7, 0.3)."""
    return cardan.Model(
        gravity=[0, -G, 0],
        parameters={"l": 0.5},
        bodies={"arm1": ARM, "arm2": ARM},
        joints={
            "r1": {"type": "revolute", "parent": "ground", "child": "arm1", "axis": "z"},
            "r2": {"type": "revolute", "parent": "arm1.tip", "child": "arm2", "axis": "z"},
        },
        outputs={"reach": "hypot(arm2.tip.x, arm2.tip.y)"},
        initial=initial,
    )


def bead(value="1", **initial):
    """ModelicaTest.MultiBody.Joints.PrismaticInit: a bead on a sloping rail, held by a spring of the stiffness c."""
    return cardan.Model(
        gravity=[0, -G, 0],
        parameters={"l": "sqrt(0.045)", "c": value},
        bodies={"b": {"mass": 1}},
        joints={"p": {"type": "prismatic", "parent": "ground", "child": "b", "axis": [1, -1, 0]}},
        forces={
            "s": {"type": "spring_damper", "parent": {"body": "ground", "position": ["l", 0, 0]}, "child": "b",
                  "stiffness": "c", "rest_length": 0.1},
        },
        outputs={"stiffness": "c"},
        initial=initial,
    )  # fmt: skip


REST = {"solve": "equilibrium"}


def arm(motors=None, inputs=None, states=None, **initial):
    """A mass of 3 kg at half the length, 0.5 m, of an arm that rises with h, on a motor of R = 2 Ω, r Km = 5 N m/A."""
    link = {"mass": 3, "com": [0.5, 0, 0], "markers": {"tip": {"position": [1, 0, 0]}}}
    motor = {"type": "dc", "joint": "h", "ratio": 50, "resistance": 2, "inductance": 0.01, "torque_constant": 0.1,
             "back_emf_constant": 0.1, "rotor_inertia": 1e-4, "rotor_damping": 1e-4}  # fmt: skip
    return cardan.Model(
        gravity=[0, 0, -G],
        parameters={"U": 0, "k": 0},
        bodies={"a": link},
        joints={"h": {"type": "revolute", "parent": "ground", "child": "a", "axis": [0, -1, 0], "stiffness": "k"}},
        motors={"m": motor} if motors is None else motors,
        inputs={"m": "U"} if inputs is None else inputs,
        states=states or {},
        outputs={"speed": "a.tip.vz", "swept": "a.tip.x*a.tip.vz - a.tip.z*a.tip.vx", "u": "U", "stiffness": "k"},
        initial=initial,
    )


@each("motors", ["full", "simplified"])
def test_a_voltage_holds_an_arm(motors):
    """U = R τ/(r Km), τ = m g l/2 cos h: the current has its value from the first instant on."""
    run = cardan.simulate(arm(h=0.3, U=REST), until=1, motors=motors)
    assert run["u"].values[0] == pytest.approx(2 * 3 * G * 0.5 * np.cos(0.3) / 5, rel=SOLVED)
    np.testing.assert_allclose(run["h.q"].values, 0.3, rtol=0, atol=1e-8)


def test_a_spring_balances_a_motor_with_its_current():
    """The current of 5 V is U/R; k h = r Km U/R − m g l/2 cos h."""
    run = cardan.simulate(arm(h=-0.2, k=REST, inputs={"m": 5}), until=1)
    assert run["stiffness"].values[0] == pytest.approx((5 * 5 / 2 - 3 * G * 0.5 * np.cos(0.2)) / -0.2, rel=SOLVED)
    np.testing.assert_allclose(run["m.current"].values, 2.5, rtol=0, atol=1e-6)  # Ke r/R = 2.5 s A/rad × 1e-7 rad/s
    np.testing.assert_allclose(run["h.q"].values, -0.2, rtol=0, atol=1e-8)


def test_a_state_of_an_equilibrium_is_found():
    """A filter of the voltage has settled: e = U."""
    model = arm(h=0.3, U=REST, states={"e": "(U - e)/0.1"}, inputs={"m": "e"})
    assert cardan.simulate(model, until=1)["e"].values == pytest.approx(3 * G * np.cos(0.3) / 5, rel=1e-8)


def test_a_force_holds_a_heavy_weight():
    body, slide = {"mass": 2e5}, {"type": "prismatic", "parent": "ground", "child": "b", "axis": "z"}
    model = cardan.Model(
        gravity=[0, 0, -G], parameters={"F": 0}, bodies={"b": body}, joints={"z": slide}, inputs={"z": "F"},
        outputs={"force": "F"}, initial={"z": 0, "F": REST},
    )  # fmt: skip
    assert cardan.simulate(model, times=[0])["force"].values[0] == pytest.approx(2e5 * G, rel=SOLVED)


@each(
    "wanted, speed",
    [
        ({"speed": 1}, 1 / np.cos(0.1)),  # ż = ω cos h
        ({"swept": 2}, 2),  # x ż − z ẋ = ω
        ({"energy.total": 6 + 1.5 * G * np.sin(0.1)}, 4),  # m (l/2)² ω²/2 = 0.375 ω², and m g l/2 sin h
    ],
)
def test_results_that_follow_from_velocities_start_with_values(wanted, speed):
    run = cardan.simulate(arm(motors={}, inputs={}, h=0.1, **wanted), times=[0])
    assert run["h.v"].values[0] == pytest.approx(speed, rel=SOLVED)


def test_a_point_of_a_loop_starts_with_a_velocity():
    """ẋ = −(l1 sin φ + l2/2 sin β β′) ω of the middle of a rod, l2 sin β = l1 sin φ."""
    model = cardan.load("slider_crank").replace(initial={"crank": 0.5, "rod.com.vx": -1})
    beta = np.arcsin(0.4 * np.sin(0.5))
    speed = 1 / (0.2 * np.sin(0.5) + 0.25 * np.sin(beta) * 0.4 * np.cos(0.5) / np.cos(beta))
    assert cardan.simulate(model, times=[0])["crank.v"].values[0] == pytest.approx(speed, rel=SOLVED)


@each("beyond", [0, 5e-11])
def test_points_start_as_far_as_they_reach(beyond):
    """An upright and a stretched arm: residuals are quadratic, 1e-10 with angles of 1.5e-5 and 4e-5."""
    upright = cardan.simulate(arm(motors={}, inputs={}, **{"a.tip.z": 1 + beyond}), times=[0])
    assert upright["h.q"].values[0] == pytest.approx(np.pi / 2, abs=1.5e-5)
    given = {"arm2.tip.x": 0.6, "arm2.tip.y": 0.8 + beyond, "r2": {"guess": 0.5}}
    stretched = cardan.simulate(double_pendulum(**given), times=[0])
    np.testing.assert_allclose([stretched[r].values[0] for r in ("r1.q", "r2.q")], [np.arctan2(0.8, 0.6), 0], atol=4e-5)


def test_coordinates_stay_where_parameters_suffice():
    """A torque alone holds a four-bar: it stays where its guesses are assembled."""
    model, guesses = cardan.load("four_bar"), {"A": {"guess": "60 deg"}}
    plain = model.replace(motors={}, inputs={"A": "F"}, parameters={**model.parameters, "F": 0}, initial=guesses)
    run = cardan.simulate(plain.replace(initial={**guesses, "F": REST}), until=0.2)
    np.testing.assert_allclose(run["A.q"].values, cardan.assemble(plain).q["A"], rtol=0, atol=1e-7)


def test_a_tip_starts_where_it_is_wanted():
    """The isosceles triangle of two equal arms."""
    run = cardan.simulate(double_pendulum(**{"arm2.tip.x": 0.7, "arm2.tip.y": 0.3, "r2": {"guess": 1}}), times=[0, 0.1])
    bend = np.arccos(np.hypot(0.7, 0.3))
    assert run["r1.q"].values[0] == pytest.approx(np.arctan2(0.3, 0.7) - bend, abs=SOLVED)
    assert run["r2.q"].values[0] == pytest.approx(2 * bend, abs=SOLVED)


def test_an_output_and_velocities_of_a_point_start_with_values():
    given = {"r1": 0.2, "r2": {"guess": 1}, "reach": 0.8, "arm2.tip.vx": 0.1, "arm2.tip.vy": -0.2}
    run = cardan.simulate(double_pendulum(**given), times=[0, 0.1])
    assert run["r2.q"].values[0] == pytest.approx(2 * np.arccos(0.8), abs=SOLVED)
    np.testing.assert_allclose(run["arm2.tip.velocity"].values[0], [0.1, -0.2, 0], rtol=0, atol=SOLVED)


@each("wanted", [{"c": {"solve": "equilibrium"}}, {"p.a": 0, "c": {"solve": 30}}])
def test_a_stiffness_makes_the_start_an_equilibrium(wanted):
    """At s = 0.3 the spring hangs straight down: c (l − 0.1) = m g."""
    run = cardan.simulate(bead(p=0.3, **wanted), times=[0, 1])
    assert run["stiffness"].values[0] == pytest.approx(G / (0.045**0.5 - 0.1), rel=SOLVED)
    np.testing.assert_allclose(run["p.q"].values, 0.3, rtol=0, atol=1e-8)


def test_a_guessed_coordinate_finds_the_equilibrium_and_a_setup_solves_again():
    setup = cardan.prepare(bead(value="50", **{"p": {"guess": 0.3}, "p.a": 0}), times=[0, 1])
    for changed in (None, {"c": 80}):
        run = setup.run(parameters=changed)
        np.testing.assert_allclose(run["p.q"].values, run["p.q"].values[0], rtol=0, atol=1e-8)
    assert setup.run(initial={"p.a": 1})["p.a"].values[0] == pytest.approx(1, abs=1e-8)


def test_an_acceleration_finds_the_other_end_of_a_spring():
    """ModelicaTest.MultiBody.InitializationConversion.Rotor1D: α = k (q8 − q7) of two rotors on a spring."""
    joints = {f"q{k}": {"type": "revolute", "parent": "ground", "child": f"i{k}", "axis": "x"} for k in (7, 8)}
    model = cardan.Model(
        accept=["inertia"],
        parameters={"k": 1e4},
        bodies={"i7": {"inertia": [1, 0, 0]}, "i8": {"inertia": [1, 0, 0]}},
        joints=joints,
        inputs={"q7": "k*(q8 - q7)", "q8": "k*(q7 - q8)"},
        initial={"q7": "1 deg", "q7.v": "2 deg/s", "q7.a": "3 deg/s^2", "q8.v": 0},
    )
    assert loads(dump(model)) == model
    run = cardan.simulate(model, times=[0, 0.1])
    assert run["q8.q"].values[0] == pytest.approx(np.deg2rad(1) + np.deg2rad(3) / 1e4, abs=1e-14)
    assert run["q8.v"].values[0] == 0.0


def test_a_parameter_balances_a_closed_loop():
    """A torque that holds the slider-crank still."""
    crank = cardan.load("slider_crank")
    given = {"motors": {}, "inputs": {"crank": "hold"}, "outputs": {"torque": "hold"}}
    parameters = {**crank.parameters, "hold": 0}
    model = crank.replace(**given, parameters=parameters, initial={"crank": 0.5, "hold": {"solve": "equilibrium"}})
    assert loads(dump(model)) == model
    run = cardan.simulate(model, times=[0, 0.5])
    np.testing.assert_allclose(run["crank.v"].values, 0, rtol=0, atol=1e-6)


@each(
    "model, fault",
    [
        (
            lambda: bead(**{"p": 0.3, "p.a": 0}),
            r"initial\.p\.a: the start cannot meet the condition: it is off by 6\.86",
        ),
        (lambda: bead(p=0.3, c0=1), "there is no coordinate"),
        (lambda: bead(p=0.3, **{"c": {"solve": 2}}), r"initial\.c: the conditions do not determine 'c'"),
        (lambda: bead(p=0.3, **{"q": {"solve": "equilibrium"}}), "there is no parameter 'q'"),
        (lambda: bead(value="2*l", p=0.3, **{"c": {"solve": "equilibrium"}}), "'c' follows from other parameters"),
        (lambda: bead(**{"p": 0.3, "b.vx": "1 m"}), r"'1 m' is a length"),
        (lambda: bead(**{"p.a": {"guess": 1}}), r"'p\.a'"),
        (lambda: arm(h=0.3, U=REST, states={"e": {"rate": 1}}), r"initial\.e: the start cannot meet"),
        (lambda: arm(h=0.3, U=REST, **{"m.current": 1}), r"initial\.h\.a: the start cannot meet"),
        (lambda: arm(motors={}, inputs={}, **{"a.tip.z": 1.001}), r"initial\.a\.tip\.z: .* off by 0\.001"),
    ],
)
def test_what_cannot_be_met_is_refused_by_name(model, fault):
    with pytest.raises(ModelError, match=fault):
        cardan.simulate(model(), times=[0])


def test_a_start_at_rest_with_rates_that_are_not_finite_is_refused():
    model = arm(h=0.3, states={"e": {"rate": "log(-1 - h)"}})
    model = model.replace(initial={"h": 0.3, "equilibrium": True})
    with pytest.raises(ModelError, match=r"initial\.equilibrium: .* a rate is not finite"):
        cardan.simulate(model, times=[0])


def test_runs_of_a_sweep_start_at_rest_as_each_alone():
    """An arm held by a sampled controller with a computing delay: states of controller and shaft follow the mass."""
    model = cardan.Model(
        parameters={"m": "2 kg", "kp": 0.2},
        bodies={"arm": {"mass": "m", "com": [0.3, 0, 0], "inertia": [0, 0.1, 0]}},
        joints={"h": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "-y"}},
        drives={
            "d": {
                "joint": "h",
                "source": {"type": "dc", "resistance": 0.5, "inductance": 1e-3, "constant": 0.05, "inertia": 1e-4},
                "train": [{"shaft": {"stiffness": 50, "damping": 0.1}}, {"gear": 40}],
            }
        },
        controllers={
            "d": {
                **{"type": "pi", "drive": "d", "error": "20*sin(9*t) - d.speed", "kp": "kp", "ki": 4},
                **{"every": "2 ms", "computing_delay": "2 ms"},
            }
        },
        initial={"h": "20 deg", "equilibrium": True},
    )
    given = {"m": [1.5, 2.5], "kp": [0.1, 0.3]}
    found = cardan.sweep(model, 0.1, parameters=given, outputs=["h.q", "d.current"], times=[0, 0.1])
    for m, kp in ((1.5, 0.1), (2.5, 0.3)):
        alone = cardan.simulate(model, 0.1, parameters={"m": m, "kp": kp}, times=[0, 0.1])
        one = found.sel(m=m, kp=kp)
        for name in ("h.q", "d.current"):
            np.testing.assert_allclose(one[name], alone[name], atol=1e-9)
        assert alone["d.current"][0] == pytest.approx(m * 9.81 * 0.3 * np.cos(np.radians(20)) / 40 / 0.05)


def test_a_sweep_refuses_conditions():
    with pytest.raises(ModelError, match="a sweep does not solve conditions"):
        cardan.sweep(bead(p=0.3, c={"solve": "equilibrium"}), 1.0, parameters={"l": [0.3]}, outputs=["p.q"])


def test_all_questions_about_the_start_are_about_the_one_that_meets_its_conditions():
    """An arm of two rods of 1 m with its tip at (1.2, 0.7): the angle between them follows from the law of cosines."""
    rod = {"mass": 1, "com": [0.5, 0, 0], "inertia": [0, 0.1, 0.1], "markers": {"tip": {"position": [1, 0, 0]}}}
    turn = {"type": "revolute", "parent": "ground", "child": "a", "axis": [0, -1, 0]}
    motor = {
        "type": "dc",
        "joint": "r",
        "resistance": 2,
        "inductance": 0.01,
        "torque_constant": 0.1,
        "back_emf_constant": 0.1,
        "rotor_inertia": 1e-4,
        "rotor_damping": 0,
    }
    model = cardan.Model(
        planar="xz",
        bodies={"a": rod, "b": rod},
        joints={"r": turn, "s": {**turn, "parent": "a.tip", "child": "b"}},
        motors={"m": motor},
        initial={"b.tip.x": 1.2, "b.tip.z": 0.7, "r": {"guess": 0.9}, "s": {"guess": -1.0}},
    )
    bend = -np.arccos((1.2**2 + 0.7**2) / 2 - 1)
    angles = {"r": np.arctan2(0.7, 1.2) - bend / 2, "s": bend}
    given = model.replace(initial=angles)
    for found in (cardan.assemble(model).q, cardan.mobility(model).q):
        assert dict(found) == pytest.approx(angles, abs=1e-10)  # conditions are met to 1e-10
    assert motor_times(model)["m"].mechanical == pytest.approx(motor_times(given)["m"].mechanical, rel=1e-9)
    strokes = [np.vstack([one.points for one in cardan.draw(m).sheet.strokes]) for m in (model, given)]
    np.testing.assert_allclose(*strokes, atol=1e-6)  # of some 300 px


def test_angles_that_conditions_lead_to_are_no_degrees_read_as_radians():
    """The rotors of the r3 start some 17 turns off, which nobody wrote."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cardan.assemble(cardan.load("manutec_r3")).q["a1_rotor"] > 100


def test_a_call_may_ask_for_a_start_at_rest():
    """The voltage 2 V holds the arm where m g l/2 cos h = r Km U/R."""
    run = cardan.simulate(arm(inputs={"m": 2}, h={"guess": 0.3}), 0.001, initial={"equilibrium": True})
    assert run["h.q"][0] == pytest.approx(np.arccos(5 * 2 / 2 / (3 * G * 0.5)), abs=SOLVED)


@each("mass, z", [(1e5, -1e-3), (1000, -1e-3), (1e5, -0.5), (1, -1), (1e-9, -1e-6)])
def test_an_equilibrium_does_not_depend_on_units(mass, z):
    """A weight on a spring: k = m g/|z|, from 1e-2 to 1e9 N/m, whose derivatives are as small as 1e-8."""
    spring = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "z", "stiffness": "k"}
    model = cardan.Model(
        parameters={"k": 1},
        bodies={"b": {"mass": mass}},
        joints={"z": spring},
        initial={"z": z, "k": {"solve": "equilibrium"}},
    )
    run = cardan.simulate(model, until=0.1)
    np.testing.assert_allclose(run["z.q"].values, z, rtol=1e-9, atol=1e-11)  # the run has 1e-10


@pytest.mark.parametrize("crank", ["60 deg", {"guess": "60 deg"}])
def test_a_machine_with_a_loop_rests_on_its_branch(crank):
    """A four-bar that its motor holds: what the loop decides stays where it is assembled, and a bob hangs below.

    Guesses of rocker and coupler change nothing then.
    """
    rod = {"mass": 1, "inertia": [0, 0, 0.03]}
    joint = {"type": "revolute", "axis": "z"}
    linkage = cardan.Model(
        planar="xy",
        gravity=[0, -G, 0],
        bodies={
            "crank": rod | {"markers": {"B": {"position": [0.3, 0, 0]}}},
            "coupler": rod | {"markers": {"C": {"position": [0.8, 0, 0]}, "P": {"position": [0.4, 0.2, 0]}}},
            "rocker": rod | {"markers": {"C": {"position": [0.6, 0, 0]}}},
            "bob": {"mass": 2, "com": [0.5, 0, 0]},
        },
        joints={
            "A": joint | {"parent": "ground", "child": "crank"},
            "B": joint | {"parent": "crank.B", "child": "coupler"},
            "D": joint | {"parent": {"body": "ground", "position": [0.9, 0, 0]}, "child": "rocker"},
            "C": joint | {"parent": "coupler.C", "child": "rocker.C"},
            "hang": joint | {"parent": "coupler.P", "child": "bob"},
        },
        drives={
            "m": {
                "joint": "A",
                "source": {"type": "dc", "resistance": 1, "inductance": 1e-3, "constant": 0.1, "inertia": 0},
                "train": [{"gear": 50}],
            }
        },
        controllers={"hold": {"type": "pi", "drive": "m", "error": "pi/3 - A", "kp": 1, "ki": 2}},
        initial={"A": crank, "B": {"guess": "-40 deg"}, "D": {"guess": "110 deg"}, "hang": {"guess": -1.6}},
    )
    closed = cardan.assemble(linkage, initial={"A": "60 deg"}).q
    run = cardan.simulate(linkage, 0.2, initial={"equilibrium": True})
    q = {name: float(run[f"{name}.q"][0]) for name in ["A", "B", "D", "hang"]}
    assert [q[name] for name in "ABD"] == pytest.approx([closed[name] for name in "ABD"], abs=1e-8)
    assert np.sin(q["A"] + q["B"] + q["hang"]) == pytest.approx(-1, abs=1e-12)  # straight down
    assert np.abs(run.array("A.v")).max() < 1e-6  # it stays there
