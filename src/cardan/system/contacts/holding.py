"""What friction that sticks and stops by impact hold, and what a joint would do without them.

Source: Pfeiffer & Glocker 1996, ch. 5
"""

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.formulations import newton_euler
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import Motion, motion
from cardan.kinematics.relative import RelativeMotion, Slip, slip_of_velocity
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import ROUND_OFF_OF_SUM
from cardan.system.constrained import has_constraints, under_efforts
from cardan.system.contacts import JointFriction, JointGroup, acting_motions
from cardan.system.contacts.unknown_efforts import stopped
from cardan.system.drives import drive_efforts, loop_rows
from cardan.system.efforts import actuator_efforts
from cardan.system.energies import guidance_powers
from cardan.system.response import Response, response
from cardan.system.state import State
from cardan.system.system import System


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


def group_of(system: System, block: JointFriction) -> JointGroup:
    """The joints with friction that move only together with that of `block`; or itself alone."""
    groups = (group for group in system.choice.together if block.velocity in group.velocities)
    several = ((block.velocity, block.held),) if block.parts else ()
    return next(groups, JointGroup(((block.velocity,),), max(1, len(block.held)), several))


def unheld(system: System, state: State, velocities: Sequence[int]) -> tuple[Number, Number]:
    """Sizes (m,) of the terms of the accelerations of `velocities` where friction and stops hold nothing, and the
    accelerations (nv + r, m) of unit efforts on `velocities`; the r relative motions come last.

    A unit impulse adds the last ones A to the velocities. The terms are those of Aᵀ (τ − h), and what motion along
    curved ways adds: round-off is in proportion to their sizes, however much they cancel. No friction follows its load.
    """
    tree = system.reduced
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    tau = actuator_efforts(system, state)
    slips = _slips(system, moving)
    a, _ = under_efforts(tree, moving, tau, system.choice, ca.horzcat(*(slips[k].J.T for k in velocities)))
    every = ca.vertcat(a, *(slip.accelerations(a) for slip in slips[tree.nv :]))
    A = a[:, 1:]
    h = newton_euler.inverse_dynamics(tree, moving, ca.DM(tree.nv, 1))
    curved = every[list(velocities), 0] - A.T @ (tau - h)
    return ca.fabs(A).T @ (ca.fabs(tau) + ca.fabs(h)) + ca.fabs(curved), every[:, 1:]


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
