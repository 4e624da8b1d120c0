"""Units: the text of a unit in, its dimension and its size in SI out.

The units of everyday mechanics are read here in microseconds; everything else is read with pint, whose registry takes a
long time to import and is loaded only then. Angles have no dimension: rad = 1, deg = π/180, rpm = 2π/60 per second.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any, NamedTuple

from cardan.errors import ModelError

__all__ = [
    "AMPERE",
    "DIMENSIONLESS",
    "KILOGRAM",
    "METRE",
    "NEWTON",
    "OHM",
    "SECOND",
    "VOLT",
    "Dimension",
    "Unit",
    "describe",
    "read_unit",
]

MAX_LENGTH = 60  # characters of a unit; "kg*m^2/(s^2*rad)" has 16
MAX_EXPONENT = 20  # of one factor of a unit; larger ones overflow


class Dimension(NamedTuple):
    """Exponents of the SI base quantities."""

    length: float = 0
    mass: float = 0
    time: float = 0
    current: float = 0
    temperature: float = 0
    substance: float = 0
    luminosity: float = 0

    def times(self, other: Dimension, power: float = 1) -> Dimension:
        """The dimension of a · bᵖ, where self is that of a, other that of b, and p the power."""
        return Dimension(*(a + power * b for a, b in zip(self, other, strict=True)))

    def to(self, power: float) -> Dimension:
        """The dimension of aᵖ, p the power."""
        return DIMENSIONLESS.times(self, power)

    def __str__(self) -> str:
        """The dimension in SI base units, such as kg m s^-2."""
        parts = [_power(unit, p) for unit, p in zip(_BASE_UNITS, self, strict=True) if p]
        return " ".join(parts) or "1 (no unit)"


class Unit(NamedTuple):
    """A unit: one of it is `size` in SI, after adding `offset` (degrees Celsius) to the number."""

    size: float
    dimension: Dimension
    offset: float = 0.0


_BASE_UNITS = ("m", "kg", "s", "A", "K", "mol", "cd")
DIMENSIONLESS = Dimension()
METRE, KILOGRAM, SECOND, AMPERE = Dimension(1), Dimension(0, 1), Dimension(0, 0, 1), Dimension(0, 0, 0, 1)
NEWTON = Dimension(1, 1, -2)
JOULE, WATT, VOLT = Dimension(2, 1, -2), Dimension(2, 1, -3), Dimension(2, 1, -3, -1)
OHM, HENRY, WEBER = VOLT.times(AMPERE, -1), VOLT.times(AMPERE, -1).times(SECOND), VOLT.times(SECOND)

_COMMON: dict[str, Unit] = {
    **{
        "m": Unit(1.0, METRE),
        "km": Unit(1e3, METRE),
        "dm": Unit(0.1, METRE),
        "cm": Unit(0.01, METRE),
        "mm": Unit(1e-3, METRE),
        "um": Unit(1e-6, METRE),
    },
    **{"kg": Unit(1.0, KILOGRAM), "g": Unit(1e-3, KILOGRAM), "t": Unit(1e3, KILOGRAM)},
    **{
        "s": Unit(1.0, SECOND),
        "ms": Unit(1e-3, SECOND),
        "us": Unit(1e-6, SECOND),
        "min": Unit(60.0, SECOND),
        "h": Unit(3600.0, SECOND),
    },
    **{"N": Unit(1.0, NEWTON), "kN": Unit(1e3, NEWTON), "mN": Unit(1e-3, NEWTON)},
    **{"J": Unit(1.0, JOULE), "kJ": Unit(1e3, JOULE), "W": Unit(1.0, WATT), "kW": Unit(1e3, WATT)},
    **{
        "V": Unit(1.0, VOLT),
        "mV": Unit(1e-3, VOLT),
        "kV": Unit(1e3, VOLT),
        "A": Unit(1.0, AMPERE),
        "mA": Unit(1e-3, AMPERE),
    },
    **{"ohm": Unit(1.0, OHM), "Ω": Unit(1.0, OHM), "mohm": Unit(1e-3, OHM), "kohm": Unit(1e3, OHM)},
    **{"H": Unit(1.0, HENRY), "mH": Unit(1e-3, HENRY), "uH": Unit(1e-6, HENRY), "Wb": Unit(1.0, WEBER)},
    **{"rad": Unit(1.0, DIMENSIONLESS), "mrad": Unit(1e-3, DIMENSIONLESS), "deg": Unit(math.pi / 180, DIMENSIONLESS)},
    **{
        "turn": Unit(2 * math.pi, DIMENSIONLESS),
        "rpm": Unit(2 * math.pi / 60, SECOND.to(-1)),
        "Hz": Unit(1.0, SECOND.to(-1)),
    },
}
_WORDS: dict[Dimension, str] = {
    DIMENSIONLESS: "a number without unit",
    METRE: "a length",
    KILOGRAM: "a mass",
    SECOND: "a time",
    AMPERE: "a current",
    Dimension(1, 0, -1): "a speed",
    Dimension(0, 0, -1): "an angular speed",
    Dimension(1, 0, -2): "an acceleration",
    NEWTON: "a force",
    JOULE: "a torque",
    WATT: "a power",
    Dimension(2, 1): "a moment of inertia",
    Dimension(0, 1, -2): "a stiffness",
    Dimension(0, 1, -1): "a damping",
    Dimension(2, 1, -1): "a torsional damping",
    VOLT: "a voltage",
    OHM: "a resistance",
    HENRY: "an inductance",
    WEBER: "a torque constant",
}
_FACTOR = re.compile(r"\s*(?P<sign>[*/]?)\s*(?P<name>[A-Za-zΩ]+)\s*(?:(?:\^|\*\*)\s*(?P<power>-?\d{1,2}))?\s*")
_ALLOWED = re.compile(r"[\w\s*/^().+\-µμΩ°%·²³⁻¹]+")


@cache
def read_unit(text: str) -> Unit:
    """The unit that a text such as "N*s/m" or "kg m^2" names.

    Parameters
    ----------
    text : str
        Products, quotients and whole powers of units; `a/b*c` is (a/b)·c.

    Raises
    ------
    ModelError
        The text is not a unit.

    Example
    -------
    >>> read_unit("N*s/m").size, str(read_unit("N*s/m").dimension)
    (1.0, 'kg s^-1')
    """
    return _read_common(text) or _read_with_pint(text)


def describe(dimension: Dimension) -> str:
    """A dimension in words where there is one, else in SI base units."""
    return _WORDS.get(dimension, f"a quantity in {dimension}")


def _read_common(text: str) -> Unit | None:
    size, dimension, at = 1.0, DIMENSIONLESS, 0
    while at < len(text):
        match = _FACTOR.match(text, at)
        if match is None or match["name"] not in _COMMON or (at == 0 and match["sign"]):
            return None
        power = int(match["power"] or 1)
        if abs(power) > MAX_EXPONENT:
            return None
        unit = _COMMON[match["name"]]
        signed = -power if match["sign"] == "/" else power
        size, dimension, at = size * unit.size**signed, dimension.times(unit.dimension, signed), match.end()
    return Unit(size, dimension)


def _read_with_pint(text: str) -> Unit:
    if len(text) > MAX_LENGTH or not _ALLOWED.fullmatch(text) or re.search(r"\d{3}", text):
        raise _unknown(text)
    registry = _registry()
    try:
        unit = registry.Unit(text)
        one, zero = (registry.Quantity(x, unit).to_base_units() for x in (1.0, 0.0))
        dimension = Dimension(**{key.strip("[]"): float(p) for key, p in one.dimensionality.items()})
    except Exception as error:  # pint raises its own errors, and those of tokenize, arithmetic and overflow
        raise _unknown(text) from error
    size = one.magnitude - zero.magnitude
    return Unit(size, dimension, zero.magnitude / size)


def _unknown(text: str) -> ModelError:
    shown = text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"
    cure = 'write a number and a unit, such as "2 N*s/m"; an expression of a parameter needs its sign, such as "2*m"'
    return ModelError(f"{shown!r} is not a unit", cure)


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


def _power(unit: str, power: float) -> str:
    return unit if power == 1 else f"{unit}^{power:g}"
