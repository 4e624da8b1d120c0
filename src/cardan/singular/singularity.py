"""Kinds of singular positions: a rank drops at the position but not in its neighbours (redundancy: it drops in both).

The allowed velocities are v = N s. At a position of type 1 (inverse; dead centre) the drives can move while the output
is at rest; at a position of type 2 (forward) the mechanism can move while the drives are at rest.

Source: Gosselin & Angeles 1990, "Singularity analysis of closed-loop kinematic chains" (types 1 and 2)
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from cardan.frozen import dataclass
from cardan.singular.tolerances import SINGULAR

SingularityKind = Literal["branch", "type 1", "type 2"]
_MEANING = {
    "branch": "the loops lose rank: branches of motion meet",
    "type 1": "inverse: the drives can move while the output stands",
    "type 2": "forward: the mechanism can move while the drives stand",
}


@dataclass(frozen=True)
class Singularity:
    """Distance of a position to one kind of singularity, by singular values of a matrix with rows of unit length."""

    kind: SingularityKind
    smallest: float  # smallest singular value at the position among those that are not zero in general
    neighbours: tuple[float, ...]  # this singular value in the neighbours
    lost: int  # number of singular values that are zero at the position and in no neighbour
    condition: float  # largest singular value divided by the smallest

    @property
    def here(self) -> bool:
        """Whether the position is singular."""
        return self.lost > 0

    @property
    def meaning(self) -> str:
        """The kind in words."""
        return _MEANING[self.kind]


@dataclass(frozen=True)
class SingularSet:
    """Singular positions: the named coordinates have these values, the others any values."""

    where: Mapping[str, float]  # [rad, m or -]; all coordinates of a mechanism with loops
    rank: int  # rank of the matrix that loses rank: the marker's Jacobian, the drives' velocities (type 2), Φq (branch)
    kind: SingularityKind = "type 1"  # an open arm knows no other
    example: bool = False  # whether it is one of a curve or surface of such positions

    @property
    def meaning(self) -> str:
        """The kind in words."""
        return _MEANING[self.kind]


def distances(
    jacobians: Sequence[np.ndarray], rank: int, driven: Sequence[int], output: Sequence[int] | None
) -> tuple[Singularity, ...]:
    """The distance to every kind of singularity that can occur; empty for a mechanism without loops."""
    if not rank:
        return ()
    branch = _compared("branch", [unit_rows(J, longest_row(jacobians)) for J in jacobians], rank)
    n, freedom = jacobians[0].shape[1], jacobians[0].shape[1] - rank
    if branch.here or not driven or not freedom:
        return (branch,)
    motions = [np.linalg.svd(J)[2][rank:].T for J in jacobians]
    moved = [k for k in range(n) if k not in set(driven)] if output is None else list(output)
    kinds: tuple[tuple[SingularityKind, list[int]], ...] = (("type 1", moved), ("type 2", list(driven)))
    return (branch, *(_compared(kind, _even([N[rows] for N in motions]), freedom) for kind, rows in kinds))


def _compared(kind: SingularityKind, matrices: Sequence[np.ndarray], rank: int) -> Singularity:
    """The `rank` largest singular values at the position, compared with those of the neighbours."""
    sizes = np.zeros((len(matrices), rank))
    for row, matrix in zip(sizes, matrices, strict=True):
        found = np.linalg.svd(matrix, compute_uv=False)[:rank]
        row[: len(found)] = found
    usual = np.max(sizes[1:], axis=0) if len(sizes) > 1 else sizes[0]
    # with fewer drives than degrees of freedom, or few output components, some singular values are zero everywhere
    count = int(np.sum(usual > SINGULAR))
    lost = int(np.sum(sizes[0, :count] < SINGULAR * usual[:count]))
    smallest = sizes[:, max(count - 1, 0)]
    condition = float(sizes[0, 0] / smallest[0]) if smallest[0] else float("inf")
    return Singularity(kind, float(smallest[0]), tuple(smallest[1:].tolist()), lost, condition)


def _even(matrices: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The matrices with each row divided by its largest length in any matrix, so that its unit does not matter."""
    lengths = np.max([np.linalg.norm(matrix, axis=1) for matrix in matrices], axis=0)
    scale = np.where(lengths > 0, lengths, 1)[:, None]
    return [matrix / scale for matrix in matrices]


def unit_rows(J: np.ndarray, longest: float) -> np.ndarray:
    """J (c, n) with rows of length 1, so that metres and radians have equal weight; rows of zeros stay zero."""
    lengths = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(lengths > SINGULAR * longest, lengths, longest or 1.0)


def longest_row(jacobians: Sequence[np.ndarray]) -> float:
    """The length of the longest row of some matrices."""
    return float(max(np.max(np.linalg.norm(J, axis=1), initial=0.0) for J in jacobians))
