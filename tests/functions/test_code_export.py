"""Exported source: the numbers of machine code in every language, without Cardan; words, names, refusals."""

import os
import re
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

import cardan
from cardan.assembly.start import ready_system
from cardan.errors import ModelError
from cardan.functions.source import default_names, source
from tests.c_compiler import call, library, needs_c_compiler
from tests.mechanisms import random_state
from tests.selection import few

ROUND_OFF = 1e-12
"""The same instructions in another order of rounding (fused products, sine and cosine within 2 ulp): some hundred
operations on numbers of order one, and solutions of linear systems whose condition is below a hundred."""

PUSH = {"type": "force", "child": "payload", "value": ["mp*sin(3*t)", 0, 0]}


TOP = {
    "name": "top on a rail",
    "parameters": {"m": 2, "k": "30 N/m"},
    "bodies": {
        "trolley": {"mass": 1},
        "top": {"mass": "m", "com": [0.1, 0, 0.3], "inertia": [0.1, 0.2, 0.05]},
        "weight": {"mass": 0.5, "inertia": [0.01, 0.02, 0.03]},
    },
    "joints": {
        "rail": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x", "stiffness": "k"},
        "ball": {"type": "spherical", "parent": "trolley", "child": "top", "damping": 0.01},
        "slide": {"type": "cylindrical", "parent": "top", "child": "weight", "axis": "z", "stiffness": [5, 1]},
    },
}


MAP = {
    "bodies": {"box": {"mass": 2}},
    "joints": {"slide": {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}},
    "let": {
        "push": {
            "of": ["slide", "slide.v"],
            "table": [[x, y, x * y - y**2] for x in (-2, -0.5, 1, 3) for y in (-2, 0, 0.3, 2)],
            "interpolation": "cubic",
            "outside": "extend",
        }
    },
    "forces": {"wind": {"type": "force", "child": "box", "value": ["push", 0, 0]}},
    "events": {"fast": {"when": "slide.v - 1", "do": "stop"}},
}


def _models():
    crane = cardan.load("overhead_crane")
    return {
        **{f"crane_{motors}": (crane, motors) for motors in ("full", "simplified", "none")},
        "timed_crane": (crane.replace(forces={"push": PUSH}), "full"),
        "scara": (cardan.load("scara"), "full"),
        "loops": (cardan.load("planar_3rrr"), "full"),
        "loop_in_space": (cardan.load("four_bar_spatial"), "none"),
        "redundant": (cardan.load("door_two_hinges"), "none"),
        "quaternions": (cardan.Model(**TOP), "full"),
        "friction": (cardan.load("stick_slip_slider"), "none"),
        "stops": (cardan.load("door_closer"), "none"),
        "load_friction": (cardan.load("screw_press"), "full"),
        "given_reaction": (cardan.load("shaper"), "none"),
        "program": (cardan.load("digging_machine"), "none"),
        "cubic_table": (cardan.Model(**MAP), "none"),
        "drive": (cardan.load("positioning_axis"), "full"),
        "warm_drive": (cardan.load("servo_slider_crank"), "full"),
    }


MODELS = _models()
every_model = pytest.mark.parametrize("name", few(MODELS, 5))


def _functions(model, motors):
    """All functions that a model has, the Jacobian of its last body among them."""
    return (
        *default_names(ready_system(model, motors)),
        "coriolis_matrix",
        "regressor",
        f"jacobian:{_last_body(model)}",
    )


def _last_body(model):
    return list(model.bodies)[-1]


@cache
def _states(name, count=3):
    """A batch of states with all that the functions take, near the assembled position where there are loops."""
    model, motors = MODELS[name]
    dyn = cardan.compile(model, motors)
    rng = np.random.default_rng(1)
    system = dyn.system
    nq, nv = system.tree.nq, system.tree.nv
    if system.tree.cuts or system.tree.constraints:
        start = cardan.assemble(model)
        q = np.array(list(start.q.values())) + 0.01 * rng.normal(size=(count, nq))
    else:
        q = np.array([random_state(model, seed)[0] for seed in range(count)])
    v, a, tau = rng.normal(size=(3, count, nv))
    u, z = rng.normal(size=(count, len(system.input_names))), rng.normal(size=(count, system.nx - nq - nv))
    return {"q": q, "v": v, "a": a, "tau": tau, "u": u, "x": np.hstack([q, v, z]), "t": np.full(count, 0.7)}


@cache
def _expected(name):
    """What machine code gives for the states: arrays of each function, in the order of its outputs."""
    model, motors = MODELS[name]
    dyn, states = cardan.compile(model, motors), _states(name)
    out = {}
    for routine in _source(name).routines:
        method = "jacobian" if routine.name.startswith("jacobian") else routine.name
        more = (_last_body(model),) if method == "jacobian" else ()
        inputs = [states[one.name] for one in routine.inputs if one.name not in ("t", "p")]
        found = getattr(dyn, method)(*inputs, *more, t=states["t"])
        found = found.values() if isinstance(found, dict) else found if isinstance(found, tuple) else [found]
        out[routine.name] = [np.asarray(one) for one in found]
    return out


@cache
def _source(name):
    model, motors = MODELS[name]
    return source(ready_system(model, motors), _functions(model, motors), name)


def _compare(name, got):
    for function, expected in _expected(name).items():
        for one, other in zip(got[function], expected, strict=True):
            scale = max(1.0, np.max(np.abs(other)))
            np.testing.assert_allclose(one.reshape(other.shape), other, rtol=ROUND_OFF, atol=ROUND_OFF * scale)


def _export(name, folder, ending):
    model, motors = MODELS[name]
    return cardan.export(model, folder / f"{name}{ending}", functions=_functions(model, motors), motors=motors)


@needs_c_compiler
@every_model
def test_c_gives_the_numbers_of_machine_code(name, tmp_path):
    loaded = library(_export(name, tmp_path, ".c")[1])
    states, count = _states(name), 3
    p = np.array(list(_source(name).listings[5].values))
    got = {}
    for routine in _source(name).routines:
        outs = [np.full((count, *one.shape), 7.0) for one in routine.outputs]
        for k in range(count):
            inputs = [
                p if one.name == "p" else states[one.name][k].copy() if one.shape else float(states[one.name][k])
                for one in routine.inputs
            ]
            made = [np.full(one.shape, 7.0) for one in routine.outputs]
            call(getattr(loaded, f"{name}_{routine.name}"), *inputs, *made)
            for out, one in zip(outs, made, strict=True):
                out[k] = one
        got[routine.name] = outs
    _compare(name, got)


ALONE = """
import sys
sys.modules["cardan"] = None  # importing it fails from here on
import numpy as np
data = dict(np.load("states.npz"))
words = {words}
out = {{}}
for function, inputs in words.items():
{body}
    for i, one in enumerate(found):
        out[f"{{function}} {{i}}"] = one
np.savez("out.npz", **out)
"""
PYTHON = """
    import made
    found = getattr(made, function)(**{key: data[key] for key in inputs if key != "p"})
    found = found.values() if isinstance(found, dict) else [found]
"""
CASADI = """
    import casadi, json
    f = casadi.Function.load(f"made_{function}.casadi")
    p = json.load(open("made.json"))["arrays"]["p"].get("values", [])
    rows = [f.call([p if key == "p" else data[key][k] for key in inputs]) for k in range(3)]
    found = [np.array([np.array(row[i]) for row in rows]) for i in range(f.n_out())]
"""


def _alone(name, folder, body):
    """Results of a process that cannot import Cardan."""
    words = {routine.name: [one.name for one in routine.inputs] for routine in _source(name).routines}
    np.savez(folder / "states.npz", **_states(name))
    code = ALONE.format(words=words, body=body)
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    out = np.load(folder / "out.npz")
    return {
        routine.name: [out[f"{routine.name} {i}"] for i in range(len(routine.outputs))]
        for routine in _source(name).routines
    }


@every_model
def test_python_gives_the_numbers_of_machine_code_without_cardan(name, tmp_path):
    model, motors = MODELS[name]
    cardan.export(model, tmp_path / "made.py", functions=_functions(model, motors), motors=motors)
    _compare(name, _alone(name, tmp_path, PYTHON))


@pytest.mark.parametrize("name", ["crane_full", "timed_crane", "loops", "quaternions"])
def test_casadi_functions_give_the_numbers_of_machine_code_without_cardan(name, tmp_path):
    model, motors = MODELS[name]
    cardan.export(model, tmp_path / "made.casadi", functions=_functions(model, motors), motors=motors)
    _compare(name, _alone(name, tmp_path, CASADI))


def test_the_same_model_gives_the_same_text(tmp_path):
    code = "import cardan; [cardan.export(cardan.load('scara'), '.', to=to) for to in ('c', 'casadi')]"
    texts = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env=environment, capture_output=True)
        texts.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert texts[0] == texts[1]
    assert {path.rpartition(".")[2] for path in texts[0]} == {"c", "h", "casadi", "json"}


@pytest.fixture
def crane():
    """The model of the gallery."""
    return cardan.load("overhead_crane")


def test_header_says_what_a_reader_needs(crane, tmp_path):
    header, code = cardan.export(crane, tmp_path / "crane.c", parameters={"mp": "1200 g"})
    words = header.read_text()
    for text in (
        "overhead crane: equations of motion",
        f"source: {crane.source}",
        f"version {cardan.__version__}",
        "motors: full (voltages in, currents are states)",
        "[4]  drive.current  [A]",
        "[1]   mp  1.2    [kg]      1200 g",
        "void crane_mass_matrix(const double *q, const double *p, double *M);",
        "CRANE_NX = 5",
    ):
        assert text in words
    assert "2.0, 1.2, 0.7" in code.read_text()


def test_parameters_written_as_angles_are_in_radians(tmp_path):
    model = cardan.load("overhead_crane").replace(
        parameters={**cardan.load("overhead_crane").parameters, "tilt": "30 deg", "half": "tilt/2", "n": "2*pi/3"}
    )
    header, code = cardan.export(model, tmp_path / "tilted.c", functions=["mass_matrix"], motors="none")
    units = re.search(r"tilted_p_units\[\d+\] = \{(.*)\};", code.read_text())
    assert units is not None
    assert units[1].endswith('"rad", "rad", "SI"')
    assert "[rad]" in header.read_text()


def test_inertial_parameters_come_with_the_regressor(crane, tmp_path):
    cardan.export(crane, tmp_path / "crane.py", functions=["regressor", "bias"], motors="none")
    names: dict = {}
    exec((tmp_path / "crane.py").read_text(), names)
    assert names["INERTIAL_NAMES"][10] == "payload.mass"
    assert names["INERTIAL"][[0, 10, 13]] == pytest.approx(
        [2, 0.85, -0.85 * 0.7]
    )  # mass and first moment about its origin
    q, v = [0.1, 0.3], [0.2, -0.5]
    weight = names["regressor"](q, v, [0, 0]) @ names["INERTIAL"]
    assert weight == pytest.approx(names["bias"](q, v) - np.array([2.0 * v[0], 0]), rel=1e-12)  # friction is no inertia


def test_a_model_without_parameters_has_none_in_its_files(tmp_path):
    slide = {"type": "prismatic", "parent": "ground", "child": "c", "axis": "x"}
    plain = cardan.Model(bodies={"c": {"mass": 2}}, joints={"s": slide})
    cardan.export(plain, tmp_path / "slide.py", functions=["regressor", "mass_matrix"])
    header, _ = cardan.export(plain, tmp_path / "slide.c")
    names: dict = {}
    exec((tmp_path / "slide.py").read_text(), names)
    assert names["mass_matrix"]([0.0]) == [[2.0]]
    assert names["INERTIAL"][0] == 2
    assert "void slide_mass_matrix(const double *q, double *M);" in header.read_text()


def test_functions_of_constraints_come_where_there_are_any(crane):
    loops = default_names(ready_system(cardan.load("planar_3rrr"), "full"))
    assert set(loops) - set(default_names(ready_system(crane, "full"))) == {"constraint", "constraint_jacobian"}


def test_efforts_of_accelerations_are_left_out_where_friction_follows_loads_in_loops(tmp_path):
    crank = cardan.load("slider_crank")
    slide = crank.joints["slide"].replace(friction={"coefficient": 0.1})
    model = crank.replace(joints={**crank.joints, "slide": slide})
    (file,) = cardan.export(model, tmp_path / "crank.py")
    header = " ".join(file.read_text().split('"""')[1].split())
    assert "left out: inverse_dynamics and bias, since the friction of 'slide' follows its load" in header
    wanted = set(default_names(ready_system(crank, "full"))) - {"inverse_dynamics", "bias"}
    assert set(default_names(ready_system(model, "full"))) == wanted
    (file,) = cardan.export(model, tmp_path / "mass.py", functions=["mass_matrix"])
    assert "inverse_dynamics" not in file.read_text()


def test_not_a_number_stays_visible(crane, tmp_path):
    cardan.export(crane, tmp_path / "crane.py", functions=["forward_dynamics"])
    names = {}
    exec((tmp_path / "crane.py").read_text(), names)
    assert np.isnan(names["forward_dynamics"]([0, np.nan], [0, 0], [0, 0])).all()
    assert np.isnan(names["forward_dynamics"]([0, 0], [0, 0], [0, 0], p=0 * names["P"])).all()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x.c", {"functions": ["mass_matrx"]}, r"there is no function 'mass_matrx' to export\n.*'mass_matrix'"),
        ("x.c", {"functions": ["constraint"]}, r"'constraint' has nothing to compute.*\n.*leave it out"),
        ("x.c", {"functions": ["jacobian"]}, r"'jacobian' of which place\?\n.*jacobian:trolley"),
        ("x.c", {"functions": ["jacobian:pay"]}, r"there is no body or marker 'pay'\n.*payload"),
        ("x.c", {"functions": ["bias:payload"]}, r"'bias' takes no 'payload'\n.*write bias"),
        ("x.c", {"parameters": {"mpp": 1}}, r"there is no parameter 'mpp'\n.*'mp'"),
        ("x.c", {"parameters": {"mp": "1 m"}}, r"length"),
        ("x.c", {"motors": "all"}, r"motors='all' is not possible"),
        ("x.c", {"to": "rust"}, r"cannot export to 'rust'\n.*c, python, casadi"),
        ("x.c", {"to": "python"}, r"x.c' is no file of the language python\n.*ends in \.py, or a folder that exists"),
        ("x.txt", {}, r"does not say which language\n.*c, python, casadi.*\.c, \.py, \.casadi"),
        (".", {}, r"does not say which language"),
        ("my crane.c", {}, r"'my crane' cannot begin the names.*\n.*call it my_crane\.c"),
        ("math.py", {}, r"'math' cannot begin the names.*\n.*call it math_model\.py"),
    ],
)
def test_refusals(crane, tmp_path, monkeypatch, name, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=message):
        cardan.export(crane, name, **options)
    assert not list(tmp_path.iterdir())


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="is not a model"):
        cardan.export("overhead_crane", tmp_path / "x.c")


def test_a_folder_that_is_not_there(crane, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder.*nowhere"):
        cardan.export(crane, tmp_path / "nowhere" / "x.c")


def test_files_that_exist_are_kept_unless_told_otherwise(crane, tmp_path):
    (tmp_path / "x.h").write_text("mine")
    with pytest.raises(FileExistsError, match=r"was not to be overwritten.*x\.h"):
        cardan.export(crane, tmp_path / "x.c")
    assert [file.name for file in tmp_path.iterdir()] == ["x.h"]
    cardan.export(crane, tmp_path / "x.c", overwrite=True)
    assert "overhead crane" in (tmp_path / "x.h").read_text()


def test_a_folder_takes_files_named_after_the_model(crane, tmp_path):
    assert [file.name for file in cardan.export(crane, tmp_path, to="python")] == ["overhead_crane.py"]
    nameless = crane.replace(name="")
    assert [file.name for file in cardan.export(nameless, tmp_path, to="python")] == ["model.py"]
