"""Sweeps of runs with events: side by side up to the first event of a block, by themselves from there."""

from __future__ import annotations

import numpy as np
import pytest
from tests.selection import few

import cardan
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps import runs
from cardan.simulation.sweeps.time_mean import time_mean

CLOSE = {"rtol": 1e-6, "atol": 1e-8}  # other steps, both within rtol 1e-8 and atol 1e-10 a step; a hundred steps


def swinging(events, **changes):
    """A pendulum that falls from 0.5 rad."""
    hinge = {"type": "revolute", "parent": "ground", "child": "bob", "axis": [0, -1, 0], "damping": 0.1}
    bob = {"mass": 1, "com": [0, 0, "-L"], "inertia": [0, "1e-3", 0]}
    return cardan.Model(
        **{
            "parameters": {"L": "1 m"},
            "bodies": {"bob": bob},
            "joints": {"hinge": hinge},
            "inputs": {"hinge": 0},
            "initial": {"hinge": 0.5},
            "events": events,
            **changes,
        }
    )


LOWEST = {"when": "hinge - 0.2", "direction": "falling"}
PUSHED = {"when": "hinge.v + 1.2", "direction": "falling", "do": {"set": {"hinge": "2"}}}
LENGTHS = np.geomspace(0.2, 60, 16)  # the second block has its events after a second, or none
OUTPUTS = ["final(hinge.q)", "max(hinge.v)", "min(hinge.q)", "mean(hinge.q)", "max(hinge.q*hinge.v)", "hinge.q"]


def compare(model, until, values, outputs, **given):
    """A sweep beside single runs; its dataset."""
    (name,) = values
    found = cardan.sweep(model, until, parameters=values, outputs=outputs, threads=1, **given)
    for k, value in enumerate(values[name]):
        run = cardan.simulate(model, until, parameters={name: value}, **given)
        assert found["status"].values[k] == run.status
        np.testing.assert_allclose(found["t_end"].values[k], run.statistics["reached"], **CLOSE)
        rows = np.searchsorted(run.t, np.linspace(0, until, 1001)[np.linspace(0, until, 1001) <= run.t[-1]])
        for output in outputs:
            reduction, _, result = output.rstrip(")").partition("(")
            ours = found[output].values[k]
            if not result:
                series = run[reduction].values[rows]
                np.testing.assert_allclose(ours[: len(rows)], series, **CLOSE)
                assert np.isnan(ours[len(rows) :]).all()
            elif result in run.channels:
                theirs = {
                    "final": lambda result=result, run=run: run[result].values[-1],
                    "mean": lambda result=result, run=run: time_mean(run.t, run[result].values)[0],
                    "min": lambda result=result, run=run: run.extremes([result])[result][0],
                    "max": lambda result=result, run=run: run.extremes([result])[result][1],
                }[reduction]()
                np.testing.assert_allclose(ours, theirs, **CLOSE)
    return found


@pytest.mark.parametrize("do", ["record", "stop", "set"])
@pytest.mark.parametrize("method", few(["dop853", "rodas5p"], 1))
def test_user_events_at_the_start_later_or_never(method, do, monkeypatch):
    model = swinging({"passed": PUSHED if do == "set" else {**LOWEST, "do": do}})
    compare(model, 2.0, {"L": LENGTHS}, OUTPUTS, method=method)
    monkeypatch.setattr(Setup, "run", only_first())
    found = cardan.sweep(model, 2.0, parameters={"L": LENGTHS}, outputs=OUTPUTS, method=method)
    assert set(found["status"].values) == ({"stopped", "completed"} if do == "stop" else {"completed"})


def only_first():
    """`Setup.run` for the first run of a sweep; no other run may come here."""
    own, calls = Setup.run, []

    def run(setup, **given):
        calls.append(given)
        assert len(calls) == 1
        return own(setup, **given)

    return run


def block(**joint):
    """A block on a spring that a belt or its weight moves."""
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", "stiffness": 20, **joint}
    return cardan.Model(
        bodies={"block": {"mass": 1}},
        joints={"slide": slide},
        parameters={"mu": 1.0, "late": 0.5},
        initial={"slide": 0.4, "slide.v": "1 m/s"},
    )


SLIDE = ["final(slide.q)", "max(slide.v)", "min(slide.q)", "mean(slide.v)", "slide.v"]


@pytest.mark.parametrize(
    ("joint", "inputs"),
    [
        ({"friction": {"effort": "mu"}}, {}),  # comes to rest for good, between others that slide on
        ({"friction": {"effort": "3*mu", "static": "6*mu"}}, {"slide": "30*step(t - 1.5)"}),  # a jump lets it go
        ({"friction": {"effort": "mu"}, "limits": {"lower": "-0.3*mu", "restitution": 0.7}}, {}),
        ({"limits": {"lower": "-0.3*mu", "stiffness": 5000, "damping": 10}}, {}),
    ],
    ids=["sticks", "breaks away", "bounces", "elastic stop"],
)
def test_friction_and_stops(joint, inputs, monkeypatch):
    model = block(**joint)
    compare(model, 3.0, {"mu": np.linspace(0.3, 2.2, 11)}, SLIDE, inputs=inputs, method="dop853")
    monkeypatch.setattr(Setup, "run", only_first())
    cardan.sweep(model, 3.0, parameters={"mu": np.linspace(0.3, 2.2, 11)}, inputs=inputs, method="dop853")


def test_runs_that_stick_from_the_start():
    """All but those that a force moves; they rest exactly."""
    model = block(friction={"effort": "3*mu"}).replace(initial={"slide": 0.0})
    found = compare(model, 1.0, {"mu": np.linspace(0.3, 2.2, 11)}, SLIDE, inputs={"slide": 3}, method="dop853")
    np.testing.assert_array_equal(found["max(slide.v)"].values == 0, np.linspace(0.3, 2.2, 11) >= 1)


def test_load_dependent_friction_of_a_loop():
    """The pins of a slider-crank rub; positions only, since accelerations of loops are worked out for one run."""
    model = cardan.load("slider_crank")
    name = next(iter(model.joints))
    joint = model.joints[name].replace(friction={"coefficient": "mu", "radius": "10 mm"})
    model = model.replace(parameters={**model.parameters, "mu": 0.1}, joints={**model.joints, name: joint})
    events = {"passed": {"when": f"{name}.v - 1"}}
    outputs = [f"final({name}.q)", f"max({name}.v)"]
    compare(model.replace(events=events), 0.3, {"mu": np.linspace(0.02, 0.2, 3)}, outputs, method="dop853")


def test_a_run_that_fails_beside_others_has_its_own_status():
    """Events without end in one run of a block; the others complete."""
    model = swinging(
        {"forth": {"when": "e - late", "do": {"set": {"e": "late - 1"}}}},
        parameters={"L": "1 m", "late": 0.5},
        states={"e": {"rate": 1, "initial": 0}},
    )
    model = model.replace(forces={"wall": {"type": "torque", "child": "bob", "value": [0, "-0.2*sign(hinge.v)", 0]}})
    found = cardan.sweep(model, 3.0, parameters={"late": [0.5, 1.0, 99.0]}, initial={"hinge": 0.01})
    single = [cardan.simulate(model, 3.0, parameters={"late": x}, initial={"hinge": 0.01}) for x in (0.5, 1.0, 99.0)]
    assert found["status"].values.tolist() == [run.status for run in single]
    np.testing.assert_allclose(found["t_end"], [run.statistics["reached"] for run in single], **CLOSE)


SAMPLED = swinging({}, inputs={"hinge": {"every": "late", "value": "-hinge"}}, parameters={"L": "1 m", "late": "10 ms"})


@pytest.mark.parametrize(
    ("model", "given", "axis"),
    [
        (SAMPLED, {"late": ["10 ms", "70 ms"]}, "parameters"),
        (swinging({"passed": PUSHED}), {"hinge": [0.0, 1.0]}, "inputs"),  # the value that an event replaces
        (swinging({"late": {"when": "t - late", "do": "stop"}}, parameters={"L": 1, "late": 0.5}),
         {"late": [0.5, 0.7]}, "parameters"),
        (block(friction={"effort": 1}).replace(inputs={"slide": "4*sin(late*t)"}), {"late": [5.0, 7.0]}, "parameters"),
    ],
    ids=["period of samples", "input that an event sets", "event of time", "wave that moves what sticks"],
)  # fmt: skip
def test_runs_with_instants_or_laws_of_their_own_run_one_by_one(model, given, axis, monkeypatch):
    own, calls = Setup.run, []
    monkeypatch.setattr(Setup, "run", lambda setup, **given: calls.append(given) or own(setup, **given))
    found = cardan.sweep(model, 1.5, **{axis: given})
    assert len(calls) == 3  # the first one twice
    monkeypatch.undo()
    ((name, values),) = given.items()
    state = next(iter(found.data_vars))
    for k, value in enumerate(values):
        run = cardan.simulate(model, 1.5, **{axis: {name: value}})
        rows = np.searchsorted(run.t, found["time"].values[found["time"].values <= run.t[-1]])
        np.testing.assert_array_equal(found[state].values[k, : len(rows)], run[state].values[rows])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("model", "values"),
    [
        (SAMPLED, {"L": [0.5, 1.0, 2.0]}),
        (block(friction={"effort": 1}).replace(initial={"slide": 2.0}), {"mu": [1, 2]}),
    ],
    ids=["samples", "breaks away at the start"],
)
def test_runs_that_begin_with_an_event_are_single_runs_to_the_bit(model, values, threads, monkeypatch):
    """Their steps are their own from the start, and lanes are not compiled."""
    ((name, given),) = values.items()
    single = [cardan.simulate(model, 1.5, parameters={name: value}) for value in given]
    monkeypatch.setattr(Setup, "run", only_first())
    monkeypatch.setattr(runs, "LaneFunctions", None)
    found = cardan.sweep(model, 1.5, parameters=values, threads=threads)
    state = next(iter(found.data_vars))
    for k, run in enumerate(single):
        np.testing.assert_array_equal(found[state].values[k], run[state].values[np.searchsorted(run.t, found["time"])])


def test_a_start_beyond_a_stop_is_refused():
    with pytest.raises(cardan.ModelError, match=r"beyond its stop at -0\.9"):
        cardan.sweep(block(limits={"lower": "-0.3*mu", "restitution": 0.5}), 0.1, parameters={"mu": [3.0, 1.0]},
                     initial={"slide": -0.95})  # fmt: skip


def test_events_of_the_call_are_those_of_the_runs():
    """They are added, replaced and removed as by `simulate`."""
    model, values = swinging({"lowest": LOWEST, "pushed": PUSHED}), {"L": LENGTHS[:3]}
    stopped = LOWEST | {"do": "stop"}
    events = {"lowest": stopped, "pushed": None}
    found = cardan.sweep(model, 2.0, parameters=values, outputs=OUTPUTS, events=events)
    assert set(found["status"].values.tolist()) == {"stopped"}
    expected = cardan.sweep(swinging({"lowest": stopped}), 2.0, parameters=values, outputs=OUTPUTS)
    assert found.equals(expected)
