"""A sweep equals a loop of `simulate` with the same values, whether its runs are integrated side by side or singly."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import xarray
from tests.assembly.test_embedding import GEARS
from tests.selection import each
from tests.system.examples import driven_pendulum

import cardan
from cardan.errors import AssemblyError, ModelError
from cardan.model.checks import arguments
from cardan.model.model import Model
from cardan.results.status import ENDINGS
from cardan.simulation.setup import Setup
from cardan.simulation.sweeps import runs

pytestmark = pytest.mark.filterwarnings("ignore::cardan.errors.ModelWarning")

CLOSE = 1e-6
"""Largest difference between two runs of one motion, relative to the largest value: 100 × rtol, since the errors of
the steps add up; lanes share their steps, so results are not equal bit for bit."""

FINE = {"max_step": "2 ms"}
"""Two time constants of the motors' currents: at longer steps currents are less accurate between the ends of steps."""

ARGUMENTS = ("parameters", "inputs", "initial")


def compared(model, until, outputs, close=CLOSE, **given):
    """The sweep, after a comparison of all its runs with `simulate`."""
    fixed = {name: x for name, x in given.items() if name not in ARGUMENTS}
    found = cardan.sweep(model, until, outputs=outputs, **given)
    lists = [
        (argument, name, x)
        for argument in ARGUMENTS
        for name, x in given.get(argument, {}).items()
        if isinstance(x, list)
    ]
    for places in itertools.product(*(range(len(x)) for *_, x in lists)):
        chosen = {argument: dict(given.get(argument, {})) for argument in ARGUMENTS}
        for (argument, name, x), k in zip(lists, places, strict=True):
            chosen[argument][name] = x[k]
        times = {"times": found["time"].values} | fixed
        run = cardan.simulate(model, until, **times, **chosen)
        one = found.isel(dict(zip(list(found.sizes)[: len(places)], places, strict=True)))
        assert one["status"] == run.status
        np.testing.assert_allclose(one["t_end"], run.statistics["reached"], rtol=close)
        for name in outputs:
            expected, got = run.array(name), one[name].values
            assert got.shape[1:] == expected.shape[1:]
            scale = 1 + np.nanmax(np.abs(expected))  # a planar model leaves parts of reactions unknown
            np.testing.assert_allclose(got[: len(expected)], expected, rtol=0, atol=close * scale)
            assert np.isnan(got[len(expected) :]).all()
    return found


def is_alike(model, until=1.0, **given):
    """Which runs of a sweep are integrated side by side."""
    seen = []
    one = runs.Runs._single

    def counted(self, chosen):
        seen.extend(chosen)
        return one(self, chosen)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs.Runs, "_single", counted)
        found = cardan.sweep(model, until, outputs=["max(t)"], **given)
    alike = np.ones(found["status"].size, dtype=bool)
    alike[seen] = False
    return alike


CRANE = {"parameters": {"L": [0.5, 0.9], "mp": ["850 g", 2.0, "5 kg"]}, "inputs": {"drive": ["2 V", 10]}}


@each("motors", ["full", "simplified"])
def test_a_crane(motors):
    outputs = ["swing.q", "swing.v", "swing.a", "payload.position", "payload.orientation", "swing.reaction_force"]
    crane = cardan.load("overhead_crane")
    found = compared(crane, 1.0, [*outputs, "drive.torque", "load_x"], motors=motors, **CRANE, **FINE)
    assert is_alike(crane, motors=motors, **CRANE).all()
    assert list(found.sizes)[:3] == ["L", "mp", "drive"]
    assert found["mp"].values.tolist() == [0.85, 2.0, 5.0]
    assert [found[name].attrs["units"] for name in ("L", "mp", "drive", "time", "swing.v")] == [
        "m",
        "kg",
        "V",
        "s",
        "rad/s",
    ]


def test_joint_efforts_and_states_that_start_elsewhere():
    crane = cardan.load("overhead_crane")
    given = {"inputs": {"travel": [0.0, 5.0]}, "initial": {"swing": [0.3, "60 deg"], "swing.v": [0.0, -1.0]}}
    found = compared(crane, 1.0, ["swing.q", "swing.v", "travel.q"], motors="none", **given)
    assert list(found.sizes)[:3] == ["travel", "swing", "initial.swing.v"]
    assert found["initial.swing.v"].attrs["units"] == "rad/s"


def test_quaternions():
    outputs = ["top.orientation", "axis_x", "pivot.wx.v"]
    found = compared(
        cardan.load("heavy_top"), 0.1, outputs, initial={"pivot.wz": [-4.61538, 2.0]}, parameters={"m": [10, 15]}
    )
    np.testing.assert_allclose(np.linalg.norm(found["top.orientation"], axis=-1), 1, atol=1e-9)


def test_a_free_body_whose_quaternion_varies():
    body = {"mass": 1, "inertia": [0.1, 0.2, 0.25]}
    joints = {"f": {"type": "free", "parent": "ground", "child": "b"}}
    model = Model(parameters={"phi": 0}, bodies={"b": body}, joints=joints, initial={"f": {"rpy": ["phi", 0.1, 0]}})
    given = {"parameters": {"phi": [0.0, 1.2]}, "initial": {"f.wy": [0.0, 3.0]}}
    compared(model, 0.5, ["f.qw.q", "b.orientation", "f.z.q"], **given)
    assert is_alike(model, **given).all()


@each(
    "name, given, outputs",
    [
        (
            "slider_crank",
            {"parameters": {"l1": [0.15, 0.2, 0.25]}, "inputs": {"drive": [10.0, 20.0]}},
            ["slider.position"],
        ),
        ("four_bar", {"parameters": {"b": [0.8, 0.85]}, "initial": {"A": ["60 deg", 1.3], "A.v": [5.0, 12.0]}}, ["x"]),
        ("planar_3rrr", {"parameters": {"m3": [1.5, 3.0], "L1": [0.4, 0.42]}}, []),
    ],
)
def test_loops(name, given, outputs):
    model = cardan.load(name)
    states = cardan.simulate(model, 0.01).state_names
    compared(model, 0.5, [*states, *outputs], **given, **FINE)
    assert is_alike(model, 0.5, **given).all()


@each("name", ["four_bar_spatial", "door_two_hinges"])
def test_redundant_constraints(name):
    model = cardan.load(name)
    mass = {"parameters": {"density" if name == "four_bar_spatial" else "m": [2.0, 5.0]}}
    compared(model, 0.2, [*cardan.simulate(model, 0.01).state_names], **mass)


def test_independent_coordinates(tmp_path):
    (tmp_path / "gears.yaml").write_text(GEARS)
    gears = cardan.load(tmp_path / "gears.yaml")
    states = cardan.simulate(gears, 0.01).state_names
    compared(gears, 0.2, [*states], parameters={"z1": [17, 23], "k": [3.0, 5.0]})


def test_feedback_and_states_of_the_user():
    crane = cardan.load("overhead_crane_antisway")
    given = {"parameters": {"kp": [80.0, 120.0], "Ts": ["20 ms", 0.05], "target": [0.5, 1.0]}}
    compared(crane, 0.5, ["goal", "e", "drive.voltage", "load_x"], **given)
    assert is_alike(crane, 0.2, **given).all()


def test_states_of_the_user_start_where_the_model_says():
    model = driven_pendulum()
    compared(model, 0.2, ["lag", "heat", "swing.q"], parameters={"start": [0.3, 0.5]}, inputs={"drive": [1.0, 3.0]})
    found = compared(model, 0.2, ["lag", "heat"], initial={"lag": [0.1, 0.2]})
    assert found["lag"].sel({"initial.lag": 0.2}).values[0] == 0.2
    assert is_alike(model, parameters={"start": [0.3, 0.5]}).all()


@each(
    "inputs",
    [
        {"drive": "A*sin(w*t)"},
        {"drive": "2*A"},
        {"drive": {"table": [[0, 0], [0.1, 5], [0.1, 2], [0.5, 0]]}},
        {"drive": {"table": [[0, 0], [0.1, 5], [0.2, 2], [0.5, 0]], "interpolation": "cubic"}},
        {"drive": "A*if(t > 0.1, 1, 0)"},
    ],
)
def test_inputs_over_time(inputs):
    crane = cardan.load("overhead_crane")
    crane = crane.replace(parameters={**crane.parameters, "A": 5.0, "w": 3.0})
    compared(crane, 0.4, ["drive.voltage", "swing.q"], inputs=inputs, parameters={"A": [2.0, 8.0], "w": [1.0, 5.0]})
    assert is_alike(crane, 0.4, inputs=inputs, parameters={"w": [1.0, 5.0]}).all()


def test_inputs_that_switch_with_a_parameter_run_singly():
    crane = cardan.load("overhead_crane")
    crane = crane.replace(parameters={**crane.parameters, "t1": 0.1})
    given = {"inputs": {"drive": "if(t > t1, 5, 0)"}, "parameters": {"t1": [0.1, 0.2]}}
    compared(crane, 0.4, ["drive.voltage", "swing.q"], **given)
    assert not is_alike(crane, 0.4, **given).any()


def test_parameters_by_which_others_are_defined():
    model = Model(
        parameters={"a": 0.5, "m": "4*a", "L": "a**2 + 1"},
        bodies={"rod": {"mass": "m", "com": [0, 0, "-L"]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "y"}},
        initial={"hinge": "a"},
    )
    found = cardan.sweep(model, 0.5, parameters={"a": [0.5, 1.0]}, outputs=["hinge.q", "final(L*m)"])
    compared(model, 0.5, ["hinge.q"], parameters={"a": [0.5, 1.0]})
    assert found["hinge.q"].values[:, 0].tolist() == [0.5, 1.0]
    assert found["final(L*m)"].values.tolist() == [2.5, 8.0]


@each(
    "settings",
    [
        {"method": "rodas5p"},
        {"method": "tsit5", "max_step": "10 ms"},
        {"method": "rk4", "step": "0.2 ms"},
        {"method": "semi_implicit_euler", "step": 1e-4},
    ],
)
def test_methods(settings):
    compared(cardan.load("overhead_crane"), 0.2, ["swing.q", "drive.current"], close=1e-5, **CRANE, **settings)


@each("method", ["dop853", "rodas5p"])
def test_works_are_integrated_where_they_are_asked_for(method):
    """And their absence changes no state."""
    crane, given = cardan.load("overhead_crane"), {"method": method, **CRANE}
    works = ["work.input", "work.dissipation"]
    found = compared(crane, 0.3, ["swing.q", *works], close=1e-5, **given)
    assert is_alike(crane, 0.3, **given).all()
    alone = cardan.sweep(crane, 0.3, outputs=["swing.q"], **given)
    # the same steps; after a jump they follow a difference of two stages, whose round-off changes them by 1e-9
    np.testing.assert_allclose(alone["swing.q"], found["swing.q"], rtol=0, atol=1e-10)
    most = cardan.sweep(crane, 0.3, outputs=["max(work.dissipation)"], **given)["max(work.dissipation)"]
    np.testing.assert_allclose(most, found["work.dissipation"].max("time"), rtol=1e-6)


def test_axes_that_are_shared():
    crane = cardan.load("overhead_crane")
    draws = {"L": [0.5, 0.7, 0.9], "mp": [1.0, 2.0, 3.0]}
    arrays = {name: xarray.DataArray(x, dims=["draw"], coords={"draw": [7, 8, 9]}) for name, x in draws.items()}
    found = cardan.sweep(
        crane, 0.2, parameters=arrays, inputs={"drive": [5, 10]}, outputs=["final(swing.q)", "final(L*mp)"]
    )
    assert dict(found.sizes) == {"draw": 3, "drive": 2}
    assert found["draw"].values.tolist() == [7, 8, 9]
    for k in range(3):
        one = {name: x[k] for name, x in draws.items()}
        run = cardan.simulate(crane, 0.2, parameters=one, inputs={"drive": 10})
        assert found["final(swing.q)"].values[k, 1] == pytest.approx(run.array("swing.q")[-1], rel=CLOSE)
        assert found["L"].sel(draw=7 + k) == one["L"]
        assert found["final(L*mp)"].sel(draw=7 + k, drive=5) == one["L"] * one["mp"]


def test_arrays_with_two_axes():
    crane = cardan.load("overhead_crane")
    L = xarray.DataArray([[0.5, 0.6, 0.7], [0.8, 0.9, 1.0]], dims=["b", "a"])
    mp = xarray.DataArray(["1 kg", "2 kg", "3 kg"], dims=["a"])
    found = cardan.sweep(crane, 0.1, parameters={"L": L, "mp": mp}, outputs={"product": "final(L*mp)"})
    assert dict(found.sizes) == {"b": 2, "a": 3}
    np.testing.assert_allclose(found["product"], L.values * np.array([1, 2, 3]))


def test_reductions_and_expressions():
    crane = cardan.load("overhead_crane")
    outputs = {
        "peak": "max(abs(drive.current))",
        "least": "min(swing.q)",
        "angle": "final(swing.q*180/pi)",
        "power": "drive.voltage*drive.current",
        "mean": "mean(payload.position)",
        "of two": "max(swing.q, 0)",
        "only": "max(L*t)",
        "root": "final(sqrt(-1 - t))",
    }
    found = cardan.sweep(crane, 0.5, parameters={"L": [0.5, 0.9]}, outputs=outputs, **FINE)
    for k, L in enumerate([0.5, 0.9]):
        run = cardan.simulate(crane, parameters={"L": L}, times=found["time"].values, **FINE)
        i, u, swing = (run.array(name) for name in ("drive.current", "drive.voltage", "swing.q"))
        low, high = cardan.simulate(crane, 0.5, parameters={"L": L}, **FINE).extremes(["drive.current"])[
            "drive.current"
        ]
        expected = {
            "peak": max(-low, high),  # between the instants, as of a result
            "least": np.min(swing),
            "angle": np.degrees(swing[-1]),
            "power": u * i,
            "mean": np.mean(run.array("payload.position"), axis=0),
            "of two": np.maximum(swing, 0),
            "only": 0.5 * L,
        }
        for name, x in expected.items():
            np.testing.assert_allclose(found[name].values[k], x, rtol=0, atol=CLOSE * (1 + np.max(np.abs(x))))
    assert np.isnan(found["root"]).all()
    assert (found["peak"].attrs["units"], found["power"].attrs["units"]) == ("A", "W")
    assert found["mean"].dims == ("L", "axis")


def test_without_outputs_the_states_are_kept():
    found = cardan.sweep(cardan.load("overhead_crane"), 0.1, parameters={"L": [0.5]})
    assert {"travel.q", "swing.q", "travel.v", "swing.v", "drive.current", *ENDINGS} == set(found.data_vars)
    assert found["swing.q"].shape == (1, 1001)


def test_times_are_those_asked_for():
    times = [0.0, 0.05, 0.3]
    found = cardan.sweep(cardan.load("overhead_crane"), times=times, parameters={"L": [0.5, 0.6]})
    assert found["time"].values.tolist() == times


STRING = """
cardan: 1
name: a force that ends a run
parameters: {a: 1, k: 1}
bodies: {box: {mass: 1 kg}}
joints: {slide: {type: prismatic, parent: ground, child: box, axis: x}}
inputs: {slide: "k*sqrt(a - t)"}
"""


def test_runs_that_end_early(tmp_path):
    """sqrt(a - t) has no value from t = a on."""
    (tmp_path / "early.yaml").write_text(STRING)
    model = cardan.load(tmp_path / "early.yaml")
    given = {"parameters": {"a": [0.3, 0.6, 2.0], "k": [1.0, 2.0]}}
    found = compared(model, 1.0, ["slide.q"], motors="none", **given)
    assert found["status"].sel(a=0.3, k=2).item() != "completed"
    assert (found["status"].sel(a=2.0) == "completed").all()
    np.testing.assert_allclose(found["t_end"].sel(k=1), [0.3, 0.6, 1.0], rtol=1e-3)
    reduced = cardan.sweep(model, 1.0, motors="none", outputs=["max(slide.q)"], **given)
    assert np.isnan(reduced["max(slide.q)"].sel(a=0.3)).all()
    assert np.isfinite(reduced["max(slide.q)"].sel(a=2.0)).all()


def test_loops_that_cannot_be_closed():
    """With a rod of 0.1 m a crank of 0.2 m at a right angle cannot be on the slider's line."""
    model = cardan.load("slider_crank")
    given = {"initial": {"crank": "90 deg"}, "outputs": ["max(crank.v)", "slide.q"]}
    found = cardan.sweep(model, 0.1, parameters={"l2": [0.1, 0.5, 0.6]}, **given)
    assert found["status"].values.tolist() == ["not_assembled", "completed", "completed"]
    assert np.isnan(found["slide.q"].values[0]).all()
    assert np.isfinite(found["max(crank.v)"].values[1:]).all()
    assert found["t_end"].values[0] == 0
    with pytest.raises(AssemblyError):
        cardan.sweep(model, 0.1, parameters={"l2": [0.1, 0.12]}, **given)


@each("argument", ["initial", "parameters"])
def test_a_start_beyond_an_end_stop_is_a_run_that_is_not_assembled(argument):
    stop = {"upper": 0.4, "restitution": 0.5}
    slide = {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x", "limits": stop}
    model = Model(
        parameters={"start": 0},
        bodies={"block": {"mass": 1}},
        joints={"slide": slide},
        initial={"slide": "start", "slide.v": 1},
    )
    name = "slide" if argument == "initial" else "start"
    found = cardan.sweep(model, 0.1, outputs=["slide.q"], **{argument: {name: [0.5, 0.1, 0.2]}})
    assert found["status"].values.tolist() == ["not_assembled", "completed", "completed"]
    assert np.isnan(found["slide.q"].values[0]).all()
    np.testing.assert_allclose(found["slide.q"].values[1:, -1], [0.2, 0.3], atol=1e-9)
    with pytest.raises(ModelError, match=r"starts at 0\.5 m, beyond its stop at 0\.4 m"):
        cardan.sweep(model, 0.1, **{argument: {name: [0.5, 0.6]}})


def test_memory_is_bounded_by_parts(monkeypatch):
    given = {
        "parameters": {"L": np.linspace(0.5, 0.9, 21)},
        "outputs": ["max(drive.current)", "final(payload.position)"],
    }
    crane, seen = cardan.load("overhead_crane"), []
    whole = cardan.sweep(crane, 0.1, **given, progress=seen.append)
    assert seen == [1.0]
    monkeypatch.setattr(runs, "NUMBERS", 1)
    parts = cardan.sweep(crane, 0.1, **given, progress=seen.append)
    assert seen[1:] == [8 / 21, 16 / 21, 1.0]
    xarray.testing.assert_identical(whole, parts)


def test_threads_change_no_number():
    given = {"parameters": {"L": np.linspace(0.5, 0.9, 40)}}
    one, two = (cardan.sweep(cardan.load("overhead_crane"), 0.1, threads=n, **given) for n in (1, 2))
    xarray.testing.assert_identical(one, two)


def test_what_the_runs_were_made_with_stands_in_the_dataset():
    crane = cardan.load("overhead_crane")
    given = {"parameters": {"L": [0.5], "mp": np.int64(2)}, "inputs": {"drive": "5 V"}}
    attributes = cardan.sweep(crane, 0.1, **given).attrs
    said = json.loads(attributes["settings"])
    assert (said["parameters"], said["inputs"], said["until"]) == ({"mp": 2.0}, {"drive": "5 V"}, 0.1)
    assert attributes["title"] == crane.name


def test_ctrl_c_keeps_what_is_done(monkeypatch):
    def pressed(fraction):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "NUMBERS", 1)
    given = {"parameters": {"L": np.linspace(0.5, 0.9, 20)}}
    found = cardan.sweep(cardan.load("overhead_crane"), 0.1, progress=pressed, **given)
    assert found["status"].values.tolist() == ["completed"] * 8 + ["interrupted"] * 12
    assert np.isnan(found["swing.q"].values[8:]).all()


@pytest.mark.parametrize("which", [0, 1], ids=["first", "later"])
def test_ctrl_c_in_a_single_run(monkeypatch, which):
    count, run = itertools.count(), Setup.run

    def interrupted(self, **given):
        done = run(self, **given)
        return replace(done, status=cardan.results.Status.INTERRUPTED) if next(count) == which else done

    monkeypatch.setattr(Setup, "run", interrupted)
    monkeypatch.setattr(runs.Runs, "_side_by_side", False)
    call = {"until": 0.1, "parameters": {"L": [0.5, 0.6]}}
    if which == 0:
        with pytest.raises(KeyboardInterrupt):
            cardan.sweep(cardan.load("overhead_crane"), **call)
    else:
        assert (cardan.sweep(cardan.load("overhead_crane"), **call)["status"] == "interrupted").all()


def array(values, *dims, **coords):
    return xarray.DataArray(values, dims=dims, coords=coords)


@each(
    "given, text",
    [
        ({}, "nothing varies"),
        ({"parameters": {"L": 0.5}}, "nothing varies"),
        ({"parameters": {"L": []}}, "parameters.L: the list is empty"),
        ({"parameters": {"L": [[0.5], [0.6]]}}, "the list has lists in it"),
        ({"parameters": {"L": [0.5, np.nan]}}, "a value is not finite"),
        ({"parameters": {"L": [True, False]}}, "True is not a number"),
        ({"parameters": {"L": ["1 kg"]}}, "'1 kg' is a mass"),
        ({"parameters": {"Lx": [1, 2]}}, "there is no parameter 'Lx'"),
        ({"parameters": {"mt": [-1, 2]}}, "a mass is zero or positive"),
        ({"parameters": 3}, "parameters=3 is not given by name"),
        ({"inputs": {"drive": ["sin(t)"]}}, "inputs.drive[0]: 'sin(t)' is an expression"),
        ({"inputs": {"drive": ["1 m"]}}, "inputs.drive[0]: '1 m' is a length"),
        ({"inputs": {"driv": [1, 2]}}, "there is no input 'driv'"),
        ({"initial": {"swng": [1, 2]}}, "the state has no entry 'swng'"),
        ({"initial": {"swing": [{"guess": 1}]}}, "initial.swing[0]"),
        ({"initial": {"swing": [1, 2], "swing.q": [1, 2]}}, "are the same state"),
        ({"parameters": {"L": array([1, 2], "a"), "mp": array([1, 2, 3], "a")}}, "the axis 'a' has 3 values here"),
        (
            {"parameters": {"L": array([1, 2], "a", a=[1, 2]), "mp": array([1, 2], "a", a=[1, 3])}},
            "the axis 'a' has other labels here",
        ),
        ({"parameters": {"L": array([1, 2], "time")}}, "an axis has the name 'time'"),
        ({"parameters": {"L": [1, 2]}, "threads": 0}, "threads=0 is not a number of threads"),
        ({"parameters": {"L": [1, 2]}, "outputs": "swing.q"}, "is one text"),
        ({"parameters": {"L": [1, 2]}, "outputs": [3]}, "the output 3 is no text"),
        ({"parameters": {"L": [1, 2]}, "outputs": ["max(swin.q)"]}, "there is no result 'swin.q'"),
        ({"parameters": {"L": [1, 2]}, "outputs": ["+*"]}, "outputs.+*"),
        ({"parameters": {"L": [1, 2]}, "outputs": {"L": "swing.q"}}, "the output 'L' has the name of an axis"),
        ({"parameters": {"L": [1, 2]}, "outputs": {"status": "t"}}, "the output 'status' has the name"),
    ],
)
def test_what_is_refused(given, text):
    with pytest.raises(ModelError) as refused:
        cardan.sweep(cardan.load("overhead_crane"), **({"until": 0.1} | given))
    assert text in str(refused.value)


def test_complex_numbers_are_refused():
    with pytest.raises(ModelError, match=r"L: .*0\.5\+1j\) is not a number"):
        cardan.sweep(cardan.load("overhead_crane"), 0.1, parameters={"L": np.array([0.5 + 1j, 0.7])})


def test_a_name_of_two_arguments_is_refused():
    given = {"inputs": {"swing": [1, 2]}, "initial": {"swing": [1, 2]}}
    with pytest.raises(ModelError, match="'swing' varies in inputs and in initial"):
        cardan.sweep(cardan.load("overhead_crane"), 0.1, motors="none", **given)


def test_a_dataset_that_no_memory_holds_is_refused(monkeypatch):
    monkeypatch.setattr(arguments, "LARGEST", 1000)
    with pytest.raises(ModelError, match="2 runs with 1001 values each"):
        cardan.sweep(cardan.load("overhead_crane"), 0.1, parameters={"L": [0.5, 0.6]}, outputs=["swing.q"])


def test_a_model_without_parameters():
    model = Model(
        bodies={"box": {"mass": 2}},
        joints={"slide": {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}},
    )
    found = compared(model, 1.0, ["slide.q"], motors="none", inputs={"slide": [1, 2.0, 4]})
    np.testing.assert_allclose(found["slide.q"].values[:, -1], [0.25, 0.5, 1.0], rtol=CLOSE)


def test_the_model_is_the_end_of_the_run_unless_times_are_given():
    crane = cardan.load("overhead_crane")
    crane = crane.replace(parameters={**crane.parameters, "T": "0.1 s"}, simulate={"until": "T"})
    with pytest.raises(ModelError, match="until follows the parameter 'T'"):
        cardan.sweep(crane, parameters={"T": [0.1, 0.2]})
    with pytest.raises(ModelError, match="max_step follows the parameter 'T'"):
        cardan.sweep(crane, 0.1, max_step="T/10", parameters={"T": [0.1, 0.2]})
    assert cardan.sweep(crane, times=[0, 0.1], parameters={"T": [0.1, 0.2]})["time"].size == 2


@pytest.mark.parametrize(
    ("method", "together"),
    [("dop853", True), ("rodas5p", True), ("rodas5p", False)],
    ids=["dop853", "rodas5p", "alone"],
)
def test_a_peak_between_the_instants_is_found(monkeypatch, method, together):
    """The current of the starting motor peaks within 10 ms, the instants are 5 ms apart."""
    monkeypatch.setattr(runs.Runs, "_side_by_side", together)
    crane = cardan.load("overhead_crane")
    outputs = ["max(drive.current)", "max(drive.torque)", "max(payload.velocity)"]
    found = cardan.sweep(crane, 5.0, inputs={"drive": [5.0, 10.0]}, outputs=outputs, method=method)
    run = cardan.simulate(crane, times=np.linspace(0, 0.05, 50001))
    fine = run.array("drive.current").max()
    # 128 parts of 5 ms: a parabola through three of them, 1/30 of the time constant apart, is good to 1/(16·30³)
    np.testing.assert_allclose(found["max(drive.current)"], [fine / 2, fine], rtol=2e-6)
    np.testing.assert_allclose(found["max(drive.torque)"][1], run.array("drive.torque").max(), rtol=2e-6)
    high = cardan.simulate(crane, 5.0).extremes(["payload.velocity"])["payload.velocity"][1]
    np.testing.assert_allclose(found["max(payload.velocity)"][1], high, rtol=1e-6, atol=1e-9)
    coarse = cardan.sweep(
        crane,
        inputs={"drive": [5.0, 10.0]},
        outputs=[*outputs, "travel.q", "mean(travel.v)"],
        times=np.linspace(0, 5, 11),
        method=method,
    )
    for name in outputs:  # whatever instants are listed for what is shown over time
        # one motion, perhaps by other machine code; what is zero by symmetry is zero but for rounding
        np.testing.assert_allclose(coarse[name], found[name], rtol=1e-12, atol=1e-15)
    # of a spline through instants 5 ms apart, which is the time constant of the current
    np.testing.assert_allclose(coarse["mean(travel.v)"] * 5, coarse["travel.q"][:, -1], rtol=1e-4)


TROLLEY = Model(
    parameters={"T": "1 s", "way": "0.5 m"},
    bodies={"trolley": {"mass": 2}, "load": {"mass": 0.9, "com": [0, 0, -0.7]}},
    joints={
        "travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x", "damping": 2},
        "swing": {"type": "revolute", "parent": "trolley", "child": "load", "axis": "-y"},
    },
    motions={"travel": {"profile": "trapezoid", "points": [["0 s", 0], ["T", "way"]]}},
)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@each("times", [None, [0.1, 0.4, 0.9, 1.0]])
def test_reductions_of_a_run_that_an_event_stops_are_of_its_motion_until_then(times):
    """A ball falls from rest by h and is stopped at t = √(2h/g), unless the run ends before.

    Reductions see the whole motion, whatever instants are listed, also where none of them lies before the stop.
    """
    slide = {"type": "prismatic", "parent": "ground", "child": "ball", "axis": "z"}
    model = cardan.Model(
        bodies={"ball": {"mass": 1}},
        joints={"slide": slide},
        parameters={"h": "1 m", "g": 10.0},
        gravity=[0, 0, "-g"],
        events={"landed": {"when": "slide + h", "direction": "falling", "do": "stop"}},
        initial={"slide": 0},
    )
    outputs = [
        "final(slide.v)",
        "final(-slide.q/t + 0*h)",
        "mean(slide.v)",
        "final(ball.velocity)",
        "min(slide.q)",
    ]
    h = np.array([0.3, 1.3, 100.0, 0.01])
    found = cardan.sweep(model, 1.0, parameters={"h": h}, outputs=outputs, times=times)
    assert found["status"].values.tolist() == ["stopped", "stopped", "completed", "stopped"]
    end = np.minimum(np.sqrt(2 * h / 10), 1.0)
    exact = {"rtol": 1e-7}  # ten times rtol of the runs
    np.testing.assert_allclose(found["final(slide.v)"], -10 * end, **exact)
    np.testing.assert_allclose(found["final(-slide.q/t + 0*h)"], 5 * end, **exact)
    np.testing.assert_allclose(found["final(ball.velocity)"][:, 2], -10 * end, **exact)
    np.testing.assert_allclose(found["min(slide.q)"], -5 * end**2, **exact)
    np.testing.assert_allclose(found["mean(slide.v)"], -5 * end, **exact)


@each("events", [{}, {"far": {"when": "slide - 10"}}])
def test_extremes_of_expressions_are_those_of_the_whole_motion(events):
    """Power x ẋ k of a slider on a spring: at the returned instants alone it would be 2e-4 too low."""
    joint = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x", "stiffness": "k"}
    model = Model(bodies={"box": {"mass": 2}}, joints={"slide": joint}, parameters={"k": 50, "A": 0.3})
    model = model.replace(initial={"slide": "A"}, events=events)
    k, w = np.array([50.0, 98.0]), np.sqrt(np.array([50.0, 98.0]) / 2)
    outputs = {
        "power": "max(k*slide.q*slide.v)",
        "least": "min(k*slide.q*slide.v)",
        "clipped": "max(min(slide.q, 0.1))",
        "slide.q": "max(abs(slide.v))",
        "plain": "max(slide.q)",
    }
    # (2 ω h)²/8 = 2e-7 is left of the last peak, h = 3 ms/32
    found = cardan.sweep(model, 3.0, parameters={"k": k}, outputs=outputs, motors="none")
    power = 0.3**2 * w * k / 2
    np.testing.assert_allclose(found["power"], power, rtol=CLOSE)
    np.testing.assert_allclose(found["least"], -power, rtol=CLOSE)
    np.testing.assert_allclose(found["clipped"], 0.1, rtol=0, atol=0)
    np.testing.assert_allclose(found["slide.q"], 0.3 * w, rtol=CLOSE)
    np.testing.assert_allclose(found["plain"], 0.3, rtol=CLOSE)


def test_drives_that_lose_their_hold_in_lanes_are_named():
    """The trolley cannot lift its load past the horizontal: the height −0.6 + rate·t reaches it within the run or not.

    A fixed step strides over the position.
    """
    load = {"mass": 1, "com": [0, 0, -1], "markers": {"hook": {"position": [0, 0, -1]}}}
    crane = Model(
        planar="xz",
        parameters={"rate": 0.2},
        bodies={"trolley": {"mass": 2}, "load": load},
        joints={
            "travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"},
            "swing": {"type": "revolute", "parent": "trolley", "child": "load", "axis": [0, -1, 0]},
        },
        initial={"swing": {"guess": 1.0}},
        motions={"load.hook.z": {"value": "-0.6 + rate*t", "by": ["travel"]}},
    )
    rates = [0.2, 0.3, 0.8, 0.9]
    found = cardan.sweep(crane, 1.4, parameters={"rate": rates}, outputs=["max(swing.q)"], method="rk4", step=0.001)
    assert found["status"].values.tolist() == ["completed", "completed", "drive_lost", "drive_lost"]
    assert found["t_end"].values[2:] == pytest.approx([0.6 / rate for rate in rates[2:]], abs=2e-3)
    assert np.isnan(found["max(swing.q)"].values[2:]).all()


def test_a_varied_angle_has_the_unit_rad_and_its_rate_rad_per_second():
    """Of parameters that are written as angles, and of those that follow from them; a factor is a number."""
    plain, given = cardan.load("compound_pendulum"), {"lean": "30 deg", "turn": "5 rpm", "share": 0.5}
    initial = {"pendulum": "lean", "pendulum.v": "turn*share"}
    model = plain.replace(parameters={**plain.parameters, **given}, initial=initial)
    varied = {"lean": ["10 deg", "20 deg"], "turn": [0.1], "share": [1]}
    found = cardan.sweep(model, 0.1, parameters=varied, outputs=["max(2*pendulum.q)"])
    assert {name: found[name].attrs["units"] for name in varied} == {"lean": "rad", "turn": "rad/s", "share": ""}
    assert found["max(2*pendulum.q)"].attrs["units"] == "rad"
    np.testing.assert_allclose(found["lean"], np.radians([10, 20]), rtol=1e-15)
