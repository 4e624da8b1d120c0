"""The summary of a run in a terminal, with a table and colours."""

from typing import TYPE_CHECKING

from cardan.cli.terminal import styled
from cardan.cli.wording import in_options

if TYPE_CHECKING:
    from rich.console import Console

    from cardan.results import Trajectory


def print_summary(console: "Console", run: "Trajectory", units: str = "rad") -> None:
    """Print status, extremes, balances and cost of a run."""
    from rich import box
    from rich.table import Column, Table

    from cardan.results.summary import HEADINGS, summary

    found = summary(run, units)
    console.print(styled(found.model), end="")
    console.print(": ", end="")
    console.print(in_options(found.status), soft_wrap=True, style="green" if run.ok else "red")
    if found.rows:
        table = Table(
            Column(HEADINGS[0], overflow="fold", min_width=8),
            Column(HEADINGS[1], no_wrap=True),
            box=box.SIMPLE_HEAD,
            collapse_padding=True,
            pad_edge=False,
            caption=found.caption or None,
        )
        for heading in HEADINGS[2:]:
            table.add_column(heading, justify="right", no_wrap=True)
        for name, *others in found.rows:
            table.add_row(styled(name), *others)
        console.print(table)
    console.print("\n".join(found.lines), soft_wrap=True)
