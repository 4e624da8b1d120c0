"""Forward and inverse dynamics are inverse to each other by every road; energies obey the theorems of mechanics."""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

from cardan.formulations import articulated_body, composite_body, newton_euler
from cardan.kinematics import energy
from cardan.kinematics.build import build
from cardan.kinematics.loads import load_power
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.regroup import regroup
from cardan.model.model import Model
from tests.mechanisms import random_model, random_state
from tests.selection import each

SEEDS = range(9)  # each of the nine kinds of joints stands at each place
K = 1.5  # value of the random models' parameter
ROUND_OFF = 1e-11  # 1e5 round-offs: a few thousand operations on numbers up to 1e2
AMPLIFIED = 1e-10  # the same through a solve with a condition number up to 1e3


@cache
def _values(seed: int) -> dict[str, Any]:
    """All quantities of one random mechanism in a random state, by one graph."""
    model = random_model(seed)
    tree = build(model)
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    tau = ca.SX.sym("tau", tree.nv)
    state = motion(tree, q, v, t=0.7)
    terms, rate = composite_body.terms(tree, state), coordinate_rate(tree, q, v)
    reduced = regroup(tree)
    out = {
        "T": energy.kinetic(tree, state),
        "T of M": 0.5 * v.T @ terms.M @ v,
        "T reduced": energy.kinetic(reduced, motion(reduced, q, v)),
        "dPi/dt": ca.jtimes(ca.densify(energy.potential(tree, state)), q, rate),
        "g v": terms.g.T @ v,
        "load power": load_power(tree, state),
        "Q v": terms.Q.T @ v,
        "a composite": composite_body.forward_dynamics(tree, state, tau),
        "a articulated": articulated_body.forward_dynamics(tree, state, tau),
        "a regrouped": composite_body.forward_dynamics(reduced, state, tau),
        "a regrouped articulated": articulated_body.forward_dynamics(reduced, state_of(reduced, q, v), tau),
        "tau": tau,
    }
    out["inverse"] = newton_euler.inverse_dynamics(tree, state, out["a composite"])
    out["inverse regrouped"] = newton_euler.inverse_dynamics(reduced, state, out["a composite"])
    function = ca.Function("values", [q, v, tau, tree.p], list(out.values()))
    numbers = function(*random_state(model, seed), np.random.default_rng(seed).uniform(-1, 1, tree.nv), [K])
    return {key: np.array(value) for key, value in zip(out, numbers, strict=True)}


def state_of(tree: Any, q: Any, v: Any) -> Any:
    return motion(tree, q, v, t=0.7)


def _assert_equal(a: np.ndarray, b: np.ndarray, tolerance: float = ROUND_OFF) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * (1 + np.max(np.abs(b), initial=0)))


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_and_inverse_dynamics_are_inverse(seed: int) -> None:
    values = _values(seed)
    for key in ("a articulated", "a regrouped", "a regrouped articulated"):
        _assert_equal(values[key], values["a composite"], AMPLIFIED)
    for key in ("inverse", "inverse regrouped"):
        _assert_equal(values[key], values["tau"], AMPLIFIED)


@each("seed", SEEDS)
def test_theorems(seed: int) -> None:
    """T = ½ vᵀ M v, g = ∂Π/∂q along the motion, power of Q as of the forces."""
    values = _values(seed)
    for a, b in (("T", "T of M"), ("T", "T reduced"), ("dPi/dt", "g v"), ("load power", "Q v")):
        _assert_equal(values[a], values[b])


@each("seed", SEEDS)
def test_coriolis_matrix_is_christoffels(seed: int) -> None:
    """C = ½ ∂(C v)/∂v where q̇ = v: the symbols of the first kind are symmetric in the last two indices."""
    model = _without_quaternions(random_model(seed))
    tree = build(model, p=ca.DM([K]))
    q_s, v_s = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    C = composite_body.terms(tree, motion(tree, q_s, v_s)).C
    difference = C - 0.5 * ca.jacobian(C @ v_s, v_s)
    error = np.array(ca.Function("d", [q_s, v_s], [difference])(*random_state(model, seed)))
    assert np.max(np.abs(error)) < ROUND_OFF


def _without_quaternions(model: Model) -> Model:
    """The model with universal joints in place of those with quaternions."""
    joints = {
        name: {"type": "universal", "axes": ["x", "y"], "parent": joint.parent, "child": joint.child}
        if joint.type in ("spherical", "free")
        else joint
        for name, joint in model.joints.items()
    }
    return model.replace(joints=joints)
