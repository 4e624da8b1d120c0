"""What stands between the input of a DC motor and its circuit: limits, a share of a supply's voltage, pulses.

The current limit I cuts the voltage off at K ω ± R I, which holds the current there, so that it never passes the limit.
The limit r of its rate cuts off at R i + K ω ± L r. The limit of the voltage cuts off last: a converter gives no more
than it has. The share d = u/U_0 then reaches the motor as d U, or in pulses: U is on while a sawtooth is below |d|.

Source: Mohan, Undeland & Robbins 2003, *Power Electronics*, §7-7 (full bridge, unipolar)
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.sources.axes import SourceLimits
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Anything, Current, Frequency, Temperature, Voltage
from cardan.model.records.record import Record
from cardan.model.short_forms.supplies import Supply
from cardan.model.short_forms.text import negative, plus, text_of, times


class DcLimits(SourceLimits):
    """Limits of a DC motor, both ways; that of the temperature is only recorded."""

    voltage: Voltage | None = None  # [V]
    current: Current | None = None  # [A]
    current_rate: Anything | None = None  # [A/s]
    temperature: Temperature | None = None  # of the node of its heat [°C]


class Pwm(Record):
    """Pulse-width modulation."""

    mode: Literal["averaged", "switched"] = "averaged"  # over the pulses, or each of them
    frequency: Frequency | None = None  # of switched pulses [1/s]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.mode == "switched" and self.frequency is None:
            raise ModelError(Issue("switched pulses have no frequency", "add frequency: 20 kHz"))
        return self


def _supply(value: Any) -> Any:
    return Supply(**{str(key): x for key, x in value.items()}) if isinstance(value, Mapping) else value


SupplyOrName = Annotated[str | Supply | None, BeforeValidator(_supply)]
"""A supply, or the name of one of the section `supplies`."""


class Converter(Record):
    """What gives a DC motor its voltage."""

    limits: DcLimits = DcLimits()  # which cut off what reaches the circuit
    supply: SupplyOrName = None  # whose voltage it passes on
    demand: Literal["voltage", "duty"] = "voltage"  # what its input is
    pwm: Pwm | None = None  # how the share of the supply is made

    @model_validator(mode="after")
    def _is_fed(self) -> Self:
        if self.supply is None and (self.pwm is not None or self.demand == "duty"):
            what = "pulses have" if self.pwm is not None else "a duty has"
            raise ModelError(
                Issue(f"{what} no voltage", "add supply: {voltage: 48 V}, or the name of one of supplies:")
            )
        return self

    def convert(self, train: Train, resistance: str, inductance: str, constant: str) -> None:
        """Show the voltage that the motor gets, and give the motor this law."""
        name, limits, emf = train.name, self.limits, times(constant, f"{train.name}.speed")
        text = f"{name}.demand"
        if self.supply is not None:
            train.supply = (f"{name}.bus", self.supply) if isinstance(self.supply, Supply) else (self.supply, None)
        bus = train.supply[0]
        if self.demand == "duty":
            text = f"{bus}.nominal*{text}"
        if limits.current is not None:
            train.limits["current"] = text_of(limits.current)
            text = _between(train, "current", text, emf, times(resistance, text_of(limits.current)))
        if limits.current_rate is not None:
            middle = plus(times(resistance, f"{name}.current"), emf)
            text = _between(train, "current_rate", text, middle, times(inductance, text_of(limits.current_rate)))
        if limits.voltage is not None:
            train.limits["voltage"] = text_of(limits.voltage)
            text = _between(train, "voltage", text, "0.0", text_of(limits.voltage))
        if bus:
            most = f"min({text_of(limits.voltage)}, {bus}.nominal)" if limits.voltage is not None else f"{bus}.nominal"
            train.limits["voltage"] = f"{most}/{bus}.nominal" if self.demand == "duty" else most  # in the input's unit
            key = "supply" if limits.voltage is not None else "voltage"
            share = _between(train, key, f"({text})/{bus}.nominal", "0.0", "1.0")
            train.show("duty", partial(str, share))
            share = f"{name}.duty"
            if self.pwm is not None and self.pwm.mode == "switched" and self.pwm.frequency is not None:
                saw = f"mod({text_of(self.pwm.frequency)}*t, 1)"
                train.show("pulse", partial(str, f"step({share} - {saw}) - step(-{share} - {saw})"))
                share = f"{name}.pulse"
            train.draws = f"{share}*{name}.current"
            text = f"{share}*{bus}.voltage"
        if train.motor is not None and text != f"{name}.demand":
            train.motor |= {"demand": self.demand, "applied": text}


def _between(train: Train, key: str, text: str, middle: str, size: str) -> str:
    """A value within so much of the middle, a limit whose events have a name."""
    train.events[key] = f"abs({plus(text, negative(middle))}) - {size}"
    return f"max({plus(middle, negative(size))}, min({plus(middle, size)}, {text}))"
