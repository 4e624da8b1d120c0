"""Supplies: a voltage behind an internal resistance, which the motors on one bus share.

A converter passes the share d of the bus voltage on to its motor, and draws the current d i. Hence U = U_0 − R Σ d i:
motors that brake raise it. The energy of the bus counts what flows back.

Source: Mohan, Undeland & Robbins 2003, *Power Electronics*, §7-7 (full bridge, averaged)
"""

from typing import Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.quantities.fields import SupplyResistance, Voltage
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times


class Supply(Record):
    """A voltage behind a resistance."""

    voltage: Voltage  # without a load [V]
    resistance: SupplyResistance = ZERO  # internal [Ω]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.voltage.value is not None and not self.voltage.value > 0:
            raise ModelError(Issue(f"the voltage {self.voltage} is not positive", "exchange its poles", ("voltage",)))
        return self


def supplies_read(sections: Sections) -> None:
    """Read the supplies of a model, for its drives."""
    sections.supplies |= sections.records("supplies", Supply, "supply", "{voltage: 48 V, resistance: 0.1 ohm}")


def supplies_written_out(sections: Sections) -> None:
    """Write the voltages, currents, powers and energies of the supplies out."""
    for name, supply in sections.supplies.items():
        with sections.writing("supplies", name):
            R = text_of(supply.resistance)
            current = f"{name}.current"
            shown = {
                current: plus(*sections.loads.get(name, []), "0.0"),
                f"{name}.voltage": plus(text_of(supply.voltage), times("-1", R, current)),
                f"{name}.power": f"{name}.voltage*{current}",
                f"{name}.losses": times(R, f"{current}**2"),
            }
            sections.put("let", f"{name}.nominal", text_of(supply.voltage))
            for key, text in shown.items():
                sections.put("let", key, text)
                sections.put("outputs", key, key)
            energy = {"rate": f"{name}.power", "initial": "0 J"}
            sections.put("states", f"{name}.energy", energy)
