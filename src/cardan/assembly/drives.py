"""Refuses prescribed motions that drives cannot keep, that other equations determine, or that leave freedoms."""

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError
from cardan.kinematics.tree import Prescribed, Tree
from cardan.numerics.rank import most_independent_rows, null_space
from cardan.numerics.round_off import NEGLIGIBLE, TINY
from cardan.system.constrained import Selection
from cardan.system.drives import acting_rows, drive_rows, hidden_rows, real_rows


def check_drives(assembler: Assembler, q: np.ndarray, choice: Selection) -> None:
    """Refuse motions that no effort of their drives can keep in the position q, and motions that others imply."""
    tree = assembler.tree
    J, M = assembler.at(q)[1], assembler.inertia(q)
    rows = drive_rows(tree, len(J))
    equations, columns, owners = list[int](), list[int](), list[Prescribed]()
    first, hidden = len(J) - len(rows), hidden_rows(tree, len(J))
    for motion in tree.motions:
        of_motion = range(first, first + motion.target.size)
        if motion.is_fed_back:  # starts need not meet it
            first += len(motion.drives)
            continue
        implied = [row for row, one in zip(hidden, tree.hidden, strict=True) if one.motion == motion.name]
        if not {*of_motion, *implied} <= set(choice.kept):
            fault = f"the loops, constraints or other motions decide {motion.name!r} already"
            raise ModelError(Issue(fault, f"leave out {motion.name!r} or another one of them", motion.path))
        if motion.program is not None and motion.realize.rule == "ideal":
            _check_ideal(tree, motion, J[first])
        equations += of_motion
        owners += [motion] * motion.target.size
        columns += [rows[k] for k in range(first, first + len(motion.drives))]
        first += len(motion.drives)
    if not equations:
        return
    acting = dict(zip(real_rows(tree, len(J)), acting_rows(tree, len(J)), strict=True))
    equations = [acting.get(row, row) for row in equations]
    H = _responses(M, J, [k for k in choice.kept if k not in {*rows, *hidden}], equations, columns)
    if np.linalg.svd(H, compute_uv=False)[: len(equations)].min() > NEGLIGIBLE:
        return
    lost = np.abs(np.linalg.svd(H.T)[2][-1])  # combination of the components that no effort moves
    owner = owners[int(np.argmax(lost))]
    by = ", ".join(tree.velocities[k].name for k in owner.drives)
    fault = f"the effort of {by} cannot drive {owner.name!r} in the position at the start"
    cure = "name a joint in by: that moves it, or start in another position"
    raise ModelError(Issue(fault, cure, owner.path))


def check_all_prescribed(assembler: Assembler, q: np.ndarray, choice: Selection) -> None:
    """Refuse a mechanism some of whose freedoms no motion prescribes, with coordinates that would prescribe them."""
    tree, kept = assembler.tree, list(choice.kept)
    free = tree.nv - len(kept) - len(tree.still)
    if not free:
        return
    prescribed = np.vstack([assembler.at(q)[1][kept], np.eye(tree.nv)[list(tree.still)]])
    chosen = most_independent_rows([null_space(prescribed)], free)
    names = ", ".join(tree.velocities[k].name for k in chosen[:6]) + ", …" * (free > 6)
    kind = "freedom" if free == 1 else "freedoms"
    fault = f"the motions leave {free} {kind}: {names}"
    cure = "prescribe these coordinates, or others in their place, or let cardan.simulate find how they move"
    raise ModelError(Issue(fault, cure, ("motions",)))


def _check_ideal(tree: Tree, motion: Prescribed, row: np.ndarray) -> None:
    """Refuse an ideal force on joints without a drive: `row` of Φq has entries in which no effort of a drive acts."""
    others = [k for k in np.flatnonzero(row) if k not in motion.drives]
    if others:
        names = ", ".join(tree.velocities[k].name for k in others)
        fault = f"the ideal force of {motion.name!r} acts on {names} too, where no drive of it is"
        raise ModelError(Issue(fault, "add these joints to by:, or choose another realize:", motion.path))


def _responses(M: np.ndarray, J: np.ndarray, loops: list[int], rows: list[int], columns: list[int]) -> np.ndarray:
    """Accelerations of the rows under unit efforts of the columns, over the lengths of both in the metric of M⁻¹."""
    J_driven = J[rows]
    size = float(np.sum(J_driven**2))
    weight = np.trace(M) / size if size > TINY else 0.0  # relations whose derivatives vanish move nothing
    M = M + weight * J_driven.T @ J_driven  # a mechanism without inertia along the driven coordinates responds too
    G = J[loops]
    K = np.block([[M, G.T], [G, np.zeros((len(loops), len(loops)))]])
    sides = np.zeros((len(K), len(columns)))
    sides[columns, range(len(columns))] = 1
    a = np.linalg.lstsq(K, sides, rcond=None)[0][: len(M)]
    H = J_driven @ a
    efforts = np.sqrt(np.maximum(a[columns, range(len(columns))], TINY))
    along = np.linalg.lstsq(K, np.vstack([J_driven.T, np.zeros((len(loops), len(rows)))]), rcond=None)[0][: len(M)]
    lengths = np.sqrt(np.maximum(np.einsum("ij,ji->i", J_driven, along), TINY))
    return np.array(H / np.outer(lengths, efforts))
