"""Proportional and integral controller.   Source: Åström & Hägglund 1995, *PID Controllers*, ch. 3"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import ModelError
from cardan.model.controllers.controller import ErrorLaw, pi_law
from cardan.model.quantities.fields import Anything, Time
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import over, text_of

__all__ = ["PI", "integral_gain"]


class PI(ErrorLaw):
    """kp e + ki ∫e dt, or kp (e + ∫e dt/time)."""

    type: Literal["pi"] = "pi"
    kp: Anything = ZERO
    ki: Anything | None = None
    time: Time | None = None  # integral time kp/ki, in place of ki [s]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.ki is None) == (self.time is None):
            raise ModelError(f"a {self.type} controller has ki, or an integral time", "give one of the two")
        return self

    def law(self, name: str, sections: Sections) -> str:
        error = self.error_text(name, sections)
        return pi_law(
            self, name, "", error, integral_gain(self.kp, self.ki, self.time), self.forward, self.limits, sections
        )


def integral_gain(kp: Scalar, ki: Scalar | None, time: Scalar | None) -> tuple[str, str]:
    """kp, and ki or kp/time."""
    if ki is not None:
        return text_of(kp), text_of(ki)
    return text_of(kp), over(text_of(kp), text_of(time)) if time is not None else "0.0"
