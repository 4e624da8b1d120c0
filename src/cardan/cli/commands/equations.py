"""`cardan equations`: the equations of motion as a document, to read or to paste."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import Formulation, assignments, explained, listed
from cardan.cli.terminal import err, out
from cardan.cli.writing import ForceOption, check_free, write

Format = Literal["text", "latex", "html", "json", "sympy"]


@guarded
@reads_model("motors")
def equations(
    model: GivenModel,
    formulation: Annotated[Formulation, typer.Option(help="The method that derives them.")] = "composite_body",
    format: Annotated[Format, typer.Option(help="How to write them.")] = "text",
    at: Annotated[str, explained("Numbers at these values: [bold]swing=0.1,swing.v=0.2[/].", "symbols")] = "",
    only: Annotated[str, explained("Terms to write, such as [bold]M,C[/], or [bold]accelerations[/].", "all")] = "",
    budget: Annotated[
        float | None,
        explained(
            "Processor time that simplifying may take; [bold]0[/] leaves all as derived.", "5", metavar="SECONDS", min=0
        ),
    ] = None,
    symbols: Annotated[
        bool,
        typer.Option("--symbols", help="Call masses and inertias of bodies m1, I_1xx … where the model has numbers."),
    ] = False,
    output: Annotated[Path | None, explained("Write to this file.", "the terminal", "-o", "--output")] = None,
    force: ForceOption = False,
) -> None:
    """Write the equations of motion of a MODEL: symbols, parameters, all matrices, constraints.

    [dim]cardan equations overhead_crane[/]

    [dim]cardan equations overhead_crane --motors simplified --format latex -o crane.tex[/]

    [dim]cardan equations overhead_crane --only M,g --at "swing=20 deg,mp=1 kg"[/]

    [dim]cardan equations manipulator_3dof --symbols[/]   masses and inertias by name

    [dim]cardan equations manipulator_6dof --budget 0.5[/]   what it does not reach is named
    """
    check_free(output, force, read=[model.name])
    values = assignments(listed(at), "--at") if at else None
    effort = {} if budget is None else {"budget": budget}
    found = cardan.equations(model.read(), motors=model.motors, formulation=formulation, symbols=symbols, **effort)
    document = found.render(format, at=values, only=listed(only))
    write(output, document)
    if output is None:
        out().print(document, soft_wrap=True, end="")
    left = 0 if values is not None else sum(len(term.rough) for term in found.simplified(listed(only)).values())
    if left:
        words = "entry stands as it was" if left == 1 else "entries stand as they were"
        err().print(f"{left} {words} derived; a larger --budget reaches more", soft_wrap=True)
