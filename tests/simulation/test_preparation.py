"""What a run needs is made ready once: the same call finds it, another one never gets it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.model.signal import Table
from cardan.simulation.preparation import LARGEST, prepare

DEFAULTS = {
    "until": 1.0,
    "motors": "none",
    "inputs": None,
    "initial": None,
    "parameters": None,
    "times": None,
    "rtol": 1e-8,
    "atol": 1e-10,
    "method": "auto",
    "step": None,
    "max_step": None,
    "stabilization": "projection",
    "alpha": None,
    "beta": None,
    "embed": True,
}

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


def test_the_same_arguments_are_prepared_once(slider):
    given = {"initial": {"slide.v": 1.0}, "parameters": {"m": "3 kg"}, "inputs": {"slide": "sin(t)"}}
    assert prepare(slider, **DEFAULTS | given) is prepare(slider, **DEFAULTS | given)
    again = {"initial": {"slide.v": 1.0}, "parameters": {"m": "3 kg"}, "inputs": {"slide": "sin(t)"}}
    assert prepare(slider, **DEFAULTS | given) is prepare(slider, **DEFAULTS | again)


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
def test_other_arguments_are_another_preparation(slider, change):
    given = DEFAULTS | {"initial": {"slide.v": 1.0}}
    assert prepare(slider, **given | change) is not prepare(slider, **given)


def test_a_preparation_is_not_found_by_what_only_equals_its_arguments(slider):
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


def test_very_many_instants_are_not_kept(slider):
    given = DEFAULTS | {"times": np.linspace(0, 1, LARGEST + 1)}
    assert prepare(slider, **given) is not prepare(slider, **given)


@pytest.mark.parametrize("place", ["call", "model"])
def test_very_long_tables_are_not_kept(slider, place):
    inputs = {"slide": Table(table=tuple((float(k), 0.0) for k in range(LARGEST + 1)))}
    model = slider if place == "call" else slider.replace(inputs=inputs)
    given = DEFAULTS | {"inputs": inputs if place == "call" else None}
    assert prepare(model, **given) is not prepare(model, **given)


@pytest.mark.parametrize("value", [[1.0], {"guess": "1 s"}], ids=["list", "mapping"])
def test_a_fault_shows_nothing_of_how_calls_are_kept(slider, value):
    with pytest.raises(ModelError) as caught:
        cardan.simulate(slider, 1.0, motors="none", initial={"slide": value})
    assert not isinstance(caught.value.__context__, TypeError)


def test_what_can_change_is_not_kept(slider):
    given = DEFAULTS | {"inputs": {"slide": {"table": [[0, 1], [1, 2]]}}}
    assert prepare(slider, **given) is not prepare(slider, **given)


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
        with pytest.warns(ModelWarning, match="take no part"):
            cardan.simulate(model, 1.0)


def test_runs_do_not_share_what_a_user_may_write_into(slider):
    one, two = (cardan.simulate(slider, times=[0.0, 1.0], motors="none") for _ in range(2))
    one.provenance.settings["rtol"] = 1.0
    one.provenance.settings["times"].append(2.0)
    assert two.provenance.settings["rtol"] == 1e-8
    assert two.provenance.settings["times"] == [0.0, 1.0]
    assert not np.shares_memory(one.x, two.x)


def test_runs_from_other_starts_share_the_rest(slider):
    """Also where a start is written so that it cannot be kept."""
    given = DEFAULTS | {"inputs": {"slide": "sin(t)"}}
    first, *others = (
        prepare(slider, **given | {"initial": start}) for start in (None, {"slide": 1.0}, {"slide": {"guess": 2.0}})
    )
    assert all(other.situation is first.situation and other.task is first.task for other in others)
    assert [other.x0[0] for other in (first, *others)] == [0.0, 1.0, 2.0]


def test_starts_share_a_task_only_where_their_constraints_are_solved_alike():
    model, given = cardan.load("four_bar"), DEFAULTS | {"motors": "full"}
    near, alike, far = (prepare(model, **given | {"initial": {"A": angle}}) for angle in (0.6, 0.9, 0.1))
    assert alike.task is near.task
    assert far.situation is near.situation
    assert far.task.kernels.system.choice != near.task.kernels.system.choice
