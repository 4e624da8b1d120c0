"""A catalogue of motors: a CSV file whose first line names its columns, with units such as `inertia [kg*m^2]`."""

import csv
import io
import math
import re
from importlib.resources import files
from pathlib import Path

import numpy as np

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.units import dimension_of, read_header_unit
from cardan.safety.reading import read_bounded

LONGEST = 5_000_000  # bytes of a file, some 50 000 motors
UNITS = {
    "resistance": "ohm",
    "constant": "N*m/A",
    "inertia": "kg*m^2",
    "rated_torque": "N*m",
    "max_torque": "N*m",
    "max_speed": "rad/s",
    "voltage": "V",
    "thermal_resistance": "K/W",
    "max_heating": "K",
}
"""Columns besides `name`, with their SI units. All but the first three may be missing or empty: no limit."""
REQUIRED = ("resistance", "constant", "inertia")

_HEADER = re.compile(r"(?P<name>[^\[\]]*?)\s*(\[(?P<unit>[^\[\]]+)\])?")


@dataclass(frozen=True)
class CatalogueMotor:
    """A DC motor of a catalogue, in SI; numbers that are not known are NaN."""

    name: str
    resistance: float  # of its circuit [Ω]
    constant: float  # torque per current [N m/A]
    inertia: float  # of its rotor [kg m²]
    rated_torque: float = math.nan  # in continuous duty [N m]
    max_torque: float = math.nan  # for a short time [N m]
    max_speed: float = math.nan  # [rad/s]
    voltage: float = math.nan  # of its supply [V]
    thermal_resistance: float = math.nan  # from winding to surroundings [K/W]
    max_heating: float = math.nan  # of the winding above the surroundings [K]

    def torque_at(self, speed: np.ndarray) -> np.ndarray:
        """Largest torque (N,) [N m] that the voltage allows at speeds (N,) [rad/s]; NaN without a voltage."""
        return self.constant * (self.voltage - self.constant * speed) / self.resistance


def read_catalogue(path: str | Path | None = None) -> tuple[CatalogueMotor, ...]:
    """The motors of a CSV file; of a small catalogue of invented motors without one.

    Raises
    ------
    ModelError
        The file cannot be read, lacks a column, or a row has no number where one is needed.
    """
    if path is None:
        shown = "invented_motors.csv"
        text = (files("cardan.analysis.sizing") / shown).read_text(encoding="utf-8")
    else:
        shown = str(path)
        try:
            text = read_bounded(Path(path), LONGEST, "split it").decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise ModelError(f"{shown} cannot be read: {reason}", "give the path of a CSV file") from None
    lines = text.splitlines()
    rows = [(k, row) for k, row in enumerate(csv.reader(io.StringIO("\n".join(lines))), start=1) if any(row)]
    rows = [(k, row) for k, row in rows if not row[0].startswith("#")]
    if len(rows) < 2:
        raise ModelError(f"{shown} has no motor", "write a line that names the columns, and one for each motor")
    columns = _columns(rows[0][1], shown)
    return tuple(_motor(row, columns, f"{shown}, line {k}") for k, row in rows[1:])


def _columns(header: list[str], shown: str) -> dict[str, tuple[int, float]]:
    """Place of each column and the size of its unit."""
    found = dict[str, tuple[int, float]]()
    for k, entry in enumerate(header):
        match = _HEADER.fullmatch(entry.strip())
        name = entry.strip() if match is None else match["name"]
        if name != "name" and name not in UNITS:
            raise ModelError(f"{shown} has a column {name!r} that has no meaning", nearest(name, ["name", *UNITS]))
        size = 1.0
        if match is not None and match["unit"]:
            unit = read_header_unit(match["unit"])
            if unit.dimension != dimension_of(UNITS.get(name, "1")):
                fault = f"{shown}: the unit of the column {entry.strip()!r} is not one of its kind"
                raise ModelError(fault, f"write it in {UNITS.get(name, 'no unit')} or a multiple of that")
            size = float(unit.size)
        found[name] = k, size
    for name in ("name", *REQUIRED):
        if name not in found:
            raise ModelError(Issue(f"{shown} has no column {name!r}", f"it needs name, {', '.join(REQUIRED)}"))
    return found


def _motor(row: list[str], columns: dict[str, tuple[int, float]], where: str) -> CatalogueMotor:
    """One motor."""
    values = dict[str, float]()
    for name, (k, size) in columns.items():
        if name == "name":
            continue
        text = row[k].strip() if k < len(row) else ""
        try:
            values[name] = float(text) * size if text else math.nan
        except ValueError:
            cure = "write a number, or nothing where there is no limit"
            raise ModelError(f"{where}: {text!r} is no number ({name})", cure) from None
        if (not text and name in REQUIRED) or not (math.isnan(values[name]) or 0 < values[name] < np.inf):
            raise ModelError(f"{where}: {name} is {text or 'missing'}", "give a positive number")
    return CatalogueMotor(row[columns["name"][0]].strip() or where, **values)
