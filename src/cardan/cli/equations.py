"""`cardan equations`: the equations of motion as a document, to read or to paste."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import cardan
from cardan.cli.failure import Debug, guarded
from cardan.cli.options import Formulation, ModelName, Motors, assignments, listed
from cardan.cli.terminal import out

__all__ = ["equations"]

Format = Literal["text", "latex", "html", "json", "sympy"]


@guarded
def equations(
    model: ModelName,
    motors: Annotated[Motors, typer.Option(help="How much of the motors the equations contain.")] = "full",
    formulation: Annotated[Formulation, typer.Option(help="The method that derives them.")] = "composite_body",
    format: Annotated[Format, typer.Option(help="How to write them.")] = "text",
    at: Annotated[
        str, typer.Option(help="Numbers at these values: [bold]swing=0.1,swing.v=0.2[/].", show_default="symbols")
    ] = "",
    only: Annotated[str, typer.Option(help="Terms to write, such as [bold]M,C[/].", show_default="all")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    debug: Debug = False,
) -> None:
    """Write the equations of motion of a MODEL: symbols, parameters, all matrices, constraints.

    [dim]cardan equations overhead_crane[/]

    [dim]cardan equations overhead_crane --motors simplified --format latex -o crane.tex[/]

    [dim]cardan equations overhead_crane --only M,g --at "swing=20 deg,mp=1 kg"[/]
    """
    if output is not None and output.exists() and Path(model).exists() and output.samefile(model):
        raise typer.BadParameter(f"{output} is the model itself", param_hint="--output")
    found = cardan.equations(cardan.load(model), motors=motors, formulation=formulation)
    values = assignments(listed(at), "--at") if at else None
    document = found.render(format, at=values, only=listed(only))
    if output is not None:
        output.write_text(document, encoding="utf-8")
    else:
        out().print(document, markup=False, soft_wrap=True, end="", highlight=False)
