"""`cardan plot`: pictures of runs that were saved."""

from pathlib import Path
from typing import Annotated

import typer

import cardan
from cardan.cli.failure import Debug, guarded
from cardan.cli.options import listed, span
from cardan.cli.terminal import out

__all__ = ["plot"]


@guarded
def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Files that [bold]cardan simulate -o[/] wrote.")],
    names: Annotated[str, typer.Option(help="Results to draw, one panel each.", show_default="the state")] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Image: png, pdf, svg.", show_default="<RUN>.png")
    ] = None,
    labels: Annotated[str, typer.Option(help="One per run, for the legend.", show_default="file names")] = "",
    title: Annotated[str | None, typer.Option(help="Heading.", show_default="the model's name")] = None,
    zoom: Annotated[str, typer.Option(help="Enlarge a span of time, such as [bold]0:50ms[/].", show_default="")] = "",
    debug: Debug = False,
) -> None:
    """Draw the results of one RUN, or compare several.

    [dim]cardan plot run.nc --names travel.v,swing.q[/]

    [dim]cardan plot full.nc simplified.nc --names drive.current --zoom 0:50ms -o compare.png[/]
    """
    loaded = [cardan.load_run(path) for path in runs]
    target = output or runs[0].with_suffix(".png")
    legend = listed(labels) or ([path.stem for path in runs] if len(runs) > 1 else None)
    try:
        cardan.plot(
            loaded,
            listed(names) or None,
            target,
            labels=legend,
            title=title,
            zoom=span(zoom, "--zoom") if zoom else None,
        )
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint="--names") from None
    out().print(f"wrote {target}", markup=False)
