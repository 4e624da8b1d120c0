"""Initial values of a model: numbers, guesses, and attitudes of joints that turn freely.

In: entries of `initial:` in a file, or of the argument `initial` of a call. Out: one entry for each coordinate.
Source: docs/model_file.md, "Initial values"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import pi
from typing import Annotated, Any, Literal

import casadi as ca
import numpy as np
from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, Path
from cardan.frozen import dataclass
from cardan.model.checks.arguments import check_kind, number
from cardan.model.joints import Joint
from cardan.model.placement import Placement
from cardan.model.quantities.fields import Anything, Position
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record
from cardan.model.records.walk import scalars
from cardan.spatial.rotations import to_quaternion

EQUILIBRIUM = "equilibrium"
"""Name in `initial` under which `true` lets the start be at rest, with twists, currents and states without a value."""
_QUATERNION = (".qw", ".qx", ".qy", ".qz")
_POSITION = (".x", ".y", ".z")


class Attitude(Placement):
    """Where a joint's child marker is at t = 0: its axes, and of a free joint its origin, in the parent marker."""

    position: Position | None = None  # type: ignore[assignment]  # of a free joint; None leaves it open [m]

    @model_validator(mode="after")
    def _check_content(self) -> Attitude:
        if self.position is None and not self.turns:
            raise ModelError("the attitude is empty", "write rpy, axis_angle, quaternion, rotation or position")
        return self

    def check(self, parameters: Mapping[str, Scalar], values: Mapping[str, float], path: Path) -> None:
        """Refuse an attitude whose numbers are of a wrong dimension, name no parameter, or make no rotation."""
        for at, scalar in scalars(self):
            check_kind(scalar, scalar.kind, parameters, (*path, *at))

        def value(scalar: Scalar) -> float:
            return number(scalar, values, path)

        turned = self.resolved(value)
        try:
            turned.check_orientation()
        except ModelError as error:
            raise error.under(*path) from None

    @property
    def turns(self) -> bool:
        """Whether it gives the axes."""
        return any(way is not None for way in (self.rpy, self.rotation, self.quaternion, self.axis_angle))


def read_initial(value: Any) -> Guess | Attitude | Solve | Scalar:
    """The entry of `initial` that the user wrote as `value`."""
    if isinstance(value, Guess | Attitude | Solve):
        return value
    if isinstance(value, Mapping):
        given = {str(key): entry for key, entry in value.items()}
        if given.keys() & Attitude.model_fields.keys():
            return Attitude(**given)
        if "guess" in given:
            return Guess(**given)
        if "solve" in given:
            return Solve(**given)
        fault = f"{f'{value!r:.60}'} is neither a guess nor an attitude"
        raise ModelError(fault, "write {guess: 40 deg} or, for a spherical or free joint, {rpy: [0, 0, 40 deg]}")
    return Scalar.read(value)


def _read_guess(value: Any) -> Any:
    return read_initial(value) if isinstance(value, Mapping) else value


class Guess(Record):
    """A coordinate or an attitude that assembly may change, and where it starts."""

    guess: Annotated[Attitude | Anything, BeforeValidator(_read_guess)]  # [m] or [rad]


class Solve(Record):
    """A parameter whose value the start decides: from "equilibrium", no acceleration, or from the other conditions.

    `equilibrium: true` asks for the former without a parameter.
    """

    solve: Literal["equilibrium"] | Anything  # a number is where the search starts


Initial = Annotated[Guess | Attitude | Solve | Anything, BeforeValidator(read_initial)]
"""A value that is held exactly, a guess, or a parameter that is solved."""


@dataclass(frozen=True)
class Component:
    """One coordinate of an attitude; like a `Scalar` it follows parameters."""

    attitude: Attitude
    suffix: str  # of the coordinate's name: ".qw"

    def evaluate(self, lookup: Callable[[str], Any]) -> Any:
        """The coordinate in SI, for parameters that are numbers or arrays."""
        if self.suffix in _POSITION:
            assert self.attitude.position is not None
            return self.attitude.position[_POSITION.index(self.suffix)].evaluate(lookup)
        given = np.broadcast_arrays(*(np.asarray(s.evaluate(lookup), float) for _, s in scalars(self.attitude)))
        columns = _quaternion_law(self.attitude)(np.reshape(given, (len(given), -1)))
        found = np.array(columns)[_QUATERNION.index(self.suffix)].reshape(given[0].shape)
        return found if found.ndim else float(found)


def _quaternion_law(attitude: Attitude) -> ca.Function:
    """Quaternion (4,) of the numbers in an attitude, in the order in which `scalars` lists them."""
    numbers = [scalar for _, scalar in scalars(attitude)]
    symbols = ca.SX.sym("s", len(numbers))
    waiting = iter(ca.vertsplit(symbols)) if numbers else iter(())
    turned = attitude.resolved(lambda _: next(waiting))
    return ca.Function("quaternion", [symbols], [to_quaternion(ca.SX(turned.orientation()))])


def plain_name(name: str) -> str:
    """The short form of the `name` of a coordinate or velocity: `swing` of `swing.q`, `ball.wx` of `ball.wx.v`."""
    return re.sub(r"(\.[vw][xyz])\.v$|\.q$", r"\1", name)


def covered(name: str, value: Any) -> tuple[str, ...]:
    """Names of the coordinates that the entry `value` of the joint or coordinate `name` gives."""
    if not isinstance(value, Guess | Attitude | Mapping):
        return (plain_name(name),)
    try:
        entry = read_initial(value)
    except ModelError as error:
        raise error.under("initial", name) from None
    content = entry.guess if isinstance(entry, Guess) else entry
    if not isinstance(content, Attitude):
        return (plain_name(name),)
    suffixes = (*(_POSITION if content.position is not None else ()), *(_QUATERNION if content.turns else ()))
    return tuple(name + suffix for suffix in suffixes)


def entries(initial: Mapping[str, Any], joints: Mapping[str, Joint]) -> dict[str, tuple[Scalar | Component, bool]]:
    """Number of each coordinate, velocity, current or state by name, and whether it is a guess."""
    found: dict[str, tuple[Scalar | Component, bool]] = {}
    seen: dict[str, str] = {}
    for name, value in initial.items():
        for whole in covered(name, value):
            if (other := seen.setdefault(whole, name)) != name:
                fault = f"{other!r} and {name!r} are the same state"
                raise ModelError(Issue(fault, "keep one of them", ("initial", name)))
        try:
            entry = read_initial(value)
        except ModelError as error:
            raise error.under("initial", name) from None
        if isinstance(entry, Solve):
            continue
        content, guessed = (entry.guess, True) if isinstance(entry, Guess) else (entry, False)
        if not isinstance(content, Attitude):
            found[name] = content, guessed
            continue
        if issues := list(attitude_issues(name, content, joints)):
            raise ModelError(issues)
        for whole in covered(name, content):
            found[whole] = Component(content, whole[len(name) :]), guessed
    return found


def attitude_issues(name: str, attitude: Attitude, joints: Mapping[str, Joint]) -> Iterator[Issue]:
    """Why the joint `name` cannot have the initial value `attitude`, given the `joints` that carry a body."""
    path = ("initial", name)
    turning = [key for key, joint in joints.items() if set(_QUATERNION) <= {suffix for suffix, _ in joint.coordinates}]
    if name not in turning:
        cure = f"write it for {' or '.join(turning)}" if turning else "write a number for each coordinate"
        yield Issue(f"{name!r} has no attitude: it is not a spherical or free joint", cure, path)
    elif attitude.position is not None and len(joints[name].coordinates) == len(_QUATERNION):
        fault = f"the joint {name!r} turns about a point, so it has no position"
        yield Issue(fault, "leave position out", (*path, "position"))


def angle_doubts(initial: Mapping[str, Any], units: Mapping[str, str]) -> Iterator[Issue]:
    """Angles beyond a turn without a unit, which are probably degrees: guesses, and whole numbers.

    An angle that was computed, such as the end of another run, has digits behind the point.
    """
    for name, value in initial.items():
        entry = read_initial(value)
        number = entry.guess if isinstance(entry, Guess) else entry
        if units.get(name.removesuffix(".q")) != "rad" or not isinstance(number, Scalar):
            continue
        angle = number.source
        if (
            not isinstance(angle, int | float)
            or abs(angle) <= 2 * pi
            or not (isinstance(entry, Guess) or angle == round(angle))
        ):
            continue
        yield degrees_doubt(angle, ("initial", name))


def degrees_doubt(angle: float, path: Path) -> Issue:
    """The doubt about an angle without a unit that is probably meant in degrees."""
    fault = f"the angle {angle:g} is taken as radians, {angle / (2 * pi):.1f} turns; did you mean {angle:g} deg?"
    return Issue(fault, f'write "{angle:g} deg" or "{angle:g} rad"', path)


def updated(
    initial: Mapping[str, Any], changes: Mapping[str, Any] | None, joints: Mapping[str, Joint]
) -> dict[str, Any]:
    """Initial values with `changes` in place of the entries of the same coordinates."""
    wanted = with_equilibrium(changes or {})
    new = {key: entry for name, value in wanted.items() for key, entry in _parts(name, value, joints)}
    said = {whole for key, entry in new.items() for whole in covered(key, entry)}
    old = {key: entry for name, value in initial.items() for key, entry in _parts(name, value, joints)}
    kept = {key: x for key, x in old.items() if key in new or not said.intersection(covered(key, x))}
    return kept | new


def with_equilibrium(initial: Mapping[str, Any]) -> Mapping[str, Any]:
    """Initial values with `equilibrium: true` as an entry that is solved."""
    return initial if initial.get(EQUILIBRIUM) is not True else {**initial, EQUILIBRIUM: {"solve": "equilibrium"}}


def _parts(name: str, value: Any, joints: Mapping[str, Joint]) -> Iterator[tuple[str, Any]]:
    """An entry as entries that change as a whole: coordinates, and the axes of an attitude."""
    entry = read_initial(value) if isinstance(value, Mapping) else value
    guessed = isinstance(entry, Guess)
    attitude = entry.guess if isinstance(entry, Guess) else entry
    if not isinstance(attitude, Attitude) or attitude.position is None:
        yield name, value
        return
    if issues := list(attitude_issues(name, attitude, joints)):
        raise ModelError(issues)
    for suffix, scalar in zip(_POSITION, attitude.position, strict=True):
        yield name + suffix, Guess(guess=scalar) if guessed else scalar
    if attitude.turns:
        axes = attitude.replace(position=None)
        yield name, Guess(guess=axes) if guessed else axes
