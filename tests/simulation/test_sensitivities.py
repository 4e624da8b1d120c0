"""Derivatives of runs against closed forms, block-triangular matrix exponentials and central differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from tests.selection import each

import cardan
from cardan import Model, ModelError
from cardan.model.quantities.scalar import ZERO
from cardan.simulation.sensitivities.variational import Chosen, equations_of

T = np.linspace(0.0, 3.0, 31)
TIGHT = 1e-11  # rtol of the runs; S is judged with it, so that 1e-8 of its largest value has a margin of 1000


def oscillator(**changes) -> Model:
    """A mass on a spring and a damper."""
    content = {
        "parameters": {"m": "2 kg", "k": "50 N/m", "d": "1.2 N*s/m", "F": "3 N", "x0": "0.1 m", "T": "0.7 s"},
        "bodies": {"b": {"mass": "m"}},
        "joints": {
            "x": {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x", "stiffness": "k", "damping": "d"}
        },
        "initial": {"x": "x0"},
    }
    return Model(**{**content, **changes})


def assert_close(found: np.ndarray, expected: np.ndarray, rtol: float = 1e-8) -> None:
    """Equal up to a share of the largest value."""
    assert np.abs(found - expected).max() <= rtol * np.abs(expected).max()


def linear_derivative(A: np.ndarray, dA: np.ndarray, x0: np.ndarray, t: float) -> np.ndarray:
    """d(e^{At} x0) of a change dA: the lower left block of the exponential of [[A, 0], [dA, A]] (Van Loan 1978)."""
    n = len(A)
    return expm(np.block([[A, np.zeros((n, n))], [dA, A]]) * t)[n:, :n] @ x0


def test_damped_oscillation_by_stiffness_damping_and_start():
    found = cardan.sensitivities(oscillator(), times=T, parameters=["k", "d", "x0", "x.v"], rtol=TIGHT)
    m, k, d, x0 = 2.0, 50.0, 1.2, np.array([0.1, 0.0])
    A = np.array([[0, 1], [-k / m, -d / m]])
    for name, dA in (("k", [[0, 0], [-1 / m, 0]]), ("d", [[0, 0], [0, -1 / m]])):
        expected = np.array([linear_derivative(A, np.array(dA), x0, t) for t in T])
        assert_close(found["x", name], expected[:, 0])
        assert_close(found["x.v", name], expected[:, 1])
    moved = np.array([expm(A * t) for t in T])
    assert_close(found["x", "x0"], moved[:, 0, 0])
    assert_close(found["x", "x.v"], moved[:, 0, 1])
    assert found["x"].shape == (31, 4)
    assert found.unit("x", "k") == "m/(N/m)"
    assert "x.q" in found.table()
    assert "completed" in repr(found)
    assert found.ok


def test_current_of_a_motor_by_its_resistance_and_a_parameter_that_others_follow():
    model = Model(
        parameters={"R": "0.6 ohm", "L": "1.2 mH", "K": 0.12, "J": "1e-3 kg*m^2", "a": 2, "U": "6*a"},
        bodies={"rotor": {"inertia": ["J", 0, 0]}},
        joints={"w": {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "x"}},
        motors={
            "m": {"type": "dc", "joint": "w", "resistance": "R", "inductance": "L", "torque_constant": "K",
                  "back_emf_constant": "K"}
        },
        inputs={"m": "U"},
    )  # fmt: skip
    t = np.linspace(0, 0.1, 11)
    found = cardan.sensitivities(model, times=t, parameters=["R", "a"], outputs=["w.a"], rtol=TIGHT)
    R, L, K, J, U = 0.6, 1.2e-3, 0.12, 1e-3, 12.0  # states: speed, current, voltage
    A = np.array([[0, K / J, 0], [-K / L, -R / L, 1 / L], [0, 0, 0]])
    dA = np.zeros((3, 3))
    dA[1, 1] = -1 / L
    expected = np.array([linear_derivative(A, dA, np.array([0, 0, U]), x) for x in t])
    by_voltage = np.array([expm(A * x)[:, 2] for x in t])
    assert_close(found["m.current", "R"], expected[:, 1])
    assert_close(found["w.a", "R"], K / J * expected[:, 1])
    assert_close(found["w.v", "a"], 6 * by_voltage[:, 0])
    assert_close(found.value("m.current"), U * by_voltage[:, 1])


def test_instant_of_a_jump():
    model = oscillator(inputs={"x": "F*step(t - T)"}, initial={})
    found = cardan.sensitivities(model, times=T, parameters=["T"], rtol=TIGHT)
    A = np.array([[0, 1], [-25.0, -0.6]])
    expected = np.array([-expm(A * (t - 0.7))[0, 1] * 3 / 2 if t > 0.7 else 0.0 for t in T])
    assert_close(found["x", "T"], expected)


def test_law_that_jumps_where_the_mass_is():
    """Constant accelerations: a up to x = c, b beyond it."""
    model = Model(
        parameters={"a": 2, "b": -1, "c": "0.5 m"},
        bodies={"p": {"mass": 1}},
        joints={"x": {"type": "prismatic", "parent": "ground", "child": "p", "axis": "x"}},
        inputs={"x": "if(x < c, a, b)"},
    )
    t = np.linspace(0, 1.2, 13)
    found = cardan.sensitivities(model, times=t, parameters={"a": 2, "b": -1, "c": 0.5}, rtol=TIGHT)
    a, b, c = 2.0, -1.0, 0.5
    t1, v1 = np.sqrt(2 * c / a), np.sqrt(2 * c * a)
    s = np.maximum(t - t1, 0)
    by_c = (t > t1) * (np.sqrt(a / (2 * c)) * s - (v1 + b * s) / v1 + 1)  # dt1/dc = 1/v1, dv1/dc = a/v1
    by_a = np.where(t > t1, c / v1 * s + (v1 + b * s) * t1 / (2 * a), t**2 / 2)  # dt1/da = -t1/(2a), dv1/da = c/v1
    assert_close(found["x", "c"], by_c)
    assert_close(found["x", "a"], by_a)
    assert_close(found["x", "b"], s**2 / 2)


def test_friction_that_comes_to_rest():
    """A block stops after the way v²/(2 μ g), whose derivative by μ is −v²/(2 μ² g)."""
    model = Model(
        parameters={"mu": 0.2, "v0": "1.5 m/s"},
        bodies={"p": {"mass": 1}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "p", "axis": "x", "friction": {"coefficient": "mu"}}
        },
        initial={"x.v": "v0"},
    )
    found = cardan.sensitivities(model, 1.0, parameters=["mu", "v0"], rtol=TIGHT)
    assert found["x", "mu"][-1] == pytest.approx(-(1.5**2) / (2 * 0.2**2 * 9.81), rel=1e-8)
    assert found["x", "v0"][-1] == pytest.approx(1.5 / (0.2 * 9.81), rel=1e-8)
    assert abs(found["x.v", "mu"][-1]) < 1e-9


def differences(model: Model, name: str, times: np.ndarray, results: list[str], **given) -> np.ndarray:
    """Derivatives (N, r) by a parameter: central differences of tight runs, extrapolated (Richardson)."""
    x = float(model.parameters[name].value)

    def slope(h: float) -> np.ndarray:
        runs = [
            cardan.simulate(
                model, times=times, rtol=1e-13, method="dop853", parameters={name: x * (1 + sign * h)}, **given
            )
            for sign in (-1, 1)
        ]
        low, high = (np.column_stack([run.array(each) for each in results]) for run in runs)
        return (high - low) / (2 * h * x)

    return (4 * slope(2e-3) - slope(4e-3)) / 3


@each(
    "mechanism, names, end, more",
    [
        ("four_bar", ["a", "d"], 0.4, {}),  # its start follows the lengths
        ("heavy_top", ["m"], 0.1, {}),  # quaternions
        ("stick_slip_slider", ["V", "Fs", "k"], 1.9, {}),  # friction, prescribed motion; no event at an instant
        ("overhead_crane", ["L"], 1.0, {"method": "rodas5p"}),  # stiff
    ],
)
def test_mechanisms_against_differences(mechanism, names, end, more):
    model, t = cardan.load(mechanism), np.linspace(0, end, 11)[1:]
    found = cardan.sensitivities(model, times=t, parameters=names, rtol=TIGHT, **more)
    for name in names:
        expected = differences(model, name, t, list(found.results))
        kept = np.abs(expected).max(axis=0) > 1e-2 * np.abs(expected).max()  # the others are noise of differences
        got = np.column_stack([found[result, name] for result in found.results])
        error = np.abs(got - expected).max(axis=0) / np.abs(expected).max(axis=0).clip(1e-300)
        assert error[kept].max() < 1e-6


def test_events_and_samples_change_derivatives():
    model = oscillator(
        parameters={"m": "2 kg", "k": "50 N/m", "d": "1.2 N*s/m", "F": "3 N", "x0": "0.1 m", "e": 0.7},
        inputs={"x": "F*s + h"},
        states={"s": {"rate": "-s", "initial": 1}, "h": {"next": "-F*x.v", "every": 0.05}},
        events={"hit": {"when": "x - 0.05", "direction": "falling", "do": {"set": {"s": "e*s - 1"}}}},
    )
    t = np.linspace(0, 1, 11)[1:] + 0.011
    found = cardan.sensitivities(model, times=t, parameters=["k", "F", "e"], rtol=TIGHT)
    for name in ("k", "F", "e"):
        expected = differences(model, name, t, ["x.q", "s"])
        assert_close(found["x", name], expected[:, 0], 1e-6)
        assert_close(found["s", name], expected[:, 1], 1e-6)


@each(
    "given, words",
    [
        ({"parameters": []}, "are no names"),
        ({"parameters": "k"}, "are no names"),
        ({"parameters": ["k", "k"]}, "there twice"),
        ({"parameters": ["K"]}, "no parameter and no state 'K'.*'k'"),
        ({"parameters": ["k"], "method": "semi_implicit_euler", "step": 0.01}, "splits the state"),
        ({"parameters": ["k"], "inputs": {"x": {"every": 0.1, "of": ["x"], "value": abs}}}, "Python function"),
        ({"parameters": ["T"], "inputs": {"x": {"every": "T", "value": "-x.v"}}}, "samples follow 'T'"),
        ({"parameters": ["k"], "initial": {"b.com.vx": 0.2}}, "meets a condition"),
        ({"parameters": ["T"], "inputs": {"x": "F*step(t - 2.9999999*T/0.7)"}, "times": [0, 3]}, "number of jumps"),
    ],
)
def test_refusals(given, words):
    with pytest.raises(ModelError, match=f"(?s){words}"):
        cardan.sensitivities(oscillator(), **{"times": T, **given})


def test_impacts_are_refused():
    joint = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x", "limits": {"lower": 0}}
    with pytest.raises(ModelError, match=r"joints\.x\.limits.*impacts"):
        cardan.sensitivities(oscillator(joints={"x": joint}), times=T, parameters=["m"])


def test_quaternions_have_no_derivative_of_their_own():
    with pytest.raises(ModelError, match="cannot change by itself"):
        cardan.sensitivities(cardan.load("heavy_top"), 0.1, parameters=["pivot.qx"])


def test_an_open_start_is_refused_where_it_follows_a_parameter():
    with pytest.raises(ModelError, match=r"does not say how .* follows 'r'"):
        cardan.sensitivities(cardan.load("balancing_robot"), 0.1, parameters=["r"])


def test_a_start_that_cannot_hold_is_refused():
    with pytest.raises(ModelError, match="cannot all hold while 'l' changes"):
        cardan.sensitivities(cardan.load("digging_machine"), 0.1, parameters=["l"])


def test_unknown_results():
    found = cardan.sensitivities(oscillator(), times=[0.0, 0.1], parameters=["k"])
    with pytest.raises(ModelError, match="no result 'y'"):
        found.value("y")
    with pytest.raises(ModelError, match="not differentiated by 'd'"):
        found["x", "d"]


def test_a_start_at_rest_follows_load_and_stiffness():
    """An arm hangs on a gear N and a shaft c: current m g L/(N K), twist m g L/(N c), held by the integrals."""
    N, K, c, m, L = 105, 1.16, 43.0, 20.0, 0.4
    model = Model(
        parameters={"m": m, "c": c, "kp": 0.5},
        bodies={"arm": {"mass": "m", "com": [L, 0, 0], "inertia": [1, 1, 1]}},
        joints={"r": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "-y"}},
        drives={
            "a": {
                "joint": "r",
                "source": {"type": "dc", "resistance": 250, "inductance": "45 mH", "constant": K, "inertia": 1.3e-3},
                "train": [{"friction": {"effort": 0.4}}, {"shaft": {"stiffness": "c", "damping": 5e-3}}, {"gear": N}],
            }
        },
        paths={"go": {"from": {"r": 0}, "to": {"r": 1}, "duration": 1}},
        controllers={
            "a": {
                "type": "cascade",
                "drive": "a",
                "follow": "go.r",
                "position": {"kp": 5},
                "speed": {"kp": "kp", "time": 0.05},
                "current": {"ki": 9.6e5},
            }
        },
        initial={"at": "go", "equilibrium": True},
    )
    found = cardan.sensitivities(model, times=[0.0, 0.3], parameters=["m", "c", "kp"], rtol=1e-10)
    load = 9.81 * L / N
    assert found["a.current", "m"][0] == pytest.approx(load / K, rel=1e-9)
    assert found["a.shaft.twist", "m"][0] == pytest.approx(load / c, rel=1e-9)
    assert found["a.shaft.twist", "c"][0] == pytest.approx(-m * load / c**2, rel=1e-9)
    expected = differences(model, "kp", found.t, ["r.q", "a.current"])
    assert_close(found["r", "kp"], expected[:, 0], 1e-6)
    assert_close(found["a.current", "kp"], expected[:, 1], 1e-6)


def test_outputs_of_the_model_may_be_chosen_by_name():
    crane = cardan.load("overhead_crane")
    found = cardan.sensitivities(crane, times=[0.0, 0.2], parameters=["L"], outputs=["load_x", "2*load_x"])
    assert found["2*load_x", "L"] == pytest.approx(2 * found["load_x", "L"])
    assert found.results[-2:] == ("load_x", "2*load_x")
    whole, one = cardan.linearize(crane), cardan.linearize(crane, outputs=["load_x"])
    np.testing.assert_array_equal(one.C, whole.C[[whole.outputs.index("load_x")]])


@each("names", [("a",), ("a", "b", "c", "d")])
def test_each_parameter_costs_at_most_two_evaluations(names):
    """Forward derivatives take 1.5 operations for one of the law (Griewank & Walther 2008, §4.5), solves some more."""
    model = cardan.load("four_bar")
    setup = cardan.prepare(model, 1.0, embed=False)
    moving, _ = equations_of(setup, Chosen(names, tuple((name, ZERO) for name in model.parameters)))
    assert moving.native("derivative").length < (1 + 2 * len(names)) * setup.task.problem.rhs.length
