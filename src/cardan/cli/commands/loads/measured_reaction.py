"""`cardan measured-reaction`: the reaction of a constraint from a recorded motion and the efforts of the drives."""

from pathlib import Path
from typing import Annotated

import typer

import cardan
from cardan.cli.changes import changed
from cardan.cli.failure import guarded
from cardan.cli.options import ModelName, Reading, SetOption, assignments, explained, reads_models
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_table, write_columns


@guarded
@reads_models
def measured_reaction(
    model: ModelName,
    record: Annotated[
        Path,
        typer.Argument(help="Run (.nc, .parquet), or CSV with columns t, x.q, x.v, x.a, x.effort of each joint x."),
    ],
    constraint: Annotated[str, typer.Argument(help="Constraint whose reaction is wanted.")],
    parameters: SetOption = None,
    output: Annotated[Path | None, explained("Values over time: csv.", "nowhere", "-o", "--output")] = None,
    force: ForceOption = False,
    *,
    reading: Reading,
) -> None:
    """Print the force of a constraint that a recorded motion implies, and its friction over the normal force.

    [dim]cardan measured-reaction digging_machine run.nc line -o soil.csv[/]
    """
    if output is not None:
        check_table(output, force, [model, record])
    prepared = changed(cardan.load(model, **reading), assignments(parameters, "--set"), {}, {})
    found = cardan.measured_reaction(prepared, record, constraint)
    out().print(str(found), markup=False, highlight=False)
    if output is not None:
        write_columns(output, found.columns())
        out().print(f"wrote {output}")
