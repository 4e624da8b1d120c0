"""Functions for those who build on CasADi: the same numbers as machine code, the same order of inputs."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.functions.user_functions import USER_FUNCTIONS
from tests.selection import each

ROUND_OFF = 1e-12  # some hundred operations on numbers up to 1e2
CRANE = {
    "q": [0.1, 0.3],
    "v": [0.2, -0.5],
    "a": [1.0, 2.0],
    "tau": [3.0, 0.5],
    "x": [0.1, 0.3, 0.2, -0.5, 4.0],
    "u": [10.0],
}


@pytest.fixture(scope="module")
def crane():
    """The model of the gallery."""
    return cardan.load("overhead_crane")


@each("name", [name for name, entry in USER_FUNCTIONS.items() if entry.exported != "never"])
def test_numbers_are_those_of_machine_code(crane, name):
    marker = "payload.com" if name == "jacobian" else ""
    function = cardan.casadi_function(crane, name, marker=marker)
    arguments = [CRANE[port] for port in function.name_in()]
    ours = [np.array(value) for value in _several(function(*arguments))]
    method = getattr(cardan.compile(crane), name)
    theirs = method(*arguments, marker) if marker else method(*arguments)
    theirs = list(theirs.values()) if isinstance(theirs, dict) else theirs if isinstance(theirs, tuple) else [theirs]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.reshape(np.shape(other)), other, atol=ROUND_OFF * 100, rtol=ROUND_OFF)


def _several(result):
    return result if isinstance(result, tuple) else (result,)


def test_inputs_stand_in_the_order_of_the_methods(crane):
    assert cardan.casadi_function(crane, "forward_dynamics").name_in() == ["q", "v", "tau"]
    assert cardan.casadi_function(crane, "state_derivative").name_in() == ["x", "u"]
    push = {"type": "force", "child": "trolley", "value": ["t", 0, 0]}
    timed = cardan.casadi_function(crane.replace(forces={"push": push}), "bias", free=["mp"])
    assert timed.name_in() == ["q", "v", "t", "p"]


def test_parameters_are_constants_unless_left_free(crane):
    fixed = cardan.casadi_function(crane, "mass_matrix", motors="none", parameters={"mp": "500 g"})
    assert float(fixed([0, 0])[0, 0]) == 2.5
    free = cardan.casadi_function(crane, "mass_matrix", motors="none", free=["L", "mp"])
    assert float(free([0, 0], [0.5, 3])[1, 1]) == 0.75
    assert float(free([0, 0], [0.5, 3])[0, 0]) == 5


def test_a_model_without_parameters_needs_no_column_of_them():
    model = cardan.Model(
        bodies={"c": {"mass": 2}}, joints={"s": {"type": "prismatic", "parent": "ground", "child": "c", "axis": "x"}}
    )
    function = cardan.casadi_function(model, "mass_matrix")
    assert function.name_in() == ["q"]
    assert float(function(0)) == 2


def test_errors(crane):
    with pytest.raises(ModelError, match=r"there is no function 'mass_matrx'\n.*mass_matrix"):
        cardan.casadi_function(crane, "mass_matrx")
    with pytest.raises(ModelError, match=r"there is no body or marker ''"):
        cardan.casadi_function(crane, "jacobian")
    with pytest.raises(ModelError, match=r"there is no parameter 'mpp'\n.*'mp'"):
        cardan.casadi_function(crane, "mass_matrix", free=["mpp"])
