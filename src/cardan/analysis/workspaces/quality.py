"""What the velocities of drives and output say about positions: condition, manipulability, distances to singularities.

The velocities that the loops allow are v = N s; drives and output move with θ̇ = D N s and ẋ = T N s, so that
ẋ = J θ̇ with J = T N (D N)⁺. Balance at rest: (D N)ᵀ τ = Nᵀ h, with the efforts h that hold all coordinates.

Source: Gosselin & Angeles 1990 (types 1 and 2); Yoshikawa 1985, "Manipulability of robotic mechanisms"; Merlet 2006,
§4.2.2 (condition number)
"""

import casadi as ca
import numpy as np

from cardan.analysis.inverse.prepared import Prepared
from cardan.codegen.callables.gradual import Gradual
from cardan.formulations import newton_euler
from cardan.frozen import dataclass
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.tree import Place, Tree
from cardan.numerics.entries import column
from cardan.numerics.round_off import ROUND_OFF


@dataclass(frozen=True)
class Scales:
    """Which velocities drive and which are driven, and how their units are made alike."""

    driven: tuple[int, ...]  # indices of the driven velocities
    output: tuple[int, ...]  # rows of the twist of the output: 0-2 angular, 3-5 of its origin
    length: float  # by which velocities in metres are divided [m]
    rank: int  # number of independent equations of the loops


@dataclass(frozen=True)
class Quality:
    """Numbers of B positions."""

    condition: np.ndarray  # largest over smallest singular value of J (B,); infinite where it is singular
    manipulability: np.ndarray  # product of the singular values of J (B,)
    type1: np.ndarray  # smallest singular value of T N with rows of length 1 at most (B,)
    type2: np.ndarray  # smallest singular value of D N with rows of length 1 at most (B,)
    effort: np.ndarray  # efforts of the drives in balance (B, drives) [N or N m]; the smallest ones of several choices


def instant_functions(tree: Tree, place: Place) -> Gradual:
    """(Phi_q, T, h) of (q, p), matrices row by row: loops, twist of the output, efforts that hold all coordinates."""
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    state = motion(tree, q, ca.SX(tree.nv, 1), t=ca.SX(0))
    closed = ca.SX(column([row.expression for row in constraint_rows(tree, state) if not row.on_velocity]))
    Phi_q = ca.jacobian(ca.jtimes(closed, q, coordinate_rate(tree, q, v)), v)
    h = newton_euler.inverse_dynamics(tree, state, ca.DM(tree.nv, 1))
    rows = [ca.reshape(ca.densify(ca.SX(A)).T, -1, 1) for A in (Phi_q, jacobian(tree, state, place))]
    return Gradual(ca.Function("instant", [q, tree.p], [*rows, ca.densify(ca.SX(h))], ["q", "p"], ["Phi_q", "T", "h"]))


def quality(at: Prepared, functions: Gradual, scales: Scales, q: np.ndarray) -> Quality:
    """Numbers of some positions."""
    tree, count = at.system.tree, len(q)
    nv, driven = tree.nv, list(scales.driven)
    Phi_q, T, h = functions(q, at.p)
    units = np.array([1.0 if entry.unit == "rad/s" else scales.length for entry in tree.velocities])
    rows = np.array([1.0, 1.0, 1.0, *[1 / scales.length] * 3])[list(scales.output)]
    N = _null_space(Phi_q.reshape(count, -1, nv) * units, scales.rank)  # velocities in radians
    DN = N[:, driven]
    TN = (T.reshape(count, 6, nv)[:, list(scales.output)] * units * rows[:, None]) @ N
    sizes = np.linalg.svd(TN @ np.linalg.pinv(DN, rcond=ROUND_OFF), compute_uv=False)
    lost = _smallest(DN) <= ROUND_OFF
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(sizes[:, -1] > ROUND_OFF * sizes[:, 0], sizes[:, 0] / sizes[:, -1], np.inf)
    # N holds velocities over their units, h efforts: N's columns over units give the virtual power
    balance = np.einsum("bvs,bv->bs", N * units[:, None], h)
    tau = np.linalg.pinv(np.swapaxes(DN * units[driven][:, None], 1, 2), rcond=ROUND_OFF) @ balance[..., None]
    return Quality(
        np.where(lost, np.inf, condition),
        np.where(lost, np.inf, np.prod(sizes, axis=1)),
        _smallest(TN),
        _smallest(DN),
        np.where(lost[:, None], np.inf, tau[..., 0]),
    )


def _null_space(J: np.ndarray, rank: int) -> np.ndarray:
    """Orthonormal columns (B, n, n − rank) of velocities that J (B, c, n) allows."""
    if not rank:
        return np.broadcast_to(np.eye(J.shape[2]), (len(J), J.shape[2], J.shape[2]))
    return np.swapaxes(np.linalg.svd(J)[2][:, rank:], 1, 2)


def _smallest(A: np.ndarray) -> np.ndarray:
    """Smallest singular value (B,) of matrices (B, r, s), each row over its largest length in all of them."""
    lengths = np.max(np.linalg.norm(A, axis=2, keepdims=True), axis=0, initial=0.0)
    return np.asarray(np.linalg.svd(A / np.where(lengths > 0, lengths, 1.0), compute_uv=False)[:, -1])
