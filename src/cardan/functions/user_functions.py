"""The functions that users call, compile, export or take as CasADi Functions: `Dynamics` and its siblings.

The inputs u are always arguments here, and the state is that of all coordinates.
"""

from dataclasses import replace
from functools import reduce

import casadi as ca

from cardan.errors import Issue, ModelError, nearest
from cardan.formulations import composite_body, newton_euler, regressor
from cardan.functions.entry import Entry, Operand
from cardan.functions.symbols import Symbols
from cardan.kinematics import energy
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.loads import PointForce
from cardan.kinematics.tree import Number
from cardan.loads.reactions import reactions
from cardan.system.constrained import has_constraints, solved
from cardan.system.contacts import JointFriction, Solved, Stuck, friction_of_motion
from cardan.system.contacts.unknown_efforts import friction_forces, load_friction
from cardan.system.drives import drive_efforts
from cardan.system.efforts import block_forces
from cardan.system.inertia_check import check_inertia
from cardan.system.response import forward_dynamics, state_derivative
from cardan.system.state import blocks_at
from cardan.system.system import System


def _forward_dynamics(s: Symbols) -> Number:
    system = s.system
    if not has_constraints(system.tree):
        check_inertia(system.model, system.reduced)
    return _solution(s).a


def _reactions(s: Symbols) -> Number:
    found = _solution(s)
    return _wrenches(s, found.a, found.lam, friction_forces(s.system, s.still_bodies, found.phi))


def _solution(s: Symbols) -> Solved:
    """Accelerations, multipliers and efforts of friction under the efforts tau; friction slides the way of v.

    The accelerations, and with them the reactions, are NaN where friction has several solutions or none.
    """
    system, tau = s.system, s.inputs["tau"] + s.efforts(s.still)
    loaded = load_friction(system, s.still_bodies)
    if loaded is not None:
        slides = [Stuck(k, rub.slip, ca.SX(1), ()) for k, rub in loaded.rubs.items()]
        found = solved(system.reduced, s.still.motion, tau, system.choice, None, slides, loaded)
        is_only = reduce(ca.logic_and, (slope >= 0 for slope in found.slopes.values()), ca.SX(1))
        return replace(found, a=ca.if_else(is_only, found.a, ca.SX.nan()))
    if has_constraints(system.tree):
        return solved(system.reduced, s.still.motion, tau, system.choice)
    return Solved(forward_dynamics(system.reduced, s.still.motion, tau, system.choice), ca.DM(0, 1))


def _open_chain_reactions(s: Symbols) -> Number:
    if has_constraints(s.system.tree):
        fault = "accelerations do not determine the reactions in closed loops"
        raise ModelError(fault, "give the efforts tau in place of the accelerations a")
    return _wrenches(s, s.inputs["a"], ca.DM(0, 1))


def _wrenches(s: Symbols, a: Number, lam: Number, friction: tuple[PointForce, ...] = ()) -> Number:
    """All reactions one after the other, world axes, for accelerations a (nv,), multipliers lam (c,) and friction."""
    applied = (*block_forces(s.system, s.still_bodies), *friction)
    return ca.vertcat(*map(ca.SX, reactions(s.system.tree, s.still_bodies.motion, a, lam, applied=applied)))


def load_that_accelerations_leave_open(system: System) -> JointFriction | None:
    """The first friction that follows a load in closed loops: efforts are no function of the accelerations then."""
    following = (block for block in system.frictions if block.law.follows_load)
    return next(following, None) if has_constraints(system.tree) else None


def _efforts_for(s: Symbols, a: Number) -> Number:
    """Efforts (nv,) that give the accelerations a, in addition to those of the motors at zero input.

    NaN where friction has several solutions or none.
    """
    system, loaded = s.system, load_friction(s.system, s.still_bodies, prescribed=True)
    efforts = newton_euler.inverse_dynamics(system.reduced, s.still.motion, a) - s.efforts(s.still)
    if loaded is None:
        return efforts
    undetermined = load_that_accelerations_leave_open(system)
    if undetermined is not None:
        fault = f"the friction of {undetermined.name!r} follows its load, which accelerations do not determine"
        cure = "prescribe the motion and use cardan.kinetostatics"
        raise ModelError(Issue(f"{fault} in closed loops", cure, undetermined.path))
    for block, z, u in blocks_at(system, s.still):
        if isinstance(block, JointFriction) and block.sticks:
            efforts += block.efforts(s.still.motion, z, u)
    friction, is_only = friction_of_motion(a, loaded)
    for k, effort in friction.items():
        efforts -= loaded.rubs[k].slip.J.T * effort
    return ca.if_else(is_only, efforts, ca.SX.nan())


def _regressor(s: Symbols) -> Number:
    blocks = regressor.regressors(s.system.tree, s.state.motion, s.inputs["a"])
    return ca.horzcat(*(blocks[body] for body in s.system.model.bodies))


def _forward_kinematics(s: Symbols) -> tuple[Number, ...]:
    links = zip(s.system.tree.links, s.state.motion.T_WL, strict=True)
    poses = {link.name: T_WL @ link.T_LB for link, T_WL in links}
    return tuple(ca.SX(poses[body]) for body in s.system.model.bodies)


def _jacobian(s: Symbols, place: str) -> Number:
    places = s.system.tree.places
    if place not in places:
        raise ModelError(f"there is no body or marker {place!r}", nearest(place, places))
    return jacobian(s.system.tree, s.state.motion, places[place])


def _energy(s: Symbols) -> tuple[Number, Number]:
    tree, motion = s.system.tree, s.state.motion
    return energy.kinetic(tree, motion), energy.potential(tree, motion)


def _drive_efforts(s: Symbols) -> Number:
    system = s.system
    found = solved(system.reduced, s.still.motion, s.efforts(s.still), system.choice)
    return drive_efforts(system.tree, found.lam)


_REACTIONS = Operand(1, "force, moment of each joint, then forces of constraints; world axes")
_EFFORTS = Operand(1, "efforts on the velocities")

USER_FUNCTIONS = {
    "forward_dynamics": Entry(
        _forward_dynamics,
        ("q", "v", "tau"),
        {"acceleration": Operand(1, "rates of v")},
        "Accelerations under the efforts tau, which are added to what the motors do at zero input.",
        "by default",
    ),
    "inverse_dynamics": Entry(
        lambda s: _efforts_for(s, s.inputs["a"]),
        ("q", "v", "a"),
        {"effort": _EFFORTS},
        "Efforts on all velocities that give the accelerations a.",
        "unless loads are open",
    ),
    "reactions": Entry(
        _reactions,
        ("q", "v", "tau"),
        {"w": _REACTIONS},
        "Reactions of the joints under the efforts tau, for one set of multipliers of redundant equations.",
    ),
    "open_chain_reactions": Entry(
        _open_chain_reactions,
        ("q", "v", "a"),
        {"w": _REACTIONS},
        "Reactions of the joints of an open chain with the accelerations a.",
    ),
    "mass_matrix": Entry(
        lambda s: composite_body.mass_matrix(s.system.reduced, s.reduced.motion),
        ("q",),
        {"M": Operand(2, "rows and columns as v; efforts per acceleration")},
        "Mass matrix M, the rotors of the motors included.",
        "by default",
    ),
    "bias": Entry(
        lambda s: _efforts_for(s, ca.DM(s.system.tree.nv, 1)),
        ("q", "v"),
        {"h": _EFFORTS},
        "h = C v + D v + g - Q: the efforts that hold a = 0.",
        "unless loads are open",
    ),
    "coriolis_matrix": Entry(
        lambda s: composite_body.coriolis_matrix(s.system.reduced, s.reduced.motion),
        ("q", "v"),
        {"C": Operand(2, "rows and columns as v; efforts per velocity")},
        "Coriolis matrix C, with dM/dt - 2 C skew.",
        "on request",
    ),
    "regressor": Entry(
        _regressor,
        ("q", "v", "a"),
        {"Y": Operand(2, "rows as v, columns as the inertial parameters")},
        "Regressor Y: Y times the inertial parameters are the efforts for inertia and weight of the bodies.",
        "on request",
    ),
    "state_derivative": Entry(
        lambda s: state_derivative(s.system, s.state, s.accelerations_and_multipliers),
        ("x", "u"),
        {"dx": Operand(1, "rates of x")},
        "Rate of the state x under the inputs u.",
        "by default",
    ),
    "forward_kinematics": Entry(
        _forward_kinematics,
        ("q",),
        {"T": Operand(2, "pose of {}; positions [m] in the last column")},
        "Poses of all bodies: the 4x4 matrices that turn body coordinates into world coordinates.",
        "by default",
        each_body=True,
    ),
    "jacobian": Entry(
        _jacobian,
        ("q",),
        {"J": Operand(2, "columns as v; rows wx, wy, wz, vx, vy, vz")},
        "Angular velocity (3 rows) and velocity (3 rows) of a place per velocity, world axes.",
        "on request",
        argument="place",
    ),
    "energy": Entry(
        _energy,
        ("q", "v"),
        {"kinetic": Operand(0, "[J]"), "potential": Operand(0, "[J]")},
        "Kinetic (rotors included) and potential energy [J].",
        "by default",
    ),
    "drive_efforts": Entry(
        _drive_efforts,
        ("q", "v"),
        {"effort": _EFFORTS},
        "Efforts of the drives that keep the motions and programs, zero elsewhere; other motors have no input.",
        "with motions",
    ),
    "constraint": Entry(
        lambda s: s.constraints.Phi,
        ("q",),
        {"Phi": Operand(1, "one for each equation")},
        "Phi: residuals of the constraints, zero where they hold.",
        "with constraints",
    ),
    "constraint_jacobian": Entry(
        lambda s: s.constraints.Phi_q,
        ("q",),
        {"Phi_q": Operand(2, "rows as Phi, columns as v")},
        "Phi_q: rates of the constraints per velocity.",
        "with constraints",
    ),
}
"""The functions that `cardan.compile`, `cardan.export` and `cardan.casadi_function` offer, in the order of files."""
