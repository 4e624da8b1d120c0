"""Results of the equations of motion that rates of states and inputs may name: accelerations, efforts, reactions …

They are functions of the state through v̇ and λ, which are solved for once. An input that would change what it follows,
and a voltage that would need its own rate, are algebraic rings: they are refused by name.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number
from cardan.loads.reactions import hidden_count, labels, reactions
from cardan.model.names import solved_units
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import Scalar
from cardan.system.drives import drive_efforts, unselected_rows
from cardan.system.efforts import motor_efforts, port_efforts
from cardan.system.response import accelerations_and_multipliers, all_forces, rates_along
from cardan.system.state import State
from cardan.system.system import System

_CURE = "let a state follow it in between (states: {x: (… - x)/T}), or sample it (every:)"


def with_results(system: System, state: State, late: Mapping[str, Scalar] | None = None) -> State:
    """The state in which expressions find results, and with it the inputs that follow results."""
    out = _with_results(system, state)
    if not late:
        return out
    rows = [system.input_names.index(name) for name in late]
    values = [ca.SX(evaluate(scalar, partial(value, system.tree, out.motion))) for scalar in late.values()]
    for name, follows in zip(late, values, strict=True):
        for other, k in zip(late, rows, strict=True):
            if ca.depends_on(follows, state.u[k]):
                used = sorted(reached(late[name].names, system.model.let) & result_names(system))
                chain = f"{other} → {', '.join(used)} → {name}"
                fault = (
                    f"the input {name!r} follows {', '.join(used)}, which follows the input {other!r} at once: {chain}"
                )
                raise ModelError(Issue(fault, _CURE, ("inputs", name)))
    u = ca.SX(state.u)
    for k, follows in zip(rows, values, strict=True):
        u[k] = follows
    return _with_results(system, replace(state, u=u))


def _with_results(system: System, state: State) -> State:
    """The state of motion that finds results by name, computed when an expression names one."""
    known, pending = dict[str, Number](), list[str]()
    names = result_names(system)

    def result(name: str) -> Number | None:
        if name in known or name not in names:
            return known.get(name)
        if name in pending:
            ring = " → ".join([*pending[pending.index(name) :], name])
            cure = 'choose motors="simplified", which needs no rates, or name the current'
            raise ModelError(f"{name!r} needs the rate of a current that follows it at once: {ring}", cure)
        pending.append(name)
        known.update(_family(system, out, name))
        pending.pop()
        return known.get(name)

    out = replace(state, motion=replace(state.motion, results=result))
    return out


def result_names(system: System) -> set[str]:
    """Names of the results that rates of states and inputs may name; currents of driven motors are results."""
    return {*solved_units(system.model), *(f"{motor.name}.current" for motor in system.driven_motors)}


def _family(system: System, state: State, name: str) -> dict[str, Number]:
    """The results that one of them, `name`, is computed with."""
    tree, (owner, _, last) = system.tree, name.rpartition(".")
    a, lam = accelerations_and_multipliers(system, state)
    if last == "a":
        return {f"{entry.name}.a": a[k] for k, entry in enumerate(tree.velocities)}
    if last == "effort":
        efforts = joint_efforts(system, state, lam)
        return {f"{entry.name}.effort": effort for entry, effort in zip(tree.velocities, efforts, strict=True)}
    if ".reaction_" in name:
        return _unique_reactions(system, state, name)
    has_rate = last in ("voltage", "power")
    if any(motor.name == owner for motor in system.driven_motors):
        return driven_results(system, state, lam, with_voltage=has_rate)
    for k, circuit in enumerate(system.circuits):
        if circuit.name == owner:
            u, i = circuit.voltage(state.motion, state.u[k]), state.motion.z[k]
            found = {"voltage": u, "torque": circuit.motor(state.motion).torque(i), "power": u * i}
            return {f"{owner}.{key}": x for key, x in (found | {"losses": circuit.losses(state.motion, i)}).items()}
    return {}


def _unique_reactions(system: System, state: State, name: str) -> dict[str, Number]:
    """All reactions; refused where the one called `name` may be one of many."""
    tree, (a, lam) = system.tree, accelerations_and_multipliers(system, state)
    unseen = ca.SX.sym("unseen", hidden_count(tree))
    found = reactions(tree, state.motion, a, lam, unseen, applied=all_forces(system, state))
    named = {f"{label.name}.{x}": y[k] for label, y in zip(labels(tree), found, strict=True)
             for k, x in enumerate(label.components)}  # fmt: skip
    redundant = lam.shape[0] - len(unselected_rows(tree, lam.shape[0])) > len(system.choice.kept)
    if redundant or ca.depends_on(ca.SX(named[name]), unseen):
        cure = "name a reaction of a mechanism without redundant equations; cardan mobility lists them"
        raise ModelError(f"the reaction {name!r} of the closed loops is not known to be unique", cure)
    return {key: ca.substitute(ca.SX(y), unseen, ca.SX.zeros(*unseen.shape)) for key, y in named.items()}


def joint_efforts(system: System, state: State, lam: Number) -> list[Number]:
    """Efforts of the motors, or those given, by velocity; those of prescribed motions from the multipliers `lam`."""
    driven, drives = system.tree.driven, drive_efforts(system.tree, lam)
    of_motors = motor_efforts(system, state) + port_efforts(system, state)
    return [drives[k] if k in driven else of_motors[k] for k in range(system.tree.nv)]


def driven_results(system: System, state: State, lam: Number, *, with_voltage: bool = True) -> dict[str, Number]:
    """Results of motors that drive motions: i = τ/(r Km), Km i, ω, and on request u = R i + L di/dt + Ke ω and u i.

    The rate of the current follows from that of the multipliers, after the instant where the current jumps.
    """
    motion, efforts, out = state.motion, drive_efforts(system.tree, lam), dict[str, Number]()
    currents = [motor.current(motion, efforts[motor.rotor.v]) for motor in system.driven_motors]
    rates = _current_rates(system, state) if with_voltage else currents
    for k, (motor, i) in enumerate(zip(system.driven_motors, currents, strict=True)):
        w, numbers = motor.rotor.ratio * motion.v[motor.rotor.v], motor.motor(motion)
        u = motor.voltage(motion, i, rates[k], w)
        every = {"current": i, "voltage": u, "torque": numbers.torque(i), "speed": w, "power": u * i}
        every["losses"] = numbers.resistance * i**2 + motor.rotor.damping * w**2
        kept = every if with_voltage else {key: every[key] for key in ("current", "torque", "speed", "losses")}
        out |= {f"{motor.name}.{key}": result for key, result in kept.items()}
    return out


def _current_rates(system: System, state: State) -> Number:
    """Rates [A/s] of the currents of motors that drive motions."""
    efforts = drive_efforts(system.tree, accelerations_and_multipliers(system, state)[1])
    currents = (motor.current(state.motion, efforts[motor.rotor.v]) for motor in system.driven_motors)
    return rates_along(system, state, ca.SX(ca.vertcat(*currents)))
