"""A motion from a table of samples, inline or from a CSV file, interpolated with continuous second derivatives.

Source: cubic splines: de Boor 2001, ch. IV; ends: "not a knot"
"""

import itertools
from collections.abc import Callable, Mapping
from typing import Any, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.motions.piecewise import cubic_pieces, local_time, repeated, select
from cardan.model.motions.prescribed import Number, NumberOf, PrescribedMotion, open_period
from cardan.model.quantities.characteristic import MOST_ROWS
from cardan.model.quantities.fields import Anything, Time
from cardan.model.quantities.scalar import Scalar
from cardan.model.signal import Samples, Table
from cardan.numerics.round_off import SIX_DIGITS


class TabulatedMotion(PrescribedMotion):
    """Samples over time: `file` (CSV, times in column t) with `column`, or `table: [[t, value], …]`."""

    table: tuple[tuple[Time, Anything], ...] | None = None
    file: str | None = None  # CSV with a header line; read when the record is made, which then holds the table
    column: str | None = None  # header of the values; by default the column after the times
    period: Time | None = None  # the motion repeats after it; the table covers one period [s]

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or data.get("file") is None or data.get("table") is not None:
            return data
        source = Table(file=data["file"], column=data.get("column"))
        rest = {key: entry for key, entry in data.items() if key not in ("file", "column")}
        return {**rest, "table": source.samples()}

    @model_validator(mode="after")
    def _check(self) -> Self:
        Table(table=self.table, file=self.file, column=self.column)  # which refuses both, times out of order, …
        return self

    @property
    def size(self) -> int:
        return 1

    def samples(self) -> Samples:
        """The samples (time [s], value [SI]), ascending."""
        assert self.table is not None, "a file is read when the record is made"
        samples = tuple((time.value, value.value) for time, value in self.table)
        if len(samples) < 4:
            fault = "the table has 1 row" if len(samples) == 1 else f"the table has {len(samples)} rows"
            raise ModelError(Issue(fault, "give four rows or more, or a profile: spline through points", ("table",)))
        if len(samples) > MOST_ROWS:
            raise ModelError(
                Issue(f"the table has {len(samples)} rows", f"keep {MOST_ROWS} of them at most", ("table",))
            )
        for (before, _), (t, _) in itertools.pairwise(samples):
            if t == before:
                fault = f"the motion jumps at {t:g} s, which would take an infinite effort"
                raise ModelError(Issue(fault, "give one value for each time", ("table",)))
        return samples

    def values(self, number: NumberOf, t: Number) -> list[Number]:
        samples = self.samples()
        pieces, knots = cubic_pieces(samples, repeats=self.period is not None)
        periods: Number = 0
        if self.period is not None:
            t, periods = local_time(t - knots[0], number(self.period))
            t = t + knots[0]
        c3, c2, c1, c0, start = (select(t, knots[1:-1], column) for column in (*pieces, knots[:-1]))
        s = t - start
        return [c0 + s * (c1 + s * (c2 + s * c3)) + periods * (samples[-1][1] - samples[0][1])]

    def words(self) -> tuple[str, ...]:
        again = "" if self.period is None else f", repeated after {self.period}"
        return (f"cubic spline through {len(self.samples())} rows of a table{again}",)

    def breaks(self, number: Callable[[Scalar], float], until: float) -> list[float]:
        times = [t for t, _ in self.samples()]
        if self.period is None:
            return [t for t in times if 0 < t < until]
        return repeated(times, float(number(self.period)), until)

    def end(self, number: Callable[[Scalar], float]) -> float | None:
        return self.samples()[-1][0]

    def last(self) -> float | None:
        return None if self.period is not None else self.samples()[-1][0]

    def value_issues(self, number: Callable[[Scalar], float]) -> list[Issue]:
        try:
            samples = self.samples()
        except ModelError as error:
            return list(error.issues)
        first, last = samples[0][0], samples[-1][0]
        if first > 0 and self.period is None:
            fault = f"the table begins at {first:g} s, and motions begin at 0 s"
            return [Issue(fault, "add a row for t = 0", ("table",))]
        if self.period is not None and abs(number(self.period) - (last - first)) > SIX_DIGITS * (last - first):
            fault = f"the table covers {last - first:g} s, not the period"
            return [Issue(fault, "let the table cover one period, its end included", ("period",))]
        return []

    def period_issues(self, number: Callable[[Scalar], float], whole: float) -> list[Issue]:
        if self.period is None:
            return []
        samples = self.samples()
        size = max(abs(value) for _, value in samples)
        return open_period(samples[0][1], samples[-1][1], whole, SIX_DIGITS * size)
