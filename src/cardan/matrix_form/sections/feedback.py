"""The section of a document on states and feedback: rates of the user's states, inputs that follow the motion, and the
names of `let` that these use. Controllers are made of them.   Source: docs/drives.md
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import casadi as ca

from cardan.kinematics.motion import Motion
from cardan.kinematics.scope import evaluate, value
from cardan.matrix_form.terms import MatrixTerms
from cardan.model.names import solved_units
from cardan.model.quantities.lets import needed, reached
from cardan.model.quantities.own_effort import OwnEffort
from cardan.model.quantities.scalar import Scalar
from cardan.rendering import Quantity, readable
from cardan.rendering.documents.pieces import Chapter, NamedMatrix, Vector
from cardan.safety.text import visible
from cardan.system.state import at

_Laws = Mapping[str, Scalar]


def feedback_names(equations: MatrixTerms) -> tuple[Quantity, ...]:
    """Names of `let`, and results of the equations of motion, that the laws of states and inputs use."""
    used = _used(equations)
    return tuple(Quantity(name) for name in (*used, *_solved(equations)))


def feedback_section(equations: MatrixTerms) -> Chapter | None:
    """The section of a model with states or feedback; None of others."""
    rates, inputs = _rates(equations), _inputs(equations)
    if not rates and not inputs:
        return None
    lets = _lets(equations)
    efforts = {name: lets[name].source for name in _used(equations) if isinstance(lets[name].source, OwnEffort)}
    laws = {
        "definitions": {name: lets[name] for name in _used(equations) if name not in efforts},
        "rates": rates,
        "inputs": inputs,
    }
    found = readable(_function(equations, laws), _symbols(equations), equations.budget)
    dots = {"rates": 1}
    matrices = tuple(
        NamedMatrix(
            name,
            Vector(name),
            found[name],
            heads=tuple((f"u|{row}" if name == "inputs" else row, dots.get(name, 0)) for row in laws[name]),
        )
        for name in found
    )
    sampled = [name for name, x in equations.model.states.items() if x.next is not None]
    return Chapter("feedback", "States and feedback", (*_words(efforts, sampled), matrices), is_last=True)


def _words(efforts: Mapping[str, OwnEffort], sampled: list[str]) -> list[str]:
    """What stands in no formula: efforts of the model's own equations, and sampled states."""
    out = []
    for name, one in efforts.items():
        given = ", ".join(f"{joint}: {a}" for joint, a in one.accelerations.items())
        under = "at rest" if one.at_rest else f"for the accelerations {given}"
        copy = "" if one.masses.value == 1 else f", with {one.masses} times all masses and inertias"
        out.append(visible(f"{name} is the effort M a + C v + D v + g on {one.effort}, {under}{copy}."))
    if sampled:
        out.append(visible(f"Sampled states, whose laws stand among the symbols: {', '.join(sampled)}."))
    return out


def _rates(equations: MatrixTerms) -> _Laws:
    """Rates of the states that change between events."""
    return {name: x.rate for name, x in equations.model.states.items() if x.next is None and x.rate.value != 0}


def _lets(equations: MatrixTerms) -> _Laws:
    """Definitions, with the inputs of motors whose voltage follows from these by a law: `a.demand`."""
    model = equations.model
    demands = {f"{name}.demand": model.inputs.get(name) for name in _applied(equations)}
    return {**model.let, **{name: x for name, x in demands.items() if isinstance(x, Scalar)}}


def _applied(equations: MatrixTerms) -> _Laws:
    """Voltages that reach the windings of motors with limits or a supply."""
    motors = equations.model.motors if equations.motors != "none" else {}
    return {name: motor.applied for name, motor in motors.items() if motor.applied is not None}


def _inputs(equations: MatrixTerms) -> _Laws:
    """Inputs that follow the motion."""
    model, applied = equations.model, _applied(equations)
    known = {"t", "pi", *model.parameters, *model.let}
    signals = {name: model.inputs.get(name) for name in equations.inputs}
    laws = {name: x for name, x in signals.items() if isinstance(x, Scalar) and name not in applied}
    own = {name: applied[name] for name in equations.inputs if name in applied}
    return own | {name: x for name, x in laws.items() if reached(x.names, model.let) - known}


def _names(equations: MatrixTerms) -> set[str]:
    """Names in the laws."""
    return {name for law in (*_rates(equations).values(), *_inputs(equations).values()) for name in law.names}


def _used(equations: MatrixTerms) -> list[str]:
    """Names of `let` that the laws use, each after those in it."""
    return needed(_names(equations), _lets(equations))


def _solved(equations: MatrixTerms) -> list[str]:
    """Results of the equations of motion that the laws name; currents that are states are none."""
    lets, demands = _lets(equations), {f"{name}.demand" for name in _applied(equations)}
    found = reached(_names(equations), lets)
    return sorted(found & (solved_units(equations.model).keys() | demands) - {*equations.currents} - lets.keys())


def _symbols(equations: MatrixTerms) -> dict[str, tuple[str, ...]]:
    """Names of all that stands in the laws."""
    efforts = tuple(f"{name}.effort" if equations.motors == "none" else name for name in equations.inputs)
    return {
        "q": equations.coordinates,
        "v": equations.velocities,
        "z": (*equations.currents, *equations.states),
        "u": efforts,
        "t": ("t",),
        "p": equations.parameters,
        "w": tuple(_used(equations)),
        "r": tuple(_solved(equations)),
    }


def _function(equations: MatrixTerms, laws: Mapping[str, _Laws]) -> ca.Function:
    """The laws over q, v, z, u, t, p, the names of `let` that they use, and results of the equations of motion."""
    system, change = equations._system, equations._change
    sizes = {name: len(names) for name, names in _symbols(equations).items()}
    x = {name: ca.SX.sym(name, size) for name, size in sizes.items() if name != "p"} | {"p": system.tree.p}
    q, v = x["q"], x["v"]
    if change is not None:
        q, v = change.T @ (q - change.b), change.T @ v
    motion: Motion = at(system, system.tree, x["t"], q, v, x["z"], x["u"]).motion
    used = dict(zip(_used(equations), ca.vertsplit(x["w"]), strict=True))
    solved = dict(zip(_solved(equations), ca.vertsplit(x["r"]), strict=True))
    motion = replace(motion, results={**solved, **used}.get)
    motion.lets.update(used)
    lookup = partial(value, system.tree, motion)
    out = {
        name: ca.densify(ca.SX(ca.vertcat(*(evaluate(law, lookup) for law in rows.values()))))
        for name, rows in laws.items()
        if rows
    }
    return ca.Function("feedback", [*x.values()], [*out.values()], [*x], [*out])
