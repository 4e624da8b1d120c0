"""Dry friction with true sticking, against closed forms and solutions put together from event to event.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over a few events; what the runs are compared with is exact or at 1e-12.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}


def block(friction, mass=2.0, **more):
    """A block on a level rail."""
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", "friction": friction}
    return cardan.Model(bodies={"block": {"mass": mass}}, joints={"slide": slide}, **more)


METHODS = [
    ("dop853", {}),
    ("tsit5", {}),
    ("rodas5p", {}),
    ("rk4", {"step": 0.01}),
    ("semi_implicit_euler", {"step": 1e-4}),
]


@pytest.mark.parametrize(("method", "settings"), METHODS)
def test_a_block_brakes_and_sticks(method, settings):
    """v0 = 3 m/s, F/m = 2 m/s²: at rest after 1.5 s and 2.25 m, where it stays for ever."""
    run = cardan.simulate(block({"effort": "4 N"}), until=500, initial={"slide.v": 3}, method=method, **settings)
    close = 1e-3 if method == "semi_implicit_euler" else 1e-9
    assert run.ok
    assert [event.did for event in run.events] == ["stops"]
    assert run.events[0].t == pytest.approx(1.5, abs=close)
    assert run["slide.q"].values[-1] == pytest.approx(2.25, abs=close)
    assert run["slide.v"].values[-1] == 0.0
    assert len(set(run["slide.q"].values[run.t > 1.6])) == 1  # no creep
    assert run["slide.heat"].values[-1] == pytest.approx(9, abs=5 * close)
    assert run["slide.friction"].values[0] == pytest.approx(-4)
    assert run["slide.sticking"].values[[0, -1]].tolist() == [0, 1]


def test_viscous_and_stribeck_friction_stop_where_their_laws_say():
    """m v̇ = −F(v): t = m ∫ dv/F, x = m ∫ v dv/F."""
    law = {"type": "stribeck", "effort": "4 N", "static": "6 N", "speed": "0.5 m/s", "viscous": "0.3 N*s/m"}

    def force(v):
        return 4 + 2 * np.exp(-((v / 0.5) ** 2)) + 0.3 * v

    run = cardan.simulate(block(law), until=3, initial={"slide.v": 2}, **FINE)
    v = np.polynomial.legendre.leggauss(200)
    speeds, weights = v[0] + 1, v[1]  # on [0, 2]
    assert run.events[0].t == pytest.approx(2 * np.sum(weights / force(speeds)), abs=1e-9)
    assert run["slide.q"].values[-1] == pytest.approx(2 * np.sum(weights * speeds / force(speeds)), abs=1e-9)


def test_a_shaken_block_slides_and_sticks_in_turns():
    """6 N sin(π t) against 4 N: it starts where the sine is 2/3, and rests where its impulse is used up."""
    run = cardan.simulate(block({"effort": "4 N"}), until=2, motors="none", inputs={"slide": "6*sin(pi*t)"}, **FINE)
    start = np.arcsin(2 / 3) / np.pi

    def speed(t):
        return (6 / np.pi * (np.cos(np.pi * start) - np.cos(np.pi * t)) - 4 * (t - start)) / 2

    rest = brentq(speed, start + 0.1, start + 1, xtol=1e-14)
    expected = [(start, "slides forwards"), (rest, "stops"), (1 + start, "slides backwards")]
    assert [event.did for event in run.events] == [did for _, did in expected]
    np.testing.assert_allclose([event.t for event in run.events], [t for t, _ in expected], atol=1e-9)
    assert run.report.relative_energy_error < 1e-9


def test_a_load_at_the_limit_is_held_whatever_its_round_off():
    """A block on a slope of 3 : 4 pulled up by its weight's share and the static limit; 1e-9 more moves it."""
    friction = {"effort": "lim/2", "static": "lim"}
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": [0.8, 0, 0.6], "friction": friction}
    model = cardan.Model(bodies={"block": {"mass": "m"}}, joints={"slide": slide}, parameters={"m": 1, "lim": 1})
    moved = {0.0: 0, 1e-9: 0}
    for m, lim in np.random.default_rng(7).uniform(0.5, 5, (20, 2)):
        for more in moved:
            force = (1 + more) * (lim + 0.6 * 9.81 * m)
            run = cardan.simulate(model, times=[0, 0.01], inputs={"slide": force}, parameters={"m": m, "lim": lim})
            moved[more] += run["slide.q"].values[-1] != 0
    assert moved == {0.0: 0, 1e-9: 20}


def test_stick_slip_on_a_belt():
    """The period of a block on a belt: sticking 2 A/V, sliding (2π − 2 atan(A ω/V))/ω, A = (Fs − Fc)/k."""
    m, k, V, Fs, Fc = 1.5, 200.0, 0.1, 12.0, 8.0
    model = cardan.load("stick_slip_slider")
    run = cardan.simulate(model, until=4, **FINE)
    omega, A = np.sqrt(k / m), (Fs - Fc) / k
    sticking, sliding = 2 * A / V, (2 * np.pi - 2 * np.arctan(A * omega / V)) / omega
    t = [Fs / k / V]
    while t[-1] < 4:
        t += [t[-1] + sliding, t[-1] + sliding + sticking]
    t = [each for each in t if each < 4]
    assert len(t) > 8
    assert [event.did for event in run.events] == [("slides backwards", "stops")[i % 2] for i in range(len(t))]
    np.testing.assert_allclose([event.t for event in run.events], t, atol=1e-8)


def test_two_joints_stick_at_once_and_the_weaker_one_slides():
    """A force 2 N/s t on the second of two blocks: its friction of 3 N passes on to the first, held by 5 N."""
    rail = {"type": "prismatic", "axis": "x"}
    joints = {
        "first": rail | {"parent": "ground", "child": "one", "friction": {"effort": "5 N"}},
        "second": rail | {"parent": "one", "child": "two", "friction": {"effort": "3 N"}},
    }
    model = cardan.Model(bodies={"one": {"mass": 2}, "two": {"mass": 1}}, joints=joints)
    run = cardan.simulate(model, until=2, motors="none", inputs={"second": "2*t"}, times=[0.5, 1.0, 2.0], **FINE)
    assert [(event.name, event.did) for event in run.events] == [("second", "slides forwards")]
    assert run.events[0].t == pytest.approx(1.5, abs=1e-9)
    # the input acts between the blocks: what friction does not take of it pushes the first block back
    np.testing.assert_allclose(run["second.friction"].values, [-1, -2, -3], atol=1e-9)
    np.testing.assert_allclose(run["first.friction"].values, [0, 0, 1], atol=1e-9)
    assert run["second.q"].values[-1] == pytest.approx(0.5**3 / 3, rel=1e-9)  # ∫∫ 2 (t − 1.5)/1


LUGRE = {"type": "lugre", "effort": "4 N", "static": "6 N", "speed": "0.1 m/s", "bristle": "2e4 N/m"}
LUGRE |= {"bristle_damping": "120 N*s/m", "viscous": "0.5 N*s/m"}


def test_bristles_bend_slide_and_bend_back():
    """The four equations of the LuGre model under 7 sin(3 t), from SciPy."""
    given = {"motors": "none", "inputs": {"slide": "7*sin(3*t)"}}
    run = cardan.simulate(block(LUGRE), until=2.5, method="rodas5p", rtol=1e-11, atol=1e-13, **given)

    def rates(t, y):
        _, v, z, _ = y
        g = 4 + 2 * np.exp(-((v / 0.1) ** 2))
        bend = v - 2e4 * abs(v) * z / g
        force = 2e4 * z + 120 * bend + 0.5 * v
        return [v, (7 * np.sin(3 * t) - force) / 2, bend, force * v - 2e4 * z * bend]

    found = solve_ivp(rates, (0, 2.5), [0, 0, 0, 0], rtol=1e-12, atol=1e-14, method="LSODA").y[:, -1]
    assert run["slide.q"].values[-1] == pytest.approx(found[0], abs=1e-8)
    assert run["slide.bristle"].values[-1] == pytest.approx(found[2], abs=1e-8)
    assert run["slide.heat"].values[-1] == pytest.approx(found[3], abs=1e-8)
    assert run.report.relative_energy_error < 1e-9


def test_bristles_in_steady_sliding_give_stribecks_curve():
    """A block that is moved at 0.2 m/s: F = Fc + (Fs − Fc) exp(−(v/vs)²) + 0.5 v."""
    model = block(LUGRE, motions={"slide": "0.2*t"})
    run = cardan.simulate(model, until=2, motors="none")
    force = 4 + 2 * np.exp(-4) + 0.1
    assert run["slide.friction"].values[-1] == pytest.approx(-force, rel=1e-6)
    functions = cardan.compile(block(LUGRE))
    assert functions.inverse_dynamics([0.0], [0.2], [0.0])[0] == pytest.approx(force)
    assert cardan.kinetostatics(model, times=[1.0])["slide.effort"].values[0] == pytest.approx(force, rel=1e-6)


def test_viscous_friction_brakes_without_end():
    """v = v0 exp(−c t/m), and its heat is the energy lost; nothing sticks."""
    c, m, v0 = 1.5, 2.0, 3.0
    run = cardan.simulate(block({"type": "viscous", "viscous": c}), until=4, initial={"slide.v": v0}, **FINE)
    v = v0 * np.exp(-c * run.t / m)
    np.testing.assert_allclose(run["slide.v"].values, v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["slide.friction"].values, -c * v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["slide.heat"].values, m / 2 * (v0**2 - v**2), rtol=0, atol=1e-8)
    assert not run.events
    assert "slide.friction_limit" not in run.names


def test_viscous_friction_of_a_sleeve_turns_with_its_sliding():
    """Both motions decay with their own inertia: c along the axis, c r² round it."""
    c, r, m, inertia = 0.8, 0.05, 2.0, 4e-3
    law = {"type": "viscous", "viscous": c, "radius": r}
    sleeve = {"type": "cylindrical", "parent": "ground", "child": "body", "axis": "x", "friction": law}
    model = cardan.Model(
        bodies={"body": {"mass": m, "inertia": [inertia] * 3}}, joints={"sleeve": sleeve}, gravity=[0, 0, 0]
    )
    run = cardan.simulate(model, until=3, initial={"sleeve.d.v": 2, "sleeve.r.v": -30}, **FINE)
    np.testing.assert_allclose(run["sleeve.d.v"].values, 2 * np.exp(-c * run.t / m), rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["sleeve.r.v"].values, -30 * np.exp(-c * r**2 * run.t / inertia), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("friction", "words"),
    [
        ({"effort": "4 N", "static": "3 N"}, "static effort 3 is below the sliding one, 4"),
        ({"effort": "4 N*m"}, "friction.effort"),
        ({"effort": "-4 N"}, "friction.effort"),
        ({"type": "stribeck", "effort": "4 N"}, "needs static and speed"),
        ({"effort": "4 N", "speed": "1 mm/s"}, "type coulomb has no speed"),
        ({"effort": "4 N", "regularize": "0 m/s"}, "regularize is 0"),
        ({"effort": "4 N", "bristle": "1 N/m"}, "type coulomb has no bristle"),
        ({"type": "lugre", "effort": "4 N"}, "lugre needs bristle"),
        ({"type": "viscous"}, "viscous needs viscous"),
        ({"type": "viscous", "viscous": "1 N*s/m", "effort": "4 N"}, "viscous has no effort"),
        ({"type": "viscous", "viscous": "1 N*s/m", "prescribed": True}, "viscous never sticks"),
        ({"type": "viscous", "viscous": "-1 N*s/m"}, "friction.viscous"),
        ({"type": "lugre", "coefficient": 0.2, "bristle": "1 N/m"}, "N/m"),
        ({"type": "lugre", "effort": "4 N", "bristle": "1 N/m", "static": "5 N"}, "needs static and speed together"),
        ({"type": "lugre", "effort": "4 N", "bristle": "1 N/m", "regularize": "1 mm/s"}, "lugre never sticks"),
        ({"type": "lugre", "effort": "4 N", "bristle": "0 N/m"}, "bristle"),
        ({"effort": "4 N", "static": "5 N", "regularize": "1 mm/s"}, "never sticks, so static has no meaning"),
    ],
)
def test_friction_that_cannot_be_is_refused(friction, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(block(friction), until=0.1)


def test_friction_beside_motions_asks_for_the_regular_form():
    with pytest.raises(ModelError, match="drives a motion"):
        cardan.simulate(block({"effort": "4 N"}, motions={"slide": "sin(t)"}), until=0.1)
    run = cardan.kinetostatics(
        block({"effort": "4 N", "regularize": "1 um/s"}, motions={"slide": "sin(t)"}), times=[0.5]
    )
    assert run["slide.effort"].values[0] == pytest.approx(-2 * np.sin(0.5) + 4, rel=1e-9)


def test_lanes_give_what_single_runs_give():
    model = block({"effort": "mu"}, parameters={"mu": "4 N"})
    efforts = [3.0, 4.0, 5.0]
    given = {"motors": "none", "inputs": {"slide": "6*sin(pi*t)"}, "times": [2.0]}
    swept = cardan.sweep(model, parameters={"mu": efforts}, outputs=["slide.q"], **given)
    for k, mu in enumerate(efforts):
        run = cardan.simulate(model, parameters={"mu": mu}, **given)
        assert float(swept["slide.q"][k, -1]) == pytest.approx(run["slide.q"].values[-1], rel=1e-9)


def test_a_press_with_a_motor_stops_only_at_its_dead_centres():
    """A ram that rubs, driven through crank and rod by a DC motor: after the start, one stop at each dead centre."""
    rod = {"parent": "crank.pin", "child": "rod", "axis": "z"}
    ram = {"parent": "rod.end", "child": "ram", "axis": "z"}
    slide = {"type": "prismatic", "parent": "ground", "child": "ram", "axis": "x"}
    motor = {"type": "dc", "joint": "turn", "ratio": 40, "resistance": 0.5, "inductance": 1e-3, "rotor_inertia": 5e-5}
    model = cardan.Model(
        planar="xy",
        gravity=[0, -9.81, 0],
        bodies={
            "crank": {
                "mass": 2,
                "com": [0.06, 0, 0],
                "inertia": [0, 0, 4e-3],
                "markers": {"pin": {"position": [0.12, 0, 0]}},
            },
            "rod": {
                "mass": 1.5,
                "com": [0.15, 0, 0],
                "inertia": [0, 0, 1.2e-2],
                "markers": {"end": {"position": [0.3, 0, 0]}},
            },
            "ram": {"mass": 6},
        },
        joints={
            "turn": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "z"},
            "pin": {"type": "revolute"} | rod,
            "wrist": {"type": "revolute"} | ram,
            "slide": slide | {"friction": {"effort": 30, "static": 40}},
        },
        motors={"drive": motor | {"torque_constant": 0.06, "back_emf_constant": 0.06}},
        inputs={"drive": "24 V"},
        initial={"turn": 0.1745, "pin": {"guess": -0.5}},
    )
    run = cardan.simulate(model, until=2, rtol=1e-8)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-8
    stops = [event.t for event in run.events if event.t > 0.01]
    angles = np.interp(stops, run.t, run["turn.q"].values)
    np.testing.assert_allclose(angles, np.pi * np.arange(1, len(stops) + 1), atol=1e-3)  # read between rows
    assert len(stops) == int(run["turn.q"].values[-1] // np.pi)


def four_bar(friction, **more):
    """The four-bar linkage of the gallery with friction in some joints."""
    model = cardan.load("four_bar")
    joints = {name: joint.replace(friction=friction.get(name)) for name, joint in model.joints.items()}
    return model.replace(joints=joints, **more)


def test_joints_that_move_only_together_may_stick_and_may_be_regularized():
    law, given = {"coefficient": 0.1, "radius": 0.01}, {"effort": 0.1}
    assert cardan.simulate(four_bar({"A": law, "B": given}), until=0.1).ok
    smooth = cardan.simulate(four_bar({"A": given, "B": {"effort": 0.1, "regularize": 0.01}}), until=0.2)
    assert smooth.ok
    assert (smooth["B.friction"] * smooth["B.v"]).max() <= 0


def test_friction_of_a_joint_that_a_motion_moves_through_a_loop_is_refused():
    model = four_bar({"B": {"effort": 0.1}})
    initial = {name: each for name, each in model.initial.items() if name not in ("A", "A.v")}
    with pytest.raises(ModelError, match=r"'B' moves only together with 'A'.*\n.*prescribed: true"):
        cardan.simulate(model.replace(initial=initial), until=0.1, motions={"A": "1 + 0.1*sin(t)"})


@pytest.mark.parametrize("regularize", [None, "1 um/s"])
@pytest.mark.parametrize("v", [-1.0, 1.0])
def test_functions_of_coordinates_and_velocities_have_the_friction_that_slides(regularize, v):
    """m v̇ = tau − F sign(v)."""
    functions = cardan.compile(block({"effort": "8 N", "regularize": regularize}))
    assert functions.forward_dynamics([0.0], [v], [3.0])[0] == pytest.approx((3 - 8 * v) / 2)
    assert functions.inverse_dynamics([0.0], [v], [0.5])[0] == pytest.approx(1 + 8 * v)
    assert functions.bias([0.0], [v])[0] == pytest.approx(8 * v)
    assert functions.reactions([0.0], [v], [3.0])["slide"][3] == pytest.approx(3 - 8 * v)


@pytest.mark.parametrize("analysis", ["simulate", "kinetostatics"])
def test_a_prescribed_sleeve_and_the_joint_after_it_have_their_own_results(analysis):
    """The sleeve turns with 2 rad/s at 10 mm and slides with 0.1 cos t: 2 N against that; a slider rubs with 5 N."""
    sleeve = {"type": "cylindrical", "parent": "ground", "child": "a", "axis": "x"}
    slider = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "y", "friction": {"effort": 5}}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"a": {"mass": 1, "inertia": [0.01] * 3}, "b": {"mass": 2}},
        joints={"c": {**sleeve, "friction": {"effort": 2, "radius": 0.01, "prescribed": True}}, "s": slider},
        motions={"c.d": "0.1*sin(t)", "c.r": "2*t"},
        initial={"s.v": 1},
    )
    if analysis == "kinetostatics":
        model = model.replace(motions={**model.motions, "s": "t"}, initial={})
    t = np.array([0, 0.1, 0.2])
    run = getattr(cardan, analysis)(model, times=t)
    w = np.array([0.1 * np.cos(t), np.full(3, 0.02)])
    force = -2 * w / np.linalg.norm(w, axis=0)
    np.testing.assert_allclose(run.array("c.friction"), [-2] * 3, rtol=1e-12)
    np.testing.assert_allclose(run.array("c.friction_force")[:, 0], force[0], rtol=1e-9)
    np.testing.assert_allclose(run.array("c.friction_moment")[:, 0], 0.01 * force[1], rtol=1e-9)
    np.testing.assert_allclose(run.array("s.friction"), [-5] * 3, rtol=1e-12)
    np.testing.assert_allclose(run.array("s.friction_limit"), [5] * 3, rtol=1e-12)
    assert not run.array("s.sticking").any()


@pytest.mark.parametrize("friction", [{"effort": 1}, {"coefficient": 0.1}])
def test_friction_of_a_joint_that_cannot_move_is_refused(friction):
    """Its sign would follow the round-off of its velocity."""
    rail = {"type": "prismatic", "parent": "ground"}
    model = cardan.Model(
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={
            "held": {**rail, "child": "a", "axis": "x", "friction": friction},
            "free": {**rail, "child": "b", "axis": "y"},
        },
        constraints={"clamp": {"type": "expression", "expression": "held - 0.2"}},
    )
    with pytest.raises(
        ModelError, match="the joint 'held' cannot slide in any direction in which it has friction"
    ) as error:
        cardan.simulate(model, until=1)
    assert error.value.issues[0].path == ("joints", "held", "friction")
