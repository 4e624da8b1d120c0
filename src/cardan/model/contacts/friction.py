"""Friction where bodies touch: Coulomb's or Stribeck's coefficient of the normal load, with bristles that hold at rest.

Bristles bend by z before they slide: ż = v − |v| z/ℓ with the bend ℓ = μ(|v|)/σ at which they slide, and the friction
over the load is σ z + σ₁ ż/(1 + σ₁|v|/μ). At rest z holds any friction up to μ without motion. The second term damps
the bristles; the denominator keeps the friction below μ at every speed (in the LuGre model it is absent), and the power
is never negative at constant load: σ₁(|v|) |v| ≤ 4 μ.

Where neither `bristle` nor `regularize` is given, bristles are as stiff as the contact is along its normal under the
weight W of the lighter side, n W/δ with W = k δⁿ, so that σ = n/δ, and critically damped under this weight,
σ₁ = 2 √(σ/g). `static` without `speed` falls to `coefficient` over the speed μ/σ₁ with which bristles respond.

Rolling and spinning resistance are moments up to `rolling` and `spinning` times the load, from bristles that bend by
ℓ over the radius of the surface.

Source: Canudas de Wit & Tsiotras 1999, 38th IEEE CDC, eqs. 8 and 9; Barabanov & Ortega 2000, IEEE Trans. Automatic
Control 45:675 (the bound on σ₁); Johnson 1985, Contact Mechanics, §7.2 (stiffness along and across are alike)
"""

from collections.abc import Iterator
from typing import Any, Literal, Self

import casadi as ca
from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.quantities.fields import Coefficient, PerLength, PerSpeed, Size, Speed
from cardan.model.records.element import ValueOf
from cardan.model.records.record import Record

Number = Any  # casadi.SX or casadi.DM


@dataclass(frozen=True)
class Bristles:
    """Numbers of bristles: how stiff they are, and how damped, over the normal load."""

    stiffness: Number  # σ [1/m]
    damping: Number  # σ₁ [s/m]


class ContactFriction(Record):
    """Friction along the surfaces, as a coefficient of their normal force."""

    type: Literal["coulomb", "stribeck", "lugre"] = "coulomb"
    coefficient: Coefficient  # while sliding [-]; of stribeck at high speed
    static: Coefficient | None = None  # largest one at rest [-]
    speed: Speed | None = None  # over which the coefficient falls from static to sliding [m/s]
    regularize: Speed | None = None  # speed over which friction changes its sign; then nothing rests, it creeps [m/s]
    bristle: PerLength | None = None  # σ [1/m]
    bristle_damping: PerSpeed | None = None  # σ₁ [s/m]
    rolling: Size | None = None  # moment against rolling over normal force [m]
    spinning: Size | None = None  # moment against spinning about the normal over normal force [m]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.type == "stribeck" and (self.static is None or self.speed is None):
            raise ModelError("friction of type stribeck needs static and speed", "add them, or write type: coulomb")
        if self.type == "lugre" and self.bristle is None:
            raise ModelError("friction of type lugre needs bristle", "add it, or write type: coulomb")
        if self.speed is not None and self.static is None:
            raise ModelError("the coefficient falls over a speed from a static one", "give static, or leave speed out")
        if self.regularize is not None and (self.bristle is not None or self.bristle_damping is not None):
            raise ModelError("regularized friction has no bristles", "leave regularize or the bristles out")
        if self.static is not None and self.speed is None and self.bristle is not None and self.bristle_damping is None:
            raise ModelError("bristles without damping have no speed over which static friction falls", "give speed")
        if self.bristle_damping is not None and self.bristle is None:
            raise ModelError("the damping of bristles needs their stiffness", "give bristle, or leave it out")
        return self

    @property
    def turns(self) -> bool:
        """Whether it resists rolling or spinning."""
        return self.rolling is not None or self.spinning is not None

    def bristles(self, depth: Number, power: Number, gravity: Number) -> Bristles:
        """Bristles as given, or as stiff as the elastic force (exponent `power`) at the depth of a body at rest."""
        stiffness = power / depth if self.bristle is None else self.bristle
        damping = 2 * ca.sqrt(stiffness / gravity) if self.bristle is None else (self.bristle_damping or 0)
        return Bristles(stiffness, damping)

    def sliding(self, speed: Number, bristles: Bristles | None = None) -> Number:
        """Coefficient μ at a speed (number ≥ 0)."""
        if self.static is None:
            return self.coefficient
        if self.speed is not None:
            fall = self.speed
        else:
            fall = self.regularize if bristles is None else self.coefficient / bristles.damping
        return self.coefficient + (self.static - self.coefficient) * ca.exp(-((speed / fall) ** 2))

    def smooth(self, v: Number, speed: Number) -> Number:
        """Share of μ that acts against the velocity v (k,), |v| = `speed`, where friction is regularized."""
        return ca.tanh(speed / self.regularize) * v / speed

    def bent(self, v: Number, speed: Number, z: Number, bristles: Bristles) -> tuple[Number, Number]:
        """(share of μ that acts against the velocity v (k,), |v| = `speed`, rate of the bend z (k,)) of bristles."""
        mu = self.sliding(speed, bristles)
        rate = v - bristles.stiffness * speed / mu * z
        damping = bristles.damping / (mu + bristles.damping * speed)
        return bristles.stiffness / mu * z + damping * rate, rate

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        """Numbers with which friction would not dissipate."""
        for key in ("speed", "regularize"):
            number = getattr(self, key)
            if number is not None and not value_of(number) > 0:
                yield Issue(f"{key} is {value_of(number):g}", "it has to be positive", (key,))
        if self.static is not None and value_of(self.static) < value_of(self.coefficient):
            fault = f"the static coefficient {value_of(self.static):g} is below the sliding one"
            yield Issue(fault, f"give static of at least {value_of(self.coefficient):g}, or leave it out", ("static",))
