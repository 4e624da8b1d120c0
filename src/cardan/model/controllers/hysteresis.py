"""Relay with hysteresis: on above one value, off below another one."""

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import ControlLaw
from cardan.model.quantities.fields import Anything, Rate
from cardan.model.quantities.scalar import ONE, ZERO
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import text_of


class Hysteresis(ControlLaw):
    """`on` once the input has risen above `high`, `off` once it has fallen below `low`; its events are recorded."""

    type: Literal["hysteresis"] = "hysteresis"
    input: Rate
    low: Anything
    high: Anything
    on: Anything = ONE  # result
    off: Anything = ZERO  # likewise
    begins: Literal["on", "off"] = "off"  # at t = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.low.value is not None and self.high.value is not None and not self.low.value < self.high.value:
            raise ModelError(Issue("low is not below high", "exchange them", ("low",)))
        if self.every is not None:
            raise ModelError(Issue("a relay is continuous", "leave every out", ("every",)))
        return self

    def law(self, name: str, sections: Sections) -> str:
        state, value = f"{name}.on", text_of(self.input)
        sections.put("states", state, {"rate": 0, "initial": int(self.begins == "on")})
        for key, bound, direction, new in (("on", self.high, "rising", 1), ("off", self.low, "falling", 0)):
            when = f"{value} - {text_of(bound)}"
            event = {"when": when, "direction": direction, "do": {"set": {state: new}}}
            sections.put("events", f"{name}_{key}", event)
        return f"if({state} > 0.5, {text_of(self.on)}, {text_of(self.off)})"
