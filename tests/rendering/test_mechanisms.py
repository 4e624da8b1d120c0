"""Written entries of whole mechanisms against their numbers from machine code: trees, loops, motors, quaternions."""

import numpy as np
import pytest

import cardan
from cardan.model.quantities.parameters import resolve
from tests.mechanisms import WITH_BODIES, random_model
from tests.rendering.evaluation import value

ROUND_OFF = 1e-13  # relative to the largest entry: some thousand operations, whose rounding mostly cancels


def check(eq):
    """All entries at a random state."""
    rng = np.random.default_rng(7)
    q, v, i, u = (rng.uniform(-1, 1, n) for n in (len(eq.coordinates), len(eq.velocities), 9, len(eq.inputs)))
    drives = [*eq.model.motors]
    z = i[: len(drives)] if eq.motors == "full" else []
    terms = eq.evaluate(q, v, t=0.7, currents=z, inputs=u)
    names = dict(zip([*eq.coordinates, *eq.velocities], [*q, *v], strict=True)) | {"t": 0.7}
    names |= {name: float(number) for name, number in resolve(eq.model.parameters).items()}
    names |= {f"{name}.current": current for name, current in zip(drives, i, strict=False)}
    names |= dict.fromkeys(eq.states, 0.0)
    names = dict(zip(eq.inputs, u, strict=True)) | names
    known = {}
    for term, matrix in eq.readable.items():
        found = np.reshape([value(entry, names, known) for row in matrix.rows for entry in row], terms[term].shape)
        scale = 1 + np.max(np.abs(terms[term]), initial=0)
        np.testing.assert_allclose(found, terms[term], atol=ROUND_OFF * scale, rtol=0, err_msg=term)


@pytest.mark.parametrize("name", WITH_BODIES)
def test_gallery(name):
    model = cardan.load(name)
    check(cardan.equations(model, motors="full" if model.motors else "none"))


@pytest.mark.parametrize("seed", range(4))
def test_random_mechanisms_within_a_small_budget(seed):
    """Ten and more freedoms, of which the budget simplifies a part."""
    eq = cardan.equations(random_model(seed), motors="simplified", budget=100_000)
    check(eq)
    assert eq.unsimplified


@pytest.mark.parametrize("formulation", ["newton_euler", "articulated_body", "lagrange", "trace_lagrange"])
def test_every_formulation_is_written_alike(formulation):
    """Entries are as short as from composite bodies: their form does not depend on the way they were derived."""
    model = cardan.load("planar_manipulator")
    first, other = (cardan.equations(model, formulation=name).readable for name in ("composite_body", formulation))
    for name, matrix in first.items():
        for row, others in zip(matrix.rows, other[name].rows, strict=True):
            assert [entry.operations for entry in row] == [entry.operations for entry in others]
