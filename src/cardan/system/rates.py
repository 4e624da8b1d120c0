"""Rates of laws that depend on accelerations, multipliers and efforts of friction, along a motion of the state.

The equations of motion are differentiated as they stand: with R(x, y) = 0 the rates of y are −R_y⁻¹ R_x ẋ, found with
the factors that y itself is found with. Differentiated operation by operation, a factorisation would take three times
its own operations.

Source: Griewank & Walther 2008, *Evaluating Derivatives*, §15.1 (implicit functions)
"""

from collections.abc import Callable

import casadi as ca

from cardan.kinematics.motion import motion
from cardan.kinematics.relations.ideal_parts import following
from cardan.kinematics.tree import Number
from cardan.system.constrained import Along, locks, residual_rates, solution_rates, under_efforts
from cardan.system.contacts import Solved, friction_rates
from cardan.system.contacts.unknown_efforts import load_friction, stuck
from cardan.system.drives import indirect_rows
from cardan.system.efforts import actuator_efforts
from cardan.system.locked import locked
from cardan.system.response import response
from cardan.system.state import State
from cardan.system.system import System

MOVING = ("a", "lam", "phi", "limits", "slopes", "given_slopes")  # parts of a response that have rates
CONSTANT = ("ways", "shifts")  # how joints that move only together would begin to move, and share what they hold


def with_rates(system: System, state: State, along: Along, law: Callable[[Solved], Number]) -> tuple[Number, Number]:
    """Values (k,) of a law, and their rates along a motion of the state."""
    found = response(system, state)
    known, constant = found.entries(MOVING), found.entries(CONSTANT)
    y, fixed = ca.SX.sym("y", known.shape[0]), ca.SX.sym("fixed", constant.shape[0])
    stand_in = found.with_entries(MOVING, y).with_entries(CONSTANT, fixed)
    values = ca.densify(ca.SX(law(stand_in)))
    if not ca.depends_on(values, ca.vertcat(y, fixed)):
        return values, ca.densify(ca.jtimes(values, *along))
    dy = _rates(system, state, along, found, stand_in)
    rates = ca.densify(ca.jtimes(values, *(ca.vertcat(*pair) for pair in zip(along, (y, dy), strict=True))))
    values, rates = ca.substitute([values, rates], [y, fixed], [known, constant])
    return values, rates


def _rates(system: System, state: State, along: Along, found: Solved, stand_in: Solved) -> Number:
    """Rates of the entries of `found`, over the symbols of `stand_in`.

    Where efforts of drives, or given parts of reactions, are unknowns beside those of friction, they are differentiated
    operation by operation.
    """
    tree, held, rubs = system.reduced, stuck(system, state), load_friction(system, state)
    if not held or indirect_rows(tree, found.lam.shape[0]) or following(tree):
        return ca.jtimes(found.entries(MOVING), *along)
    moving = motion(tree, state.q, state.v, t=state.t, z=state.motion.z)
    tau, units = actuator_efforts(system, state), ca.horzcat(*(each.slip.J.T for each in held))
    all_efforts = tau + units @ ca.vertcat(*stand_in.phi.values())
    if locks(tree, system.choice, held, rubs):
        df, _ = residual_rates(tree, moving, all_efforts, system.choice, (stand_in.a, stand_in.lam), along)
        return locked(tree, moving, df, held).entries(MOVING)  # linear: rates of f give those of v̇ and φ
    columns = under_efforts(tree, moving, tau, system.choice, units)
    still = solution_rates(tree, moving, all_efforts, system.choice, (stand_in.a, stand_in.lam), along)
    return friction_rates(columns, held, rubs, stand_in, along, still).entries(MOVING)
