"""The state x = (q, v, z) of a model and its derivative: mechanics and blocks as one system f(t, x, u, p).

Here stand the names and units of t, x, u and p, and the laws of motion over their symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial, reduce
from operator import add
from typing import cast, get_args

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.formulations import articulated_body, composite_body
from cardan.formulations.applied import damping
from cardan.frozen import dataclass
from cardan.kinematics import energy
from cardan.kinematics.build import MotorModel, build
from cardan.kinematics.constraints import check_linear, constraint_terms, follows_time
from cardan.kinematics.loads import PointForce, load_power
from cardan.kinematics.motion import Motion, coordinate_rate, motion, normalised
from cardan.kinematics.regroup import regroup
from cardan.kinematics.relations.ideal_parts import following, ideal_parts, with_ideal_parts
from cardan.kinematics.relative import RelativeMotion, slip_of_velocity
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.entries import column
from cardan.numerics.round_off import ROUND_OFF_OF_SUM
from cardan.system.blocks.block import Block, MakeBlocks
from cardan.system.blocks.circuits import Circuit, circuits, driven_motors
from cardan.system.blocks.graphs import GraphBlock, graph_blocks
from cardan.system.blocks.joint_efforts import joint_efforts
from cardan.system.blocks.stops import JointStops, check_stops, stops
from cardan.system.blocks.user_states import user_states
from cardan.system.constrained import (
    NO_CONSTRAINTS,
    Selection,
    accelerations,
    has_constraints,
    projection,
    self_stresses,
    solved,
)
from cardan.system.drives import DrivenMotor, drive_efforts, own_rows
from cardan.system.friction import (
    JointFriction,
    OneFreedom,
    Rubbing,
    Solved,
    Stuck,
    check_frictions,
    frictions,
    rubbing,
)
from cardan.system.given_parts import check_given
from cardan.system.inertia_check import check_inertia
from cardan.system.line_check import check_lines

__all__ = [
    "KINDS",
    "SIGNS",
    "WORKS",
    "Response",
    "State",
    "System",
    "accelerations_and_multipliers",
    "actuator_efforts",
    "all_forces",
    "applied_efforts",
    "applied_on_joints",
    "at",
    "block_forces",
    "block_rates",
    "blocks_at",
    "build_system",
    "forward_dynamics",
    "friction_forces",
    "guidance_powers",
    "load_friction",
    "load_heat",
    "motor_efforts",
    "motor_model",
    "multiplier_rates",
    "port_efforts",
    "powers",
    "projected",
    "response",
    "shared_limits",
    "state_derivative",
    "stuck",
    "symbolic_state",
    "total_energy",
]

KINDS: tuple[MakeBlocks, ...] = (circuits, joint_efforts, user_states, graph_blocks, frictions, stops)
"""Kinds of blocks, in the order of their states in z and of their inputs in u."""
WORKS = ("input", "conversion", "forces", "dissipation")
"""Works that are integrated along a run [J]: E(t) − E(0) = input + conversion + forces − dissipation."""
SIGNS = (1.0, 1.0, 1.0, -1.0)
"""Signs of `WORKS` in the energy balance."""


Response = tuple[Number, Number]
"""Accelerations v̇ (nv,) and multipliers λ (c,) of a state."""


@dataclass(frozen=True)
class State:
    """Symbols of a state, its time and its inputs, with the motion that follows from them."""

    t: Number  # [s]
    q: Number  # (nq,)
    v: Number  # (nv,)
    z: Number  # states of the blocks (nz,)
    u: Number  # (m,)
    motion: Motion

    @property
    def x(self) -> Number:
        """(q, v, z)."""
        return ca.vertcat(self.q, self.v, self.z)


@dataclass(frozen=True)
class System:
    """A mechanism with its blocks: circuits of motors, efforts on joints, states of the user's own, bond graphs."""

    model: Model
    motors: MotorModel
    tree: Tree
    blocks: tuple[Block, ...]  # in the order of their states in z and of their inputs in u
    choice: Selection = NO_CONSTRAINTS  # how the constraints are solved

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states x (nx,)."""
        positions = tuple(f"{entry.name}.q" for entry in self.tree.coordinates)
        velocities = tuple(f"{entry.name}.v" for entry in self.tree.velocities)
        return (*positions, *velocities, *(name for block in self.blocks for name in block.names))

    @cached_property
    def state_units(self) -> tuple[str, ...]:
        """Units of the states x (nx,); empty where unknown."""
        moving = tuple(entry.unit for entry in (*self.tree.coordinates, *self.tree.velocities))
        return (*moving, *(unit for block in self.blocks for unit in block.units))

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs u (m,)."""
        return tuple(name for block in self.blocks for name in block.input_names)

    @cached_property
    def input_units(self) -> tuple[str, ...]:
        """Units of the inputs u (m,)."""
        return tuple(unit for block in self.blocks for unit in block.input_units)

    @cached_property
    def circuits(self) -> tuple[Circuit, ...]:
        """Circuits of the motors in file order; they are the first blocks."""
        return tuple(block for block in self.blocks if isinstance(block, Circuit))

    @cached_property
    def graphs(self) -> tuple[GraphBlock, ...]:
        """Hand-made bond graphs in file order; they are the last blocks."""
        return tuple(block for block in self.blocks if isinstance(block, GraphBlock))

    @cached_property
    def driven_motors(self) -> tuple[DrivenMotor, ...]:
        """Motors in file order whose joints drive prescribed motions."""
        return driven_motors(self.model, self.tree, self.motors)

    @cached_property
    def frictions(self) -> tuple[JointFriction, ...]:
        """Friction of the joints in file order."""
        return tuple(block for block in self.blocks if isinstance(block, JointFriction))

    @cached_property
    def stops(self) -> tuple[JointStops, ...]:
        """End stops of the joints in file order."""
        return tuple(block for block in self.blocks if isinstance(block, JointStops))

    @cached_property
    def relative(self) -> tuple[RelativeMotion, ...]:
        """Motions beside the velocities of the tree along which friction acts, such as those of closing joints."""
        return tuple(block.relative for block in self.frictions if block.relative is not None)

    @cached_property
    def relative_jacobian(self) -> ca.Function:
        """(q, p) → their speeds per velocity (r, nv) at time 0; zero where their direction turns with the motion."""
        q, v = ca.SX.sym("q", self.tree.nq), ca.SX.sym("v", self.tree.nv)
        J = ca.vertcat(*(one.jacobian(motion(self.tree, q, v, t=0)) for one in self.relative))
        J = ca.substitute(J, v, ca.DM.zeros(*v.shape))
        return ca.Function("relative_jacobian", [q, self.tree.p], [J])

    def started(self, z: np.ndarray, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
        """States of the blocks (nz,) at the start of a run, from their initial values, coordinates and velocities.

        Parameters
        ----------
        z : initial values (nz,).
        q, v : coordinates (nq,) and velocities (nv,).
        p : values of the parameters.
        """
        if self.relative:
            J = self.relative_jacobian(q, p).full()
            speeds = J @ v
            v = np.concatenate([v, np.where(np.abs(speeds) > ROUND_OFF_OF_SUM * np.abs(J) @ np.abs(v), speeds, 0.0)])
        out, first = [np.zeros(0)], 0
        for block in self.blocks:
            last = first + len(block.names)
            out.append(block.start(z[first:last], v))
            first = last
        return np.concatenate(out)

    @property
    def nz(self) -> int:
        """Number of states of the blocks."""
        return self.nx - self.tree.nq - self.tree.nv

    @property
    def nx(self) -> int:
        """Number of states."""
        return len(self.state_names)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index of a state by each of its names: `swing.q`, `swing.v`, and for short `swing`, which is the position."""
        full = {name: i for i, name in enumerate(self.state_names)}
        velocities, positions = (
            {name.removesuffix(end): i for name, i in full.items() if name.endswith(end)} for end in (".v", ".q")
        )
        return {**velocities, **full, **positions}

    @cached_property
    def reduced(self) -> Tree:
        """The same equations of motion from fewer inertial parameters."""
        return regroup(self.tree)


def build_system(model: Model, motors: MotorModel = "full") -> System:
    """System of a model.

    Parameters
    ----------
    model : the mechanism.
    motors : "full" (voltages in, currents are states), "simplified" (voltages in, L di/dt = 0), "steady" (the same, but
        with L di/dt in the voltages of motors that drive motions) or "none" (efforts in).

    Raises
    ------
    ModelError
        There is no such motor model, the full one meets an inductance of zero, a rate names a current and motors are
        off, a force has no line, or the given part of a reaction no path.
    """
    if motors != "steady":  # which kineto-statics alone chooses
        motor_model(model, motors)
    tree = build(model, motors)
    if tree.constraints or tree.motions:
        check_linear(tree)
    system = System(model, motors, tree, tuple(block for kind in KINDS for block in kind(model, tree, motors)))
    check_frictions(tree, system.frictions)
    check_stops(model, tree, system.stops)
    check_given(tree, has_friction=bool(system.frictions or system.stops))
    check_lines(model, tree)
    return system


def motor_model(model: Model, motors: str | None) -> MotorModel:
    """How the motors of a model are modelled; by default fully if it has any, else as efforts on the joints.

    Parameters
    ----------
    model : Model
        The mechanism.
    motors : str or None
        What the caller wrote.

    Raises
    ------
    ModelError
        It is not "full", "simplified" or "none".
    """
    if motors is None:
        return "full" if model.motors else "none"
    if motors == "steady" or motors not in get_args(MotorModel):
        raise ModelError(f"motors={motors!r} is not possible", 'write "full", "simplified" or "none"')
    return cast("MotorModel", motors)


def symbolic_state(system: System, tree: Tree | None = None) -> State:
    """A state of symbols for `system` (or for its other `tree`)."""
    tree = system.tree if tree is None else tree
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    z, u = ca.SX.sym("z", system.nz), ca.SX.sym("u", len(system.input_names))
    return at(system, tree, t, q, v, z, u)


def at(
    system: System,
    tree: Tree,
    t: Number,
    q: Number,
    v: Number,
    z: Number,
    u: Number,
    expressions: Mapping[str, Scalar] | None = None,
) -> State:
    """The state (t, q, v, z) under the inputs u, with its motion.

    Parameters
    ----------
    system : the mechanism with its blocks.
    tree : its tree, or another one with the same coordinates.
    t, q, v, z, u : time, coordinates, velocities, states of the blocks, inputs.
    expressions : inputs that replace entries of u, by name; they may name all that is known without u.
    """
    state = _with_signals(system, State(t, q, v, z, u, motion(tree, q, v, t=t)))
    if not expressions:
        return state
    inputs = ca.SX(u)
    lookup = partial(value, tree, state.motion)
    for k, name in enumerate(system.input_names):
        if name in expressions:
            inputs[k] = evaluate(expressions[name], lookup)
    return _with_signals(system, replace(state, u=inputs))


def _with_signals(system: System, state: State) -> State:
    """The state with the quantities of its blocks in its motion, where expressions find them."""
    values = [block.signal_values(state.motion, z, u) for block, z, u in blocks_at(system, state) if block.signals]
    return replace(state, motion=replace(state.motion, z=column(values)))


def blocks_at(system: System, state: State) -> Iterator[tuple[Block, Number, Number]]:
    """Every block with its own states and inputs."""
    first_z = first_u = 0
    for block in system.blocks:
        last_z, last_u = first_z + len(block.names), first_u + len(block.input_names)
        yield block, state.z[first_z:last_z], state.u[first_u:last_u]
        first_z, first_u = last_z, last_u


def actuator_efforts(system: System, state: State) -> Number:
    """Efforts of all blocks on the velocities (nv,) [N, N m]."""
    return motor_efforts(system, state) + applied_efforts(system, state)


def motor_efforts(system: System, state: State) -> Number:
    """Efforts of motors, or those given on joints, on the velocities (nv,) [N, N m]."""
    blocks = [each for each in blocks_at(system, state) if each[0].is_actuator]
    return reduce(add, (block.efforts(state.motion, z, u) for block, z, u in blocks), ca.DM(system.tree.nv, 1))


def applied_efforts(system: System, state: State) -> Number:
    """Efforts of hand-made bond graphs and sliding friction on the velocities (nv,) [N, N m]; they are part of Q."""
    blocks = [each for each in blocks_at(system, state) if not each[0].is_actuator]
    return reduce(add, (block.efforts(state.motion, z, u) for block, z, u in blocks), ca.DM(system.tree.nv, 1))


def applied_on_joints(system: System, state: State) -> Number:
    """The part of `applied_efforts` that acts along the motions of joints, forces between markers left out (nv,)."""
    blocks = [each for each in blocks_at(system, state) if not each[0].is_actuator]
    efforts = (block.efforts_on_joints(state.motion, z, u) for block, z, u in blocks)
    return reduce(add, efforts, ca.DM(system.tree.nv, 1))


def port_efforts(system: System, state: State) -> Number:
    """Efforts of the ports of hand-made bond graphs at joints on the velocities (nv,) [N, N m]."""
    blocks = [each for each in blocks_at(system, state) if isinstance(each[0], GraphBlock)]
    efforts = (block.efforts_on_joints(state.motion, z, u) for block, z, u in blocks)
    return reduce(add, efforts, ca.DM(system.tree.nv, 1))


def block_forces(system: System, state: State) -> tuple[PointForce, ...]:
    """Forces between markers of all hand-made bond graphs, and of given friction along relative motions."""
    return tuple(force for block, z, u in blocks_at(system, state) for force in block.forces(state.motion, z, u))


def block_rates(system: System, state: State) -> Number:
    """Rates dz/dt of the states of all blocks (nz,)."""
    return column([block.rates(state.motion, z, u) for block, z, u in blocks_at(system, state)])


def forward_dynamics(tree: Tree, state: Motion, tau: Number, choice: Selection = NO_CONSTRAINTS) -> Number:
    """Accelerations (nv,) under the efforts tau (nv,): of a tree by the formulation with the shorter program."""
    if has_constraints(tree):
        return accelerations(tree, state, tau, choice)[0]
    if not tree.links:
        return ca.DM(0, 1)
    candidates = []
    if all(rotor.carrier in (None, _parent_of(tree, rotor.v)) for rotor in tree.rotors):
        candidates.append(articulated_body.forward_dynamics(tree, state, tau))
    if not candidates or composite_body.least_length(tree) < _length(candidates[0]):
        candidates.append(composite_body.forward_dynamics(tree, state, tau))
    return min(candidates, key=_length)


def state_derivative(system: System, state: State, solution: Response | None = None) -> Number:
    """ẋ (nx,) = (q̇, v̇, ż); `solution` are accelerations and multipliers where they are known already.

    Raises
    ------
    ModelError
        A coordinate has no inertia.
    """
    a, _ = accelerations_and_multipliers(system, state) if solution is None else solution
    rates = ca.SX(block_rates(system, state))
    for block, heat in load_heat(system, state):
        rates[system.state_names.index(block.names[-1]) - system.nx + system.nz] += heat
    return ca.vertcat(coordinate_rate(system.tree, state.q, state.v), a, rates)


def load_heat(system: System, state: State) -> list[tuple[JointFriction, Number]]:
    """Joints whose friction is an unknown while they slide, each with its heat beside that of its block [W].

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    """
    loaded = [block for block in system.frictions if block.is_unknown]
    if not loaded:
        return []
    efforts = response(system, state).phi
    return [(block, -efforts[block.velocity] * block.speed(state.motion)) for block in loaded]


def accelerations_and_multipliers(system: System, state: State, under: State | None = None) -> tuple[Number, Number]:
    """v̇ (nv,) and the multipliers λ (c,) of the constraints.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    under : the same state at the instant whose forces and inputs act, if that is another one.

    Raises
    ------
    ModelError
        A coordinate has no inertia.
    """
    found = response(system, state, under)
    return found.a, found.lam


def response(system: System, state: State, under: State | None = None) -> Solved:
    """As `accelerations_and_multipliers`, with the efforts of friction that sticks or follows its load.

    Parameters
    ----------
    system, state, under : as of `accelerations_and_multipliers`.

    Raises
    ------
    ModelError
        A coordinate has no inertia.
    """
    tree = system.reduced
    under = state if under is None else under
    tau = actuator_efforts(system, under)
    at_state, loaded = (motion(tree, s.q, s.v, t=s.t, z=s.motion.z) for s in (state, under))
    held = stuck(system, state)
    if not has_constraints(tree):
        check_inertia(system.model, tree)
    if has_constraints(tree) or held:
        rubs, together = load_friction(system, under), shared_limits(system, state)
        return solved(tree, at_state, tau, system.choice, loaded, held, rubs, together)
    return Solved(forward_dynamics(tree, at_state, tau), ca.DM(0, 1))


def load_friction(system: System, state: State, *, prescribed: bool = False, least: bool = True) -> Rubbing | None:
    """Friction whose effort is an unknown while it slides, in a state; None if no joint has it.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    prescribed : whether the motion of every joint is known, so that signs follow from it and nothing sticks.
    least : whether loads that are not unique are the smallest ones, where the model chooses these.
    """
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
    return rubbing(system.tree, moving, blocks, block_forces(system, state), stresses)


def stuck(system: System, state: State) -> list[Stuck]:
    """Velocities that friction or stops may hold at zero, those with stops first: friction holds what these leave.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    """
    slides: dict[int, Number] = {}
    slips = {block.velocity: block for block in system.frictions}
    blocks = list(blocks_at(system, state))
    for block, z, _ in blocks:
        if isinstance(block, JointStops) and block.is_rigid:
            slides[block.velocity] = 1 - z[0] ** 2
    for block, z, _ in blocks:
        if isinstance(block, JointFriction) and (block.sticks or block.is_unknown):
            slides[block.velocity] = slides.get(block.velocity, 1) * (z[0] ** 2 if block.sticks else ca.SX(1))
    return [
        Stuck(k, slips[k].slip(system.tree, state.motion) if k in slips else slip_of_velocity(system.tree.nv, k), each)
        for k, each in slides.items()
    ]


def friction_forces(system: System, state: State, phi: Mapping[int, Number]) -> tuple[PointForce, ...]:
    """Forces between markers of friction along relative motions whose effort is an unknown.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : its state.
    phi : efforts by velocity, as of `response`.
    """
    blocks = [block for block in system.frictions if block.relative is not None and block.velocity in phi]
    return tuple(block.relative.force(state.motion, phi[block.velocity]) for block in blocks if block.relative)


def all_forces(system: System, state: State) -> tuple[PointForce, ...]:
    """Forces between markers of graphs and of friction along relative motions, in a state of a run.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : its state.
    """
    unknown = friction_forces(system, state, response(system, state).phi) if system.relative else ()
    return (*block_forces(system, state), *unknown)


def shared_limits(system: System, state: State) -> list[OneFreedom]:
    """Joints with friction that move only together, of each freedom by velocity.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    """
    if not system.choice.together:
        return []
    limits: dict[int, Number] = {}
    holds: dict[int, Number] = {}
    for block, z, _ in blocks_at(system, state):
        if isinstance(block, JointFriction) and block.sticks:
            limits[block.velocity] = ca.SX(block.law.holding)
            holds[block.velocity] = holds.get(block.velocity, 1) * (1 - z[0] ** 2)
        if isinstance(block, JointStops) and block.is_rigid:
            holds[block.velocity] = holds.get(block.velocity, 1) * (1 - z[0] ** 2)
    return [{k: (limits[k], holds[k]) for k in freedom} for freedom in system.choice.together]


def multiplier_rates(system: System, state: State) -> Number:
    """Rates dλ/dt (c,) of the multipliers along the motion from a state, its inputs held.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    """
    a, lam = accelerations_and_multipliers(system, state)
    along = ca.vertcat(state.t, state.q, state.v, state.z)
    rates = ca.vertcat(1, coordinate_rate(system.tree, state.q, state.v), a, block_rates(system, state))
    return ca.jtimes(ca.SX(lam), along, ca.SX(rates))


def projected(system: System, state: State) -> tuple[Number, Number, Number]:
    """x (nx,) brought back to its constraints, how far it was from them, and how far from a singular position.

    Quaternions come back to unit length.
    """
    if has_constraints(system.tree):
        q, v, residual, distance = projection(system.reduced, state.motion, system.choice, stuck(system, state))
        return ca.vertcat(q, v, state.z), residual, distance
    q = normalised(system.tree, state.q)
    return ca.vertcat(q, state.v, state.z), ca.norm_inf(ca.sparsify(q - state.q)), ca.SX.inf()


def total_energy(system: System, state: State) -> Number:
    """Energy [J] of the mechanism and of its blocks, such as the coils' magnetic fields."""
    mechanical = energy.kinetic(system.tree, state.motion) + energy.potential(system.tree, state.motion)
    return mechanical + sum(block.stored(z) for block, z, _ in blocks_at(system, state))


def powers(system: System, state: State, solution: Response | None = None) -> Number:
    """Rates [W] of `WORKS` (4,): the balance dE/dt = input + conversion + forces − dissipation is exact.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    solution : its accelerations and multipliers, where they are known already.
    """
    lost = state.v.T @ damping(system.tree) @ state.v
    guided, taken = guidance_powers(system, state, solution)
    moving = state.motion
    if following(system.tree):
        _, lam = accelerations_and_multipliers(system, state) if solution is None else solution
        moving = with_ideal_parts(system.tree, moving, ideal_parts(system.tree, moving, lam))
    done, converted = load_power(system.tree, moving) + guided, ca.DM(0)
    for block, z, u in blocks_at(system, state):
        power = block.power(state.motion, z, u)
        taken, converted, lost = taken + power.taken, converted + power.converted, lost + power.lost
    lost += sum(heat for _, heat in load_heat(system, state))
    return column([taken, converted, done, lost])


def guidance_powers(system: System, state: State, solution: Response | None) -> tuple[Number, Number]:
    """Powers [W] of constraint equations that move with time, (Φqᵀ λ)·v, and of the drives of prescribed motions.

    Equations at rest do no work.

    Parameters
    ----------
    system : the mechanism with its blocks.
    state : state of symbols.
    solution : its accelerations and multipliers, where they are known already; of them the multipliers count.
    """
    tree = system.tree
    if not has_constraints(tree) or not (tree.motions or follows_time(tree, state.motion)):
        return ca.DM(0), ca.DM(0)
    _, lam = accelerations_and_multipliers(system, state) if solution is None else solution
    own = len(own_rows(tree, lam.shape[0]))
    Phi_q = constraint_terms(tree, state.motion).Phi_q[:own, :]
    by_constraints = lam[:own].T @ (Phi_q @ state.v) if own else ca.DM(0)
    return by_constraints, ca.dot(drive_efforts(tree, lam), state.v)


def _parent_of(tree: Tree, v: int) -> int:
    return next(link.parent for link in tree.links if v in link.v)


def _length(expression: Number) -> int:
    """Number of operations of an expression; a number has none."""
    if not isinstance(expression, ca.SX):
        return 0
    return int(ca.Function("length", ca.symvar(expression), [expression]).n_instructions())
