"""What every formulation satisfies: a class with its module, `class TestLagrange(FormulationContract)`.

The equations are those of the composite-body method, which is compared with Newton and Euler's; M and C obey the
theorems of mechanics, each formulation's by themselves.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, ClassVar

import casadi as ca
import numpy as np

import cardan
from cardan.formulations import composite_body, newton_euler
from cardan.formulations.terms import Terms
from cardan.kinematics.build import build
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.kinematics.tree import Tree
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from tests.mechanisms import random_model, random_state
from tests.selection import each

NAMES = ("M", "C", "D", "g", "Q", "B")
GALLERY = ("overhead_crane", "manipulator_3dof", "slider_crank", "planar_3rrr", "four_bar_spatial", "heavy_top")
SEEDS = range(9)  # each of the nine kinds of joints stands at each place
K = 1.5  # value of the random models' parameter
ROUND_OFF = 1e-11  # relative to the largest entry: 1e5 round-offs, a few thousand operations


@cache
def mechanism(key: str | int) -> tuple[Model, Tree, list[float], np.ndarray, np.ndarray]:
    """A model of the gallery by its name or a random one by its seed: model, tree, parameters p, and q, v."""
    if isinstance(key, int):
        model = random_model(key)
        return model, build(model), [K], *random_state(model, key)
    model = cardan.load(key)
    tree, rng = build(model), np.random.default_rng(1)
    q, v = rng.uniform(-1, 1, tree.nq), rng.uniform(-1, 1, tree.nv)
    return (
        model,
        tree,
        [float(x) for x in resolve(model.parameters).values()],
        np.array(ca.DM(normalised(tree, ca.DM(q)))).ravel(),
        v,
    )


def values(module: ModuleType, key: str | int) -> dict[str, np.ndarray]:
    """The terms of a formulation as numbers, and Ṁ."""
    _, tree, p, *state = mechanism(key)
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    terms = module.terms(tree, of_state(tree, q, v))
    assert isinstance(terms, Terms)
    M_dot = ca.jtimes(ca.vec(ca.densify(ca.SX(terms.M))), q, coordinate_rate(tree, q, v))
    out = {name: ca.SX(getattr(terms, name)) for name in NAMES} | {"M_dot": ca.reshape(M_dot, tree.nv, tree.nv)}
    found = ca.Function("terms", [q, v, tree.p], list(out.values()))(*state, p)
    return {name: np.array(x) for name, x in zip(out, found, strict=True)}


def of_state(tree: Tree, q: Any, v: Any) -> Any:
    """A state of motion at 0.7 s without currents."""
    return motion(tree, q, v, t=0.7)


@cache
def reference(key: str | int, module: ModuleType) -> dict[str, np.ndarray]:
    """What a formulation is compared with."""
    return values(module, key)


def assert_equal(a: np.ndarray, b: np.ndarray, name: str) -> None:
    """Equal but for round-off of the largest entry."""
    np.testing.assert_allclose(a, b, rtol=0, atol=ROUND_OFF * (1 + np.max(np.abs(b), initial=0)), err_msg=name)


class FormulationContract:
    """Agreement of the terms, and theorems about M and C, on mechanisms of the gallery and random ones."""

    module: ClassVar[ModuleType]

    @each("key", [*GALLERY, *SEEDS])
    def test_terms(self, key):
        """Those of another method; M = Mᵀ > 0; Ṁ − 2C skew."""
        found = values(self.module, key)
        expected = reference(key, newton_euler if self.module is composite_body else composite_body)
        for name in NAMES:
            assert found[name].shape == expected[name].shape
            assert_equal(found[name], expected[name], name)
        M, N = found["M"], found["M_dot"] - 2 * found["C"]
        assert_equal(M, M.T, "M is symmetric")
        assert np.linalg.eigvalsh(M)[0] > 0
        assert_equal(N, -N.T, "Ṁ − 2C is skew")

    @each("seed", range(2))
    def test_numbers_run_through_the_law_as_symbols_do(self, seed):
        model, _, p, *state = mechanism(seed)
        tree = build(model, p=ca.DM(p))
        terms = self.module.terms(tree, of_state(tree, *map(ca.DM, state)))
        expected = reference(seed, composite_body)
        for name in NAMES:
            number = getattr(terms, name)
            assert isinstance(number, ca.DM)
            assert_equal(np.array(number), expected[name], name)
