"""Dead time of a sampled signal: the value that the input had so much earlier."""

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import ControlLaw
from cardan.model.quantities.fields import Rate, Time
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import text_of


class Delay(ControlLaw):
    """The input a `time` ago; until then its value at t = 0."""

    type: Literal["delay"] = "delay"
    input: Rate
    time: Time  # whole periods [s]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.every is None:
            cure = "add every:, or write a transfer_function that is near it, such as a Padé approximation"
            raise ModelError(Issue("the dead time of a continuous signal has no finite number of states", cure))
        return self

    def law(self, name: str, sections: Sections) -> str:
        return f"delay({text_of(self.input)}, {text_of(self.time)})"
