"""`cardan report`: a mechanism on one page to file or to hand out."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import cardan
from cardan.cli.commands.simulate import leave
from cardan.cli.failure import guarded
from cardan.cli.given import RUN_OR_MODEL, GivenModel, reads_model
from cardan.cli.options import UnitsOption, explained
from cardan.cli.writing import ForceOption, check_free, wrote


@guarded
@reads_model("parameters", "motors")
def report(
    model: Annotated[GivenModel, RUN_OR_MODEL],
    output: Annotated[Path, typer.Option("-o", "--output", help="Page or PDF: .html, .pdf.", show_default=False)],
    until: Annotated[str, explained("End of the motion of a MODEL.", "as the model says")] = "",
    animation: Annotated[
        Literal["inside", "beside", "none"],
        typer.Option(help="Animation inside the page, in a second page beside it, or none."),
    ] = "inside",
    units: UnitsOption = "rad",
    force: ForceOption = False,
) -> None:
    """Write a report of a mechanism: picture, mobility, motion, loads, balances, warnings, equations.

    [dim]cardan report overhead_crane -o crane.html[/]   one page with everything inside

    [dim]cardan report overhead_crane -o long.html --set L=0.9m[/]   with another rope

    [dim]cardan report run.nc -o crane.pdf[/]   printed, with three pictures

    [dim]cardan report overhead_crane -o crane.html --animation beside[/]   and crane-animation.html
    """
    from cardan.analysis.run_results import model_of
    from cardan.view.reports.report import check_report

    check_report(output, animation)
    check_free(output, force, read=[model.name])
    if animation == "beside" and output.suffix.lower() == ".html":
        check_free(output.with_name(f"{output.stem}-animation.html"), force, read=[model.name])
    run = model.run(until) if until or model.is_run else None
    described = model_of(run) if run is not None else model.read()
    options: Any = {"motors": model.motors, "animation": animation, "units": units, "allow": model.folders}
    cardan.report(described, output, run, **options)
    wrote(output)
    if run is not None:
        leave(run)
