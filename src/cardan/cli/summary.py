"""The summary of a run in a terminal, with a table and colours."""

from typing import TYPE_CHECKING

from cardan.cli.terminal import styled, table
from cardan.cli.wording import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from cardan.results import Trajectory


def print_summary(console: "Console", run: "Trajectory", units: str = "rad") -> None:
    """Print status, extremes, balances and cost of a run."""
    from cardan.results.summary import HEADINGS, summary

    found = summary(run, units)
    console.print(styled(found.model), end="")
    console.print(": ", end="")
    console.print(in_options(found.status), soft_wrap=True, style="green" if run.ok else "red")
    if found.rows:
        name, unit, *numbers = HEADINGS
        headings = [name, unit, *(f">{heading}" for heading in numbers)]
        console.print(table(found.rows, *headings, collapse_padding=True, caption=found.caption or None))
    console.print("\n".join(found.lines), soft_wrap=True)
