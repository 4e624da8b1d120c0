"""Joints with friction that move only together: which of them hold each other, and what is refused.

A ball may stick in three directions where the mechanism leaves it only one freedom. Then one of its three motions is
compared with those of other joints; in general as many as it has freedoms. The group has all three.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError
from cardan.numerics.rank import DEPENDENT, independent_rows, least_squares, null_space
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

Refusal = tuple[JointFriction, str, str]
"""Friction that is refused, why, and the cure."""


def held_together(system: System, assembler: Assembler, q: np.ndarray, choice: Selection) -> Selection:
    """The choice with the joints that may stick and move only together, by group, or that have fewer freedoms than
    directions in which they stick; and those that move only together with joints that stop by impact.
    """
    rigid = [block for block in system.stops if block.is_rigid]
    places = assembler.neighbours(q) if system.sticking or rigid else [q]
    jacobians = [assembler.at(place)[1] for place in places]
    motions = [all_motions(system, place, assembler.p) for place in places]

    def free(held: Sequence[int], at: int = -1) -> np.ndarray:
        return motions[at] @ null_space(jacobians[at][list(held)])

    held = [*choice.kept, *fed_back_rows(system.tree, len(jacobians[0]))]
    every = [free(held, at) for at in range(len(places))]
    still = free([k for k in held if k in assembler.functions.without_time])
    check_prescribed(system, every[0])
    _check_impacts(system, rigid, [*every, still])
    choice = replace(choice, stopped=_stopped(system, rigid, [*every, still]))
    driven = drive_rows(system.tree, len(jacobians[0]))
    rows, counts = _rows(system, free([k for k in held if k not in driven]))
    own, owners, out = [k for k, _ in rows], [block for _, block in rows], []
    every = [each[own] for each in every]
    functions = assembler.functions
    moving = dict.fromkeys(functions.labels[k][0] for k in held if k not in functions.without_time)
    for members, freedoms in _groups_of(every[-1]):
        if (len(members), freedoms) == (1, 1):
            continue
        blocks, sets = [owners[i] for i in members], _sets_of_one_freedom(every, members) if freedoms > 1 else [members]
        apart = moving if len(independent_rows(still[own][members])) > freedoms else {}
        is_one = freedoms > 1 or (freedoms == 1 and _have_one_freedom(every, members))
        refusals = _refused(system, blocks, freedoms, counts, tuple(apart), is_one=is_one)
        too_few = _too_few(dict(zip(members, blocks, strict=True)), sets, every[-1], freedoms)
        for block, fault, cure in chain(refusals, too_few if freedoms > 1 else ()):
            raise ModelError(Issue(fault, cure, block.path))
        several = tuple({block.velocity: block.held for block in blocks if block.parts}.items())
        out.append(JointGroup(tuple(tuple(owners[i].velocity for i in each) for each in sets), freedoms, several))
    together = {k for group in out for k in group.velocities}
    for one in system.sticking:
        if one.velocity not in together and counts[one.velocity] < len(one.held):
            out.append(JointGroup(((one.velocity,),), counts[one.velocity], ((one.velocity, one.held),)))
    return replace(choice, together=tuple(out))


def _rows(system: System, free: np.ndarray) -> tuple[list[tuple[int, JointFriction]], dict[int, int]]:
    """Independent velocities that friction may hold, with their owners; and by owner's velocity how many it has."""
    rows, counts = list[tuple[int, JointFriction]](), dict[int, int]()
    for block in system.sticking:
        held = block.held or (block.velocity,)
        kept = independent_rows(free[list(held)])
        if not kept:
            fault = f"{block.noun} {block.name!r} cannot slide in any direction in which it has friction"
            raise ModelError(Issue(fault, "leave friction out, or check the joints beside it", block.path))
        rows += [(held[i], block) for i in kept]
        counts[block.velocity] = len(kept)
    return rows, counts


def _check_impacts(system: System, rigid: Sequence[JointStops], every: Sequence[np.ndarray]) -> None:
    """Refuse stops by impact of joints that move only together with others that may stick in several freedoms."""
    holds = {one.velocity: one.name for one in system.sticking} | {one.velocity: one.name for one in rigid}
    holds = holds if rigid else {}
    rows = list(holds)
    for group, _ in _groups_of(every[-2][rows] if rigid else np.zeros((0, 0))):
        members = [rows[i] for i in group]
        stop = next((one for one in rigid if one.velocity in members), None)
        rub = [one for one in system.sticking if one.velocity in members]
        if stop is None or not rub or _have_one_freedom(every, members):
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
    out = list[StoppedJoints]()
    for own in _sets_of_one_freedom(every, [block.velocity for block in rigid]):
        held = tuple(one.velocity for one in system.sticking if _have_one_freedom(every, [own[0], one.velocity]))
        out.append(StoppedJoints(tuple(own), held))
    return tuple(one for one in out if one.held or len(one.stops) > 1)


def _together(block: JointFriction, blocks: Sequence[JointFriction], more: Sequence[str] = ()) -> str:
    """Beginning of a refusal: a joint and those with which it moves."""
    what = block.noun if block.law.gear is None else "the gear with losses in front of"
    others = dict.fromkeys(one.name for one in blocks if one is not block)
    return f"{what} {block.name!r} moves only together with {', '.join(map(repr, (*others, *more)))}"


def _refused(
    system: System,
    blocks: Sequence[JointFriction],
    freedoms: int,
    counts: Mapping[int, int],
    moving: Sequence[str],
    *,
    is_one: bool,
) -> Iterator[Refusal]:
    """Friction of joints of these freedoms that is refused. Motions of the names `moving` change ratios of speeds with
    time, so that each joint may rest while the others move.
    """
    last, indirect = blocks[-1], [motion.name for motion in indirect_motions(system.tree)]
    others, smooth = [block for block in blocks if block is not last], without_sticking(last)
    if others and (geared := next((block for block in blocks if block.law.gear is not None), None)):
        cured = next(block for block in blocks if block is not geared)
        yield cured, f"{_together(geared, blocks)}, and both may stick, which is not supported", without_sticking(cured)
    for block in (each for each in blocks if each.parts and others and freedoms):
        if freedoms > 1 or counts[block.velocity] > 1:
            fault = f"{_together(block, blocks)}, and sticks in several directions, in several freedoms"
            yield block, fault, f"{without_sticking(block)}, or put a universal joint in the place of a ball"
    if not is_one:
        fault = _together(last, blocks, [motion.name for motion in system.tree.motions])
        cure = f"{smooth}, or count the friction of {last.name!r} in another joint"
        cure = cure if others else f"write prescribed: true, or {cure}"
        yield last, f"{fault}, so that the effort that each holds at rest is not determined", cure
    if indirect:
        yield last, f"{_together(last, blocks)} and sticks, beside {indirect[0]!r}, which other joints drive", smooth
    if moving:
        fault = f"{_together(last, blocks)}, but {', '.join(map(repr, moving))} changes the ratio of their speeds over "
        yield last, f"{fault}time, so that each may rest alone", f"{smooth}, for all of them but one"
    for block in (each for each in blocks if freedoms > 1 and each.law.follows_load):
        fault = f"{_together(last, blocks)}; together they have {freedoms} freedoms, in which friction holds only by "
        yield last, f"{fault}given efforts: that of {block.name!r} follows its load", f"{smooth} for all but {freedoms}"


def _too_few(
    friction: Mapping[int, JointFriction], sets: Sequence[Sequence[int]], free: np.ndarray, freedoms: int
) -> Iterator[Refusal]:
    """Refusals of a group with several freedoms in which fewer joints than these hold others, or with too many."""
    names = {i: repr(block.name) for i, block in friction.items()}
    every, cure = ", ".join(names.values()), "add regularize: with a small speed to some of them"
    count = math.comb(len(names), freedoms - 1)
    if count > MOST_MOTIONS:
        fault = f"{every} share {freedoms} freedoms: friction may leave them {count} motions, more than {MOST_MOTIONS}"
        yield friction[max(friction)], fault, cure
        return
    for some in combinations([each[0] for each in sets], freedoms):
        kept = independent_rows(free[list(some)])
        if len(kept) < freedoms:
            k = next(i for n, i in enumerate(some) if n not in kept)
            fault = f"{_together(friction[k], [friction[i] for i in some])}, fewer joints with friction than the "
            fault += f"{freedoms} freedoms that {every} share"
            yield friction[k], fault, f"{cure}, or count the friction of {names[k]} in another joint"


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


def _groups_of(free: np.ndarray) -> list[tuple[list[int], int]]:
    """Joints that move only together, and the freedoms of each group: the circuits of the rows of `free`, joined."""
    independent = independent_rows(free) if free.size else ()
    groups: list[set[int]] = [{i} for i in independent]
    for k in (each for each in range(len(free)) if each not in independent):
        length = np.linalg.norm(free[k])
        parts = least_squares(free[list(independent)].T, free[k] / length) if length > DEPENDENT else np.zeros(0)
        circuit = {i for i, part in zip(independent, parts, strict=False) if abs(part) > DEPENDENT}
        joined = [group for group in groups if group & circuit]
        groups = [group for group in groups if group not in joined] + [set.union({k}, *joined)]
    return [
        (sorted(group), len(group & set(independent)))
        for group in groups
        if len(group) > 1 or not group & set(independent)
    ]


def _have_one_freedom(free: Sequence[np.ndarray], members: Sequence[int]) -> bool:
    """Whether the rows of joints have one direction in all positions."""
    return all(_are_parallel(N[members[0]], N[k]) for N in free for k in members[1:])


def _sets_of_one_freedom(free: Sequence[np.ndarray], members: Sequence[int]) -> list[list[int]]:
    """The joints of a group by freedom, each set in the order of the file: those whose rows are parallel everywhere."""
    out: list[list[int]] = []
    for i in members:
        one = next((each for each in out if _have_one_freedom(free, [each[0], i])), None)
        if one is None:
            out.append([i])
        else:
            one.append(i)
    return out


def _are_parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two rows (f,) have one direction, or one of them none, as at its dead centre."""
    length = np.linalg.norm(one) * np.linalg.norm(other)
    return bool(length <= DEPENDENT or abs(one @ other) > (1 - DEPENDENT) * length)
