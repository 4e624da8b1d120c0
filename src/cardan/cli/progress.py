"""A progress bar for long work: it appears after half a second, and only in a terminal."""

import time
from types import TracebackType
from typing import TYPE_CHECKING

from cardan.cli.terminal import err

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 0.5
"""Shorter work needs no bar [s]."""


class Bar:
    """Callback that draws the fraction of work done, under a title; a context that removes the drawing at its end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._console = err()
        self._start = time.monotonic()
        self._progress: Progress | None = None

    def __enter__(self) -> "Bar":
        """Start the clock."""
        self._start = time.monotonic()
        return self

    def __call__(self, fraction: float) -> None:
        """Show a fraction of the work as done."""
        if not self._console.is_terminal or time.monotonic() - self._start < PATIENCE:
            return
        if self._progress is None:
            self._progress = self._begin()
        from cardan.results.advance import Advance

        title = self._title
        if isinstance(fraction, Advance):
            failed = f", {fraction.failed} failed" if fraction.failed else ""
            title = f"{title}: {fraction.done} of {fraction.count} runs, {fraction.rate:.3g}/s{failed}"
        self._progress.update(self._progress.task_ids[0], completed=fraction, description=title)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar, however the work ended."""
        if self._progress is not None:
            self._progress.stop()

    def _begin(self) -> "Progress":
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=self._console, transient=True)
        progress.start()
        progress.add_task(self._title, total=1.0)
        return progress
