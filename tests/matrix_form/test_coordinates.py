"""`coordinates:`: the equations in other coordinates y = A q + b are the congruent ones, with S = A⁻¹ of velocities."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from tests.selection import each

NEW = {"first": "A", "absolute": "A + B + a", "mixed": "2*D - A"}  # a is a length of the model: a number as any other
A = np.array([[1.0, 0, 0], [1, 1, 0], [-1, 0, 2]])
S = np.linalg.inv(A)


@pytest.fixture(scope="module")
def both():
    """Terms of the four-bar linkage in one state, in the joints' coordinates and in the new ones."""
    model = cardan.load("four_bar")
    assembled = cardan.assemble(model)
    q, v = np.array([assembled.q[name] for name in "ABD"]), np.array([12.0, -14, 3])
    own = cardan.equations(model).evaluate(q=q, v=v)
    written = cardan.equations(model.replace(coordinates=NEW))
    assert written.coordinates == tuple(NEW)
    return own, written.evaluate(q=A @ q + [0, 0.3, 0], v=A @ v)


@each("name", ["M", "C", "D"])
def test_matrices_are_congruent(both, name):
    own, new = both
    np.testing.assert_allclose(new[name], S.T @ own[name] @ S, rtol=0, atol=1e-12)  # round-off of entries up to 10


@each("name", ["g", "Q", "B"])
def test_efforts_are_transposed(both, name):
    own, new = both
    np.testing.assert_allclose(new[name], S.T @ own[name], rtol=0, atol=1e-12)


def test_the_loop_is_the_same(both):
    own, new = both
    np.testing.assert_allclose(new["Phi_q"], own["Phi_q"] @ S, rtol=0, atol=1e-12)
    for name in ("Phi", "gamma"):
        np.testing.assert_allclose(new[name], own[name], rtol=0, atol=1e-11)  # γ is some hundred m/s²


def test_time_behind_a_name_is_found():
    bar = cardan.load("four_bar").replace(let={"late": "t"}, coordinates={"p": "A + late", "q": "B", "r": "D"})
    with pytest.raises(ModelError, match="not affine"):
        cardan.equations(bar)


@each(
    "coordinates, fault",
    [
        ({"p": "A", "q": "B"}, "2 coordinates are given for 3: A, B, D"),
        ({"p": "A", "q": "2*A", "r": "D"}, "the new coordinates are not independent"),
        ({"p": "sin(A)", "q": "B", "r": "D"}, "the new coordinates are not affine in the joints' ones"),
        ({"p": "A*B", "q": "B", "r": "D"}, "not affine"),
        ({"p": "A + t", "q": "B", "r": "D"}, "not affine"),
    ],
)
def test_what_is_no_change_of_coordinates_is_refused(coordinates, fault):
    with pytest.raises(ModelError, match=fault):
        cardan.equations(cardan.load("four_bar").replace(coordinates=coordinates))
