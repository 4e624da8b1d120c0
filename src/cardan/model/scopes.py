"""Checks of expressions: every name in them has to mean something where it stands, and the dimensions have to fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from cardan.errors import Issue, ModelError, Path, nearest
from cardan.model.constraints import Coupler
from cardan.model.dimensions import infer
from cardan.model.joints import Joint
from cardan.model.kind import Kind, Scope
from cardan.model.names import advice, efforts, motion_units, result_units, states
from cardan.model.parameters import dimensions
from cardan.model.scalar import Scalar
from cardan.model.units import DIMENSIONLESS, METRE, NEWTON, SECOND, Dimension, describe, read_unit
from cardan.model.walk import scalars

if TYPE_CHECKING:
    from cardan.model.model import Model

__all__ = ["expression_issues", "name_issues"]

_ONLY = {
    "parameters": "only parameters can stand here, because the number does not change during the motion",
    "motion": "accelerations, orientations, and results of motors but current and speed may stand in outputs only",
    "outputs": "",
    "curve": "a curve may depend on x, y, z, t and on parameters only",
}


_NAMED: Mapping[Scope, Collection[str]] = {"curve": ("t", "x", "y", "z")}
_BINDING = ("constraints", "coordinates")  # sections whose expressions may not depend on states of the user's own


def expression_issues(model: Model) -> list[Issue]:
    """Everything that is wrong with the names and dimensions in the expressions of a model.

    Parameters
    ----------
    model : Model
        A model whose references are right and whose parameters can be resolved.
    """
    try:
        known = dimensions(model.parameters)
    except ModelError as error:
        return [issue.under("parameters") for issue in error.issues]
    names = cache(partial(_names, model))
    issues: list[Issue] = []
    for path, scalar in scalars(model):
        if path[0] == "parameters":
            continue
        found = list(_unknown_names(scalar, model, names, path))
        issues += found or _wrong_dimension(scalar, _kind(scalar, path, model), known, path)
    return issues + list(_counts(model)) + list(_couplings(model, known)) + list(_rates(model, known))


def name_issues(model: Model, scalar: Scalar, path: Path) -> list[Issue]:
    """What is wrong with the names in an expression that stands at a `path`, in the model or in a call.

    Parameters
    ----------
    model : Model
        A model whose references are right.
    scalar : Scalar
        The expression, with its kind.
    path : tuple
        Where it stands.
    """
    return list(_unknown_names(scalar, model, partial(_names, model), path))


def _names(model: Model) -> Mapping[Scope, Collection[str]]:
    """Names that an expression may use in each scope where motion matters."""
    motion = motion_units(model)
    return {"motion": motion, "outputs": motion | result_units(model)}


def _unknown_names(
    scalar: Scalar, model: Model, names: Callable[[], Mapping[Scope, Collection[str]]], path: Path
) -> Iterator[Issue]:
    scope: Scope = scalar.kind.scope if scalar.kind else "parameters"
    for name in sorted(scalar.names - model.parameters.keys()):
        allowed = names().get(scope) or _NAMED.get(scope, ())
        if path[0] in _BINDING and name in model.states:
            cure = "only coordinates, points, velocities and t are bound; forces, inputs and outputs may name states"
            yield Issue(f"{str(scalar)!r} names {name!r}, a state", cure, path)
            continue
        if path[0] == "inputs" and name.removesuffix(".voltage") in model.motors:
            fault = f"{str(scalar)!r} names {name!r}, an input: inputs that follow inputs are an algebraic loop"
            yield Issue(fault, "write out what that input is, or let a state follow it (states:)", path)
            continue
        if name in allowed:
            continue
        if name in names()["outputs"]:
            follows = path[0] == "constraints" and scope == "parameters"
            cure = (
                f"{_ONLY[scope]}; a constraint of type expression may depend on motion and t"
                if follows
                else _ONLY[scope]
            )
            yield Issue(f"{str(scalar)!r} names {name!r}", cure, path)
            continue
        moving = scope in names()
        possible = [*model.parameters, *(_short_first(allowed) if moving else allowed)]
        cure = advice(model, name, possible) if moving else nearest(name, possible)
        yield Issue(f"{str(scalar)!r} names {name!r}, which is nothing in this model", cure, path)


def _short_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.count("."), name))


def _wrong_dimension(
    scalar: Scalar, kind: Kind | None, known: Mapping[str, Dimension | None], path: Path
) -> list[Issue]:
    try:
        dimension = infer(scalar.expression, known.get) if scalar.expression else scalar.dimension
        if kind is not None and dimension is not None:
            kind.check_dimension(str(scalar), dimension)
    except ModelError as error:
        return [issue.under(*path) for issue in error.issues]
    return []


def _kind(scalar: Scalar, path: Path, model: Model) -> Kind | None:
    """What a scalar has to be; for some that depends on the unit of the motion it belongs to."""
    if path[0] == "joints":
        return _joint_kind(model.joints[str(path[1])], str(path[2]), path[3:]) or scalar.kind
    if path[0] == "motors" and path[2] == "ratio":
        return _ratio_kind(model, str(path[1])) or scalar.kind
    if path[0] == "initial":
        return _of_unit("a value", states(model)[str(path[1])])
    if path[0] == "inputs" and path[-1] != 0:
        units = efforts(model.joints) | {name: motor.input_unit for name, motor in model.motors.items()}
        return _of_unit("a value", units[str(path[1])])
    return scalar.kind


def _joint_kind(joint: Joint, key: str, entry: Path) -> Kind | None:
    """Of an entry for one motion, or of one number for all motions where they are alike."""
    if key not in _LINEAR:
        return None
    index = entry[0] if entry else 0
    units = [unit for _, unit in joint.velocities]
    if not isinstance(index, int) or index >= len(units) or (not entry and len(set(units)) > 1):
        return None
    return _LINEAR[key] if units[index] == "m/s" else _ANGULAR[key]


def _ratio_kind(model: Model, motor: str) -> Kind | None:
    joint, dot, component = model.motors[motor].joint.partition(".")
    unit = dict(model.joints[joint].velocities)[dot + component]
    if unit == "m/s":
        return Kind("a gear ratio of a linear joint", "400 rad/m", METRE.to(-1))
    return Kind("a gear ratio", "10", DIMENSIONLESS)


def _of_unit(word: str, unit: str) -> Kind:
    if not unit:
        return Kind(word, "1", None)
    dimension = DIMENSIONLESS if unit == "1" else read_unit(unit).dimension
    return Kind(f"{word} in {unit}", f"1 {unit}", dimension)


def _couplings(model: Model, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
    """Couplers whose terms cannot be added, as far as units tell; bare numbers go with anything."""
    for name, record in model.constraints.items():
        if not isinstance(record, Coupler):
            continue
        units = motion_units(model)
        terms = [(("terms", term), factor, units.get(term, "1")) for term, factor in record.terms.items()]
        told = [
            (key, own if unit == "1" else own.times(read_unit(unit).dimension))
            for key, scalar, unit in [*terms, (("offset",), record.offset, "1")]
            if (own := _told(scalar, known)) is not None
        ]
        for key, dimension in told[1:]:
            (_, first), other = told[0]
            if dimension != other:
                fault = f"the {key[0].removesuffix('s')} is {describe(dimension)}, that of {first!r} {describe(other)}"
                yield Issue(fault, "give factors that make all terms of one kind", ("constraints", name, *key))


def _rates(model: Model, known: Mapping[str, Dimension | None]) -> Iterator[Issue]:
    """States whose rate is not of their dimension per second, as far as units tell."""
    units = {name: unit for name, unit in motion_units(model).items() if unit} if model.states else {}
    of = {**known, **{name: _of_unit("", unit).dimension for name, unit in units.items()}}
    for name, equation in model.states.items():
        rate, state = _told(equation.rate, of), of.get(name)
        if rate is not None and state is not None and rate.times(SECOND) != state:
            fault = f"the rate is {describe(rate)}, but the state is {describe(state)}"
            yield Issue(fault, "a rate is its state per second: check initial and rate", ("states", name, "rate"))


def _told(scalar: Scalar, known: Mapping[str, Dimension | None]) -> Dimension | None:
    """The dimension of a scalar, where it can be known."""
    try:
        return infer(scalar.expression, known.get) if scalar.expression else scalar.dimension
    except ModelError:  # an issue of its own
        return None


_LINEAR = {
    "stiffness": Kind("a stiffness", "100 N/m", NEWTON.times(METRE, -1)),
    "damping": Kind("a damping", "2 N*s/m", NEWTON.times(METRE, -1).times(SECOND)),
    "rest": Kind("a length", "25 mm", METRE),
    "effort_limit": Kind("a force", "10 N", NEWTON),
}
_ANGULAR = {
    "stiffness": Kind("a torsional stiffness", "10 N*m/rad", NEWTON.times(METRE)),
    "damping": Kind("a torsional damping", "0.5 N*m*s", NEWTON.times(METRE).times(SECOND)),
    "rest": Kind("an angle", "30 deg", DIMENSIONLESS),
    "effort_limit": Kind("a torque", "5 N*m", NEWTON.times(METRE)),
}


def _counts(model: Model) -> Iterator[Issue]:
    for name, joint in model.joints.items():
        for key in _LINEAR:
            value = getattr(joint, key)
            if value is not None:
                yield from _count(joint, key, value, ("joints", name, key))


def _count(joint: Joint, key: str, value: Scalar | tuple[Scalar, ...], path: Path) -> Iterator[Issue]:
    if not joint.nv:
        yield Issue(f"the joint does not move and has no {key}", "leave it away", path)
    elif key in ("stiffness", "rest") and not joint.has_rate_coordinates:
        yield Issue(f"a joint with a quaternion has no {key}", "use a force of type torsion_spring", path)
    elif isinstance(value, tuple) and len(value) != joint.nv:
        yield Issue(f"{len(value)} entries for {joint.nv} motion(s)", f"write {joint.nv} entries, or one number", path)
    elif isinstance(value, Scalar) and value.dimension is not None and len({unit for _, unit in joint.velocities}) > 1:
        cure = f"write a list of {joint.nv} entries, first {joint.velocities[0][0].lstrip('.')}"
        yield Issue(f"{str(value)!r} cannot hold for shifts and turns alike", cure, path)
