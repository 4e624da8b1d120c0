"""Friction in the energy balance of random states: what it takes from the mechanism is its heat, which is not negative.

Joints slide the way of their velocities; end stops are left out.
"""

from collections.abc import Iterator
from dataclasses import replace

import casadi as ca
import numpy as np

from cardan.analysis.sampling import random_sample, sampler
from cardan.assembly.start import ready_system
from cardan.formulations import composite_body
from cardan.kinematics.build import MotorModel
from cardan.kinematics.relations.ideal_parts import following, ideal_parts, with_ideal_parts
from cardan.model.model import Model
from cardan.system.energies import SIGNS, powers, total_energy
from cardan.system.response import accelerations_and_multipliers, state_derivative
from cardan.system.state import State, symbolic_state
from cardan.system.system import System


def friction_residuals(
    model: Model, motors: MotorModel, states: int, rng: np.random.Generator
) -> Iterator[tuple[float, float]]:
    """Of each state: the error of the energy balance, and the largest heat that is negative, over the powers' size.

    States in which friction has no solution are left out.
    """
    system = ready_system(_without_stops(model), motors)
    s = loaded_state(system, symbolic_state(system))
    dx = ca.densify(ca.SX(state_derivative(system, s)))
    rates = ca.gradient(ca.SX(total_energy(system, s)), s.x) * dx
    found = [rates, powers(system, s), dx, composite_body.mass_matrix(system.tree, s.motion)]
    symbols = [s.t, s.q, s.v, s.z, s.u, system.tree.p]
    balance = ca.Function("balance", symbols, [ca.densify(ca.SX(each)) for each in found])
    places, around = _places(system), sampler(system)
    sliding = ca.vertcat(*(block.known(s.motion) for block in system.frictions))
    known = ca.Function("known", [s.t, s.q, s.v, system.tree.p], [ca.densify(ca.SX(sliding))])
    for _ in range(states):
        sample = random_sample(around, rng)
        z = sample.z.copy()
        z[np.concatenate(places)] = np.array(known(sample.t, sample.q, sample.v, around.assembler.p)).ravel()
        values = balance(sample.t, sample.q, sample.v, z, sample.u, around.assembler.p)
        rates_at, powers_at, dx_at, M_at = (np.array(each) for each in values)
        if np.isfinite(dx_at).all():
            size = max(float(np.max(np.abs(each), initial=0.0)) for each in (rates_at, powers_at, M_at)) or 1.0
            heat = dx_at.ravel()[[system.nx - system.nz + own[-1] for own in places]]
            error = float(np.sum(rates_at) - np.array(SIGNS) @ powers_at.ravel())
            yield abs(error) / size, float(np.max(-heat, initial=0.0)) / size


def _without_stops(model: Model) -> Model:
    """The model without end stops, outputs and events: none of them acts while joints slide."""
    joints = {name: joint.replace(limits=None) for name, joint in model.joints.items()}
    return model.replace(joints=joints, outputs={}, events={})


def loaded_state(system: System, s: State) -> State:
    """The state in which expressions find the ideal parts of reactions that given parts depend on."""
    if not following(system.tree):
        return s
    _, lam = accelerations_and_multipliers(system, s)
    return replace(s, motion=with_ideal_parts(system.tree, s.motion, ideal_parts(system.tree, s.motion, lam)))


def _places(system: System) -> list[list[int]]:
    """Indices of the states of each friction among those of all blocks; the last one is its heat."""
    first, out = 0, []
    for block in system.blocks:
        if block in system.frictions:
            out.append(list(range(first, first + len(block.names))))
        first += len(block.names)
    return out
