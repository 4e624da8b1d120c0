"""Delays in sampled laws."""

from __future__ import annotations

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError


def block(value, every="10 ms", **given):
    """A free block of 2 kg under a sampled force."""
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 2.0}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        **{
            "parameters": {"T": "30 ms"},
            "let": {"u": "-80*s - 12*s.v"},
            "inputs": {"s": {"every": every, "value": value}},
            "initial": {"s": "1 m"},
            **given,
        },
    )


def discrete(samples, count, period=0.01):
    """The block under u delayed by so many samples, exactly over each period; before, u is that of the start."""
    x, v, us, out = 1.0, 0.0, [], []
    for k in range(count):
        us.append(-80 * x - 12 * v)
        force = us[max(0, k - samples)]
        out.append((x, force))
        x, v = x + v * period + force / 4 * period**2, v + force / 2 * period
    return np.array(out)


@each("law, samples", [("delay(u, T)", 3), ("delay(delay(u, 0.01), T)", 4), ("delay(u, 0)", 0)])
def test_a_delay_is_that_of_a_discrete_loop(law, samples):
    t = np.arange(100) * 0.01
    run = cardan.simulate(block(law), times=t)
    expected = discrete(samples, 100)
    np.testing.assert_allclose(run["s.q"], expected[:, 0], atol=1e-9)  # round-off: both motions are exact
    np.testing.assert_allclose(run["s.sampled"][:-1], expected[:-1, 1], atol=1e-7)  # the last sample is not made


def test_delays_in_states_and_in_python_functions_are_the_same():
    t = np.arange(100) * 0.01
    by_state = block("old", states={"old": {"next": "delay(u, T)", "every": "10 ms", "initial": "-80 N"}})
    called = {"s": {"every": "10 ms", "of": ["delay(u, T)"], "value": lambda u: u}}
    np.testing.assert_allclose(cardan.simulate(by_state, times=t)["s.q"], discrete(4, 100)[:, 0], atol=1e-9)
    run = cardan.simulate(block("0"), times=t, inputs=called)
    np.testing.assert_allclose(run["s.q"], discrete(3, 100)[:, 0], atol=1e-9)


def test_a_sweep_over_the_delay_has_a_chain_for_each():
    found = cardan.sweep(block("delay(u, T)"), 0.5, parameters={"T": [0.0, 0.02, 0.05]}, outputs=["final(s.q)"])
    expected = [discrete(n, 51)[-1, 0] for n in (0, 2, 5)]
    np.testing.assert_allclose(found["final(s.q)"], expected, atol=1e-9)


def test_a_delay_keeps_the_unit_of_its_value():
    run = cardan.simulate(block("-80*delay(s, T)"), 0.1)
    assert {run.channels[name].unit for name in run.channels if ".delayed_" in name} == {"m"}
    with pytest.raises(ModelError, match="time of a delay is a mass"):
        block("delay(s.v, m)*1", parameters={"m": "1 kg", "T": 1})


@each(
    "value, text",
    [
        ("delay(u, 0.015)", "0.015 s is not 0 to 100 whole periods of 0.01 s"),
        ("delay(u, 2)", "2 s is not 0 to 100"),
        ("delay(u, -T)", "-0.03 s is not 0 to 100"),
        ("delay(u, s)", "the time of a delay depends on 's'"),
        ("delay(u)", "delay has 1 argument"),
    ],
)
def test_a_delay_that_no_chain_can_be_is_refused(value, text):
    with pytest.raises(ModelError, match=text):
        cardan.simulate(block(value), 0.1)


@each(
    "change",
    [
        {"inputs": {"s": "delay(u, T)"}},
        {"states": {"e": {"rate": "delay(s, T)"}}},
        {"outputs": {"y": "delay(s, T)"}},
        {"let": {"u": "delay(s, T)"}},
        {"events": {"e": {"when": "delay(s, T)"}}},
        {"parameters": {"T": "delay(1, 2)"}},
    ],
)
def test_a_delay_outside_of_a_sampled_law_is_refused(change):
    with pytest.raises(ModelError, match="delay"):
        cardan.simulate(block("u", **change), 0.1)


def test_calls_refuse_delays_too():
    with pytest.raises(ModelError, match="delay"):
        cardan.simulate(block("u"), 0.1, inputs={"s": "delay(s, 0.1)"})
    with pytest.raises(ModelError, match="delay"):
        cardan.sweep(block("u"), 0.1, parameters={"T": [1, 2]}, outputs=["max(delay(s.q, 0.1))"])
