"""Beam: an elastic rod along the x axis of its first marker, with the stiffness of Timoshenko or Euler and Bernoulli.

In the axes half-way between its ends, bending by the relative rotation and shear by the shift across are independent:
with the angle θ about z and the shift v along y, the ends carry E I θ/L and 12 E I v/(L³ (1 + Φ)), where
Φ = 12 E I/(k G A L²).

Source: Przemieniecki 1968, *Theory of Matrix Structural Analysis*, eq. 5.116, in terms of the mean rotation
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Literal

import casadi as ca
from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.flexible.record import UniformRod
from cardan.model.forces.elastic import Elastic
from cardan.model.forces.load import Number
from cardan.model.quantities.fields import AreaMoment, AreaOfSection, Frequency, Pressure, Ratio, Size
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.element import ValueOf


class Beam(Elastic):
    """An elastic rod without mass; free of load its child marker is at [length, 0, 0] of the parent marker."""

    type: Literal["beam"] = "beam"
    length: Size  # [m]
    youngs_modulus: Pressure  # E [N/m²]
    shear_modulus: Pressure  # G [N/m²]
    area: AreaOfSection  # A [m²]
    Iy: AreaMoment  # second moment of area about y: ∫ z² dA [m⁴]
    Iz: AreaMoment  # about z: ∫ y² dA [m⁴]
    J: AreaMoment  # torsion constant [m⁴]
    shear_factor: Ratio = ZERO  # k of the area that carries shear; zero: stiff in shear, as Euler and Bernoulli have it
    damping_ratio: Ratio = ZERO  # share of the critical damping of a mode with the frequency `frequency`
    frequency: Frequency | None = None  # [Hz]

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, data: Any) -> Any:
        """The numbers of a section and a material in their place."""
        given = {key: data[key] for key in ("section", "material") if key in data}
        if not given:
            return data
        rod = UniformRod(**given)
        found = {"youngs_modulus": rod.material.youngs_modulus, "shear_modulus": rod.shear_modulus}
        found |= asdict(rod.section.numbers())
        for key in found.keys() & data.keys():
            raise ModelError(Issue(f"{key} follows from the section and the material", "leave it out", (key,)))
        return {key: entry for key, entry in data.items() if key not in given} | found

    def at_rest(self) -> Number:
        return ca.vertcat(self.length, 0, 0)

    def springs(self) -> Number:
        E, G, L, A = self.youngs_modulus, self.shear_modulus, self.length, self.area
        across = [self._across(bending) for bending in (self.Iz, self.Iy)]
        return ca.diag(ca.vertcat(E * A / L, *across, G * self.J / L, E * self.Iy / L, E * self.Iz / L))

    def dampers(self) -> Number:
        """C = β K with β = ζ/(π f), which damps a mode of the frequency f by ζ."""
        if self.frequency is None:
            return ca.DM(6, 6)
        return self.damping_ratio / (ca.pi * self.frequency) * self.springs()

    def value_issues(self, value_of: ValueOf) -> Iterable[Issue]:
        if value_of(self.damping_ratio) and self.frequency is None:
            yield Issue("a beam without mass has no frequency of its own", "add frequency: 20 Hz", ("damping_ratio",))

    def _across(self, bending: Number) -> Number:
        """Stiffness against a shift across, without a relative rotation."""
        E, G, L, k = self.youngs_modulus, self.shear_modulus, self.length, self.shear_factor
        if ca.SX(k).is_zero():
            return 12 * E * bending / L**3
        return 12 * E * bending / (L**3 + 12 * E * bending * L / (k * G * self.area))
