"""Rows of measurements, as a table on the terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .timing import Times

__all__ = ["Goal", "Result", "Row", "cells", "markdown", "seconds", "terminal"]

HEADER = ("", "Cardan", "peer", "peer / Cardan", "goal")


@dataclass(frozen=True)
class Goal:
    """What a row should reach: so many times the peer's speed, or at most so many seconds or bytes."""

    ratio: float | None = None
    limit: float | None = None


@dataclass(frozen=True)
class Row:
    """One measured quantity; the peer, if there is one, was measured in the same rounds."""

    what: str
    ours: Times
    peer_name: str = ""
    peer: Times | None = None
    goal: Goal = Goal()
    show: Callable[[float], str] | None = None  # writes a value; times if absent

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer: ratio of the medians."""
        return None if self.peer is None else self.peer.median / self.ours.median

    @property
    def best_ratio(self) -> float | None:
        """The same for the fastest rounds."""
        return None if self.peer is None else self.peer.best / self.ours.best

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.goal.ratio is not None and self.ratio is not None:
            return self.ratio >= self.goal.ratio
        return None if self.goal.limit is None else self.ours.median <= self.goal.limit


@dataclass(frozen=True)
class Result:
    """What a section has measured."""

    rows: tuple[Row, ...]
    draw: Callable[[Path], None] | None = None  # writes the section's figure to a file


def seconds(value: float) -> str:
    """A time in the unit that suits it, three digits: `12.3 ns`.

    Parameters
    ----------
    value : float
        Time [s].
    """
    size, unit = next(((s, u) for s, u in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if value >= s), (1e-9, "ns"))
    digits = 2 if value / size < 10 else 1 if value / size < 100 else 0
    return f"{value / size:.{digits}f} {unit}"


def cells(row: Row) -> tuple[str, str, str, str, str]:
    """The texts of a row: what, medians with the best in brackets, ratio, goal.

    Parameters
    ----------
    row : Row
        What was measured.
    """
    show = row.show or seconds
    peer = "" if row.peer is None else f"{_pair(row.peer, show)} {row.peer_name}"
    ratio = "" if row.ratio is None else f"{row.ratio:.3g} × ({row.best_ratio:.3g} ×)"
    return row.what, _pair(row.ours, show), peer, ratio, _goal(row, show)


def markdown(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table.

    Parameters
    ----------
    rows : iterable of Row
        What was measured.
    """
    lines = [HEADER, ("---", "---:", "---:", "---:", "---:"), *map(cells, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def terminal(title: str, rows: Iterable[Row]) -> object:
    """The rows as a `rich` table.

    Parameters
    ----------
    title : str
        Its heading.
    rows : iterable of Row
        What was measured.
    """
    from rich.table import Table

    table = Table(*HEADER, title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*cells(row), style="red" if row.reached is False else None)
    return table


def _pair(times: Times, show: Callable[[float], str]) -> str:
    """Median, and the best where it is another number."""
    median, best = show(times.median), show(times.best)
    return median if median == best else f"{median} ({best})"


def _goal(row: Row, show: Callable[[float], str]) -> str:
    mark = "" if row.reached is None else " ✓" if row.reached else " ✗"
    if row.goal.ratio is not None:
        return f"{row.goal.ratio:g} ×{mark}"
    return "" if row.goal.limit is None else f"≤ {show(row.goal.limit)}{mark}"
