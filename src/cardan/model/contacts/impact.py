"""Adams' IMPACT: F = k δⁿ + c step(δ) δ̇, whose damping grows from zero to c over a depth.

step(δ) = 3 s² − 2 s³ with s = δ/depth between 0 and 1.

Source: MSC Adams, documentation of the function IMPACT
"""

from typing import Any, Literal

import casadi as ca

from cardan.model.contacts.contact import StiffContact
from cardan.model.quantities.fields import Damping, Size
from cardan.numerics.round_off import TINY

Number = Any  # casadi.SX or casadi.DM


class Impact(StiffContact):
    """An elastic force with a damper behind it."""

    type: Literal["impact"] = "impact"
    damping: Damping  # c [N s/m]
    depth: Size  # at which the damping is whole [m]

    def damping_ratio(self, k: Number, depth: Number, speed: Number, approach: Number) -> Number:
        s = ca.fmin(ca.fmax(depth / self.depth, 0), 1)
        return self.damping * s**2 * (3 - 2 * s) * speed / (ca.fabs(self.elastic_force(k, depth)) + TINY)
