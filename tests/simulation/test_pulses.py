"""Pulses far shorter than the steps around them: the velocity they leave a free mass with is their integral."""

import warnings
from math import asin, log, pi, sqrt

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelWarning
from cardan.system import timing

UNTIL = 10.0
ALLOWED = 100 * (1e-10 + 1e-8)  # error of a velocity of about 1 m/s: of some hundred steps, in default tolerances

RECTIFIED = sqrt(1 - 0.999**2) - 0.999 * (pi / 2 - asin(0.999))  # ∫ (cos φ − 0.999) dφ from 0 to its first root

PULSES = {
    "wave": ("step(sin(2*pi*1000*t) - 0.95)", UNTIL * (pi - 2 * asin(0.95)) / (2 * pi)),
    "width modulation": ("step(0.3 - mod(200*t, 1))", 0.3 * UNTIL),
    "rectangle": ("if(t > 5 and t < 5.0001, 1e4, 0)", 1.0),
    "rectified": ("200*max(0, sin(2*pi*t) - 0.999)", 200 * UNTIL * RECTIFIED / pi),
    "triangles": ("interpolate(t, 0, 0, 5, 0, 5.001, 1e3, 5.001, -400, 5.002, 0)", 0.5 - 0.2),
    "bell": ("exp(-((t - 5)/0.005)**2)/0.005", sqrt(pi)),
    "two bells": ("(exp(-((t - 5)/0.005)**2) - 3*exp(-((t - 5.1)/0.005)**2))/0.005", -2 * sqrt(pi)),
    "bell at the end": ("exp(-((t - 10)/0.005)**2)/0.005", sqrt(pi) / 2),
    "resonance": ("100/(1 + ((t - 5)/0.005)**2)", np.arctan(1000.0)),
    "between two steps": ("100*(tanh((t - 3)/0.001) - tanh((t - 3.005)/0.001))", 1.0),
}  # fmt: skip
"""Signals [N] and their integrals over the run [N s]."""


def mass(**more):
    """A free mass of 1 kg on a rail; `A` and `c` are parameters."""
    return cardan.Model(
        gravity=[0, 0, 0],
        parameters={"A": 1.0, "c": 5.0},
        bodies={"block": {"mass": 1.0}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        **more,
    )


def final_velocity(model, **options):
    run = cardan.simulate(model, UNTIL, motors="none", times=[0, UNTIL], **options)
    assert run.ok
    return run.array("rail.v")[-1]


@each("method", ["dop853", "tsit5", "rodas5p"])
@each("signal, impulse", PULSES.values())
def test_an_input_gives_its_whole_impulse(signal, impulse, method):
    assert final_velocity(mass(), inputs={"rail": signal}, method=method) == pytest.approx(impulse, abs=ALLOWED)


@each("name", ["wave", "bell"])
def test_so_does_a_force_a_rate_and_a_factor_of_the_motion(name):
    signal, impulse = PULSES[name]
    force = {"push": {"type": "force", "child": "block", "value": [signal, 0, 0]}}
    assert final_velocity(mass(forces=force)) == pytest.approx(impulse, abs=ALLOWED)
    state = mass(states={"sum": signal})
    run = cardan.simulate(state, UNTIL, motors="none", times=[0, UNTIL])
    assert run["sum"].values[-1] == pytest.approx(impulse, abs=ALLOWED)
    product = final_velocity(mass(), inputs={"rail": f"({signal})*exp(-rail.v)"})  # d exp(v) = signal dt
    assert product == pytest.approx(log(1 + impulse), abs=ALLOWED)


@each("name", PULSES)
def test_so_does_a_signal_in_parts_with_names(name):
    """`let` names the distance from a peak, the phase of a wave, the pulse itself."""
    signal, impulse = PULSES[name]
    for old, new in (("(t - 5)", "later"), ("2*pi*1000*t", "phase"), ("mod(200*t, 1)", "saw")):
        signal = signal.replace(old, new)
    named = {"later": "t - 5", "phase": "2*pi*1000*t", "saw": "mod(turns, 1)", "turns": "200*t", "pulse": signal}
    model = mass().replace(let=named, states={"sum": "pulse"})
    run = cardan.simulate(model, UNTIL, motors="none", times=[0, UNTIL], inputs={"rail": signal})
    assert run.array("rail.v")[-1] == pytest.approx(impulse, abs=ALLOWED)
    assert run["sum"].values[-1] == pytest.approx(impulse, abs=ALLOWED)


def test_an_interpolation_over_a_position_is_a_characteristic():
    """A spring of 20 N/m to one side and 5 N/m to the other: half a period of each."""
    spring = {"spring": {"type": "force", "child": "block", "value": ["interpolate(rail, -2, 40, 0, 0, 2, -10)", 0, 0]}}
    soft, stiff = sqrt(5), sqrt(20)  # [rad/s]
    far = pi / 2 / soft + pi / 2 / stiff  # a quarter of each period after the start at 1 m
    run = cardan.simulate(mass(forces=spring, initial={"rail": 1.0}), motors="none", times=[0, far, 2 * far])
    np.testing.assert_allclose(run.array("rail.q"), [1, -soft / stiff, 1], atol=10 * ALLOWED)  # steps pass over kinks
    np.testing.assert_allclose(run.array("rail.v"), 0, atol=10 * ALLOWED)


def test_only_steps_end_at_turning_points_of_pulses():
    """Where an input is constant, a line or a wave of one frequency, a run takes the steps that it took without."""
    model = mass()
    model = mass(let={"phase": "2*t + 1"})
    for signal in (3, "3*t", "3*sin(2*t) + 1", "cos(phase/2) - 2*phase"):
        assert len(cardan.prepare(model, UNTIL, motors="none", inputs={"rail": signal}).conditions.segments.a) == 1
    bell = PULSES["bell"][0]
    fixed = {"method": "rk4", "step": 0.1}
    assert len(cardan.prepare(model, UNTIL, motors="none", inputs={"rail": bell}, **fixed).conditions.segments.a) == 1
    assert len(cardan.prepare(model, UNTIL, motors="none", inputs={"rail": bell}).conditions.segments.a) > 1


def test_more_switchings_than_steps_can_end_at_are_said(monkeypatch):
    monkeypatch.setattr(timing, "MOST_INSTANTS", 500)
    with pytest.warns(ModelWarning, match=r"input 'rail' may switch or turn at more than .* set max_step"):
        cardan.simulate(mass(), UNTIL, motors="none", inputs={"rail": "0.1*step(sin(201*t))"})
    push = {"push": {"type": "force", "child": "block", "value": ["0.1*step(sin(202*t))", 0, 0]}}
    with pytest.warns(ModelWarning, match="force 'push' may switch"):
        cardan.simulate(mass(forces=push), UNTIL, motors="none")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cardan.simulate(mass(), UNTIL, motors="none", inputs={"rail": "0.1*step(sin(20*t))"})


def test_every_run_of_a_sweep_meets_its_own_pulse():
    model = mass().replace(inputs={"rail": "A*exp(-((t - c)/0.005)**2)/0.005"})
    places = cardan.sweep(model, UNTIL, motors="none", parameters={"c": [2.0, 5.0, 7.7]}, outputs=["final(rail.v)"])
    np.testing.assert_allclose(places["final(rail.v)"], sqrt(pi), atol=ALLOWED)
    later = model.replace(let={"later": "t - c"}, inputs={"rail": "A*exp(-(later/0.005)**2)/0.005"})
    places = cardan.sweep(later, UNTIL, motors="none", parameters={"c": [2.0, 5.0]}, outputs=["final(rail.v)"])
    np.testing.assert_allclose(places["final(rail.v)"], sqrt(pi), atol=ALLOWED)
    heights = cardan.sweep(model, UNTIL, motors="none", parameters={"A": [1.0, 2.0, 3.0]}, outputs=["final(rail.v)"])
    np.testing.assert_allclose(heights["final(rail.v)"], sqrt(pi) * np.array([1, 2, 3]), atol=3 * ALLOWED)
