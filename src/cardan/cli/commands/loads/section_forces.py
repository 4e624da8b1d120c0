"""`cardan section-forces`: what a body carries inside, at the plane of one of its markers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cardan
from cardan.cli.changes import changed
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.options import ModelName, Reading, SetOption, assignments, explained, instants, reads_models
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_free, check_table, write_columns

if TYPE_CHECKING:
    import xarray

    from cardan.results import Trajectory

RUNS = (".nc", ".parquet")
"""Extensions of files of runs that carry their model."""


@guarded
@reads_models
def section_forces(
    model: ModelName,
    marker: Annotated[str, typer.Argument(metavar="BODY.MARKER", help="Marker whose yz plane cuts its body.")],
    parameters: SetOption = None,
    times: Annotated[str, explained("Instants: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", "as of the run")] = "",
    output: Annotated[Path | None, explained("Values over time: csv.", "nowhere", "-o", "--output")] = None,
    picture: Annotated[Path | None, explained("Draw: .png, .pdf, .svg.", "nothing", "--plot")] = None,
    force: ForceOption = False,
    *,
    reading: Reading,
) -> None:
    """Print normal force, shear, torsion and bending in a body: least and largest, and when.

    MODEL may be a RUN that [bold]cardan simulate -o run.nc[/] wrote. A model with motions follows them.

    [dim]cardan section-forces basket_arm_shapes arm2.middle -o cut.csv --plot cut.png[/]
    """
    if output is not None:
        check_table(output, force, [model])
    if picture is not None:
        from cardan.view import check_image

        check_image(picture)
        check_free(picture, force, "--plot", [model])
    run = _run(model, parameters, times, reading)
    if not run.ok:
        out().print(run.message, markup=False, highlight=False)
        raise typer.Exit(ExitCode.FAILED)
    found = cardan.section_forces(run, marker)
    _print(found, marker)
    if output is not None:
        columns = {f"{name} [{found[name].attrs['units']}]": found[name].values for name in found.data_vars}
        write_columns(output, {"time [s]": found["time"].values, **columns})
        out().print(f"wrote {output}")
    if picture is not None:
        from cardan.view import plot_section

        plot_section(found, picture)
        out().print(f"wrote {picture}")


def _run(model: str, parameters: list[str] | None, times: str, reading: Reading) -> "Trajectory":
    """The run in a file, or that of a model."""
    if Path(model).suffix.lower() in RUNS:
        if parameters or times:
            raise typer.BadParameter("a run has its parameters and instants; give a model to change them")
        return cardan.load_run(model)
    prepared = changed(cardan.load(model, **reading), assignments(parameters, "--set"), {}, {})
    at = instants(times, "--times") if times else None
    return cardan.kinetostatics(prepared, at) if prepared.motions else cardan.simulate(prepared, times=at)


def _print(found: "xarray.Dataset", marker: str) -> None:
    """Print a table of the least and largest values, and how the mass of the body is distributed."""
    from rich import box
    from rich.table import Table

    table = Table(marker, "least", "at t [s]", "largest", "at t [s]", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in found.data_vars:
        values, t = found[name].values, found["time"].values
        ends = [cell for k in (values.argmin(), values.argmax()) for cell in (f"{values[k]:.6g}", f"{t[k]:.4g}")]
        table.add_row(f"{name} [{found[name].attrs['units']}]", *ends)
    out().print(table)
    out().print(f"mass of the body: {found.attrs['mass']}", markup=False, highlight=False)
