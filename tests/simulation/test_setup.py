"""A setup is made once: the same call of `simulate` finds it, another one never gets it; `prepare` hands it out."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.model.signal import Table
from cardan.simulation.arguments import Arguments
from cardan.simulation.setup_cache import LARGEST, kept_setup


def setup_of(model, **given):
    """The setup that `simulate` finds or makes for these arguments."""
    settings = {"until": 1.0, "motors": "none"} | given
    return kept_setup(Arguments.of(cardan.simulate, model, settings.pop("until"), settings))


SLIDER = """
cardan: 1
name: slider
parameters: {m: 2 kg}
bodies: {box: {mass: m}}
joints: {slide: {type: prismatic, parent: ground, child: box, axis: [1, 0, 0]}}
"""


@pytest.fixture
def slider(tmp_path):
    path = tmp_path / "slider.yaml"
    path.write_text(SLIDER)
    return cardan.load(path)


def test_the_same_arguments_find_the_same_setup(slider):
    given = {"initial": {"slide.v": 1.0}, "parameters": {"m": "3 kg"}, "inputs": {"slide": "sin(t)"}}
    assert setup_of(slider, **given) is setup_of(slider, **given)
    again = {"initial": {"slide.v": 1.0}, "parameters": {"m": "3 kg"}, "inputs": {"slide": "sin(t)"}}
    assert setup_of(slider, **given) is setup_of(slider, **again)


@pytest.mark.parametrize(
    "change",
    [
        {"until": 2.0},
        {"initial": {"slide.v": 2.0}},
        {"initial": {"slide": 1.0}},
        {"parameters": {"m": 3.0}},
        {"inputs": {"slide": 1.0}},
        {"times": np.array([0.0, 0.5])},
        {"rtol": 1e-9},
        {"method": "tsit5"},
        {"method": "rk4", "step": 0.1},
        {"max_step": 0.1},
    ],
)
def test_other_arguments_are_another_setup(slider, change):
    given = {"initial": {"slide.v": 1.0}}
    assert setup_of(slider, **given | change) is not setup_of(slider, **given)


def test_a_setup_is_not_found_by_what_only_equals_its_arguments(slider):
    """True == 1, but true is no speed; no fault may hide behind a call that was sound."""
    assert cardan.simulate(slider, 1.0, initial={"slide.v": 1}, motors="none").ok
    with pytest.raises(ModelError):
        cardan.simulate(slider, 1.0, initial={"slide.v": True}, motors="none")


def test_instants_may_change_in_place(slider):
    times = np.array([0.0, 0.5, 1.0])
    first = cardan.simulate(slider, times=times, motors="none")
    times[1] = 0.25
    second = cardan.simulate(slider, times=times, motors="none")
    assert first.t.tolist() == [0.0, 0.5, 1.0]
    assert second.t.tolist() == [0.0, 0.25, 1.0]


def test_very_many_instants_are_not_kept_but_all_else_is(slider):
    many = {"times": np.linspace(0, 1, LARGEST + 1)}
    one, other = (setup_of(slider, **many) for _ in range(2))
    assert one is not other
    assert one.task.functions is other.task.functions
    assert one.conditions.segments is other.conditions.segments
    run = one.run()
    np.testing.assert_array_equal(run.t, many["times"])
    np.testing.assert_array_equal(run.provenance.settings["times"], many["times"])
    np.testing.assert_array_equal(cardan.prepare(slider, 1.0, motors="none").run(times=run.t).x, run.x)


@pytest.mark.parametrize(
    "change", [lambda t: t[::-1], lambda t: np.where(t == t[7], np.nan, t), lambda t: np.where(t == t[7], 2.0, t)]
)
def test_very_many_instants_are_checked_like_few(slider, change):
    with pytest.raises(ModelError, match="finite and in order"):
        setup_of(slider, times=change(np.linspace(0, 1, LARGEST + 1)))
    with pytest.raises(ModelError, match="a run begins at t = 0"):
        setup_of(slider, times=np.linspace(-1, 1, LARGEST + 1))


@pytest.mark.parametrize("value", [[1.0], {"guess": "1 s"}], ids=["list", "mapping"])
def test_a_fault_shows_nothing_of_how_calls_are_kept(slider, value):
    with pytest.raises(ModelError) as caught:
        cardan.simulate(slider, 1.0, motors="none", initial={"slide": value})
    assert not isinstance(caught.value.__context__, TypeError)


@pytest.mark.parametrize("place", ["call", "model"])
def test_a_table_in_a_file_is_read_each_time(slider, tmp_path, place):
    path = tmp_path / "effort.csv"
    signal = Table(file=str(path))

    def speed(effort):
        path.write_text(f"t,u\n0,{effort}\n1,{effort}\n")
        model = slider if place == "call" else slider.replace(inputs={"slide": signal})
        inputs = {"slide": signal} if place == "call" else None
        run = cardan.simulate(model, 1.0, motors="none", inputs=inputs)
        given = run.provenance.settings["inputs"] if place == "call" else json.loads(run.provenance.source)["inputs"]
        assert given["slide"]["table"] == [[0.0, effort], [1.0, effort]]
        return run.array("slide.v")[-1]

    # v = u t / m, to the tolerance of a run
    assert speed(2.0) == pytest.approx(1.0, rel=1e-7)
    assert speed(6.0) == pytest.approx(3.0, rel=1e-7)


def test_warnings_come_with_every_call(slider):
    model = slider.replace(inputs={"slide": 1.0})
    for _ in range(2):
        with pytest.warns(ModelWarning, match="are ignored with motors"):
            cardan.simulate(model, 1.0, motors="full")


def test_runs_do_not_share_what_a_user_may_write_into(slider):
    one, two = (cardan.simulate(slider, times=[0.0, 1.0], motors="none") for _ in range(2))
    one.provenance.settings["rtol"] = 1.0
    one.provenance.settings["times"].append(2.0)
    assert two.provenance.settings["rtol"] == 1e-8
    assert list(two.provenance.settings["times"]) == [0.0, 1.0]
    assert not np.shares_memory(one.x, two.x)


ARGUMENTS = [
    ("overhead_crane", {"until": 0.3}),
    ("overhead_crane", {"until": 0.3, "motors": "simplified", "method": "rodas5p", "parameters": {"L": "0.9 m"}}),
    ("four_bar", {"times": [0.0, 0.1, 0.2], "rtol": 1e-6, "initial": {"A": 0.9}}),
    ("slider_crank", {"until": 0.2, "stabilization": "baumgarte", "method": "rk4", "step": 1e-3}),
]


@each("name, arguments", ARGUMENTS)
def test_simulate_is_prepare_and_run_bit_for_bit(name, arguments):
    model = cardan.load(name)
    run, again = cardan.simulate(model, **arguments), cardan.prepare(model, **arguments).run()
    assert run.t.tobytes() == again.t.tobytes()
    assert run.x.tobytes() == again.x.tobytes()
    assert run.provenance == again.provenance


@each(
    "change",
    [
        {"initial": {"swing": 0.2}},
        {"parameters": {"L": "0.9 m", "mp": 2.0}},
        {"inputs": {"drive": "5*sin(t)"}},
        {"times": [0.0, 0.25, 0.5]},
        {"initial": {"swing": 0.2}, "parameters": {"L": 0.5}, "inputs": {"drive": 3.0}, "times": [0.5]},
    ],
)
def test_a_setup_runs_with_other_values_as_simulate_does(change):
    model = cardan.load("overhead_crane")
    setup = cardan.prepare(model, until=0.5, parameters={"mt": 3.0})
    given = {"parameters": {"mt": 3.0} | change.get("parameters", {})}
    expected = cardan.simulate(model, until=0.5, **(change | given))
    run = setup.run(**change)
    assert run.x.tobytes() == expected.x.tobytes()
    assert run.provenance.settings == expected.provenance.settings
    assert setup.run().x.tobytes() == cardan.simulate(model, until=0.5, parameters={"mt": 3.0}).x.tobytes()


def test_a_run_with_other_parameters_compiles_nothing():
    setup = cardan.prepare(cardan.load("overhead_crane"), until=0.5)
    other = setup.changed(parameters={"L": "0.9 m"}, initial={"swing": 0.1})
    assert other.task.functions is setup.task.functions
    assert other.task.problem.rhs is setup.task.problem.rhs


def test_a_setup_refuses_what_simulate_refuses(slider):
    setup = cardan.prepare(slider, until=1.0, motors="none")
    with pytest.raises(ModelError, match="slid"):
        setup.run(initial={"slid": 1.0})
    with pytest.raises(ModelError, match="times"):
        setup.run(times=[2.0])


def test_a_setup_names_its_model(slider):
    assert repr(cardan.prepare(slider, until=1.0, motors="none")) == "<Setup of 'slider': auto, until 1 s, motors none>"


def test_a_setup_can_be_sent_to_another_process(slider):
    setup = cardan.prepare(slider, until=0.1, motors="none", initial={"slide": 0.1}, times=[0.0, 0.1])
    sent = pickle.loads(pickle.dumps(setup))
    assert sent.run().x.tobytes() == setup.run().x.tobytes()


@each("speed", [5e-6, 5.0])
def test_given_velocities_that_the_constraints_do_not_allow_are_named_however_slow(speed):
    rail = {"type": "prismatic", "parent": "ground", "axis": "x"}
    model = cardan.Model(
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={"p": {**rail, "child": "a"}, "q": {**rail, "child": "b"}},
        constraints={"c": {"type": "expression", "expression": "p - q"}},
        initial={"p.v": speed, "q.v": 0},
    )
    with pytest.warns(cardan.ModelWarning, match=rf"the run starts with p.v = {speed / 2:.6g} instead of {speed:.6g}"):
        run = cardan.simulate(model, until=1)
    assert run.array("p.v")[0] == pytest.approx(speed / 2)
