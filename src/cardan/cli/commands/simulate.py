"""`cardan simulate`: the motion of a model, as a summary, a file, a picture."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cardan
from cardan.cli.changes import laws, read_model, with_meshes
from cardan.cli.commands.pictures.plot import draw
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.options import (
    DrawnOption,
    GuessOption,
    InitialOption,
    InputsOption,
    ModelName,
    MotionsOption,
    MotorsOption,
    PlotOption,
    Quiet,
    Reading,
    SaveOption,
    SetOption,
    UnitsOption,
    assignments,
    explained,
    instants,
    listed,
    reads_models,
    seconds,
    with_options,
)
from cardan.cli.progress import Bar
from cardan.cli.summary import print_summary
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free

if TYPE_CHECKING:
    from cardan.results import Trajectory


@guarded
@reads_models
@with_options("method", "rtol", "atol", "step", "max_step", "stabilization", "alpha", "beta", "embed", "trust")
def simulate(
    model: ModelName,
    until: Annotated[str, explained("End of the run, such as [bold]5[/] or [bold]200ms[/].", "from the model")] = "",
    parameters: SetOption = None,
    inputs: InputsOption = None,
    motions: MotionsOption = None,
    initial: InitialOption = None,
    guesses: GuessOption = None,
    motors: MotorsOption = None,
    times: Annotated[str, explained("Instants to return: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", "chosen")] = "",
    output: SaveOption = None,
    picture: PlotOption = None,
    names: DrawnOption = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    quiet: Quiet = False,
    *,
    reading: Reading,
    **settings: Any,
) -> None:
    """Simulate a MODEL and print a summary of the run.

    [dim]cardan simulate overhead_crane -o run.nc[/]

    [dim]cardan simulate overhead_crane --set mp=1.2kg --input drive=12V --until 10[/]

    [dim]cardan simulate my_crane.yaml --input drive=voltage.csv --times 0:5:0.01 -o run.csv[/]

    [dim]cardan simulate overhead_crane --motors simplified --plot run.png --names travel.v,swing.q[/]
    """
    driven = assignments(inputs, "--input")
    check_names(names, picture)
    check_files(output, picture, force, [model, *map(str, driven.values())])
    prepared = read_model(model, motors, parameters, driven, initial, guesses, reading)
    with Bar("simulating") as bar:
        run = cardan.simulate(
            prepared,
            until=seconds(until, "--until") if until else None,
            motors=motors,
            motions=laws(assignments(motions, "--motion")) or None,
            times=instants(times, "--times") if times else None,
            progress=bar,
            **settings,
        )
    if not quiet:
        print_summary(out(), run, units)
    keep(with_meshes(run, prepared, model, reading), output, picture, listed(names), units)
    if not run.ok:
        raise typer.Exit(ExitCode.INTERRUPTED if run.status == "interrupted" else ExitCode.FAILED)


def check_names(names: str, picture: Path | None) -> None:
    """Refuse names of results to draw where there is no picture."""
    if names and picture is None:
        raise typer.BadParameter("names are results to draw; give --plot IMAGE too", param_hint="--names")


def check_files(
    output: Path | None, picture: Path | None, force: bool, read: Iterable[str], *, pages: bool = True
) -> None:
    """Refuse files that cannot be written, before anything is computed for them."""
    if output is not None:
        from cardan.results import check_target

        check_target(output)
        check_free(output, force, "--output", read)
    if picture is not None:
        from cardan.view import check_image

        try:
            check_image(picture, pages=pages)
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
