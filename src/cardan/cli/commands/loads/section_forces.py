"""`cardan section-forces`: what a body carries inside, at the plane of one of its markers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import PlotOption, explained, instants
from cardan.cli.terminal import out, table
from cardan.cli.writing import ForceOption, check_picture, check_table, columns_text, write, wrote

if TYPE_CHECKING:
    import numpy as np

    from cardan.results import Trajectory


@guarded
@reads_model("parameters")
def section_forces(
    model: GivenModel,
    marker: Annotated[str, typer.Argument(metavar="BODY.MARKER", help="Marker whose yz plane cuts its body.")],
    times: Annotated[str, explained("Instants: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", "as of the run")] = "",
    output: Annotated[Path | None, explained("Values over time: csv.", "nowhere", "-o", "--output")] = None,
    picture: PlotOption = None,
    force: ForceOption = False,
) -> None:
    """Print normal force, shear, torsion and bending in a body: least and largest, and when.

    MODEL may be a RUN that [bold]cardan simulate -o run.nc[/] wrote. A model with motions follows them.

    [dim]cardan section-forces basket_arm_shapes arm2.middle -o cut.csv --plot cut.png[/]
    """
    check_table(output, force, [model.name])
    check_picture(picture, force, [model.name])
    run = _run(model, times)
    if not run.ok:
        out().print(run.message, markup=False, highlight=False)
        raise typer.Exit(ExitCode.FAILED)
    found = cardan.section_forces(run, marker)
    columns = {f"{name} [{found[name].attrs['units']}]": found[name].values for name in found.data_vars}
    out().print(table(_rows(columns, found["time"].values), marker, "least", "at t [s]", "largest", "at t [s]"))
    out().print(f"mass of the body: {found.attrs['mass']}", markup=False, highlight=False)
    write(output, columns_text({"time [s]": found["time"].values, **columns}))
    if picture is not None:
        from cardan.view import plot_section

        plot_section(found, picture)
        wrote(picture)


def _run(model: GivenModel, times: str) -> "Trajectory":
    """The run in a file, or that of a model."""
    if model.is_run:
        if times:
            raise typer.BadParameter("a run has its instants; give a model to change them", param_hint="--times")
        return model.run()
    prepared, at = model.read(), instants(times, "--times") if times else None
    return cardan.kinetostatics(prepared, at) if prepared.motions else cardan.simulate(prepared, times=at)


def _rows(columns: "Mapping[str, np.ndarray]", t: "np.ndarray") -> Iterator[list[str]]:
    """Name, least and largest value of each column, and when."""
    for name, values in columns.items():
        ends = (values.argmin(), values.argmax())
        yield [name, *(cell for k in ends for cell in (f"{values[k]:.6g}", f"{t[k]:.4g}"))]
