"""Values of the names in expressions: parameter, time, coordinate, point, motor current or state."""

from functools import partial

import casadi as ca

from cardan.errors import ModelError, nearest
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.own_efforts import own_effort
from cardan.kinematics.relations.around import evaluate
from cardan.kinematics.relations.moving_axes import moving_axes
from cardan.kinematics.tree import Number, Tree
from cardan.model.expressions.grammar import Call
from cardan.model.forces import Load
from cardan.model.quantities.lets import needed
from cardan.model.quantities.number_kind import IDEAL_PARTS
from cardan.model.quantities.own_effort import OWN_EFFORT

__all__ = ["evaluate", "parameter_value", "resolve", "value"]

_COMPONENTS = {
    f"{vector}{axis}": (field, row)
    for field, vectors in (
        ("p", ("", "position.")),
        ("v", ("v", "position.v", "velocity.")),
        ("w", ("w", "position.w", "angular_velocity.")),
    )
    for vector in vectors
    for row, axis in enumerate("xyz")
}
"""Components of a point's position, velocity and angular velocity: field of its motion, and row, by what follows it."""


def parameter_value(names: tuple[str, ...], p: Number, name: str) -> Number:
    """Entry of p, whose entries have `names`, for the parameter `name`; π for "pi"."""
    if name == "pi":
        return ca.DM(ca.pi)
    if name not in names:
        raise ModelError(f"the name {name!r} is not a parameter", nearest(name, names))
    return p[names.index(name)]


def resolve(tree: Tree, record: Load, state: Motion) -> Load:
    """The force law `record` with its expressions replaced by their values in the state of motion."""
    if not record.follows_motion:
        return record
    return record.resolved(lambda scalar: evaluate(scalar, partial(value, tree, state)))


def value(tree: Tree, state: Motion, name: str) -> Number:
    """Value of `name` in the state of motion: t, pi, parameter, coordinate, velocity, point, current, state, `let`."""
    if name == "t":
        return state.t
    if name == "pi" or name in tree.parameters:
        return parameter_value(tree.parameters, tree.p, name)
    if name in tree.lets:
        return _let(tree, state, name)
    for names, column in ((tree.coordinates, state.q), (tree.velocities, state.v)):
        for index, entry in enumerate(names):
            if name in (entry.name, f"{entry.name}.q") and column is state.q:
                return column[index]
            if name in _velocity_names(entry.name, tree) and column is state.v:
                return column[index]
    return _of_block_or_place(tree, state, name)


def _let(tree: Tree, state: Motion, name: str) -> Number:
    """Value of a name of the section `let:`, and with it of those it depends on."""
    for part in needed([name], tree.lets, state.lets):
        scalar, lookup = tree.lets[part], partial(value, tree, state)
        expression = scalar.expression
        if isinstance(expression, Call) and expression.operation == OWN_EFFORT:
            state.lets[part] = own_effort(tree, state, expression, lookup)
        else:
            state.lets[part] = evaluate(scalar, lookup)
    return state.lets[name]


def _velocity_names(name: str, tree: Tree) -> tuple[str, ...]:
    """How a velocity may be written: `swing.v`; `base.vx` where it has a name of its own."""
    is_coordinate = any(name == entry.name for entry in tree.coordinates)
    return (f"{name}.v",) if is_coordinate else (name, f"{name}.v")


def _of_block_or_place(tree: Tree, state: Motion, name: str) -> Number:
    if name in tree.signals:
        return state.z[tree.signals.index(name)]
    owner, _, last = name.rpartition(".")
    if last == "demand" and state.results(name) is None:  # of a motor that drives a prescribed motion
        name, last = f"{owner}.voltage", "voltage"
    if (result := state.results(name)) is not None:
        return result
    if name in state.reactions:
        return state.reactions[name]
    if last in IDEAL_PARTS and owner in tree.bound:
        fault = f"{name!r} is the ideal part of a reaction, which follows from the equations of motion only"
        raise ModelError(fault, "simulate the model, or write the given part without normal and binormal")
    if last == "speed" and owner in tree.bound:
        axes = moving_axes(tree, state, owner, value)
        if axes is not None:
            return axes.speed
    rotor = next((rotor for rotor in tree.motor_rotors if rotor.name == owner), None)
    if last == "speed" and rotor is not None:
        return rotor.ratio * state.v[rotor.v]
    if last in ("current", "speed", "voltage", "torque", "power", "losses") and not tree.motor_rotors:
        fault = f"{name!r} is the {last} of a motor, and motors are off"
        cure = 'choose motors="full" or "simplified": a law or a controller that measures a motor needs it'
        raise ModelError(fault, cure)
    for place, component in _splits(name):
        if component in _COMPONENTS and place in tree.places:
            field, row = _COMPONENTS[component]
            return getattr(marker_motion(state, tree.places[place]), field)[row]
    raise ModelError(f"the name {name!r} stands for nothing", nearest(name, _known(tree)))


def _splits(name: str) -> list[tuple[str, str]]:
    """The place and the component of a point that a name may mean: `arm.tip.x`, `arm.tip.velocity.x`."""
    words = name.split(".")
    return [(".".join(words[:-count]), ".".join(words[-count:])) for count in (1, 2)]


def _known(tree: Tree) -> list[str]:
    """Names an expression may use, for the advice of an error."""
    return [
        "t",
        *tree.parameters,
        *(entry.name for entry in tree.coordinates),
        *(f"{entry.name}.v" for entry in tree.velocities),
        *tree.signals,
        *tree.lets,
        *(f"{rotor.name}.speed" for rotor in tree.motor_rotors),
        *(f"{name}.{component}" for name in tree.places for component in ("x", "y", "z", "vx", "vy", "vz")),
    ]
