"""Unknown efforts of friction and stops: of velocities that they hold, and of friction that follows its load."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce

import casadi as ca

from cardan.formulations import composite_body
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import motion
from cardan.kinematics.relative import slip_of_velocity
from cardan.kinematics.tree import Number
from cardan.system.constrained import has_constraints, self_stresses
from cardan.system.contacts import JointFriction, Rubbing, Stuck, acting_motions, rubbing
from cardan.system.contacts.stops import JointStops
from cardan.system.efforts import block_forces
from cardan.system.state import State, blocks_at
from cardan.system.system import System

Active = Mapping[int, Number]
"""By velocity: 1 where friction along it is active, 0 where it is left out; 1 for velocities that are not named."""


def load_friction(
    system: System, state: State, *, prescribed: bool = False, least: bool = True, active: Active | None = None
) -> Rubbing | None:
    """Friction whose effort is an unknown while it slides, in a state; None if no joint has it."""
    blocks = [(block, z) for block, z, _ in blocks_at(system, state) if isinstance(block, JointFriction)]
    if prescribed:
        blocks = [(block.of_known_motion(), z) for block, z in blocks]
    if not any(block.is_unknown for block, _ in blocks):
        return None
    moving = motion(system.tree, state.q, state.v, t=state.t, z=state.motion.z)
    stresses = None
    if least and has_constraints(system.tree) and any(block.law.loads == "minimum_norm" for block, _ in blocks):
        reduced = system.reduced
        found = self_stresses(reduced, motion(reduced, state.q, state.v, t=state.t, z=state.motion.z), system.choice)
        stresses = found if found.shape[1] else None
    found = rubbing(system.tree, moving, blocks, block_forces(system, state), stresses)
    if found is None or not active:
        return found
    rubs = {
        k: replace(rub, given=active[k] * rub.given, ratio=active[k] * rub.ratio) if k in active else rub
        for k, rub in found.rubs.items()
    }
    return replace(found, rubs=rubs)


def stuck(system: System, state: State, active: Active | None = None) -> list[Stuck]:
    """Velocities that friction or stops may hold at zero; those with stops come first, as friction acts after them."""
    switched = active or {}
    slides: dict[int, Number] = {}
    given: dict[int, Number] = {}
    blocks = list(blocks_at(system, state))
    slips = acting_motions(system.frictions)
    resting = _resting(system, state)
    for block, z, _ in blocks:
        if isinstance(block, JointStops) and block.is_rigid:
            slides[block.velocity] = 1 - z[0] ** 2
    for block, z, _ in blocks:
        if isinstance(block, JointFriction) and block.parts:
            slides |= {block.velocity: ca.SX(1)} if block.is_unknown else {}
            rests = switched.get(block.velocity, 1) * resting.get(block.velocity, ca.SX(0))
            slides |= dict.fromkeys(block.held, 1 - rests)
        elif isinstance(block, JointFriction) and (block.sticks or block.is_unknown):
            slides[block.velocity] = slides.get(block.velocity, 1) * (1 - resting.get(block.velocity, 0))
            given[block.velocity] = ca.fabs(block.effort(state.motion, z))
    mobilities, at_stop = _mobilities(system, state, slides), stopped(system, state)
    in_several_directions = {block.held[0]: block.own for block in system.frictions if block.parts}
    return [
        Stuck(
            k,
            slips[k].slip(system.tree, state.motion) if k in slips else slip_of_velocity(system.tree.nv, k),
            1 - switched[k] * (1 - is_sliding) if k in switched else is_sliding,
            in_several_directions.get(k, (k,) if k < system.tree.nv else ()),
            given.get(k, 0),
            mobilities.get(k, 0),
            at_stop.get(k, 0),
        )
        for k, is_sliding in slides.items()
    ]


def stopped(system: System, state: State) -> dict[int, Number]:
    """By velocity that friction may hold: 1 while a stop by impact holds its joint, or another one of its freedom."""
    stops = ((block, z) for block, z, _ in blocks_at(system, state) if isinstance(block, JointStops))
    is_open = {block.velocity: 1 - z[0] ** 2 for block, z in stops if block.is_rigid}
    out: dict[int, Number] = {}
    for joints in system.stopped:
        out |= dict.fromkeys(joints.held, 1 - reduce(operator.mul, (is_open[k] for k in joints.stops)))
    return out


def _resting(system: System, state: State) -> dict[int, Number]:
    """By velocity of the joints that may stick: 1 while friction holds them, else 0, as where a stop does.

    Of joints of one freedom together: one that is at rest while others move is at its dead centre.
    """
    blocks = ((block, z) for block, z, _ in blocks_at(system, state) if isinstance(block, JointFriction))
    own, at_stop = {block.velocity: 1 - z[0] ** 2 for block, z in blocks if block.sticks}, stopped(system, state)
    own = {k: holds * (1 - at_stop[k]) if k in at_stop else holds for k, holds in own.items()}
    sets = (each for group in system.choice.together for each in group.sets)
    return own | {k: reduce(operator.mul, (own[i] for i in each)) for each in sets for k in each}


def _mobilities(system: System, state: State, velocities: Iterable[int]) -> dict[int, Number]:
    """Accelerations of joints in closed loops under unit efforts on them if all other joints were locked and no loop
    closed: the round-off of their mobility in the loop is in proportion to this. By velocity of joints of the tree
    that do not share what they hold with others; of none where a mass matrix is singular without the loops.
    """
    shared = {k for group in system.choice.together for k in group.velocities}
    alone = [k for k in velocities if k < system.tree.nv and k not in shared]
    if not alone or not has_constraints(system.tree) or system.choice.weight:
        return {}
    moving = motion(system.reduced, state.q, state.v, t=state.t, z=state.motion.z)
    M = composite_body.mass_matrix(system.reduced, moving)
    return {k: 1 / M[k, k] for k in alone}


def given_limits(system: System, state: State) -> dict[int, Number]:
    """Largest given effort of each joint that moves only together with others, zero where it follows the load."""
    together = {k for group in system.choice.together for k in group.velocities}
    laws = {block.velocity: block.law_at(state.motion) for block in system.sticking if block.velocity in together}
    return {k: ca.SX(0 if law.follows_load else law.holding) for k, law in laws.items()}


def friction_forces(system: System, state: State, phi: Mapping[int, Number]) -> tuple[PointForce, ...]:
    """Forces between markers of friction along relative motions whose effort is an unknown."""
    motions = acting_motions(system.frictions)
    return tuple(one.force(state.motion, phi[k]) for k, one in motions.items() if k in phi)
