"""Summary of a run in a few lines: status, extremes, balances, cost."""

import math
from typing import TYPE_CHECKING

from cardan.cli.terminal import styled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rich.console import Console
    from rich.table import Table

    from cardan.results import Passage, Trajectory

__all__ = ["print_summary"]

SHOWN = 8  # largest number of instants in a line


def print_summary(console: "Console", run: "Trajectory") -> None:
    """Print status, extremes, balances and cost of a run.

    Parameters
    ----------
    console : rich.console.Console
        Where to.
    run : Trajectory
        The run.
    """
    console.print(styled(run.provenance.model), end="")
    console.print(": ", end="")
    console.print(_status(run), soft_wrap=True, style="green" if run.ok else "red")
    if len(run):
        console.print(_extremes(run))
    console.print("\n".join(_balances(run)), soft_wrap=True)


def _status(run: "Trajectory") -> str:
    return run.message or run.status


def _extremes(run: "Trajectory") -> "Table":
    """Final, smallest and largest value of the state and of the motors' currents over the returned instants."""
    from rich import box
    from rich.table import Table

    currents = [name for name in run.names if name.endswith(".current") and run.channels[name].kind == "motor"]
    part = "of the returned instants" if "times" in run.provenance.settings else None
    table = Table("result", "unit", box=box.SIMPLE_HEAD, caption=part)
    for heading in ("final", "smallest", "largest"):
        table.add_column(heading, justify="right")
    for name, values in run.arrays(dict.fromkeys([*run.state_names, *currents])).items():
        figures = (values[-1], values.min(), values.max())
        table.add_row(styled(name), run.channels[name].unit, *(f"{figure:.6g}" for figure in figures))
    return table


def _balances(run: "Trajectory") -> list[str]:
    """Energy balance, constraints and cost; figures that were not computed are left out."""
    report, lines = run.report, []
    if math.isfinite(report.energy_error):
        share = f"{report.relative_energy_error:.1g} of {report.energy_scale:.3g} J"
        lines.append(f"energy balance    {report.energy_error:.2g} J, {share}")
    if math.isfinite(report.constraint_violation):
        rate = f", their rate {report.constraint_rate:.1g}" if math.isfinite(report.constraint_rate) else ""
        lines.append(f"constraints       {report.constraint_violation:.1g}{rate}")
    if run.passages:
        lines.append(f"passages          {_passages(run.passages)}")
    if own := run.statistics.get("independent"):
        lines.append(f"integrated        {_independent(own)}")
    if run.statistics:
        lines.append(f"effort            {_effort(run.statistics)}")
    return lines


def _passages(passages: "Sequence[Passage]") -> str:
    """How many singular positions were passed, and when: ``passed 12 singular positions: t = 0.37, 0.9, … s``."""
    instants = [f"{passage.t:.5g}" for passage in passages[:SHOWN]] + ["…"] * (len(passages) > SHOWN)
    plural = "s" if len(passages) > 1 else ""
    return f"passed {len(passages)} singular position{plural}: t = {', '.join(instants)} s"


def _independent(own: "Sequence[str]") -> str:
    """Coordinates that were integrated: ``theta0; all others are linear in it``."""
    listed = ", ".join([*own[:SHOWN], *["…"] * (len(own) > SHOWN)])
    return f"{listed}; all others are linear in {'it' if len(own) == 1 else 'them'}"


def _effort(figures: "Mapping[str, Any]") -> str:
    """Method, counts and time, of those that are there: ``dop853: 151 steps, 1874 evaluations, 7.5 ms``."""
    counts = [
        f"{figures[name]} {name}" for name in ("steps", "rejected", "evaluations", "jacobians") if figures.get(name)
    ]
    wall = [f"{1e3 * figures['wall']:.3g} ms"] if "wall" in figures else []
    return f"{figures.get('method', 'run')}: {', '.join([*counts, *wall])}"
