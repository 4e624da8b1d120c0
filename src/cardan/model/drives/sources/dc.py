"""DC motor as a source: an entry of `motors`, whose results have the name of the drive.   Source: docs/drives.md"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.sources.source import DriveSource
from cardan.model.quantities.fields import (
    BackEmfConstant,
    Inductance,
    Resistance,
    TorqueConstant,
    TorsionalDamping,
)
from cardan.model.quantities.scalar import ZERO
from cardan.model.short_forms.text import plus, text_of, times

if TYPE_CHECKING:
    from cardan.model.drives.train import Train

__all__ = ["DcSource"]


class DcSource(DriveSource):
    """A DC motor; its results have the name of the drive: `shoulder.current`."""

    type: Literal["dc"] = "dc"
    resistance: Resistance  # of its circuit [Ω]
    inductance: Inductance = ZERO  # of its circuit [H]
    constant: TorqueConstant | None = None  # torque per current, and in SI voltage per speed
    torque_constant: TorqueConstant | None = None  # in place of `constant`, where iron losses make the two differ
    back_emf_constant: BackEmfConstant | None = None  # likewise
    damping: TorsionalDamping = ZERO  # of its rotor [N m s/rad]

    @model_validator(mode="after")
    def _check(self) -> Self:
        both = None not in (self.torque_constant, self.back_emf_constant)
        none = self.torque_constant is None and self.back_emf_constant is None
        if (self.constant is None) != both or not (both or none):
            cure = "give constant, or torque_constant and back_emf_constant"
            raise ModelError(Issue("the constant of the motor is missing or given twice", cure))
        return self

    def motor(self) -> dict[str, Any]:
        """The data of the motor, without its joint and ratio."""
        constant = self.constant
        return {
            "type": "dc",
            "resistance": self.resistance.source,
            "inductance": self.inductance.source,
            "torque_constant": (constant or self.torque_constant).source,  # type: ignore[union-attr]
            "back_emf_constant": text_of(constant) if constant else self.back_emf_constant.source,  # type: ignore[union-attr]
            "rotor_damping": self.damping.source,
        }

    def add(self, train: Train) -> None:
        train.motor = self.motor()
        heat = times(text_of(self.resistance), f"{train.name}.current**2")
        lost = plus(heat, times(text_of(self.damping), f"{train.name}.speed**2"))
        train.show("losses", lambda: lost, is_let=False)
