"""Python functions that are called at multiples of a period, against zero-order hold written by hand."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.selection import each

import cardan
from cardan import Model, ModelError

CLOSE = 1e-8  # tolerance of the runs; SciPy runs at 1e-12
EVERY = 0.05
MASS, STIFFNESS = 2.0, 40.0

SLIDER = Model(
    gravity=[0, 0, 0],
    bodies={"load": {"mass": MASS}},
    joints={"slide": {"type": "prismatic", "parent": "ground", "child": "load", "axis": "x", "stiffness": STIFFNESS}},
    initial={"slide": 0.3},
)

TILT = np.radians(30)
WIRE = Model(
    planar="xz",
    gravity=[0, 0, -9.81],
    bodies={"carriage": {}, "bead": {"mass": MASS}},
    joints={
        "x": {"type": "prismatic", "parent": "ground", "child": "carriage", "axis": "x"},
        "z": {"type": "prismatic", "parent": "carriage", "child": "bead", "axis": "z"},
    },
    constraints={
        "wire": {
            "type": "point_on_line",
            "parent": {"body": "ground", "rpy": [0, "30 deg", 0]},
            "child": "bead",
            "axis": "x",
            "given": {"frame": "path", "value": ["-0.7*speed", 0, 0]},
        }
    },
)


def held(rate, force, y0, end, every=EVERY):
    """The last state of ẏ = rate(y, F) with F = force(t, y) at multiples of a period, held in between."""
    y = np.array(y0, float)
    for k in range(round(end / every)):
        F = force(k * every, y)
        y = solve_ivp(lambda t, y, F=F: rate(y, F), (0, every), y, rtol=1e-12, atol=1e-13).y[:, -1]
    return y


def control(x, v, t):
    """A controller with a dead zone, which no expression of the model would write so."""
    wanted = 50 * (0.1 * t - x) - 8 * v
    return 0.0 if abs(wanted) < 1 else wanted


def test_an_input_is_held_between_calls():
    run = cardan.simulate(
        SLIDER, times=[0, 1.0], inputs={"slide": {"every": EVERY, "of": ["slide", "slide.v", "t"], "value": control}}
    )
    expected = held(
        lambda y, F: [y[1], (F - STIFFNESS * y[0]) / MASS], lambda t, y: control(y[0], y[1], t), [0.3, 0], 1.0
    )
    assert run.ok
    assert run.x[-1, :2] == pytest.approx(expected, abs=CLOSE)


@each("method", ["tsit5", "dop853", "rodas5p"])
def test_it_is_the_sampled_expression(method):
    laws = {"every": "20 ms", "of": ["slide", "slide.v"], "value": lambda x, v: -30 * x - 2 * v}
    expression = {"every": "20 ms", "value": "-30*slide - 2*slide.v"}
    called, written = (
        cardan.simulate(SLIDER, times=np.linspace(0, 1, 51), inputs={"slide": law}, method=method)
        for law in (laws, expression)
    )
    assert called.x == pytest.approx(written.x, abs=1e-12)  # round-off of the control, over a second


@each("frame", ["path", "world"])
def test_a_given_part_is_held_between_calls(frame):
    """A bead slides down a wire; the function gives a resistance along it, in two ways to write it."""
    along = np.array([np.cos(TILT), -np.sin(TILT)])

    def force(speed, t):
        F = -3.0 * speed * abs(speed) - 2 * np.sin(5 * t)
        return [F, 0, 0] if frame == "path" else [F * along[0], 0, F * along[1]]

    law = {"every": "50 ms", "of": ["speed", "t"], "value": force, "frame": frame}
    run = cardan.simulate(WIRE, times=[0, 1.0], given={"wire": law})
    expected = held(
        lambda y, F: [y[1], 9.81 * np.sin(TILT) + F / MASS],
        lambda t, y: -3.0 * y[1] * abs(y[1]) - 2 * np.sin(5 * t),
        [0, 0],
        1.0,
    )
    assert run.ok
    place = run.array("bead.position")[-1]
    speed = run.array("x.v")[-1] / along[0]
    assert [place[0] * along[0] + place[2] * along[1], speed] == pytest.approx(expected, abs=CLOSE)
    assert np.isfinite(run.array(f"wire.sampled.{'t' if frame == 'path' else 'x'}")).all()


def test_the_place_of_a_given_part_may_stand_in_the_call():
    bare = WIRE.replace(constraints={"wire": WIRE.constraints["wire"].replace(given=None)})
    law = {"every": "50 ms", "value": lambda t: (0, 0, 0)}
    assert cardan.simulate(bare, 0.2, given={"wire": law}).ok


def test_calls_come_in_order_and_once_each():
    seen = []

    def law(t):
        seen.append(t)
        return 0

    run = cardan.prepare(SLIDER, 0.5, inputs={"slide": {"every": "0.1 s", "value": law}}).run()
    assert str(run)
    run.extremes(["slide.q"])
    assert seen == pytest.approx([0, 0.1, 0.2, 0.3, 0.4], abs=1e-15)


def test_an_error_of_the_function_is_raised():
    def law(x):
        if x < -0.2:
            raise ZeroDivisionError("too low")
        return 0

    setup = cardan.prepare(SLIDER, 1, inputs={"slide": {"every": "10 ms", "of": "slide", "value": law}})
    with pytest.raises(ZeroDivisionError, match="too low") as caught:
        setup.run()
    (note,) = caught.value.__notes__
    assert re.fullmatch(r"in the function inputs\.slide, called at t = 0\.\d+ s", note)
    assert setup.run(initial={"slide": 0.1}).ok


@each(
    "law, words",
    [
        (lambda t: "much", r"inputs\.slide\.value: the function returns 'much' at t = 0 s"),
        (lambda t: [1, 2], r"returns \[1, 2\] at t = 0 s"),
        (lambda t: np.nan, "returns nan at t = 0 s"),
        (lambda t: None, "returns None at t = 0 s"),
    ],
)
def test_results_that_are_no_numbers(law, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(SLIDER, 1, inputs={"slide": {"every": "10 ms", "value": law}})


def test_a_given_part_has_three_components():
    with pytest.raises(ModelError, match=r"(?s)given\.wire\.value: the function returns 3 .*three components"):
        cardan.simulate(WIRE, 1, given={"wire": {"every": "10 ms", "value": lambda t: 3}})


@each(
    "given, words",
    [
        ({"wier": {"every": 1, "value": abs}}, r"given\.wier: there is no constraint 'wier'\n    did you mean 'wire'"),
        ({"wire": "3 N"}, "no Python function with a period"),
        ({"wire": {"every": "1 ms", "value": "speed"}}, "no Python function with a period"),
        ({"wire": {"value": abs}}, r"given\.wire: 'every' is missing"),
        ({"wire": {"every": "1 ms", "evry": 2, "value": abs}}, "'evry' is no key of a sampled function"),
        ({"wire": {"every": "1 ms", "of": "normal", "value": abs}}, r"given\.wire\.of: 'normal', the ideal part"),
        ({"wire": {"every": "1 ms", "of": "spede", "value": abs}}, r"given\.wire\.of: .*'spede'"),
        ({"wire": {"every": "0 s", "value": abs}}, r"given\.wire\.every: a period of 0 s"),
        ({"wire": {"every": "1 m", "value": abs}}, r"given\.wire\.every: .*length"),
        ({"wire": {"every": "1 ms", "child": "bead", "value": abs}}, "stands in the constraint already"),
    ],
)
def test_given_functions_that_are_refused(given, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(WIRE, 1, given=given)


def test_unknown_names_in_the_arguments_of_an_input():
    with pytest.raises(ModelError, match=r"inputs\.slide\.of: .*'slid'"):
        cardan.simulate(SLIDER, 1, inputs={"slide": {"every": "10 ms", "of": ["slid"], "value": abs}})


def test_files_of_runs_name_the_function(tmp_path):
    law = {"every": "50 ms", "of": ["speed"], "value": lambda speed: (0, 0, 0)}
    run = cardan.simulate(WIRE, 0.2, given={"wire": law}, inputs={"x": {"every": "0.1 s", "value": control_of_time}})
    cardan.results.save_run(run, tmp_path / "run.nc")
    settings = cardan.results.load_run(tmp_path / "run.nc").provenance.settings
    assert settings["inputs"]["x"]["value"] == "function control_of_time"
    assert settings["given"]["wire"]["of"] == ["speed"]


def control_of_time(t):
    """A number without a reason."""
    return 0.1 * t


def test_each_function_has_its_own_period():
    """An event sets an input at an instant of its own, where no function is called."""
    calls = {"x": [], "z": [], "wire": []}

    def law(name, count):
        def called(t):
            calls[name].append(t)
            return [0.01 * t] * count if count > 1 else 0.01 * t

        return called

    periods = {"x": 0.1, "z": 0.03}
    run = cardan.simulate(
        WIRE,
        0.2,
        inputs={name: {"every": every, "value": law(name, 1)} for name, every in periods.items()},
        given={"wire": {"every": 0.07, "value": law("wire", 3)}},
        events={"once": {"when": "t - 0.123"}},
    )
    assert [event.name for event in run.events] == ["once"]
    for name, every in {**periods, "wire": 0.07}.items():
        assert calls[name] == pytest.approx(np.arange(0, 0.2, every), abs=1e-15), name
    last = {"x.sampled": 0.1, "z.sampled": 0.18, "wire.sampled.t": 0.14, "wire.sampled.b": 0.14}
    for name, t in last.items():
        assert run.array(name)[-1] == pytest.approx(0.01 * t, rel=1e-12), name


@each(
    "signal, words",
    [
        (lambda t: 1.0, r"inputs\.slide: a Python function alone does not say when it is called\n.*\"every\": "),
        (
            {"every": "10 ms", "value": lambda: 1.0},
            r"inputs\.slide\.of: the function does not take the 1 argument of: \[t\]: too many positional arguments",
        ),
        (
            {"every": "10 ms", "of": ["t", "slide"], "value": lambda t: 1.0},
            r"inputs\.slide\.of: the function does not take the 2 arguments of: \[t, slide\]",
        ),
        ({"every": "10 ms", "value": lambda t, x: 1.0}, r"inputs\.slide\.of: .*missing a required argument: 'x'"),
    ],
)
def test_functions_that_cannot_be_called_as_written(signal, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(SLIDER, 1, inputs={"slide": signal})


def test_functions_that_do_not_say_what_they_take_are_called():
    """`inspect` finds no signature of some functions written in C, such as `max`."""
    run = cardan.simulate(SLIDER, 0.1, inputs={"slide": {"every": "50 ms", "of": ["t", "0.02"], "value": max}})
    assert run.array("slide.sampled")[-1] == pytest.approx(0.05)


def test_sweeps_call_the_functions_of_inputs_and_given_parts():
    """Each run of a sweep is the run with its value; the functions are the same for all."""

    def drag(speed):
        return [-2.0 * speed, 0, 0]

    wire = {"every": "50 ms", "of": "speed", "value": drag, "frame": "path"}
    found = cardan.sweep(WIRE, 0.5, given={"wire": wire}, initial={"x.v": [0.0, 1.0]}, outputs=["final(x.v)"])
    for k, v in enumerate((0.0, 1.0)):
        run = cardan.simulate(WIRE, 0.5, given={"wire": wire}, initial={"x.v": v})
        assert found["final(x.v)"].values[k] == pytest.approx(run.array("x.v")[-1], rel=1e-12)
    assert "drag" in found.attrs["settings"]
    law = {"every": "50 ms", "of": "slide", "value": lambda x: -10 * x}
    spring = cardan.sweep(SLIDER, 0.5, inputs={"slide": law}, initial={"slide": [0.1, 0.3]}, outputs=["final(slide.q)"])
    own = cardan.simulate(SLIDER, 0.5, inputs={"slide": law}, initial={"slide": 0.1}).array("slide.q")[-1]
    assert spring["final(slide.q)"].values[0] == pytest.approx(own, rel=1e-12)
