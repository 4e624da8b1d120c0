"""Friction of joints that close a loop, by their relative motion: which joint of a loop closes it changes nothing.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over a few events, 1e-8 of the largest value between two such runs.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan

pytestmark = pytest.mark.exhaustive


FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81
L1, L2 = 0.2, 0.5


def slider_crank(cut, laws, push="0", gravity=G):
    """A slider-crank at 0.3 rad with a flywheel and a force on the slider; `cut` closes the loop."""
    bodies = {
        "crank": {
            "mass": 1,
            "com": [L1 / 2, 0, 0],
            "inertia": [2, 2, 2],
            "markers": {"pin": {"position": [L1, 0, 0]}},
        },
        "rod": {
            "mass": 1,
            "com": [L2 / 2, 0, 0],
            "inertia": [1, 1, 0.02],
            "markers": {"wrist": {"position": [L2, 0, 0]}},
        },
        "slider": {"mass": 0.5, "inertia": [1, 1, 1]},
    }
    joints = {
        "crank": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "z"},
        "pin": {"type": "revolute", "parent": "crank.pin", "child": "rod", "axis": "z"},
        "wrist": {"type": "revolute", "parent": "rod.wrist", "child": "slider", "axis": "z"},
        "slide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
    }
    for name, law in laws.items():
        joints[name]["friction"] = law
    joints[cut]["cut"] = True
    lean = -np.arcsin(L1 * np.sin(0.3) / L2)
    place = {"crank": 0.3, "pin": lean - 0.3, "wrist": -lean, "slide": L1 * np.cos(0.3) + L2 * np.cos(lean)}
    initial = {name: {"guess": value} for name, value in place.items() if name != cut}
    free = "slide" if cut == "crank" else "crank"
    return cardan.Model(
        planar="xy",
        gravity=[0, -gravity, 0],
        bodies=bodies,
        joints=joints,
        forces={"push": {"type": "force", "child": "slider", "value": [push, 0, 0]}},
        initial=initial | {free: place[free]},
    )


def assert_alike(one, other, names, close=1e-8):
    assert one.ok, one.message
    assert other.ok, other.message
    assert [(event.name, event.did) for event in one.events] == [(event.name, event.did) for event in other.events]
    np.testing.assert_allclose([event.t for event in one.events], [event.t for event in other.events], atol=close)
    for name in names:
        expected = one.array(name)
        scale = max(1.0, np.nanmax(np.abs(expected)))
        np.testing.assert_allclose(other.array(name), expected, atol=close * scale, err_msg=name)


LAWS = [
    {"slide": {"effort": "15 N", "static": "20 N"}},
    {"wrist": {"effort": "2 N*m", "static": "3 N*m", "viscous": "0.05 N*m*s"}},
    {"slide": {"coefficient": 0.4, "static": 0.5, "preload": "30 N"}},
    {"wrist": {"coefficient": 0.3, "static": 0.4, "radius": "60 mm", "preload": "100 N"}},
    {
        "crank": {
            "type": "stribeck",
            "coefficient": 0.2,
            "static": 0.4,
            "speed": "0.5 rad/s",
            "radius": "60 mm",
            "preload": "50 N",
        }
    },
]


@pytest.mark.parametrize("law", LAWS)
def test_it_does_not_matter_which_joint_closes_the_loop(law):
    """Sticking, breakaway and sliding of a slider-crank under a swinging force, cut at each of its joints."""
    (own,) = law
    names = [f"{own}.{what}" for what in ("friction", "friction_limit", "sticking", "heat", "slip")]
    names += ["slider.position", "crank.position", "rod.position", "slider.velocity", "rod.velocity"]
    names += [f"{j}.reaction_{part}" for j in ("crank", "pin", "wrist", "slide") for part in ("force", "moment")]
    times = np.linspace(0.001, 1.5, 200)
    cuts = ("pin", "crank", "slide") if law is LAWS[0] else ("wrist" if own == "pin" else "pin", own)
    first, *others = (
        cardan.simulate(slider_crank(cut, law, push="60*sin(6*t)", gravity=0), times=times, **FINE) for cut in cuts
    )
    assert len(first.events) >= 2
    assert np.ptp(first.array(f"{own}.sticking")) == 1  # both happen
    assert first.report.relative_energy_error < 1e-8
    for other in others:
        assert_alike(first, other, names)
        assert other.report.relative_energy_error < 1e-8


def test_friction_takes_what_the_energy_balance_misses():
    """A closing slider brakes the crank with 20 N: heat 20 N · its way, and what is lost of the energy."""
    model = (
        slider_crank("slide", {"slide": {"effort": "20 N"}}, initial=None)
        if False
        else slider_crank("slide", {"slide": {"effort": "20 N"}})
    )
    run = cardan.simulate(model, until=1.0, initial={"crank.v": 9.0}, **FINE)
    x, turns = run.array("slider.position")[:, 0], [event.t for event in run.events]
    assert {event.did for event in run.events} == {"reverses"}
    places = np.interp([0.0, *turns, 1.0], run.t, x)
    assert run.array("slide.heat")[-1] == pytest.approx(20 * np.abs(np.diff(places)).sum(), rel=1e-4)  # of its samples
    assert run.report.relative_energy_error < 1e-9


def test_friction_of_a_closing_slider_against_an_equation_of_one_freedom():
    """m(θ) θ̈ + m′ θ̇²/2 + V′ = −σ 20 N x′(θ), solved from dead centre to dead centre, where σ changes."""
    run = cardan.simulate(
        slider_crank("slide", {"slide": {"effort": "20 N"}}), until=0.6, initial={"crank.v": 9.0}, **FINE
    )

    def place(theta):
        lean = np.arcsin(L1 * np.sin(theta) / L2)
        slope = L1 * np.cos(theta) / (L2 * np.cos(lean))  # of the lean by θ
        bend = (np.tan(lean) * slope**2) - L1 * np.sin(theta) / (L2 * np.cos(lean))
        x1 = -L1 * np.sin(theta) - L2 * np.sin(lean) * slope
        x2 = -L1 * np.cos(theta) - L2 * (np.cos(lean) * slope**2 + np.sin(lean) * bend)
        cx1, cx2 = x1 + L2 / 2 * np.sin(lean) * slope, x2 + L2 / 2 * (np.cos(lean) * slope**2 + np.sin(lean) * bend)
        cy1, cy2 = L1 / 2 * np.cos(theta), -L1 / 2 * np.sin(theta)  # the rod's centre is at half the crank pin's height
        return slope, bend, x1, x2, cx1, cx2, cy1, cy2

    def rates(t, y, way):
        theta, w = y
        slope, bend, x1, x2, cx1, cx2, cy1, cy2 = place(theta)
        m = (2 + L1**2 / 4) + 0.02 * slope**2 + (cx1**2 + cy1**2) + 0.5 * x1**2
        dm = 2 * (0.02 * slope * bend + cx1 * cx2 + cy1 * cy2 + 0.5 * x1 * x2)
        weight = G * (L1 / 2 * np.cos(theta) + cy1)
        return [w, (-dm / 2 * w**2 - weight - way * 20 * x1) / m]

    def dead(t, y, way):
        return np.sin(y[0])

    dead.terminal = True
    t, y, way, turns = 0.0, np.array([0.3, 9.0]), -1.0, []
    while t < 0.6:
        found = solve_ivp(rates, (t, 0.6), y, args=(way,), events=dead, rtol=1e-12, atol=1e-13, method="DOP853")
        t, y = found.t[-1], found.y[:, -1]
        if found.status == 1:
            turns.append(t)
            way = -way
            step = solve_ivp(rates, (t, t + 1e-3), y, args=(way,), rtol=1e-12, atol=1e-13, method="DOP853")
            t, y = step.t[-1], step.y[:, -1]  # away from the dead centre, so that it is not found again
    assert len(turns) >= 1
    np.testing.assert_allclose([event.t for event in run.events], turns, atol=1e-8)
    assert run.array("crank.q")[-1] == pytest.approx(y[0], abs=1e-8)


def test_a_screw_press_that_closes_its_loop_with_the_thread_locks_itself():
    """A spindle in a bearing drives a slide by a thread: tan α = 0.06 locks under μ = 0.1, and not under μ = 0.05."""
    radius, lead = 0.01, 2 * np.pi * 0.01 * 0.06
    for cut in ("thread", "slide"):
        for mu, locks in ((0.1, True), (0.05, False)):
            joints = {
                "turn": {"type": "revolute", "parent": "ground", "child": "spindle", "axis": "z"},
                "thread": {"type": "screw", "parent": "spindle", "child": "slide", "axis": "z", "lead": lead},
                "slide": {"type": "prismatic", "parent": "ground", "child": "slide", "axis": "z"},
            }
            joints["thread"]["friction"] = {"coefficient": mu, "radius": radius}
            joints[cut]["cut"] = True
            model = cardan.Model(
                gravity=[0, 0, -G],
                bodies={
                    "spindle": {"mass": 1, "inertia": [1e-3, 1e-3, 1e-4]},
                    "slide": {"mass": 5, "inertia": [0.1, 0.1, 0.1]},
                },
                joints=joints,
            )
            run = cardan.simulate(model, times=[0.0, 0.5], **FINE)
            assert run.ok, run.message
            h = lead / (2 * np.pi)
            if locks:
                assert run.events == ()
                assert abs(run.array("slide.position")[-1][2]) < 1e-15  # round-off: no creep
                # torque that holds: m g h, below μ N radius/cos α with N = m g cos α + |torque| sin α/radius
                assert abs(run.array("thread.friction")[-1]) == pytest.approx(5 * G * h, rel=1e-9)
                continue
            alpha = np.arctan(h / radius)
            # force R along the flank's normal and friction μ R along it: R (cos α + μ sin α) along the axis,
            # and the torque radius R (sin α − μ cos α) on the spindle
            axial, turning = np.cos(alpha) + mu * np.sin(alpha), radius * (np.sin(alpha) - mu * np.cos(alpha))
            # spindle turns with w, the slide falls with h w: J ẇ = R turning, m h ẇ = m g − R axial
            w = 5 * G / (5 * h + axial * 1e-4 / turning)
            assert run.array("slide.position")[-1][2] == pytest.approx(-h * w * 0.5**2 / 2, rel=1e-8)


def test_two_closing_joints_stick_and_break_away_one_after_the_other():
    """Two freedoms: a five-bar linkage that rubs at two joints; cut where they are and cut elsewhere."""

    def five_bar(cut):
        bar = {"mass": 1, "com": [0.2, 0, 0], "inertia": [1, 1, 0.02], "markers": {"end": {"position": [0.4, 0, 0]}}}
        pin = {"type": "revolute", "axis": "z"}
        joints = {
            "A": pin | {"parent": "ground", "child": "a"},
            "B": pin | {"parent": "a.end", "child": "b", "friction": {"effort": "0.5 N*m", "static": "0.8 N*m"}},
            "C": pin | {"parent": "b.end", "child": "c.end", "friction": {"effort": "0.4 N*m"}},
            "D": pin | {"parent": "d.end", "child": "c"},
            "E": pin | {"parent": "ground.right", "child": "d"},
        }
        joints[cut]["cut"] = True
        guess = {"A": 2.0, "B": -1.2, "E": 1.1, "D": 1.2, "C": np.pi - 0.6}
        return cardan.Model(
            planar="xy",
            gravity=[0, 0, 0],
            ground={"markers": {"right": {"position": [0.5, 0, 0]}}},
            bodies=dict.fromkeys("abcd", bar),
            joints=joints,
            forces={"pull": {"type": "force", "child": "b.end", "value": ["12*t*sin(9*t)", "-9*t", 0]}},
            initial={name: {"guess": value} for name, value in guess.items() if name != cut},
        )

    times = np.linspace(0.001, 1.2, 100)
    one = cardan.simulate(five_bar("C"), times=times, **FINE)
    start = {name: float(one.array(f"{name}.q")[0]) for name in ("A", "E")}
    for cut in ("B", "D"):
        model = five_bar(cut)
        model = model.replace(initial={**model.initial, **start})
        other = cardan.simulate(model, times=times, **FINE)
        names = [f"{joint}.{what}" for joint in "BC" for what in ("friction", "sticking", "heat")]
        assert_alike(one, other, [*names, "b.position", "d.position", "b.velocity"])
    assert {event.name for event in one.events} == {"B", "C"}


def test_kinetostatics_of_friction_in_every_joint_of_a_loop():
    """The torque of the crank with friction in all four joints: cut at each of the others."""
    laws = {name: {"coefficient": 0.1, "radius": "20 mm"} for name in ("crank", "pin", "wrist")}
    laws["slide"] = {"coefficient": 0.2}
    times = np.array([0.05, 0.3, 0.55, 0.8, 0.95])
    runs = []
    for cut in ("pin", "wrist", "slide"):
        model = slider_crank(cut, laws)
        runs.append(cardan.kinetostatics(model, times, motions={"crank": "0.3 + 6*t + t**2"}))
        assert runs[-1].ok, runs[-1].message
    names = ["crank.effort", *(f"{j}.{what}" for j in laws for what in ("friction", "friction_limit", "heat"))]
    names += [f"{j}.reaction_force" for j in laws]
    for other in runs[1:]:
        assert_alike(runs[0], other, names, close=1e-6)  # heat: a quadrature across changes of sign, at rtol 1e-8


@pytest.mark.parametrize("law", [{"effort": "2 N*m"}, {"effort": "2 N*m", "regularize": "1 rad/s"}])
def test_inverse_dynamics_has_the_given_friction_of_a_closing_joint(law):
    """The efforts of two ways to cut differ by multipliers alone: their power is the same."""
    powers = []
    w = 3.0
    for cut in ("wrist", "pin"):
        model = slider_crank(cut, {"wrist": law})
        run = cardan.simulate(model, times=[0.0], initial={"crank.v": w})
        names = [name for name in ("crank", "pin", "wrist", "slide") if name != cut]
        q, v, a = (np.array([run.array(f"{name}.{k}")[0] for name in names]) for k in "qva")
        functions = cardan.compile(model)
        powers.append(functions.inverse_dynamics(q, v, a) @ v)
        still = functions.forward_dynamics(q, v, np.zeros(3))
        np.testing.assert_allclose(still, a, rtol=1e-9, atol=1e-9)
    assert powers[0] == pytest.approx(0, abs=1e-9)
    assert powers[1] == pytest.approx(0, abs=1e-9)


def test_bristles_of_a_closing_joint():
    """LuGre friction of the wrist, which closes the loop or does not."""
    law = {"type": "lugre", "effort": "1 N*m", "bristle": "500 N*m/rad", "bristle_damping": "2 N*m*s"}
    times = np.linspace(0, 0.5, 50)
    one, other = (
        cardan.simulate(slider_crank(cut, {"wrist": law}, push="40*sin(6*t)"), times=times, **FINE)
        for cut in ("pin", "wrist")
    )
    assert_alike(one, other, ["wrist.bristle", "wrist.heat", "slider.position"])
    assert_alike(one, other, ["wrist.friction"], close=1e-4)  # with the rate of the bristles, whose errors are stiff


def test_bond_graphs_and_balances_have_the_friction_of_closing_joints():
    report = cardan.verify(slider_crank("wrist", {"wrist": {"effort": "1 N*m", "regularize": "0.1 rad/s"}}))
    assert report.ok, str(report)


def test_a_closing_joint_holds_a_freedom_together_with_another_one():
    """Both hold in proportion to their limits and break away at one instant, whichever of them closes the loop."""
    laws = {"wrist": {"effort": "1 N*m", "static": "2 N*m"}, "slide": {"effort": "10 N"}}
    times = np.linspace(0.001, 0.8, 100)
    one, *others = (
        cardan.simulate(slider_crank(cut, laws, push="60*sin(6*t)", gravity=0), times=times, **FINE)
        for cut in ("pin", "wrist", "slide")
    )
    assert np.ptp(one.array("wrist.sticking")) == 1
    for other in others:
        assert sorted(event.t for event in one.events) == pytest.approx(
            sorted(event.t for event in other.events), abs=1e-8
        )
        for name in ("wrist.friction", "slide.friction", "wrist.heat", "slide.heat", "slider.position"):
            np.testing.assert_allclose(other.array(name), one.array(name), atol=2e-7, err_msg=name)  # 1e-8 of 20 N


def test_it_does_not_matter_which_of_the_joints_that_hold_together_closes_the_loop():
    laws = {"wrist": {"coefficient": 0.1, "radius": "10 mm"}, "crank": {"effort": "1 N*m"}}
    laws["slide"] = {"coefficient": 0.2}
    runs = [cardan.simulate(slider_crank(cut, laws), times=[0.0, 0.4], **FINE) for cut in ("wrist", "pin")]
    for name in ("slide.q", "wrist.friction", "crank.friction", "slide.friction"):
        np.testing.assert_allclose(runs[1].array(name), runs[0].array(name), rtol=0, atol=1e-7, err_msg=name)


def five_bar(cut):
    """Four links in a row between two joints of the ground, with friction in the second and the last joint."""
    links = [
        (1.064, [0.2314, 0.0472, 0], 0.0487, 0.566),
        (1.25, [0.3209, 0.0403, 0], 0.0456, 0.4149),
        (0.961, [0.3613, -0.0393, 0], 0.0453, 0.5281),
        (1.815, [0.233, -0.0267, 0], 0.0171, 0.3104),
    ]
    bodies, joints = {}, {}
    for i, (mass, com, inertia, length) in enumerate(links):
        end = {"end": {"position": [length, 0, 0]}}
        bodies[f"l{i}"] = {"mass": mass, "com": com, "inertia": [1, 1, inertia], "markers": end}
        joints[f"j{i}"] = {"parent": f"l{i - 1}.end" if i else "ground", "child": f"l{i}"}
    joints["j4"] = {"parent": {"body": "ground", "position": [0.1962, 1.1617, 0]}, "child": "l3.end"}
    for joint in joints.values():
        joint |= {"type": "revolute", "axis": "z"}
    joints["j1"]["friction"] = {"coefficient": 0.11, "static": 0.16, "radius": 0.035, "preload": 28, "viscous": 0.05}
    joints["j4"]["friction"] = {"effort": 0.86}
    joints[cut]["cut"] = True
    guesses = {"j2": -1.036, "j3": -0.987, "j4": -0.178}
    return cardan.Model(
        planar="xy",
        gravity=[0, -G, 0],
        bodies=bodies,
        joints=joints,
        forces={
            "turn": {"type": "torque", "child": "l0", "value": [0, 0, "8.55*sin(3.38*t)"]},
            "push": {"type": "force", "child": "l3", "value": ["17.1*cos(2.37*t)", 0, 0]},
        },
        initial={"j0": 2.264, "j1": -0.42} | {name: {"guess": at} for name, at in guesses.items() if name != cut},
    )


def test_round_off_of_a_closing_joint_at_rest_is_no_motion():
    """The acceleration of a closing joint is a sum that cancels where it sticks: its round-off is that of its terms."""
    one, other = (cardan.simulate(five_bar(cut), times=np.linspace(0, 0.7, 71), **FINE) for cut in ("j4", "j2"))
    assert "slides forwards" in [event.did for event in one.events if event.name == "j4" and event.t > 0.1]
    assert_alike(one, other, ("j0.v", "j1.v", "j1.friction", "j4.friction"))
