"""Quantities of three phases in two axes, with the amplitudes of a phase: voltages of machines, and their limits.

α = (2 a − b − c)/3, β = (b − c)/√3; turned by the angle θ:  d = α cos θ + β sin θ,  q = β cos θ − α sin θ

Source: Leonhard 2001, *Control of Electrical Drives*, §10.1 (space vectors), §14.1
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Current, Rate, Voltage
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record
from cardan.model.short_forms.text import text_of


class AxisVoltages(Record):
    """Voltages along two axes."""

    d: Rate = ZERO  # [V]
    q: Rate = ZERO  # a quarter turn ahead [V]


class PhaseVoltages(Record):
    """Voltages of three phases."""

    a: Rate  # [V]
    b: Rate
    c: Rate


def _voltages(value: Any) -> Any:
    if isinstance(value, Mapping):
        return AxisVoltages(**{str(key): entry for key, entry in value.items()})
    if not isinstance(value, list | tuple):
        return value
    if len(value) != 3:
        raise ModelError(f"there are three phases, not {len(value)}", "write [a, b, c], or {d: …, q: …}")
    return PhaseVoltages(**dict(zip("abc", value, strict=True)))


Voltages = Annotated[PhaseVoltages | AxisVoltages, BeforeValidator(_voltages)]
"""Of three phases, or along both axes."""


class SourceLimits(Record):
    """Limits of a source: sizes, that hold both ways."""

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ModelError(f"{f'{data!r:.60}'} is not a table of limits", "write {voltage: 24 V}")
        for key, value in data.items():
            if isinstance(value, list | tuple):
                raise ModelError(
                    Issue("a limit of a source is one number", "give its size: it holds both ways", (key,))
                )
        return data

    @model_validator(mode="after")
    def _check(self) -> Self:
        for key, scalar in self:
            if scalar is not None and scalar.value is not None and not scalar.value > 0:
                fault = f"the limit {scalar} is not positive"
                raise ModelError(Issue(fault, "give its size: it holds both ways", (key,)))
        return self


class Amplitudes(SourceLimits):
    """Limits of a machine: amplitudes of its phases."""

    voltage: Voltage | None = None  # [V]
    current: Current | None = None  # [A]


def axis_voltages(train: Train, voltages: PhaseVoltages | AxisVoltages, angle: str, names: tuple[str, str]) -> None:
    """Show voltages along both axes under these names; the axes are turned by an `angle` against the phases."""
    if isinstance(voltages, AxisVoltages):
        d, q = text_of(voltages.d), text_of(voltages.q)
    else:
        a, b, c = (text_of(each) for each in (voltages.a, voltages.b, voltages.c))
        d, q = f"(2*{a} - {b} - {c})/3", f"({b} - {c})/sqrt(3)"
        if angle:
            for name, text in (("u_alpha", d), ("u_beta", q)):
                train.show(name, partial(str, text))
            d, q = _turned(train.prefixed("u_alpha"), train.prefixed("u_beta"), angle)
    for name, text in zip(names, (d, q), strict=True):
        train.show(name, partial(str, text))


def limited_voltages(
    train: Train, voltages: PhaseVoltages | AxisVoltages | None, limit: Any, angle: str
) -> tuple[str, str]:
    """Show voltages along both axes within a limit; the names of those asked for, which nothing defines without any."""
    asked = ("u_d", "u_q") if limit is None else ("wanted_d", "wanted_q")
    if voltages is not None:
        axis_voltages(train, voltages, angle, asked)
    if limit is not None:
        train.limits["voltage"] = text_of(limit)
        for axis, text in zip("dq", within(train, "voltage", limit, *map(train.prefixed, asked)), strict=True):
            train.show(f"u_{axis}", partial(str, text))
    return asked


def show_phases(train: Train, d: str, q: str, angle: str) -> None:
    """Show the currents of the phases, from those along the axes."""
    alpha, beta = _turned(d, q, f"-({angle})") if angle else (d, q)
    train.show("i_a", lambda: alpha, is_let=False)
    train.show("i_b", lambda: f"-0.5*({alpha}) + sqrt(0.75)*({beta})", is_let=False)
    train.show("i_c", lambda: f"-0.5*({alpha}) - sqrt(0.75)*({beta})", is_let=False)


def within(train: Train, key: str, limit: Any, d: str, q: str) -> tuple[str, str]:
    """Both components, shortened in their direction where the amplitude would pass its limit."""
    if limit is None:
        return d, q
    most = text_of(limit)
    train.events[key] = f"(({d})**2 + ({q})**2)/{most}**2 - 1"
    share = f"{most}/sqrt(max({most}**2, ({d})**2 + ({q})**2))"
    return f"({d})*{share}", f"({q})*{share}"


def _turned(alpha: str, beta: str, angle: str) -> tuple[str, str]:
    """Components along axes that are turned by an angle."""
    return (f"{alpha}*cos({angle}) + {beta}*sin({angle})", f"{beta}*cos({angle}) - {alpha}*sin({angle})")
