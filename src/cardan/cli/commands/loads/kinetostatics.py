"""`cardan kinetostatics`: the efforts of drives and all loads of a model that follows prescribed motions."""

from typing import Annotated

import typer

import cardan
from cardan.cli.changes import changed, laws, starts, with_meshes
from cardan.cli.commands.simulate import check_files, check_names, keep
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.options import (
    DrawnOption,
    GuessOption,
    ModelName,
    MotionsOption,
    MotorsOption,
    PlotOption,
    Quiet,
    Reading,
    SaveOption,
    SetOption,
    UnitsOption,
    assignments,
    explained,
    instants,
    listed,
    reads_models,
)
from cardan.cli.progress import Bar
from cardan.cli.summary import print_summary
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption


@guarded
@reads_models
def kinetostatics(
    model: ModelName,
    motions: MotionsOption = None,
    parameters: SetOption = None,
    guesses: GuessOption = None,
    times: Annotated[
        str, explained("Instants: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", "1001 over the model's time or one period")
    ] = "",
    realize: Annotated[
        str,
        explained(
            "How more drives than components share a motion: [bold]minimum_norm[/], [bold]ideal[/], "
            "[bold]'{zero: \\[A1]}'[/].",
            "as the motion says",
        ),
    ] = "",
    period: Annotated[
        str,
        explained(
            "Also print the energies of all drives over one period: [bold]4s[/], or [bold]own[/] for that of the "
            "motions.",
            "no energies",
            metavar="TIME",
        ),
    ] = "",
    motors: MotorsOption = None,
    output: SaveOption = None,
    picture: PlotOption = None,
    names: DrawnOption = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    quiet: Quiet = False,
    *,
    reading: Reading,
) -> None:
    """Let a MODEL follow its motions: efforts of the drives, currents and voltages, reactions of all joints.

    [dim]cardan kinetostatics basket_arm -o loads.nc[/]

    [dim]cardan kinetostatics slider_crank --motion 'crank=2*pi*t' --times 0:1:0.001 -o crank.nc[/]
    """
    check_names(names, picture)
    check_files(output, picture, force, [model])
    loaded = cardan.load(model, **reading)
    prepared = changed(loaded, assignments(parameters, "--set"), {}, {})
    with Bar("following the motions") as bar:
        loads = cardan.kinetostatics(
            prepared,
            instants(times, "--times") if times else None,
            motions=laws(assignments(motions, "--motion")) or None,
            motors=motors,
            initial=starts({}, assignments(guesses, "--guess")),
            realize=laws({"--realize": realize})["--realize"] if realize else None,
            progress=bar,
        )
    if not quiet:
        print_summary(out(), loads, units)
    if period and loads.ok:
        found = cardan.energy_per_cycle(loads, None if period == "own" else period)
        out().print(str(found), soft_wrap=True, markup=False, highlight=False)
    keep(with_meshes(loads, prepared, model, reading), output, picture, listed(names), units)
    if not loads.ok:
        raise typer.Exit(ExitCode.INTERRUPTED if loads.status == "interrupted" else ExitCode.FAILED)
