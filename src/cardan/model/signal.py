"""Signals that drive a model: constants, expressions, and tables of samples, inline or from a CSV file."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, nearest
from cardan.model.quantities.fields import Anything, InputSignal, Time
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain
from cardan.model.records.record import Record
from cardan.model.records.section import MAX_NAME
from cardan.model.units import Unit, read_header_unit
from cardan.safety.reading import read_bounded

Samples = tuple[tuple[float, float], ...]
"""(time [s], value [SI]) in order of time; a time that occurs twice is a jump."""

MAX_FILE_SIZE = 50_000_000  # bytes; a million samples of two columns take about 40 MB

_HEADER = re.compile(r"(?P<name>[^\[\]]*?)\s*\[(?P<unit>[^\[\]]+)\]")  # speed [mm/s]
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


class Table(Record):
    """Samples over time. Before the first and after the last one the value stays what it is there."""

    table: tuple[tuple[Time, Anything], ...] | None = None  # [[t, value], …], inline
    file: str | None = None  # CSV with a header line; times in a column t or, without one, in the first column
    column: str | None = None  # header of the values in the file; by default the column after the times
    interpolation: Literal["linear", "cubic", "step"] = "linear"  # cubic: a spline; step: held until the next time

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.table is None) == (self.file is None):
            raise ModelError(
                "a table is given either inline or as a file", "write table: [[t, value], …] or file: NAME.csv"
            )
        if self.column is not None and self.file is None:
            raise ModelError(Issue("a column without a file", "add file: NAME.csv", ("column",)))
        if self.table is not None:
            _check_literal(self.table)
            self._check_rows(tuple((time.value, value.value) for time, value in self.table), "table")
        return self

    def samples(self) -> Samples:
        """The samples, read from the file if they stand there."""
        if self.table is not None:
            return tuple((time.value, value.value) for time, value in self.table)
        samples = read_csv(Path(str(self.file)), self.column)
        try:
            self._check_rows(samples, "file")
        except ModelError as error:
            named = [replace(issue, fault=f"{self.file}: {issue.fault}", path=("file",)) for issue in error.issues]
            raise ModelError(named) from None
        return samples

    def _check_rows(self, samples: Samples, key: str) -> None:
        """Refuse samples that are out of order, or through which no cubic spline goes where one is wanted."""
        _check_order(samples, key)
        if self.interpolation != "cubic":
            return
        if len(samples) < 4:
            fault = f"cubic interpolation needs four rows or more, and there are {len(samples)}"
            raise ModelError(Issue(fault, "add rows, or choose interpolation: linear", (key,)))
        for row, ((before, _), (after, _)) in enumerate(pairwise(samples), start=1):
            if after == before:
                fault = f"the time {after:g} s occurs twice, and a cubic spline does not jump"
                raise ModelError(
                    Issue(fault, "give one value for each time, or choose interpolation: linear", (key, row))
                )


class Sampled(Record):
    """A sampled law: `value` is computed at multiples of a period and held until the next one."""

    every: Time  # period [s]
    value: InputSignal  # of t and the state at the instant of the sample

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.every.value is not None and not self.every.value > 0:
            raise ModelError(Issue(f"a period of {self.every} is not possible", "give a positive time", ("every",)))
        return self


def _is_table(value: Any) -> Any:
    if isinstance(value, Mapping) and {"every", "value"} & value.keys():
        return Sampled(**{str(key): entry for key, entry in value.items()})
    return Table(**{str(key): entry for key, entry in value.items()}) if isinstance(value, Mapping) else value


def read_signal(value: Any) -> Any:
    """The scalar, table or sampled law that an entry of `inputs` stands for."""
    value = _is_table(value)
    if isinstance(value, (list, tuple)):
        raise ModelError("a list is not a signal", "write {table: [[t, value], …]}")
    return value if isinstance(value, Table | Sampled) else Scalar.read(value)


def inline(signal: Scalar | Table | Sampled) -> Any:
    """The `signal` as plain data that need no file: the samples of a table stand in it."""
    if isinstance(signal, Scalar):
        return signal.source
    written = plain(signal)
    if isinstance(signal, Table) and signal.file is not None:
        written = {key: entry for key, entry in written.items() if key not in ("file", "column")}
        written["table"] = [list(sample) for sample in signal.samples()]
    return written


Signal = Annotated[Table | Sampled | InputSignal, BeforeValidator(read_signal)]
"""A constant, an expression of t and of what the model knows, a `Table`, or a `Sampled` law."""


def _check_literal(table: tuple[tuple[Scalar, Scalar], ...]) -> None:
    faults = [
        Issue(
            f"{str(entry)!r} is not a plain number", "tables hold numbers and quantities only", ("table", row, column)
        )
        for row, sample in enumerate(table)
        for column, entry in enumerate(sample)
        if entry.value is None
    ]
    if faults:
        raise ModelError(faults)


def _check_order(samples: Samples, key: str) -> None:
    if not samples:
        raise ModelError(Issue("the table is empty", "give at least one [t, value]", (key,)))
    for row in range(1, len(samples)):
        before, after = samples[row - 1][0], samples[row][0]
        if after < before:
            fault = f"the times are out of order: {after:g} s comes after {before:g} s"
            raise ModelError(Issue(fault, "sort the rows by time", (key, row)))
        if row > 1 and after == samples[row - 2][0]:
            fault = f"the time {after:g} s occurs three times"
            raise ModelError(Issue(fault, "a jump has two rows: the value before and the value after it", (key, row)))


def read_csv(path: Path, column: str | None, first: str = "t") -> Samples:
    """Two columns of a CSV file whose first line names them, in SI."""
    rows, _, _ = read_columns(path, [first], column)
    return tuple((x, y) for x, y in rows)


def read_columns(
    path: Path, first: Sequence[str], column: str | None
) -> tuple[tuple[tuple[float, ...], ...], tuple[Unit | None, ...], tuple[str, ...]]:
    """Columns of a CSV file in SI, their units and headers: its first line, such as `t, speed [mm/s], F [kN]`."""
    try:
        text = read_bounded(path, MAX_FILE_SIZE, "thin it out").decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row and not row[0].startswith("#")]
    except ModelError as error:
        raise error.under("file") from None
    except (OSError, ValueError, csv.Error) as error:
        raise ModelError(
            Issue(f"{path} cannot be read as CSV: {_reason(error)}", "give the path of a CSV file", ("file",))
        ) from None
    if not rows:
        raise ModelError(Issue(f"{path} is empty", "its first line names the columns", ("file",)))
    header = [name.strip() for name in rows[0]]
    if not all(name.isprintable() and len(name) <= MAX_NAME for name in header):
        fault = f"{path}: its first line does not name columns"
        raise ModelError(Issue(fault, "add a line such as t,u above the numbers", ("file",)))
    if all(_is_number(name) for name in header):
        fault = f"{path}: its first line holds numbers, not the names of the columns"
        raise ModelError(Issue(fault, "add a line such as t,u above it", ("file",)))
    parts = [_HEADER.fullmatch(name) for name in header]
    names = [name if part is None else part["name"] for name, part in zip(header, parts, strict=True)]
    for name, count in Counter(names).items():
        if name and count > 1:
            raise ModelError(Issue(f"{path} has {count} columns {name!r}", "give each its own name", ("file",)))
    places = _columns(path, names, column, first)
    units = tuple(_unit(path, names[k], None if parts[k] is None else parts[k]["unit"]) for k in places)  # type: ignore[index]
    sizes = [1.0 if unit is None else float(unit.size) for unit in units]
    found = (_sample(path, number, row, places) for number, row in enumerate(rows[1:], start=2))
    return (
        tuple(tuple(x * size for x, size in zip(row, sizes, strict=True)) for row in found),
        units,
        tuple(header[k] for k in places),
    )


def _unit(path: Path, name: str, text: str | None) -> Unit | None:
    """The unit `text` in the header of the column `name`; None without one."""
    if text is None:
        return None
    try:
        return read_header_unit(text)
    except ModelError as error:
        cure = (
            f'write a unit that begins at zero in the header, such as "{name} [kN]" or "{name} [mm/s]", or none for SI'
        )
        raise ModelError(Issue(f"{path}, column {name!r}: {error.issues[0].fault}", cure, ("file",))) from None


def _reason(error: Exception) -> str:
    """Why a file cannot be read, without a word of its content."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return getattr(error, "strerror", None) or str(error)


def _columns(path: Path, header: list[str], column: str | None, first: Sequence[str]) -> list[int]:
    """Places of the columns of what the values belong to, and of the values."""
    named = all(name in header for name in first)
    places = [header.index(name) for name in first] if named else list(range(len(first)))
    if len(header) < len(first) + 1:
        count = "one column" if len(header) == 1 else f"{len(header)} columns"
        why = ": semicolons stand where commas separate columns" if any(";" in name for name in header) else ""
        wanted = f"columns for {', '.join(first)} and {'the values' if column is None else column}"
        raise ModelError(Issue(f"{path} has {count} only{why}", f"it needs {wanted}, separated by commas", ("file",)))
    if column is None:
        return [*places, next(i for i in range(len(header)) if i not in places)]
    if column not in header:
        raise ModelError(Issue(f"{path} has no column {column!r}", nearest(column, header), ("column",)))
    return [*places, header.index(column)]


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None


def _sample(path: Path, number: int, row: list[str], places: list[int]) -> tuple[float, ...]:
    entries = [row[k] if k < len(row) else "" for k in places]
    sample = tuple(float(text) if _is_number(text) else math.nan for text in entries)
    for k, text, value in zip(places, entries, sample, strict=True):
        if not math.isfinite(value):
            fault = f"{path}, row {number}, column {k + 1}: {'no finite number' if text.strip() else 'no entry'}"
            cure = "write a number in the unit of the column's header, or in SI without one, or leave the row out"
            raise ModelError(Issue(fault, cure, ("file",)))
    return sample
