"""Positions over a grid, each from a solved neighbour, so that all of them belong to one branch where that is possible.

Cells that the neighbours do not lead to are sought from random positions, and filled from there.
"""

import numpy as np

from cardan.analysis.inverse.search import Found, Search, Solve

NEAR = 32  # cells next to the guess of which the first one that is reached begins the map
RESTARTS = 3  # random positions from which each cell is sought that no neighbour leads to


def filled(search: Search, shape: tuple[int, ...], first: np.ndarray, solve: Solve) -> Found:
    """Positions for all cells of a grid; `solve` finds those of cells that no neighbour leads to."""
    count = len(search.y)
    nothing = np.zeros(count, dtype=bool)
    best = Found(search.guess.copy(), nothing, nothing, np.zeros(count))
    if not count:
        return best
    near = np.argsort(np.linalg.norm(search.y - first, axis=1), kind="stable")[:NEAR]
    begin = search.tried(near, search.guess[near])
    reached = np.flatnonzero(begin.good)[:1]
    best = _spread(search, shape, best.with_rows(near[reached], begin.rows(reached)), near[reached])
    for k in range(RESTARTS + 1):
        left = np.flatnonzero(~best.good)
        if not left.size:
            break
        found = search.tried(left, best.q[left] if k == 0 else search.drawn(left, k), solve)
        take = found.good | (found.met & ~best.met[left])
        best = best.with_rows(left[take], found.rows(take))
        best = _spread(search, shape, best, left[found.good])
    return best


def _spread(search: Search, shape: tuple[int, ...], best: Found, edge: np.ndarray) -> Found:
    """The positions, and those of all cells that are reached from the cells `edge` (M,) by way of neighbours."""
    while edge.size:
        cells, sources = _neighbours(shape, edge)
        open_ = ~best.good[cells]
        cells, at = np.unique(cells[open_], return_index=True)
        sources = sources[open_][at]
        found = search.tried(cells, best.q[sources])
        take = found.good | (found.met & ~best.met[cells])
        best = best.with_rows(cells[take], found.rows(take))
        edge = cells[found.good]
    return best


def _neighbours(shape: tuple[int, ...], cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cells next to some cells along any axis, and the cells that they are next to."""
    places = np.unravel_index(cells, shape)
    out, sources = [], []
    for axis, length in enumerate(shape):
        for step in (-1, 1):
            moved = places[axis] + step
            inside = (moved >= 0) & (moved < length)
            there = [*places[:axis], moved, *places[axis + 1 :]]
            out.append(np.ravel_multi_index([part[inside] for part in there], shape))
            sources.append(cells[inside])
    return np.concatenate(out), np.concatenate(sources)
