"""`cardan animate`: a run or a model that moves, in the browser or as a file."""

import webbrowser
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import cardan
from cardan.cli.failure import Debug, ExitCode, guarded
from cardan.cli.options import Allow, UnitsOption, listed, seconds
from cardan.cli.progress import Bar
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free
from cardan.errors import ModelError

if TYPE_CHECKING:
    from cardan.results import Trajectory

__all__ = ["RUNS", "animate"]

RUNS = (".nc", ".csv", ".parquet")
"""Extensions of files of runs."""


@guarded
def animate(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN|MODEL", help="A file that [bold]cardan simulate -o[/] wrote, or a model.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Page, film or picture: .html, .mp4, .gif, .png.", show_default="the browser"
        ),
    ] = None,
    until: Annotated[str, typer.Option(help="End of the motion of a MODEL.", show_default="as the model says")] = "",
    plots: Annotated[
        str, typer.Option(help="Results beside the motion.", show_default="the outputs, or what moves")
    ] = "",
    trace: Annotated[
        str, typer.Option(help="Bodies and markers whose paths are shown.", show_default="those in the outputs")
    ] = "",
    show: Annotated[
        str,
        typer.Option(
            help="Layers to show: reactions, drives, springs, gravity, labels, [bold]body axes[/].",
            show_default="none of these",
        ),
    ] = "",
    hide: Annotated[
        str, typer.Option(help="Layers to hide: grid, traces, ground, joints, …", show_default="none")
    ] = "",
    follow: Annotated[str, typer.Option(help="Body that the camera goes along with.", show_default="none")] = "",
    look: Annotated[
        Literal["start", "front", "side", "top", "oblique"], typer.Option(help="Where the camera stands.")
    ] = "start",
    theme: Annotated[
        Literal["light", "dark"] | None, typer.Option(help="Colours.", show_default="those of the system")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(help="Seconds of motion per second.", show_default="1, or what takes 6 s")
    ] = None,
    size: Annotated[
        str, typer.Option(help="Pixels of a film or picture.", show_default="1280x720, of a GIF 640x360")
    ] = "",
    rate: Annotated[
        float | None, typer.Option(help="Pictures per second of a film.", show_default="30, of a GIF 20")
    ] = None,
    at: Annotated[str, typer.Option(help="Instant of a picture.", show_default="the first")] = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    allow: Allow = None,
    debug: Debug = False,
) -> None:
    """Show how a mechanism moves.

    [dim]cardan animate overhead_crane[/]   in the browser

    [dim]cardan animate run.nc -o crane.html[/]   one page that plays without a network

    [dim]cardan animate run.nc -o crane.mp4 --speed 0.5[/]   a film

    [dim]cardan animate slider_crank -o crank.png --at 0.2 --show reactions,labels[/]   a picture
    """
    pixels = _pixels(size) if size else None
    instant = seconds(at, "--at") if at else None
    if output is not None:
        from cardan.view.animation.animate import check_animation, film_defaults

        check_animation(output, *film_defaults(output, pixels, rate))
        check_free(output, force, "--output", [source])
    run, folders = _run(source, until, allow)
    target = output or Path(mkdtemp(prefix="cardan-")) / "animation.html"
    try:
        cardan.animate(
            run,
            target,
            plots=listed(plots) or None,
            trace=listed(trace) or None,
            show=listed(show),
            hide=listed(hide),
            follow=follow,
            look=look,
            theme=theme,
            speed=speed,
            units=units,
            size=pixels,
            rate=rate,
            at=instant,
            allow=folders,
        )
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint="--plots") from None
    if output is not None:
        out().print(f"wrote {output}")
    elif not webbrowser.open(target.as_uri()):
        raise ModelError(f"no browser could be opened for {target}", "write a page with -o animation.html, and open it")
    else:
        out().print(f"opened {target}")
    if not run.ok:
        raise typer.Exit(ExitCode.FAILED)


def _run(source: str, until: str, allow: list[Path] | None) -> tuple["Trajectory", list[Path]]:
    """The run in a file, or that of a model; and the folders in which meshes may lie."""
    folders = [Path(source).parent, Path.cwd(), *(allow or ())]
    if Path(source).suffix.lower() in RUNS:
        if until:
            raise typer.BadParameter("a run has its end; give a model", param_hint="--until")
        return cardan.load_run(source), folders
    model = cardan.load(source, allow=allow or ())
    with Bar("simulating") as bar:
        return cardan.simulate(model, until=seconds(until, "--until") if until else None, progress=bar), folders


def _pixels(text: str) -> tuple[int, int]:
    """Width and height from "1280x720"."""
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise typer.BadParameter(f'"{text}" is not of the form 1280x720', param_hint="--size")
    return int(width), int(height)
