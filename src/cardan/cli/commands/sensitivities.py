"""`cardan sensitivities`: derivatives of a run by parameters and initial values."""

from pathlib import Path
from typing import Annotated, Any

import typer

import cardan
from cardan.cli.changes import read_model
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.options import (
    InitialOption,
    InputsOption,
    ModelName,
    MotorsOption,
    Reading,
    SetOption,
    assignments,
    explained,
    instants,
    listed,
    reads_models,
    seconds,
    with_options,
)
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, check_table, write_columns


@guarded
@reads_models
@with_options("method", "rtol", "atol", "step", "max_step")
def sensitivities(
    model: ModelName,
    by: Annotated[str, typer.Option("--parameters", help="Parameters, or states at t = 0: [bold]k,swing[/].")],
    outputs: Annotated[
        str, explained("Results: [bold]swing,payload.com.x[/].", "states and outputs", "--outputs")
    ] = "",
    until: Annotated[str, explained("End of the run.", "the model's", metavar="TIME")] = "",
    times: Annotated[str, explained("Instants: [bold]0:5:0.01[/].", "chosen")] = "",
    parameters: SetOption = None,
    inputs: InputsOption = None,
    initial: InitialOption = None,
    motors: MotorsOption = None,
    output: Annotated[Path | None, explained("Derivatives over time: .csv.", "nowhere", "-o", "--output")] = None,
    force: ForceOption = False,
    *,
    reading: Reading,
    **settings: Any,
) -> None:
    """Print the derivatives of a run of a MODEL by parameters and initial values.

    [dim]cardan sensitivities overhead_crane --parameters L,mp --outputs swing,payload.com.x[/]
    """
    if output is not None:
        check_table(output, force, [model])
    shown = listed(outputs) or None
    prepared = read_model(model, motors, parameters, assignments(inputs, "--input"), initial, None, reading)
    found = cardan.sensitivities(
        prepared,
        seconds(until, "--until") if until else None,
        parameters=listed(by),
        outputs=shown,
        motors=motors,
        times=instants(times, "--times") if times else None,
        **settings,
    )
    out().print(found.message, soft_wrap=True)
    out().print(found.table(shown), markup=False, highlight=False, soft_wrap=True)
    if output is not None:
        write_columns(output, found.columns(shown))
        out().print(f"wrote {output}", soft_wrap=True)
    if not found.ok:
        raise typer.Exit(ExitCode.FAILED)
