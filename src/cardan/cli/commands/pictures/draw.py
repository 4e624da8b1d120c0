"""`cardan draw`: a model as a kinematic diagram, in the browser or as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import cardan
from cardan.cli import browser
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import explained
from cardan.cli.writing import ForceOption, check_free


@guarded
@reads_model("parameters", "initial", "guesses")
def draw(
    model: GivenModel,
    output: Annotated[Path | None, explained("Picture: .svg, .png, .pdf.", "the browser", "-o", "--output")] = None,
    view: Annotated[
        str,
        explained(
            "From which side: xy, xz, yz, iso, or azimuth,elevation such as [bold]60,15[/].",
            "the plane of a planar model, else iso",
        ),
    ] = "",
    labels: Annotated[Literal["none", "joints", "all"], typer.Option(help="What is named.")] = "all",
    coordinates: Annotated[
        bool, typer.Option("--coordinates", help="Show the coordinates, as arrows from where they are zero.")
    ] = False,
    dimensions: Annotated[bool, typer.Option("--dimensions", help="Show the lengths of links and rods.")] = False,
    frames: Annotated[
        bool, typer.Option("--frames", help="Show the frame of every body: x1, y1, z1 of the first one.")
    ] = False,
    tree: Annotated[
        bool, typer.Option("--tree", help="Draw the tree of bodies and joints in place of the mechanism.")
    ] = False,
    force: ForceOption = False,
) -> None:
    """Draw a mechanism with the symbols of textbooks.

    [dim]cardan draw slider_crank[/]   in the browser

    [dim]cardan draw slider_crank -o crank.svg --initial crank=50deg --coordinates[/]

    [dim]cardan draw manipulator_6dof -o arm.pdf --view 60,15 --frames --labels joints[/]

    [dim]cardan draw parallel_3rrrt -o tree.svg --tree[/]
    """
    if output is not None:
        from cardan.view.drawing.draw import check_drawing

        check_drawing(output)
        check_free(output, force, read=[model.name])
    target = browser.target(output, "drawing.svg")
    cardan.draw(
        model.read(),
        target,
        view=view or None,
        labels=labels,
        coordinates=coordinates,
        dimensions=dimensions,
        frames=frames,
        tree=tree,
    )
    browser.tell(output, target, "write a picture with -o drawing.svg, and open it")
