"""Checks of numbers: masses, inertias, directions and orientations have to be possible."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError, Path
from cardan.frozen import dataclass, replace
from cardan.model.checks.planarity import planarity_issues, turns_only_about
from cardan.model.expressions.grammar import Call
from cardan.model.initial import angle_doubts, degrees_doubt
from cardan.model.names import Names, carrying, coordinates, motion_units, result_units
from cardan.model.quantities.dimensions import unlike_terms
from cardan.model.quantities.fields import DIRECTION, direction_issue
from cardan.model.quantities.lets import reached
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.parameters import dimensions
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import ModelPart, ValueOf
from cardan.model.records.walk import ELEMENTS, elements, placements, scalars
from cardan.model.sections import ModelSections
from cardan.model.topology import spanning_tree
from cardan.model.units import dimension_of
from cardan.numerics.round_off import WRITTEN

if TYPE_CHECKING:
    from cardan.model.body import Body
    from cardan.model.placement import Placement


def value_issues(model: ModelSections, values: Mapping[str, Any], *, others: bool = False) -> list[Issue]:
    """Everything that cannot be for these values of the parameters."""
    parts = _named_parts(model) if others else _Parts.of(model)
    cases = [_number(case) for case in _cases(values)]
    issues = [issue for number in cases for check in _CHECKS for issue in check(parts, number)]
    issues += [] if issues else [issue for number in cases for issue in planarity_issues(model, number)]
    return list(dict.fromkeys(issues))


def range_issues(model: ModelSections, values: Mapping[str, Any]) -> list[Issue]:
    """What is out of range for these values of the parameters:
    the part of `value_issues` that is quick for any batch.
    """
    issues: list[Issue] = []
    for path, scalar, kind in _named_parts(model).constants:
        result = np.asarray(scalar.evaluate(values.__getitem__))
        extremes = [float(extreme(result)) for extreme in (np.min, np.max)]
        issues += [issue for value in extremes for issue in _range(path, scalar, kind, value)]
    return list(dict.fromkeys(issues))


def doubts(model: ModelSections, values: Mapping[str, Any], *, others: bool = False) -> list[Issue]:
    """What can be computed but probably is not meant: impossible inertias, motors that create power, degrees.

    What the model accepts is left out.
    """
    checks, parts = (_triangle, _doubts), _named_parts(model) if others else _Parts.of(model)
    raised = (issue for case in _cases(values) for check in checks for issue in check(parts, _number(case)))
    found = [_with_consent(issue) for issue in raised if issue.kind not in model.accept]
    angles = [*_angles(parts), *angle_doubts(model.initial, coordinates(carrying(model)))]
    return _alike(dict.fromkeys([*found, *angles, *([] if others else _outputs(model))]))


def unused_parameters(model: ModelSections) -> list[Issue]:
    """Parameters that no number of the model depends on, probably because a name is misspelt."""
    if not model.parameters:
        return []
    named = {name for path, scalar in scalars(model) if path[0] != "parameters" for name in scalar.names}
    used = reached(named, model.parameters)
    cure = "delete it, or check the names in what should use it"
    unused = [name for name in model.parameters if name not in used]
    return _alike(Issue("nothing uses this parameter", cure, ("parameters", name)) for name in unused)


def _alike(issues: Iterable[Issue]) -> list[Issue]:
    """Issues without those that differ from another in the name of the part alone, as copies of a template do."""
    groups: dict[Issue, list[str]] = {}
    first: dict[Issue, Issue] = {}
    for issue in issues:
        key = replace(issue, path=(*issue.path[:1], *issue.path[2:]))
        first.setdefault(key, issue)
        groups.setdefault(key, []).append(str(issue.path[1]) if len(issue.path) > 1 else "")
    return [
        replace(issue, fault=f"{issue.fault} (also {', '.join(groups[key][1:])})") if len(groups[key]) > 1 else issue
        for key, issue in first.items()
    ]


def _cases(values: Mapping[str, Any]) -> Iterator[dict[str, float]]:
    """Values of the parameters to check: of a sweep, the samples in which some parameter is smallest or largest."""
    arrays = np.broadcast_arrays(*values.values()) if values else []
    flat = [np.ravel(array) for array in arrays]
    samples = {int(find(array)) for array in flat for find in (np.argmin, np.argmax)} or {0}
    for sample in sorted(samples):
        yield {name: float(array[sample]) for name, array in zip(values, flat, strict=True)}


def _number(values: Mapping[str, float]) -> ValueOf:
    return lambda scalar: scalar.number(values)


@dataclass(frozen=True)
class _Parts:
    """What is checked of a model."""

    model: ModelSections
    constants: tuple[tuple[Path, Scalar, NumberKind | None], ...]  # numbers that do not change during the motion
    frames: tuple[tuple[Path, Placement], ...]
    elements: tuple[tuple[Path, ModelPart], ...]
    cut: tuple[str, ...]  # joints that close loops
    bodies: tuple[tuple[str, Body], ...]  # whose inertia is checked

    @staticmethod
    def of(model: ModelSections) -> _Parts:
        """All of a model."""
        own = model.parameters.keys()
        found = (entry for entry in scalars(model) if entry[0][0] != "parameters" and _is_constant(entry[1], own))
        return _Parts(
            model,
            tuple((path, scalar, _kind(model, path, scalar)) for path, scalar in found),
            tuple(placements(model)),
            tuple(elements(model)),
            tuple(spanning_tree(model.joints, model.bodies).cut),
            tuple(model.bodies.items()),
        )


@lru_cache(maxsize=64)
def _named_parts(model: ModelSections) -> _Parts:
    """What depends on parameters."""
    parts = _Parts.of(model)
    directions = {path[:-1] for path, scalar, kind in parts.constants if scalar.kind is DIRECTION and scalar.names}
    return _Parts(
        model,
        tuple(one for one in parts.constants if one[1].expression is not None or one[0][:-1] in directions),
        tuple(one for one in parts.frames if _names_any(one[1])),
        tuple(one for one in parts.elements if _names_any(one[1])),
        tuple(name for name in parts.cut if _names_any(model.joints[name])),
        tuple(one for one in parts.bodies if _names_any(one[1] if one[1].is_solid else one[1].inertia)),
    )


def _is_constant(scalar: Scalar, parameters: Collection[str]) -> bool:
    scope = scalar.kind.scope if scalar.kind else "parameters"
    if scope == "motion" and scalar.kind is not None and scalar.kind.minimum is not None:
        return scalar.names <= {*parameters}
    return scope == "parameters" or (scope == "field" and not scalar.names & {*"xyz"})


def _names_any(part: Any) -> bool:
    """Whether a number of a part names anything."""
    return any(scalar.names for _, scalar in scalars(part))


def _ranges(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    for path, scalar, kind in parts.constants:
        yield from _range(path, scalar, kind, number(scalar))


def _kind(model: ModelSections, path: Path, scalar: Scalar) -> NumberKind | None:
    """What a number has to be; for some that depends on the motion it belongs to."""
    if path[0] in ELEMENTS:
        return getattr(model, str(path[0]))[path[1]].number_kind(path[2:], Names(model)) or scalar.kind
    if path[0] == "motions" and path[2] == "realize":
        return model.motions[str(path[1])].realize.number_kind(path[3:], Names(model)) or scalar.kind
    return scalar.kind


def _range(path: Path, scalar: Scalar, kind: NumberKind | None, value: float) -> Iterator[Issue]:
    if not np.isfinite(value):
        yield Issue(f"{str(scalar)!r} is {value:g}", "give it a finite value", path)
    elif kind is not None:
        yield from _issues(path, partial(kind.check_value, str(scalar), value))


def _angles(parts: _Parts) -> Iterator[Issue]:
    """Whole numbers beyond a turn, without a unit, as angles that place a frame."""
    for path, scalar, _ in parts.constants:
        angle, is_angle = scalar.source, scalar.kind is not None and scalar.kind.word == "an angle"
        if is_angle and isinstance(angle, int | float) and abs(angle) > 2 * np.pi and angle == round(angle):
            yield degrees_doubt(angle, path)


def _directions(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    components = ((path, scalar) for path, scalar, _ in parts.constants if scalar.kind is DIRECTION)
    for path, entries in groupby(components, key=lambda entry: entry[0][:-1]):
        issue = direction_issue([number(scalar) for _, scalar in entries])
        if issue is not None:
            yield issue.under(*path)


def _orientations(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    for path, placement in parts.frames:
        yield from _issues(path, placement.resolved(number).check_orientation)


def _elements(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    for path, element in parts.elements:
        yield from (issue.under(*path) for issue in element.value_issues(number))
    for name in parts.cut:
        yield from (issue.under("joints", name) for issue in parts.model.joints[name].closing_issues(number))


def _motions(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    model = parts.model
    names = Names(model) if model.motions else None
    for name, motion in model.motions.items():
        target = names.target(name) if names else None
        yield from (issue.under("motions", name, "realize") for issue in motion.realize.value_issues(number))
        issues = motion.value_issues(number) or motion.period_issues(number, np.inf if target is None else target.whole)
        yield from (issue.under("motions", name) for issue in issues)


def _with_consent(doubt: Issue) -> Issue:
    """The doubt with the words that silence it."""
    if not doubt.kind:
        return doubt
    consent = f'add accept: [{doubt.kind}] to the model, or load a robot with accept=["{doubt.kind}"]'
    return replace(doubt, cure=f"{doubt.cure}; if it is meant, {consent}")


def _doubts(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    for path, element in parts.elements:
        yield from (issue.under(*path) for issue in element.doubts(number))


def _outputs(model: ModelSections) -> Iterator[Issue]:
    """Outputs that add or compare what has unlike units."""
    laws = {name: scalar.expression for name, scalar in model.outputs.items() if isinstance(scalar.expression, Call)}
    units = {**motion_units(model), **result_units(model)} if laws else {}
    known = {**{name: dimension_of(unit) for name, unit in units.items()}, **dimensions(model.parameters)}
    for name, law in laws.items():
        yield from (issue.under("outputs", name) for issue in unlike_terms(law, known.get))


def _solids(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    """Faults of the bodies whose mass is that of their shapes."""
    for name, body in parts.bodies:
        if not body.is_solid:
            continue
        solid = _resolved(body, number)
        mass = float(solid.mass)
        if not np.isfinite([mass, *map(float, solid.inertia)]).all():
            fault = f"the shapes have the mass {mass:.4g} kg and no finite inertia"
            yield Issue(fault, "check sizes and densities, which are in m and kg/m^3", ("bodies", name, "shapes"))
        elif not mass > 0:
            fault = f"the shapes have the mass {mass:.4g} kg"
            yield Issue(fault, "let the densities add up to a positive mass", ("bodies", name, "shapes"))


def _inertias(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    for name, moments, _ in _principal_moments(parts, number):
        if moments[0] < -WRITTEN * abs(moments).max():
            fault = f"the inertia has a negative principal moment, {moments[0]:.4g} kg*m^2"
            cure, key = "check the products Ixy, Ixz, Iyz and their signs", "inertia"
            if parts.model.bodies[name].is_solid:
                cure, key = "let shapes of negative density lie within others", "shapes"
            yield Issue(fault, cure, ("bodies", name, key))


def _triangle(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    for name, (small, middle, large), axes in _principal_moments(parts, number):
        is_rotor = parts.model.bodies[name].mass.value == 0  # the body that carries it contains its mass
        if middle == 0 and (is_rotor or parts.model.planar or turns_only_about(parts.model, name, axes[:, 2], number)):
            continue  # only the moment about this axis is given, and no other matters
        if large > (small + middle) * (1 + WRITTEN):
            fault = f"no body has the principal moments of inertia {small:.4g}, {middle:.4g}, {large:.4g} kg*m^2"
            yield Issue(
                fault, "the largest is at most the sum of the others", ("bodies", name, "inertia"), kind="inertia"
            )


def _principal_moments(parts: _Parts, number: ValueOf) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name of each body, its moments (3,), rising, and their axes (3×3) as columns."""
    for name, body in parts.bodies:
        inertia = _resolved(body, number).inertia if body.is_solid else map(number, body.inertia)
        entries = [float(entry) for entry in inertia]
        xx, yy, zz, xy, xz, yz = entries
        if np.isfinite(entries).all() and (min(xx, yy, zz) >= 0 or body.is_solid):
            yield name, *np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _resolved(body: Body, number: ValueOf) -> Body:
    """The body with numbers of CasADi, whose powers overflow to infinity."""
    return body.resolved(lambda scalar: ca.DM(number(scalar)))


def _end(parts: _Parts, number: ValueOf) -> Iterator[Issue]:
    until = parts.model.simulate.until
    if until is not None and number(until) <= 0:
        yield Issue(f"until is {number(until):g}", "it has to be positive", ("simulate", "until"))


def _issues(path: Path, check: Callable[[], None]) -> list[Issue]:
    try:
        check()
    except ModelError as error:
        return [issue.under(*path) for issue in error.issues]
    return []


_CHECKS = (_ranges, _directions, _orientations, _elements, _motions, _solids, _inertias, _end)
