"""Friction of joints that close a loop, by their relative motion: which joint of a loop closes it changes nothing.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over a few events, 1e-8 of the largest value between two such runs.
"""

import numpy as np
import pytest

import cardan

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


@pytest.mark.exhaustive
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
