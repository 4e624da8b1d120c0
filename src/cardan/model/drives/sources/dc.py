"""DC motor as a source: an entry of `motors`, whose results have the name of the drive.   Source: docs/drives.md"""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.sources.converter import Converter
from cardan.model.drives.sources.datasheet import Datasheet, Nominal
from cardan.model.drives.sources.source import DriveSource
from cardan.model.drives.train import Train
from cardan.model.joints.friction import Friction
from cardan.model.quantities.fields import (
    Anything,
    BackEmfConstant,
    Inductance,
    Resistance,
    Temperature,
    TorqueConstant,
    TorsionalDamping,
)
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.short_forms.text import negative, plus, text_of, times


class DcSource(Converter, DriveSource):
    """A DC motor; its results have the name of the drive: `shoulder.current`."""

    type: Literal["dc"] = "dc"
    datasheet: Datasheet | None = None  # figures from which what is not given here follows
    nominal: Nominal | None = None  # in place of these: a motor without friction
    resistance: Resistance | None = None  # of its circuit [Ω]
    inductance: Inductance = ZERO  # of its circuit [H]
    constant: TorqueConstant | None = None  # torque per current, and in SI voltage per speed
    torque_constant: TorqueConstant | None = None  # in place of `constant`, where iron losses make the two differ
    back_emf_constant: BackEmfConstant | None = None  # likewise
    damping: TorsionalDamping = ZERO  # of its rotor [N m s/rad]
    heat: str | None = None  # thermal node into which its losses flow, and whose temperature its numbers follow
    at: Temperature = Scalar.read(20)  # temperature at which these are given [°C]
    resistance_coefficient: Anything = ZERO  # relative change of the resistance per temperature; copper 0.0039 [1/K]
    constant_coefficient: Anything = ZERO  # relative change of the constants per temperature [1/K]

    @model_validator(mode="after")
    def _check(self) -> Self:
        both = None not in (self.torque_constant, self.back_emf_constant)
        one = self.torque_constant is not None or self.back_emf_constant is not None
        if (self.constant is not None and one) or one != both:
            cure = "give constant, or torque_constant and back_emf_constant"
            raise ModelError(Issue("the constant of the motor is missing or given twice", cure))
        if self.heat is None and self.limits.temperature is not None:
            fault, cure = "a temperature has a limit, and none is named", "add heat: with the name of a thermal node"
            raise ModelError(Issue(fault, cure, ("limits", "temperature")))
        if self.heat is None and (self.resistance_coefficient.value != 0 or self.constant_coefficient.value != 0):
            cure = "add heat: with the name of a thermal node"
            raise ModelError(Issue("numbers follow a temperature, and none is named", cure))
        if self.datasheet is not None and self.nominal is not None:
            raise ModelError(Issue("a motor has a datasheet or nominal figures", "give one of the two", ("nominal",)))
        sheet = self.datasheet or self.nominal
        if sheet is None and (self.resistance is None or (self.constant is None and not both)):
            fault = "the resistance or the constant of the motor is missing"
            raise ModelError(Issue(fault, "give both, or a datasheet: {voltage: …, stall_current: …}"))
        return self

    def add(self, train: Train) -> None:
        sheet = self.datasheet or self.nominal
        figures: Mapping[str, float | str] = {} if sheet is None else sheet.figures()

        def own(key: str) -> float | str:
            return figures[key] if key in figures and key not in self.model_fields_set else getattr(self, key).source

        constant = own("constant") if self.torque_constant is None else ""
        train.motor = {
            "type": "dc",
            "resistance": own("resistance"),
            "inductance": own("inductance"),
            "torque_constant": constant if self.torque_constant is None else self.torque_constant.source,
            "back_emf_constant": _bare(constant) if self.back_emf_constant is None else self.back_emf_constant.source,
            "rotor_damping": self.damping.source,
        }
        train.heats = self.heat
        for key, coefficient in (
            ("resistance", self.resistance_coefficient),
            ("torque_constant", self.constant_coefficient),
            ("back_emf_constant", self.constant_coefficient),
        ):
            if coefficient.value != 0:
                share = f"(1 + {text_of(coefficient)}*({self.heat} - {text_of(self.at)}))"
                train.motor[key] = times(text_of(Scalar.read(train.motor[key])), share)
        train.rotor_inertia = own("inertia")
        of_circuit = (train.motor[key] for key in ("resistance", "inductance", "back_emf_constant"))
        self.convert(train, *(text_of(Scalar.read(each)) for each in of_circuit))
        if self.limits.temperature is not None:
            train.events["temperature"] = plus(str(self.heat), negative(text_of(self.limits.temperature)))
        if "friction" in figures:
            law = Friction(effort=figures["friction"])
            train.segment.frictions.append((train.place, law, train.prefixed("no_load_friction")))


def _bare(constant: float | str) -> float | str:
    """The same constant in SI, without its unit."""
    scalar = Scalar.read(constant)
    return constant if scalar.value is None else float(scalar.value)
