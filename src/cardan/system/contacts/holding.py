"""What friction that sticks and stops by impact hold, and what a joint would do without them.

Source: Pfeiffer & Glocker 1996, ch. 5
"""

from collections.abc import Callable, Mapping, Sequence

import casadi as ca

from cardan.formulations import newton_euler
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import Motion, motion
from cardan.kinematics.relative import RelativeMotion, Slip, slip_of_velocity
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF_OF_SUM
from cardan.system.constrained import has_constraints, under_efforts
from cardan.system.contacts import JointFriction, JointGroup, Solved, acting_motions
from cardan.system.contacts.unknown_efforts import load_friction, stopped
from cardan.system.drives import drive_efforts, loop_rows
from cardan.system.efforts import actuator_efforts
from cardan.system.energies import guidance_powers
from cardan.system.response import Response, response
from cardan.system.state import State, blocks_at
from cardan.system.system import System

SolvedAt = Callable[..., Solved]
"""(states of the blocks (nz,), where friction is active) → accelerations and efforts at one place and instant."""


def unknown_efforts(system: System, state: State, solution: Response) -> dict[int, Number]:
    """Efforts of friction that sticks or follows its load, by velocity, along the motions on which they act.

    What sticking joints need is the rest of their equation of motion; while a stop by impact holds them it is none.
    """
    unknown = [block.velocity for block in system.frictions if block.is_unknown or (block.sticks and not block.parts)]
    unknown += [k for block in system.frictions for k in block.held]
    if not unknown:
        return {}
    at_stop = stopped(system, state)
    rest = response(system, state).as_shared[1] if system.relative else held_efforts(system, state, solution)
    return {k: (1 - at_stop.get(k, 0)) * rest[k] for k in unknown}


def friction_efforts(system: System, state: State, unknown: Mapping[int, Number]) -> list[Number]:
    """Efforts [N, N m] of the friction of each joint of `System.frictions` along its velocity, sliding or sticking.

    Those that hold several directions are left out: `held_parts`.
    """
    out = []
    for block, z, _ in blocks_at(system, state):
        if isinstance(block, JointFriction):
            out.append(block.effort(state.motion, z) + unknown.get(block.velocity, 0))
    return out


def held_parts(system: System, unknown: Mapping[int, Number]) -> list[Number]:
    """Efforts [N, N m] with which each joint of `System.frictions` holds its motions while it sticks, zero otherwise.

    Empty for a joint that slides in one direction, whose effort `friction_efforts` gives.
    """
    return [ca.vertcat(*(unknown[k] for k in block.held)) for block in system.frictions]


def friction_limits(system: System, state: State, solution: Response, unknown: Mapping[int, Number]) -> list[Number]:
    """Largest efforts [N, N m] that the friction of each joint of `System.frictions` can hold at rest."""
    loaded = load_friction(system, state)
    follow = {} if loaded is None else loaded.limits(*solution, unknown)
    return [follow.get(block.velocity, block.law_at(state.motion).holding) for block in system.frictions]


def held_efforts(system: System, state: State, solution: Response, phi: Mapping[int, Number] | None = None) -> Number:
    """Efforts (nv,) [N, N m] of friction that sticks and of stops by impact: the rest of their equations of motion.

    Efforts along relative motions are left out.
    """
    a, lam = solution
    tree = system.reduced
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    rest = newton_euler.inverse_dynamics(tree, moving, a) - actuator_efforts(system, state)
    if has_constraints(tree):
        loops = len(loop_rows(tree, lam.shape[0]))
        rest = rest - drive_efforts(tree, lam)
        rest = rest - constraint_terms(tree, moving).Phi_q[:loops, :].T @ lam[:loops, :]
    phi = response(system, state).as_shared[1] if phi is None and system.relative else phi or {}
    for k, one in acting_motions(system.frictions).items():
        if k in phi:
            rest = rest - one.slip(tree, moving).J.T * phi[k]
    return rest


def may_stick(
    system: System,
    state: State,
    blocks: Sequence[JointFriction],
    respond: SolvedAt,
    resting: Sequence[tuple[JointFriction, Number]] = (),
) -> tuple[Number, list[Number], Solved]:
    """Whether friction can hold a joint at rest, or together those of one freedom; the slip signs with which they would
    move (0 for one that slides in several directions or at its dead centre); and the motion with them held.

    Those of `resting` come to rest with them if the number beside them is 1.
    """
    still = ca.SX(state.z)
    for block, rests in (*resting, *((each, ca.SX(1)) for each in blocks)):
        at = system.state_names.index(block.names[0]) - system.nx + system.nz
        still[at] = ca.if_else(rests, 0, still[at])
    held = respond(still)
    holds = ca.SX(held.is_solved) if any(block.law.follows_load for block in blocks) else ca.SX(1)
    for block in blocks:
        efforts, limit = efforts_and_limit(block, held, state.motion)
        # zero where no effort holds the joint, such as a slider at its dead centre
        pivot = ca.fabs(held.determinant) if block.law.follows_load else 1
        within = pivot * block.needed(efforts) <= pivot * limit
        holds = ca.logic_and(holds, within)
    group = group_of(system, blocks[0])
    if turns_freely(system, blocks[0]):
        return holds, [ca.SX(0)], held
    if group.freedoms > 1:  # against what would hold them; friction of the others matters
        strays = [held.strays[block.velocity] for block in blocks]
        signs = [
            ca.if_else(own != 0, ca.sign(own), -ca.sign(held.held[block.velocity]))
            for own, block in zip(strays, blocks, strict=True)
        ]
        return ca.logic_and(holds, ca.norm_1(ca.vertcat(*strays)) == 0), signs, held
    return holds, _slip_signs(system, state, blocks, respond), held


def efforts_and_limit(block: JointFriction, found: Solved, motion: Motion) -> tuple[Mapping[int, Number], Number]:
    """Efforts by velocity that hold a joint, and the largest one that can: those of all joints of its freedom together,
    where their friction follows the load.
    """
    first = (block.held or (block.velocity,))[0]
    if first in found.most:
        return found.held, found.most[first]
    return found.phi, found.limits[block.velocity] if block.law.follows_load else block.law_at(motion).holding


def turns_freely(system: System, block: JointFriction) -> bool:
    """Whether a joint slides in several directions, and the mechanism leaves it more than one freedom."""
    return bool(block.parts) and group_of(system, block).freedoms > 1


def speed_and_slip(system: System, state: State, block: JointFriction) -> tuple[Number, Slip]:
    """Speed of a joint that has one motion, zero where it is round-off, and its acceleration as a function of v̇.

    One that slides along a line in several directions moves along the direction d in which it began to slide; both are
    zero while it sticks.
    """
    if block.relative is None:
        return state.v[block.velocity], slip_of_velocity(system.tree.nv, block.velocity)
    z = next(own for each, own, _ in blocks_at(system, state) if each is block)
    motion = block.ahead(z) if block.parts else block.relative
    return clear_speed(motion, state), motion.slip(system.tree, state.motion)


def set_of_joint(system: System, block: JointFriction) -> tuple[int, ...]:
    """Velocities of the joints with friction that have one freedom with that of `block`, its own included."""
    return next(each for each in group_of(system, block).sets if block.velocity in each)


def group_of(system: System, block: JointFriction) -> JointGroup:
    """The joints with friction that move only together with that of `block`; or itself alone."""
    groups = (group for group in system.choice.together if block.velocity in group.velocities)
    several = ((block.velocity, block.held),) if block.parts else ()
    return next(groups, JointGroup(((block.velocity,),), max(1, len(block.held)), several))


def unheld(system: System, state: State, velocities: Sequence[int]) -> tuple[Number, Number, Number]:
    """Accelerations (nv + r,) where friction and stops hold nothing, the sizes (m,) of the terms of those of
    `velocities`, and the accelerations (nv + r, m) of unit efforts on `velocities`; the r relative motions come last.

    A unit impulse adds the last ones A to the velocities. The terms are those of Aᵀ (τ − h), and what motion along
    curved ways adds: round-off is in proportion to their sizes, however much they cancel. No friction follows its load.
    """
    tree = system.reduced
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    tau = actuator_efforts(system, state)
    slips = _slips(system, moving)
    a, _ = under_efforts(tree, moving, tau, system.choice, ca.horzcat(*(slips[k].J.T for k in velocities)))
    every = ca.vertcat(a, *(slip.accelerations(a) for slip in slips[tree.nv :]))
    free, A = every[:, 0], a[:, 1:]
    h = newton_euler.inverse_dynamics(tree, moving, ca.DM(tree.nv, 1))
    curved = free[list(velocities)] - A.T @ (tau - h)
    return free, ca.fabs(A).T @ (ca.fabs(tau) + ca.fabs(h)) + ca.fabs(curved), every[:, 1:]


def all_velocities(system: System, state: State) -> Number:
    """Velocities of the tree, then those of relative motions (nv + r,); of the latter round-off counts as zero."""
    return ca.vertcat(state.v, *(clear_speed(one, state) for one in system.relative))


def clear_speed(one: RelativeMotion, state: State) -> Number:
    """Speed of a relative motion, zero where it is round-off."""
    J = one.jacobian(state.motion)
    speed = J @ state.v
    return ca.if_else(ca.fabs(speed) > ROUND_OFF_OF_SUM * (ca.fabs(J) @ ca.fabs(state.v)), speed, 0)


def _slips(system: System, moving: Motion) -> list[Slip]:
    """All velocities as motions along which an effort acts, those of relative motions last."""
    own = [slip_of_velocity(system.tree.nv, k) for k in range(system.tree.nv)]
    return [*own, *(one.slip(system.tree, moving) for one in system.relative)]


def acceleration_scale(block: JointFriction, found: Solved) -> Number:
    """Sum of the absolute terms of the acceleration of a joint: its round-off is ε times this."""
    return sum(found.sizes[k] for k in block.held or (block.velocity,))


def guided_work(system: System, state: State, velocities: Sequence[int]) -> Number:
    """Energies (m,) [J] that moving constraints, such as prescribed motions,
    put in for unit impulses on `velocities`.
    """
    tree = system.reduced
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    slips = _slips(system, moving)
    units = ca.horzcat(*(slips[k].J.T for k in velocities))
    a, lam = under_efforts(tree, moving, actuator_efforts(system, state), system.choice, units)
    each = range(1, 1 + len(velocities))
    return ca.vertcat(*(sum(guidance_powers(system, state, (a[:, i], lam[:, i]))) for i in each))


def _slip_signs(system: System, state: State, blocks: Sequence[JointFriction], respond: SolvedAt) -> list[Number]:
    """Sign of the acceleration of each joint of `blocks` where their friction is left out; 0 for round-off."""
    found, out = respond(state.z, {block.velocity: ca.SX(0) for block in blocks}), list[Number]()
    for block in blocks:
        a, size = speed_and_slip(system, state, block)[1].accelerations(found.a)[0], acceleration_scale(block, found)
        is_one = len(blocks) == 1
        out.append(ca.sign(a) if is_one else ca.if_else(ca.fabs(a) > ROUND_OFF_OF_SUM * size, ca.sign(a), 0))
    return out
