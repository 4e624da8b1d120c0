"""Ranks of small dense matrices: independent rows, null spaces, least squares where the rank is not full.

Source: Golub & Van Loan 2013, §5.2 (Gram–Schmidt), §5.5 (rank-deficient least squares)
"""

from collections.abc import Iterator, Sequence

import numpy as np

from cardan.numerics.round_off import ROUND_OFF

DEPENDENT = (
    1e-7  # distance of a unit row from the span of the others below which it depends on them: √round-off, with a margin
)


PIVOT = 0.1  # share of the longest row that a row needs to be taken before it (Duff, Erisman & Reid 2017, §5.2)


def independent_rows(A: np.ndarray) -> tuple[int, ...]:
    """Rows of A (c, n) that are no combination of the rows before them.

    Example
    -------
    >>> independent_rows(np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]]))
    (0, 2)
    """
    basis = np.zeros((min(A.shape), A.shape[1]))
    kept: list[int] = []
    for i, row in enumerate(A):
        if len(kept) == len(basis):
            break
        size = np.linalg.norm(row)
        rest, known = row / size if size > DEPENDENT else np.zeros_like(row), basis[: len(kept)]
        for _ in range(2):  # twice is enough (Kahan)
            rest = rest - known.T @ (known @ rest)
        if np.linalg.norm(rest) > DEPENDENT:
            basis[len(kept)] = rest / np.linalg.norm(rest)
            kept.append(i)
    return tuple(kept)


def most_independent_rows(matrices: Sequence[np.ndarray], rank: int, share: float = PIVOT) -> tuple[int, ...]:
    """Rows, as many as the rank, that are far from the span of each other in all these matrices (c, n), in order.

    Threshold pivoting: the next row is the first one whose distance from the span of the rows before it is at least
    a `share` of the largest such distance.

    Example
    -------
    >>> most_independent_rows([np.array([[1.0, 0.0], [0.999, 0.045], [0.0, 1.0]])], 2)
    (0, 2)
    """
    rests = [np.array(A, dtype=float) for A in matrices]
    kept: list[int] = []
    for _ in range(rank):
        lengths = np.min([np.linalg.norm(A, axis=1) for A in rests], axis=0)
        lengths[kept] = -1.0
        best = int(np.argmax(lengths >= share * np.max(lengths)))
        kept.append(best)
        for A in rests:
            e = A[best] / max(np.linalg.norm(A[best]), ROUND_OFF)
            A -= np.outer(A @ e, e)
    return tuple(sorted(kept))


def null_space(A: np.ndarray) -> np.ndarray:
    """Orthonormal columns (n, n − rank) of what A (c, n) maps to zero."""
    if not A.size:
        return np.eye(A.shape[1])
    _, sizes, directions = np.linalg.svd(A)
    return directions[int(np.sum(sizes > max(DEPENDENT * sizes[0], ROUND_OFF))) :].T


def least_squares(A: np.ndarray, b: np.ndarray, smallest: float = 1e-10) -> np.ndarray:
    """Shortest x with the smallest |A x − b|."""
    return np.linalg.lstsq(A, b, rcond=smallest)[0] if A.size else np.zeros(A.shape[1])


def damped_least_squares(A: np.ndarray, b: np.ndarray, mu: float) -> np.ndarray:
    """Minimum of |A x − b|² + mu |x|²; the shortest one for mu = 0."""
    if mu == 0:
        return least_squares(A, b)
    n = A.shape[1]
    return np.linalg.lstsq(np.vstack([A, np.sqrt(mu) * np.eye(n)]), np.concatenate([b, np.zeros(n)]), rcond=None)[0]


def stacked_least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Least-squares solutions (N, n, k) of N systems A x = b; the shortest one where A loses rank.

    Unknowns that share no equation but for round-off at any instant, as those of loops side by side, are solved for
    apart; blocks of one size together.
    """
    x = np.zeros((len(A), A.shape[2], b.shape[2]))
    acts = np.any(b != 0, axis=0)
    alike: dict[tuple[int, int, int], list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
    for rows, columns in _blocks(_significant(A)):
        sides = np.flatnonzero(acts[rows].any(axis=0))
        if sides.size:
            alike.setdefault((len(rows), len(columns), len(sides)), []).append((rows, columns, sides))
    for (m, n, k), blocks in alike.items():
        rows, columns, sides = (np.stack(each)[:, :, None] for each in zip(*blocks, strict=True))
        across, sides = columns.swapaxes(1, 2), sides.swapaxes(1, 2)
        found = _least_squares(A[:, rows, across].reshape(-1, m, n), b[:, rows, sides].reshape(-1, m, k))
        x[:, columns, sides] = found.reshape(len(A), -1, n, k)
    return x


def _significant(A: np.ndarray) -> np.ndarray:
    """Pattern (m, n) of the entries that are more than round-off of the largest one at some of N instants."""
    sizes = np.max(np.abs(A), axis=0, initial=0.0)
    return np.asarray(~(sizes <= ROUND_OFF * np.max(sizes, initial=0.0)))  # what is no number counts


def _blocks(pattern: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of the blocks of a matrix whose entries have this pattern (m, n)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    m, n = pattern.shape
    rows, columns = np.nonzero(pattern)
    graph = coo_array((np.ones(rows.size), (rows, m + columns)), shape=(m + n, m + n))
    count, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.cumsum(np.bincount(labels, minlength=count))[:-1]):
        own = members < m
        if own.any() and not own.all():
            yield members[own], members[~own] - m


def _least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solutions (N, n, k) of one block, by QR."""
    if A.shape[1] < A.shape[2]:
        return np.linalg.pinv(A, rcond=DEPENDENT) @ b
    Q, R = np.linalg.qr(A)
    pivots = np.abs(np.diagonal(R, axis1=1, axis2=2))
    lost = np.min(pivots, axis=1, initial=np.inf) <= DEPENDENT * np.max(pivots, axis=1, initial=0.0)
    R[lost] = np.eye(A.shape[2])
    x = np.linalg.solve(R, Q.swapaxes(1, 2) @ b)
    if lost.any():
        x[lost] = np.linalg.pinv(A[lost], rcond=DEPENDENT) @ b[lost]
    return x


def row_distances(J: np.ndarray, kept: Sequence[int]) -> np.ndarray:
    """Distance (c,) of each row of J (c, n) from the space of the rows that are `kept`."""
    basis = np.linalg.qr(J[list(kept)].T)[0]
    return np.asarray(np.linalg.norm(J - (J @ basis) @ basis.T, axis=1))
