"""Characteristics: values from a table over an expression, as entries of `let:` that forces, inputs and outputs name.

In: `{file: gust.csv, column: f, of: t}` or `{table: [[x, y], …], of: slider}`. Out: the number
`interpolate(of, x, y, …)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import Call, Constant
from cardan.model.quantities.fields import Anything, Measure
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record
from cardan.model.signal import Samples, read_csv

__all__ = ["Characteristic", "read_part"]

MOST = 5000  # rows, as of tables of motions: all of them become constants of the compiled functions


class Characteristic(Record):
    """Values over an expression, linear between them; before the first and after the last one they stay."""

    of: Measure = Scalar.read("t")  # what the first numbers of the rows are values of
    table: tuple[tuple[Anything, Anything], ...] | None = None  # [[x, y], …], ascending in x; a jump has two rows
    file: str | None = None  # CSV with a header line; read when the record is made, which then holds the table
    column: str | None = None  # header of the values y; x are in the column named like `of`, or in the first one
    interpolation: Literal["linear", "step"] = "linear"  # step: each value holds until the next place

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        if not isinstance(data.get("file"), str) or data.get("table") is not None:
            return data
        path, column = Path(data["file"]), data.get("column")
        rows = read_csv(path, column if isinstance(column, str) else None, str(data.get("of", "t")))
        rest = {key: entry for key, entry in data.items() if key not in ("file", "column")}
        return {**rest, "table": rows}

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.table is None or self.file is not None:
            cure = "write table: [[x, y], …] or file: NAME.csv"
            raise ModelError("a table is given either inline or as a file", cure)
        if self.column is not None:
            raise ModelError(Issue("a column without a file", "add file: NAME.csv", ("column",)))
        if not self.of.names:
            raise ModelError(Issue(f"{str(self.of)!r} is a constant", "name what the table is over, of: t", ("of",)))
        self._check_rows(self.table)
        return self

    def _check_rows(self, table: tuple[tuple[Scalar, Scalar], ...]) -> None:
        """Refuse rows that are not plain numbers in order of x, at most two at one x, and too few or too many rows."""
        for row, pair in enumerate(table):
            for column, entry in enumerate(pair):
                if entry.value is None:
                    cure = "tables hold numbers and quantities only"
                    raise ModelError(Issue(f"{str(entry)!r} is not a plain number", cure, ("table", row, column)))
        if not 2 <= len(table) <= MOST:
            raise ModelError(Issue(f"the table has {len(table)} rows", f"give 2 to {MOST}", ("table",)))
        x = [number for number, _ in self.samples()]
        for row, (before, after) in enumerate(pairwise(x), start=1):
            if after < before:
                fault = f"the rows are out of order: {after:g} comes after {before:g}"
                raise ModelError(Issue(fault, "sort them by their first number", ("table", row)))
            if row > 1 and after == x[row - 2]:
                cure = "a jump has two rows: the value before and the value after it"
                raise ModelError(Issue(f"three rows stand at {after:g}", cure, ("table", row)))

    def samples(self) -> Samples:
        """The rows as numbers in SI."""
        assert self.table is not None, "a file is read when the record is made"
        return tuple((float(x.value or 0), float(y.value or 0)) for x, y in self.table)

    def number(self) -> Scalar:
        """The characteristic as a number of the model, which is written as this record."""
        assert self.of.expression is not None, "a constant is refused"
        rows = list(self.samples())
        if self.interpolation == "step":
            steps: list[tuple[float, float]] = []
            for x, y in dict(rows).items():  # of two rows at one place the later one holds until the next
                steps += [(x, steps[-1][1] if steps else y), (x, y)]
            rows = steps
        operand = self.of.expression
        height = 1 + (operand.height if isinstance(operand, Call) else 0)
        constants = (Constant(number) for row in rows for number in row)
        call = Call("interpolate", (operand, *constants), height)
        return Scalar(self, None, call, self.of.names)

    def __str__(self) -> str:
        return f"table of {len(self.samples())} rows over {self.of}"


def read_part(value: Any) -> Any:
    """The number that an entry of `let` stands for.

    Parameters
    ----------
    value : what the user wrote: an expression, or a table with what it is over.
    """
    if isinstance(value, Mapping):
        value = Characteristic(**{str(key): entry for key, entry in value.items()})
    return value.number() if isinstance(value, Characteristic) else value
