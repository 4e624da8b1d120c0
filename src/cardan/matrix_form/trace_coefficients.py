"""The coefficients of the trace form of Lagrange's equations as SymPy, each by its indices.

Source: Hroncová, eqs. 7–10
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca

from cardan.formulations import trace_lagrange
from cardan.frozen import dataclass
from cardan.kinematics.motion import motion
from cardan.matrix_form.coordinates import CoordinateChange
from cardan.rendering import Budget, Matrix, readable, sympy_matrix
from cardan.system.system import System

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class TraceCoefficients:
    """Coefficients of Σ_i a0[i,k] q̈_i + Σ_j Σ_{i≥j} a1[j,i,k] q̇_j q̇_i + a2[k] = Q_k; indices count from 0."""

    a0: sympy.Matrix  # coefficients of accelerations (n, n)
    a1: Any  # coefficients of velocities, a SymPy array (n, n, n): a1[j, i, k], zero for i < j
    a2: sympy.Matrix  # coefficients of gravity (n, 1)


def trace_coefficients(
    system: System, change: CoordinateChange | None, names: dict[str, Any], budget: Budget
) -> TraceCoefficients:
    """Coefficients of a system."""
    import sympy

    found = trace_matrices(system, change, names, budget)
    matrices = {name: sympy_matrix(matrix) for name, matrix in found.items()}
    nv = system.tree.nv
    n = range(nv)
    entries = [matrices[f"a1_{k + 1}"][j, i] for j in n for i in n for k in n]
    a1 = sympy.ImmutableDenseNDimArray(entries, (nv,) * 3)
    return TraceCoefficients(matrices["a0"], a1, matrices["a2"])


def trace_matrices(
    system: System, change: CoordinateChange | None, names: dict[str, Any], budget: Budget
) -> dict[str, Matrix]:
    """The coefficients a0, a2 and, for the k-th equation counted from 1, a1_k, each entry in a short form."""
    tree = system.tree
    y = ca.SX.sym("q", tree.nq)
    q = y if change is None else change.T @ (y - change.b)
    found = trace_lagrange.coefficients(tree, motion(tree, q, ca.DM(tree.nv, 1)))
    if change is not None:
        found = trace_lagrange.changed(found, change.T)
    outputs = {"a0": found.a0, "a2": found.a2} | {f"a1_{k}": form for k, form in enumerate(found.a1, 1)}
    results = ca.cse([ca.SX(x) for x in outputs.values()])
    return readable(ca.Function("trace", [y, tree.p], results, ["q", "p"], list(outputs)), names, budget)
