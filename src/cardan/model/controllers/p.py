"""Proportional controller."""

from typing import Literal

from cardan.model.controllers.controller import ErrorLaw
from cardan.model.quantities.fields import Anything, PositiveTime
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times


class P(ErrorLaw):
    """kp e."""

    type: Literal["p"] = "p"
    kp: Anything
    filter: PositiveTime | None = None  # time constant of a lag of the error [s]

    def law(self, name: str, sections: Sections) -> str:
        error = self.error_text(name, sections, self.filter)
        return self.bounded(name, plus(times(text_of(self.kp), error), *self.forward), sections)
