"""Random mechanisms with loops: derivatives by differences, solutions by dense algebra, theorems along runs."""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.formulations import composite_body, saddle
from cardan.kinematics.build import build
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.model.model import Model
from tests.balance import imbalance, leak
from tests.mechanisms import CLOSING_TYPES, K, one_loop, random_closed, random_state
from tests.selection import few

SEEDS = range(16)  # two loops each: all joint types close one
STEP = 1e-6  # of a central difference: its error is 1e-12 times third derivatives, its round-off 1e-10
DIFFERENCE = 1e-8
SOLVED = 1e-9  # round-off times the condition number of a few random bodies


class Numbers:
    """Quantities of a random closed mechanism as functions of (q, v) by CasADi's interpreter."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tree = tree = build(model, "none")
        self.p = np.full(len(tree.parameters), K)
        q, v, dv = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("dv", tree.nv)
        state = motion(tree, q, v)
        terms = constraint_terms(tree, state)
        M = composite_body.mass_matrix(tree, state)
        outputs = [terms.Phi, terms.rate, terms.Phi_q, terms.gamma, M]
        self.terms = ca.Function("terms", [q, v, tree.p], [ca.densify(ca.SX(x)) for x in outputs])
        moved = normalised(tree, q + coordinate_rate(tree, q, dv))
        self.moved = ca.Function("moved", [q, dv], [moved])

    def at(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Φ (c,), Φ̇ (c,), Φq (c, n), γ (c,), M (n, n)."""
        Phi, rate, Phi_q, gamma, M = (np.array(x) for x in self.terms(q, v, self.p))
        return Phi.ravel(), rate.ravel(), Phi_q, gamma.ravel(), M

    def shifted(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """q after the small displacement dv."""
        return np.array(self.moved(q, dv)).ravel()


@cache
def numbers(seed: int) -> Numbers:
    return Numbers(random_closed(seed))


def state(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A state of the mechanism's tree, in general one in which no loop is closed."""
    return random_state(_tree(numbers(seed).model), 77 + seed)


def closed_position(seed: int) -> np.ndarray:
    return np.array(
        [float(numbers(seed).model.initial[entry.name].guess.value) for entry in numbers(seed).tree.coordinates]
    )


def closed_state(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A position in which all loops are closed, with velocities that keep them closed."""
    q, (_, v) = closed_position(seed), state(seed)
    J = numbers(seed).at(q, v)[2]
    return q, v - np.linalg.pinv(J) @ (J @ v)


def _tree(model: Model) -> Model:
    return model.replace(joints={k: j for k, j in model.joints.items() if not j.cut}, initial={})


@pytest.mark.parametrize("seed", few(SEEDS, 5))
def test_loops_close_where_they_were_placed(seed: int) -> None:
    Phi = numbers(seed).at(closed_position(seed), np.zeros(numbers(seed).tree.nv))[0]
    assert np.abs(Phi).max() < 1e-13


@pytest.mark.parametrize("seed", few(SEEDS, 5))
def test_jacobian_against_differences(seed: int) -> None:
    """Φ at positions displaced from a closed one, with the quaternions moved along their own rates."""
    f, (q, v) = numbers(seed), closed_state(seed)
    Phi_q, rate = f.at(q, v)[2], f.at(q, v)[1]
    zero = np.zeros(f.tree.nv)
    for k in range(f.tree.nv):
        e = STEP * np.eye(f.tree.nv)[k]
        difference = (f.at(f.shifted(q, e), zero)[0] - f.at(f.shifted(q, -e), zero)[0]) / (2 * STEP)
        np.testing.assert_allclose(Phi_q[:, k], difference, rtol=0, atol=DIFFERENCE)
    np.testing.assert_allclose(Phi_q @ v, rate, rtol=0, atol=1e-13)


@pytest.mark.parametrize("seed", few(SEEDS, 5))
def test_gamma_against_differences(seed: int) -> None:
    """Φ̇ along a motion that keeps the loops closed, with v̇ = 0, changes at the rate −γ."""
    f, (q, v) = numbers(seed), closed_state(seed)
    after, before = (f.at(f.shifted(q, sign * STEP * v), v)[1] for sign in (1, -1))
    np.testing.assert_allclose(-f.at(q, v)[3], (after - before) / (2 * STEP), rtol=0, atol=10 * DIFFERENCE)


@pytest.mark.parametrize("seed", few(SEEDS, 5))
def test_accelerations_against_a_dense_pivoted_solve(seed: int) -> None:
    """In the assembled position: independent rows, static order, no pivoting, against LAPACK; and v̇ obeys all rows."""
    f = numbers(seed)
    q = closed_position(seed)
    kept = Assembler(AssemblyFunctions(f.tree), f.p).selection(q).kept
    rng = np.random.default_rng(seed)
    _, _, J, _, M = f.at(q, rng.uniform(-1, 1, f.tree.nv))
    force = rng.uniform(-1, 1, f.tree.nv)
    gamma = J @ rng.uniform(-1, 1, f.tree.nv)  # in the range of Φq, as that of a motion is
    M_s, J_s = ca.SX.sym("M", M.shape[0], M.shape[1]), ca.SX.sym("J", J.shape[0], J.shape[1])
    a, lam = saddle.saddle(M_s, J_s, kept).solve(ca.SX(force), ca.SX(gamma))
    a, lam = (np.array(x).ravel() for x in ca.Function("solve", [M_s, J_s], [a, lam])(M, J))
    rows = list(kept)
    K_dense = np.block([[M, J[rows].T], [J[rows], np.zeros((len(rows), len(rows)))]])
    x = np.linalg.solve(K_dense, np.concatenate([force, gamma[rows]]))
    np.testing.assert_allclose(a, x[: len(a)], rtol=0, atol=SOLVED * (1 + np.abs(x[: len(a)]).max()))
    np.testing.assert_allclose(lam[rows], -x[len(a) :], rtol=0, atol=SOLVED * (1 + np.abs(x[len(a) :]).max()))
    np.testing.assert_allclose(J @ a, gamma, rtol=0, atol=10 * SOLVED * (1 + np.abs(x).max()))
    assert len(kept) == np.linalg.matrix_rank(J, tol=1e-7)
    np.testing.assert_array_equal(np.delete(lam, rows), 0)


@pytest.mark.parametrize("seed", [0, 8, 16])
def test_a_run_keeps_energy_loops_and_newton_s_laws(seed: int) -> None:
    """Loops that are redundant in part: what they transmit is one of many distributions, and balances every body."""
    model = random_closed(seed, bodies=4)
    run = cardan.simulate(model, times=np.linspace(0, 0.3, 4), method="dop853", rtol=1e-10, atol=1e-11)
    assert run.ok, run.message
    assert run.report.constraint_violation < 1e-10
    assert run.report.relative_energy_error < 1e-8
    assert imbalance(model, run, "none") < 1e-9
    assert leak(model, run) < 1e-9


def _positions(model: Model, run: Any) -> np.ndarray:
    """Centres of mass of the bodies along a run."""
    tree = build(model, "none")
    q = ca.SX.sym("q", tree.nq)
    places = motion(tree, q, ca.DM(tree.nv, 1))
    com = [places.T_WL[tree.places[f"{name}.com"].link] @ tree.places[f"{name}.com"].T_LM for name in model.bodies]
    f = ca.Function("com", [q, tree.p], [ca.SX(ca.vertcat(*(T[:3, 3] for T in com)))])
    return np.array([np.array(f(x[: tree.nq], np.full(len(tree.parameters), K))).ravel() for x in run.x])


@pytest.mark.parametrize("kind", few(CLOSING_TYPES, 3))
def test_where_a_loop_is_cut_does_not_matter(kind: str) -> None:
    """The same mechanism, its loop closed by joints of two types: the motion is one."""
    other = f"j{CLOSING_TYPES.index(kind) % 3}"
    paths = []
    for cut in ("j3", other):
        model = one_loop(kind, cut)
        assert cardan.mobility(model).cut == (cut,)
        run = cardan.simulate(model, times=np.linspace(0, 0.3, 4), method="dop853", rtol=1e-11, atol=1e-12)
        assert run.ok, run.message
        assert run.report.constraint_violation < 1e-10
        paths.append(_positions(model, run))
    np.testing.assert_allclose(paths[0], paths[1], rtol=0, atol=1e-9)
    assert np.ptp(paths[0], axis=0).max() > 1e-2  # m: it does move


def test_formulations_agree_on_the_tree_of_a_closed_mechanism() -> None:
    """M, C, g of three formulations for every closed mechanism; Φ, Φq, γ have one home."""
    model = random_closed(3, bodies=4)
    q, v = random_state(_tree(model), 3)
    terms = [
        cardan.equations(model, "none", formulation=name).evaluate(q, v)
        for name in ("composite_body", "newton_euler", "articulated_body")
    ]
    for other in terms[1:]:
        for name, value in terms[0].items():
            np.testing.assert_allclose(
                other[name], value, rtol=0, atol=1e-10 * (1 + np.abs(value).max(initial=0)), err_msg=name
            )
