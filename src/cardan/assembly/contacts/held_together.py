"""Joints with friction that move only together: which of them hold each other, and what is refused.

A ball may stick in three directions where the mechanism leaves it only one freedom. Then one of its three motions is
compared with those of other joints; in general as many as it has freedoms. The group has all three.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.contacts.joint_groups import groups_of, have_one_freedom, sets_of_one_freedom
from cardan.errors import Issue, ModelError
from cardan.numerics.rank import DEPENDENT, independent_rows, null_space
from cardan.system.constrained import Selection
from cardan.system.contacts import (
    JointFriction,
    JointGroup,
    StoppedJoints,
    overcome_by_drives,
    without_sticking,
)
from cardan.system.contacts.stops import JointStops
from cardan.system.drives import drive_rows, fed_back_rows, indirect_motions
from cardan.system.system import System

MOST_MOTIONS = 100  # of a group whose freedoms friction holds: each takes equations of its own [-]


def held_together(system: System, assembler: Assembler, q: np.ndarray, choice: Selection) -> Selection:
    """The choice with the joints that may stick and move only together, by group, or that have fewer freedoms than
    directions in which they stick; and those that move only together with joints that stop by impact.
    """
    sticking = [(k, block) for block in system.sticking for k in block.held or (block.velocity,)]
    rigid = [block for block in system.stops if block.is_rigid]
    places = assembler.neighbours(q) if sticking or rigid else [q]
    jacobians = [assembler.at(place)[1] for place in places]
    motions = [all_motions(system, place, assembler.p) for place in places]
    held = [*choice.kept, *fed_back_rows(system.tree, len(jacobians[0]))]
    check_prescribed(system, motions[0] @ null_space(jacobians[0][held]))
    every = [E @ null_space(J[held]) for E, J in zip(motions, jacobians, strict=True)]
    without_time = [k for k in held if k in assembler.functions.without_time]
    still = motions[-1] @ null_space(jacobians[-1][without_time])
    if rigid:
        _check_impacts(system, rigid, [*every, still])
    choice = replace(choice, stopped=_stopped(system, rigid, [*every, still]))
    if not sticking:
        return choice
    rows, driven = [k for k, _ in sticking], drive_rows(system.tree, len(jacobians[0]))
    alone = motions[-1][rows] @ null_space(jacobians[-1][[k for k in held if k not in driven]])
    restricted, implied = _restricted(system, dict(zip(rows, alone, strict=True)))
    moving = [k for k, row in enumerate(alone) if np.linalg.norm(row) > DEPENDENT and rows[k] not in implied]
    own, owners = [rows[k] for k in moving], [sticking[k][1] for k in moving]
    free = [rows_of_all[own] for rows_of_all in every]
    out, alone = [], {block.velocity: count for block, count in restricted}
    for members, freedoms in groups_of(free[-1], independent_rows(free[-1]) if free[-1].size else ()):
        if freedoms == 1 and len(members) == 1:
            continue
        blocks = [owners[i] for i in members]
        last = blocks[-1]  # in the order of the file
        others = list(dict.fromkeys(block.name for block in blocks if block is not last))
        _check_gears(blocks)
        _check_directions(blocks, freedoms, [k for k, count in alone.items() if count == 1])
        if freedoms < 1 or (freedoms == 1 and not have_one_freedom(free, members)):
            raise ModelError(_dependent(system, last, others))
        _check_drives(system, last, others)
        if len(independent_rows(still[own][members])) > freedoms:
            raise ModelError(_moved_apart(last, others, assembler, held))
        sets = [members]
        if freedoms > 1:
            _check_alone(blocks, freedoms)
            sets = sets_of_one_freedom(free, members)
            _check_group({i: owners[i] for i in members}, sets, free[-1], freedoms)
        several = tuple({block.velocity: block.held for block in blocks if block.parts}.items())
        out.append(JointGroup(tuple(tuple(owners[i].velocity for i in each) for each in sets), freedoms, several))
    together = {k for group in out for k in group.velocities}
    by_itself = [(block, count) for block, count in restricted if block.velocity not in together]
    out += [JointGroup(((one.velocity,),), count, ((one.velocity, one.held),)) for one, count in by_itself]
    return replace(choice, together=tuple(out))


def _check_impacts(system: System, rigid: Sequence[JointStops], every: Sequence[np.ndarray]) -> None:
    """Refuse stops by impact of joints that move only together with others that may stick in several freedoms."""
    holds = {one.velocity: one.name for one in system.sticking} | {one.velocity: one.name for one in rigid}
    rows = list(holds)
    found = every[-2][rows]
    for group, _ in groups_of(found, independent_rows(found) if found.size else ()):
        members = [rows[i] for i in group]
        stop = next((one for one in rigid if one.velocity in members), None)
        rub = [one for one in system.sticking if one.velocity in members]
        if stop is None or not rub or have_one_freedom(every, members):
            continue
        names = ", ".join(repr(holds[k]) for k in members if holds[k] != stop.name)
        what, cure = "stops by impact", "give the stops a stiffness"
        if stop.law.one_way:
            what, cure = "moves one way only", "let it move both ways"
        fault = f"the joint {stop.name!r} {what} and moves only together with {names}, which may rest too, in "
        fault += "more than one freedom"
        cure += f", or {without_sticking(rub[-1])} in place of friction that sticks"
        raise ModelError(Issue(fault, cure, ("joints", stop.joint, "limits")))


def _stopped(system: System, rigid: Sequence[JointStops], every: Sequence[np.ndarray]) -> tuple[StoppedJoints, ...]:
    """Joints that stop by impact and have one freedom with others that stop or may stick, by freedom."""
    stops, out = [block.velocity for block in rigid], list[StoppedJoints]()
    for own in sets_of_one_freedom(every, stops):
        held = tuple(one.velocity for one in system.sticking if have_one_freedom(every, [own[0], one.velocity]))
        out.append(StoppedJoints(tuple(own), held))
    return tuple(one for one in out if one.held or len(one.stops) > 1)


def _restricted(system: System, free: Mapping[int, np.ndarray]) -> tuple[list[tuple[JointFriction, int]], set[int]]:
    """Joints with fewer freedoms than directions in which they stick, with these, and their velocities that follow from
    the others.
    """
    out, implied = list[tuple[JointFriction, int]](), set[int]()
    for block in system.sticking:
        held = block.held or (block.velocity,)
        kept = independent_rows(np.array([free[k] for k in held]))
        if not kept:
            fault = f"{block.noun} {block.name!r} cannot slide in any direction in which it has friction"
            raise ModelError(Issue(fault, "leave friction out, or check the joints beside it", block.path))
        if len(kept) < len(held):
            out.append((block, len(kept)))
            implied |= {k for i, k in enumerate(block.held) if i not in kept}
    return out, implied


def _check_gears(blocks: Sequence[JointFriction]) -> None:
    """Refuse gears with losses that move only together with joints whose friction sticks."""
    for block in (each for each in blocks if each.law.gear is not None):
        for other in (each for each in blocks if each is not block):
            fault = f"the gear with losses in front of {block.name!r} moves only together with {other.name!r}, whose "
            fault += "friction sticks too, which is not supported"
            raise ModelError(Issue(fault, without_sticking(other), other.path))


def _check_directions(blocks: Sequence[JointFriction], freedoms: int, lines: Sequence[int]) -> None:
    """Refuse joints that stick in several directions and move only together with others, but for those of one freedom,
    which slide along `lines`.
    """
    for block in (each for each in blocks if each.parts and (freedoms > 1 or each.velocity not in lines)):
        others = ", ".join(dict.fromkeys(repr(each.name) for each in blocks if each is not block))
        if freedoms and others:
            fault = f"{block.noun} {block.name!r} sticks in several directions, and moves only together with {others}; "
            fault += "together they have several freedoms"
            cure = f"{without_sticking(block)}, or put a universal joint in the place of a ball"
            raise ModelError(Issue(fault, cure, block.path))


def _dependent(system: System, block: JointFriction, others: Sequence[str]) -> Issue:
    """Refusal of a joint that moves only together with others; without these a motion prescribes how it moves."""
    names = ", ".join(repr(each) for each in (*others, *(motion.name for motion in system.tree.motions)))
    fault = f"{block.noun} {block.name!r} moves only together with {names}, so that the effort that each holds at rest "
    fault += "is not determined"
    cure = f"{without_sticking(block)}, or count the friction of {block.name!r} in another joint"
    return Issue(fault, cure if others else f"write prescribed: true, or {cure}", block.path)


def _check_drives(system: System, block: JointFriction, others: Sequence[str]) -> None:
    """Refuse joints that move only together beside drives of other joints."""
    for motion in indirect_motions(system.tree):
        fault = (
            f"{block.noun} {block.name!r} moves only together with {', '.join(map(repr, others))} and sticks, beside "
        )
        fault += f"{motion.name!r}, which other joints drive"
        raise ModelError(Issue(fault, without_sticking(block), block.path))


def _moved_apart(block: JointFriction, others: Sequence[str], assembler: Assembler, held: Sequence[int]) -> Issue:
    """Refusal of a joint whose velocity is not in proportion to those of the others: motions change it with time.

    Each of them may then rest while the others move, which those with one freedom in common never do.
    """
    functions = assembler.functions
    owners = dict.fromkeys(functions.labels[k][0] for k in held if k not in functions.without_time)
    with_time, names = (", ".join(repr(each) for each in some) for some in (owners, others))
    fault = (
        f"{block.noun} {block.name!r} moves together with {names}, but {with_time} changes the ratio of their speeds"
    )
    cure = "write type: lugre, or add regularize: with a small speed, for all of them but one"
    return Issue(f"{fault} over time, so that each may rest alone, which is not supported yet", cure, block.path)


def _check_alone(blocks: Sequence[JointFriction], freedoms: int) -> None:
    """Refuse joints that share several freedoms and follow their loads."""
    for other in (each for each in blocks if each.law.follows_load):
        names = ", ".join(repr(block.name) for block in blocks)
        fault = f"{names} share {freedoms} freedoms, in which friction may hold them only by given efforts: that of "
        fault += f"{other.name!r} follows its load"
        cure = f"{without_sticking(blocks[-1])} for all of them but {freedoms}"
        raise ModelError(Issue(fault, cure, blocks[-1].path))


def _check_group(
    friction: Mapping[int, JointFriction], sets: Sequence[Sequence[int]], free: np.ndarray, freedoms: int
) -> None:
    """Refuse a group with several freedoms in which fewer joints than these hold others, or with too many joints."""
    names = {i: repr(block.name) for i, block in friction.items()}
    every, cure = ", ".join(names.values()), "add regularize: with a small speed to some of them"
    count = math.comb(len(names), freedoms - 1)
    if count > MOST_MOTIONS:
        fault = f"{every} share {freedoms} freedoms: friction may leave them {count} motions, more than {MOST_MOTIONS}"
        raise ModelError(Issue(fault, cure, friction[max(friction)].path))
    one_of_each = combinations([each[0] for each in sets], freedoms)
    for some in (each for each in one_of_each if len(independent_rows(free[list(each)])) < freedoms):
        kept = independent_rows(free[list(some)])
        k = next(i for n, i in enumerate(some) if n not in kept)
        others = ", ".join(names[i] for i in some if i != k)
        fault = f"{friction[k].noun} {names[k]} moves only together with {others}, fewer joints with friction than the "
        fault += f"{freedoms} freedoms that {every} share"
        cure = f"{cure}, or count the friction of {names[k]} in another joint"
        raise ModelError(Issue(fault, cure, friction[k].path))


def all_motions(system: System, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """All velocities per velocity of the tree (nv + r, nv), those of relative motions last."""
    own = np.eye(system.tree.nv)
    return np.vstack([own, system.relative_jacobian(q, p).full()]) if system.relative else own


def check_prescribed(system: System, free: np.ndarray) -> None:
    """Refuse friction that takes its sign from a motion where the joint moves freely."""
    driven = overcome_by_drives(system.tree)  # what friction takes there the drive adds, however the joint moves
    for block in system.frictions:
        rows = list(block.held or (block.velocity,))
        if block.law.prescribed and not driven.issuperset(rows) and np.linalg.norm(free[rows]) > DEPENDENT:
            fault = f"no motion prescribes how {block.noun} {block.name!r} moves"
            cure = f"give {block.name!r} a motion, or leave prescribed out and simulate"
            raise ModelError(Issue(fault, cure, (*block.path, "prescribed")))
