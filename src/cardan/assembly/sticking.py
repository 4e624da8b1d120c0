"""Joints with friction that move only together: of one freedom they hold it together, else they are refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError
from cardan.numerics.rank import DEPENDENT, independent_rows, null_space
from cardan.system.blocks.stops import JointStops
from cardan.system.constrained import Selection
from cardan.system.drives import drive_rows
from cardan.system.friction import JointFriction, decided_one_by_one
from cardan.system.system import System

__all__ = ["all_motions", "check_prescribed", "held_together"]


def held_together(
    system: System, assembler: Assembler, q: np.ndarray, choice: Selection
) -> tuple[tuple[int, ...], ...]:
    """Velocities of joints that may stick and move only together, of each freedom that several of them share.

    Parameters
    ----------
    system : the mechanism with its blocks.
    assembler : assembler of the mechanism.
    q : assembled position (nq,).
    choice : independent equations there.

    Raises
    ------
    ModelError
        A joint that may stick depends on a motion or on several other ones, or moves only together with others beside
        friction in several directions, or beside stops by impact and friction that follows a load; or one that stops by
        impact depends on others beside such friction. The message names it and those that it depends on.
    """
    sticking = [(k, block) for block in system.frictions if block.sticks for k in block.held or (block.velocity,)]
    impacts = _coupled_impacts(system)
    places = assembler.neighbours(q) if len(sticking) > 1 or impacts else [q]
    jacobians = [assembler.at(place)[1] for place in places]
    motions = [all_motions(system, place, assembler.p) for place in places]
    check_prescribed(system, motions[0] @ null_space(jacobians[0][list(choice.kept)]))
    _check_impacts(system, impacts, motions[-1] @ null_space(jacobians[-1][list(choice.kept)]))
    if not sticking:
        return ()
    rows, driven = [k for k, _ in sticking], drive_rows(system.tree, len(jacobians[0]))
    alone = motions[-1][rows] @ null_space(jacobians[-1][[k for k in choice.kept if k not in driven]])
    moving = [k for k, row in enumerate(alone) if np.linalg.norm(row) > DEPENDENT]
    for k, (_, block) in enumerate(sticking):
        if block.parts and k not in moving:
            raise ModelError(_part_at_rest(block))
    own = [rows[k] for k in moving]
    free = [E[own] @ null_space(J[list(choice.kept)]) for E, J in zip(motions, jacobians, strict=True)]
    independent = independent_rows(free[-1]) if free[-1].size else ()
    together: dict[int, list[int]] = {}
    for k in (each for each in range(len(moving)) if each not in independent):
        moves = np.linalg.norm(free[-1][k]) > DEPENDENT  # beside the motions too
        mates = [i for i in independent if moves and all(_are_parallel(N[i], N[k]) for N in free)]
        if not mates or impacts or any(each.sticks_in_several_directions for each in system.frictions):
            names = [sticking[moving[i]][1].name for i in independent]
            raise ModelError(_dependent(system, sticking[moving[k]][1], names))
        together.setdefault(mates[0], [mates[0]]).append(k)
    return tuple(tuple(rows[moving[i]] for i in group) for group in together.values())


def _coupled_impacts(system: System) -> list[JointStops]:
    """Stops by impact, where friction follows a load or holds several directions together; none elsewhere."""
    return [block for block in system.stops if block.is_rigid and decided_one_by_one(system.frictions)]


def _check_impacts(system: System, rigid: Sequence[JointStops], free: np.ndarray) -> None:
    """Refuse stops by impact whose joint others may hold already, where joints that stick are decided one by one.

    Parameters
    ----------
    system : the mechanism with its blocks.
    rigid : stops by impact beside friction that follows a load or holds several directions together.
    free : directions in which velocities (nv + r, f), those of relative motions last, are free.

    Raises
    ------
    ModelError
        There is such a joint; the message names it and those that it depends on.
    """
    if not rigid:
        return
    sticking = [block for block in system.frictions if block.sticks]
    holds = {k: block.name for block in sticking for k in block.held or (block.velocity,)}
    holds |= {block.velocity: block.name for block in rigid}
    rows = [k for k in holds if np.linalg.norm(free[k]) > DEPENDENT]
    independent = [rows[k] for k in independent_rows(free[rows])] if rows else []
    for block in rigid:
        others = dict.fromkeys(holds[k] for k in independent if k != block.velocity)
        if block.velocity in rows and block.velocity not in independent:
            names = ", ".join(repr(each) for each in others)
            fault = f"the joint {block.name!r} stops by impact and moves only together with {names}"
            fault += ", which may be held too, beside friction that follows a load or acts in several directions"
            path = ("joints", block.name, "limits")
            raise ModelError(Issue(fault, "give the stops a stiffness, or the friction regularize:", path))


def _are_parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rows (f,) have one direction, or one of them none, as at its dead centre."""
    length = np.linalg.norm(one) * np.linalg.norm(other)
    return bool(length <= DEPENDENT or abs(one @ other) > (1 - DEPENDENT) * length)


def all_motions(system: System, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """All velocities per velocity of the tree (nv + r, nv), those of relative motions last.

    Parameters
    ----------
    system : the mechanism with its blocks.
    q : position (nq,).
    p : values of the parameters.
    """
    own = np.eye(system.tree.nv)
    return np.vstack([own, system.relative_jacobian(q, p).full()]) if system.relative else own


def _part_at_rest(block: JointFriction) -> Issue:
    """What is said about a joint that slides in fewer directions than friction would hold."""
    fault = f"{block.noun} {block.name!r} cannot slide in all the directions in which friction would hold it"
    return Issue(fault, "add regularize: with a small speed, or write a joint with the motions that it has", block.path)


def _dependent(system: System, block: JointFriction, others: Sequence[str]) -> Issue:
    """What is said about a joint whose holding effort nothing decides."""
    names = ", ".join(repr(each) for each in (*others, *(motion.name for motion in system.tree.motions)))
    name = block.name
    fault = f"{block.noun} {name!r} moves only together with {names}, so that nothing decides what each holds at rest"
    cure = f"add regularize: with a small speed, or count the friction of {name!r} in another joint"
    return Issue(fault, cure, block.path)


def check_prescribed(system: System, free: np.ndarray) -> None:
    """Refuse friction that takes its sign from a motion where the joint moves freely.

    Parameters
    ----------
    system : the mechanism with its blocks.
    free : directions in which velocities (nv + r, f), those of relative motions last, are free.

    Raises
    ------
    ModelError
        There is such a joint; the message names it.
    """
    for block in system.frictions:
        rows = list(block.held or (block.velocity,))
        if block.law.prescribed and np.linalg.norm(free[rows]) > DEPENDENT:
            fault = f"no motion prescribes how {block.noun} {block.name!r} moves"
            cure = f"give {block.name!r} a motion, or leave prescribed out and simulate"
            raise ModelError(Issue(fault, cure, (*block.path, "prescribed")))
