"""Hertz: F = 4/3 E* √R δ^1.5 between curved surfaces of known elasticity, with Hunt & Crossley's damping.

1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂ and 1/R = 1/R₁ + 1/R₂; of a plane 1/R is zero.

Source: Johnson 1985, Contact Mechanics, eq. 4.23
"""

from typing import Annotated, Any, Literal

import casadi as ca
from pydantic import BeforeValidator

from cardan.model.contacts.hunt_crossley import Damped
from cardan.model.quantities.fields import Modulus, PoissonRatio

Number = Any  # casadi.SX or casadi.DM
POWER = 1.5


def _twice(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) else (value, value)


Moduli = Annotated[tuple[Modulus, Modulus], BeforeValidator(_twice)]
Ratios = Annotated[tuple[PoissonRatio, PoissonRatio], BeforeValidator(_twice)]


class Hertz(Damped):
    """The elastic force of two bodies of a material each, in the order of `between`; one number stands for both."""

    type: Literal["hertz"] = "hertz"
    youngs_modulus: Moduli  # E [Pa]
    poisson_ratio: Ratios  # ν [-]

    @property
    def power(self) -> Number:
        return POWER

    @property
    def needs_radius(self) -> bool:
        return True

    def stiffness_at(self, radius: Number) -> Number:
        yields = sum((1 - nu**2) / E for E, nu in zip(self.youngs_modulus, self.poisson_ratio, strict=True))
        return 4 / 3 / yields * ca.sqrt(radius)
