"""`cardan report`: a mechanism on one page to file or to hand out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import cardan
from cardan.cli.changes import picture_folders
from cardan.cli.commands.pictures.animate import RUNS
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.options import (
    MotorsOption,
    Reading,
    SetOption,
    UnitsOption,
    assignments,
    explained,
    reads_models,
    seconds,
)
from cardan.cli.progress import Bar
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free

if TYPE_CHECKING:
    from cardan.model import Model
    from cardan.results import Trajectory


@guarded
@reads_models
def report(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN|MODEL", help="A file that [bold]cardan simulate -o[/] wrote, or a model.", show_default=False
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Page or PDF: .html, .pdf.", show_default=False)],
    until: Annotated[str, explained("End of the motion of a MODEL.", "as the model says")] = "",
    parameters: SetOption = None,
    motors: MotorsOption = None,
    animation: Annotated[
        Literal["inside", "beside", "none"],
        typer.Option(help="Animation inside the page, in a second page beside it, or none."),
    ] = "inside",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    *,
    reading: Reading,
) -> None:
    """Write a report of a mechanism: picture, mobility, motion, loads, balances, warnings, equations.

    [dim]cardan report overhead_crane -o crane.html[/]   one page with everything inside

    [dim]cardan report overhead_crane -o long.html --set L=0.9m[/]   with another rope

    [dim]cardan report run.nc -o crane.pdf[/]   printed, with three pictures

    [dim]cardan report overhead_crane -o crane.html --animation beside[/]   and crane-animation.html
    """
    from cardan.view.reports.report import check_report

    check_report(output, animation)
    check_free(output, force, "--output", [source])
    if animation == "beside" and output.suffix.lower() == ".html":
        check_free(output.with_name(f"{output.stem}-animation.html"), force, "--output", [source])
    model, run = _content(source, until, assignments(parameters, "--set"), motors, reading)
    folders = picture_folders(source, reading)
    cardan.report(model, output, run, motors=motors, animation=animation, units=units, allow=folders)
    out().print(f"wrote {output}")
    if run is not None and not run.ok:
        raise typer.Exit(ExitCode.FAILED)


def _content(
    source: str,
    until: str,
    parameters: dict[str, float | str],
    motors: Literal["full", "simplified", "none"] | None,
    reading: Reading,
) -> tuple["Model", "Trajectory | None"]:
    """The model, and its run if one is given or differs from what the model says."""
    if Path(source).suffix.lower() in RUNS:
        for option, given in (("--until", until), ("--set", parameters)):
            if given:
                raise typer.BadParameter("a run has its end and its parameters; give a model", param_hint=option)
        from cardan.analysis.run_results import model_of

        run = cardan.load_run(source)
        return model_of(run), run
    model = cardan.load(source, **reading)
    if not until and not parameters:
        return model, None
    end = seconds(until, "--until") if until else None
    with Bar("simulating") as bar:
        return model, cardan.simulate(model, until=end, parameters=parameters or None, motors=motors, progress=bar)
