"""User events, inputs that events set, and sampled inputs, against closed forms and recursions written by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError
from cardan.integration import EventLog, Outcome
from cardan.model.signal import Sampled, Table
from cardan.simulation.hybrid.contacts.indeterminacy import INDETERMINATE
from cardan.simulation.hybrid.contacts.sticking import STICKING_WORDS
from cardan.simulation.hybrid.event_functions import Plan
from cardan.simulation.hybrid.occurrences import end_words, indeterminate

G = 9.81
DROP = {
    "name": "drop",
    "bodies": {"load": {"mass": 2.0}},
    "joints": {"slide": {"type": "prismatic", "parent": "ground", "child": "load", "axis": "z"}},
    "outputs": {"h": "load.z", "push": "slide.a"},
    "states": {"count": {"rate": 0}},
    "initial": {"slide": 1.0},
    "simulate": {"until": 2.0},
    "parameters": {"T": "10 ms"},
}
MODEL = cardan.Model(**DROP)
LANDED = {"when": "load.z - 0.1", "direction": "falling", "do": "stop"}
FALL = np.sqrt(2 * 0.9 / G)  # time from 1 m to 0.1 m
METHODS = [("dop853", None), ("tsit5", None), ("rodas5p", None), ("rk4", 1e-2), ("semi_implicit_euler", 1e-5)]


def with_events(**events):
    return cardan.Model(**DROP, events=events)


@each("method, step", METHODS)
def test_an_event_stops_the_run_at_its_instant(method, step):
    run = cardan.simulate(with_events(landed=LANDED), method=method, step=step)
    assert run.status == "stopped"
    assert run.ok
    (event,) = run.events
    assert (event.name, event.did) == ("landed", "stop")
    tolerance = 1e-4 if method == "semi_implicit_euler" else 1e-12
    assert event.t == pytest.approx(FALL, abs=tolerance)
    assert run.t[-1] == event.t
    assert run["slide.q"].values[-1] == pytest.approx(0.1, abs=1e-13)
    assert run.message == f"stopped at t = {event.t:.9g} s: by the event 'landed'"
    assert "events            landed at t = 0.42" in str(run)


def test_an_event_that_records_changes_no_motion():
    run = cardan.simulate(MODEL, events={"half": {"when": "h - 0.5"}}, times=[0, 1, 2])
    assert [event.name for event in run.events] == ["half"]
    assert run.events[0].t == pytest.approx(np.sqrt(1 / G), abs=1e-13)
    np.testing.assert_allclose(run["slide.q"], [1, 1 - G / 2, 1 - 2 * G], rtol=1e-13)
    assert cardan.simulate(with_events(half={"when": "h"}), events={"half": None}).events == ()


def test_events_set_inputs_and_states():
    """From 0.5 m on the weight is carried twice: the fall slows down and turns at half the way back up."""
    catch = {"when": "slide - 0.5", "direction": "falling", "do": {"set": {"slide": "4*9.81 N", "count": "count + 1"}}}
    catch["do"]["set"]["slide"] = "4*9.81"
    run = cardan.simulate(with_events(catch=catch), until=1.0, times=[0.0, 0.2, 1.0])
    t = np.sqrt(1 / G)
    later = 1.0 - t
    assert run["slide.q"].values[-1] == pytest.approx(0.5 - G * t * later + G * later**2 / 2, abs=1e-12)
    np.testing.assert_allclose(run["slide.effort"], [0, 0, 4 * G], rtol=1e-14)
    np.testing.assert_array_equal(run["count"], [0, 0, 1])
    np.testing.assert_allclose(run["slide.held"], [0, 0, 4 * G], rtol=1e-15)
    assert (run["slide.held"].units, run["slide.set"].units, run["count"].units) == ("N", "", "")
    assert run.events[0].did == "set slide: 4*9.81, count: count + 1"


def test_the_input_follows_its_law_until_an_event_sets_it():
    events = {"late": {"when": "t - 1", "do": {"set": {"slide": "slide.v"}}}}
    run = cardan.simulate(MODEL, events=events, inputs={"slide": "19.62*cos(t)"}, times=[0.5, 1.5, 2.0])
    v = -G + G * np.sin(1.0)  # dv/dt = −g + g cos t
    np.testing.assert_allclose(run["slide.effort"], [2 * G * np.cos(0.5), v, v], rtol=1e-8)


def test_a_thermostat_of_two_events_switches_at_the_closed_form():
    model = {**DROP, "states": {"heat": "u", "u": {"rate": 0, "initial": 1.0}, "temperature": "2*u - temperature"}}
    hot = {"when": "temperature - 1.5", "direction": "rising", "do": {"set": {"u": 0}}}
    cold = {"when": "temperature - 0.5", "direction": "falling", "do": {"set": {"u": 1}}}
    run = cardan.simulate(cardan.Model(**model, events={"hot": hot, "cold": cold}), until=6.0, rtol=1e-11, atol=1e-12)
    expected = np.log(4) + np.log(3) * np.arange(5)
    np.testing.assert_allclose([event.t for event in run.events], expected, rtol=0, atol=1e-9)
    assert [event.name for event in run.events] == ["hot", "cold"] * 2 + ["hot"]


def test_events_of_closed_loops():
    """A slider-crank: the crank passes the vertical; the loop is closed there."""
    model = cardan.load("slider_crank")
    name = next(iter(model.joints))
    start = cardan.simulate(model, 1.0)
    half = float(start[f"{name}.q"].values[0] + start[f"{name}.q"].values[-1]) / 2
    run = cardan.simulate(model, 1.0, events={"half": {"when": f"{name} - ({half})", "do": "stop"}}, embed=False)
    assert run.status == "stopped"
    assert run[f"{name}.q"].values[-1] == pytest.approx(half, abs=1e-10)
    assert run.report.constraint_violation < 1e-10


def test_runs_keep_their_events_in_files(tmp_path):
    run = cardan.simulate(with_events(landed=LANDED))
    for name in ("run.nc", "run.parquet"):
        cardan.save_run(run, tmp_path / name)
        found = cardan.load_run(tmp_path / name)
        assert found.events == run.events
        assert found.status == "stopped"


@each(
    "events, words",
    [
        ({"a": 3}, "is not an event"),
        ({"a": {"when": "slide", "do": "jump"}}, "nothing that an event can do"),
        ({"a": {"when": "slide", "do": 3}}, "nothing that an event can do"),
        ({"a": {"when": "slide", "do": {"set": {}}}}, "nothing is set"),
        ({"a": {"when": "slide", "do": {"set": {"slid": 1}}}}, "'slid' is neither an input"),
        ({"a": {"when": "slide", "do": {"set": {"slide": "1 m"}}}}, "'1 m' is a length"),
        ({"a": {"when": "slid"}}, "'slid' is nothing"),
        ({"a": {"when": "slide.a"}}, "accelerations"),
        ({"a": {"when": "slide", "direction": "up"}}, "not possible"),
    ],
)
def test_events_that_are_refused(events, words):
    with pytest.raises(ModelError, match=words) as error:
        cardan.simulate(MODEL, events=events)
    assert "events" in str(error.value)
    with pytest.raises(ModelError, match=words):
        with_events(**events)


@each("when", ["1", "T - 9", "half*2", "weight - 3"])
def test_a_condition_that_never_changes_is_refused(when):
    named = {**DROP, "let": {"half": "T/2"}, "outputs": {"weight": "2*half"}}
    with pytest.raises(ModelError, match=r"(?s)events.a.when: .* never changes.*name t, a coordinate"):
        cardan.Model(**named, events={"a": {"when": when}})


@each("when", ["t - 10", "t + 1", "2 + cos(t)"])
def test_an_event_of_time_that_cannot_happen_gets_a_warning(when):
    with pytest.warns(
        cardan.ModelWarning, match="event 'a' cannot happen: its condition passes no zero between 0 and 1 s"
    ):
        cardan.simulate(MODEL, until=1, events={"a": {"when": when}})


def test_a_condition_without_a_value_gets_a_warning():
    words = r"event 'a' cannot happen: its condition 'sqrt\(-1 - load.z\*\*2\)' has no value \(NaN\) at any instant"
    with pytest.warns(cardan.ModelWarning, match=words):
        cardan.simulate(MODEL, until=0.1, events={"a": {"when": "sqrt(-1 - load.z**2)"}})


@each("extra", [{"other": {"when": "slide.v", "direction": "falling"}}, {}])
def test_the_event_that_ends_a_run_is_named_also_beside_others_at_its_instant(extra):
    """The joint comes to rest, and another event happens, as the event stops the run at t = v/a = 0.5 s."""
    slide = {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x", "friction": {"effort": 2}}
    model = cardan.Model(bodies={"a": {"mass": 1}}, joints={"slide": slide}, initial={"slide.v": 1})
    halt = {"when": "slide.v", "direction": "falling", "do": "stop"}
    run = cardan.simulate(model, until=5, events={"halt": halt, **extra})
    assert run.status == "stopped"
    assert run.message == "stopped at t = 0.5 s: by the event 'halt'"
    assert {event.name for event in run.events} >= {"halt", "slide"}


def test_an_event_that_fires_for_ever_is_named():
    run = cardan.simulate(MODEL, until=1, events={"buzzer": {"when": "sin(1e5*t)"}})
    assert run.status == "too_many_events"
    assert "the last events are those of 'buzzer'; a run keeps 20 000 events" in run.message


def test_events_that_a_run_refuses():
    pushed = with_events(a={"when": "slide", "do": {"set": {"slide": 1}}})
    with pytest.raises(ModelError, match="which is a table"):
        cardan.simulate(pushed, inputs={"slide": {"table": [[0, 0], [1, 1]]}})
    crane = cardan.load("overhead_crane")
    joint = next(iter(crane.joints))
    with pytest.raises(ModelError, match=r"no input .* in this run"):
        cardan.simulate(crane, 1.0, events={"a": {"when": "t - 1", "do": {"set": {joint: 1}}}})
    driven = cardan.Model(**{**DROP, "initial": {}}, motions={"slide": "sin(t)"}).replace
    with pytest.raises(ModelError, match="driven by a prescribed motion"):
        driven(events={"a": {"when": "t - 1", "do": {"set": {"slide": 1}}}})


@each(
    "law, words",
    [
        ({"every": 0, "value": 1}, "a period of 0 is not possible"),
        ({"every": "0*T", "value": 1}, "a period of 0 s is not possible"),
        ({"every": "1 ns", "value": 1}, "samples within 2 s"),
        ({"every": "1 m", "value": 1}, "a length"),
        ({"every": "1 s"}, "'value' is missing"),
        ({"every": "1 s", "value": "slid"}, "'slid' is nothing"),
        ({"every": "1 s", "value": "3 m"}, "a length"),
    ],
)
def test_sampled_laws_that_are_refused(law, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(MODEL, inputs={"slide": law})


def test_signals_in_model_files():
    model = cardan.Model(**DROP, inputs={"slide": {"every": "10 ms", "value": "-slide"}})
    assert isinstance(model.inputs["slide"], Sampled)
    assert not isinstance(model.inputs["slide"], Table)
    run = cardan.simulate(model, 0.1)
    assert run.ok
    assert '"every": "10 ms"' in run.provenance.source


def test_a_condition_that_is_true_or_false_passes_no_zero():
    with pytest.raises(ModelError, match=r"(?s)events.low.when: 'slide < 0.5' is true or false.*the difference"):
        cardan.Model(events={"low": {"when": "slide < 0.5"}})


def test_an_event_that_does_not_exist_cannot_be_removed():
    model = cardan.load("compound_pendulum").replace(events={"low": {"when": "t - 1"}})
    with pytest.raises(ModelError, match=r"events.lwo: there is no event to remove\n    did you mean 'low'"):
        cardan.simulate(model, until=1, events={"lwo": None})


def test_an_output_may_show_a_let_under_its_name():
    named = {**DROP, "let": {"gap": "load.z - 0.1"}, "outputs": {"gap": "gap"}}
    run = cardan.simulate(
        cardan.Model(**named, events={"landed": {"when": "gap", "direction": "falling", "do": "stop"}})
    )
    assert run.events[0].t == pytest.approx(FALL, rel=1e-9)
    assert run.array("gap")[-1] == pytest.approx(0.0, abs=1e-9)


@each("rubbing, lost", [(("a",), ["a", "b"]), ((), [])])
def test_friction_from_loads_that_fits_no_motion_is_indeterminate(rubbing, lost):
    """Joints that break away and stop without end at one instant; with given friction alone that is chattering."""
    words = [(name, did) for name in "ab" for did in STICKING_WORDS] + [(name, INDETERMINATE) for name in rubbing]
    plan = Plan(contacts=tuple(words))
    fired = np.zeros((100, plan.kept))
    fired[::2, 0], fired[1::2, 4] = 1, 1
    log = EventLog(np.full(100, 0.5), fired, np.zeros((100, 1)), np.zeros((100, 1)))
    ended = SimpleNamespace(outcome=Outcome.CHATTERING, events=log, t_end=0.5)
    assert indeterminate(plan, ended) == lost
    if not lost:
        assert end_words(plan, ended).startswith("events of 'a', 'b' follow each other without end")


@each("method", ["auto", "tsit5", "rodas5p"])
@each("level", [0.0, 0.5, 0.8, -0.8])
@each("speed", [1.0, 1.37, 7.7])
def test_no_pass_of_an_even_turn_is_missed_whatever_the_step(method, level, speed):
    """The step of a rotor that turns evenly is bounded by nothing; the instants where sin has a value are known."""
    rotor = cardan.Model(
        bodies={"rotor": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"turn": {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "z"}},
        initial={"turn.v": speed},
        events={"mark": {"when": f"sin(turn) - ({level})"}},
    )
    run = cardan.simulate(rotor, until=60, method=method)
    first, turns = np.arcsin(level), 2 * np.pi * np.arange(-1, 80)
    passes = np.sort([*(first + turns), *(np.pi - first + turns)]) / speed
    expected = passes[(passes > 0) & (passes < 60)]
    np.testing.assert_allclose([event.t for event in run.events], expected, rtol=0, atol=1e-8)


@each("k", [2, 3, 4, 6, 7, 11])
@each("method, step", METHODS[:4])
def test_an_event_of_time_and_samples_at_its_instant_are_made_together(method, step, k):
    """Before the samples at k·0.1 s the count is k; the event sets x from it, and the sample of y reads x before it."""
    every = {"every": 0.1, "initial": 0}
    states = {"x": {"rate": 0}, "count": {"next": "count + 1", **every}, "y": {"next": "x", **every}}
    event = {"when": f"t - {k / 10}", "do": {"set": {"x": "count + 1"}}}
    model = cardan.Model(**{**DROP, "states": states}, events={"e": event})
    run = cardan.simulate(model, times=[k / 10, k / 10 + 0.05, k / 10 + 0.15], method=method, step=step)
    for name, values in {"count": [k + 1, k + 1, k + 2], "x": [k + 1] * 3, "y": [0, 0, k + 1]}.items():
        np.testing.assert_array_equal(run[name].values, values)
    assert [event.t for event in run.events] == pytest.approx([k / 10], rel=1e-15)
