"""Losses of a gear in front of a joint: friction of its teeth, which follows the torque that they pass on.

With the torque T that the teeth pass on, the loss torque is (1/η₁ − 1)|T| while the front drives, and (1 − η₂)|T| while
what stands behind does; both act against the rotation. While the gear rests it is anything up to this: for η₂ ≤ 0 no
torque from behind moves it. T is what acts in front, but for what its inertia and friction take, and the loss.

Source: Pelchen, Schweiger & Otter 2002, *Modeling and simulating the efficiency of gearboxes and of planetary
gearboxes*, 2nd Int. Modelica Conf., eqs. 3 to 8, with T behind the teeth in place of the torque in front
"""

from collections.abc import Iterator
from typing import Any

import casadi as ca

from cardan.errors import Issue
from cardan.model.quantities.fields import Anything, AnythingMoving
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.element import ValueOf
from cardan.model.records.record import Record

Number = Any  # casadi.SX or casadi.DM


class GearLosses(Record):
    """Losses of a gear; all that stands in front of it as it is felt at the joint."""

    efficiency: Anything  # while what stands in front drives [-]
    reverse_efficiency: Anything  # while what stands behind drives [-]; at most 0: self-locking
    torque: AnythingMoving = ZERO  # of what acts in front of the teeth [N, N m]
    inertia: Anything = ZERO  # in front of them [kg, kg m²]
    effort: AnythingMoving = ZERO  # friction in front of them while it slides [N, N m], part of that of the joint
    static: AnythingMoving = ZERO  # the same while it sticks
    viscous: AnythingMoving = ZERO  # the same, per speed

    @property
    def ratios(self) -> tuple[Number, Number]:
        """Loss torque over the torque that the teeth pass on, while the front drives and while it is driven."""
        return 1 / self.efficiency - 1, 1 - self.reverse_efficiency

    def most(self, held: Number, behind: Number) -> Number:
        """Largest loss torque at rest, where friction holds an effort `held`, of it at most `behind` behind the teeth.

        The gear is about to move against `held`.
        """
        against = ca.sign(held)
        passed = self.torque + held - against * behind
        forwards, backwards = self.ratios
        return ca.if_else(passed * against < 0, forwards, backwards) * ca.fabs(passed)

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        """Efficiencies that no gear has."""
        forwards, backwards = value_of(self.efficiency), value_of(self.reverse_efficiency)
        if not 0 < forwards <= 1:
            yield Issue(f"an efficiency of {forwards:g} is not possible", "write 0.9 for 90 %", ("efficiency",))
        if backwards > 1:
            fault = f"a reverse efficiency of {backwards:g} is not possible"
            yield Issue(fault, "write 0.8 for 80 %, or 0 for a gear that locks itself", ("reverse_efficiency",))
