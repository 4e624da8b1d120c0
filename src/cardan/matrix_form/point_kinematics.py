"""Positions, velocities and accelerations of bodies and markers in symbols, by the matrix method.

A point r_L of a link with the frame B, 4×4, is at r = B r_L and moves with ṙ = Ḃ r_L, r̈ = B̈ r_L. From link to link,
with T in the frame of the parent P and the twist operators V̂ of the joint's velocity and Â of its acceleration:

    B = B_P T,  Ḃ = Ḃ_P T + B_P Ṫ,  B̈ = B̈_P T + 2 Ḃ_P Ṫ + B_P T̈,    Ṫ = T V̂,  T̈ = T (V̂² + Â)

Source: Hroncová, eq. (11) and its derivatives; docs/notation.md §3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import casadi as ca

from cardan.errors import ModelError, nearest
from cardan.frozen import dataclass
from cardan.kinematics.motion import take
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.matrix_form.terms import MatrixTerms
from cardan.rendering import readable, sympy_matrix
from cardan.spatial.transforms import twist_operator

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class PointKinematics:
    """Motion of a marker, or of the origin of a body, in world axes, in symbols of the equations.

    Accelerations of coordinates are called `swing.a`.
    """

    position: sympy.Matrix  # r (3, 1) [m]
    velocity: sympy.Matrix  # ṙ (3, 1) [m/s]
    acceleration: sympy.Matrix  # r̈ (3, 1) [m/s²]
    unsimplified: tuple[str, ...]  # entries that the budget was too small for: `acceleration[1]`, counted from 1


class PointKinematicsByName(Mapping[str, PointKinematics]):
    """Motions of all bodies and markers by name: `payload`, `arm.tip`; each is derived when it is first looked up.

    They are written in the symbols of the equations, and each may spend their budget.
    """

    def __init__(self, equations: MatrixTerms) -> None:
        self._equations = equations
        self._known: dict[str, PointKinematics] = {}

    def __repr__(self) -> str:
        """Name the bodies and markers; nothing is derived."""
        return f"<motions of {', '.join(self)}>"

    def __getitem__(self, name: str) -> PointKinematics:
        """The motion of a body's origin or of a marker."""
        places = self._equations._system.tree.places
        if name not in places:
            raise ModelError(f"there is no body or marker {name!r}", nearest(name, places))
        if name not in self._known:
            self._known[name] = _derived(self._equations, places[name])
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a body or marker."""
        return name in self._equations._system.tree.places

    def __iter__(self) -> Iterator[str]:
        """Names of all bodies and markers."""
        return iter(self._equations._system.tree.places)

    def __len__(self) -> int:
        """Number of bodies and markers."""
        return len(self._equations._system.tree.places)


def _derived(equations: MatrixTerms, place: Place) -> PointKinematics:
    tree, change = equations._system.tree, equations._change
    q, v, a = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("a", tree.nv)
    own = (q, v, a) if change is None else (change.T @ (q - change.b), change.T @ v, change.T @ a)
    found = dict(zip(("position", "velocity", "acceleration"), _point(tree, place, *own), strict=True))
    outputs = ca.cse([ca.SX(x) for x in found.values()])
    function = ca.Function("point", [q, v, a, tree.p], outputs, ["q", "v", "a", "p"], [*found])
    names = {
        "q": equations.coordinates,
        "v": equations.velocities,
        "a": tuple(f"{name.removesuffix('.v')}.a" for name in equations.velocities),
        "p": equations.parameters,
    }
    written = readable(function, names, equations.budget)
    left = tuple(f"{name}[{row + 1}]" for name, matrix in written.items() for row, _ in sorted(matrix.rough))
    return PointKinematics(**{name: sympy_matrix(matrix) for name, matrix in written.items()}, unsimplified=left)


def _point(tree: Tree, place: Place, q: Number, v: Number, a: Number) -> tuple[Number, Number, Number]:
    """Position, velocity and acceleration (3,) of a marker's origin."""
    r_L = place.T_LM[:, 3]
    if place.link == GROUND:
        return r_L[:3], ca.DM(3, 1), ca.DM(3, 1)
    B, B_dot, B_ddot = _frame(tree, place.link, q, v, a)
    return (B @ r_L)[:3], (B_dot @ r_L)[:3], (B_ddot @ r_L)[:3]


def _frame(tree: Tree, index: int, q: Number, v: Number, a: Number) -> tuple[Number, Number, Number]:
    """B, Ḃ and B̈ (4×4) of a link."""
    link = tree.links[index]
    zero = ca.DM(4, 4)
    P, P_dot, P_ddot = (ca.DM.eye(4), zero, zero) if link.parent == GROUND else _frame(tree, link.parent, q, v, a)
    own = take(q, link.q), take(v, link.v)
    T, S = link.T @ link.law.transform(own[0]), link.law.subspace(own[0])
    V = twist_operator(S @ own[1])
    A = twist_operator(S @ take(a, link.v) + link.law.subspace_rate(*own) @ own[1])
    T_dot, T_ddot = T @ V, T @ (V @ V + A)
    return P @ T, P_dot @ T + P @ T_dot, P_ddot @ T + 2 * (P_dot @ T_dot) + P @ T_ddot
