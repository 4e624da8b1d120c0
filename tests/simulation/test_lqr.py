"""Optimal state feedback against closed forms, and what cannot be."""

import numpy as np
import pytest
from scipy.linalg import expm
from tests.selection import each

import cardan
from cardan.errors import ModelError


def cart(mass=2.0):
    """A cart on a rail, driven by a force."""
    slide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"}
    return cardan.Model(gravity=[0, 0, 0], bodies={"cart": {"mass": mass}}, joints={"s": slide})


def test_a_cart_has_the_gains_of_the_closed_form():
    """m ẍ = u with the cost q x² + r u²: gains √(q/r) and √(2 m √(q/r))."""
    found = cardan.lqr(cart(), {"s": 9.0}, 0.25)
    k = np.sqrt(9 / 0.25)
    assert found.gains["s"] == pytest.approx({"s": k, "s.v": np.sqrt(2 * 2.0 * k)}, rel=1e-9)
    np.testing.assert_allclose(found.eigenvalues**4, -(k**2) / 2.0**2, rtol=1e-7)  # Butterworth's poles


def test_inputs_without_a_weight_are_not_used():
    """A pendulum beside the cart, which nothing drives, changes nothing in the closed form of the cart."""
    beside = cart()
    swing = {"type": "revolute", "parent": "ground", "child": "bob", "axis": "y", "stiffness": 2, "damping": 0.3}
    beside = beside.replace(
        bodies={**beside.bodies, "bob": {"mass": 1, "com": [0, 0, -0.5]}}, joints={**beside.joints, "swing": swing}
    )
    found, k = cardan.lqr(beside, {"s": 9.0}, {"s": 0.25}), np.sqrt(9 / 0.25)
    assert list(found.controllers()) == ["s"]
    gains = {"s": k, "s.v": np.sqrt(2 * 2.0 * k), "swing": 0, "swing.v": 0}
    assert found.gains["s"] == pytest.approx(gains, rel=1e-9, abs=1e-9)


def test_a_sampled_feedback_is_the_limit_of_the_difference_equation():
    T, Q, R = 0.1, np.diag([9.0, 1.0]), np.array([[0.25]])
    found = cardan.lqr(cart(), [9.0, 1.0], {"s": 0.25}, every=T)
    A, B = np.array([[1, T], [0, 1]]), np.array([[T**2 / 2], [T]]) / 2.0
    S = Q
    for _ in range(2000):
        S = Q + A.T @ S @ A - A.T @ S @ B @ np.linalg.solve(R + B.T @ S @ B, B.T @ S @ A)
    K = np.linalg.solve(R + B.T @ S @ B, B.T @ S @ A)
    np.testing.assert_allclose(found.K, K, rtol=1e-9)
    np.testing.assert_allclose(
        np.sort(np.abs(np.exp(found.eigenvalues * T))), np.sort(np.abs(np.linalg.eigvals(A - B @ K)))
    )


@each("every", [None, "10 ms"])
def test_its_controllers_hold_a_crane_where_it_is(every):
    crane = cardan.load("overhead_crane").replace(inputs={})
    found = cardan.lqr(crane, {"travel": 4e4, "swing": 4e4}, every=every)
    closed = crane.replace(controllers=found.controllers())
    start = {"travel": 0.2, "swing": 0.05}
    run = cardan.simulate(closed, 3.0, initial=start, rtol=1e-10)
    linear = found.linear
    if every is None:  # small motions are those of the linear system
        small = cardan.simulate(closed, 1.0, initial={name: x * 1e-4 for name, x in start.items()}, rtol=1e-10)
        x0 = np.array([2e-5, 5e-6, 0, 0, 0])
        expected = expm((linear.A - linear.B @ found.K) * 1.0) @ x0
        assert small["travel.q"].values[-1] == pytest.approx(expected[0], abs=1e-11)
    assert abs(run["travel.q"].values[-1]) < 0.02


def test_matrices_and_names_are_alike():
    by_name, by_matrix = cardan.lqr(cart(), {"s": 9}, 1.0), cardan.lqr(cart(), np.diag([9.0, 0]), np.eye(1))
    np.testing.assert_allclose(by_name.K, by_matrix.K)
    assert "gains" in repr(by_name)


@each(
    "Q, R, options, said",
    [
        ({"x": 1}, 1, {}, "there is no 'x' among s, s.v"),
        ({"s": 1}, {}, {}, "no input has a weight"),
        ([1, 2, 3], 1, {}, r"Q has the shape \(3, 3\), and there are 2"),
        ({"s": 1}, 0, {}, "the weights are no cost"),
        ({"s": 1}, 1, {"every": 0}, "a period of 0 s"),
        ({"s.v": 1}, 1, {}, "no feedback of these inputs"),
    ],
)
def test_what_cannot_be_is_refused(Q, R, options, said):
    with pytest.raises(ModelError, match=said):
        cardan.lqr(cart(), Q, R, **options)


def test_a_linear_system_goes_to_python_control_and_comes_back():
    """With every number, name and unit; python-control has no dots in labels of signals."""
    control = pytest.importorskip("control")
    outputs = ["travel", "payload.com.x", "drive.torque"]
    linear = cardan.linearize(cardan.load("overhead_crane"), inputs={"drive": 0}, equilibrium=True, outputs=outputs)
    system = linear.to_control(units=True)
    assert isinstance(system, control.StateSpace)
    assert tuple(system.state_labels) == linear.states
    assert system.output_labels == ["travel [m]", "payload:com:x [m]", "drive:torque [N*m]"]
    assert linear.to_control().output_labels == ["travel", "payload:com:x", "drive:torque"]
    assert cardan.linearize(cart()).to_control(units=True).output_labels == ["s:q [m]", "s:v [m/s]"]
    assert cardan.linearize(cart()).to_control(units=True).input_labels == ["s [N]"]
    found = [cardan.from_control(system, output=k) for k in range(3)]
    assert (found[0]["inputs"], found[0]["A"], found[0]["B"]) == (["drive"], linear.A.tolist(), linear.B.tolist())
    assert [each["C"][0] for each in found] == linear.C.tolist()
    assert [each["D"][0] for each in found] == linear.D.tolist()
    watching = control.ss(-1, [[1, 2, 3]], 1, 0, inputs=system.output_labels)
    assert cardan.from_control(watching)["inputs"] == outputs


def test_the_poles_of_a_loop_are_the_roots_of_its_polynomial():
    """Of m s² y = −F y with F = 40 (s + 1.5)/(s + 20): m s² (s + 20) + 40 s + 60 = 0."""
    control = pytest.importorskip("control")
    lead = control.tf([40, 60], [1, 20])
    expected = np.sort_complex(np.roots([2, 40, 40, 60]))
    loop = control.feedback(cardan.linearize(cart(), outputs=["s"]).to_control(), lead)
    closed = cart().replace(controllers={"force": cardan.from_control(lead, ["-s"])}, inputs={"s": "force"})
    for found in (loop.poles(), cardan.linearize(closed).eigenvalues):
        np.testing.assert_allclose(np.sort_complex(found), expected, rtol=1e-12)


def test_without_python_control_the_cure_is_told(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(ImportError, match="pip install control"):
        cardan.linearize(cart()).to_control()


@each("every", [None, 0.02])
def test_a_system_of_python_control_is_a_controller(every):
    """A cart under a lead comes back from 0.1 m as python-control says of the closed loop."""
    control = pytest.importorskip("control")
    lead = control.ss(control.tf([40, 60], [1, 20]))
    t = np.linspace(0, 2, 101)
    if every is None:
        plant = cardan.linearize(cart(), outputs=["s"]).to_control()
    else:  # seen from the samples, the cart under a held force is a sampled system too
        lead = control.sample_system(lead, every, method="tustin")
        plant = control.sample_system(cardan.linearize(cart(), outputs=["s"]).to_control(), every, method="zoh")
    loop = control.feedback(plant, lead)
    expected = control.initial_response(loop, t, [0.1, *[0.0] * (loop.nstates - 1)]).outputs
    controller = cardan.from_control(lead, ["-s"])
    assert controller.get("every") == every
    closed = cart().replace(controllers={"c": controller}, inputs={"s": "c"})
    run = cardan.simulate(closed, times=t, initial={"s": 0.1}, rtol=1e-10)
    np.testing.assert_allclose(run.array("s.q"), expected, atol=1e-8)  # 1e-6 of its size


def test_what_is_no_controller_is_refused():
    control = pytest.importorskip("control")
    two = control.ss(-np.eye(2), np.eye(2), np.eye(2), 0)
    for system, inputs, options, said in (
        (lambda t: t, ["s"], {}, "is no linear system"),
        (control.tf([4, 60], [1]), ["s"], {}, "finds no states.*non-proper.*add a lag"),
        (two, ["s"], {}, "has 2 inputs"),
        (two, "s", {}, "has 2 inputs"),
        (two, None, {}, "inputs of the system have no names"),
        (two, ["s", "s.v"], {}, "no output None.*choose one of"),
        (two, ["s", "s.v"], {"output": "z"}, "no output 'z'"),
        (control.ss([], [], [], [[2.0]]), ["s"], {}, "has no state"),
        (control.ss(-1, 1, 1, 0, True), ["s"], {}, "sampled without a period"),
    ):
        with pytest.raises(ModelError, match=f"(?s){said}"):
            cardan.from_control(system, inputs, **options)
    assert cardan.from_control(two, ["s", "s.v"], output=1)["C"] == [[0.0, 1.0]]
