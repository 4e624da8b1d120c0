"""The summary of a run as text: what `print(run)` and the terminal show."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import SolveError
from cardan.results import Channel, Provenance, Trajectory, load_run, save_run, summary
from cardan.results.channel import shown_in
from cardan.results.deferred import Deferred


def small_run():
    t = np.linspace(0.0, 1.0, 5)
    return Trajectory(
        t,
        np.stack([t, -2 * t], axis=-1),
        ("swing.q", "swing.v"),
        ("rad", "rad/s"),
        channels={"tip": Channel("tip", "m"), "place": Channel("place", "m", ("x", "y"), "output")},
        evaluate=lambda names: {name: {"tip": 3 - t, "place": np.stack([t, t], axis=-1)}[name] for name in names},
        message="completed at t = 1 s",
        provenance=Provenance("swing"),
    )


def test_a_run_prints_as_its_summary():
    lines = str(small_run()).splitlines()
    assert lines[0] == "swing: completed at t = 1 s"
    assert [re.split(r"  +", line.strip()) for line in lines[1:5]] == [
        ["result", "unit", "final", "smallest", "at [s]", "largest", "at [s]"],
        ["swing.q", "rad", "1", "0", "0", "1", "1"],
        ["swing.v", "rad/s", "-2", "-2", "1", "0", "0"],
        ["tip", "m", "2", "2", "1", "3", "0"],  # an output of the model; vectors are left out
    ]
    assert lines[5].strip() == "of the returned instants"
    assert "\n" not in repr(small_run())


def test_a_summary_describes_no_reactions():
    """Which of their components are unique takes as long to compute as a short run."""

    def describe(name):
        assert name == "tip"
        return Channel("tip", "m")

    channels = Deferred(lambda: ["tip", "hinge.reaction_force"], describe)
    assert "tip" in str(replace(small_run(), channels=channels))


def test_angles_in_degrees():
    rows = summary(small_run(), "deg").rows
    assert rows[0][:3] == ("swing.q", "deg", "57.2958")
    assert rows[1][:3] == ("swing.v", "deg/s", "-114.592")
    assert rows[2][1] == "m"
    with pytest.raises(ValueError, match='units="grad" is not possible; angles are shown in rad or deg'):
        summary(small_run(), "grad")


@each(
    "unit, shown, factor",
    [
        ("rad", "deg", 57.29577951308232),
        ("rad/s^2", "deg/s^2", 57.29577951308232),
        ("N*m/rad", "N*m/rad", 1),
        ("m", "m", 1),
    ],
)
def test_only_angles_and_their_derivatives_change(unit, shown, factor):
    assert shown_in(unit, "deg") == (shown, pytest.approx(factor, rel=1e-15))
    assert shown_in(unit, "rad") == (unit, 1.0)


def test_the_summary_of_a_simulation_has_outputs_and_reaches_its_file(tmp_path):
    run = cardan.simulate(cardan.load("overhead_crane"), until=1.0)
    text = str(run)
    assert "load_x" in text
    assert "of the returned instants" not in text
    again = load_run(save_run(run, tmp_path / "run.nc"))
    assert "of the returned instants" in str(again)


def test_round_off_is_shown_as_zero():
    """Of the largest value of a row, and of states what is within `atol`; smaller tolerances show more."""
    run = replace(small_run(), x=np.array([[3e-17, 0], [1, -2e-12], [0, 0], [0, 1e-12], [-4e-17, 3e-12]]))
    assert [(row[2], row[3], row[5]) for row in summary(run).rows[:2]] == [
        ("0", "0", "1"),
        ("3e-12", "-2e-12", "3e-12"),
    ]
    loose = replace(run, provenance=Provenance("swing", settings={"atol": 1e-10}))
    assert tuple(summary(loose).rows[1][k] for k in (2, 3, 5)) == ("0", "0", "0")


def test_the_energy_balance_of_a_mechanism_at_rest_is_zero():
    """A bead that friction holds on a wire creeps by round-off alone: its balance is no share of these energies."""
    model = cardan.Model(
        planar="xy",
        gravity=[0, -9.81, 0],
        bodies={"bead": {"mass": 2, "inertia": [0.1, 0.1, 0.1]}},
        joints={"free": {"type": "planar", "parent": "ground", "child": "bead"}},
        constraints={
            "wire": {"type": "point_on_line", "child": "bead", "axis": [1, -0.3, 0], "friction": {"coefficient": 0.5}}
        },
    )
    run = cardan.simulate(model, until=10.0)
    assert run.report.relative_energy_error < 1e-15
    weight, friction, span = 2 * 9.81, 7.02, 10.0  # raised by atol; held against a velocity of atol all the time
    assert run.report.energy_scale == pytest.approx((weight + friction * span) * 1e-10, rel=0.01)
    lines = summary(run).lines
    assert lines[0].split() == ["energy", "balance", "0", "J"]
    assert lines[1].split() == ["constraints", "0,", "their", "rate", "0"]
    assert {(row[2], row[3], row[5]) for row in summary(run).rows} == {("0", "0", "0")}


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
def test_a_ratio_without_a_value_at_one_instant_is_left_out_there_and_counted():
    """0/0 at the start, where sin(q)/q has the limit 1; later it falls to sin(1)/1."""
    model = cardan.Model(
        bodies={"block": {"mass": 1}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
        gravity=[0, 0, 0],
        initial={"rail.v": 1},
        outputs={"ratio": "sin(rail)/rail", "root": "sqrt(rail - 2)"},
    )
    run = cardan.simulate(model, times=np.linspace(0, 1, 5))
    assert np.isnan(run.extremes(["ratio"])["ratio"]).all()
    found = summary(run)
    (ratio,) = (row for row in found.rows if row[0] == "ratio")
    assert ratio[2:] == (f"{np.sin(1):.6g}", f"{np.sin(1):.6g}", "1", f"{np.sin(0.25) / 0.25:.6g}", "0.25")
    (root,) = (row for row in found.rows if row[0] == "root")
    assert root[2:] == ("nan", "nan", "", "nan", "")
    assert found.lines[0] == (
        "undefined         ratio at 1 of 5 instants, root at 5 of 5 instants; "
        "smallest and largest values are those of the other instants"
    )
    assert "undefined" not in str(small_run())


def test_a_run_without_instants_has_a_summary_and_no_extremes():
    empty = Trajectory(
        np.empty(0), np.empty((0, 1)), ("swing.q",), ("rad",), status="step_too_small", message="no step succeeded"
    )
    assert summary(empty).rows == ()
    with pytest.raises(SolveError, match=r"no result has a smallest or largest value, .* \(.*\); no step succeeded"):
        empty.extremes()
