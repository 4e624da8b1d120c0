"""Groups of joints that move only together, from the rows of their velocities in the free directions of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.numerics.rank import DEPENDENT, independent_rows, least_squares


def groups_of(free: np.ndarray) -> list[tuple[list[int], int]]:
    """Joints that move only together, and the freedoms of each group: the circuits of the rows of `free`, joined."""
    independent = independent_rows(free) if free.size else ()
    groups: list[set[int]] = [{i} for i in independent]
    for k in (each for each in range(len(free)) if each not in independent):
        length = np.linalg.norm(free[k])
        parts = least_squares(free[list(independent)].T, free[k] / length) if length > DEPENDENT else np.zeros(0)
        circuit = {i for i, part in zip(independent, parts, strict=False) if abs(part) > DEPENDENT}
        joined = [group for group in groups if group & circuit]
        groups = [group for group in groups if group not in joined] + [set.union({k}, *joined)]
    return [
        (sorted(group), len(group & set(independent)))
        for group in groups
        if len(group) > 1 or not group & set(independent)
    ]


def have_one_freedom(free: Sequence[np.ndarray], members: Sequence[int]) -> bool:
    """Whether the rows of joints have one direction in all positions."""
    return all(_are_parallel(N[members[0]], N[k]) for N in free for k in members[1:])


def sets_of_one_freedom(free: Sequence[np.ndarray], members: Sequence[int]) -> list[list[int]]:
    """The joints of a group by freedom, each set in the order of the file: those whose rows are parallel everywhere."""
    out: list[list[int]] = []
    for i in members:
        one = next((each for each in out if have_one_freedom(free, [each[0], i])), None)
        if one is None:
            out.append([i])
        else:
            one.append(i)
    return out


def _are_parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rows (f,) have one direction, or one of them none, as at its dead centre."""
    length = np.linalg.norm(one) * np.linalg.norm(other)
    return bool(length <= DEPENDENT or abs(one @ other) > (1 - DEPENDENT) * length)
