"""Complementarity problems of events: the conditions hold for random problems, dependent rows and bounds included.

The kernel runs in plain Python here; events of runs use its machine code.
"""

import numpy as np

from cardan.codegen.kernels import address_of
from cardan.integration.loop.complementarity import solve_pairs
from tests.selection import each


def solved(H, c, lo, hi):
    m = len(c)
    data = np.concatenate([np.ravel(H), c, lo, hi])
    y, scratch = np.empty(m), np.empty(m * (m + 3))
    count = solve_pairs(m, address_of(data), address_of(y), address_of(scratch))
    return y, count


@each("seed", range(60))
def test_conditions_hold(seed):
    """w = 0 between the bounds, w ≥ 0 at the lower one, w ≤ 0 at the upper one; H of any rank, c in its range."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 9))
    rank = int(rng.integers(1, m + 1))
    A = rng.normal(size=(rank, m))
    if seed % 3 == 0 and m > 1:
        A[:, 1] = -A[:, 0]  # two joints that move only together
    H, c = A.T @ A, A.T @ rng.normal(size=rank) * 3
    kinds = rng.integers(0, 3, m)
    lo = np.choose(kinds, [np.zeros(m), np.full(m, -1e300), np.zeros(m)])
    hi = np.choose(kinds, [np.full(m, 1e300), np.zeros(m), np.zeros(m)])
    y, count = solved(H, c, lo, hi)
    w, close = H @ y + c, 1e-11 * (1 + np.abs(c).max() + np.abs(H).max() * np.abs(y).max())
    assert count <= 4 * m
    assert (y >= lo).all()
    assert (y <= hi).all()
    assert w[y < hi].min(initial=0) > -close
    assert w[y > lo].max(initial=0) < close


def test_a_row_without_bound_that_cannot_move_is_left_alone():
    """H = 0: no push of a stop changes the acceleration, as of a slider at its dead centre."""
    y, _ = solved(np.zeros((1, 1)), np.array([-3.0]), np.array([0.0]), np.array([1e300]))
    assert y.tolist() == [0.0]
