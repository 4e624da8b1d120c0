"""`cardan verify`: checks the formulations of a mechanism against each other and against the laws of mechanics."""

from typing import Annotated

import typer

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import ClusterOption
from cardan.cli.terminal import out, styled, table


@guarded
@reads_model("motors")
def verify(
    model: GivenModel,
    states: Annotated[int, typer.Option(help="Number of random states.", min=1)] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the random states.")] = 0,
    cluster: ClusterOption = "",
) -> None:
    """Check a MODEL: its formulations against each other, and all of them against the laws of mechanics.

    Exit code 1 if any check fails.

    [dim]cardan verify slider_crank --states 20[/]
    """
    report = cardan.verify(model.read(), model.motors, states=states, seed=seed, client=cluster or None)
    console = out()
    rows = [
        (
            one.name,
            f"{one.residual:.1e}",
            f"{one.tolerance:.0e}",
            "ok" if one.ok else styled("FAILED", "bold red"),
            one.reason,
        )
        for one in report.checks
    ]
    console.print(table(rows, "check", ">residual", ">tolerance", "", "the tolerance allows for"))
    for words in report.left_out:
        console.print(f"left out: {words}", soft_wrap=True)
    verdict = "everything agrees" if report.ok else f"FAILED: {len(report.failed)} of {len(report.checks)} checks"
    console.print(f"{verdict}, {states} random states, seed {seed}", style="green" if report.ok else "red")
    if not report.ok:
        raise typer.Exit(ExitCode.FAILED)
