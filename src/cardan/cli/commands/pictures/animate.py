"""`cardan animate`: a run or a model that moves, in the browser or as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import cardan
from cardan.cli import browser
from cardan.cli.commands.simulate import leave
from cardan.cli.failure import guarded
from cardan.cli.given import RUN_OR_MODEL, GivenModel, reads_model
from cardan.cli.options import UnitsOption, explained, listed, seconds
from cardan.cli.writing import ForceOption, check_free


@guarded
@reads_model()
def animate(
    model: Annotated[GivenModel, RUN_OR_MODEL],
    output: Annotated[
        Path | None, explained("Page, film or picture: .html, .mp4, .gif, .png.", "the browser", "-o", "--output")
    ] = None,
    until: Annotated[str, explained("End of the motion of a MODEL.", "as the model says")] = "",
    plots: Annotated[str, explained("Results beside the motion.", "the outputs, or what moves")] = "",
    trace: Annotated[str, explained("Bodies and markers whose paths are shown.", "those in the outputs")] = "",
    show: Annotated[
        str,
        explained("Layers to show: reactions, drives, springs, gravity, labels, [bold]body axes[/].", "none of these"),
    ] = "",
    hide: Annotated[str, explained("Layers to hide: grid, traces, ground, joints, …", "none")] = "",
    follow: Annotated[str, explained("Body that the camera goes along with.", "none")] = "",
    look: Annotated[
        Literal["start", "front", "side", "top", "oblique"], typer.Option(help="Where the camera stands.")
    ] = "start",
    theme: Annotated[Literal["light", "dark"] | None, explained("Colours.", "those of the system")] = None,
    speed: Annotated[float | None, explained("Seconds of motion per second.", "1, or what takes 6 s")] = None,
    size: Annotated[str, explained("Pixels of a film or picture.", "1280x720, of a GIF 640x360")] = "",
    rate: Annotated[float | None, explained("Pictures per second of a film.", "30, of a GIF 20")] = None,
    at: Annotated[str, explained("Instant of a picture.", "the first")] = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
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
        check_free(output, force, read=[model.name])
    run = model.run(until)
    target = browser.target(output, "animation.html")
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
            allow=model.folders,
        )
    except KeyError as error:
        raise typer.BadParameter(error.args[0], param_hint="--plots") from None
    browser.tell(output, target, "write a page with -o animation.html, and open it")
    leave(run)


def _pixels(text: str) -> tuple[int, int]:
    """Width and height from "1280x720"."""
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise typer.BadParameter(f'"{text}" is not of the form 1280x720', param_hint="--size")
    return int(width), int(height)
