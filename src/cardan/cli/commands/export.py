"""`cardan export`: the functions of a model as source code for other programs."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.options import ModelName, MotorsOption, Reading, assignments, explained, listed, reads_models
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, refused


@guarded
@reads_models
def export(
    model: ModelName,
    to: Annotated[
        Literal["c", "python", "casadi", "fmu"] | None, explained("The language.", "by the ending of --output")
    ] = None,
    output: Annotated[
        Path,
        explained(
            "A file, whose stem begins all names; or a folder, for the model's name.", "this folder", "-o", "--output"
        ),
    ] = Path(),
    functions: Annotated[
        list[str] | None,
        explained(
            "What to write, such as [bold]mass_matrix,bias[/] or [bold]jacobian:payload.com[/]. Repeatable.",
            "all but those on request",
            "--function",
            metavar="NAMES",
        ),
    ] = None,
    stepper: Annotated[
        Literal["rk4", "semi_implicit_euler", "tsit5"] | None,
        explained("In C: a step of the motion by this method, in place of these functions.", "none"),
    ] = None,
    version: Annotated[
        Literal["3.0", "2.0"] | None, explained("Of an FMU: the version of FMI.", "3.0", "--fmi-version")
    ] = None,
    kind: Annotated[
        Literal["CoSimulation", "ModelExchange", "both"] | None,
        explained("Of an FMU: with its own integrator, for that of the importer, or both.", "both"),
    ] = None,
    systems: Annotated[
        list[str] | None,
        explained(
            "Of an FMU: systems to compile for, such as [bold]x86_64-windows[/]. Repeatable.", "this one", "--system"
        ),
    ] = None,
    motors: MotorsOption = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Another default of a parameter: mp=1.2kg. Repeatable."),
    ] = None,
    force: ForceOption = False,
    *,
    reading: Reading,
) -> None:
    """Write functions of a MODEL as source code that runs without Cardan.

    [bold]c[/]: C99 that needs only math.h and no memory, NAME.h and NAME.c.

    [bold]python[/]: functions of arrays, with leading batch axes, that need only NumPy, NAME.py.

    [bold]casadi[/]: NAME_FUNCTION.casadi for casadi.Function.load, and NAME.json with names, units and values.

    All parameters stay inputs. The file says what every array holds:
    order, names, units, default values; and how many operations it takes.

    Functions: forward_dynamics, inverse_dynamics, mass_matrix, bias, energy,
    state_derivative, forward_kinematics; drive_efforts, constraint and
    constraint_jacobian where there are any; on request coriolis_matrix,
    regressor, jacobian:PLACE, controllers.

    [bold]controllers[/]: a step of the sampled controllers, from what is measured to
    the inputs; in C with a struct of what they hold, and functions that
    begin it and make a step, NAME_controllers_init and _step.

    [bold]fmu[/]: a functional mock-up unit for other simulators, NAME.fmu, with the
    sources in C and a binary; its variables are named as results are.

    [bold]--stepper rk4[/]: NAME_init and NAME_step, which moves a state over dt
    with inputs that stay as they are; the most operations of a step are printed.

    [dim]cardan export overhead_crane --to c[/]

    [dim]cardan export overhead_crane --to c --stepper rk4[/]

    [dim]cardan export overhead_crane --to fmu --fmi-version 2.0 --kind CoSimulation[/]

    [dim]cardan export overhead_crane -o crane.py --function forward_dynamics,energy --motors none[/]

    [dim]cardan export overhead_crane -o crane.c --set mp=1.2kg --force[/]

    [dim]cardan export balancing_robot -o robot.c --function controllers[/]
    """
    loaded = cardan.load(model, **reading)
    names = [name for words in functions or () for name in listed(words)]
    changed = assignments(parameters, "--set")
    is_fmu = to == "fmu" or (to is None and output.suffix == ".fmu")
    of_fmu = {"--fmi-version": version, "--kind": kind, "--system": systems}
    for option in [key for key, value in of_fmu.items() if value and not is_fmu]:
        raise typer.BadParameter(f"{option} belongs to an FMU alone; add --to fmu, or leave it out")
    for option in [key for key, value in {"--function": names, "--stepper": stepper}.items() if value and is_fmu]:
        raise typer.BadParameter(f"{option} does not belong to an FMU; leave it out")
    from cardan.simulation.exports.code_export import exported  # help must come at once

    given: dict[str, Any] = {"motors": motors, "parameters": changed, "overwrite": force}
    words = ""
    try:
        if is_fmu:
            wanted = [name for entry in systems or () for name in listed(entry)] or None
            files = [
                cardan.export_fmu(
                    loaded, output, version=version or "3.0", kind=kind or "both", systems=wanted, **given
                )
            ]
        else:
            files, words = exported(loaded, output, to=to, functions=names, stepper=stepper, **given)
    except FileExistsError as error:
        raise refused(error.filename, "--output") from None
    for file in files:
        out().print(f"wrote {file}", soft_wrap=True)
    if words:
        out().print(words, soft_wrap=True)
