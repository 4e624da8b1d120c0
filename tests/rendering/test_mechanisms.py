"""Written entries of whole mechanisms against their numbers from machine code: trees, loops, motors, quaternions."""

import pytest

import cardan
from cardan.rendering import Budget
from tests.mechanisms import random_model
from tests.rendering.evaluation import check_entries
from tests.selection import each


@each("name", ["manipulator_3dof", "manipulator_6dof"])
def test_matrix_method(name):
    """Mechanisms whose pages show symbols for numbers; the entries of all other pages are evaluated with them."""
    check_entries(cardan.equations(cardan.load(name), motors="none"))


@pytest.mark.parametrize("seed", [0, 3])  # all nine kinds of joints
@pytest.mark.exhaustive
def test_random_mechanisms_within_a_small_budget(seed):
    """Ten and more freedoms, of which the budget simplifies a part."""
    eq = cardan.equations(random_model(seed), motors="simplified", budget=Budget(steps=100_000))
    check_entries(eq)
    assert eq.unsimplified


@each("formulation", ["newton_euler", "articulated_body", "lagrange", "trace_lagrange"])
def test_every_formulation_is_written_alike(formulation):
    """Entries are as short as from composite bodies: their form does not depend on the way they were derived."""
    model = cardan.load("planar_manipulator")
    first, other = (cardan.equations(model, formulation=name).readable for name in ("composite_body", formulation))
    for name, matrix in first.items():
        for row, others in zip(matrix.rows, other[name].rows, strict=True):
            assert [entry.operations for entry in row] == [entry.operations for entry in others]
