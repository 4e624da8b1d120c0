"""The laws of motion of a system: accelerations and multipliers in a state, and the functions that use them."""

import casadi as ca

from cardan.formulations import articulated_body, composite_body
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion, coordinate_rate, motion, normalised
from cardan.kinematics.tree import Number, Tree
from cardan.system.constrained import NO_CONSTRAINTS, Selection, has_constraints, projection, solved
from cardan.system.contacts import JointFriction, Solved
from cardan.system.contacts.unknown_efforts import Active, friction_forces, given_limits, load_friction, stuck
from cardan.system.efforts import actuator_efforts, block_forces, block_rates
from cardan.system.inertia_check import check_inertia
from cardan.system.state import State, blocks_at
from cardan.system.system import System

Response = tuple[Number, Number]
"""Accelerations v̇ (nv,) and multipliers λ (c,) of a state."""


def forward_dynamics(tree: Tree, state: Motion, tau: Number, choice: Selection = NO_CONSTRAINTS) -> Number:
    """Accelerations (nv,) under the efforts tau (nv,): of a tree by the formulation with the shorter program."""
    if has_constraints(tree):
        return solved(tree, state, tau, choice).a
    if not tree.links:
        return ca.DM(0, 1)
    candidates = []
    if (
        not tree.still
        and len(tree.owners) == len(tree.links)
        and all(rotor.carrier in (None, _parent_of(tree, rotor.v)) for rotor in tree.rotors)
    ):
        candidates.append(articulated_body.forward_dynamics(tree, state, tau))
    if not candidates or composite_body.least_length(tree) < _length(candidates[0]):
        candidates.append(composite_body.forward_dynamics(tree, state, tau))
    return min(candidates, key=_length)


def _parent_of(tree: Tree, v: int) -> int:
    return next(link.parent for link in tree.links if v in link.v)


def _length(expression: Number) -> int:
    """Number of operations of an expression; a number has none."""
    if not isinstance(expression, ca.SX):
        return 0
    return int(ca.Function("length", ca.symvar(expression), [expression]).n_instructions())


def response(system: System, state: State, under: State | None = None, active: Active | None = None) -> Solved:
    """As `accelerations_and_multipliers`, with the efforts of friction that sticks or follows its load.

    With `active`, also with the sizes of accelerations of joints that are locked.
    """
    if under is not None or active is not None:
        return _response(system, state, state if under is None else under, active)
    if id(system) not in state.responses:
        state.responses[id(system)] = system, _response(system, state, state, None)
    return state.responses[id(system)][1]


def _response(system: System, state: State, under: State, active: Active | None) -> Solved:
    tree = system.reduced
    tau = actuator_efforts(system, under)
    at_state = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    loaded = at_state if under is state else motion(tree, under.q, under.v, t=under.t, z=under.motion.z)
    switched = active or {}
    for block, z, _ in blocks_at(system, under) if switched else ():
        if isinstance(block, JointFriction) and block.velocity in switched:
            given = block.effort(under.motion, z) * block.slip(tree, under.motion).J.T
            tau = tau - (1 - switched[block.velocity]) * given
    held = stuck(system, state, active)
    if not has_constraints(tree):
        check_inertia(system.model, tree)
    if has_constraints(tree) or held:
        rubs = load_friction(system, under, active=active)
        limits, sized = given_limits(system, state), active is not None
        return solved(tree, at_state, tau, system.choice, loaded, held, rubs, limits, sized)
    return Solved(forward_dynamics(tree, at_state, tau), ca.DM(0, 1))


def accelerations_and_multipliers(system: System, state: State, under: State | None = None) -> tuple[Number, Number]:
    """v̇ (nv,) and the multipliers λ (c,) of the constraints."""
    found = response(system, state, under)
    return found.a, found.as_shared[0]


def rates_along(system: System, state: State, values: ca.SX) -> Number:
    """Rates (k,) of expressions of a state along the motion from it, its inputs held."""
    a, _ = accelerations_and_multipliers(system, state)
    used = block_rates(system, state, lambda z: ca.depends_on(values, z))
    along = ca.vertcat(state.t, state.q, state.v, state.z)
    rates = ca.vertcat(1, coordinate_rate(system.tree, state.q, state.v), a, used)
    return ca.jtimes(values, along, ca.SX(rates))


def all_forces(system: System, state: State) -> tuple[PointForce, ...]:
    """Forces between markers of graphs and of friction along relative motions, in a state of a run."""
    unknown = friction_forces(system, state, response(system, state).as_shared[1]) if system.relative else ()
    return (*block_forces(system, state), *unknown)


def load_heat(system: System, state: State) -> list[tuple[JointFriction, Number]]:
    """Joints whose friction is an unknown while they slide, with the heat of this friction [W]."""
    if not any(block.is_unknown for block in system.frictions):
        return []
    efforts = response(system, state).phi
    unknown = (block for block in system.frictions if block.is_unknown)
    return [(block, -efforts[block.velocity] * block.speed(state.motion)) for block in unknown]


def state_derivative(system: System, state: State, solution: Response | None = None) -> Number:
    """ẋ (nx,) = (q̇, v̇, ż); `solution` are accelerations and multipliers where they are known already."""
    a, _ = accelerations_and_multipliers(system, state) if solution is None else solution
    rates = ca.SX(block_rates(system, state))
    for block, heat in load_heat(system, state):
        rates[system.state_names.index(block.names[-1]) - system.nx + system.nz] += heat
    return ca.vertcat(coordinate_rate(system.tree, state.q, state.v), a, rates)


def projected(system: System, state: State) -> tuple[Number, Number, Number]:
    """x (nx,) projected onto the constraints, the residual before, and the distance from a singular position.

    Quaternions are normalised.
    """
    if has_constraints(system.tree):
        q, v, residual, distance = projection(system.reduced, state.motion, system.choice, stuck(system, state))
        return ca.vertcat(q, v, state.z), residual, distance
    q = normalised(system.tree, state.q)
    return ca.vertcat(q, state.v, state.z), ca.norm_inf(ca.sparsify(q - state.q)), ca.SX.inf()
