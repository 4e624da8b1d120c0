"""`cardan simulate`: the motion of a model, as a summary, a file, a picture."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cardan
from cardan.cli.commands.pictures.plot import drawn
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import (
    DrawnOption,
    PlotOption,
    Quiet,
    SaveOption,
    UnitsOption,
    explained,
    instants,
    listed,
    seconds,
)
from cardan.cli.progress import Bar
from cardan.cli.summary import print_summary
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free, check_picture, wrote

if TYPE_CHECKING:
    from cardan.results import Trajectory

_SETTINGS = ("method", "rtol", "atol", "step", "max_step", "stabilization", "alpha", "beta", "embed", "trust")


@guarded
@reads_model("parameters", "inputs", "motions", "initial", "guesses", "motors", settings=_SETTINGS)
def simulate(
    model: GivenModel,
    until: Annotated[str, explained("End of the run, such as [bold]5[/] or [bold]200ms[/].", "from the model")] = "",
    times: Annotated[str, explained("Instants to return: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", "chosen")] = "",
    output: SaveOption = None,
    picture: PlotOption = None,
    names: DrawnOption = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    quiet: Quiet = False,
    **settings: Any,
) -> None:
    """Simulate a MODEL and print a summary of the run.

    [dim]cardan simulate overhead_crane -o run.nc[/]

    [dim]cardan simulate overhead_crane --set mp=1.2kg --input drive=12V --until 10[/]

    [dim]cardan simulate my_crane.yaml --input drive=voltage.csv --times 0:5:0.01 -o run.csv[/]

    [dim]cardan simulate overhead_crane --motors simplified --plot run.png --names travel.v,swing.q[/]
    """
    check_files(output, picture, force, model.files, names=names)
    prepared = model.read()
    with Bar("simulating") as bar:
        run = cardan.simulate(
            prepared,
            until=seconds(until, "--until") if until else None,
            motors=model.motors,
            motions=model.motions,
            times=instants(times, "--times") if times else None,
            progress=bar,
            **settings,
        )
    finish(model.with_meshes(run, prepared), output, picture, names, units, quiet)
    leave(run)


def check_files(
    output: Path | None, picture: Path | None, force: bool, read: Iterable[str], *, names: str = "", pages: bool = True
) -> None:
    """Refuse files that cannot be written, before anything is computed for them."""
    if names and picture is None:
        raise typer.BadParameter("names are results to draw; give --plot IMAGE too", param_hint="--names")
    if output is not None:
        from cardan.results import check_target

        check_target(output)
        check_free(output, force, read=read)
    check_picture(picture, force, read, pages=pages)


def finish(run: "Trajectory", output: Path | None, picture: Path | None, names: str, units: str, quiet: bool) -> None:
    """Print the summary of a run and write the requested files, whatever its status."""
    if not quiet:
        print_summary(out(), run, units)
    if output is not None:
        wrote(cardan.save_run(run, output))
    if picture is not None:
        drawn("--names", cardan.plot, [run], listed(names) or None, path=picture, units=units)
        wrote(picture)


def leave(run: "Trajectory") -> None:
    """Exit with the code of an interruption or failure if the run did not come to its end."""
    if not run.ok:
        raise typer.Exit(ExitCode.INTERRUPTED if run.status == "interrupted" else ExitCode.FAILED)
