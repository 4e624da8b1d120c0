"""Accelerations and multipliers along a run with closed loops, also at singular positions.

At a singular position Φq has a lower rank than nearby, and the equations of motion do not determine all accelerations
and multipliers although these have limits along the motion. Both are interpolated from closed positions before and
after; the multipliers are then corrected until they balance the accelerations, Φqᵀ λ = M v̇ + h − τ. If no finite
multipliers balance, they grow without bound towards the position and are returned as NaN.

Source: Haug 1989, eq. 11.3.6 (the equations); Bayo & Avello 1994, "Singularity-free augmented Lagrangian algorithms for
constrained multibody dynamics", Nonlinear Dynamics 5:209 (the equations in singular positions)
"""

from collections.abc import Callable

import numpy as np

from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.independent_coordinates import Embedding
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions, functions_of
from cardan.numerics.largest import largest
from cardan.numerics.rank import least_squares
from cardan.numerics.round_off import CLOSED
from cardan.singular.tolerances import ASIDE, BESIDE, LOST, SMOOTH, TRIES
from cardan.system.constrained import NO_CONSTRAINTS

Array = np.ndarray
Rows = tuple[Array, Array, Array, Array]
"""t (N,), x (N, nx), u (N, m), p of N instants."""
Complete = Callable[[Rows, Array], Array]
"""Replaces the multipliers in solutions (N, nv + c) by the wanted ones if equations are redundant."""

PLACES = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])  # positions around an instant, in units of their spacing
SIX = np.array([0.1, -0.6, 1.5, 1.5, -0.6, 0.1]) / 2  # weights at 0 of the polynomial of degree 4 through all six
FOUR = np.array([0.0, -1.0, 4.0, 4.0, -1.0, 0.0]) / 6  # weights at 0 of the polynomial of degree 2, inner four


@dataclass(frozen=True)
class EquationsOfMotion:
    """The equations of motion of one run, with constraints."""

    functions: SystemFunctions  # functions of the system
    assembly: AssemblyFunctions  # functions of its assembly
    branch: Embedding | None  # the straight branch of the run, if it was integrated on one

    def solved(self, rows: Rows, complete: Complete, now: Array | None = None) -> tuple[Array, Array]:
        """v̇ and λ (N, nv + c) of the damped equations, and the distances to a singular position (N,)."""
        t, x, u, p = rows
        now = t if now is None else now
        found, r = self.functions.batch("solution")(t, x, u, p, now[:, None])
        found = complete((now, x, u, p), found)
        if self.branch is not None:
            found[:, : self.functions.system.tree.nv] = self.on_branch(rows, self.branch)
        return found, r[:, 0]

    def far(self, rows: Rows) -> Array:
        """Whether instants (N,) are away from every singular position, so that they need no limit."""
        return self.solved(rows, lambda _, found: found)[1] >= BESIDE

    def on_branch(self, rows: Rows, branch: Embedding) -> Array:
        """Accelerations (N, nv) on a straight branch, which has no singular positions."""
        (t, x, u, p), system = rows, self.functions.system
        expressions = tuple(self.functions.expressions.items())
        functions = functions_of(system.model, system.motors, expressions, NO_CONSTRAINTS, branch.pattern)
        return functions.batch("accelerations")(t, branch.reduced(x), u, np.append(p, branch.sizes))[0]


def limits(equations: EquationsOfMotion, rows: Rows, complete: Complete) -> Array:
    """v̇ and λ (N, nv + c) at instants of a motion with closed loops.

    λ is NaN where it grows without bound or is lost in round-off; v̇ is NaN as well where no smooth motion passes
    through the position. A mechanism in equilibrium needs no limit.
    """
    (found, r), nv = equations.solved(rows, complete), equations.functions.system.tree.nv
    for k in np.flatnonzero(r < BESIDE).tolist():
        here = _instant(rows, k)
        beside = _interpolated(equations, here, found[k], complete)
        if beside is None:
            beside = _undamped(equations, here, complete)
        if beside is not None:
            found[k] = _completed(equations, here, _balanced(equations, here, found[k], beside), complete)
        elif max(np.max(np.abs(_velocities(equations, here))), np.max(np.abs(found[k, :nv]))) > CLOSED:
            found[k] = np.nan
    return found


def _interpolated(equations: EquationsOfMotion, here: Rows, found: Array, complete: Complete) -> Array | None:
    """The solution (nv + c,) interpolated from closed positions before and after an instant; None if it is not smooth.

    At rest the accelerations `found` by the damped equations give the direction of the motion.
    """
    v = _velocities(equations, here)
    nv, size = len(v), float(np.max(np.abs(v)))
    d = v if size > CLOSED else found[:nv]
    if not np.max(np.abs(d)) > CLOSED:
        return None
    reach = 12 * BESIDE  # distance of the outermost positions; the innermost ones are then at 4 BESIDE
    spacing = reach / PLACES[-1] / float(np.max(np.abs(d)))
    for _ in range(TRIES):
        around, r = _around(equations, here, d, spacing, complete)
        if not np.isfinite(around).all():
            spacing *= 0.25
        elif np.min(r) < BESIDE:
            spacing *= float(np.clip(reach / max(np.max(r), 1e-12), 1.5, 1e9))
        else:
            six = SIX @ around
            difference = np.max(np.abs((six - FOUR @ around)[:nv]))
            if difference <= SMOOTH * (np.max(np.abs(around[:, :nv])) + size**2):
                return np.array(six)
            spacing *= 0.5
    return None


def _around(
    equations: EquationsOfMotion, here: Rows, d: Array, spacing: float, complete: Complete
) -> tuple[Array, Array]:
    """Solutions (6, nv + c) in closed positions along d (nv,), and their distances to a singular position (6,).

    Solutions are NaN where the loops do not close nearby. The forces are those of the instant itself, as they may jump.
    """
    (t, x, u, p), functions, assembly = here, equations.functions, equations.assembly
    nq, way = functions.system.tree.nq, spacing * PLACES
    y = np.repeat(x, len(way), axis=0)
    y[:, :nq] = [assembly.step(x[0, :nq], dt * d)[0].ravel() for dt in way]
    rows = t + (way if assembly.follows_time else 0 * way), y, np.repeat(u, len(way), axis=0), p
    for _ in range(TRIES):
        rows = rows[0], functions.batch("closer")(*rows)[0], rows[2], p
    gaps, rates, _ = functions.compiled("violation")(*rows)
    found, r = equations.solved(rows, complete, np.full(len(way), t[0]))
    aside = np.max(np.abs(rows[1][:, :nq] - y[:, :nq]), axis=1)
    closed = (gaps < CLOSED) & (rates < CLOSED * (1 + np.max(np.abs(_velocities(equations, here)))))
    found[~(closed & (aside <= ASIDE * np.max(np.abs(d)) * np.abs(way)))] = np.nan
    return found, r


def _undamped(equations: EquationsOfMotion, here: Rows, complete: Complete) -> Array | None:
    """The solution (nv + c,) of the equations without damping; None if its round-off error ε/r² is too large."""
    functions, J = equations.functions, _jacobian(equations, here)
    nv, kept = J.shape[1], list(functions.system.choice.kept)
    sizes = np.linalg.svd(J[kept], compute_uv=False)
    if not sizes[-1] > LOST * sizes[0]:
        return None
    bias, *inertia = _efforts(equations, here, np.vstack([np.zeros(nv), np.eye(nv)]))
    zero = np.zeros((len(kept), len(kept)))
    saddle = np.block([[np.transpose(inertia) - bias[:, None], -J[kept].T], [J[kept], zero]])
    gamma = np.ravel(functions.batch("gamma")(*here)[0])[kept]
    found, scale = np.zeros((1, nv + len(J))), np.max(np.abs(saddle), axis=1)
    found[0, [*range(nv), *(nv + k for k in kept)]] = np.linalg.solve(
        saddle / scale[:, None], np.concatenate([-bias, gamma]) / scale
    )
    return np.array(complete(here, found)[0])


def _balanced(equations: EquationsOfMotion, here: Rows, damped: Array, beside: Array) -> Array:
    """The solution (nv + c,) with multipliers that balance the accelerations at the instant, M v̇ + h − τ = Φqᵀ λ.

    `damped` is the solution of the damped equations, `beside` the interpolated one. If the balance needs other
    accelerations than the interpolated ones, no finite multipliers exist: they grow without bound towards the singular
    position.
    """
    J, speed = _jacobian(equations, here), float(np.max(np.abs(_velocities(equations, here))))
    nv, exact = J.shape[1], equations.branch is not None
    a = damped[:nv] if exact else beside[:nv]
    left, sizes, right = np.linalg.svd(J)
    for least in (2 * BESIDE, LOST):
        rank = min(int(np.sum(sizes > least * sizes[0])), len(equations.functions.system.choice.kept))
        free = right[rank:].T  # velocities that the independent equations allow
        bias, efforts, *inertia = _efforts(equations, here, np.vstack([np.zeros(nv), a, free.T]))
        M_free, change = np.transpose(inertia) - bias[:, None], np.zeros(nv)
        if not exact:
            change = free @ least_squares(free.T @ M_free, -free.T @ (efforts - J.T @ beside[nv:]))
            if np.max(np.abs(change)) > SMOOTH * (np.max(np.abs(a)) + speed**2):
                continue
            efforts = _efforts(equations, here, (a + change)[None])[0]
        rest = efforts - J.T @ beside[nv:]
        lam = beside[nv:] + left[:, :rank] @ ((right[:rank] @ rest) / sizes[:rank])
        size = max(largest(x) for x in (bias, efforts, M_free * speed**2))
        if largest(free.T @ rest) <= CLOSED * size:
            return np.append(a + change, lam)
    return np.append(a, np.full(len(J), np.nan))


def _completed(equations: EquationsOfMotion, here: Rows, found: Array, complete: Complete) -> Array:
    """The solution (nv + c,) with the wanted multipliers of the instant itself, if its equations have their full rank.

    Wanted multipliers of redundant equations change with the position as fast as 1/r, so they are not interpolated.
    """
    sizes, kept = np.linalg.svd(_jacobian(equations, here), compute_uv=False), equations.functions.system.choice.kept
    if not np.isfinite(found).all() or np.sum(sizes > LOST * sizes[0]) < len(kept):
        return found
    return np.array(complete(here, found[None])[0])


def _instant(rows: Rows, k: int) -> Rows:
    """One of the instants."""
    t, x, u, p = rows
    return t[k : k + 1], x[k : k + 1], u[k : k + 1], p[k] if p.ndim > 1 else p


def _jacobian(equations: EquationsOfMotion, here: Rows) -> Array:
    """Φq (c, nv) at one instant, without the columns of multipliers that no self-stress changes."""
    found = equations.functions.distribution("world").at(*here)[0][0]
    return found[:, : equations.functions.system.tree.nv]


def _velocities(equations: EquationsOfMotion, here: Rows) -> Array:
    """v (nv,) at one instant."""
    tree = equations.functions.system.tree
    return here[1][0, tree.nq : tree.nq + tree.nv]


def _efforts(equations: EquationsOfMotion, here: Rows, a: Array) -> Array:
    """M v̇ + h − τ (N, nv) at one instant for accelerations (N, nv)."""
    t, x, u = (np.repeat(part, len(a), axis=0) for part in here[:3])
    return equations.functions.batch("carried")(t, x, u, here[3], a)[0]
