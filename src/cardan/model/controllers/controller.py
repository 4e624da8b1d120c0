"""What every controller satisfies: a law of an error, continuous or sampled, and an input that it may drive.

Source: Åström & Hägglund 1995, *PID Controllers*, §3.5 (back-calculation), §3.6 (discretisation); Modelica Standard
Library 4.0, Blocks.Nonlinear.SlewRateLimiter (rate limit behind a lag)
"""

import zlib
from collections.abc import Callable
from random import Random
from typing import Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import Issue, ModelError
from cardan.model.quantities.fields import Anything, Positive, PositiveTime, Rate, Time
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Driven, Sections
from cardan.model.short_forms.text import over, plus, text_of, times

_LAG = "0.001"  # [s] between a demand and a continuous result whose rate is limited, as in the Modelica library


def _limits(value: Any) -> Any:
    if value is None:
        return value
    if isinstance(value, list | tuple) and len(value) != 2:
        raise ModelError(f"limits have a lower and an upper one, not {len(value)}", "write [-24, 24], or 24 for both")
    upper = Scalar.read(value[1] if isinstance(value, list | tuple) else value)
    opposite = f"-{text_of(upper)}" if upper.value is None else -upper.value
    lower = Scalar.read(value[0] if isinstance(value, list | tuple) else opposite)
    if lower.value is not None and upper.value is not None and lower.value > upper.value:
        raise ModelError(f"the lower limit {lower} is above the upper one {upper}", "write [-24, 24], or 24 for both")
    return lower, upper


ResultLimits = Annotated[tuple[Anything, Anything] | None, BeforeValidator(_limits)]
"""Lower and upper limit; one number stands for both."""


class ControlLaw(Record):
    """A controller; its result has its name."""

    type: str
    drive: str | None = None  # motor or drive whose input it is
    every: PositiveTime | None = None  # period of a sampled controller [s]; None: continuous
    computing_delay: Time | None = None  # of a sampled one: the result holds so much later, whole periods [s]

    def law(self, name: str, sections: Sections) -> str:
        """Write out its states, and return the expression of its result."""
        raise NotImplementedError(self.type)

    def write(self, name: str, sections: Sections) -> None:
        """Write it out."""
        if self.every is None and self.computing_delay is not None:
            fault = "a continuous controller has no computing delay"
            raise ModelError(Issue(fault, "add every:", ("computing_delay",)))
        value = self.law(name, sections)
        driven = sections.drives.get(self.drive or "")
        if driven is not None and driven.voltages:
            self.give_voltages(name, value, driven, sections)
            return
        value = self.held(name, value, name, sections)
        if name != self.drive:  # else the result is that of the drive: its voltage
            self.publish(name, value, name, sections)
            value = name
        if self.drive is not None:
            sections.put("inputs", self.drive, value)

    def held(self, key: str, value: str, name: str, sections: Sections) -> str:
        """The value between samples, of a sampled controller."""
        if self.every is None:
            return value
        sections.put("states", f"{key}.held", {"next": self.delayed(value), "every": self.every.source})
        return f"{key}.held"

    def delayed(self, value: str) -> str:
        """What a sampled controller holds from a sample on."""
        return value if self.computing_delay is None else f"delay({value}, {text_of(self.computing_delay)})"

    def publish(self, key: str, value: Any, name: str, sections: Sections) -> None:
        """Write a result out, as a name for expressions and as a result of runs."""
        sections.put("let", key, value)
        sections.put("outputs", key, key)

    def give_voltages(self, name: str, value: str, driven: Driven, sections: Sections) -> None:
        """Write the voltages of a machine with two currents, of which only one gives a torque, out."""
        cure = "choose type: cascade with a current loop, or give the source its voltages"
        raise ModelError(Issue(f"the machine {self.drive!r} has two voltages", cure, ("drive",)))

    def remember(self, name: str, key: str, rate: str, sections: Sections) -> str:
        """A state with a rate per second; of a sampled controller its rate times the period is added at each sample."""
        state = f"{name}.{key}"
        if self.every is None:
            sections.put("states", state, {"rate": rate})
        else:
            law = plus(state, times(text_of(self.every), f"({rate})"))
            sections.put("states", state, {"next": law, "every": self.every.source})
        return state

    def within(
        self, limits: tuple[str, str] | None, event: str, name: str, text: str, *, sections: Sections, is_result: bool
    ) -> str:
        """A text within limits, which notes where it reaches and leaves them; a sampled result does so at samples."""
        if limits is None:
            return text
        (low, high), held = limits, f"{name}.held"
        beyond = f"max({text} - ({high}), {low} - ({text}))"
        if is_result and self.every is not None:
            beyond = f"step({held} - ({high})) + step({low} - {held}) - 0.5"
        if event:
            sections.note(event, beyond)
        return f"max({low}, min({high}, {text}))"

    def advanced(self, name: str, key: str, law: str, sections: Sections) -> None:
        """A state whose rate per second is this; of a sampled controller its value from the next sample on."""
        every = None if self.every is None else self.every.source
        sections.put("states", f"{name}.{key}", {"rate": law} if every is None else {"next": law, "every": every})

    def followed(self, name: str, key: str, value: str, time: str, sections: Sections) -> str:
        """The change per second of a value behind a first-order lag with this time constant."""
        state = f"{name}.{key}"
        if self.every is None:
            sections.put("states", state, {"rate": f"({value} - {state})/({time})"})
            return f"({value} - {state})/({time})"
        T = text_of(self.every)
        lag = plus(time, T)
        law = f"{state} + {T}/({lag})*({value} - {state})"
        sections.put("states", state, {"next": law, "every": self.every.source})
        return f"({value} - {state})/({lag})"

    def lagged(self, name: str, key: str, value: str, time: str, sections: Sections) -> str:
        """A value behind a first-order lag with this time constant; of a sampled controller that of the sample."""
        rate = self.followed(name, key, value, time, sections)
        return f"{name}.{key}" if self.every is None else f"({name}.{key} + {times(text_of(self.every), rate)})"


class LimitedLaw(ControlLaw):
    """A controller whose result, and the rate of its result, stay within limits."""

    limits: ResultLimits = None  # of its result
    slew: Positive | None = None  # largest change of its result per second

    def bounded(self, name: str, text: str, sections: Sections) -> str:
        """Its result within the limits."""
        if self.limits is not None:
            limits = text_of(self.limits[0]), text_of(self.limits[1])
            text = self.within(limits, f"{name}_limit", name, text, sections=sections, is_result=self.slew is None)
        if self.slew is None:
            return text
        sections.put("let", f"{name}.demand", text)
        state, slew = f"{name}.slewed", text_of(self.slew)
        apart = f"{name}.demand - {state}"
        if self.every is None:
            sections.put("states", state, {"rate": f"max(-{slew}, min({slew}, ({apart})/{_LAG}))"})
            return state
        step = times(slew, text_of(self.every))
        law = f"{state} + max(-{step}, min({step}, {apart}))"
        sections.put("states", state, {"next": law, "every": self.every.source})
        return law


class ErrorLaw(LimitedLaw):
    """A controller of an error."""

    error: Rate  # what it brings to zero: set-point minus measurement
    feed_forward: Rate | None = None  # is added to its result
    noise: Positive | None = None  # standard deviation of the measured error of a sampled one
    seed: int = 0  # of the noise
    quantum: Positive | None = None  # step of the measured error of a sampled one
    deadband: Positive | None = None  # the error counts beyond ± this

    def error_text(self, name: str, sections: Sections, lag: Scalar | None = None) -> str:
        """Write the error out, behind a lag with this time constant, and return its name."""
        text = text_of(self.error)
        for key, what in (("noise", "measure with noise"), ("quantum", "quantise")):
            if getattr(self, key) is not None and self.every is None:
                raise ModelError(Issue(f"a continuous controller does not {what}", "add every:", (key,)))
        if self.noise is None and "seed" in self.model_fields_set:
            raise ModelError(Issue("a seed without noise", "add noise: its standard deviation", ("seed",)))
        if self.noise is not None and self.every is not None:
            states, number = gaussian(name, self.seed)
            for state, entry in states.items():
                sections.put("states", state, entry | {"every": self.every.source})
            text = f"{text} + {times(text_of(self.noise), number)}"
        if self.quantum is not None:
            step = text_of(self.quantum)
            text = f"{step}*floor(({text})/{step} + 0.5)"
        sections.put("let", f"{name}.error", text)
        text = f"{name}.error"
        if lag is not None:
            text = self.lagged(name, "lagged_error", text, text_of(lag), sections)
        if self.deadband is not None:
            text = f"max(0, {text} - {text_of(self.deadband)}) + min(0, {text} + {text_of(self.deadband)})"
        if text == f"{name}.error":
            return text
        sections.put("let", f"{name}.acting_error", text)
        return f"{name}.acting_error"

    @property
    def forward(self) -> tuple[str, ...]:
        """What is fed forward."""
        return () if self.feed_forward is None else (text_of(self.feed_forward),)


def pi_law(
    controller: ControlLaw,
    name: str,
    prefix: str,
    error: str,
    gains: tuple[str, str],
    others: tuple[str, ...],
    bounded: Callable[[str], str] | None,
    sections: Sections,
) -> str:
    """kp e + ∫ki e dt and `others`, bounded; where bounds cut off, the integral follows back within kp/ki."""
    kp, ki = gains
    if ki == "0.0":  # an integral that never changes would carry a weight at rest
        raw = plus(times(kp, error), *others)
        return raw if bounded is None else bounded(raw)
    key = f"{prefix}integral"
    raw = plus(times(kp, error), f"{name}.{key}", *others)
    rate = times(ki, error)
    if bounded is None:
        controller.remember(name, key, rate, sections)
        return raw
    sections.put("let", f"{name}.{prefix}unlimited", raw)
    whole = bounded(f"{name}.{prefix}unlimited")
    back = f"({whole} - {name}.{prefix}unlimited)"
    tracked = times(over(ki, kp), back) if kp != "0.0" else ""
    controller.remember(name, key, plus(rate, tracked) if tracked else rate, sections)
    return whole


_GENERATORS = ((40014, 2147483563), (40692, 2147483399))  # (a, m)


def gaussian(name: str, seed: int) -> tuple[dict[str, dict[str, Any]], str]:
    """Sampled states of a source of noise, and its normal number of mean 0 and variance 1; each name has its own."""
    begin = Random(zlib.crc32(name.encode()) ^ seed << 32)
    states = {
        f"{name}.noise_{k}": {"next": f"mod({a}*{name}.noise_{k}, {m})", "initial": 1 + int(begin.random() * (m - 1))}
        for k, (a, m) in enumerate(_GENERATORS, start=1)
    }
    (first, m1), (second, m2) = zip(states, (m for _, m in _GENERATORS), strict=True)
    return states, f"sqrt(-2*log({first}/{m1}))*cos(2*pi*{second}/{m2})"
