"""What a motor's datasheet says, and what follows from it.

Between the figures of a sheet hold  U = R I_s,  T_s = K I_s,  U = R I_0 + K ω_0,  kv K = 1,  τ_e = L/R,  τ_m = J R/K²,
and the gradient of the speed over the torque R/K². What is missing follows; what is given twice has to agree.

Source: Isermann 2005, *Mechatronic Systems*, §5.3 (DC motors)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

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

__all__ = ["Datasheet", "Nominal"]

AGREE = 0.05  # relative difference of two figures that rounding to two digits, and tolerances of makers, explain [-]


class _Rule(NamedTuple):
    """A figure that follows from others."""

    figure: str
    of: tuple[str, ...]
    law: Callable[..., float]


_RULES = (
    _Rule("resistance", ("voltage", "stall_current"), lambda U, I: U / I),
    _Rule("stall_current", ("voltage", "resistance"), lambda U, R: U / R),
    _Rule("constant", ("speed_constant",), lambda kv: 1 / kv),
    _Rule("constant", ("stall_torque", "stall_current"), lambda T, I: T / I),
    _Rule(
        "constant", ("voltage", "resistance", "no_load_current", "no_load_speed"), lambda U, R, i, w: (U - R * i) / w
    ),
    _Rule("resistance", ("stall_torque", "constant", "voltage"), lambda T, K, U: U * K / T),
    _Rule("resistance", ("constant", "speed_torque_gradient"), lambda K, g: g * K**2),
    _Rule("inductance", ("resistance", "electrical_time_constant"), lambda R, tau: R * tau),
    _Rule("inertia", ("resistance", "constant", "mechanical_time_constant"), lambda R, K, tau: tau * K**2 / R),
    _Rule("friction", ("constant", "no_load_current"), lambda K, i: K * i),
    _Rule("stall_torque", ("constant", "stall_current"), lambda K, I: K * I),
    _Rule(
        "no_load_speed", ("voltage", "resistance", "no_load_current", "constant"), lambda U, R, i, K: (U - R * i) / K
    ),
    _Rule("speed_constant", ("constant",), lambda K: 1 / K),
    _Rule("speed_torque_gradient", ("resistance", "constant"), lambda R, K: R / K**2),
    _Rule("mechanical_time_constant", ("inertia", "resistance", "constant"), lambda J, R, K: J * R / K**2),
    _Rule("electrical_time_constant", ("inductance", "resistance"), lambda L, R: L / R),
    _Rule("max_efficiency", ("no_load_current", "stall_current"), lambda i, I: (1 - (i / I) ** 0.5) ** 2),
)


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
        given, changed = set(known), True
        while changed:
            changed = False
            for rule in _RULES:
                if rule.figure not in known and all(key in known for key in rule.of):
                    known[rule.figure] = rule.law(*(known[key] for key in rule.of))
                    changed = True
        for rule in _RULES:
            if rule.figure in given and all(key in given for key in rule.of):
                follows = rule.law(*(known[key] for key in rule.of))
                if abs(follows - known[rule.figure]) > AGREE * abs(known[rule.figure]):
                    others = ", ".join(rule.of)
                    fault = f"the sheet says {rule.figure} {known[rule.figure]:.4g}, but {others} give {follows:.4g}"
                    raise ModelError(
                        Issue(fault, "look for a slip or a unit, or leave one of them out", (rule.figure,))
                    )
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
