"""Units: the text of a unit in, its dimension and its size in SI out.

The units of everyday mechanics are read here in microseconds; everything else is read with pint, whose registry takes a
long time to import and is loaded only then. Angles have no dimension: rad = 1, deg = π/180, rpm = 2π/60 per second.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from cardan.errors import ModelError

MAX_LENGTH = 60  # characters of a unit; "kg*m^2/(s^2*rad)" has 16


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
    """A unit: one of it is `size` in SI. Sizes are decimal numbers, so that "700 mm" is the float nearest to 0.7."""

    size: Decimal
    dimension: Dimension


_BASE_UNITS = ("m", "kg", "s", "A", "K", "mol", "cd")
DIMENSIONLESS = Dimension()
METRE, KILOGRAM, SECOND, AMPERE = Dimension(1), Dimension(0, 1), Dimension(0, 0, 1), Dimension(0, 0, 0, 1)
NEWTON = Dimension(1, 1, -2)
JOULE, WATT, VOLT = Dimension(2, 1, -2), Dimension(2, 1, -3), Dimension(2, 1, -3, -1)
PASCAL, KELVIN = NEWTON.times(METRE, -2), Dimension(temperature=1)
FARAD = AMPERE.times(SECOND).times(VOLT, -1)
OHM, HENRY, WEBER = VOLT.times(AMPERE, -1), VOLT.times(AMPERE, -1).times(SECOND), VOLT.times(SECOND)

_PI = Decimal("3.1415926535897932384626433832795")

_SIZES: dict[Dimension, dict[str, str | Decimal]] = {
    METRE: {"m": "1", "km": "1e3", "dm": "0.1", "cm": "0.01", "mm": "1e-3", "um": "1e-6"},
    KILOGRAM: {"kg": "1", "g": "1e-3", "t": "1e3"},
    SECOND: {"s": "1", "ms": "1e-3", "us": "1e-6", "min": "60", "h": "3600"},
    SECOND.to(-1): {"Hz": "1", "rpm": 2 * _PI / 60},
    NEWTON: {"N": "1", "kN": "1e3", "mN": "1e-3"},
    JOULE: {"J": "1", "kJ": "1e3"},
    WATT: {"W": "1", "kW": "1e3"},
    AMPERE: {"A": "1", "mA": "1e-3"},
    VOLT: {"V": "1", "mV": "1e-3", "kV": "1e3"},
    OHM: {"ohm": "1", "Ω": "1", "mohm": "1e-3", "kohm": "1e3"},
    HENRY: {"H": "1", "mH": "1e-3", "uH": "1e-6"},
    WEBER: {"Wb": "1"},
    FARAD: {"F": "1", "mF": "1e-3", "uF": "1e-6"},
    PASCAL: {"Pa": "1", "kPa": "1e3", "MPa": "1e6", "bar": "1e5"},
    KELVIN: {"K": "1"},
    DIMENSIONLESS: {"rad": "1", "mrad": "1e-3", "deg": _PI / 180, "turn": 2 * _PI},
}
_COMMON = {name: Unit(Decimal(size), of) for of, sizes in _SIZES.items() for name, size in sizes.items()}
_WORDS: dict[Dimension, str] = {
    DIMENSIONLESS: "an angle or a number without unit",
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
    Dimension(-3, 1): "a density",
    Dimension(2, 1): "a moment of inertia",
    Dimension(0, 1, -2): "a stiffness",
    Dimension(0, 1, -1): "a damping",
    Dimension(2, 1, -1): "a torsional damping",
    VOLT: "a voltage",
    OHM: "a resistance",
    HENRY: "an inductance",
    WEBER: "a torque constant",
    FARAD: "a capacitance",
    PASCAL: "a pressure",
    KELVIN: "a temperature",
    Dimension(3, 0, -1): "a volume flow",
}
_FACTOR = re.compile(r"\s*(?P<sign>[*/]?)\s*(?P<name>[A-Za-zΩ]+)\s*(?:(?:\^|\*\*)\s*(?P<power>-?\d{1,2}))?\s*")
_ONE = re.compile(r"\s*1\s*(?=/)")
_ALLOWED = re.compile(r"[\w\s*/^().+\-µμΩ°%·²³⁻¹]+")

_POWER = re.compile(
    r"(?:(?:\^|\*\*)\s*(?:-?\d{1,2}(?:\.\d{1,2})?|\(\s*-?\d{1,2}\s*/\s*\d{1,2}\s*\))|⁻?[¹²³]{1,2})(?!\s*(?:\^|\*\*)|[\d.⁻¹²³])"
)
"""A power that is one small number, not raised to a power again."""
_NUMBER = re.compile(r"(?<![A-Za-z_\d])\d|\d{3}|\^|\*\*|[⁻¹²³]")
"""What stands in no unit once its powers are taken out: pint would compute 9^9^9^9."""


def dimension_of(unit: str) -> Dimension | None:
    """The dimension of a `unit`; "1" stands for a number without one, an empty text for one that is not known."""
    if not unit:
        return None
    return DIMENSIONLESS if unit == "1" else read_unit(unit).dimension


@cache
def read_unit(text: str) -> Unit:
    """The unit that a text such as "N*s/m" or "kg m^2" names.

    Example
    -------
    >>> read_unit("kN*s/m").size, str(read_unit("kN*s/m").dimension)
    (Decimal('1E+3'), 'kg s^-1')
    """
    return _read_common(text) or _read_with_pint(text)


def read_header_unit(text: str) -> Unit:
    """The unit in the header of a column: as of `read_unit`; "-" and "1" stand for numbers without unit."""
    return Unit(Decimal(1), DIMENSIONLESS) if text.strip() in ("-", "1") else read_unit(text)


def is_common(name: str) -> bool:
    """Whether a `name` is a unit of everyday mechanics, such as mm or N."""
    return name in _COMMON


def describe(dimension: Dimension) -> str:
    """A dimension in words where there are some, else by its SI unit."""
    return _WORDS.get(dimension) or f"a quantity in {short_unit(dimension)}"


def unit_text(dimension: Dimension) -> str:
    """The SI unit of a `dimension` as `read_unit` reads it, "1" for none.

    Example
    -------
    >>> unit_text(Dimension(1, 1, -2)), unit_text(Dimension(0, 0, -1)), unit_text(DIMENSIONLESS)
    ('m*kg/s^2', 's^-1', '1')
    """
    parts = list(zip(_BASE_UNITS, dimension, strict=True))
    above = "*".join(_power(unit, p) for unit, p in parts if p > 0)
    if not above:
        return "*".join(_power(unit, p) for unit, p in parts if p < 0) or "1"
    return "/".join([above, *(_power(unit, -p) for unit, p in parts if p < 0)])


_SHORT = {
    **{NEWTON: "N", JOULE: "N*m", WATT: "W", PASCAL: "Pa", VOLT: "V", OHM: "ohm", HENRY: "H", FARAD: "F"},
    **{NEWTON.times(METRE, -1): "N/m", NEWTON.times(Dimension(1, 0, -1), -1): "N*s/m"},
    **{NEWTON.times(SECOND): "N*s", JOULE.times(SECOND): "N*m*s", JOULE.times(AMPERE, -1): "N*m/A"},
    **{NEWTON.times(AMPERE, -1): "N/A", Dimension(2, 1): "kg*m^2"},
}
"""Units as an engineer writes them, of dimensions that could be read in several ways those of forces and torques."""


def short_unit(dimension: Dimension) -> str:
    """The SI unit of a `dimension` by the name engineers use, else from base units; "N*m" also for an energy.

    Example
    -------
    >>> short_unit(VOLT.times(AMPERE)), short_unit(METRE.times(SECOND, -1)), short_unit(JOULE.times(SECOND))
    ('W', 'm/s', 'N*m*s')
    """
    return _SHORT.get(dimension) or unit_text(dimension)


_ANGLE = re.compile(r"\s*(?:m?rad|deg(?:ree)?s?|turns?|rev|rpm|°)")


def si_unit(text: str) -> str:
    """The SI unit of a quantity whose unit is this `text`: "J" of an energy, which no newton names.

    That of an angle and its derivatives begins with rad.

    Example
    -------
    >>> si_unit("kN"), si_unit("kJ"), si_unit("deg"), si_unit("rpm"), si_unit("N*m/rad"), si_unit("1/s")
    ('N', 'J', 'rad', 'rad/s', 'N*m', 's^-1')
    """
    dimension = read_unit(text).dimension
    order = -dimension.time
    if dimension == JOULE and "N" not in text:
        return "J"
    if not _ANGLE.match(text) or order < 0 or dimension != SECOND.to(-order):
        return short_unit(dimension)
    return "rad" if order == 0 else f"rad/{_power('s', order)}"


def _read_common(text: str) -> Unit | None:
    size, dimension, at = Decimal(1), DIMENSIONLESS, 0
    inverse = _ONE.match(text)  # "1/s^2"
    text = text[inverse.end() :] if inverse else text
    while at < len(text):
        match = _FACTOR.match(text, at)
        if match is None or match["name"] not in _COMMON or (at == 0 and match["sign"] != ("/" if inverse else "")):
            return None
        power = int(match["power"] or 1)
        unit = _COMMON[match["name"]]
        signed = -power if match["sign"] == "/" else power
        size, dimension, at = size * unit.size**signed, dimension.times(unit.dimension, signed), match.end()
    return Unit(size, dimension)


def _read_with_pint(text: str) -> Unit:
    if len(text) > MAX_LENGTH or not _ALLOWED.fullmatch(text) or _NUMBER.search(_POWER.sub(" ", text)):
        raise _unknown(text)
    registry = _registry()
    try:
        one, zero = (registry.Quantity(x, registry.Unit(text)).to_base_units() for x in (1.0, 0.0))
        dimension = Dimension(**{key.strip("[]"): float(p) for key, p in one.dimensionality.items()})
    except Exception as error:  # pint raises its own errors, and those of tokenize, arithmetic and overflow
        raise _unknown(text) from error
    if zero.magnitude:
        raise ModelError(f"the unit {text!r} does not begin at zero", "use kelvin, K")
    return Unit(Decimal(repr(float(one.magnitude))), dimension)


def _unknown(text: str) -> ModelError:
    shown = text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"
    cure = (
        'write a number and a unit, such as "2 N*s/m"; an expression has no units, and its products need "*": "2*m + a"'
    )
    return ModelError(f"{shown!r} is not a unit", cure)


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


def _power(unit: str, power: float) -> str:
    return unit if power == 1 else f"{unit}^{power:g}"
