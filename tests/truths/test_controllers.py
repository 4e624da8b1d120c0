"""Controllers against loops written out by hand, and against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from tests.selection import each


def axis(law, J=0.5, **others):
    """A rotor w under the torque of a controller."""
    drive = {"source": {"type": "torque", "value": "law"}, "train": [{"inertia": J, "name": "w"}]}
    return cardan.Model(gravity=[0, 0, 0], drives={"d": drive}, controllers={"law": law}, **others)


def normal(seeds):
    """Normal numbers of the two generators of L'Ecuyer (1988), in whole numbers."""
    x, y = seeds
    while True:
        yield np.sqrt(-2 * np.log(x / 2147483563)) * np.cos(2 * np.pi * y / 2147483399)
        x, y = 40014 * x % 2147483563, 40692 * y % 2147483399


def test_a_sampled_pi_with_all_its_keys_is_a_discrete_loop():
    """Noise, steps and a lag of the measurement, a band without effect, a limit of rate with its integral following."""
    T, kp, ki, lag, band, slew, step, sigma = 0.01, 8.0, 20.0, 0.03, 0.004, 25.0, 0.01, 0.02
    law = {"type": "pi", "error": "1 - w.v", "kp": kp, "ki": ki, "every": T, "filter": lag, "deadband": band}
    law |= {"slew": slew, "limits": 6, "quantum": step, "noise": sigma, "seed": 3}
    model = axis(law)
    t = np.arange(300) * T
    run = cardan.simulate(model, times=t)
    numbers = normal([model.states[f"law.noise_{k}"].initial.value for k in (1, 2)])
    v, integral, lagged, u, out = 0.0, 0.0, 0.0, 0.0, []
    for _ in range(300):
        error = step * np.floor((1 - v + sigma * next(numbers)) / step + 0.5)
        lagged += T / (lag + T) * (error - lagged)
        acting = np.sign(lagged) * max(0, abs(lagged) - band)
        raw = kp * acting + integral
        u += np.clip(np.clip(raw, -6, 6) - u, -slew * T, slew * T)
        integral += T * (ki * acting + ki / kp * (u - raw))
        out.append(v)
        v += u / 0.5 * T
    np.testing.assert_allclose(run["w.v"], out, atol=1e-9)  # round-off of 300 samples, no step of 0.01 missed


def test_noise_is_that_of_its_seed():
    law = {"type": "p", "error": "k", "kp": 2, "every": "1 ms", "noise": 0.5, "seed": 7}
    model, other = (axis(law | {"seed": seed}, parameters={"k": 0}) for seed in (7, 8))
    t = np.arange(4000) * 1e-3 + 5e-4
    first = cardan.simulate(model, times=t)["law"].values
    # mean and variance of n = 4000 numbers, within four of their own standard deviations
    assert abs(first.mean()) < 4 / np.sqrt(4000)
    assert abs(first.var() - 1) < 4 * np.sqrt(2 / 4000)
    np.testing.assert_array_equal(cardan.simulate(model, times=t)["law"], first)
    assert np.corrcoef(first, cardan.simulate(other, times=t)["law"])[0, 1] == pytest.approx(0, abs=4 / np.sqrt(4000))
    swept = cardan.sweep(model, parameters={"k": [0.0, 1.0]}, times=t, outputs=["law"])
    np.testing.assert_array_equal(swept["law"].sel(k=0.0), first)


def test_a_continuous_result_rises_at_most_with_its_slew():
    """A demand of 3 at a rate of 2 per second: a ramp up to where a lag of 1 ms takes over, and its exponential."""
    run = cardan.simulate(axis({"type": "p", "error": "1.5", "kp": 2, "slew": 2}), 2.0, rtol=1e-10)
    end = 3 / 2 - 1e-3
    t = run.t
    expected = np.where(t < end, 2 * t, 3 - 2e-3 * np.exp(-np.maximum(t - end, 0) / 1e-3))
    np.testing.assert_allclose(run["law"], expected, atol=1e-8)


def test_a_filter_of_the_error_is_a_lag():
    run = cardan.simulate(axis({"type": "p", "error": "1", "kp": 4, "filter": 0.2}), 1.0, rtol=1e-10)
    np.testing.assert_allclose(run["law"], 4 * (1 - np.exp(-run.t / 0.2)), atol=1e-8)


def test_a_delay_holds_what_was_measured_before():
    T = 0.01
    law = {"type": "delay", "input": "1 + sin(3*t)", "time": 5 * T, "every": T}
    run = cardan.simulate(axis(law), times=np.arange(100) * T + T / 2)
    samples = (np.arange(100) - 5) * T
    np.testing.assert_allclose(run["law"], 1 + np.sin(3 * np.maximum(samples, 0)), atol=1e-12)


def test_a_lookup_is_linear_between_its_places():
    law = {"type": "lookup", "input": "w - 1", "table": [[-1, 3], [0, 1], ["2 rad", 5]], "limits": [0, 2.5]}
    run = cardan.simulate(axis(law, initial={"w.v": 1}), 2.0)
    angle = run["w.q"].values
    np.testing.assert_allclose(run["law"], np.minimum(2.5, np.interp(angle - 1, [-1, 0, 2], [3, 1, 5])), atol=1e-12)


def arm(**sections):
    """Two links about oblique axes, with a damper, a spring and, at the first joint, a drive with a gear."""
    first = {"mass": 2, "com": [0.3, 0, 0], "inertia": [0.01, 0.02, 0.03]}
    second = {"mass": 1, "com": [0.2, 0, 0.05], "inertia": [0.01, 0.01, 0.01]}
    hinge, elbow = (
        {"type": "revolute", "axis": [0, -1, 0], "damping": 0.3},
        {"type": "revolute", "axis": [0.1, -1, 0.3]},
    )
    drive = {"joint": "shoulder", "source": {"type": "torque", "value": "law.shoulder/50", "inertia": 1e-3}}
    along = [f"{x / np.sqrt(1.1)}*law.elbow" for x in (0.1, -1, 0.3)]  # the axis of the elbow
    return cardan.Model(
        bodies={"b1": first | {"markers": {"tip": {"position": [0.6, 0, 0]}}}, "b2": second},
        joints={
            "shoulder": hinge | {"parent": "ground", "child": "b1"},
            "elbow": elbow | {"parent": "b1.tip", "child": "b2", "stiffness": 2, "rest": 0.3},
        },
        drives={"d": drive | {"train": [{"gear": 50}]}},
        forces={"push": {"type": "torque", "parent": "b1.tip", "child": "b2", "frame": "parent", "value": along}},
        **sections,
    )


def test_computed_torque_makes_a_linear_system_of_errors():
    """ë + 20 ė + 100 e = 0 for both joints, whatever the path, with the rotor behind its gear."""
    law = {"type": "computed_torque", "follow": "go", "kp": 100, "kd": {"shoulder": 20, "elbow": 20}}
    ways = {
        "from": {"shoulder": 0, "elbow": 0},
        "to": {"shoulder": 1, "elbow": -1},
        "duration": 1,
        "profile": "quintic",
    }
    out = {"e1": "go.shoulder - shoulder", "e2": "go.elbow - elbow"}
    model = arm(controllers={"law": law}, paths={"go": ways}, outputs=out, initial={"shoulder": 0.1, "elbow": -0.2})
    run = cardan.simulate(model, 1.5, rtol=1e-10)
    decay = (1 + 10 * run.t) * np.exp(-10 * run.t)
    np.testing.assert_allclose(run["e1"], -0.1 * decay, atol=1e-8)
    np.testing.assert_allclose(run["e2"], 0.2 * decay, atol=1e-8)


def test_gravity_compensation_holds_an_arm_still():
    law = {"type": "gravity_compensation", "joints": ["shoulder", "elbow"]}
    run = cardan.simulate(arm(controllers={"law": law}, initial={"shoulder": 0.4, "elbow": -0.7}), 3.0)
    for name, angle in (("shoulder", 0.4), ("elbow", -0.7)):
        assert np.abs(run[f"{name}.q"] - angle).max() < 1e-13  # round-off


def test_a_controller_may_know_other_masses_than_the_mechanism_has():
    """A pendulum whose sampled controller takes its inertia and its weight for a fifth more."""
    J, w, f, T = 0.5, 3.0, 1.2, 0.01
    law = {"type": "computed_torque", "accelerations": {"a": "-9*(a - 1) - 6*a.v"}, "model": {"masses": f}, "every": T}
    model = cardan.Model(
        gravity=[0, 0, -10],
        bodies={"b": {"mass": 1, "com": [0.3, 0, 0], "inertia": [0, J - 0.09, 0]}},
        joints={"a": {"type": "revolute", "parent": "ground", "child": "b", "axis": [0, -1, 0]}},
        controllers={"law": law},
        inputs={"a": "law.a"},
    )
    run = cardan.simulate(model, times=np.arange(101) * T, rtol=1e-10)
    x, found = np.zeros(2), []
    for _ in range(101):
        found.append(x[0])
        u = f * (J * (-9 * (x[0] - 1) - 6 * x[1]) + w * np.cos(x[0]))
        x = solve_ivp(lambda t, x, u=u: [x[1], (u - w * np.cos(x[0])) / J], (0, T), x, rtol=1e-10, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(run["a.q"], found, atol=1e-8)


@each("delay", [None, "2 ms"])
def test_a_sampled_controller_starts_at_rest(delay):
    """An arm behind an elastic shaft and a gear of 10: integral and held torque carry its weight of 3 N m cos 0.3."""
    law = {"type": "pi", "error": "0.3 - h", "kp": 5, "ki": 20, "filter": "3 ms", "every": "1 ms", "slew": 100}
    law |= {} if delay is None else {"computing_delay": delay}
    source = {"type": "torque", "value": "law", "inertia": 1e-3}
    shaft = {"shaft": {"stiffness": 50, "damping": 0.3}}
    run = cardan.simulate(
        cardan.Model(
            gravity=[0, 0, -10],
            bodies={"b": {"mass": 1, "com": [0.3, 0, 0], "inertia": [0, 0.05, 0]}},
            joints={"h": {"type": "revolute", "parent": "ground", "child": "b", "axis": [0, -1, 0]}},
            drives={"d": {"joint": "h", "source": source, "train": [shaft, {"gear": 10}]}},
            controllers={"law": law},
            initial={"h": 0.3, "equilibrium": True},
        ),
        0.2,
    )
    np.testing.assert_allclose(run["h.q"], 0.3, atol=1e-9)
    np.testing.assert_allclose(run["law"], 3 * np.cos(0.3) / 10, atol=1e-8)


def test_sampled_linear_systems_are_difference_equations():
    """(z + 0.5)/(z² − 1.2 z + 0.32), and the same as a state-space system, of a sine; an observer of a rotor."""
    T = 0.05
    of_z = {"type": "transfer_function", "input": "sin(t)", "numerator": [1, 0.5], "denominator": [1, -1.2, 0.32]}
    system = {
        "type": "state_space",
        "inputs": ["sin(t)"],
        "A": [[0, 1], [-0.32, 1.2]],
        "B": [[0], [1]],
        "C": [[0.5, 1]],
    }
    A, B, C = np.array([[1, T], [0, 1]]), np.array([T * T / 2, T]), np.array([1.0, 0])  # of a rotor of 1 kg m²
    K, L = np.array([8.0, 4.0]), np.array([1.2, 8.0])
    law = {"type": "observer", "inputs": ["law"], "A": A.tolist(), "B": B[:, None].tolist(), "C": [C.tolist()]}
    law |= {"gain": L[:, None].tolist(), "measured": ["w - 1"], "feedback": (-K).tolist()}
    loops = {name: one | {"every": T} for name, one in (("y", of_z), ("same", system), ("law", law))}
    drive = {"source": {"type": "torque", "value": "law"}, "train": [{"inertia": 1, "name": "w"}]}
    model = cardan.Model(gravity=[0, 0, 0], drives={"d": drive}, controllers=loops)
    t = np.arange(60) * T
    run = cardan.simulate(model, times=t + T / 2)
    u, y = np.sin(t), np.zeros(60)
    for k in range(60):
        past = [(y[k - j], u[k - j]) if k >= j else (0, 0) for j in (1, 2)]
        y[k] = 1.2 * past[0][0] - 0.32 * past[1][0] + past[0][1] + 0.5 * past[1][1]
    np.testing.assert_allclose(run["y"], y, atol=1e-12)
    np.testing.assert_allclose(run["same"], y, atol=1e-12)
    x, seen, torques = np.zeros(2), np.zeros(2), []
    for _ in range(60):
        torques.append(-K @ seen)
        x, seen = A @ x + B * torques[-1], A @ seen + B * torques[-1] + L * (C @ x - 1 - C @ seen)
    np.testing.assert_allclose(run["law"], torques, atol=1e-9)


@each("every", [{}, {"every": "1 ms"}])
def test_a_pid_without_ki_has_no_integral_and_sags_under_a_weight(every):
    law = {"type": "pid", "error": "0.1 - s", "kp": 500, "kd": 40, **every}
    model = cardan.Model(
        bodies={"cage": {"mass": 2}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "cage", "axis": "z"}},
        controllers={"c": law},
        inputs={"s": "c"},
        initial={"s": {"guess": 0}, "equilibrium": True},
    )
    run = cardan.simulate(model, 0.1)
    np.testing.assert_allclose(run["s.q"], 0.1 - 2 * 9.81 / 500, atol=1e-7)
    assert "c.integral" not in run
