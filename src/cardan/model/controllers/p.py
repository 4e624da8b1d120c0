"""Proportional controller."""

from __future__ import annotations

from typing import Literal

from cardan.model.controllers.controller import ErrorLaw, limited
from cardan.model.quantities.fields import Anything
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times

__all__ = ["P"]


class P(ErrorLaw):
    """kp e."""

    type: Literal["p"] = "p"
    kp: Anything

    def law(self, name: str, sections: Sections) -> str:
        error = self.error_text(name, sections)
        return limited(plus(times(text_of(self.kp), error), *self.forward), self.limits)
