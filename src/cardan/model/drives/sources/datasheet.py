"""What a motor's datasheet says, and what follows from it.

Between the figures of a sheet hold  U = R I_s,  T_s = K I_s,  U = R I_0 + K ω_0,  kv K = 1,  τ_e = L/R,  τ_m = J R/K²,
and the gradient of the speed over the torque R/K². What is missing follows; what is given twice has to agree.

Source: Isermann 2005, *Mechatronic Systems*, §5.3 (DC motors)
"""

import math
from collections.abc import Iterator, Mapping
from typing import Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.quantities.fields import (
    AngularSpeed,
    Anything,
    Current,
    Inductance,
    MomentOfInertia,
    Resistance,
    Time,
    Torque,
    TorqueConstant,
    Voltage,
)
from cardan.model.records.record import Record
from cardan.model.short_forms.text import over, text_of, times

AGREE = 0.05  # relative difference of two figures that rounding to two digits, and tolerances of makers, explain [-]


_PRODUCTS: tuple[dict[str, int], ...] = (
    {"resistance": 1, "voltage": -1, "stall_current": 1},
    {"constant": 1, "speed_constant": 1},
    {"constant": 1, "stall_torque": -1, "stall_current": 1},
    {"resistance": 1, "stall_torque": 1, "constant": -1, "voltage": -1},
    {"resistance": 1, "constant": -2, "speed_torque_gradient": -1},
    {"inductance": 1, "resistance": -1, "electrical_time_constant": -1},
    {"inertia": 1, "resistance": 1, "constant": -2, "mechanical_time_constant": -1},
    {"friction": 1, "constant": -1, "no_load_current": -1},
)
"""Powers of figures whose product is 1."""
_NO_LOAD = ("voltage", "resistance", "no_load_current")  # U − R I_0 = K ω_0


def _found(known: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Figures that follow from those known."""
    for powers in _PRODUCTS:
        if len(missing := powers.keys() - known.keys()) == 1:
            (figure,) = missing
            yield figure, _follows(figure, powers, known)
    if known.keys() >= {*_NO_LOAD}:
        U, R, I0 = (known[key] for key in _NO_LOAD)
        for one, other in (("constant", "no_load_speed"), ("no_load_speed", "constant")):
            if other in known and one not in known:
                yield one, (U - R * I0) / known[other]


def _compared(given: Mapping[str, float]) -> Iterator[tuple[str, float, list[str]]]:
    """Figures of a sheet that follow from others of it as well, their values by these, and the names of these."""
    for powers in _PRODUCTS:
        figure, *others = powers
        if given.keys() >= powers.keys():
            yield figure, _follows(figure, powers, given), others
    if given.keys() >= {*_NO_LOAD, "constant", "no_load_speed"}:
        U, R, I0 = (given[key] for key in _NO_LOAD)
        yield "constant", (U - R * I0) / given["no_load_speed"], [*_NO_LOAD, "no_load_speed"]


def _follows(figure: str, powers: Mapping[str, int], known: Mapping[str, float]) -> float:
    """The figure that makes a product 1."""
    return math.prod(known[key] ** -power for key, power in powers.items() if key != figure) ** (1 / powers[figure])


class Datasheet(Record):
    """Figures of a sheet; all are optional, as long as resistance and constant follow."""

    voltage: Voltage | None = None  # nominal [V]
    no_load_speed: AngularSpeed | None = None  # [rad/s]
    no_load_current: Current | None = None  # [A]
    stall_torque: Torque | None = None  # [N m]
    stall_current: Current | None = None  # [A]
    resistance: Resistance | None = None  # between the terminals [Ω]
    inductance: Inductance | None = None  # between the terminals [H]
    constant: TorqueConstant | None = None  # torque per current [N m/A]
    speed_constant: Anything | None = None  # kv, speed per voltage: "300 rpm/V"
    speed_torque_gradient: Anything | None = None  # loss of speed per torque: "5 rpm/(mN*m)"
    mechanical_time_constant: Time | None = None  # J R/K² [s]
    electrical_time_constant: Time | None = None  # L/R [s]
    inertia: MomentOfInertia | None = None  # of the rotor [kg m²]

    @model_validator(mode="after")
    def _check(self) -> Self:
        for key, scalar in self:
            if scalar is not None and scalar.value is None:
                fault = f"{str(scalar)!r} names parameters; figures of a sheet are numbers"
                raise ModelError(Issue(fault, "write a number with its unit", (key,)))
            if scalar is not None and not scalar.value > 0:
                raise ModelError(Issue(f"{scalar} is not positive", "write it as the sheet does", (key,)))
        self.figures()
        return self

    def figures(self) -> dict[str, float]:
        """All figures that are given or follow, in SI.

        `friction` is the torque of the no-load current, `max_efficiency` (1 − √(I_0/I_s))².
        """
        known = {key: float(scalar.value) for key, scalar in self if scalar is not None}
        given, before = dict(known), -1
        while len(known) > before:
            before = len(known)
            known |= dict(_found(known))
        if known.keys() >= {"no_load_current", "stall_current"}:
            known["max_efficiency"] = (1 - (known["no_load_current"] / known["stall_current"]) ** 0.5) ** 2
        for figure, value, others in _compared(given):
            if abs(value - given[figure]) <= AGREE * abs(given[figure]):
                continue
            fault = f"the sheet says {figure} {given[figure]:.4g}, but {', '.join(others)} give {value:.4g}"
            raise ModelError(Issue(fault, "look for a slip or a unit, or leave one of them out", (figure,)))
        for key in ("resistance", "constant"):
            if key not in known:
                needs = (
                    "voltage and stall_current"
                    if key == "resistance"
                    else "speed_constant, or stall torque and current"
                )
                raise ModelError(Issue(f"the {key} does not follow from the sheet", f"add it, or {needs}"))
        return known


class Nominal(Record):
    """What a motor without friction does under its rated voltage."""

    voltage: Voltage  # [V]
    stall_torque: Torque  # [N m]
    no_load_speed: AngularSpeed  # [rad/s]

    def figures(self) -> dict[str, str]:
        """Constant K = U/ω_0 and resistance U K/T_s, as parts of expressions in SI."""
        constant = over(text_of(self.voltage), text_of(self.no_load_speed))
        return {
            "constant": constant,
            "resistance": over(times(text_of(self.voltage), constant), text_of(self.stall_torque)),
        }
