"""A flexible body as a user writes it.   Source of materials: Young, Budynas & Sadegh 2012, table 2.1"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, nearest
from cardan.model.body import Marker
from cardan.model.flexible.section import AnySection
from cardan.model.quantities.fields import Density, Frequency, Number, Pressure, Ratio, Size
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record
from cardan.model.records.section import Section
from cardan.model.short_forms.text import over, plus, text_of, times

MATERIALS: dict[str, dict[str, Any]] = {
    "steel": {"youngs_modulus": "210 GPa", "poisson_ratio": 0.3, "density": "7850 kg/m^3"},
    "aluminium": {"youngs_modulus": "70 GPa", "poisson_ratio": 0.33, "density": "2700 kg/m^3"},
}
"""Materials by name."""


class Material(Record):
    """An isotropic linear-elastic material."""

    youngs_modulus: Pressure  # E [N/m²]
    poisson_ratio: Number  # ν
    density: Density  # ρ [kg/m³]

    @model_validator(mode="after")
    def _check(self) -> Self:
        nu, rho = self.poisson_ratio.value, self.density.value
        if nu is not None and not -1 < nu < 0.5:
            fault = f"the Poisson ratio {self.poisson_ratio} is out of range: between -1 and 0.5"
            raise ModelError(Issue(fault, "write 0.3 for steel, 0.33 for aluminium", ("poisson_ratio",)))
        if rho is not None and rho <= 0:
            fault = f"the density {self.density} of a flexible body is not positive"
            raise ModelError(Issue(fault, "write a density, such as 7850 kg/m^3", ("density",)))
        return self


def _material(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value not in MATERIALS:
        cure = f"{nearest(value, MATERIALS)}, or write {{youngs_modulus: …, poisson_ratio: …, density: …}}"
        raise ModelError(f"there is no material {value!r:.60}", cure)
    return MATERIALS[value]


SEGMENTS = 8
MOST_SEGMENTS = 200  # equations of longer chains take minutes to compile


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SEGMENTS:
        raise ModelError(
            f"{value!r:.60} is not a number of segments", f"write a whole number from 1 to {MOST_SEGMENTS}"
        )
    return value


class UniformRod(Record):
    """Section and material of a rod that is alike along its length."""

    section: AnySection  # across x
    material: Annotated[Material, BeforeValidator(_material)]

    @property
    def shear_modulus(self) -> str:
        """G = E/(2 + 2 ν) as part of an expression."""
        E, nu = text_of(self.material.youngs_modulus), text_of(self.material.poisson_ratio)
        return over(E, plus("2.0", times("2", nu)))


class FlexibleBody(UniformRod):
    """A straight rod along the x axis of the body, from its origin."""

    type: Literal["flexible"] = "flexible"
    length: Size  # [m]
    segments: Annotated[int, BeforeValidator(_whole)] = SEGMENTS  # places at which it bends
    damping_ratio: Ratio = ZERO  # share of the critical damping of a mode with the frequency `frequency`
    frequency: Frequency | None = None  # [Hz]; without it that of the first bending of the rod, clamped at its origin
    markers: Section[Marker] = Section()  # frames at rest, in body axes; each rides on the part at its x
    color: str = "#7f8fa6"  # of all its parts: a name or #rrggbb


def read_body(data: Mapping[str, Any]) -> FlexibleBody:
    """A flexible body from its data."""
    return FlexibleBody(**{str(key): entry for key, entry in data.items()})
