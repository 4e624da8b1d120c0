"""FMUs run in FMPy as models run here, in both versions and kinds; their descriptions are valid; refusals by name."""

import subprocess
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.c_compiler import CC, STRICT, needs_c_compiler, run

CART = {
    "name": "cart between stops",
    "parameters": {"m": "2 kg", "half": "m/2", "k": 30, "start": 0.5, "T": "5 ms", "w": "3 rad/s"},
    "bodies": {"cart": {"mass": "m"}, "ball": {"mass": 0.3, "com": [0, 0, -0.4], "inertia": [0, 1e-3, 0]}},
    "joints": {
        "rail": {
            "type": "prismatic",
            "parent": "ground",
            "child": "cart",
            "axis": "x",
            "damping": 0.4,
            "friction": {"effort": 0.6, "static": 0.8},
            "limits": {"lower": -0.25, "upper": 0.25, "restitution": 0.4},
        },
        "swing": {"type": "revolute", "parent": "cart", "child": "ball", "axis": "-y"},
    },
    "states": {"pull": {"rate": "if(t < 0.4, 1, 0) + abs(swing)", "initial": 0}},
    "controllers": {
        "drive": {
            "type": "pid", "error": "0.35*sin(w*t) - rail", "kp": "k", "ki": 40, "kd": 4, "limits": [-12, 12],
            "every": "T",
        }
    },
    "inputs": {"rail": "drive"},
    "outputs": {"tip": "ball.com.x", "push": "rail.effort"},
    "initial": {"swing": "start"},
    "simulate": {"until": 3},
}  # fmt: skip
SLIDE = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}
BOX = {"bodies": {"box": {"mass": 1}}, "joints": {"slide": SLIDE}}
NAMES = {
    "overhead_crane": ["travel.q", "swing.v", "drive.current"],
    "slider_crank": ["slide.q", "slide.v", "drive.current"],
    "planar_3rrr": ["platform.x.q", "crank1.v", "motor2.current"],
    "cart": ["rail.q", "rail.v", "swing.v", "rail.impulse", "pull", "tip"],
}


@cache
def _model(name):
    return cardan.Model(**CART) if name == "cart" else cardan.load(name)


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    """A function that exports a model, once in each version."""
    folder = tmp_path_factory.mktemp("fmus")

    @cache
    def made(name, version):
        return str(cardan.export_fmu(_model(name), folder / f"{name}_{version[0]}.fmu", version=version))

    return made


def moved(file, kind, names, until, **given):
    """A run of FMPy; the grid of instants misses the samples, at which both sides are right."""
    fmpy = pytest.importorskip("fmpy")
    rtol = 1e-11 if kind == "ModelExchange" else 1e-8
    return fmpy.simulate_fmu(
        file, fmi_type=kind, stop_time=until, output_interval=until / 101, relative_tolerance=rtol, output=names,
        record_events=False, **given,
    )  # fmt: skip


def slave(file, folder, **given):
    """An instance for co-simulation, the references of its variables, and a list of what one of FMI 3.0 says."""
    fmpy, fmi2, fmi3 = map(pytest.importorskip, ("fmpy", "fmpy.fmi2", "fmpy.fmi3"))
    known, said = fmpy.read_model_description(file), []
    kind = fmi2.FMU2Slave if known.fmiVersion == "2.0" else fmi3.FMU3Slave
    one = kind(
        guid=given.pop("token", known.guid), unzipDirectory=fmpy.extract(file, str(folder)),
        modelIdentifier=known.coSimulation.modelIdentifier, instanceName="a",
    )  # fmt: skip
    if kind is fmi3.FMU3Slave:
        given["logMessage"] = lambda environment, status, category, message: said.append(message.decode())
    one.instantiate(**given)
    return one, {each.name: each.valueReference for each in known.modelVariables}, said


@needs_c_compiler
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_an_fmu_moves_as_a_run_does(name, version, fmu):
    """1e-6 as agreed; the integrators' own errors at these tolerances are a tenth of that."""
    validation = pytest.importorskip("fmpy.validation")
    file = fmu(name, version)
    assert validation.validate_fmu(file) == []
    for kind in ("CoSimulation", "ModelExchange"):
        found = moved(file, kind, NAMES[name], 2.02)
        there = cardan.simulate(_model(name), times=found["time"], rtol=1e-10)
        for one in NAMES[name]:
            size = 1 + np.abs(there.array(one)).max()
            assert np.abs(found[one] - there.array(one)).max() < 1e-6 * size, (kind, one)


@needs_c_compiler
@pytest.mark.parametrize(("name", "state"), [("positioning_axis", "axis.current"), ("hopping_leg", "hip.v")])
def test_events_are_found_where_round_off_hides_them(name, state, fmu):
    """Functions that cross zero at 600/s are known to 1e-12, and steps that are cut for them may err by too much."""
    found = moved(fmu(name, "3.0"), "CoSimulation", [state], 2.02)
    there = cardan.simulate(_model(name), times=found["time"], rtol=1e-10).array(state)
    assert np.abs(found[state] - there).max() < 1e-6 * (1 + np.abs(there).max())


@needs_c_compiler
def test_names_units_and_parameters_are_those_of_the_model(fmu):
    fmpy = pytest.importorskip("fmpy")
    for version in ("3.0", "2.0"):
        description = fmpy.read_model_description(fmu("cart", version))
        found = {one.name: one for one in description.modelVariables}
        assert (found["rail.v"].unit, found["der(rail.v)"].unit, found["swing.v"].unit) == ("m/s", "m/s^2", "rad/s")
        assert (found["w"].unit, found["T"].unit) == ("rad/s", "s")
        assert found["der(rail.v)"].derivative is found["rail.v"]
        assert {name: one.causality for name, one in found.items() if name in ("m", "half", "start", "T", "tip")} == {
            "m": "parameter", "half": "calculatedParameter", "start": "local", "T": "local", "tip": "output",
        }  # fmt: skip
        (unit,) = [one for one in description.unitDefinitions if one.name == "rad/s"]
        assert (unit.baseUnit.rad, unit.baseUnit.s, unit.baseUnit.m) == (1, -1, 0)
        (shown,) = unit.displayUnits
        assert (shown.name, float(shown.factor) * 2 * np.pi) == ("rpm", pytest.approx(60))


@needs_c_compiler
@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_outputs_name_the_inputs_that_they_follow_at_once(version, tmp_path):
    """A position connected to a controller makes no algebraic loop; an acceleration does."""
    model = cardan.Model(**BOX, inputs={"slide": 0}, outputs={"x": "2*slide", "a": "slide.a"})
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu", version=version))
    known = pytest.importorskip("fmpy").read_model_description(file)
    found = {one.variable.name: [each.name for each in one.dependencies] for one in known.outputs}
    assert found == {"x": ["time", "slide.q", "slide.v"], "a": ["time", "slide", "slide.q", "slide.v"]}


@needs_c_compiler
def test_parameters_inputs_and_initial_values_are_set_before_the_run(fmu):
    crane = _model("overhead_crane")
    file = fmu("overhead_crane", "3.0")
    found = moved(file, "CoSimulation", ["swing.q"], 1.0, start_values={"mp": 2.0, "drive": 5.0, "swing.q": 0.2})
    given = {"parameters": {"mp": 2.0}, "inputs": {"drive": 5.0}, "initial": {"swing": 0.2}}
    there = cardan.simulate(crane, times=found["time"], **given)
    assert np.abs(found["swing.q"] - there.array("swing.q")).max() < 1e-6


@needs_c_compiler
def test_what_is_fixed_in_an_fmu_cannot_be_set(fmu, tmp_path):
    """A value on which the start depends, one that is computed, and a position that stops tie to others."""
    one, references, _ = slave(fmu("cart", "2.0"), tmp_path)
    one.setReal([references["m"]], [3.0])
    for name in ("start", "half", "rail.q", "tip"):
        with pytest.raises(Exception, match="fmi2SetReal failed"):
            one.setReal([references[name]], [0.1])
    one.freeInstance()


@needs_c_compiler
def test_a_calculated_parameter_follows_in_the_fmu(fmu):
    found = moved(fmu("cart", "2.0"), "CoSimulation", ["half"], 0.1, start_values={"m": 3.0})
    assert found["half"][-1] == 1.5


@needs_c_compiler
def test_a_state_of_the_fmu_is_kept_and_taken_up_again(fmu, tmp_path):
    one, references, _ = slave(fmu("cart", "3.0"), tmp_path)
    rail = references["rail.q"]
    one.enterInitializationMode()
    one.exitInitializationMode()
    one.doStep(0.0, 1.0)
    kept = one.serializeFMUState(one.getFMUState())
    one.doStep(1.0, 0.7)
    first = one.getFloat64([rail])[0]
    one.setFMUState(one.deserializeFMUState(kept))
    one.doStep(1.0, 0.7)
    assert one.getFloat64([rail])[0] == first
    one.terminate()
    one.freeInstance()


@needs_c_compiler
def test_what_cannot_be_is_refused_with_words(tmp_path):
    """Steps that lead back, numbers that are none, parameters of a run, another FMU; the run goes on after each."""
    model = cardan.Model(**BOX, inputs={"slide": 0}, parameters={"m": 1})
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu"))
    with pytest.raises(Exception, match="instantiate"):
        slave(file, tmp_path / "other", token="{other}")
    one, references, said = slave(file, tmp_path / "own")

    def refused(words, function, *arguments):
        with pytest.raises(Exception, match="failed with status 3"):
            function(*arguments)
        assert words in said.pop()

    refused("comes after fmi3ExitInitializationMode", one.doStep, 0.0, 0.1)
    one.enterInitializationMode()
    one.exitInitializationMode()
    one.setFloat64([references["slide"]], [2.0])
    one.doStep(0.0, 0.1)
    for h in (-0.1, np.nan, np.inf):
        refused("has to be above zero", one.doStep, 0.1, h)
    for now in (0.0, 0.2):
        refused("begins where the last one has ended", one.doStep, now, 0.1)
    for value in (np.nan, np.inf):
        refused("no finite number", one.setFloat64, [references["slide"]], [value])
    refused("only inputs can be set now", one.setFloat64, [references["m"]], [2.0])
    refused("no variable of this value reference", one.getFloat64, [99])
    one.doStep(0.1, 0.4)
    assert one.getFloat64([references["time"], references["slide.v"]]) == pytest.approx([0.5, 1.0], rel=1e-12)
    one.reset()
    one.enterInitializationMode(startTime=2.0)
    one.exitInitializationMode()
    assert one.getFloat64([references["time"], references["slide"], references["slide.v"]]) == [2.0, 0.0, 0.0]
    one.freeInstance()


@needs_c_compiler
def test_samples_at_communication_points_are_seen_in_event_mode(tmp_path):
    """The cart's controller samples every 5 ms: each step of 10 ms ends at a sample, which event mode makes."""
    model = _model("cart").replace(outputs={"u": "drive", "tip": "ball.com.x"})
    file = str(cardan.export_fmu(model, tmp_path / "cart.fmu", kind="CoSimulation"))
    found = pytest.importorskip("fmpy").simulate_fmu(file, stop_time=0.5, output_interval=0.01, use_event_mode=True)
    after = np.append(np.diff(found["time"]) > 0, False)  # a run of Cardan samples no more at its end
    there = cardan.simulate(model, times=found["time"], rtol=1e-10)
    for name in ("u", "tip"):
        assert np.abs(found[name] - there.array(name))[after].max() < 1e-9


@needs_c_compiler
def test_an_event_that_stops_ends_the_run(tmp_path):
    """The box falls 0.5 m in (2 · 0.5 / 9.81)^½ s."""
    event = {"when": "slide + 0.5", "do": "stop"}
    model = cardan.Model(**BOX | {"joints": {"slide": SLIDE | {"axis": "z"}}}, events={"there": event})
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu"))
    for kind in ("CoSimulation", "ModelExchange"):
        found = moved(file, kind, ["slide.q"], 1.0)
        assert abs((1 / 9.81) ** 0.5 - found["time"][-1]) < 1 / 101  # FMPy returns its own instants


@needs_c_compiler
@pytest.mark.parametrize("direction", ["rising", "either"])
def test_an_event_that_puts_its_function_back_happens_again(direction, tmp_path):
    """A clock of 1/s from 0.1 s that goes back from 1 to 0.2: at 0.9 s, 1.7 s, 2.5 s … ."""
    reset = {"when": "s - 1", "direction": direction, "do": {"set": {"s": 0.2}}}
    model = cardan.Model(**BOX, states={"s": {"rate": 1, "initial": 0.1}}, events={"back": reset})
    file = str(cardan.export_fmu(model, tmp_path / "saw.fmu"))
    for kind in ("CoSimulation", "ModelExchange"):
        found = moved(file, kind, ["s"], 4.04)
        t = found["time"]
        saw = np.where(t < 0.9, 0.1 + t, 0.2 + (t - 0.9) % 0.8)
        np.testing.assert_allclose(found["s"], saw, atol=1e-9)


@needs_c_compiler
def test_the_sources_are_those_of_the_standard(fmu, tmp_path):
    """The headers of the standard, where FMPy brings them, declare the same functions; no compiler has a warning."""
    cardan.export_fmu(cardan.Model(**BOX), tmp_path / "box_2.fmu", version="2.0")  # without parameters and outputs
    for name in ("cart", "planar_3rrr", "box"):
        file = tmp_path / "box_2.fmu" if name == "box" else fmu(name, "2.0")
        zipfile.ZipFile(file).extractall(tmp_path)
        for source, more in ((f"{name}_2.c", []), ("fmi2.c", ["-Wno-unused-parameter"])):
            run(CC, *STRICT, *more, "-fsyntax-only", tmp_path / "sources" / source, folder=tmp_path)
    headers = Path(pytest.importorskip("fmpy").__file__).parent / "c-code"
    for version in ("2.0", "3.0"):
        zipfile.ZipFile(fmu("cart", version)).extractall(tmp_path)
        words = ["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only", "-I", headers]
        file = tmp_path / "sources" / f"fmi{version[0]}.c"
        run(CC, *words, "-include", f"fmi{version[0]}Functions.h", file, folder=tmp_path)


def test_other_systems_are_compiled_with_zig(tmp_path, monkeypatch):
    """The command alone: the first one for a system makes zig compile its C library, which takes minutes."""

    def run(words, cwd, **given):
        assert words[1:6] == ["-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]
        (cwd / words[words.index("-o") + 1]).write_bytes(b"MZ")
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "ziglang")
    monkeypatch.setattr("subprocess.run", run)
    file = cardan.export_fmu(cardan.Model(**BOX), tmp_path / "box.fmu", version="2.0", systems=["x86_64-windows"])
    with zipfile.ZipFile(file) as archive:
        assert archive.read("binaries/win64/box.dll") == b"MZ"


def test_what_a_compiler_says_is_passed_on(tmp_path, monkeypatch):
    monkeypatch.setattr("subprocess.run", lambda words, **given: subprocess.CompletedProcess(words, 1, "", "no space"))
    with pytest.raises(ModelError, match=r"the compiler failed for .*no space"):
        cardan.export_fmu(cardan.Model(**BOX), tmp_path / "box.fmu")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"version": "1.0"}, "there is no version '1.0' of FMUs"),
        ({"kind": "Cosimulation"}, "did you mean 'CoSimulation'"),
        ({"systems": ["x86_64-macos"]}, "there is no system 'x86_64-macos'"),
        ({"path": "box.zip"}, "name a file that ends in .fmu"),
        ({"parameters": {"q": 1}}, "there is no parameter 'q'"),
    ],
)
def test_wrong_calls(given, words, tmp_path):
    path = tmp_path / given.get("path", "box.fmu")
    with pytest.raises(ModelError, match=words):
        cardan.export_fmu(cardan.Model(**BOX), **{"path": path} | {k: v for k, v in given.items() if k != "path"})


def test_files_and_folders(tmp_path):
    (tmp_path / "box.fmu").write_text("mine")
    with pytest.raises(FileExistsError):
        cardan.export_fmu(cardan.Model(**BOX), tmp_path / "box.fmu")
    with pytest.raises(FileNotFoundError):
        cardan.export_fmu(cardan.Model(**BOX), tmp_path / "nowhere" / "box.fmu")


def test_python_functions_are_refused(tmp_path):
    law = {"slide": {"every": "10 ms", "of": ["slide"], "value": lambda x: -x}}
    with pytest.raises(ModelError, match="an FMU calls no Python"):
        cardan.export_fmu(cardan.Model(**BOX), tmp_path / "box.fmu", inputs=law)


def test_without_a_compiler_the_cure_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="pip install ziglang"):
        cardan.export_fmu(cardan.Model(**BOX), tmp_path / "box.fmu")


@needs_c_compiler
def test_tables_stay_inside_and_others_name_their_cure(tmp_path):
    """A box that is pushed by 1 N for 0.5 s, then by 3 N: x = t²/2, then 1/8 + (t − 1/2)/2 + 3 (t − 1/2)²/2 [m]."""
    table = {"table": [[0, 1], [0.5, 3]], "interpolation": "step"}
    model = cardan.Model(**BOX, parameters={"x": 3}, outputs={"x": "2*slide"})  # two variables of one name
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu", inputs={"slide": table}))
    found = moved(file, "CoSimulation", ["slide.q", "x (output)"], 1.0)
    s = np.maximum(found["time"] - 0.5, 0)
    x = np.where(s > 0, 0.125 + s / 2 + 3 * s**2 / 2, found["time"] ** 2 / 2)
    np.testing.assert_allclose(found["slide.q"], x, atol=1e-12)
    np.testing.assert_allclose(found["x (output)"], 2 * x, atol=1e-12)
    cubic = {"table": [[0, 1], [0.5, 3], [1, 2], [2, 0]], "interpolation": "cubic"}
    with pytest.raises(ModelError, match="no cubic tables of the time"):
        cardan.export_fmu(model, tmp_path / "cubic.fmu", inputs={"slide": cubic})


@needs_c_compiler
@pytest.mark.parametrize("force", [{"table": [[0, 0], [0.5, 0.8], [2, 0.8]]}, "0.8*sin(pi/2*t)"])
def test_a_force_at_the_limit_of_static_friction_moves_nothing(force, tmp_path):
    rough = SLIDE | {"friction": {"effort": 0.6, "static": 0.8}}
    model = cardan.Model(**BOX | {"joints": {"slide": rough}}, inputs={"slide": force})
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu"))
    for kind in ("CoSimulation", "ModelExchange"):
        assert moved(file, kind, ["slide.q"], 1.01)["slide.q"][-1] == 0.0  # through t = 1 s, where it touches


@needs_c_compiler
def test_the_names_of_its_own_sources_stay_free(tmp_path):
    """A model named fmi3 is no reason for two files fmi3.c."""
    cardan.export_fmu(cardan.Model(**BOX), tmp_path / "fmi3.fmu", kind="CoSimulation")
    with zipfile.ZipFile(tmp_path / "fmi3.fmu") as archive:
        assert {"sources/fmi3.c", "sources/fmi3_model.c"} <= set(archive.namelist())


@needs_c_compiler
def test_a_switching_that_begins_at_zero_is_seen(tmp_path):
    """A box that leaves a one-sided spring at the start moves on at its speed: x = −t."""
    push = {"type": "force", "child": "box", "value": ["-25*max(slide, 0)", 0, 0]}
    model = cardan.Model(**BOX, forces={"spring": push}, initial={"slide.v": -1})
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu"))
    for kind in ("CoSimulation", "ModelExchange"):
        found = moved(file, kind, ["slide.q"], 1.0)
        np.testing.assert_allclose(found["slide.q"], -found["time"], atol=1e-9)


@needs_c_compiler
def test_a_motion_that_cannot_go_on_ends_with_words(fmu):
    """Without length the pendulum of the crane has no inertia."""
    fmpy, told = pytest.importorskip("fmpy"), []

    def log(environment, status, category, message):
        told.append(message.decode())

    with pytest.raises(fmpy.fmi1.FMICallException):
        fmpy.simulate_fmu(
            fmu("overhead_crane", "3.0"), stop_time=0.1, fmi_type="CoSimulation", start_values={"L": 0.0}, logger=log
        )
    assert told == ["no step is short enough: a rate is not finite, or the motion grows without bound"]


@needs_c_compiler
def test_loops_stay_closed_while_an_importer_integrates(tmp_path):
    """Ten seconds, 25 turns: drift that no one brings back grows e-fold with every half turn, to some rad here."""
    model = cardan.load("four_bar")
    file = str(cardan.export_fmu(model, tmp_path / "bar.fmu", kind="ModelExchange"))
    found = moved(file, "ModelExchange", ["A.q", "B.q", "D.q"], 10.0)
    q = np.array([found[name] for name in ("A.q", "B.q", "D.q")]).T
    assert np.abs(cardan.compile(model).constraint(q)).max() < 1e-9
    there = cardan.simulate(model, times=found["time"], rtol=1e-10)
    assert np.abs(found["A.q"] - there.array("A.q")).max() < 1e-3


def test_other_programs_are_refused(tmp_path):
    plc = {"type": "fmu", "file": "plc.fmu", "every": 0.01, "inputs": {"a": "slide"}, "outputs": {"u": "u"}}
    model = cardan.Model(**BOX, controllers={"plc": plc}, inputs={"slide": "plc.u"})
    with pytest.raises(ModelError, match=r"controllers\.plc: an exported model calls no other FMU"):
        cardan.export_fmu(model, tmp_path / "box.fmu")


@needs_c_compiler
def test_bounces_end_and_each_is_an_event(tmp_path):
    """A mass from 0.5 m with e = 0.6 rests after (2 h/g)^½ (1 + e)/(1 − e) = 1.28 s; all its bounces are counted."""
    fall = SLIDE | {"axis": "z", "limits": {"lower": 0, "restitution": 0.6}}
    count = {"when": "slide.v", "direction": "rising", "do": {"set": {"hits": "hits + 1"}}}
    states = {"hits": {"rate": 0, "initial": 0}}
    model = cardan.Model(
        **BOX | {"joints": {"slide": fall}}, states=states, events={"hit": count}, initial={"slide": 0.5}
    )
    file = str(cardan.export_fmu(model, tmp_path / "box.fmu"))
    found = moved(file, "CoSimulation", ["slide.q", "slide.v", "hits"], 1.5)
    there = cardan.simulate(model, times=found["time"])
    assert np.abs(found["slide.q"] - there.array("slide.q")).max() < 1e-9
    assert (found["hits"] == there.array("hits")).all()
    rest = (2 * 0.5 / 9.81) ** 0.5 * (1 + 0.6) / (1 - 0.6)
    assert (found["slide.v"][found["time"] > rest] == 0).all()
    found = moved(file, "ModelExchange", ["slide.q", "slide.v"], 1.5)
    there = cardan.simulate(model, times=found["time"])
    assert np.abs(found["slide.q"] - there.array("slide.q")).max() < 1e-6
    assert (found["slide.v"][found["time"] > rest] == 0).all()
