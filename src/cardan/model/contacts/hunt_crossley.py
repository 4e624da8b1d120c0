"""Hunt & Crossley: F = k δⁿ (1 + d δ̇), whose damping begins and ends at zero with the elastic force.

Without other forces a mass that meets with the speed v leaves with e v, where x = d v solves
ln((1 + x)/(1 − e x)) = (1 + e) x, for every mass, stiffness and exponent. A given `restitution` e holds at every speed:
the damping is d = x/v with the speed v of the last approach.

Source: Hunt & Crossley 1975, J. Applied Mechanics 42:440; the equation follows from m v dv/dδ = −k δⁿ (1 + d v)
"""

from collections.abc import Iterator
from typing import Any, Literal, Self

import casadi as ca
from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.contacts.contact import Contact, StiffContact
from cardan.model.quantities.fields import PerSpeed, Restitution
from cardan.model.records.element import ValueOf

Number = Any  # casadi.SX or casadi.DM
STEPS = 5  # of Newton's method for x: from the start below, 4e-16 for e ≥ 0.01


class Damped(Contact):
    """A contact whose damping is proportional to its elastic force."""

    damping: PerSpeed | None = None  # d [s/m]
    restitution: Restitution | None = None  # e [-], in place of damping

    @model_validator(mode="after")
    def _check_damping(self) -> Self:
        if self.damping is not None and self.restitution is not None:
            raise ModelError("a contact has damping or restitution", "keep one of the two")
        return self

    @property
    def keeps_approach(self) -> bool:
        return self.restitution is not None

    def damping_ratio(self, k: Number, depth: Number, speed: Number, approach: Number) -> Number:
        if self.restitution is not None:
            return damping_number(self.restitution) * speed / ca.if_else(approach > 0, approach, ca.inf)
        return 0 if self.damping is None else self.damping * speed

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        yield from super().value_issues(value_of)
        if self.restitution is not None and value_of(self.restitution) > 1:
            fault = f"restitution is {value_of(self.restitution):g}: every impact would add energy"
            yield Issue(fault, "write a number up to 1", ("restitution",))


class HuntCrossley(Damped, StiffContact):
    """An elastic force of a given stiffness with a damping proportional to it."""

    type: Literal["hunt_crossley"] = "hunt_crossley"


def damping_number(e: Number) -> Number:
    """x = d v [-] of the restitution e: Newton's method for w = −ln(1 − e x), from x = (1 − e)(1 + e/2)/e."""
    w = -ca.log1p(-(1 - e) * (1 + e / 2))
    for _ in range(STEPS):
        x = -ca.expm1(-w) / e
        slope = 1 + (1 / (1 + x) - (1 + e)) * ca.exp(-w) / e
        w = w - (ca.log1p(x) + w - (1 + e) * x) / ca.if_else(slope > 0, slope, 1)  # 0 at e = 1, where w = 0
    return -ca.expm1(-w) / e
