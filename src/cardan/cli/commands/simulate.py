"""`cardan simulate`: the motion of a model, as a summary, a file, a picture."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cardan
from cardan.cli.changes import changed, check_inputs, laws, starts
from cardan.cli.commands.pictures.plot import draw
from cardan.cli.failure import Debug, ExitCode, guarded
from cardan.cli.options import (
    Allow,
    GuessOption,
    InitialOption,
    InputsOption,
    Method,
    ModelName,
    MotionsOption,
    MotorsOption,
    SetOption,
    StabilizationOption,
    UnitsOption,
    assignments,
    instants,
    listed,
    seconds,
)
from cardan.cli.progress import Bar
from cardan.cli.summary import print_summary
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free

if TYPE_CHECKING:
    from cardan.results import Trajectory

__all__ = ["check_files", "keep", "simulate"]


@guarded
def simulate(
    model: ModelName,
    until: Annotated[
        str, typer.Option(help="End of the run, such as [bold]5[/] or [bold]200ms[/].", show_default="from the model")
    ] = "",
    parameters: SetOption = None,
    inputs: InputsOption = None,
    motions: MotionsOption = None,
    initial: InitialOption = None,
    guesses: GuessOption = None,
    motors: MotorsOption = None,
    method: Annotated[
        Method, typer.Option(help="The integrator; rk4 and semi_implicit_euler need [bold]--step[/].")
    ] = "auto",
    rtol: Annotated[float, typer.Option(help="Relative tolerance.")] = 1e-8,
    atol: Annotated[
        float | None,
        typer.Option(
            help="Absolute tolerance, in the SI unit of each state; by default rtol/100, less for small states."
        ),
    ] = None,
    step: Annotated[str, typer.Option(help="Step of the fixed-step methods.", show_default="none")] = "",
    max_step: Annotated[str, typer.Option(help="Longest step of the other methods.", show_default="none")] = "",
    stabilization: Annotated[StabilizationOption, typer.Option(help="What keeps loops closed.")] = "projection",
    alpha: Annotated[
        float | None, typer.Option(help="Baumgarte's gain of velocities, 1/s.", show_default="20, or 1/step if less")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="Baumgarte's gain of positions, 1/s.", show_default="20, or 1/step if less")
    ] = None,
    embed: Annotated[
        bool, typer.Option(help="Integrate few coordinates where all others are linear in them, as in parallelograms.")
    ] = True,
    times: Annotated[
        str,
        typer.Option(help="Instants to return: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", show_default="chosen"),
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Save the run: .nc, .csv, .parquet.", show_default="nowhere")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--plot", help="Draw the run: .png, .pdf, .svg.", show_default="nothing")
    ] = None,
    names: Annotated[str, typer.Option(help="Results to draw.", show_default="the state")] = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print no summary.")] = False,
    allow: Allow = None,
    debug: Debug = False,
) -> None:
    """Simulate a MODEL and print a summary of the run.

    [dim]cardan simulate overhead_crane -o run.nc[/]

    [dim]cardan simulate overhead_crane --set mp=1.2kg --input drive=12V --until 10[/]

    [dim]cardan simulate my_crane.yaml --input drive=voltage.csv --times 0:5:0.01 -o run.csv[/]

    [dim]cardan simulate overhead_crane --motors simplified --plot run.png --names travel.v,swing.q[/]
    """
    driven = assignments(inputs, "--input")
    check_files(output, picture, names, force, [model, *map(str, driven.values())])
    loaded = cardan.load(model, allow=allow or ())
    check_inputs(loaded, motors, driven)
    prepared = changed(
        loaded,
        assignments(parameters, "--set"),
        driven,
        starts(assignments(initial, "--initial"), assignments(guesses, "--guess")),
    )
    with Bar("simulating") as bar:
        run = cardan.simulate(
            prepared,
            until=seconds(until, "--until") if until else None,
            motors=motors,
            motions=laws(assignments(motions, "--motion")) or None,
            times=instants(times, "--times") if times else None,
            method=method,
            rtol=rtol,
            atol=atol,
            step=seconds(step, "--step") if step else None,
            max_step=seconds(max_step, "--max-step") if max_step else None,
            stabilization=stabilization,
            alpha=alpha,
            beta=beta,
            embed=embed,
            progress=bar,
        )
    if not quiet:
        print_summary(out(), run, units)
    keep(run, output, picture, listed(names), units)
    if not run.ok:
        raise typer.Exit(ExitCode.INTERRUPTED if run.status == "interrupted" else ExitCode.FAILED)


def check_files(output: Path | None, picture: Path | None, names: str, force: bool, read: Iterable[str]) -> None:
    """Refuse files that cannot be written, before anything is computed for them."""
    if names and picture is None:
        raise typer.BadParameter("names are results to draw; give --plot IMAGE too", param_hint="--names")
    if output is not None:
        from cardan.results import check_target

        check_target(output)
        check_free(output, force, "--output", read)
    if picture is not None:
        from cardan.view import check_image

        try:
            check_image(picture, pages=True)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--plot") from None
        check_free(picture, force, "--plot", read)


def keep(run: "Trajectory", output: Path | None, picture: Path | None, names: list[str], units: str) -> None:
    """Write the requested files, whatever the status of the run."""
    console = out()
    if output is not None:
        console.print(f"wrote {cardan.save_run(run, output)}")
    if picture is not None:
        draw([run], names, picture, units=units)
        console.print(f"wrote {picture}")
