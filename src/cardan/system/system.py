"""A model with its motors: symbols, names and units of t, x = (q, v, z), u, p, and the laws of its motion over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import get_args

import casadi as ca

from cardan.errors import ModelError
from cardan.formulations import articulated_body, composite_body
from cardan.formulations.applied import damping
from cardan.kinematics import energy
from cardan.kinematics.build import MotorModel, build
from cardan.kinematics.constraints import check_linear, constraint_terms, follows_time
from cardan.kinematics.loads import load_power
from cardan.kinematics.motion import Motion, coordinate_rate, motion, normalised
from cardan.kinematics.regroup import regroup
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.numerics.entries import column
from cardan.system import circuits as electrics
from cardan.system.circuits import Circuits
from cardan.system.constrained import NO_CONSTRAINTS, Selection, accelerations, has_constraints, projection
from cardan.system.inertia_check import check_inertia

__all__ = [
    "SIGNS",
    "WORKS",
    "Solution",
    "State",
    "System",
    "accelerations_and_multipliers",
    "at",
    "build_system",
    "check_motors",
    "forward_dynamics",
    "powers",
    "projected",
    "state_derivative",
    "symbolic_state",
    "total_energy",
]

WORKS = ("input", "conversion", "forces", "dissipation")
"""What is integrated along a run [J]: E(t) − E(0) = input + conversion + forces − dissipation."""
SIGNS = (1.0, 1.0, 1.0, -1.0)
"""Of these works in the balance of energy."""


Solution = tuple[Number, Number]
"""Accelerations v̇ (nv,) and multipliers λ (c,) of a state."""


@dataclass(frozen=True)
class State:
    """Symbols of a state, its time and its inputs, with the motion they mean."""

    t: Number  # [s]
    q: Number  # (nq,)
    v: Number  # (nv,)
    z: Number  # (nz,) [A]
    u: Number  # (m,)
    currents: Number  # of all motors (m,) [A]
    motion: Motion

    @property
    def x(self) -> Number:
        """(q, v, z)."""
        return ca.vertcat(self.q, self.v, self.z)


@dataclass(frozen=True)
class System:
    """A mechanism with its motors and inputs."""

    model: Model
    motors: MotorModel
    tree: Tree
    circuits: Circuits
    state_names: tuple[str, ...]  # (nx,)
    state_units: tuple[str, ...]  # (nx,)
    input_names: tuple[str, ...]  # (m,)
    input_units: tuple[str, ...]  # (m,)
    choice: Selection = NO_CONSTRAINTS  # how the constraints are solved

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
    motors : "full" (voltages in, currents are states), "simplified" (voltages in, L di/dt = 0) or "none" (efforts in).

    Raises
    ------
    ModelError
        There is no such motor model, or the full one meets an inductance of zero.
    """
    check_motors(motors)
    tree = build(model, motors)
    if tree.constraints:
        check_linear(tree)
    number = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    records = tuple(model.motors[name].resolved(number) for name in tree.currents)
    circuits = Circuits(motors, tree.currents, records)
    circuits.check()
    z_names = [(f"{name}.current", "A") for name in tree.currents[: circuits.nz]]
    states = [
        *((f"{entry.name}.q", entry.unit) for entry in tree.coordinates),
        *((f"{entry.name}.v", entry.unit) for entry in tree.velocities),
        *z_names,
    ]
    inputs = _effort_inputs(tree) if motors == "none" else [(name, "V") for name in tree.currents]
    return System(
        model,
        motors,
        tree,
        circuits,
        tuple(name for name, _ in states),
        tuple(unit for _, unit in states),
        tuple(name for name, _ in inputs),
        tuple(unit for _, unit in inputs),
    )


def check_motors(motors: str) -> None:
    """Refuse a motor model, `motors`, that does not exist.

    Raises
    ------
    ModelError
        It is not "full", "simplified" or "none".
    """
    if motors not in get_args(MotorModel):
        raise ModelError(f"motors={motors!r} is not possible", 'write "full", "simplified" or "none"')


def symbolic_state(system: System, tree: Tree | None = None) -> State:
    """A state of symbols for `system` (or for its other `tree`)."""
    tree = system.tree if tree is None else tree
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    z, u = ca.SX.sym("z", system.circuits.nz), ca.SX.sym("u", len(system.input_names))
    return at(system, tree, t, q, v, z, u)


def at(system: System, tree: Tree, t: Number, q: Number, v: Number, z: Number, u: Number) -> State:
    """The state (t, q, v, z) under the inputs u, with currents and motion worked out."""
    i = electrics.currents(system.circuits, tree, v, z, u) if system.circuits.motors else ca.DM(0, 1)
    return State(t, q, v, z, u, i, motion(tree, q, v, t=t, z=i))


def forward_dynamics(tree: Tree, state: Motion, tau: Number, choice: Selection = NO_CONSTRAINTS) -> Number:
    """Accelerations (nv,) under the efforts tau (nv,): of a tree by the formulation with the shorter program."""
    if has_constraints(tree):
        return accelerations(tree, state, tau, choice)[0]
    candidates = []
    if all(rotor.carrier in (None, _parent_of(tree, rotor.v)) for rotor in tree.rotors):
        candidates.append(articulated_body.forward_dynamics(tree, state, tau))
    if not candidates or composite_body.least_length(tree) < _length(candidates[0]):
        candidates.append(composite_body.forward_dynamics(tree, state, tau))
    return min(candidates, key=_length)


def state_derivative(system: System, state: State, solution: Solution | None = None) -> Number:
    """ẋ (nx,) = (q̇, v̇, di/dt); `solution` are accelerations and multipliers where they are known already.

    Raises
    ------
    ModelError
        A coordinate has no inertia.
    """
    a, _ = accelerations_and_multipliers(system, state) if solution is None else solution
    return ca.vertcat(
        coordinate_rate(system.tree, state.q, state.v),
        a,
        electrics.rates(system.circuits, system.tree, state.v, state.z, state.u),
    )


def accelerations_and_multipliers(system: System, state: State, under: State | None = None) -> tuple[Number, Number]:
    """v̇ (nv,) and the multipliers λ (c,) of the constraints.

    Parameters
    ----------
    system : the mechanism with its motors.
    state : of symbols.
    under : the same state at the instant whose forces and inputs act, if that is another one.

    Raises
    ------
    ModelError
        A coordinate has no inertia.
    """
    tree = system.reduced
    under = state if under is None else under
    tau = electrics.efforts(system.circuits, tree, under.currents, under.u)
    at_state, loaded = (motion(tree, s.q, s.v, t=s.t, z=s.currents) for s in (state, under))
    if has_constraints(tree):
        return accelerations(tree, at_state, tau, system.choice, loaded)
    check_inertia(system.model, tree)
    return forward_dynamics(tree, at_state, tau), ca.DM(0, 1)


def projected(system: System, state: State) -> tuple[Number, Number, Number]:
    """x (nx,) brought back to its constraints, how far it was from them, and how far from a singular position.

    Quaternions come back to unit length.
    """
    if has_constraints(system.tree):
        q, v, residual, distance = projection(system.reduced, state.motion, system.choice)
        return ca.vertcat(q, v, state.z), residual, distance
    q = normalised(system.tree, state.q)
    return ca.vertcat(q, state.v, state.z), ca.norm_inf(ca.sparsify(q - state.q)), ca.SX.inf()


def total_energy(system: System, state: State) -> Number:
    """Energy [J] of the mechanism and of the coils' magnetic fields."""
    mechanical = energy.kinetic(system.tree, state.motion) + energy.potential(system.tree, state.motion)
    with_state = system.circuits.motors[: system.circuits.nz]
    return mechanical + sum(0.5 * motor.inductance * state.z[k] ** 2 for k, motor in enumerate(with_state))


def powers(system: System, state: State, solution: Solution | None = None) -> Number:
    """Rates [W] of `WORKS` (4,): the balance dE/dt = input + conversion + forces − dissipation is exact.

    Parameters
    ----------
    system : the mechanism with its motors.
    state : of symbols.
    solution : its accelerations and multipliers, where they are known already.
    """
    tree, circuits = system.tree, system.circuits
    lost = state.v.T @ damping(tree) @ state.v
    done = load_power(tree, state.motion) + _guidance_power(system, state, solution)
    if circuits.model == "none":
        return column([ca.dot(state.u, state.v), ca.DM(0), done, lost])
    i, w = state.currents, electrics.rotor_speeds(tree, state.v)
    into, made = ca.DM(0), ca.DM(0)
    for k, motor in enumerate(circuits.motors):
        into = into + state.u[k] * i[k]
        made = made + motor.torque(i[k]) * w[k] - motor.back_emf(w[k]) * i[k]
        lost = lost + motor.resistance * i[k] ** 2
    return column([into, made, done, lost])


def _guidance_power(system: System, state: State, solution: Solution | None) -> Number:
    """Power (Φqᵀ λ)·v [W] of equations that move with time; those at rest do no work."""
    if not has_constraints(system.tree) or not follows_time(system.tree, state.motion):
        return ca.DM(0)
    _, lam = accelerations_and_multipliers(system, state) if solution is None else solution
    return ca.dot(lam, constraint_terms(system.tree, state.motion).Phi_q @ state.v)


def _effort_inputs(tree: Tree) -> list[tuple[str, str]]:
    """Efforts on all velocities, by the names of these."""
    return [(entry.name, "N" if entry.unit == "m/s" else "N*m") for entry in tree.velocities]


def _parent_of(tree: Tree, v: int) -> int:
    return next(link.parent for link in tree.links if v in link.v)


def _length(expression: Number) -> int:
    """Number of operations of an expression; a number has none."""
    if not isinstance(expression, ca.SX):
        return 0
    return int(ca.Function("length", ca.symvar(expression), [expression]).n_instructions())
