"""Proportional and integral controller.   Source: Åström & Hägglund 1995, *PID Controllers*, ch. 3"""

from functools import partial
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from cardan.errors import ModelError
from cardan.model.controllers.controller import ErrorLaw, pi_law
from cardan.model.quantities.fields import Anything, PositiveTime
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import over, text_of


class PI(ErrorLaw):
    """kp e + ki ∫e dt, or kp (e + ∫e dt/time)."""

    type: Literal["pi"] = "pi"
    kp: Anything = ZERO
    ki: Anything | None = None
    time: PositiveTime | None = None  # integral time kp/ki, in place of ki [s]
    filter: PositiveTime | None = None  # time constant of a lag of the error [s]

    integrates: ClassVar[bool] = True  # whether it has an integral in any case

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.ki is None) == (self.time is None) and (self.integrates or self.ki is not None):
            raise ModelError(f"a {self.type} controller has ki, or an integral time", "give one of the two")
        return self

    def law(self, name: str, sections: Sections) -> str:
        return self.of_error(name, self.error_text(name, sections, self.filter), (), sections)

    def of_error(self, name: str, error: str, others: tuple[str, ...], sections: Sections) -> str:
        """Its result for this error, with what else is added to it."""
        bounds = None if self.limits is None and self.slew is None else partial(self.bounded, name, sections=sections)
        gains = integral_gain(self.kp, self.ki, self.time)
        return pi_law(self, name, "", error, gains, (*others, *self.forward), bounds, sections)


def integral_gain(kp: Scalar, ki: Scalar | None, time: Scalar | None) -> tuple[str, str]:
    """kp, and ki or kp/time."""
    if ki is not None:
        return text_of(kp), text_of(ki)
    return text_of(kp), over(text_of(kp), text_of(time)) if time is not None else "0.0"
