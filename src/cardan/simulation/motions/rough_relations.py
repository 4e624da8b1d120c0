"""Warns of relations between coordinates that jump or kink with the position: passing there takes an impulse.

Along straight lines through positions drawn at random each interval is halved, towards its half with the larger change;
a change that is left over an interval as short as round-off is a jump.
"""

from collections.abc import Iterator
from functools import lru_cache

import casadi as ca
import numpy as np

from cardan.assembly.start import system_of
from cardan.kinematics.build import MotorModel
from cardan.kinematics.constraints import ConstraintRow, constraint_rows
from cardan.kinematics.motion import motion, normalised
from cardan.kinematics.tree import Tree
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.numerics.round_off import BITS, NEGLIGIBLE

LINES = 4  # near the neutral position, in directions drawn at random
REACH = 4.0  # of a line to either side, over a normally distributed direction [m, rad]
INTERVALS = 64  # of a line; of two jumps within one interval the larger one is found
HALVINGS = BITS - 5  # leave REACH · 2⁻⁵³ of an interval, the round-off of a coordinate
_PIECES = {
    *(ca.OP_LT, ca.OP_LE, ca.OP_SIGN, ca.OP_FABS, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_FMOD, ca.OP_FMIN, ca.OP_FMAX),
    ca.OP_CALL,  # a table
}

Array = np.ndarray


@lru_cache(maxsize=64)
def rough_relations(model: Model, motors: MotorModel) -> tuple[str, ...]:
    """Warnings of relations that a user wrote and that jump, or kink, with the position; empty if none does.

    They are sought once, with the model's own values of the parameters.
    """
    tree, p = system_of(model, motors)[0].tree, np.array([*resolve(model.parameters).values()])
    programs = {one.name for one in tree.motions if one.program is not None and not one.is_fed_back}
    own = {name for name, law in tree.constraints.items() if not law.analytic} | programs
    if not own:
        return ()
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    rows = constraint_rows(tree, motion(tree, q, v, t=ca.DM(0), z=ca.SX.sym("z", len(tree.signals))))
    out = dict[str, str]()
    for row in (each for each in rows if each.owner in own and not each.hidden):
        place = _place(tree, p, q, v, row) if row.owner not in out and _has_pieces(row, q, v, tree.p) else None
        if place is not None:
            out[row.owner] = place
    return tuple(out.values())


def _has_pieces(row: ConstraintRow, *symbols: ca.SX) -> bool:
    """Whether an equation consists of pieces, so that it may jump."""
    function = ca.Function("row", [*symbols], [ca.SX(row.expression)])
    return any(function.instruction_id(k) in _PIECES for k in range(function.n_instructions()))


def _place(tree: Tree, p: Array, q: ca.SX, v: ca.SX, row: ConstraintRow) -> str | None:
    """The warning of an equation that jumps or kinks; None if it does not, as far as is seen."""
    slopes = ca.jacobian(ca.SX(row.expression), v if row.on_velocity else q).T
    values = ca.vertcat(ca.SX(row.expression), ca.densify(slopes))
    (values,) = ca.substitute([values], [v], [ca.SX.zeros(tree.nv)])
    function = ca.Function("relation", [q, tree.p], [ca.densify(values)])
    concerned = [k for k in range(tree.nq) if ca.depends_on(values, q[k])]
    for line in _lines(tree):
        at, jumps, sizes = _jumps(function, line, p)
        is_jump = jumps > NEGLIGIBLE * (1 + sizes)
        if is_jump.any():
            k = int(np.argmax(is_jump.any(axis=1)))  # the value itself, or the first slope
            n = int(np.argmax(jumps[k]))
            found = np.array(normalised(tree, ca.DM(line[0] + at[n] * line[1]))).ravel()
            where = ", ".join(f"{tree.coordinates[i].name} = {found[i]:.4g}" for i in concerned)
            what = f"jumps by {jumps[k, n]:.4g}" if k == 0 and not row.on_velocity else "has a kink"
            return (
                f"the relation {row.owner!r} {what}, for example at {where}; a mechanism that passes such a place "
                "needs an impulse, which a run leaves out; write a relation with two continuous derivatives, such as a "
                "table with interpolation: cubic"
            )
    return None


def _lines(tree: Tree) -> Iterator[tuple[Array, Array]]:
    """A position of each line and its direction (nq,)."""
    rng = np.random.default_rng(0)
    for _ in range(LINES):
        yield np.array(tree.neutral) + 0.1 * rng.standard_normal(tree.nq), rng.standard_normal(tree.nq)


def _jumps(function: ca.Function, line: tuple[Array, Array], p: Array) -> tuple[Array, Array, Array]:
    """Places (m,) on a line, changes (r, m) of the values there over no distance, and sizes (r, 1) of the values."""
    many = function.map(INTERVALS + 1)

    def at(s: Array) -> Array:
        return np.array(many(line[0][:, None] + line[1][:, None] * s, ca.repmat(ca.DM(p), 1, INTERVALS + 1)))

    ends = np.linspace(-REACH, REACH, INTERVALS + 2)
    low, high = ends[:-1], ends[1:]
    with np.errstate(invalid="ignore", over="ignore"):
        f_low, f_high = at(low), at(high)
        sizes = np.max(np.abs(np.nan_to_num(f_low)), axis=1, keepdims=True)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            f = at(middle)
            is_left = np.max(np.abs(f - f_low) / (1 + sizes), axis=0) >= np.max(
                np.abs(f_high - f) / (1 + sizes), axis=0
            )
            low, high = np.where(is_left, low, middle), np.where(is_left, middle, high)
            f_low, f_high = np.where(is_left, f_low, f), np.where(is_left, f, f_high)
        return low, np.nan_to_num(np.abs(f_high - f_low)), sizes
