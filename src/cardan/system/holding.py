"""What friction that sticks and stops by impact hold, and what a joint would do without them.

Source: Pfeiffer & Glocker 1996, ch. 5
"""

from __future__ import annotations

import casadi as ca

from cardan.formulations import newton_euler
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Number
from cardan.system.constrained import accelerations, has_constraints
from cardan.system.drives import drive_efforts, drive_velocities
from cardan.system.friction import JointFriction
from cardan.system.system import Response, State, System, actuator_efforts, blocks_at, stuck

__all__ = ["friction_efforts", "held_efforts", "pushed", "released"]


def friction_efforts(system: System, state: State, solution: Response) -> list[Number]:
    """Efforts [N, N m] of the friction of each joint of `System.frictions`, sliding or sticking, on the joint.

    What sticking joints need is the rest of their equation of motion.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    solution : its accelerations and multipliers.
    """
    if not system.frictions:
        return []
    rest = held_efforts(system, state, solution)
    return [
        block.effort(state.motion, z) + (rest[block.velocity] if block.sticks else 0)
        for block, z, _ in blocks_at(system, state)
        if isinstance(block, JointFriction)
    ]


def held_efforts(system: System, state: State, solution: Response) -> Number:
    """Efforts (nv,) [N, N m] of friction that sticks and of stops by impact: the rest of their equations of motion.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    solution : its accelerations and multipliers.
    """
    a, lam = solution
    tree = system.reduced
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    rest = newton_euler.inverse_dynamics(tree, moving, a) - actuator_efforts(system, state)
    if has_constraints(tree):
        loops = lam.shape[0] - len(drive_velocities(tree))
        rest = rest - drive_efforts(tree, lam)
        rest = rest - constraint_terms(tree, moving).Phi_q[:loops, :].T @ lam[:loops, :]
    return rest


def released(system: System, state: State, block: JointFriction) -> tuple[Number, Number]:
    """Acceleration of the joint of `block` without its friction, and what a unit effort on it adds to it.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    block : friction of one joint; the other joints slide or stick as the state says.
    """
    own = next(each.effort(state.motion, z) for each, z, _ in blocks_at(system, state) if each is block)
    k = block.velocity
    free = _accelerated(system, state, k, -own)
    return free[k], _accelerated(system, state, k, 1 - own)[k] - free[k]


def pushed(system: System, state: State, velocity: int) -> Number:
    """What a unit effort on a velocity adds to all accelerations (nv,), and a unit impulse to all velocities.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    velocity : index; nothing holds it, the others are held as the state says.
    """
    return _accelerated(system, state, velocity, 1) - _accelerated(system, state, velocity, 0)


def _accelerated(system: System, state: State, k: int, effort: Number) -> Number:
    """Accelerations (nv,) with a further effort on velocity k, which nothing holds."""
    tree = system.reduced
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    tau = actuator_efforts(system, state) + effort * ca.DM.eye(tree.nv)[:, k]
    held = [(other, ca.SX(1) if other == k else slides) for other, slides in stuck(system, state)]
    return accelerations(tree, moving, tau, system.choice, None, held)[0]
