"""`cardan studio`: a page in the browser in which a model is changed, built and run."""

from typing import Annotated

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import NO_MODEL, GivenModel, reads_model
from cardan.cli.terminal import out


@guarded
@reads_model()
def studio(
    model: Annotated[
        GivenModel,
        typer.Argument(
            metavar="MODEL",
            help="A name of the gallery, or a model file (YAML, URDF, SDF, MJCF).",
            show_default="an empty model to build on",
        ),
    ] = NO_MODEL,
    port: Annotated[int, typer.Option(help="Port of 127.0.0.1; 0 for any that is free.", show_default=True)] = 8100,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page, or print its address alone.")
    ] = True,
) -> None:
    """Build and change a mechanism in the browser; it runs at every change.

    [dim]cardan studio overhead_crane[/]   sliders, the moving picture and plots beside it

    [dim]cardan studio[/]   an empty model, to build on

    [dim]cardan studio crane.yaml --no-browser --port 0[/]   print the address alone

    The page is served on this machine alone, and its address holds a token. Ctrl-C ends the studio.
    """
    with cardan.studio(model.name or None, port=port, browser=browser, **model.reading) as opened:
        out().print(f"The studio is at {opened.url}", soft_wrap=True)
        if browser:
            out().print("If the browser shows no page, open that address in it.")
        out().print("Ctrl-C ends it.")
        opened.wait()
