"""Energy of a system, and the powers that change it."""

import casadi as ca

from cardan.formulations.applied import damping
from cardan.kinematics import energy
from cardan.kinematics.constraints import constraint_terms, follows_time
from cardan.kinematics.loads import load_power
from cardan.kinematics.relations.ideal_parts import following, ideal_parts, with_ideal_parts
from cardan.kinematics.tree import Number
from cardan.numerics.entries import column
from cardan.system.constrained import has_constraints
from cardan.system.drives import drive_efforts, loop_rows
from cardan.system.response import Response, accelerations_and_multipliers, load_heat
from cardan.system.state import State, blocks_at
from cardan.system.system import System

WORKS = ("input", "conversion", "forces", "dissipation")
"""Works that are integrated along a run [J]: E(t) − E(0) = input + conversion + forces − dissipation."""

SIGNS = (1.0, 1.0, 1.0, -1.0)
"""Signs of `WORKS` in the energy balance."""


def total_energy(system: System, state: State) -> Number:
    """Energy [J] of the mechanism and of its blocks, such as the coils' magnetic fields."""
    mechanical = energy.kinetic(system.tree, state.motion) + energy.potential(system.tree, state.motion)
    blocks = [(block, z) for block, z, _ in blocks_at(system, state)]
    return mechanical + sum(block.stored(z) + block.strain(state.motion, z) for block, z in blocks)


def balanced_energy(system: System, state: State) -> Number:
    """`total_energy` and the energy lost in impacts so far [J]: only `powers` change this sum."""
    return total_energy(system, state) + sum(block.taken(z) for block, z, _ in blocks_at(system, state))


def powers(system: System, state: State, solution: Response | None = None) -> Number:
    """Rates [W] of `WORKS` (4,): the balance dE/dt = input + conversion + forces − dissipation is exact."""
    dissipated = state.v.T @ damping(system.tree) @ state.v
    by_constraints, supplied = guidance_powers(system, state, solution)
    moving = state.motion
    if following(system.tree):
        _, lam = accelerations_and_multipliers(system, state) if solution is None else solution
        moving = with_ideal_parts(system.tree, moving, ideal_parts(system.tree, moving, lam))
    by_forces, converted = load_power(system.tree, moving) + by_constraints, ca.DM(0)
    for block, z, u in blocks_at(system, state):
        power = block.power(state.motion, z, u)
        supplied, converted, dissipated = (
            supplied + power.supplied,
            converted + power.converted,
            dissipated + power.lost,
        )
    dissipated += sum(heat for _, heat in load_heat(system, state))
    return column([supplied, converted, by_forces, dissipated])


def guidance_powers(system: System, state: State, solution: Response | None) -> tuple[Number, Number]:
    """Powers [W] of constraint equations that move with time, (Φqᵀ λ)·v, and of the drives of prescribed motions.

    Equations at rest do no work.
    """
    tree = system.tree
    if not has_constraints(tree) or not (tree.motions or follows_time(tree, state.motion)):
        return ca.DM(0), ca.DM(0)
    _, lam = accelerations_and_multipliers(system, state) if solution is None else solution
    count = len(loop_rows(tree, lam.shape[0]))
    Phi_q = constraint_terms(tree, state.motion).Phi_q[:count, :]
    by_constraints = lam[:count].T @ (Phi_q @ state.v) if count else ca.DM(0)
    return by_constraints, ca.dot(drive_efforts(tree, lam), state.v)
