"""Checks of expressions: every name in them has to mean something where it stands, and the dimensions have to fit."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from cardan.errors import MOST, Issue, ModelError, Path, nearest
from cardan.model.expressions.grammar import has_delay
from cardan.model.graphs.equations import graph_equations
from cardan.model.initial import plain_name
from cardan.model.names import Names, carrying, closing_coordinates, demands, efforts, graph_inputs, states, user_states
from cardan.model.quantities.characteristic import TableOver
from cardan.model.quantities.dimensions import infer, sure_dimension
from cardan.model.quantities.lets import needed, reached
from cardan.model.quantities.number_kind import OWN_NAMES, NumberKind, Scope
from cardan.model.quantities.own_effort import OwnEffort
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.scalar import Scalar, naming
from cardan.model.records.walk import ELEMENTS, elements, scalars
from cardan.model.sections import ModelSections, uniform_gravity
from cardan.model.units import SECOND, Dimension, describe, dimension_of, is_common, short_unit

_MOTION = (
    "accelerations, orientations, reactions, results of friction and end stops, and those of motors but current and "
    "speed may stand in outputs only; accelerations, efforts and reactions also in rates of states and in inputs"
)
_ONLY = {
    "parameters": "only parameters can stand here, because the number does not change during the motion",
    "time": "only t, parameters, other prescribed coordinates and states can stand here",
    "motion": _MOTION,
    "rates": "of results, accelerations and efforts of joints, results of motors and reactions can stand here",
    "outputs": "",
    "field": "gravity may depend on x, y, z, the place, and parameters; a table is interpolate(z, z0, g0, z1, g1, …)",
    "curve": "a curve may depend on x, y, z, t and on parameters only",
    "store law": "the law of a store may depend on p or x and on parameters only",
    "resistor law": _MOTION,
    "reaction": _MOTION,
}


_OF_BONDS = "efforts, flows and powers of bonds may stand in outputs only; states of stores, {states}, anywhere"
"""Cure where an expression names a result of a hand-made bond graph."""
DEFINED: Mapping[Scope, Collection[str]] = {
    **{"curve": ("t", "x", "y", "z"), "field": ("x", "y", "z"), "store law": ("p", "x"), "resistor law": ("e", "f")},
    "reaction": tuple(OWN_NAMES),
}
"""Names that the place of an expression defines itself."""
_BINDING = ("constraints", "coordinates")  # sections whose expressions may not depend on states of the user's own


def expression_issues(model: ModelSections) -> list[Issue]:
    """Everything that is wrong with the names and dimensions in the expressions of a model."""
    try:
        known = dimensions(model.parameters)
    except ModelError as error:
        return [issue.under("parameters") for issue in error.issues]
    for name in needed(model.let, model.let):
        known[name] = sure_dimension(model.let[name], known.get)
    names = Names(model)
    issues: list[Issue] = []
    for path, scalar in scalars(model):
        if path[0] == "parameters" or len(issues) >= MOST:
            continue
        found = list(_unknown_names(scalar, names, path))
        issues += found or _wrong_dimension(scalar, _kind(scalar, path, names), known, path)
    for path, element in elements(model):
        issues += [issue.under(*path) for issue in element.dimension_issues(names, known)]
    issues += [*_tables(model, names, known), *([] if issues else _own_efforts(model))]
    return issues + list(_rates(names, known)) + ([] if issues else list(_graphs(model)))


def _tables(model: ModelSections, names: Names, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
    """Tables over something of another dimension than their numbers."""
    found: list[tuple[Path, Scalar]] = [(("let", name), scalar) for name, scalar in model.let.items()]
    for name, record in model.constraints.items():
        if record.given is not None:
            found += [(("constraints", name, "given", "value", k), one) for k, one in enumerate(record.given.value)]
    tables = [(path, scalar.source) for path, scalar in found if isinstance(scalar.source, TableOver)]
    units = {**OWN_NAMES, **names.motion} if tables else {}
    of = {**{name: dimension_of(unit) for name, unit in units.items()}, **known}
    for path, table in tables:
        yield from (issue.under(*path) for issue in table.issues(of.get))


def _own_efforts(model: ModelSections) -> Iterator[Issue]:
    """Efforts of the model's own equations that these do not give."""
    efforts_wanted = {name: x.source for name, x in model.let.items() if isinstance(x.source, OwnEffort)}
    if not efforts_wanted:
        return
    joints = carrying(model)
    closing = {"loops": len(joints) < len(model.joints), "constraints": model.constraints, "motions": model.motions}
    closing["a gravity that depends on the place"] = uniform_gravity(model) != model.gravity
    closed = next((what for what, has in closing.items() if has), "")
    for name, record in efforts_wanted.items():
        yield from (issue.under("let", name) for issue in record.issues(set(efforts(joints)), closed))


def _graphs(model: ModelSections) -> Iterator[Issue]:
    """Bond graphs that have no state equations."""
    for name, graph in model.graphs.items():
        try:
            graph_equations(name, graph, tuple(model.parameters))
        except ModelError as error:
            yield from (issue.under("graphs", name) for issue in error.issues)


def name_issues(names: Names, scalar: Scalar, path: Path) -> list[Issue]:
    """What is wrong with the names in an expression that stands at a `path`, in the model or in a call."""
    return list(_unknown_names(scalar, names, path))


def _allowed(scope: Scope, names: Names) -> Collection[str]:
    """Names that an expression may use in a `scope`, parameters excepted."""
    if scope == "outputs":
        return {**names.results, **names.model.outputs}
    if scope == "rates":
        return names.solved
    if scope == "time":
        return {"t", *names.prescribed, *names.model.states}
    if scope == "resistor law":
        return {*DEFINED[scope], *names.motion}
    if scope == "reaction":
        return {*DEFINED[scope], *names.motion}
    return names.motion if scope == "motion" else DEFINED.get(scope, ())


def _unknown_names(scalar: Scalar, names: Names, path: Path) -> Iterator[Issue]:
    scope: Scope = scalar.kind.scope if scalar.kind else "parameters"
    model = names.model
    sampled = path[0] == "inputs" and path[2:3] in (("value",), ("of",))
    if (
        not (sampled or (path[0] == "states" and path[-1] == "next"))
        and scalar.expression is not None
        and has_delay(scalar.expression)
    ):
        fault = f"{str(scalar)!r} has a delay, which is that of a sampled law"
        cure = "write it in the value of an input {every: …, value: …} or in the next value of a state"
        yield Issue(fault, cure, path)
    for name in sorted(scalar.names - model.parameters.keys()):
        allowed = _allowed(scope, names)
        if path[0] == "events":
            allowed = {*allowed, *model.outputs}
        if sampled:  # the value that it held before
            allowed = {*allowed, *(f"{name.strip()}.sampled" for name in str(path[1]).split(","))}
        if (
            path[0] in _BINDING
            and scope != "reaction"
            and (held := sorted(reached([name], model.let) & model.states.keys()))
        ):
            cure = "only coordinates, points, velocities and t are bound; forces, inputs and outputs may name states"
            through = f"{str(scalar)!r} names {held[0]!r}, a state, through {name!r}"
            yield Issue(f"{naming(scalar, name)} is a state" if name == held[0] else through, cure, path)
            continue
        follows = reached([name], model.let) & demands(model).keys() if path[0] == "inputs" else ()
        if follows or (path[0] == "inputs" and name.removesuffix(".voltage") in model.motors):
            fault = f"{naming(scalar, name)} is an input: inputs that follow inputs are an algebraic loop"
            yield Issue(fault, "write out what that input is, or let a state follow it (states:)", path)
            continue
        if name in allowed:
            continue
        if name in names.results:
            cure = _ONLY[scope]
            if path[0] == "constraints" and scope == "parameters":
                cure = f"{cure}; a constraint of type expression may depend on motion and t"
            elif name.partition(".")[0] in model.graphs and cure in (_MOTION, _ONLY["rates"]):
                cure = _cure_of_bond(names, name)
            yield Issue(f"{naming(scalar, name)} is not possible here", cure, path)
            continue
        moving = scope in ("motion", "rates", "outputs", "resistor law", "reaction")
        possible = [*model.parameters, *(_short_first(allowed) if moving else allowed)]
        cure = names.advice(name, possible) if moving else nearest(name, possible)
        if not possible:
            cure = "the model has no parameters that it could name: write a number, or add the name under parameters"
        if is_common(name):
            cure = f'{cure}; where {name!r} is meant as a unit, write it after the number: "2 {name}"'
        yield Issue(f"{naming(scalar, name)} is nothing in this model", cure, path)


def _cure_of_bond(names: Names, name: str) -> str:
    """What an expression may name in place of an effort, a flow or a power of a bond."""
    graph = name.partition(".")[0]
    own = [state for state in states(names.model) if state.startswith(f"{graph}.") and state in names.motion]
    return _OF_BONDS.format(states=f"such as {own[0]}" if own else "of which it has none")


def _short_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.count("."), name))


def _wrong_dimension(
    scalar: Scalar, kind: NumberKind | None, known: Mapping[str, Dimension | None], path: Path
) -> list[Issue]:
    try:
        dimension = infer(scalar.expression, known.get) if scalar.expression else scalar.dimension
        if kind is not None and dimension is not None:
            kind.check_dimension(str(scalar), dimension, scalar.title)
    except ModelError as error:
        return [issue.under(*path) for issue in error.issues]
    return []


def _kind(scalar: Scalar, path: Path, names: Names) -> NumberKind | None:
    """What a scalar has to be; for some that depends on the unit of the motion it belongs to."""
    model = names.model
    if path[0] in ELEMENTS:
        element = getattr(model, str(path[0]))[path[1]]
        return element.number_kind(path[2:], names) or scalar.kind
    if path[0] == "motions":
        return _of_motion(scalar, path, names)
    if path[0] == "initial":
        if path[-1] == "solve":
            return scalar.kind
        unit = (names.results | states(model) | closing_coordinates(model)).get(plain_name(str(path[1])))
        return NumberKind.value_in(unit) if unit else scalar.kind
    if path[0] == "events":
        return _of_event(scalar, path, names)
    if path[0] == "inputs" and path[-1] == "every":
        return scalar.kind
    if path[0] == "inputs" and path[-1] != 0:
        units = efforts(model.joints) | {name: motor.input_unit for name, motor in model.motors.items()}
        units |= graph_inputs(model)
        return NumberKind.value_in(units[str(path[1])])
    return scalar.kind


def _of_event(scalar: Scalar, path: Path, names: Names) -> NumberKind | None:
    """What a scalar of an event has to be: a value of the input or state that it sets."""
    if path[2] == "when":
        return scalar.kind
    model, target = names.model, str(path[-1])
    units = efforts(model.joints) | {name: motor.input_unit for name, motor in model.motors.items()}
    units |= graph_inputs(model)
    kind = NumberKind.value_in((units | user_states(model)).get(target, ""))
    return replace(kind, scope=scalar.kind.scope) if scalar.kind else kind


def _of_motion(scalar: Scalar, path: Path, names: Names) -> NumberKind | None:
    """What a scalar of a motion has to be: a value of its target, or a limit of one of its derivatives."""
    target = names.target(str(path[1]))
    if path[2] == "realize":
        return names.model.motions[str(path[1])].realize.number_kind(path[3:], names) or scalar.kind
    if (
        target is None
        or path[2] in ("period", "start", "duration")
        or (path[2] in ("points", "table") and path[-1] == 0)
    ):
        return scalar.kind
    order = {"max_speed": 1, "max_acceleration": 2, "max_jerk": 3}.get(str(path[2]), 0)
    unit = target.unit + ("" if order == 0 else "/s" if order == 1 else f"/s^{order}")
    kind = NumberKind.value_in(unit)
    return replace(kind, scope=scalar.kind.scope) if scalar.kind else kind


def _rates(names: Names, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
    """States whose rate is not of their dimension per second, as far as units say."""
    equations = names.model.states
    units = {name: dimension_of(unit) for name, unit in names.solved.items()} if equations else {}
    of = {**known, **units}
    for name, equation in equations.items():
        rate, state = sure_dimension(equation.next or equation.rate, of.get), of.get(name)
        if equation.next is not None and None not in (rate, state) and rate != state:
            fault = f"the next value is {describe(rate)}, but the state is {describe(state)}"  # type: ignore[arg-type]
            yield Issue(fault, "give both the same unit", ("states", name, "next"))
        if equation.next is None and rate is not None and state is not None and rate.times(SECOND) != state:
            needed = short_unit(state.times(SECOND, -1))
            fault = (
                f"the rate is {describe(rate)}, but the state is {describe(state)}, whose rate has the unit {needed}"
            )
            yield Issue(fault, "give the rate that unit, or change the unit of initial", ("states", name, "rate"))
