"""Look-ups on a run: names, units, shapes, and what is refused."""

import pickle
import weakref
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from tests.selection import each

from cardan.results import Channel, Report, Trajectory


def test_states_and_works_are_columns(run):
    np.testing.assert_array_equal(run.array("slide.v"), run.x[:, 1])
    np.testing.assert_array_equal(run.array("work.drive"), run.w[:, 0])


def test_names_are_states_works_then_channels(run):
    assert run.names[:3] == ("slide.q", "slide.v", "work.drive")
    assert set(run.names[3:]) == {"box.position", "drive.current", "pin.reaction_moment"}


def test_channels_are_evaluated_in_one_batch_and_only_when_asked_for(run):
    calls = []
    spy = Trajectory(
        run.t,
        run.x,
        run.state_names,
        run.state_units,
        channels={n: run.channels[n] for n in ("box.position", "drive.current")},
        evaluate=lambda names: calls.append(list(names)) or run.evaluate(names),
    )
    spy.arrays(["slide.q"])
    assert calls == []
    spy.arrays(["slide.q", "drive.current", "box.position", "drive.current"])
    assert calls == [["drive.current", "box.position"]]


def test_a_look_up_is_a_data_array_with_units(run):
    current, position = run["drive.current"], run["box.position"]
    assert current.dims == ("time",)
    assert current.attrs == {"units": "A", "long_name": "armature current"}
    assert position.dims == ("time", "axis")
    assert position.sel(axis="x").shape == (5,)
    assert position["time"].attrs["units"] == "s"


def test_dataset_holds_what_was_asked_for_and_says_where_it_is_from(run):
    content = run.to_dataset(["slide.q", "box.position"])
    assert set(content.data_vars) == {"slide.q", "box.position"}
    assert content.attrs["status"] == "step_too_small"
    assert "name: slider" in content.attrs["model"]
    assert set(run.to_dataset().data_vars) == set(run.names)


def test_length_and_status(run):
    assert len(run) == 5
    assert not run.ok


@pytest.mark.parametrize(("wrong", "right"), [("slide.Q", "slide.q"), ("drive.curent", "drive.current")])
def test_an_unknown_name_gets_the_nearest(run, wrong, right):
    with pytest.raises(KeyError, match=right):
        run[wrong]


def test_a_coordinate_of_a_point_is_a_column_of_its_position(run):
    with pytest.raises(KeyError, match=r'no result is called "box\.z"; "box\.position" has it in column 2'):
        run["box.z"]


def test_a_number_is_no_name(run):
    with pytest.raises(KeyError, match="results are named by texts; rows of instants are in t and x"):
        run[0]


def test_a_name_like_no_other_gets_the_list(run):
    with pytest.raises(KeyError, match=r"known: slide\.q, slide\.v"):
        run.array("qqqqqq")


def test_a_run_without_channels_evaluates_nothing():
    with pytest.raises(KeyError, match="ghost"):
        Trajectory(np.zeros(1), np.zeros((1, 0)), (), ()).evaluate(["ghost"])


def test_runs_and_their_arrays_cannot_be_changed(run):
    with pytest.raises(FrozenInstanceError):
        run.status = "completed"
    with pytest.raises(ValueError, match="read-only"):
        run.x[0, 0] = 1.0


def test_the_caller_keeps_write_access_to_its_own_array():
    t = np.zeros(2)
    Trajectory(t, np.zeros((2, 0)), (), ())
    t[0] = 1.0
    assert t[0] == 1.0


@each(
    "fields, text",
    [
        ({"t": np.zeros((2, 1))}, "one instant per entry"),
        ({"x": np.zeros((2, 3))}, r"x has shape \(2, 3\)"),
        ({"x": np.zeros((3, 1))}, r"x has shape \(3, 1\)"),
        ({"state_units": ()}, "0 units"),
        ({"work_names": ("a",), "w": np.zeros((2, 2))}, r"w has shape \(2, 2\)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(fields, text):
    whole = {"t": np.zeros(2), "x": np.zeros((2, 1)), "state_names": ("q",), "state_units": ("m",)}
    with pytest.raises(ValueError, match=text):
        Trajectory(**{**whole, **fields})


@each(
    "fields, text",
    [
        ({"name": ""}, "needs a name"),
        ({"kind": "thing"}, 'kind "thing"'),
        ({"components": ("x", "x")}, "share a name"),
    ],
)
def test_channels_that_make_no_sense_are_refused(fields, text):
    with pytest.raises(ValueError, match=text):
        Channel(**{"name": "a", "unit": "m", **fields})


def test_component_axes_have_names_of_their_own():
    assert Channel("a", "N", ("x", "y", "z")).dimension == "axis"
    assert Channel("a", "", ("w", "x", "y", "z")).dimension == "quaternion"
    assert Channel("a", "N", ("n", "t")).dimension == "a.component"
    assert Channel("a", "N", ("n", "t")).columns == ("a.n", "a.t")


def test_relative_energy_error_of_a_mechanism_at_rest_is_the_plain_error():
    assert Report(1e-3, 2.0).relative_energy_error == 5e-4
    assert np.isnan(Report(0.0, 0.0).relative_energy_error)  # no energy at all


def test_a_run_without_on_demand_channels_can_be_pickled(run):
    plain = Trajectory(run.t, run.x, run.state_names, run.state_units)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(plain)).x, run.x)


def test_a_run_describes_itself_in_one_line(run):
    assert repr(run) == "<Trajectory of 'slider': 5 instants from 0 to 1 s, 6 results, step_too_small>"
    empty = Trajectory(np.empty(0), np.empty((0, 1)), ("a.q",), ("m",))
    assert repr(empty) == "<Trajectory: 0 instants, 1 results, completed>"


def test_a_run_is_freed_when_nobody_holds_it(run):
    one = weakref.ref(again := replace(run))
    del again
    assert one() is None
