"""Units: the quick table agrees with pint, and what is no unit is refused."""

import pint
import pytest

from cardan.errors import ModelError
from cardan.model import units
from cardan.model.units import DIMENSIONLESS, METRE, SECOND, describe, read_unit
from tests.selection import each


@pytest.fixture(scope="module")
def registry():
    return pint.UnitRegistry()


@each("text", [*units._COMMON, "N*s/m", "m/s^2", "kg m^2", "V s/rad", "kg*m**2", "m/s/s", "N/m*s", "s^-1"])
def test_the_quick_table_agrees_with_pint(text, registry):
    quick = units._read_common(text)
    slow = units._read_with_pint(text)
    assert quick is not None
    assert quick.dimension == slow.dimension
    assert float(quick.size) == pytest.approx(float(slow.size), rel=4e-16)  # a product of a few rounded factors


@each(
    "text, size",
    [
        ("inch", 0.0254),
        ("lbf", 4.4482216152605),
        ("(N*s)/(m*rad)", 1.0),
        ("hp", 745.69987158227022),
        ("°", 0.017453292519943295),
    ],
)
def test_other_units_are_read_with_pint(text, size):
    assert float(read_unit(text).size) == pytest.approx(size, rel=1e-15)


def test_units_begin_at_zero():
    with pytest.raises(ModelError, match="'degC' does not begin at zero") as error:
        read_unit("degC")
    assert error.value.issues[0].cure == "use kelvin, K"


@each("text", ["quux", "m^", "/s", "m**99999999", "mm'", "m" * 100, "__import__", "m + s", "USD", "m^m", "2"])
def test_what_is_no_unit_is_refused(text):
    with pytest.raises(ModelError, match="is not a unit") as error:
        read_unit(text)
    assert '"2 N*s/m"' in error.value.issues[0].cure


def test_dimensions_in_words():
    assert describe(METRE) == "a length"
    assert describe(METRE.times(SECOND, -3)) == "a quantity in m/s^3"
    assert str(DIMENSIONLESS) == "1 (no unit)"
