"""`cardan export`: the functions of a model as source code for other programs."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import explained, listed
from cardan.cli.terminal import out
from cardan.cli.writing import ForceOption, refused, wrote


@guarded
@reads_model("motors", "parameters")
def export(
    model: GivenModel,
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
    force: ForceOption = False,
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
    names, compiled = ([name for words in given or () for name in listed(words)] for given in (functions, systems))
    of_code = {"--function": names, "--stepper": stepper}
    of_fmu = {"--fmi-version": version, "--kind": kind, "--system": compiled}
    is_fmu = to == "fmu" or (to is None and output.suffix == ".fmu")
    for option in [key for key, value in (of_code if is_fmu else of_fmu).items() if value]:
        fault = "does not belong to an FMU;" if is_fmu else "belongs to an FMU alone; add --to fmu, or"
        raise typer.BadParameter(f"{option} {fault} leave it out")
    from cardan.simulation.exports.code_export import exported  # help must come at once

    options: dict[str, Any] = {"motors": model.motors, "overwrite": force}
    words = ""
    try:
        if is_fmu:
            options |= {"version": version or "3.0", "kind": kind or "both", "systems": compiled or None}
            files = [cardan.export_fmu(model.read(), output, **options)]
        else:
            options |= {"functions": names, "stepper": stepper, "parameters": None}
            files, words = exported(model.read(), output, to=to, **options)
    except FileExistsError as error:
        raise refused(error.filename, "--output") from None
    for file in files:
        wrote(file)
    if words:
        out().print(words, soft_wrap=True)
