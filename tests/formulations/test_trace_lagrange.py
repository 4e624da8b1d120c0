"""The formulation trace_lagrange keeps the contract of formulations, and its coefficients mean what they are said to.

Their sums are the matrices of other formulations; each is what its name says.
"""

import casadi as ca
import numpy as np

from cardan.formulations import composite_body, trace_lagrange
from cardan.kinematics.build import build
from cardan.kinematics.motion import motion
from tests.contracts.formulation_contract import FormulationContract
from tests.mechanisms import random_model, random_state
from tests.selection import each

ROUND_OFF = 1e-11  # 1e5 round-offs, as in test_agreement
SEEDS = (0, 4)  # trees of 10 and 15 velocities, with motors on moving bodies


class TestTraceLagrange(FormulationContract):
    module = trace_lagrange


def in_position(seed):
    """Tree, state, coefficients and the terms of composite bodies, all as numbers."""
    model = random_model(seed, forces=False)
    tree = build(model, p=ca.DM([1.5]))
    q, v = random_state(model, seed)
    state = motion(tree, ca.DM(q), ca.DM(v))
    return tree, state, trace_lagrange.coefficients(tree, state), composite_body.terms(tree, state)


def assert_equal(a, b):
    a, b = np.array(a), np.array(b)
    np.testing.assert_allclose(a, b, rtol=0, atol=ROUND_OFF * (1 + np.max(np.abs(b))))


@each("seed", SEEDS)
def test_coefficients_add_up_to_the_terms(seed):
    tree, state, c, terms = in_position(seed)
    springs = ca.DM(tree.stiffness) * (state.q[: tree.nv] - tree.rest) if tree.nq == tree.nv else None
    assert_equal(c.a0, terms.M)
    assert_equal(trace_lagrange.velocity_forces(c, state.v), terms.C @ state.v)
    if springs is not None:
        assert_equal(c.a2 + springs, terms.g)


def test_a_change_of_velocities_changes_forces_by_the_transpose():
    tree, state, c, _ = in_position(0)
    T = ca.DM(np.random.default_rng(5).normal(size=(tree.nv, tree.nv)))
    w = ca.solve(T, state.v)
    changed = trace_lagrange.changed(c, T)
    scale = 1e2  # of Tᵀ · T in front of the round-off
    assert_equal(changed.a0 / scale, T.T @ c.a0 @ T / scale)
    assert_equal(
        trace_lagrange.velocity_forces(changed, w) / scale, T.T @ trace_lagrange.velocity_forces(c, state.v) / scale
    )
    assert_equal(changed.a2, T.T @ c.a2)
