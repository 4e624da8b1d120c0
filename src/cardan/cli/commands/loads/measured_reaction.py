"""`cardan measured-reaction`: the reaction of a constraint from a recorded motion and the efforts of the drives."""

from pathlib import Path
from typing import Annotated

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import explained
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_table, columns_text, write


@guarded
@reads_model("parameters")
def measured_reaction(
    model: GivenModel,
    record: Annotated[
        Path,
        typer.Argument(help="Run (.nc, .parquet), or CSV with columns t, x.q, x.v, x.a, x.effort of each joint x."),
    ],
    constraint: Annotated[str, typer.Argument(help="Constraint whose reaction is wanted.")],
    output: Annotated[Path | None, explained("Values over time: csv.", "nowhere", "-o", "--output")] = None,
    force: ForceOption = False,
) -> None:
    """Print the force of a constraint that a recorded motion implies, and its friction over the normal force.

    [dim]cardan measured-reaction digging_machine run.nc line -o soil.csv[/]
    """
    check_table(output, force, [model.name, record])
    found = cardan.measured_reaction(model.read(), record, constraint)
    out().print(str(found), markup=False, highlight=False)
    write(output, columns_text(found.columns()))
