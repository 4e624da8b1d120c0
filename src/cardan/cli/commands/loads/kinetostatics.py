"""`cardan kinetostatics`: the efforts of drives and all loads of a model that follows prescribed motions."""

from typing import Annotated

import cardan
from cardan.cli.commands.simulate import check_files, finish, leave
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, entry, reads_model
from cardan.cli.options import DrawnOption, PlotOption, Quiet, SaveOption, UnitsOption, explained, instants
from cardan.cli.progress import Bar
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption


@guarded
@reads_model("motions", "parameters", "guesses", "motors")
def kinetostatics(
    model: GivenModel,
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
    output: SaveOption = None,
    picture: PlotOption = None,
    names: DrawnOption = "",
    units: UnitsOption = "rad",
    force: ForceOption = False,
    quiet: Quiet = False,
) -> None:
    """Let a MODEL follow its motions: efforts of the drives, currents and voltages, reactions of all joints.

    [dim]cardan kinetostatics basket_arm -o loads.nc[/]

    [dim]cardan kinetostatics slider_crank --motion 'crank=2*pi*t' --times 0:1:0.001 -o crank.nc[/]
    """
    check_files(output, picture, force, model.files, names=names)
    prepared = model.read()
    with Bar("following the motions") as bar:
        loads = cardan.kinetostatics(
            prepared,
            instants(times, "--times") if times else None,
            motions=model.motions,
            motors=model.motors,
            realize=entry(realize, "--motion") if realize else None,
            progress=bar,
        )
    finish(model.with_meshes(loads, prepared), output, picture, names, units, quiet)
    leave(loads)
    if period:
        found = cardan.energy_per_cycle(loads, None if period == "own" else period)
        out().print(str(found), soft_wrap=True, markup=False, highlight=False)
