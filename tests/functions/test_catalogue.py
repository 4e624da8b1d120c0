"""The catalogue: one entry makes a function that users, exports and solvers can call; coordinates make no other law."""

import inspect

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.assembly.start import ready_system
from cardan.errors import ModelError
from cardan.formulations import composite_body
from cardan.functions.catalogue import CATALOGUE
from cardan.functions.dynamics import Dynamics
from cardan.functions.entry import Entry, Operand
from cardan.functions.solver_functions import SOLVER_FUNCTIONS
from cardan.functions.system_functions import functions_of
from cardan.functions.user_functions import USER_FUNCTIONS
from cardan.system.constrained import NO_CONSTRAINTS
from tests.assembly.test_embedding import embedding_of
from tests.selection import each
from tests.truths.four_bars import four_bars

ROUND_OFF = 1e-12  # some hundred operations on numbers of order one
Q, V = [0.1, 0.3], [0.2, -0.5]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """What is kept on disk is found by the model and the name of a function, not by the laws of this file."""
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path))


@pytest.fixture
def crane():
    """The model of the gallery."""
    return cardan.load("overhead_crane")


def _momentum(s):
    return composite_body.mass_matrix(s.system.reduced, s.reduced.motion) @ s.inputs["v"]


@pytest.fixture
def momentum(monkeypatch):
    """A new function for users: nothing but this entry."""
    entry = Entry(
        _momentum, ("q", "v"), {"momentum": Operand(1, "as v")}, "Momentum M v of all velocities.", "by default"
    )
    monkeypatch.setitem(USER_FUNCTIONS, "momentum", entry)


@pytest.mark.usefixtures("momentum")
def test_a_new_function_for_users_is_one_entry(crane, tmp_path):
    dyn = cardan.compile(crane)
    expected = dyn.mass_matrix(Q) @ V
    np.testing.assert_allclose(dyn.call("momentum", Q, V), expected, rtol=ROUND_OFF)
    np.testing.assert_allclose(dyn.call("momentum", np.tile(Q, (9, 1)), V), np.tile(expected, (9, 1)), rtol=ROUND_OFF)
    np.testing.assert_allclose(cardan.casadi_function(crane, "momentum")(Q, V).full().ravel(), expected, rtol=ROUND_OFF)
    cardan.export(crane, tmp_path / "crane.py")
    names: dict = {}
    exec((tmp_path / "crane.py").read_text(), names)
    np.testing.assert_allclose(names["momentum"](Q, V), expected, rtol=ROUND_OFF)
    assert "Momentum M v of all velocities." in names["momentum"].__doc__


def test_names_are_unique_and_everything_has_words():
    assert not set(USER_FUNCTIONS) & set(SOLVER_FUNCTIONS)
    for entry in CATALOGUE.values():
        assert entry.words.endswith(".")
        assert all(operand.meaning for operand in entry.outputs.values())


@each("name", [name for name, entry in USER_FUNCTIONS.items() if entry.exported != "never"])
def test_a_method_of_dynamics_takes_the_inputs_of_its_entry(name):
    entry = USER_FUNCTIONS[name]
    _, *parameters = inspect.signature(getattr(Dynamics, name)).parameters
    expected = [*entry.inputs, *([entry.argument] if entry.argument else [])]
    assert parameters[: len(expected)] == expected


def test_there_is_no_other_function(crane):
    with pytest.raises(ModelError, match=r"there is no function 'mass_matrx'\n.*mass_matrix"):
        cardan.compile(crane).call("mass_matrx", Q)
    with pytest.raises(ModelError, match="there is no function 'derivative'"):
        cardan.casadi_function(crane, "derivative")


@each("name", ["overhead_crane", "heavy_top", "four_bar"])
def test_what_solvers_and_users_call_is_the_same_law(name):
    """ẋ of both, with the inputs as arguments."""
    model = cardan.load(name)
    dyn = cardan.compile(model)
    system = ready_system(model, dyn.motors)
    rng = np.random.default_rng(3)
    x = np.concatenate([list(cardan.assemble(model).q.values()), rng.normal(size=system.nx - system.tree.nq)])
    u = rng.normal(size=len(system.input_names))
    p = np.array([float(value.evaluate({}.__getitem__)) for value in model.parameters.values() if not value.names])
    functions = functions_of(model, dyn.motors, (), system.choice)
    rates = functions.interpreted("derivative")(0.0, x, u, p).full().ravel()
    np.testing.assert_allclose(rates[: system.nx], dyn.state_derivative(x, u), rtol=1e-9, atol=ROUND_OFF)


@each("name", ["overhead_crane", "slider_crank", "four_bar"])
def test_the_tangent_is_the_derivative_along_a_direction(name):
    """Against the Jacobian that CasADi writes out."""
    model = cardan.load(name)
    motors = cardan.compile(model).motors
    functions = functions_of(model, motors, (), ready_system(model, motors).choice)
    derivative, tangent = functions.interpreted("derivative"), functions.interpreted("tangent")
    symbols = derivative.sx_in()
    direction = ca.vertcat(*symbols[:3])
    jacobian = ca.Function("jacobian", symbols, [ca.jacobian(derivative(*symbols), direction)])
    rng = np.random.default_rng(4)
    given = [rng.uniform(0.2, 0.9, derivative.size_in(k)) for k in range(4)]
    along = rng.normal(size=direction.numel())
    expected = jacobian(*given).full() @ along
    np.testing.assert_allclose(tangent(*given, along).full().ravel(), expected, rtol=1e-9, atol=1e-9)


def test_independent_coordinates_are_a_substitution():
    """The same functions of (y, w) as of q = c + Q y, v = T w, whose constraints hold by themselves."""
    model = four_bars(3)
    embedding, _ = embedding_of(model)
    start = cardan.assemble(model)
    system = ready_system(model, "full")
    full = functions_of(model, "full", (), system.choice)
    free = functions_of(model, "full", (), NO_CONSTRAINTS, embedding.pattern)
    y = np.concatenate([np.array(list(start.q.values()))[list(embedding.q)], np.full(len(embedding.v), 0.7)])
    (x,) = embedding.full(y[None])
    u, p = np.full(len(system.input_names), 0.3), np.zeros(0)
    sizes = np.array(embedding.sizes)
    assert full.drifts
    assert not free.drifts
    for name in ("accelerations", "energies", "efforts"):
        theirs = full.interpreted(name).call([0.0, x, u, p])
        ours = free.interpreted(name).call([0.0, y, u, sizes])
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one.full(), other.full(), rtol=1e-9, atol=1e-9)  # through λ
    rates, all_rates = (
        functions.interpreted("derivative")(0.0, state, u, more).full().ravel()
        for functions, state, more in ((free, y, sizes), (full, x, p))
    )
    np.testing.assert_allclose(rates[: len(y)], embedding.reduced(all_rates[: len(x)]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(rates[len(y) :], all_rates[len(x) :], rtol=1e-9, atol=1e-9)  # powers
