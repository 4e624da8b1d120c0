"""How far a record leaves the constraints of a mechanism: the largest |Φ| of each of their equations."""

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.kinematics.constraints import ConstraintRow, constraint_rows
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Tree
from cardan.model.likely import likely_dimensions
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.model.units import short_unit

Array = np.ndarray
ASTRAY = 0.5  # share of what positions drawn by chance leave a constraint by: with wrong units a record is one of these
DRAWN = 64  # such positions


@dataclass(frozen=True)
class RecordResidual:
    """The largest |Φ| of a constraint, or of a joint that closes a loop, over a record."""

    name: str  # constraint or joint
    size: float  # largest |Φ| of its equations in this unit, as docs/notation.md §8 writes them
    unit: str  # SI unit of these equations; "1" also of a constraint's angles; empty where bare numbers leave it open
    t: float  # instant at which it is reached [s]


def record_residuals(model: Model, tree: Tree, t: Array, q: Array, v: Array) -> tuple[RecordResidual, ...]:
    """The largest |Φ| of each closing joint and constraint, apart from `motions`, which a record need not follow.

    A joint that closes a loop has one for its lengths and one for its angles.
    """
    symbols = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    time, coordinates, velocities = symbols
    rows = constraint_rows(tree, motion(tree, coordinates, velocities, t=time))
    rows = [row for row in rows if not row.hidden and row.owner not in model.motions]
    if not rows:
        return ()
    residual = ca.densify(ca.vertcat(*(ca.SX(row.expression) for row in rows)))
    Phi = ca.Function("Phi", [*symbols, tree.p], [residual])
    p = list(resolve(model.parameters).values())
    recorded, by_chance = zip(t, q, v, strict=True), zip(np.full(DRAWN, t[0]), *_drawn(tree, q, v), strict=True)
    sizes, drawn = (np.abs([np.array(Phi(*each, p)).ravel() for each in rows]) for rows in (recorded, by_chance))
    groups: dict[tuple[str, str], list[int]] = {}
    for k, unit in enumerate(_units(model, rows)):
        groups.setdefault((rows[k].owner, unit), []).append(k)
    found = []
    for (name, unit), members in groups.items():
        largest = sizes[:, members].max(axis=1)
        at = int(largest.argmax())
        found.append(RecordResidual(name, float(largest[at]), unit, float(t[at])))
        mean, chance = (np.sqrt(np.mean(each**2)) for each in (largest, drawn[:, members].max(axis=1)))
        if mean > ASTRAY * chance > 0:
            fault = f"the record does not keep {name!r}: it is off by {mean:.4g} {unit} (RMS)".replace(" 1 (", " (")
            fault += f", positions drawn by chance by {chance:.4g}"
            raise ModelError(fault, "check units and zero positions of the record, and the numbers of the model")
    return tuple(found)


def _drawn(tree: Tree, q: Array, v: Array) -> tuple[Array, Array]:
    """Positions and velocities (DRAWN, n) by chance: angles within a turn, all else within what the record reaches."""
    rng = np.random.default_rng(0)
    turns = np.array([entry.unit == "rad" for entry in tree.coordinates])
    reach = np.where(turns, np.pi, np.abs(q).max(axis=0))
    return rng.uniform(-1, 1, (DRAWN, tree.nq)) * reach, rng.uniform(-1, 1, (DRAWN, tree.nv)) * np.abs(v).max(axis=0)


def _units(model: Model, rows: list[ConstraintRow]) -> list[str]:
    """The unit of each equation."""
    known = likely_dimensions(model)
    out: list[str] = []
    for k, row in enumerate(rows):
        record = model.constraints.get(row.owner)
        if record is None:
            out.append("rad" if row.component.startswith("moment") else "m")
            continue
        dimension = record.equation_dimension(sum(one.owner == row.owner for one in rows[:k]), known)
        out.append("" if dimension is None else short_unit(dimension))
    return out
