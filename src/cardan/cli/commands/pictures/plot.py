"""`cardan plot`: pictures of runs that were saved."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import Debug, guarded
from cardan.cli.options import UnitsOption, listed, span
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free
from cardan.safety.text import for_plot

if TYPE_CHECKING:
    from cardan.results import Trajectory

__all__ = ["draw", "plot"]


@guarded
def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Files that [bold]cardan simulate -o[/] wrote.")],
    names: Annotated[str, typer.Option(help="Results to draw, one panel each.", show_default="the state")] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Image: png, pdf, svg; or a page for the browser: html.", show_default="<RUN>.png"
        ),
    ] = None,
    labels: Annotated[str, typer.Option(help="One per run, for the legend.", show_default="file names")] = "",
    title: Annotated[str | None, typer.Option(help="Heading.", show_default="the model's name")] = None,
    x: Annotated[
        str, typer.Option("--x", help="Result on the horizontal axis, such as [bold]swing.q[/].", show_default="time")
    ] = "",
    equal: Annotated[
        bool | None,
        typer.Option(
            "--equal/--unequal", help="One scale for both axes.", show_default="equal for the path of a point"
        ),
    ] = None,
    polar: Annotated[
        str, typer.Option(help="Draw the force in this joint as a curve.", metavar="JOINT", show_default="none")
    ] = "",
    frame: Annotated[Literal["world", "parent", "child"], typer.Option(help="Axes of [bold]--polar[/].")] = "child",
    drive: Annotated[
        str, typer.Option(help="Draw the torque of this motor over its speed.", metavar="MOTOR", show_default="none")
    ] = "",
    zoom: Annotated[
        str, typer.Option(help="Enlarge a span of time, such as [bold]0:50ms[/].", show_default="none")
    ] = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    debug: Debug = False,
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
