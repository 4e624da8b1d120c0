"""Equations of loops that only rounded numbers make independent, as a file with six digits does: they are left out.

The independent equations are chosen as if what is smaller than rounding were zero, and the loops are closed with these
alone. Where the other equations then hold within the tolerance all along the motion that is left, rounding explains
their gap: exact numbers would make them redundant. A mechanism that they truly lock leaves the tolerance at once.
Source: docs/decisions/0033-rounded-loops.md
"""

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler, is_regular
from cardan.assembly.failures import listed_gaps
from cardan.assembly.functions import AssemblyFunctions
from cardan.kinematics.motion import marker_motion, motion
from cardan.kinematics.tree import Rounded, Tree
from cardan.numerics.largest import largest
from cardan.numerics.rank import most_independent_rows, null_space, row_distances
from cardan.numerics.round_off import ROUND_OFF
from cardan.spatial.transforms import position

FEW_DIGITS = 1e-3  # rounding that a refusal looks for [-]: numbers of three digits
WALKS = 4  # largest number of directions of a mechanism of many freedoms that are walked, each both ways
PACES, PACE = 10, 0.2  # number of paces of a walk, and length of one [rad or m]: two radians each way
SPREAD = 100.0  # largest singular value of scaled rows that rounding by 1 makes [-]: ten joints, ten roundings each


def rounded_rows(assembler: Assembler, guess: np.ndarray, held: Sequence[int], tolerance: float) -> tuple[Rounded, ...]:
    """The equations without time that hold within rounding, but not within round-off, while the others hold."""
    q, closed = assembler.search(guess, held)
    Phi, J, *_ = assembler.at(q)
    if not np.isfinite(Phi).all() or (closed and is_regular(assembler.functions.pivots(q, assembler.p)[0].ravel())):
        return ()
    sizes = _sizes(assembler, q)
    scaled = J / sizes[:, None]
    spread = np.linalg.svd(scaled, compute_uv=False)
    if closed and not np.any((spread > 10 * ROUND_OFF) & (spread < SPREAD * tolerance)):
        return ()
    rank = int(np.sum(spread >= SPREAD * tolerance))
    kept = most_independent_rows([scaled], rank)
    left = [
        Rounded(k, *label, 0.0, float(sizes[k]), tolerance)
        for k, label in enumerate(assembler.functions.labels)
        if k not in set(kept)
    ]
    trial = Assembler(AssemblyFunctions(replace(assembler.tree, rounded=tuple(left))), assembler.p)
    q, closed = trial.search(guess, held)
    places = [q, *_walked(trial, q)]
    if not closed or (rank < assembler.tree.nv and len(places) == 1):
        return ()
    gaps = np.max([np.abs(assembler.at(place)[0]) for place in places], axis=0)
    if not np.all(gaps <= tolerance * sizes):
        return ()
    apart = np.max([row_distances(assembler.at(place)[1] / sizes[:, None], kept) for place in places], axis=0)
    rounding = (gaps > ROUND_OFF * sizes) | (apart > 10 * ROUND_OFF)  # others are redundant whatever the rounding
    return tuple(replace(one, gap=float(gaps[one.row])) for one in left if rounding[one.row])


def _walked(trial: Assembler, q: np.ndarray) -> list[np.ndarray]:
    """Closed positions (nq,) on walks from q along what the equations leave free, each way until a rank changes."""
    out: list[np.ndarray] = []
    free = null_space(trial.at(q)[1])
    freedoms = free.shape[1]
    ways = free @ np.random.default_rng(0).standard_normal((freedoms, min(freedoms, WALKS)))
    for way in (*ways.T, *-ways.T):
        here = q
        for _ in range(PACES):
            free = null_space(trial.at(here)[1])
            way = free @ (free.T @ way)
            if free.shape[1] != freedoms or not largest(way) > ROUND_OFF:
                break
            way = way / largest(way)
            here, gap = trial.nearest(trial.moved(here, PACE * way))
            if gap > ROUND_OFF * (1 + largest(here)):
                break
            out.append(here)
    return out


def rounding_doubts(tree: Tree) -> tuple[str, ...]:
    """The warning that names the equations which are left out, and the largest gap of each; empty if there are none."""
    if not tree.rounded:
        return ()
    fault = f"rounded numbers leave loops open by {listed_gaps(tree.rounded)}"
    left = "these equations count as redundant and are left out"
    return (f"{fault}; {left}; write numbers in full, or set assemble: {{tolerance: 0}} to refuse them",)


def opened_doubts(tree: Tree, gap: float) -> tuple[str, ...]:
    """The warning that a run opened the equations which are left out by a `gap` beyond their rounding; else empty."""
    if gap <= max(one.tolerance * one.size for one in tree.rounded):
        return ()
    owners = ", ".join(dict.fromkeys(repr(one.owner) for one in tree.rounded))
    fault = f"the equations of {owners} that count as redundant opened by {gap:.2g} on the way, more than by rounding"
    return (f"{fault}; check the axes and lengths of the loop, or set assemble: {{tolerance: …}} to what is rounding",)


def _sizes(assembler: Assembler, q: np.ndarray) -> np.ndarray:
    """The change (c,) of each equation per unit of motion: the longest row of its joint's equations of one kind.

    Equations of angles change by one radian per radian, although hinges that are parallel never turn each other; those
    of lengths by the size of the mechanism, although planes that are parallel never move through each other.
    """
    lengths, labels = assembler.lengths(q).ravel(), assembler.functions.labels
    kinds = [(owner, component.partition(" ")[0]) for owner, component in labels]
    longest = {(owner, "moment"): 1.0 for owner, _ in kinds}
    for kind, length in zip(kinds, lengths.tolist(), strict=True):
        longest[kind] = max(longest.get(kind, 0.0), length)
    extent = _extent(assembler, q)
    return np.array([longest[kind] if longest[kind] > FEW_DIGITS * extent else extent for kind in kinds])


def _extent(assembler: Assembler, q: np.ndarray) -> float:
    """Largest distance along an axis between links and closing joints [m]; 1 where all are at one point."""
    tree, symbols = assembler.tree, ca.SX.sym("q", assembler.tree.nq)
    state = motion(tree, symbols, ca.DM(tree.nv, 1))
    ends = [marker_motion(state, end).p for cut in tree.cuts for end in (cut.parent, cut.child)]
    points = ca.horzcat(ca.DM(3, 1), *(position(T) for T in state.T_WL), *ends)
    found = np.array(ca.Function("points", [symbols, tree.p], [ca.densify(ca.SX(points))])(q, assembler.p))
    return float(np.ptp(found, axis=1).max()) or 1.0
