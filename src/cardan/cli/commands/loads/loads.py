"""`cardan loads`: the table of what every joint of a saved run has to carry."""

from pathlib import Path
from typing import Annotated

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.options import explained
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_table, write


@guarded
def loads(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A file that [bold]cardan simulate -o[/] wrote.")],
    output: Annotated[Path | None, explained("Table to write: csv.", "none", "-o", "--output")] = None,
    force: ForceOption = False,
) -> None:
    """Print the largest, RMS and cubic mean load of every joint in a RUN.

    [dim]cardan loads run.nc -o loads.csv[/]   with components in world axes and in those of both markers
    """
    check_table(output, force, [run])
    found = cardan.bearing_loads(cardan.load_run(run))
    out().print(str(found), soft_wrap=True, markup=False, highlight=False)
    write(output, found.csv)
