"""Characteristics: values from a table over expressions, as entries of `let:` and components of given reactions.

In: `{file: gust.csv, column: f, of: t}`, `{table: [[x, y], …], of: slider}` or, over two expressions, `{of: [speed,
depth], table: [[x, y, value], …]}`. Out: a number of the model.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import Call, Constant, ParsedExpression
from cardan.model.quantities.dimensions import sure_dimension
from cardan.model.quantities.fields import Anything, Measure
from cardan.model.quantities.own_effort import OwnEffort
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record
from cardan.model.signal import read_columns
from cardan.model.units import Dimension, Unit, describe

MOST_ROWS = 5000  # of a table: all of them become constants or instructions of the compiled functions


Row = tuple[float, ...]


class TableOver(Record):
    """Rows of numbers, the last one of each a value, over as many expressions as there are others."""

    file: str | None = None  # CSV with a header line; read when the record is made, which then holds the table
    column: str | None = None  # header of the values; what they are over is in columns named like `of`, or in the first
    outside: Literal["hold", "extend", "error"] | None = None  # beyond the table: the last value, a line, or no value

    @property
    @abstractmethod
    def over(self) -> tuple[Scalar, ...]:
        """What the table is over."""

    @property
    @abstractmethod
    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        """Its rows."""

    @abstractmethod
    def expression(self) -> ParsedExpression:
        """The value as an expression."""

    def number(self) -> Scalar:
        """The table as a number of the model, which is written as this record."""
        names = frozenset().union(*(scalar.names for scalar in self.over))
        title = self.rows[0][-1].title
        return Scalar(self, None, self.expression(), names, dimension=self.dimension(-1), title=title)

    def dimension(self, place: int) -> Dimension | None:
        """Dimension of the numbers at a `place` of all rows; None where no unit says it."""
        return next((row[place].dimension for row in self.rows if row[place].dimension is not None), None)

    def issues(self, known: Callable[[str], Dimension | None]) -> Iterator[Issue]:
        """What the table is over, of another dimension than its numbers; `known` gives the dimension of a name."""
        for k, scalar in enumerate(self.over):
            own, wanted = self.dimension(k), sure_dimension(scalar, known)
            if own is not None and wanted is not None and own != wanted:
                title = self.rows[0][k].title
                column = f", in the column {title!r}" if title else ""
                fault = f"{str(scalar)!r} is {describe(wanted)}, but the table is over {describe(own)}{column}"
                yield Issue(fault, "correct the unit in the table, or what it is over", ("of",))

    def numbers(self) -> tuple[Row, ...]:
        """The rows as numbers in SI."""
        return tuple(tuple(float(entry.value or 0) for entry in row) for row in self.rows)

    def check_rows(self, fewest: int) -> None:
        """Refuse rows that are not plain numbers of one dimension, too few or too many."""
        for row, entries in enumerate(self.rows):
            for column, entry in enumerate(entries):
                path = ("table", row, column)
                if entry.value is None:
                    cure = "tables hold numbers and quantities only"
                    raise ModelError(Issue(f"{str(entry)!r} is not a plain number", cure, path))
                known = self.dimension(column)
                if entry.dimension not in (None, known):
                    fault = f"{str(entry)!r} stands in a column of {describe(known)}" if known else str(entry)
                    raise ModelError(Issue(fault, "give all numbers of a column one unit", path))
        if not fewest <= len(self.rows) <= MOST_ROWS:
            rows = "1 row" if len(self.rows) == 1 else f"{len(self.rows)} rows"
            raise ModelError(Issue(f"the table has {rows}", f"give {fewest} to {MOST_ROWS}", ("table",)))

    def check_source(self) -> None:
        """Refuse both or none of table and file, and what is constant."""
        if not self.rows or self.file is not None:
            cure = "write table: [[x, y], …] or file: NAME.csv"
            raise ModelError("a table is given either inline or as a file", cure)
        if self.column is not None:
            raise ModelError(Issue("a column without a file", "add file: NAME.csv", ("column",)))
        for scalar in self.over:
            if not scalar.names:
                fault = f"{str(scalar)!r} is a constant"
                raise ModelError(Issue(fault, "name what the table is over, of: t", ("of",)))


def _read_rows(data: Any, over: list[str]) -> Any:
    """The data of a record with the rows of its file in it."""
    if not isinstance(data.get("file"), str) or data.get("table") is not None:
        return data
    path, column = Path(data["file"]), data.get("column")
    rows, units, titles = read_columns(path, over, column if isinstance(column, str) else None)
    rest = {key: entry for key, entry in data.items() if key not in ("file", "column")}
    return {**rest, "table": tuple(tuple(map(_measured, row, units, titles)) for row in rows)}


def _measured(value: float, unit: Unit | None, title: str) -> Scalar:
    return Scalar(value, value, dimension=None if unit is None else unit.dimension, title=title)


class Characteristic(TableOver):
    """Values over an expression."""

    of: Measure = Scalar.read("t")  # what the first numbers of the rows are values of
    table: tuple[tuple[Anything, Anything], ...] = ()  # [[x, y], …], ascending in x; a jump has two rows
    interpolation: Literal["linear", "cubic", "step"] = "linear"  # step: each value holds until the next place

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        return _read_rows(data, [str(data.get("of", "t"))])

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_source()
        self.check_rows(4 if self.interpolation == "cubic" else 2)
        x = [number for number, _ in self.samples()]
        for row, (before, after) in enumerate(pairwise(x), start=1):
            if after < before:
                fault = f"the rows are out of order: {after:g} comes after {before:g}"
                raise ModelError(Issue(fault, "sort them by their first number", ("table", row)))
            if row > 1 and after == x[row - 2]:
                cure = "a jump has two rows: the value before and the value after it"
                raise ModelError(Issue(f"three rows stand at {after:g}", cure, ("table", row)))
            if after == before and self.interpolation == "cubic":
                cure = "give one value for each place, or choose interpolation: linear"
                raise ModelError(
                    Issue(f"two rows stand at {after:g}, and a spline does not jump", cure, ("table", row))
                )
        return self

    @property
    def over(self) -> tuple[Scalar, ...]:
        return (self.of,)

    @property
    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        return self.table

    def samples(self) -> tuple[tuple[float, float], ...]:
        """The rows as numbers in SI."""
        return tuple((x, y) for x, y in self.numbers())

    def expression(self) -> ParsedExpression:
        assert self.of.expression is not None, "a constant is refused"
        rows, x = list(self.samples()), self.of.expression
        low, high = rows[0][0], rows[-1][0]
        if self.interpolation == "step":
            steps: list[tuple[float, float]] = []
            for place, value in dict(rows).items():  # of two rows at one place the later one holds until the next
                steps += [(place, steps[-1][1] if steps else value), (place, value)]
            rows = steps
        inside = _clamped(x, low, high) if self.interpolation == "cubic" else x
        operation = "table spline" if self.interpolation == "cubic" else "interpolate"
        found = _call(operation, inside, *(Constant(number) for row in rows for number in row))
        if self.outside == "error":  # the second summand is 0 within the table and no number outside
            within = _call("table within", x, Constant(low), Constant(high))
            return _call("+", found, _call("-", within, x))
        if self.outside != "extend" or self.interpolation == "step":
            return found
        before, after = self._end_slopes()
        below = _call("min", _call("-", x, Constant(low)), Constant(0.0))
        above = _call("max", _call("-", x, Constant(high)), Constant(0.0))
        return _call("+", _call("+", found, _call("*", Constant(before), below)), _call("*", Constant(after), above))

    def _end_slopes(self) -> tuple[float, float]:
        """Slopes of the table at its first and last place."""
        rows = self.samples()
        if self.interpolation == "cubic":
            from scipy.interpolate import CubicSpline

            spline = CubicSpline(*zip(*rows, strict=True), bc_type="not-a-knot")
            return float(spline(rows[0][0], 1)), float(spline(rows[-1][0], 1))
        (a, b), (c, d) = rows[:2], rows[-2:]
        return tuple((q[1] - p[1]) / (q[0] - p[0]) if q[0] > p[0] else 0.0 for p, q in ((a, b), (c, d)))  # type: ignore[return-value]

    def __str__(self) -> str:
        return f"table of {len(self.rows)} rows over {self.of}"


class CharacteristicMap(TableOver):
    """Values over two expressions, at all pairs of the places of each."""

    of: tuple[Measure, Measure]  # what the first two numbers of the rows are values of
    table: tuple[tuple[Anything, Anything, Anything], ...] = ()  # [[x, y, value], …], in any order
    interpolation: Literal["linear", "cubic"] = "linear"  # bilinear between the places; cubic: a spline of splines

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        return _read_rows(data, [str(name) for name in data["of"]])

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_source()
        self.check_rows(4)
        found: dict[tuple[float, ...], float] = {}
        for row, (x, y, value) in enumerate(self.numbers()):
            if (x, y) in found:
                fault = f"two rows stand at ({x:g}, {y:g})"
                raise ModelError(Issue(fault, "keep one of them", ("table", row)))
            found[x, y] = value
        xs, ys = self._places()
        if min(len(xs), len(ys)) < 2:
            raise ModelError(Issue("the table has one place only along an axis", "give two or more", ("table",)))
        if self.interpolation == "cubic" and (fewest := min(len(xs), len(ys))) < 4:
            fault = f"cubic interpolation needs four places or more along each axis, and there are {fewest}"
            raise ModelError(Issue(fault, "add rows, or choose interpolation: linear", ("table",)))
        for x, y in product(xs, ys):
            if (x, y) not in found:
                fault = f"the table has a gap: no row stands at ({x:g}, {y:g})"
                raise ModelError(Issue(fault, "give a value for every pair of places", ("table",)))
        return self

    @property
    def over(self) -> tuple[Scalar, ...]:
        return self.of

    @property
    def rows(self) -> tuple[tuple[Scalar, ...], ...]:
        return self.table

    def _places(self) -> tuple[list[float], list[float]]:
        """Places along both axes, ascending."""
        rows = self.numbers()
        return sorted({row[0] for row in rows}), sorted({row[1] for row in rows})

    def expression(self) -> ParsedExpression:
        values, (xs, ys) = {row[:2]: row[2] for row in self.numbers()}, self._places()
        operands: list[ParsedExpression] = []
        for scalar, places in zip(self.of, (xs, ys), strict=True):
            assert scalar.expression is not None, "a constant is refused"
            own = scalar.expression
            if self.outside == "error":
                own = _call("table within", own, Constant(places[0]), Constant(places[-1]))
            elif self.outside != "extend":
                own = _clamped(own, places[0], places[-1])
            operands.append(own)
        numbers = [float(len(xs)), *xs, *ys, *(values[x, y] for y in ys for x in xs)]
        operation = "table surface" if self.interpolation == "cubic" else "table grid"
        return _call(operation, *operands, *map(Constant, numbers))

    def __str__(self) -> str:
        return f"table of {len(self.rows)} rows over {self.of[0]} and {self.of[1]}"


def _call(operation: str, *operands: ParsedExpression) -> Call:
    return Call(operation, operands, 1 + max(one.height if isinstance(one, Call) else 0 for one in operands))


def _clamped(x: ParsedExpression, low: float, high: float) -> Call:
    return _call("min", _call("max", x, Constant(low)), Constant(high))


def read_part(value: Any) -> Any:
    """The number that an entry of `let` stands for."""
    if isinstance(value, Mapping):
        entries = {str(key): entry for key, entry in value.items()}
        if "effort" in entries:
            return OwnEffort(**entries).number()
        kind = CharacteristicMap if isinstance(entries.get("of"), list | tuple) else Characteristic
        value = kind(**entries)
    return value.number() if isinstance(value, TableOver | OwnEffort) else value


def read_measured(value: Any) -> Any:
    """As `read_part`, for measurements: beyond a table there is no value, unless `outside` says what it is."""
    return read_part({"outside": "error"} | dict(value) if isinstance(value, Mapping) else value)
