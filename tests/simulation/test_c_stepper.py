"""A step in C moves as `simulate` does with the same method and step, says what it computes, and refuses events."""

import ctypes

import numpy as np
import pytest
from tests.c_compiler import library, needs_c_compiler

import cardan
from cardan.errors import ModelError

PUSHED = {
    "name": "pushed ball",
    "parameters": {"k": 3},
    "bodies": {"ball": {"mass": 2, "inertia": [0.1, 0.2, 0.3]}},
    "joints": {"free": {"type": "free", "parent": "ground", "child": "ball"}},
    "forces": {"push": {"type": "force", "child": "ball", "value": ["k*sin(3*t)", "-free.x", 0]}},
    "initial": {"free.wx": 1, "free.wy": 2, "free.vz": 0.5},
    "simulate": {"until": 0.2},
}


class State(ctypes.Structure):
    """The start of NAME_state."""

    _fields_ = (("t", ctypes.c_double), ("x", ctypes.c_double * 200))


def moved(model, folder, method, dt, steps):
    """The states at the ends of the steps (steps + 1, nx)."""
    cardan.export(model, folder / "made.c", stepper=method)
    code, setup = library(folder / "made.c"), cardan.prepare(model, until=1.0, embed=False)
    nx = setup.conditions.system.nx
    u = (ctypes.c_double * 20)(*setup.conditions.segments.c0[0])
    p = (ctypes.c_double * 200)(*setup.conditions.p)
    state, out = State(), []
    code.made_init(ctypes.byref(state))
    out.append(state.x[:nx])
    for _ in range(steps):
        assert code.made_step(ctypes.byref(state), u, p, ctypes.c_double(dt)) == 0
        out.append(state.x[:nx])
    return np.array(out)


@needs_c_compiler
@pytest.mark.parametrize("name", ["overhead_crane", "slider_crank", "planar_3rrr", "pushed ball"])
@pytest.mark.parametrize("method", ["rk4", "semi_implicit_euler", "tsit5"])
def test_a_step_moves_as_a_run_does(name, method, tmp_path):
    """With fixed steps the numbers differ by round-off alone, with others by the tolerance of both."""
    model = cardan.Model(**PUSHED) if name == "pushed ball" else cardan.load(name)
    dt, steps = 5e-4, 200
    found = moved(model, tmp_path, method, dt, steps)
    fixed = {} if method == "tsit5" else {"step": dt}
    times = dt * np.arange(steps + 1)
    there = cardan.simulate(model, times=times, method=method, embed=False, **fixed)
    scale = 1 + np.abs(there.x).max(axis=0)
    assert np.abs((found - there.x) / scale).max() < (1e-6 if method == "tsit5" else 1e-9)


def test_a_step_says_what_it_computes(tmp_path):
    """Four derivatives and the sums of rk4: counted by hand for a mass on a spring, dx = (v, -(k/m) q)."""
    box = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x", "stiffness": 50}
    model = cardan.Model(bodies={"box": {"mass": 2}}, joints={"slide": box})
    cardan.export(model, tmp_path / "box.c", stepper="rk4")
    header = (tmp_path / "box.h").read_text()
    rate = 2 * (1 + 0)  # two operations of the derivative at most beside the sums
    words = header[header.index("a step takes at most") :].split()
    sums = 2 * 2 * (1 + 2 + 3 + 4 + 5) + 2 + 3 * 4 + 4  # rows of the tableau, the test of the end, instants
    assert sums < int(words[5]) <= sums + 4 * (rate + 2)
    assert "functions of <math.h>: none" in header


DAMPED = {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ({"joints": {"slide": DAMPED | {"friction": {"effort": 1}}}}, "a step in C has no events, and 'slide'"),
        (
            {"joints": {"slide": DAMPED}, "events": {"there": {"when": "slide - 1", "do": "stop"}}},
            "events.there: a step in C has no events",
        ),
        (
            {"joints": {"slide": DAMPED}, "inputs": {"slide": {"every": 0.1, "value": "-slide"}}},
            "a step in C samples no controllers",
        ),
    ],
)
def test_what_happens_within_a_step_is_refused(model, words, tmp_path):
    with pytest.raises(ModelError, match=words):
        cardan.export(cardan.Model(bodies={"box": {"mass": 1}}, **model), tmp_path / "box.c", stepper="rk4")


def test_wrong_calls(tmp_path):
    crane = cardan.load("overhead_crane")
    with pytest.raises(ModelError, match="there is no stepper 'rk5'"):
        cardan.export(crane, tmp_path / "crane.c", stepper="rk5")
    with pytest.raises(ModelError, match="a step is written in C alone"):
        cardan.export(crane, tmp_path / "crane.py", stepper="rk4")
