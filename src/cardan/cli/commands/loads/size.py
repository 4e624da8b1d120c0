"""`cardan size`: what a motion asks of a drive, and which motors and gears of a catalogue can give it."""

import csv
import io
from pathlib import Path
from typing import Annotated

import typer

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import ClusterOption, PlotOption, explained, listed
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_picture, check_table, write, wrote
from cardan.errors import ModelError


@guarded
@reads_model("parameters")
def size(
    model: GivenModel,
    drive: Annotated[str, typer.Option(help="Motor, or coordinate that a motion drives.", metavar="NAME")],
    catalogue: Annotated[Path | None, explained("CSV file of motors.", "a few invented motors")] = None,
    ratios: Annotated[str, typer.Option(help="Ratios of gears to try: [bold]20,50,100[/].")] = "1",
    efficiency: Annotated[float, typer.Option(help="Of the gears.")] = 1.0,
    until: Annotated[str, explained("End of the motion.", "the model's", metavar="TIME")] = "",
    cluster: ClusterOption = "",
    most: Annotated[int, typer.Option("--most", help="Number of choices to print.", min=1)] = 20,
    output: Annotated[Path | None, explained("Save all choices: .csv.", "nowhere", "-o", "--output")] = None,
    picture: PlotOption = None,
    force: ForceOption = False,
) -> None:
    """Say what the motion of a MODEL asks of a drive, and which motors and gears can give it.

    A model with motions follows them, any other one moves by itself.

    [dim]cardan size manutec_r3 --drive a5 --ratios 50,80,100[/]
    """
    check_table(output, force, [model.name, *([catalogue] if catalogue else [])])
    check_picture(picture, force, [model.name])
    prepared = model.read()
    follows = bool(prepared.motions) and not prepared.motors
    run = cardan.kinetostatics(prepared) if follows and not until else cardan.simulate(prepared, until or None)
    try:
        wanted = [float(entry) for entry in listed(ratios)]
    except ValueError:
        raise ModelError(f"--ratios {ratios!r} are no numbers", "write 20,50,100") from None
    found = cardan.size(run, drive, catalogue=catalogue, ratios=wanted, efficiency=efficiency, client=cluster or None)
    out().print(repr(found), markup=False, highlight=False, soft_wrap=True)
    out().print(found.table(most), markup=False, highlight=False, soft_wrap=True)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(["motor", "ratio", "used", "limited by", *found.choices[0].shares, "inertia ratio"])
    for one in found.choices:
        writer.writerow([one.motor.name, one.ratio, one.used, one.limited_by, *one.shares.values(), one.inertia_ratio])
    write(output, stream.getvalue())
    if picture is not None:
        cardan.plot_sizing(found, picture)
        wrote(picture)
    if not found.choices[0].is_possible:
        raise typer.Exit(ExitCode.FAILED)
