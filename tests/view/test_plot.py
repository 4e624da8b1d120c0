"""Figures: what is drawn where, and that nothing global changes."""

import subprocess
import sys

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.results import Channel, Provenance, Trajectory
from cardan.view import plot


def _run(scale: float = 1.0, model: str = "slider") -> Trajectory:
    t = np.linspace(0.0, 2.0, 21)
    x = scale * np.stack([np.sin(t), np.cos(t)], axis=-1)
    position = Channel("box.position", "m", ("x", "y", "z"), "body")
    ratio = Channel("ratio", "")
    values = {"box.position": np.stack([x[:, 0], 2 * x[:, 0], 3 * x[:, 0]], axis=-1), "ratio": t}
    return Trajectory(
        t,
        x,
        ("slide.q", "slide.v"),
        ("m", "m/s"),
        channels={"box.position": position, "ratio": ratio},
        evaluate=lambda names: {name: values[name] for name in names},
        provenance=Provenance(model),
    )


def _texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def test_one_panel_per_state_and_output_by_default_with_units_and_a_shared_time_axis():
    figure = plot(_run())
    assert [axes.get_ylabel() for axes in figure.axes] == ["slide.q [m]", "slide.v [m/s]", "ratio"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "time [s]"]
    assert all(figure.axes[0].get_shared_x_axes().joined(figure.axes[0], axes) for axes in figure.axes)
    assert figure.axes[0].get_xlim() == (0.0, 2.0)


def test_states_of_friction_are_described_and_drawn_on_request_alone():
    run = cardan.simulate(cardan.load("stick_slip_slider"), 3.0)
    heat = run.channels["slip.heat"]
    assert (heat.kind, heat.description) == ("joint", "heat of friction since the start")
    assert np.ptp(run.array("slip.heat")) > 0
    drawn = [axes.get_ylabel() for axes in plot(run).axes]
    assert drawn[:3] == ["run.q [m]", "slip.q [m]", "slip.v [m/s]"]
    assert not [name for name in drawn if name.startswith(("slip.slip", "slip.heat"))]
    assert "spring_length [m]" in drawn
    assert [axes.get_ylabel() for axes in plot(run, ["slip.heat"]).axes] == ["slip.heat [J]"]


def test_lines_are_the_data():
    run = _run()
    (line,) = plot(run, ["slide.v"]).axes[0].lines
    np.testing.assert_array_equal(line.get_xdata(), run.t)
    np.testing.assert_array_equal(line.get_ydata(), run.array("slide.v"))


def test_a_vector_shows_its_components_in_one_panel():
    (axes,) = plot(_run(), ["box.position"]).axes
    assert _texts(axes.get_legend()) == ["x", "y", "z"]
    assert len({line.get_color() for line in axes.lines}) == 3


def test_several_runs_share_panels_and_differ_in_colour_and_dashes():
    figure = plot([_run(), _run(2.0)], ["slide.q"], labels=["full", "simplified"])
    first, second = figure.axes[0].lines
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()
    assert _texts(figure.legends[0]) == ["full", "simplified"]


def test_runs_of_different_models_are_labelled_by_them_and_have_no_common_heading():
    figure = plot([_run(model="one"), _run(model="two")], ["slide.q"])
    assert _texts(figure.legends[0]) == ["one", "two"]
    assert figure.get_suptitle() == ""
    assert plot(_run()).get_suptitle() == "slider"
    assert plot(_run(), title="mine").get_suptitle() == "mine"


def test_a_zoom_is_a_second_column_that_draws_just_beyond_its_span():
    whole, enlarged = plot(_run(), ["slide.q"], zoom=(0.51, 0.99)).axes
    assert whole.get_xlim() == (0.0, 2.0)
    assert enlarged.get_xlim() == (0.51, 0.99)
    drawn = enlarged.lines[0].get_xdata()
    assert drawn[0] == pytest.approx(0.5)
    assert drawn[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("extension", ["png", "svg", "pdf"])
def test_images_are_written(tmp_path, extension):
    path = tmp_path / f"run.{extension}"
    plot(_run(), path=path)
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("count", [0, 1])
def test_a_run_of_one_instant_or_none_can_be_drawn(tmp_path, count):
    short = Trajectory(np.zeros(count), np.ones((count, 1)), ("a.q",), ("m",))
    plot(short, path=tmp_path / "short.png")


@each(
    "arguments, text",
    [
        (([],), "no run"),
        ((_run(), []), "nothing to plot"),
        (([_run(), _run()], None, None, {"labels": ["a"]}), "1 labels for 2 runs"),
        ((_run(), None, None, {"zoom": (1.0, 1.0)}), "ends before it begins"),
    ],
)
def test_what_makes_no_picture_is_refused(arguments, text):
    *positional, options = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises(ValueError, match=text):
        plot(*positional, **options)


def test_runs_without_a_common_state_are_told_what_they_share():
    t = np.linspace(0.0, 1.0, 5)
    stranger = Trajectory(t, t[:, None], ("ratio",), ("",))
    with pytest.raises(ValueError, match=r"no state in common; choose results by names, all have ratio$"):
        plot([_run(), stranger])
    with pytest.raises(ValueError, match=r"no state in common$"):
        plot([_run(), Trajectory(t, t[:, None], ("swing.q",), ("rad",))])


def test_an_unknown_image_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match="xyz"):
        plot(_run(), path=tmp_path / "run.xyz")


def test_an_unknown_name_in_any_run_gets_the_nearest():
    other = Trajectory(np.zeros(1), np.zeros((1, 1)), ("slide.w",), ("m",))
    with pytest.raises(KeyError, match=r"slide\.w"):
        plot([_run(), other], ["slide.q"])


def test_by_default_different_models_show_the_states_that_both_have():
    t = np.linspace(0.0, 1.0, 5)
    other = Trajectory(t, np.stack([t, t], axis=-1), ("slide.q", "swing.q"), ("m", "rad"))
    assert [axes.get_ylabel() for axes in plot([_run(), other]).axes] == ["slide.q [m]"]
    assert [axes.get_ylabel() for axes in plot([other, _run()]).axes] == ["slide.q [m]"]


@pytest.mark.exhaustive
def test_drawing_leaves_pyplot_alone():
    code = (
        "import sys, numpy as np; from cardan.results import Trajectory; from cardan.view import plot;"
        "plot(Trajectory(np.arange(2.0), np.ones((2, 1)), ('a',), ('m',)));"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _moving(ranges):
    t = np.linspace(0.0, 1.0, 11)
    names = tuple(f"q{k}.q" for k in range(len(ranges)))
    x = np.stack([size * t for size in ranges], axis=-1)
    return Trajectory(t, x, names, ("rad",) * len(names), provenance=Provenance("many", settings={"atol": 1e-10}))


def test_by_default_what_moves_is_drawn_on_one_page():
    run = _moving([1.0, 1e-32, 0.0, 1e-9, *[2.0] * 15])
    figure = plot(run)
    assert [axes.get_ylabel() for axes in figure.axes] == [f"q{k}.q [rad]" for k in (0, 3, *range(4, 10))]
    assert figure.get_size_inches()[1] <= 16
    assert "11 more of 19 states are not drawn" in figure.texts[-1].get_text() or "11 more" in figure.get_supxlabel()
    assert len(plot(run, run.state_names).axes) == 19  # what is named is drawn
    assert len(plot(_moving([0.0, 0.0])).axes) == 2  # rest, too, has a picture
    assert len(plot([_moving([0.0, 1.0]), _moving([1.0, 0.0])]).axes) == 2


def test_angles_in_degrees():
    run = _moving([1.0, 2.0])
    figure = plot(run, units="deg")
    assert figure.axes[0].get_ylabel() == "q0.q [deg]"
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata(), np.rad2deg(run.array("q0.q")), rtol=1e-15)
    with pytest.raises(ValueError, match="rad or deg"):
        plot(run, units="gon")


def test_a_result_over_another_one():
    run = _run()
    figure = plot(run, ["slide.v", "ratio"], x="slide.q")
    (line,) = figure.axes[0].lines
    np.testing.assert_array_equal(line.get_xdata(), run.array("slide.q"))
    np.testing.assert_array_equal(line.get_ydata(), run.array("slide.v"))
    assert [axes.get_xlabel() for axes in figure.axes] == ["slide.q [m]"] * 2
    assert figure.axes[0].get_aspect() == "auto"


def test_the_path_of_a_point_has_one_scale():
    path = {"names": ["box.position.z"], "x": "box.position.x"}
    assert plot(_run(), **path).axes[0].get_aspect() == 1
    assert plot(_run(), **path, equal=False).axes[0].get_aspect() == "auto"
    assert plot(_run(), ["slide.v"], x="slide.q", equal=True).axes[0].get_aspect() == 1


def test_a_path_is_shown_whole():
    """Also where another panel needs another scale."""
    run = _run()
    figure = plot(run, ["box.position.z", "ratio"], x="box.position.x")
    figure.draw_without_rendering()
    axes = figure.axes[0]
    for limits, values in ((axes.get_xlim(), run.array("slide.q")), (axes.get_ylim(), 3 * run.array("slide.q"))):
        assert limits[0] < values.min()
        assert limits[1] > values.max()


def test_runs_of_one_model_are_told_apart_by_what_they_differ_in():
    runs = [
        _run().__class__(
            **{**vars(_run()), "provenance": Provenance("slider", settings={"parameters": given, "rtol": 1e-8})}
        )
        for given in ({"L": "1 m", "m": 2}, {"L": "2 m", "m": 2}, {"m": 2})
    ]
    assert _texts(plot(runs, ["slide.q"]).legends[0]) == ["L = 1 m", "L = 2 m", "L = as in the model"]
    assert _texts(plot(runs[:1] * 2, ["slide.q"]).legends[0]) == ["slider", "slider"]


@each(
    "options, error, text",
    [
        ({"x": "box.position"}, ValueError, "is a vector; choose one of box.position.x"),
        ({"x": "slide.w"}, KeyError, "slide.q"),
        ({"x": "slide.q", "zoom": (0, 1)}, ValueError, "leave one of them out"),
    ],
)
def test_a_horizontal_axis_that_cannot_be(options, error, text):
    with pytest.raises(error, match=text):
        plot(_run(), ["slide.v"], **options)


def test_long_names_do_not_run_into_those_of_the_panels_beside_them():
    run = cardan.simulate(cardan.load("planar_manipulator"), until=0.1)
    figure = plot(run, ["motor1.input_torque", "motor2.input_torque", "motor1.input_torque"])
    figure.draw_without_rendering()
    ends = [axes.yaxis.label.get_window_extent() for axes in figure.axes]
    assert ends[0].y0 > ends[1].y1
    assert ends[1].y0 > ends[2].y1
    assert figure.axes[0].get_ylabel().startswith("motor1.input_torque\n[")
