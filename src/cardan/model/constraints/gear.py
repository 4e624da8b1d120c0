"""Gears by numbers of teeth: a linear relation of the angles of joints that turn on one body.

Source: Willis 1841, Principles of Mechanism (planetary gears); Uicker, Pennock & Shigley 2017, ch. 9 (gear trains)
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, Path
from cardan.model.constraints.constraint import Constraint, Number, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.place import split
from cardan.model.quantities.fields import Anything, Length, Teeth
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.records.element import ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import ZERO
from cardan.model.units import DIMENSIONLESS, METRE, Dimension

_ANGLE = NumberKind("an angle", "30 deg", DIMENSIONLESS)
_LENGTH = NumberKind("a length", "25 mm", METRE)

_SIGNS = {"external": 1, "bevel": 1, "internal": -1, "planetary": 1}  # of the second joint's angle in the equation


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


class Gear(Constraint):
    """Wheels that roll on each other: `kind: external, joints: [pinion, wheel], teeth: [20, 60]`.

    With i = z₂/z₁ of the numbers of teeth: θ₁ + i θ₂ = offset of external and bevel gears, θ₁ − i θ₂ = offset
    of internal ones; θ_sun + i θ_ring − (1 + i) θ_carrier = offset of a planetary gear; r θ − x = offset of a rack.
    """

    type: Literal["gear"] = "gear"
    kind: Literal["external", "internal", "bevel", "planetary", "rack"]
    joints: tuple[str, str]  # the two that mesh; [sun, ring] of a planetary gear, [pinion, rack]
    teeth: Annotated[tuple[Teeth, ...], BeforeValidator(_as_list)] = ()  # of the wheels of `joints`; pinion of a rack
    carrier: str | None = None  # joint of the carrier of a planetary gear
    radius: Length | None = None  # pitch radius of a rack's pinion [m], in place of module and teeth
    module: Length | None = None  # pitch diameter per tooth of a rack's pinion [m]
    offset: Anything = ZERO  # [rad]; of a rack [m]

    @model_validator(mode="after")
    def _check(self) -> Self:
        issues = list(self._of_rack() if self.kind == "rack" else self._of_wheels())
        if issues:
            raise ModelError(issues)
        return self

    def _of_rack(self) -> Iterator[Issue]:
        by_teeth = self.module is not None and len(self.teeth) == 1
        if (self.radius is None) != by_teeth or (self.radius is not None and (self.teeth or self.module is not None)):
            yield Issue("the size of the pinion is not clear", "write either radius, or module and its number of teeth")
        if self.carrier is not None:
            yield Issue("a rack has no carrier", "leave it out", ("carrier",))

    def _of_wheels(self) -> Iterator[Issue]:
        if len(self.teeth) != 2:
            fault = f"{len(self.teeth)} numbers of teeth are given for two wheels"
            yield Issue(fault, "write teeth: [20, 60], in the order of joints", ("teeth",))
        for key in ("radius", "module"):
            if getattr(self, key) is not None:
                yield Issue(f"only a rack has a {key}", "numbers of teeth say all about other gears", (key,))
        if (self.carrier is None) == (self.kind == "planetary"):
            fault = "the carrier is missing" if self.carrier is None else f"gears of kind {self.kind} have no carrier"
            cure = "write carrier: JOINT, the joint that turns the carrier of the planets of a planetary gear"
            yield Issue(fault, cure, () if self.carrier is None else ("carrier",))

    def rows(self, around: Surroundings) -> list[Row]:
        first, second = (around.value(name) for name in self.joints)
        offset = around.number(self.offset)
        if self.kind == "rack":
            return [Row("force along the rack", self._pinion_radius(around) * first - second - offset)]
        z1, z2 = (around.number(z) for z in self.teeth)
        total = first + _SIGNS[self.kind] * z2 / z1 * second
        if self.carrier is not None:
            total = total - (1 + z2 / z1) * around.value(self.carrier)
        return [Row("torque on the first joint", total - offset)]

    def _pinion_radius(self, around: Surroundings) -> Number:
        if self.radius is not None:
            return around.number(self.radius)
        assert self.module is not None, "checked when the record is made"
        return around.number(self.module) * around.number(self.teeth[0]) / 2

    def equation_dimension(self, index: int, known: Mapping[str, Dimension | None]) -> Dimension:
        return METRE if self.kind == "rack" else DIMENSIONLESS

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        if path != ("offset",):
            return None
        return _LENGTH if self.kind == "rack" else _ANGLE

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        wanted: list[tuple[Path, str, str]] = [
            (("joints", 0), self.joints[0], "rad"),
            (("joints", 1), self.joints[1], "m" if self.kind == "rack" else "rad"),
        ]
        wanted += [] if self.carrier is None else [(("carrier",), self.carrier, "rad")]
        sides: dict[str, str] = {}
        for path, name, unit in wanted:
            found = names.coordinates.get(name)
            if found is None:
                yield Issue(f"there is no coordinate {name!r}", names.advice(name, names.coordinates), path)
            elif found != unit:
                what = "slides" if unit == "m" else "turns"
                yield Issue(f"{name!r} has the unit {found}", f"give a joint that {what} here", path)
            elif name in sides:
                yield Issue(f"{name!r} stands here a second time", "give every wheel a joint of its own", path)
            else:
                sides[name] = split(names.model.joints[name.partition(".")[0]].parent)[0]
        if len(set(sides.values())) > 1:
            where = ", ".join(f"{name!r} on {side!r}" for name, side in sides.items())
            cure = "give the joints of a gear one body as parent, or write the relation of their angles as a coupler"
            yield Issue(f"the joints do not turn on one body: {where}", cure, ("joints",))

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        teeth = [value_of(z) for z in self.teeth]
        for k, z in enumerate(teeth):
            if z != round(z):
                yield Issue(f"a wheel with {z:g} teeth", "write a whole number, or a coupler", ("teeth", k))
        if self.kind == "planetary" and teeth[1] <= teeth[0]:
            fault = f"the sun has {teeth[0]:g} teeth, the ring {teeth[1]:g}"
            yield Issue(fault, "the ring has more: write joints: [sun, ring] and teeth in this order", ("teeth",))
        if self.kind == "internal" and teeth[0] == teeth[1]:
            fault = f"both wheels have {teeth[0]:g} teeth"
            yield Issue(fault, "a wheel inside another one has fewer teeth", ("teeth",))
        for key in ("radius", "module"):
            size = getattr(self, key)
            if size is not None and value_of(size) <= 0:
                yield Issue(f"the {key} is {value_of(size):g}", "it has to be positive", (key,))
