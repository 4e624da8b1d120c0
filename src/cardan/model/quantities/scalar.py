"""Scalar: one number of a model exactly as the user wrote it, and what it means.

A bare number is SI. A text that begins with a number and goes on with a unit, "25 mm", is a quantity. Any other text is
an expression, "2*m".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cardan.errors import ModelError
from cardan.frozen import dataclass, field, replace
from cardan.model.expressions.evaluation import check_constants, evaluate
from cardan.model.expressions.grammar import ParsedExpression, names_of, parse
from cardan.model.expressions.operations import FLOAT, Functions
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.units import Dimension, read_unit

_QUANTITY = re.compile(
    r"\s*(?P<number>[-+]?(?>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?))\s*(?P<unit>[^\W\d_°%][^,]*|(?<=\s)1\s*/[^,]*|[°%])"
)
_MAX_QUANTITY = 200  # characters; numbers have at most 17 digits that matter
_KEYWORD = re.compile(r"(?:and|or|not)\b")


@dataclass(frozen=True, slots=True)
class Scalar:
    """One number of a model. Scalars are equal when they are written alike.

    Parameters
    ----------
    source : int, float, str or table
        What the user wrote.
    value : float or None
        The number in SI, where `source` names nothing: a number, a quantity, or an expression like "pi/2".
    expression : ParsedExpression or None
        The syntax tree, where it names something. Exactly one of `value` and `expression` is None.
    names : frozenset of str
        The names in it.
    dimension : Dimension or None
        The dimension of a quantity, or of a table with units; None for bare numbers and expressions, where it is open.
    unit : str
        The unit as written; empty where there is none.
    title : str
        Of a number or table from a file, the header of its column with the unit; empty elsewhere.
    kind : NumberKind or None
        What its field requires; None outside of records.
    """

    source: Any
    value: float | None = field(compare=False)
    expression: ParsedExpression | None = field(default=None, compare=False, repr=False)
    names: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    dimension: Dimension | None = field(default=None, compare=False, repr=False)
    unit: str = field(default="", compare=False, repr=False)
    title: str = field(default="", compare=False, repr=False)
    kind: NumberKind | None = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, source: Any) -> Scalar:
        """The scalar that a number or a text, `source`, stands for.

        Example
        -------
        >>> Scalar.read("25 mm").value, Scalar.read("2*m").names
        (0.025, frozenset({'m'}))
        """
        if isinstance(source, Scalar):
            return source
        if isinstance(source, str):
            return _read_text(source)
        if isinstance(source, Real) and not isinstance(source, bool):
            return _read_number(source)
        raise ModelError(
            f"{_shown(source)} is not a number", 'write a number, a quantity such as "25 mm" or an expression'
        )

    def of(self, kind: NumberKind) -> Scalar:
        """The same scalar as the value of a field of this `kind`."""
        if self.dimension is not None:
            kind.check_dimension(str(self), self.dimension, self.title)
            kind.check_unit(str(self), self.unit)
        if self.value is not None:
            kind.check_value(str(self), self.value)
        return replace(self, kind=kind)

    def evaluate(self, lookup: Callable[[str], Any], functions: Functions = FLOAT) -> Any:
        """The value in SI, as whatever kind of number `lookup` and `functions` work on; a float if nothing is named."""
        return self.value if self.expression is None else evaluate(self.expression, lookup, functions)

    def number(self, values: Mapping[str, float]) -> float:
        """The value in SI for values of the parameters."""
        return float(self.evaluate(values.__getitem__))

    def __str__(self) -> str:
        """What the user wrote."""
        return str(self.source)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic reads and writes a scalar."""
        write = core_schema.plain_serializer_function_ser_schema(lambda scalar: scalar.source)
        return core_schema.no_info_plain_validator_function(cls.read, serialization=write)


def _read_number(source: Real) -> Scalar:
    number = int(source) if isinstance(source, Integral) else float(source)
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    return Scalar(number, _finite(value, source))


def is_quantity(text: str) -> bool:
    """Whether a `text` is a number with a unit, such as "25 mm", rather than an expression.

    Example
    -------
    >>> is_quantity("25 mm"), is_quantity("25*m")
    (True, False)
    """
    return _quantity(text) is not None


def _quantity(text: str) -> re.Match[str] | None:
    """Number and unit of a text that is a quantity."""
    match = _QUANTITY.fullmatch(text) if len(text) <= _MAX_QUANTITY else None
    return match if match and not _KEYWORD.match(match["unit"]) else None


def _read_text(source: str) -> Scalar:
    match = _quantity(source)
    if match:
        try:
            unit = read_unit(match["unit"].strip())
        except ModelError as error:
            return _read_expression(source, unless=error)
        value = float(Decimal(match["number"]) * unit.size)
        return Scalar(source, _finite(value, source), dimension=unit.dimension, unit=match["unit"].strip())
    return _read_expression(source)


def _read_expression(source: str, unless: ModelError | None = None) -> Scalar:
    """The scalar of an expression; the error `unless`, if given, where the text is none, such as a misspelt unit."""
    try:
        expression = parse(source)
    except ModelError:
        if unless is not None:
            raise unless from None
        raise
    names = names_of(expression)
    if names:
        check_constants(expression)
        return Scalar(source, None, expression, names)
    return Scalar(source, _finite(float(evaluate(expression, dict[str, Any]().__getitem__)), source))


def naming(scalar: Scalar, name: str) -> str:
    """How a refusal of a `name` in an expression begins: the name itself, or the expression and the name.

    Example
    -------
    >>> f"{naming(Scalar.read('2*t'), 't')} is nothing here", f"{naming(Scalar.read('t'), 't')} is nothing here"
    ("'2*t' names 't', which is nothing here", "'t' is nothing here")
    """
    text = str(scalar)
    return repr(name) if text == name else f"{text!r} names {name!r}, which"


def _finite(value: float, source: Any) -> float:
    if not math.isfinite(value):
        fault = f"{_shown(source)} is {value}" if isinstance(source, str) else f"{value} is not a finite number"
        raise ModelError(fault, "write a finite number")
    return value


def _shown(source: Any) -> str:
    text = repr(source)
    return text if len(text) <= 60 else f"{text[:57]}…"


ZERO = Scalar(0, 0.0)
ONE = Scalar(1, 1.0)
