"""`cardan plot`: pictures of runs that were saved."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.options import UnitsOption, explained, listed, span
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free
from cardan.safety.text import for_plot

if TYPE_CHECKING:
    from cardan.results import Trajectory


@guarded
def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Files that [bold]cardan simulate -o[/] wrote.")],
    names: Annotated[str, explained("Results to draw, one panel each.", "the state")] = "",
    output: Annotated[
        Path | None, explained("Image: png, pdf, svg; or a page for the browser: html.", "<RUN>.png", "-o", "--output")
    ] = None,
    labels: Annotated[str, explained("One per run, for the legend.", "file names")] = "",
    title: Annotated[str | None, explained("Heading.", "the model's name")] = None,
    x: Annotated[str, explained("Result on the horizontal axis, such as [bold]swing.q[/].", "time", "--x")] = "",
    equal: Annotated[
        bool | None, explained("One scale for both axes.", "equal for the path of a point", "--equal/--unequal")
    ] = None,
    polar: Annotated[str, explained("Draw the force in this joint as a curve.", "none", metavar="JOINT")] = "",
    frame: Annotated[Literal["world", "parent", "child"], typer.Option(help="Axes of [bold]--polar[/].")] = "child",
    drive: Annotated[str, explained("Draw the torque of this motor over its speed.", "none", metavar="MOTOR")] = "",
    zoom: Annotated[str, explained("Enlarge a span of time, such as [bold]0:50ms[/].", "none")] = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
) -> None:
    """Draw the results of one RUN, or compare several.

    [dim]cardan plot run.nc --names travel.v,swing.q[/]

    [dim]cardan plot run.nc other.nc -o plots.html[/]   a page in which time can be enlarged and values read

    [dim]cardan plot run.nc --x swing.q --names swing.v[/]   a phase portrait

    [dim]cardan plot run.nc --x payload.position.x --names payload.position.z[/]   the path of a point

    [dim]cardan plot run.nc --polar pin[/]   the force in a bearing, in axes that turn with the child

    [dim]cardan plot run.nc --drive motor[/]   a motor in the torque–speed plane

    [dim]cardan plot full.nc simplified.nc --names drive.current --zoom 0:50ms -o compare.png[/]
    """
    loaded = [cardan.load_run(path) for path in runs]
    target = output or runs[0].with_suffix(".png")
    check_free(target, force, "--output", runs)
    legend = listed(labels) or ([for_plot(path.stem) for path in runs] if len(runs) > 1 else None)
    if polar or drive:
        if names or x or zoom or (polar and drive):
            raise typer.BadParameter("--polar and --drive are figures of their own; leave --names, --x and --zoom out")
        _draw_loads(loaded, polar, drive, target, frame, legend)
        out().print(f"wrote {target}")
        return
    draw(
        loaded,
        listed(names),
        target,
        x=x or None,
        equal=equal,
        labels=legend,
        title=title,
        zoom=span(zoom, "--zoom") if zoom else None,
        units=units,
    )
    out().print(f"wrote {target}")


def _draw_loads(
    runs: list["Trajectory"],
    polar: str,
    drive: str,
    path: Path,
    frame: Literal["world", "parent", "child"],
    labels: list[str] | None,
) -> None:
    try:
        if polar:
            cardan.plot_bearing(runs, polar, path, frame=frame, labels=labels)
        else:
            cardan.plot_drive(runs, drive, path, labels=labels)
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint="--polar" if polar else "--drive") from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def draw(runs: list["Trajectory"], names: list[str], path: Path, **options: Any) -> None:
    """Draw runs to a file; what `cardan.plot` refuses is wrong input."""
    try:
        cardan.plot(runs, names or None, path, **options)
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint="--names") from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
