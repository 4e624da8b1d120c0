"""Multipliers whose reactions are the smallest, where the equations of motion allow several.

λ + N s gives the same motion for every s, with the self-stresses N. The reactions w + W N s of all joints and
constraints have the least norm at (W N)ᵀ (W N) s = −(W N)ᵀ w.

Source: docs/decisions/0007-shared-loads (which reactions count, in which units)
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Tree
from cardan.loads.reactions import hidden_count, labels, reactions


def least_norm(
    tree: Tree, motion: Motion, a: Number, lam: Number, stresses: Number, applied: Sequence[PointForce]
) -> Number:
    """Multipliers (c,) of the same motion whose reactions have the least norm."""
    hidden = ca.SX.sym("hidden", hidden_count(tree))
    sizes = [label.size * [label.counted] for label in labels(tree)]
    counted = [each for size in sizes for each in size]
    w = ca.SX(ca.vertcat(*reactions(tree, motion, a, lam, hidden, applied=applied)))
    seen = [not each for each in ca.which_depends(w, hidden, 1, True)] if hidden.shape[0] else [True] * len(counted)
    rows = [i for i, each in enumerate(counted) if each and seen[i]]
    changes = [ca.vertcat(*reactions(tree, motion, None, stresses[:, i])) for i in range(stresses.shape[1])]
    WN = ca.horzcat(*changes)[rows, :]
    return lam - stresses @ ca.solve(WN.T @ WN, WN.T @ w[rows])
