"""`cardan plot`: pictures of runs that were saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.options import UnitsOption, explained, listed, span
from cardan.cli.writing import ForceOption, check_free, wrote
from cardan.safety.text import for_plot


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
    check_free(target, force, read=runs)
    legend = listed(labels) or ([for_plot(path.stem) for path in runs] if len(runs) > 1 else None)
    if (polar or drive) and (names or x or zoom or (polar and drive)):
        raise typer.BadParameter("--polar and --drive are figures of their own; leave --names, --x and --zoom out")
    options: dict[str, Any] = {"path": target, "labels": legend}
    if polar:
        drawn("--polar", cardan.plot_bearing, loaded, polar, frame=frame, **options)
    elif drive:
        drawn("--drive", cardan.plot_drive, loaded, drive, **options)
    else:
        options |= {"x": x or None, "equal": equal, "title": title, "units": units}
        options |= {"zoom": span(zoom, "--zoom") if zoom else None}
        drawn("--names", cardan.plot, loaded, listed(names) or None, **options)
    wrote(target)


def drawn(named: str, plot: Callable[..., Any], *what: Any, **options: Any) -> None:
    """Draw to a file; what the library refuses is wrong input, of the option `named` if there is no such result."""
    try:
        plot(*what, **options)
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint=named) from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
