"""`cardan sensitivities`: derivatives of a run by parameters and initial values."""

from pathlib import Path
from typing import Annotated, Any

import typer

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import explained, instants, listed, seconds
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_table, columns_text, write

_SETTINGS = ("method", "rtol", "atol", "step", "max_step")


@guarded
@reads_model("parameters", "inputs", "initial", "motors", settings=_SETTINGS)
def sensitivities(
    model: GivenModel,
    by: Annotated[str, typer.Option("--parameters", help="Parameters, or states at t = 0: [bold]k,swing[/].")],
    outputs: Annotated[
        str, explained("Results: [bold]swing,payload.com.x[/].", "states and outputs", "--outputs")
    ] = "",
    until: Annotated[str, explained("End of the run.", "the model's", metavar="TIME")] = "",
    times: Annotated[str, explained("Instants: [bold]0:5:0.01[/].", "chosen")] = "",
    output: Annotated[Path | None, explained("Derivatives over time: .csv.", "nowhere", "-o", "--output")] = None,
    force: ForceOption = False,
    **settings: Any,
) -> None:
    """Print the derivatives of a run of a MODEL by parameters and initial values.

    [dim]cardan sensitivities overhead_crane --parameters L,mp --outputs swing,payload.com.x[/]
    """
    check_table(output, force, model.files)
    shown = listed(outputs) or None
    found = cardan.sensitivities(
        model.read(),
        seconds(until, "--until") if until else None,
        parameters=listed(by),
        outputs=shown,
        motors=model.motors,
        times=instants(times, "--times") if times else None,
        **settings,
    )
    out().print(found.message, soft_wrap=True)
    out().print(found.table(shown), markup=False, highlight=False, soft_wrap=True)
    write(output, columns_text(found.columns(shown)))
    if not found.ok:
        raise typer.Exit(ExitCode.FAILED)
