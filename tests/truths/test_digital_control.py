"""Digital controllers in the file: states with a next value, against the difference equations of a hand-written loop.

The loop moves the motor by its exact discrete-time equations, the matrix exponential over a period with the voltage
held. Tolerance: the run's, rtol 1e-10 over some hundred steps.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import cardan
from cardan.errors import ModelError
from tests.selection import each

T, KP, KI, KD, BACK, LIMIT, REF = 2e-3, 30.0, 60.0, 0.6, 0.5, 12.0, 15.0
RESISTANCE, INDUCTANCE, KM, INERTIA, DAMPING = 1.2, 5e-3, 0.08, 2e-3, 1e-3

MOTOR = cardan.Model(
    gravity=[0, 0, 0],
    bodies={"disc": {"mass": 1, "inertia": [0, 0, INERTIA]}},
    joints={"shaft": {"type": "revolute", "parent": "ground", "child": "disc", "axis": "z", "damping": DAMPING}},
    motors={
        "drive": {
            "type": "dc",
            "joint": "shaft",
            "resistance": RESISTANCE,
            "inductance": INDUCTANCE,
            "torque_constant": KM,
            "back_emf_constant": KM,
        }
    },
)
PID = {
    "parameters": {"T": f"{T} s", "kp": KP, "ki": KI, "kd": KD, "back": BACK},
    "let": {
        "e": f"{REF} - shaft",
        "u": "kp*e + integral + kd*(e - e_old)/T",
        "limited": f"max(-{LIMIT}, min({LIMIT}, u))",
    },
    "states": {
        "e_old": {"next": "e", "every": "T"},
        "integral": {"next": "integral + ki*T*e + back*(limited - u)", "every": "T"},
    },
    "inputs": {"drive": {"every": "T", "value": "limited"}},
}


def by_hand(samples):
    """Angle, speed and current at the samples, and the states after them, of a PID that gets back what it cuts off."""
    A = np.zeros((4, 4))
    A[0, 1] = 1
    A[1, 1:3] = [-DAMPING / INERTIA, KM / INERTIA]
    A[2, 1:] = [-KM / INDUCTANCE, -RESISTANCE / INDUCTANCE, 1 / INDUCTANCE]
    step, x, e_old, integral, out = expm(A * T), np.zeros(3), 0.0, 0.0, []
    for _ in range(samples):
        e = REF - x[0]
        u = KP * e + integral + KD * (e - e_old) / T
        voltage = min(max(u, -LIMIT), LIMIT)
        e_old, integral = e, integral + KI * T * e + BACK * (voltage - u)
        out.append([*x, e_old, integral, voltage])
        x = (step @ [*x, voltage])[:3]
    return np.array(out)


@each("method", ["dop853", "rodas5p"])
def test_a_digital_pid_is_its_difference_equations(method):
    model, times = MOTOR.replace(**PID), T * np.arange(301)
    run = cardan.simulate(model, times=times, method=method, rtol=1e-10, atol=1e-12)
    expected = by_hand(300)
    assert run.ok
    names = ["shaft.q", "shaft.v", "drive.current", "e_old", "integral", "drive.sampled"]
    found = np.stack([run.array(name)[:-1] for name in names], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
    assert (np.abs(expected[:, -1]) == LIMIT).sum() > 20  # it is at its limits, so that anti-windup counts


def test_samples_of_one_instant_read_the_state_before_them():
    """b gets the a before; the event at t = 0.3 s and the samples there do not see each other."""
    model = MOTOR.replace(
        states={
            "a": {"next": "a + 1", "every": "100 ms"},
            "b": {"next": "a", "every": "100 ms"},
            "c": {"rate": 0},
        },
        events={"third": {"when": "t - 0.3", "direction": "rising", "do": {"set": {"c": "a"}}}},
        inputs={"drive": {"every": "100 ms", "value": "2*drive.sampled + a"}},
    )
    run = cardan.simulate(model, times=[0, 0.1, 0.2, 0.35])
    assert run.array("a").tolist() == [1, 2, 3, 4]
    assert run.array("b").tolist() == [0, 1, 2, 3]
    assert run.array("drive.sampled").tolist() == [0, 1, 4, 11]
    assert run.array("c")[-1] == 3


def test_one_function_gives_several_inputs():
    """The efforts on two joints, and the same from two expressions; the state and its order are those of the inputs."""
    crane, times = cardan.load("overhead_crane"), np.linspace(0, 0.5, 26)
    of, every = ["travel.v", "swing.sampled"], "20 ms"
    law = {"every": every, "of": of, "value": lambda v, held: (0.9 * held + 0.1, 3 - 5 * v)}
    run = cardan.simulate(crane, times=times, inputs={"swing, travel": law}, motors="none")
    written = {
        "travel": {"every": every, "value": "3 - 5*travel.v"},
        "swing": {"every": every, "value": "0.9*swing.sampled + 0.1"},
    }
    expected = cardan.simulate(crane, times=times, inputs=written, motors="none")
    for name in ("travel.q", "swing.q", "travel.sampled", "swing.sampled"):
        np.testing.assert_allclose(run.array(name), expected.array(name), rtol=0, atol=1e-12)
    short = {**law, "value": lambda v, held: 1.0}
    with pytest.raises(ModelError, match="let it return 2 finite numbers"):
        cardan.simulate(crane, times=times, inputs={"swing, travel": short}, motors="none")


@each(
    "changes, words",
    [
        ({"states": {"a": {"next": "a", "rate": 1}}}, "a state has a rate, or a next value"),
        ({"states": {"a": {"next": "a"}}}, "'next' and 'every' stand together"),
        ({"states": {"a": {"initial": 1}}}, "the key 'rate' is missing"),
        ({"states": {"a": {"next": "3 m", "every": "1 s", "initial": "1 s"}}}, "the next value is a length"),
        ({"inputs": {"drive": "delay(shaft, 0.1)"}}, "has a delay, which is that of a sampled law"),
        ({"inputs": {"drive": "drive.sampled"}}, "'drive.sampled' is nothing"),
        (
            {"states": {"a": {"next": "a + 1", "every": "1 s"}}, "motions": {"shaft": "a"}, "motors": {}},
            "each sample sets 'a', so that the position of a motion jumps",
        ),
    ],
)
def test_what_cannot_be_is_refused(changes, words):
    with pytest.raises(ModelError, match=words):
        MOTOR.replace(**changes)


@each(
    "inputs, words",
    [
        ({"drive, shaft": {"every": "1 s", "value": "1"}}, "this law gives one value"),
        ({"drive, drive": {"every": "1 s", "value": lambda t: (1, 2)}}, "'drive' has two laws"),
    ],
)
def test_laws_of_several_inputs_that_are_refused(inputs, words):
    with pytest.raises(ModelError, match=words):
        cardan.simulate(MOTOR, until=1, inputs=inputs)


def test_it_stands_in_files(tmp_path):
    model = MOTOR.replace(**PID)
    path = tmp_path / "pid.yaml"
    cardan.save(model, path)
    assert cardan.load(path) == model


def test_samples_of_several_periods_that_are_one_up_to_round_off_are_made_together():
    """11·0.03 and 33·0.01 differ by a rounding; each law reads the other's value before the instant."""
    states = {
        "slow": {"next": "slow + 1", "every": 0.03, "initial": 0},
        "fast": {"next": "slow", "every": 0.01, "initial": 0},
    }
    slide = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x"}
    model = cardan.Model(gravity=[0, 0, 0], bodies={"b": {"mass": 1}}, joints={"x": slide}, states=states)
    run = cardan.simulate(model, times=0.03 * np.arange(1, 34) + 1e-4)
    slow = run["slow"].values
    np.testing.assert_array_equal(slow, np.arange(2, 35))
    np.testing.assert_array_equal(run["fast"].values, slow - 1)
