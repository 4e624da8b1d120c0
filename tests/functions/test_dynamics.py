"""Compiled functions against the matrices of the equations, in batches and one by one, for every motor model."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.mechanisms import random_model, random_state
from tests.selection import each, few

ROUND_OFF = 1e-11  # some thousand operations on numbers up to 1e2
AMPLIFIED = 1e-9  # the same through a solve with a condition number up to 1e3, and accelerations up to 1e2
MOTORS = ("full", "simplified", "none")


def assert_equal(value, expected, tolerance=ROUND_OFF):
    np.testing.assert_allclose(value, expected, rtol=0, atol=tolerance * (1 + np.max(np.abs(expected), initial=0)))


@pytest.fixture(scope="module")
def crane():
    """Functions of the crane with its motor."""
    return cardan.compile(cardan.load("overhead_crane"))


@pytest.mark.parametrize("motors", MOTORS)
@pytest.mark.parametrize("seed", few([0, 3], 1))
def test_functions_are_the_equations(seed, motors):
    """M v̇ + C v + D v + g = B u + Q and L di/dt + R i + E v = u, solved by hand from the matrices."""
    model = random_model(seed)
    q, v = random_state(model, seed)
    rng, t, p = np.random.default_rng(seed), 0.7, {"k": 1.9}
    eq, dyn = cardan.equations(model, motors), cardan.compile(model, motors)
    m = len(eq.inputs)
    i = rng.uniform(-1, 1, m) if motors == "full" else np.zeros(0)
    a, tau, u = rng.uniform(-1, 1, v.size), rng.uniform(-1, 1, v.size), rng.uniform(-1, 1, m)
    e = eq.evaluate(q, v, parameters=p, t=t, currents=i if motors == "full" else None)
    h = e["C"] @ v + e["g"] - e["Q"]
    rest = h + e["D"] @ v  # in the simplified model D holds what the motors do at zero input
    assert_equal(dyn.mass_matrix(q, parameters=p), e["M"])
    assert_equal(dyn.coriolis_matrix(q, v, parameters=p), e["C"])
    assert_equal(dyn.bias(q, v, parameters=p, t=t), rest)
    assert_equal(dyn.inverse_dynamics(q, v, a, parameters=p, t=t), e["M"] @ a + rest)
    assert_equal(dyn.forward_dynamics(q, v, tau, parameters=p, t=t), np.linalg.solve(e["M"], tau - rest), AMPLIFIED)
    dx = dyn.state_derivative(np.concatenate([q, v, i]), u, t, parameters=p)
    driven = e["B"] @ (i if motors == "full" else u)
    assert_equal(dx[q.size : q.size + v.size], np.linalg.solve(e["M"], driven - rest), AMPLIFIED)
    if motors == "full":
        assert_equal(dx[q.size + v.size :], np.linalg.solve(e["L"], u - e["R"] @ i - e["E"] @ v))


def test_names_of_states_and_inputs():
    crane = cardan.load("overhead_crane")
    mechanics = ("travel.q", "swing.q", "travel.v", "swing.v")
    expected = {
        "full": ((*mechanics, "drive.current"), ("drive",)),
        "simplified": (mechanics, ("drive",)),
        "none": (mechanics, ("travel", "swing")),
    }
    for motors, names in expected.items():
        dyn = cardan.compile(crane, motors)
        assert (dyn.state_names, dyn.input_names) == names


def test_leading_axes_are_broadcast(crane):
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 1, 2)), rng.normal(size=(4, 2)), rng.normal(size=2)
    a = crane.forward_dynamics(q, v, tau)
    assert a.shape == (3, 4, 2)
    M = crane.mass_matrix(q)
    assert M.shape == (3, 1, 2, 2)
    for i in range(3):
        assert_equal(M[i, 0], crane.mass_matrix(q[i, 0]))
        for j in range(4):
            assert_equal(a[i, j], crane.forward_dynamics(q[i, 0], v[j], tau), AMPLIFIED)


@each("size", [0, 1, 7, 8, 9, 1000])
def test_batches_are_their_states(crane, size):
    """Whatever the batch fills of the last group of SIMD lanes."""
    rng = np.random.default_rng(size)
    q, v = rng.normal(size=(2, size, 2))
    h = crane.bias(q, v)
    assert h.shape == (size, 2)
    for k in range(0, size, 37):
        assert_equal(h[k], crane.bias(q[k], v[k]))


def test_threads_give_the_same_numbers(crane):
    q, v, tau = np.random.default_rng(1).normal(size=(3, 5000, 2))
    one = crane.forward_dynamics(q, v, tau, threads=1)
    np.testing.assert_array_equal(crane.forward_dynamics(q, v, tau, threads=2), one)


def test_parameters_broadcast_with_the_states_and_are_recomputed(crane):
    masses = np.array([0.5, 1.0, 2.0])
    M = crane.mass_matrix([0, 0.3], parameters={"mp": masses, "rw": "50 mm"})
    assert M.shape == (3, 2, 2)
    np.testing.assert_allclose(M[:, 0, 0], 2 + masses + (10 / 0.05) ** 2 * 1e-3, rtol=1e-15)
    derived = cardan.Model(
        parameters={"a": 1, "b": "2*a"},
        bodies={"c": {"mass": "b"}},
        joints={"s": {"type": "prismatic", "parent": "ground", "child": "c", "axis": "x"}},
    )
    dyn = cardan.compile(derived)
    np.testing.assert_array_equal(dyn.mass_matrix([0.0])[0], [2])
    np.testing.assert_array_equal(dyn.mass_matrix([0.0], parameters={"a": [1, 5]})[:, 0, 0], [2, 10])


@each("mp", [-1, np.array([1.0, -2.0, 3.0])])
def test_parameters_that_make_no_mechanism_are_refused(crane, mp):
    with pytest.raises(ModelError, match=r"mp = -[12] is out of range: a mass is zero or positive"):
        crane.mass_matrix([0, 0.3], parameters={"mp": mp})


def test_time_broadcasts():
    forces = {"push": {"type": "force", "child": "c", "value": ["3*t", 0, 0]}}
    joints = {"s": {"type": "prismatic", "parent": "ground", "child": "c", "axis": "x"}}
    dyn = cardan.compile(cardan.Model(bodies={"c": {"mass": 2}}, joints=joints, forces=forces))
    np.testing.assert_allclose(dyn.forward_dynamics([0], [0], [0], t=[0, 1, 2])[:, 0], [0, 1.5, 3])
    np.testing.assert_allclose(dyn.state_derivative([0, 0.5], [0], 2.0), [0.5, 3])


def test_forward_kinematics_has_bodies_in_file_order():
    model = cardan.load("planar_manipulator")
    poses = cardan.compile(model).forward_kinematics([[0.3, 0.4], [0, 0]])
    assert list(poses) == ["link1", "link2"]
    assert poses["link2"].shape == (2, 4, 4)
    np.testing.assert_allclose(
        poses["link2"][1], [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], rtol=0, atol=1e-15
    )
    single = cardan.compile(cardan.load("compound_pendulum")).forward_kinematics([0.0])
    np.testing.assert_allclose(single["rod"], np.eye(4), rtol=0, atol=1e-15)


def test_a_tree_has_no_constraints(crane):
    assert crane.constraint(np.zeros((5, 2))).shape == (5, 0)
    assert crane.constraint_jacobian(np.zeros((5, 2))).shape == (5, 0, 2)


def test_a_nan_stays_visible(crane):
    a = crane.forward_dynamics([[0, np.nan], [0, 0]], [0, 0], [0, 0])
    assert np.isnan(a[0]).all()
    assert np.isfinite(a[1]).all()


def test_errors(crane):
    with pytest.raises(ModelError, match=r"motors='voll' is not possible"):
        cardan.compile(cardan.load("overhead_crane"), "voll")
    with pytest.raises(ModelError, match=r"there is no body or marker 'payload.hok'\n.*payload\.hook"):
        crane.jacobian([0, 0], "payload.hok")
    with pytest.raises(ModelError, match="mpp"):
        crane.mass_matrix([0, 0], parameters={"mpp": 1})


@each("wrong", [np.ones(1), 1.0, np.ones(3), [1.0], np.ones((2, 1))])
def test_one_state_of_another_shape_is_never_stretched(crane, wrong):
    q, v, tau = np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.array([0.5, 0.6])
    for _ in range(2):  # before and after the shortest way is ready
        with pytest.raises(ValueError, match="input 'v' has shape"):
            crane.forward_dynamics(q, wrong, tau)
        crane.forward_dynamics(q, v, tau)


def test_unknown_parameters_are_refused_where_none_are_used():
    model = cardan.Model(
        bodies={"c": {"mass": 1}}, joints={"s": {"type": "prismatic", "parent": "ground", "child": "c", "axis": "x"}}
    )
    with pytest.raises(ModelError, match="nonsense"):
        cardan.compile(model).mass_matrix([0], parameters={"nonsense": 1})


def test_the_full_motor_model_needs_an_inductance():
    crane = cardan.load("overhead_crane")
    drive = crane.motors["drive"].replace(inductance=0)
    model = crane.replace(motors={"drive": drive})
    with pytest.raises(ModelError, match=r"motors\.drive\.inductance: .* divides by the inductance, which is 0"):
        cardan.compile(model).state_names  # noqa: B018
    assert cardan.compile(model, "simplified").state_names[-1] == "swing.v"


@each("value", [0, "0 H", [1e-3, 0.0]])
def test_an_inductance_of_zero_at_run_time_is_named_with_its_parameter(value):
    dyn = cardan.compile(cardan.load("overhead_crane"))
    with pytest.raises(ModelError, match=r"motors\.drive\.inductance: .* which is 0 \(La = 0\)\n.*simplified"):
        dyn.state_derivative(np.zeros(5), [1.0], parameters={"La": value})
    assert dyn.mass_matrix([0, 0], parameters={"La": 0}).shape == (2, 2)  # nothing is divided there
    with pytest.raises(ModelError, match=r"La = 0"):
        cardan.simulate(cardan.load("overhead_crane"), until=0.1, parameters={"La": 0})


@each("axis, turns", [("z", 2), ([0, 0, -1], 0)])
def test_a_rotor_on_the_child_spins_against_it_about_the_joints_axis_unless_told_otherwise(axis, turns):
    """docs/notation.md §5: at r = 1 its speed in the world is (1 ± 1) v, and M = I + Im (1 ± 1)²."""
    motor = {
        **{"type": "dc", "joint": "pin", "mounted_on": "arm", "rotor_inertia": 0.5, "rotor_axis": axis},
        **{"resistance": 1, "inductance": 1e-3, "torque_constant": 1, "back_emf_constant": 1},
    }
    model = cardan.Model(
        bodies={"arm": {"mass": 1, "inertia": [1, 1, 3]}},
        joints={"pin": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"}},
        motors={"drive": motor},
    )
    assert cardan.compile(model).mass_matrix([0.3]) == pytest.approx(3 + 0.5 * turns**2)


def test_a_motion_that_meets_no_inertia_is_named():
    """A massless body on a joint of its own; massless bodies that carry others are no fault."""
    joints = {
        "slide": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
        "hinge": {"type": "revolute", "parent": "cart", "child": "flag", "axis": "z"},
    }
    light = cardan.Model(bodies={"cart": {"mass": 1}, "flag": {}}, joints=joints)
    with pytest.raises(
        ModelError, match=r"joints\.hinge: the mass matrix is singular: coordinate 'hinge' has no inertia"
    ):
        cardan.compile(light).forward_dynamics([0, 0.3], [0, 0], [1, 0])
    carried = cardan.Model(bodies={"cart": {}, "flag": {"mass": 1, "com": [0.1, 0, 0]}}, joints=joints)
    assert np.isfinite(cardan.compile(carried).forward_dynamics([0, 0.3], [0, 0], [1, 0])).all()


def test_results_are_written_into_an_array_of_the_caller(crane):
    q, v, tau = np.random.default_rng(3).normal(size=(3, 20, 2))
    expected, a = crane.forward_dynamics(q, v, tau), np.empty((20, 2))
    assert crane.forward_dynamics(q, v, tau, out=a) is a
    np.testing.assert_array_equal(a, expected)
    assert crane.inverse_dynamics(q, v, a, out=tau) is tau
    parts = np.empty(20), np.empty(20)
    assert crane.energy(q, v, out=parts).kinetic is parts[0]
    M = np.empty((20, 2, 2))
    assert crane.mass_matrix(q, out=M) is M
    with pytest.raises(ValueError, match=r"give an array of float64 of shape \(20, 2\)"):
        crane.forward_dynamics(q, v, tau, out=np.empty(20))
