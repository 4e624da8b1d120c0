"""Friction from a load that two joints share: with `loads: minimum_norm` the reactions are the smallest ones.

The comparisons minimise the sum of the squared forces and moments of both joints by hand. Tolerances: runs at rtol
1e-10 and atol 1e-12 with one event.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-12}
G = 9.81
M, C, D, J, MU, R = 25.0, 0.45, 1.5, 3.0 + 25.0 * 0.45**2, 0.8, 0.05  # of the door; hinges D apart


def door(**law):
    """A door whose lower hinge rubs; its centre is at half the height of the hinges."""
    markers = {"lower": {"position": [0, 0, -D / 2]}, "upper": {"position": [0, 0, D / 2]}}
    hinge, friction = {"type": "revolute", "axis": "z"}, {"coefficient": MU, "radius": R, **law}
    return cardan.Model(
        bodies={
            "frame": {"markers": markers},
            "door": {"mass": M, "com": [C, 0, 0], "inertia": [3, 3, 3], "markers": markers},
        },
        joints={
            "frame": {"type": "fixed", "parent": "ground", "child": "frame"},
            "lower": {**hinge, "parent": "frame.lower", "child": "door.lower", "friction": friction},
            "upper": {**hinge, "parent": "frame.upper", "child": "door.upper"},
        },
        initial={"lower.v": 2.0},
    )


def test_a_door_on_two_hinges_comes_to_rest():
    """J θ̈ = −μ r N, N² = (m c θ̈/2)² + (g − m c θ̇²/2)²: half of the inertial load, and the couple of the weight.

    A moment W across the axis is shared as a couple g of forces and moments n of both hinges: 2 n + D g = W with
    2 g² + 2 n² smallest has g = D W/(4 + D²).
    """
    run = cardan.simulate(door(loads="minimum_norm"), until=60, **FINE)
    couple = D * M * G * C / (4 + D**2)

    def rates(t, y):
        def gap(a):
            return J * a + MU * R * np.hypot(M * C * a / 2, couple - M * C * y[1] ** 2 / 2)

        return [y[1], brentq(gap, -100, 100, xtol=1e-15, rtol=1e-15)]

    def rest(t, y):
        return y[1]

    rest.terminal = True
    found = solve_ivp(rates, (0, 60), [0, 2.0], events=rest, rtol=1e-12, atol=1e-13, method="DOP853")
    assert [event.name for event in run.events] == ["lower"]
    assert run.events[0].t == pytest.approx(found.t[-1], abs=1e-8)
    assert run["lower.q"].values[-1] == pytest.approx(found.y[0, -1], abs=1e-8)
    assert run["lower.friction_limit"].values[-1] == pytest.approx(MU * R * couple, rel=1e-12)
    for hinge in ("lower", "upper"):  # the reactions of the run are those that its friction follows
        assert np.hypot(*run[f"{hinge}.reaction_force"].values[-1][:2]) == pytest.approx(couple, rel=1e-9)
    assert run.report.relative_energy_error < 1e-9


def test_without_the_choice_it_is_refused():
    with pytest.raises(ModelError, match="friction of 'lower' follows its load, and this load is not unique") as caught:
        cardan.simulate(door(), until=1)
    assert "loads: minimum_norm" in str(caught.value)
    with pytest.raises(ModelError, match="friction with a given effort has no loads"):
        cardan.model.joints.friction.Friction(effort=1, loads="minimum_norm")


@pytest.mark.parametrize("off", [-0.3, 0.0, 0.2])
def test_a_carriage_on_two_guides_brakes_by_the_load_of_one(off):
    """Guides at y = ±b share weight and roll moment: m g/2 + b m g y/(2 (1 + b²)) on the first, the centre at y."""
    b, m, v = 0.4, 6.0, 1.5
    markers = {"one": {"position": [0, b, 0]}, "two": {"position": [0, -b, 0]}}
    guide, friction = {"type": "prismatic", "axis": "x"}, {"coefficient": 0.25, "loads": "minimum_norm"}
    model = cardan.Model(
        bodies={
            "bed": {"markers": markers},
            "table": {"mass": m, "com": [0, off, 0], "inertia": [1, 1, 1], "markers": markers},
        },
        joints={
            "bed": {"type": "fixed", "parent": "ground", "child": "bed"},
            "one": {**guide, "parent": "bed.one", "child": "table.one", "friction": friction},
            "two": {**guide, "parent": "bed.two", "child": "table.two"},
        },
        initial={"one.v": v},
    )
    run = cardan.simulate(model, until=60, **FINE)
    a = 0.25 * G * (0.5 + b * off / (2 * (1 + b**2)))
    assert run.events[0].t == pytest.approx(v / a, abs=1e-10)
    assert run["one.q"].values[-1] == pytest.approx(v**2 / (2 * a), abs=1e-10)


def test_the_torque_that_turns_the_door_steadily():
    """Kineto-statics: μ r |g − m c ω²/2|."""
    model = door(loads="minimum_norm").replace(initial={})
    run = cardan.kinetostatics(model, [0.3], motions={"lower": "1.5*t"})
    couple = D * M * G * C / (4 + D**2)
    assert run["lower.effort"].values[-1] == pytest.approx(MU * R * abs(couple - M * C * 1.5**2 / 2), rel=1e-9)


def test_a_door_in_a_lift_comes_to_rest_as_on_the_ground():
    """A lift at constant speed, driven so that the door's height grows: what both hinges share is the same."""
    still = door(loads="minimum_norm")
    lift = {"type": "prismatic", "parent": "ground", "child": "frame", "axis": "z"}
    motions = {"door.position.z": {"value": "0.1*t", "by": ["frame"]}}
    run, expected = (
        cardan.simulate(model, until=60, **FINE)
        for model in (still.replace(joints={**still.joints, "frame": lift}, motions=motions), still)
    )
    assert [event.did for event in run.events] == ["stops"]
    assert run.events[0].t == pytest.approx(expected.events[0].t, abs=1e-9)
    assert run["frame.effort"].values == pytest.approx(M * G, rel=1e-9)
