"""Equations of clusters of links against the dense equations of all coordinates, and how their programs grow."""

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.formulations import clusters, composite_body, saddle
from cardan.kinematics.build import build
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import motion
from cardan.model.model import Model
from tests.truths.four_bars import stacked

SOLVED = 1e-10  # round-off times the condition number of some links of one size


def equations(model: Model):
    """The tree, its state of symbols (q, v), M, Φq, and the indices of the rows of Φq that anything moves."""
    tree = build(model, "simplified" if model.motors else "none")
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    state = motion(tree, q, v)
    J = constraint_terms(tree, state).Phi_q
    rows = [row for row, touched in enumerate(saddle.columns(J)) if touched]
    return tree, state, composite_body.mass_matrix(tree, state), J, rows


def articulated(tree, state, J, kept):
    """The equations of the rows `kept` by clusters."""
    found = clusters.partition(tree, [saddle.columns(J)[row] for row in kept])
    return clusters.articulated(tree, state, found, J, kept)


def in_plane(rows: list[int], J: np.ndarray) -> list[int]:
    """Independent rows among these."""
    out: list[int] = []
    for row in rows:
        if np.linalg.matrix_rank(J[[*out, row]], tol=1e-9) > len(out):
            out.append(row)
    return out


@pytest.mark.parametrize("motors", [False, True])
def test_clusters_give_the_accelerations_and_multipliers_of_the_dense_equations(motors):
    model = stacked(3, motors=motors)
    tree, state, M, J, rows = equations(model)
    q, v = state.q, state.v
    rng = np.random.default_rng(0)
    place, speed = rng.uniform(-1, 1, tree.nq), rng.uniform(-1, 1, tree.nv)
    numbers = ca.Function("MJ", [q, v], [ca.densify(M), ca.densify(J)])
    M_, J_ = (np.array(x) for x in numbers(place, speed))
    kept = in_plane(rows, J_)
    f, gamma = rng.uniform(-1, 1, (tree.nv, 2)), rng.uniform(-1, 1, (len(J_), 2))
    dense = np.linalg.solve(
        np.block([[M_, J_[kept].T], [J_[kept], np.zeros((len(kept),) * 2)]]), np.vstack([f, gamma[kept]])
    )
    system = articulated(tree, state, J, kept)
    a, lam = (np.array(x) for x in ca.Function("s", [q, v], system.solve(ca.SX(f), ca.SX(gamma)))(place, speed))
    np.testing.assert_allclose(a, dense[: tree.nv], rtol=0, atol=SOLVED * np.abs(dense).max())
    np.testing.assert_allclose(lam[kept], -dense[tree.nv :], rtol=0, atol=SOLVED * np.abs(dense).max())
    assert len(system.clusters) == (2 if motors else 4)  # the motor on the turntable is geared to what stands between


def test_each_loop_adds_the_same_number_of_operations():
    lengths = []
    for n in (4, 6, 8):
        tree, state, _, J, rows = equations(stacked(n))
        system = articulated(tree, state, J, rows)
        results = system.solve(ca.SX.sym("f", system.n), ca.SX.sym("gamma", J.shape[0]))
        lengths.append(ca.Function("s", ca.symvar(ca.veccat(*results)), list(results)).n_instructions())
    assert lengths[2] - lengths[1] == pytest.approx(lengths[1] - lengths[0], rel=0.02)  # base and tip aside


def test_a_stack_of_linkages_keeps_its_energy():
    """Twelve loops, one on the other: what the clusters hand inwards does no work."""
    run = cardan.simulate(stacked(12), until=0.2, rtol=1e-9)
    assert run.ok
    assert run.report.relative_energy_error < 1e-7  # a hundred tolerances
    assert run.report.constraint_violation < 1e-9
