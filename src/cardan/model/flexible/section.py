"""Sections of a rod across its axis x: area, second moments of area, torsion constant, and the solid to draw.

Source: Young, Budynas & Sadegh 2012, *Roark's Formulas*, tables A.1 and 10.7; Cowper 1966 (shear factors at ν = 0.3)
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.quantities.fields import AreaMoment, AreaOfSection, Positive, Size
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.kinds import OneOf
from cardan.model.records.record import Record
from cardan.model.short_forms.text import over, plus, text_of, times


@dataclass(frozen=True)
class SectionNumbers:
    """What a section brings, as parts of expressions in SI."""

    area: str
    Iy: str  # ∫ z² dA
    Iz: str  # ∫ y² dA
    J: str  # torsion constant
    shear_factor: str  # share of the area that carries shear


class CrossSection(Record):
    """A section in the y, z plane of the body, its centre on the x axis."""

    @abstractmethod
    def numbers(self) -> SectionNumbers:
        """AreaOfSection, moments and shear factor."""

    @abstractmethod
    def solid(self, length: str) -> dict[str, Any]:
        """The shape of a piece of this `length` that begins at the origin."""


def _box(length: str, width: str, height: str) -> dict[str, Any]:
    return {"type": "box", "size": [length, width, height], "position": [times("0.5", length), 0, 0]}


class Rectangle(CrossSection):
    """A rectangle."""

    type: Literal["rectangle"] = "rectangle"
    width: Size  # along y [m]
    height: Size  # along z [m]

    def numbers(self) -> SectionNumbers:
        b, h = text_of(self.width), text_of(self.height)
        long, short = _sorted(b, h)
        ratio = over(short, long)
        J = times(long, f"({short})**3", f"(1/3 - 0.21*({ratio})*(1 - ({ratio})**4/12))")
        Iy, Iz = (times(repr(1 / 12), one, other, other, other) for one, other in ((b, h), (h, b)))
        return SectionNumbers(times(b, h), Iy, Iz, J, repr(5 / 6))

    def solid(self, length: str) -> dict[str, Any]:
        return _box(length, text_of(self.width), text_of(self.height))


class Circle(CrossSection):
    """A full circle."""

    type: Literal["circle"] = "circle"
    diameter: Size  # [m]

    def numbers(self) -> SectionNumbers:
        return _ring(text_of(self.diameter), "0.0", 0.9)

    def solid(self, length: str) -> dict[str, Any]:
        return _cylinder(length, text_of(self.diameter))


class Tube(CrossSection):
    """A ring."""

    type: Literal["tube"] = "tube"
    diameter: Size  # outer [m]
    thickness: Size  # of the wall [m]

    @model_validator(mode="after")
    def _check(self) -> Self:
        d, t = self.diameter.value, self.thickness.value
        if d is not None and t is not None and 2 * t >= d:
            fault = f"a tube of {self.diameter} has no wall of {self.thickness}"
            raise ModelError(Issue(fault, "give less than half the diameter, or type: circle", ("thickness",)))
        return self

    def numbers(self) -> SectionNumbers:
        d = text_of(self.diameter)
        return _ring(d, plus(d, times("-2", text_of(self.thickness))), 0.53)

    def solid(self, length: str) -> dict[str, Any]:
        return _cylinder(length, text_of(self.diameter))


def _not_zero(value: Any) -> Any:
    if value in (0, "0"):
        cure = "leave it out: at 5/6 a slender rod bends as the theory of Euler and Bernoulli says"
        raise ModelError("a rod of shear_factor 0 has no stiffness in shear", cure)
    return value


SharedArea = Annotated[Positive, BeforeValidator(_not_zero)]


class General(CrossSection):
    """Any section by its numbers; drawn as a rectangle with its area and proportion of Iy and Iz."""

    type: Literal["general"] = "general"
    area: AreaOfSection  # [m²]
    Iy: AreaMoment  # ∫ z² dA [m⁴]
    Iz: AreaMoment  # ∫ y² dA [m⁴]
    J: AreaMoment  # torsion constant [m⁴]
    shear_factor: SharedArea = Scalar.read("5/6")  # share of the area that carries shear

    def numbers(self) -> SectionNumbers:
        return SectionNumbers(*(text_of(each) for each in (self.area, self.Iy, self.Iz, self.J, self.shear_factor)))

    def solid(self, length: str) -> dict[str, Any]:
        A, Iy, Iz = (text_of(each) for each in (self.area, self.Iy, self.Iz))
        return _box(length, f"sqrt({A})*({over(Iz, Iy)})**0.25", f"sqrt({A})*({over(Iy, Iz)})**0.25")


def _ring(outer: str, inner: str, shear_factor: float) -> SectionNumbers:
    """A ring between two diameters."""
    pi = 3.141592653589793
    area = plus(times(repr(pi / 4), outer, outer), times(repr(-pi / 4), inner, inner))
    moment = plus(times(repr(pi / 64), *[outer] * 4), times(repr(-pi / 64), *[inner] * 4))
    return SectionNumbers(area, moment, moment, times("2", f"({moment})"), repr(shear_factor))


def _cylinder(length: str, diameter: str) -> dict[str, Any]:
    middle = [times("0.5", length), 0, 0]
    return {
        "type": "cylinder",
        "radius": times("0.5", diameter),
        "length": length,
        "position": middle,
        "rpy": [0, "90 deg", 0],
    }


def _sorted(a: str, b: str) -> tuple[str, str]:
    """The longer and the shorter of two lengths."""
    try:
        return (a, b) if float(a) >= float(b) else (b, a)
    except ValueError:
        return f"max({a}, {b})", f"min({a}, {b})"


SECTIONS: dict[str, type[CrossSection]] = {"rectangle": Rectangle, "circle": Circle, "tube": Tube, "general": General}


def _general(value: Any) -> Any:
    """A table with an area and without a type is a section by its numbers."""
    return {"type": "general", **value} if isinstance(value, Mapping) and "area" in value else value


AnySection = Annotated[CrossSection, OneOf("section", SECTIONS), BeforeValidator(_general)]
"""A section of any kind; `type` says which."""
