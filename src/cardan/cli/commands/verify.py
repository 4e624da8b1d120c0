"""`cardan verify`: checks the formulations of a mechanism against each other and against the laws of mechanics."""

from typing import TYPE_CHECKING, Annotated

import typer

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.options import ClusterOption, ModelName, MotorsOption, Reading, reads_models
from cardan.cli.terminal import out, styled

if TYPE_CHECKING:
    from rich.table import Table

    from cardan.analysis import Verification


@guarded
@reads_models
def verify(
    model: ModelName,
    motors: MotorsOption = None,
    states: Annotated[int, typer.Option(help="Number of random states.", min=1)] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the random states.")] = 0,
    cluster: ClusterOption = "",
    *,
    reading: Reading,
) -> None:
    """Check a MODEL: its formulations against each other, and all of them against the laws of mechanics.

    Exit code 1 if any check fails.

    [dim]cardan verify slider_crank --states 20[/]
    """
    loaded = cardan.load(model, **reading)
    report = cardan.verify(loaded, motors, states=states, seed=seed, client=cluster or None)
    console = out()
    console.print(_table(report))
    for words in report.left_out:
        console.print(f"left out: {words}", soft_wrap=True)
    verdict = "everything agrees" if report.ok else f"FAILED: {len(report.failed)} of {len(report.checks)} checks"
    console.print(f"{verdict}, {states} random states, seed {seed}", style="green" if report.ok else "red")
    if not report.ok:
        raise typer.Exit(ExitCode.FAILED)


def _table(report: "Verification") -> "Table":
    """One row per check: residual, tolerance, the reason for it, verdict."""
    from rich import box
    from rich.table import Table

    table = Table("check", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("residual", justify="right")
    table.add_column("tolerance", justify="right")
    table.add_column("")
    table.add_column("the tolerance allows for")
    for check in report.checks:
        verdict = "ok" if check.ok else styled("FAILED", "bold red")
        table.add_row(check.name, f"{check.residual:.1e}", f"{check.tolerance:.0e}", verdict, check.reason)
    return table
