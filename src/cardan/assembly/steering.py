"""Guesses for joints that close loops: a position from which assembly starts, with their bodies near the guesses.

A joint that is cut has no coordinate in the tree. Its guess describes a position of the child in the parent; assembly
starts from the position, near the other guesses, in which the child is as near to it as the held coordinates allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from cardan.kinematics.constraints import cut_frames
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.tree import Tree
from cardan.numerics.numbers import Numbers
from cardan.spatial.transforms import pose, position, rotation

if TYPE_CHECKING:
    from cardan.assembly.assembler import Assembler

BETTER = 0.9  # share of the guess's misfit below which a random start replaces the guess [-]


def steered(assembler: Assembler, guess: np.ndarray, held: Sequence[int], wanted: Mapping[str, float]) -> np.ndarray:
    """Position (nq,) near the guess, loops open, in which cut joints nearly have the coordinates `wanted` for them."""
    law = _misfit(assembler.tree, wanted)

    def at(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Phi, J = law(q, assembler.p)
        return Phi.ravel(), J

    best, least = guess, np.inf
    for start in assembler.starts(guess, held):
        q = assembler.descended(start, held, at)
        misfit = float(np.linalg.norm(at(q)[0]))
        if misfit < BETTER * least:
            best, least = q, misfit
    return best


def _misfit(tree: Tree, wanted: Mapping[str, float]) -> Numbers:
    """(difference of the child's frames, its derivatives) of (q, p): three of origins [m], nine of axes [-]."""
    q, dv = ca.SX.sym("q", tree.nq), ca.SX.sym("dv", tree.nv)
    state, rows = motion(tree, q, ca.DM(tree.nv, 1), t=0), []
    for cut in tree.cuts:
        names = [cut.joint + suffix for suffix, _ in cut.law.coordinates]
        if not any(name in wanted for name in names):
            continue
        frames = cut_frames(state, cut)
        T = pose(frames.R_P, frames.p_P) @ cut.law.transform(ca.DM([wanted.get(name, 0.0) for name in names]))
        rows += [position(T) - frames.p_C, ca.vec(rotation(T) - frames.R_C)]
    Phi = ca.SX(ca.vertcat(*rows))
    J = ca.jacobian(Phi, q) @ ca.jacobian(coordinate_rate(tree, q, dv), dv)
    return Numbers(ca.Function("misfit", [q, tree.p], [ca.densify(Phi), ca.densify(J)]))
