"""Assembly with sparse steps gives what dense linear algebra gives, and its choice has no digits of the position."""

import numpy as np
import pytest

import cardan
from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.start import start
from cardan.model.quantities.parameters import resolve
from cardan.system.system import build_system
from tests.selection import each
from tests.truths.four_bars import four_bars

MODELS = ["slider_crank", "four_bar", "planar_3rrr"]
CASES = [
    *map(cardan.load, MODELS),
    four_bars(3),
    four_bars(3).replace(planar=None),
]  # the last with redundant equations


def assembler(model):
    """Of a model without motors, and a position in which it is closed."""
    system, p = build_system(model, "none"), np.array([float(x) for x in resolve(model.parameters).values()])
    functions = AssemblyFunctions(system.tree)
    values = dict(zip(model.parameters, p, strict=True))
    return Assembler(functions, p), start(system, functions, model.initial, values).x[: system.tree.nq]


@each("model", CASES)
def test_sparse_steps_lead_where_dense_ones_do(model):
    one, q = assembler(model)
    guess = one.moved(q, 0.05 * np.random.default_rng(0).standard_normal(one.tree.nv))
    for held in ([], [0]):
        sparse, dense = one._regular_nearest(guess, held), one._any_nearest(guess, held)
        assert sparse is not None
        for q, gap in (sparse, dense):
            Phi, J, _ = one.at(q)
            far = np.max(np.abs(Phi) / np.maximum(1, np.linalg.norm(J, axis=1)))
            assert gap == pytest.approx(far, rel=1e-12, abs=0)  # of a few round-offs, in other programs
            assert gap < 1e-12
        np.testing.assert_allclose(sparse[0], dense[0], rtol=0, atol=1e-11)  # both to 1e-12, at a condition below 10


def test_other_positions_and_parameters_need_no_other_program():
    model = cardan.load("slider_crank")
    choices = set()
    for crank in np.linspace(0, 3, 7):
        for l1 in (0.2, 0.21, 0.25):
            system = build_system(model)
            values = {name: float(x) for name, x in resolve(model.parameters, {"l1": l1}).items()}
            choices.add(start(system, AssemblyFunctions(system.tree), {"crank": crank}, values).choice)
    assert len(choices) == 1
