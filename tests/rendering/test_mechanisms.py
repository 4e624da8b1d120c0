"""Written entries of whole mechanisms against their numbers from machine code: trees, loops, motors, quaternions."""

import pytest

import cardan
from cardan.rendering import Budget
from tests.mechanisms import random_model
from tests.rendering.evaluation import check_entries


@pytest.mark.parametrize("name", ["manipulator_3dof", "manipulator_6dof"])
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


@pytest.mark.parametrize(("n", "steps"), [(10, 200_000), (20, 20_000)])
@pytest.mark.exhaustive
def test_long_chains_within_a_small_budget(n, steps):
    """Pendulums in a row, whose sums of angles have thousands of terms."""
    link = {"mass": "m", "com": [0, 0, "-l/2"], "inertia": ["m*l**2/12", "m*l**2/12", 0]}
    above = ["ground", *({"body": f"b{k}", "position": [0, 0, "-l"]} for k in range(1, n))]
    model = cardan.Model(
        parameters={"m": 1, "l": 0.3, "g": 9.81},
        gravity=[0, 0, "-g"],
        planar="xz",
        bodies={f"b{k + 1}": link for k in range(n)},
        joints={
            f"q{k + 1}": {"type": "revolute", "axis": "y", "parent": above[k], "child": f"b{k + 1}"} for k in range(n)
        },
    )
    eq = cardan.equations(model, budget=Budget(steps=steps))
    check_entries(eq)
    assert eq.unsimplified


@pytest.mark.parametrize("formulation", ["newton_euler", "articulated_body", "lagrange", "trace_lagrange"])
def test_every_formulation_is_written_alike(formulation):
    """Entries are as short as from composite bodies: their form does not depend on the way they were derived."""
    model = cardan.load("planar_manipulator")
    first, other = (cardan.equations(model, formulation=name).readable for name in ("composite_body", formulation))
    for name, matrix in first.items():
        for row, others in zip(matrix.rows, other[name].rows, strict=True):
            assert [entry.operations for entry in row] == [entry.operations for entry in others]
