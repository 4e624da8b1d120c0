"""Exported controllers: sample by sample the values of a simulated run, from what it measured; words and refusals."""

import numpy as np
import pytest

import cardan
from cardan.assembly.start import ready_system
from cardan.errors import ModelError
from cardan.functions.source import source
from tests.c_compiler import call, library, needs_c_compiler

ROUND_OFF = 1e-12
"""Relative to the largest held value: a few dozen operations, in the same order but for fused products."""

AXIS = {
    "gravity": [0, "-g", 0],
    "parameters": {"kp": 4, "fast": "1 ms", "wanted": "0.5 rad", "g": 9.81},
    "bodies": {
        "disc": {"mass": 1, "inertia": [0, 0, 2e-3]},
        "other": {"mass": 0.1, "com": [0.1, 0, 0], "inertia": [0, 0, 1e-2]},
    },
    "joints": {
        "shaft": {"type": "revolute", "parent": "ground", "child": "disc", "axis": "z", "damping": 1e-3},
        "twist": {"type": "revolute", "parent": "disc", "child": "other", "axis": "z", "stiffness": 3},
    },
    "drives": {
        "a": {"joint": "shaft", "source": {"type": "dc", "resistance": 1, "inductance": "2 mH", "constant": 0.08}},
        "b": {"joint": "twist", "source": {"type": "dc", "resistance": 1, "inductance": "2 mH", "constant": 0.05}},
    },
    "paths": {"go": {"from": {"shaft": 0}, "to": {"shaft": 1}, "duration": 0.2}},
    "controllers": {
        "slow": {"type": "pid", "error": "wanted - twist", "kp": 0.3, "ki": 2, "kd": 0.01,
                 "noise": 1e-3, "quantum": "0.3 mrad", "deadband": 1e-3,
                 "limits": 0.2, "every": "3*fast"},
        "a": {"type": "cascade", "drive": "a", "follow": "go.shaft", "position": {"kp": 30}, "every": "fast",
              "speed": {"kp": "kp/8", "time": "30 ms", "limits": 4}, "current": {"kp": 3, "time": "2 ms", "limits": 12},
              "feed_forward": "slow", "computing_delay": "2 ms"},
        "back": {"type": "state_feedback", "gains": {"shaft": 2, "twist.v": 0.1}, "every": "2 ms"},
        "law": {"type": "computed_torque", "accelerations": {"shaft": "-shaft", "twist": "go.shaft.a"},
                "model": {"masses": 1.1}, "every": "2 ms"},
    },
    "inputs": {"b": {"every": "2 ms", "value": "0.01*back + 0.5*b.sampled + 5*law.twist"}},
    "states": {"count": {"next": "count + 1", "every": "fast", "initial": 3}},
    "initial": {"twist": 0.3},
}  # fmt: skip
"""Three periods; delay, noise, quantum, dead band, limits, a path, and the equations of a copy of the model."""
REST = {
    "bodies": {"arm": {"mass": 5, "com": [0.3, 0, 0], "inertia": [0.1, 0.1, 0.1]}},
    "joints": {"r1": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "y", "damping": 0.2}},
    "drives": {
        "a1": {
            "joint": "r1",
            "source": {"type": "dc", "resistance": 0.5, "inductance": "1 mH", "constant": 0.06, "inertia": 1e-4},
            "train": [{"shaft": {"stiffness": 20, "damping": 0.01}}, {"gear": 80}],
        }
    },
    "paths": {"go": {"from": {"r1": 0}, "to": {"r1": 1.5}, "max_speed": 3, "max_acceleration": 10}},
    "controllers": {"a1": {"type": "cascade", "drive": "a1", "follow": "go.r1", "position": {"kp": 20},
                           "speed": {"kp": 0.05, "time": "40 ms", "limits": 24}, "every": "1 ms"}},
    "initial": {"at": "go", "equilibrium": True},
}  # fmt: skip
"""Its integral holds the weight from the start on."""


def _steps(model, folder, samples):
    """What exported controllers hold after each step and give out, by name, and the run whose signals they measured."""
    made = library(cardan.export(model, folder / "axis.c", functions=["controllers"])[1])
    words = source(ready_system(model, "full"), ["controllers"])
    names = {listing.symbol: listing.names for listing in words.listings}
    run = cardan.simulate(model, times=words.stepping.period * np.arange(samples + 1), rtol=1e-6)
    measured = np.stack([run.array(name) for name in names["measured"]], axis=1)
    state = np.full(len(names["held"]) + 1, 7.0)  # the struct: held values and the number of the step
    call(made.axis_controllers_init, state)
    held, outputs = [], []
    for row in measured[:-1]:
        y = np.full(len(names["outputs"]), 7.0)
        call(made.axis_controllers_step, state, row.copy(), np.array(words.listings[0].values), y)
        held.append(state[:-1].copy())
        outputs.append(y)
    named = (dict(zip(names[key], np.transpose(x), strict=True)) for key, x in (("held", held), ("outputs", outputs)))
    return run, *named


@needs_c_compiler
@pytest.mark.parametrize("name", ["axis", "rest", "balancing_robot", "servo_slider_crank"])
def test_c_controllers_are_those_of_the_run(name, tmp_path):
    made = {"axis": AXIS, "rest": REST}
    model = cardan.Model(**made[name]) if name in made else cardan.load(name)
    run, held, outputs = _steps(model, tmp_path, 300)
    for key, values in held.items():
        expected = run.array(key)[:-1]
        np.testing.assert_allclose(values, expected, rtol=0, atol=ROUND_OFF * np.abs(expected).max(initial=1e-300))
        assert np.ptp(values) > 0
    driven = {"axis": ["a", "b"], "rest": ["a1"], "balancing_robot": ["left_drive", "right_drive"]}.get(name, ["servo"])
    assert list(outputs)[: len(driven)] == driven
    result = {"axis": "a.held", "rest": "a1.held", "balancing_robot": "balance.held"}.get(name, "servo.held")
    np.testing.assert_array_equal(outputs[driven[0]], held[result])


def test_python_has_the_same_function(tmp_path):
    model = cardan.load("balancing_robot")
    (file,) = cardan.export(model, tmp_path / "robot.py", functions=["controllers"])
    names: dict = {}
    exec(file.read_text(), names)
    held, (left, right, u) = names["controllers"](0, [0.1, 0, 0.2, 0])
    assert names["MEASURED_NAMES"] == ("tilt.q", "left.q", "tilt.v", "left.v")
    assert left == right == u == held[0] == pytest.approx(37.0928 * 0.1 + 6.5321 * 0.2, rel=1e-12)
    assert names["controllers"](0, [1, 0, 0, 0])[1][0] == 12  # its limit


def test_header_says_what_a_step_takes(tmp_path):
    files = cardan.export(cardan.load("servo_slider_crank"), tmp_path / "servo.c", functions=["controllers"])
    words = files[0].read_text()
    for text in (
        "slider-crank with a servo drive: sampled controllers",
        "controllers: sampled, one step every 0.001 s",
        "[0]  servo.integral  0.0  [SI]  every 1 ms",
        "[0]  crank.v  [rad/s]",
        "[0]  servo  [V]",
        "void servo_controllers_init(servo_controllers_state *state);",
    ):
        assert text in words
    assert "inertia" not in words
    both = cardan.export(
        cardan.load("servo_slider_crank"), tmp_path / "both.c", functions=["mass_matrix", "controllers"]
    )
    assert "void both_mass_matrix(" in both[0].read_text()
    assert "void both_controllers_step(" in both[0].read_text()


SLIDE = {
    "bodies": {"c": {"mass": 1}},
    "joints": {"s": {"type": "prismatic", "parent": "ground", "child": "c", "axis": "x"}},
}
COUNT = {"next": "n + s", "every": "1 ms"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": {"s": "-s"}}, r"inputs.s: the input follows 's' also between samples\n.*every: 1 ms"),
        ({"inputs": {"s": "n + t"}, "states": {"n": COUNT}}, r"inputs.s: the input follows 't' also between samples"),
        ({"inputs": {"s": "sin(t)"}}, r"no sampled controllers to export\n.*every: 1 ms"),
        ({"states": {"n": COUNT}}, r"no output follows sampled values alone\n.*outputs"),
        (
            {
                "states": {"n": COUNT, "m": {"next": "n", "every": "sqrt(2)*ms"}},
                "parameters": {"ms": 1e-3},
                "outputs": {"o": "n"},
            },
            r"the periods 0.001 s and 0.00141421 s are no multiples of one period\n.*1 ms and 5 ms",
        ),
        ({"events": {"e": {"when": "s - 1", "do": {"set": {"s": 0}}}}}, r"events.e: the event sets 's'"),
        (
            {"states": {"n": COUNT}, "events": {"e": {"when": "s - 1", "do": {"set": {"n": 0}}}}},
            r"events.e: the event sets 'n', and exported controllers have no events\n.*if\(…\)",
        ),
    ],
)
def test_what_no_step_can_do_is_refused(changes, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        cardan.export(cardan.Model(**SLIDE, **changes), tmp_path / "x.c", functions=["controllers"])


def test_continuous_controllers_of_drives_are_refused(tmp_path):
    with pytest.raises(ModelError, match=r"inputs.a1: the input follows 'a1.*also between samples"):
        cardan.export(cardan.load("manutec_r3"), tmp_path / "x.c", functions=["controllers"])
