"""`cardan linearize`: modes of small motions, and the matrices A, B, C, D as a file for the design of controllers."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import explained
from cardan.cli.terminal import out, styled, table
from cardan.cli.writing import ForceOption, check_free, wrote
from cardan.safety.writing import replacing, write_text

if TYPE_CHECKING:
    from rich.console import Console

    from cardan.simulation.linear.linearization import Linearization

_MATRICES = ("A", "B", "C", "D")
_NAMES = ("states", "inputs", "outputs", "state_units", "input_units", "output_units")
_VALUES = ("x", "u", "y")


@guarded
@reads_model("parameters", "inputs", "motions", "initial", "guesses", "motors")
def linearize(
    model: GivenModel,
    equilibrium: Annotated[
        bool, typer.Option("--equilibrium", help="Search for the equilibrium near the start, and linearize there.")
    ] = False,
    of: Annotated[
        list[str] | None,
        explained(
            "An output y: [bold]payload.com.x[/], [bold]swing.a[/]. Repeatable.",
            "the model's outputs",
            metavar="EXPRESSION",
        ),
    ] = None,
    output: Annotated[
        Path | None, explained("Save A, B, C, D with all names: .json, .mat (MATLAB).", "nowhere", "-o", "--output")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Print the modes of small motions of a MODEL around its state at t = 0, and save its A, B, C, D.

    [dim]cardan linearize overhead_crane --input drive=0 --equilibrium[/]

    [dim]cardan linearize overhead_crane --equilibrium --of travel --of payload.com.x -o crane.mat[/]
    """
    if output is not None and output.suffix.lower() not in (".json", ".mat"):
        raise typer.BadParameter(f"{output} must end in .json or .mat", param_hint="--output")
    check_free(output, force, read=model.files)
    prepared = model.read()
    found = cardan.linearize(prepared, motors=model.motors, motions=model.motions, outputs=of, equilibrium=equilibrium)
    _print_summary(out(), prepared.name, found)
    if output is not None:
        _save(found, output)
        wrote(output)


def _print_summary(console: "Console", title: str, found: "Linearization") -> None:
    """Print whether small motions decay, the state they start from, and the modes."""
    console.print(styled(title), end="")
    answer = "small motions decay" if found.is_stable else "not all small motions decay"
    console.print(f": {answer if found.modes else 'nothing moves'}", soft_wrap=True)
    for kind in ("states", "inputs", "outputs"):
        console.print(f"{kind}: {', '.join(getattr(found, kind)) or 'none'}", soft_wrap=True)
    if found.modes:
        fastest = max(found.rates, key=lambda name: abs(found.rates[name]))
        rate = f"{fastest} changes by {found.rates[fastest]:.4g} per second"
        console.print(f"largest rate of a state, 0 in an equilibrium: {rate}", soft_wrap=True)
        headings = "eigenvalue [1/s]", ">frequency [rad/s]", ">[Hz]", ">damping ratio", "largest share"
        console.print(table(_modes(found), *headings))


def _modes(found: "Linearization") -> Iterator[list[str]]:
    """One row per mode, both eigenvalues of a pair in one: how fast, how damped, and which state moves most."""
    for mode in found.modes:
        value = mode.eigenvalue
        if value.imag < 0:
            continue
        written = f"{value.real:.4g} ± {value.imag:.4g}j" if value.imag else f"{value.real:.4g}"
        largest = max(mode.shape, key=lambda name: abs(mode.shape[name]))
        hertz = mode.frequency / (2 * math.pi)
        yield [written, f"{mode.frequency:.5g}", f"{hertz:.5g}", f"{mode.damping:.4g}", largest]


def _save(found: "Linearization", file: Path) -> None:
    """Write the matrices, the names of their rows and columns, and the state that they belong to."""
    matrices = {name: getattr(found, name) for name in _MATRICES}
    names = {name: list(getattr(found, name)) for name in _NAMES}
    if file.suffix.lower() == ".mat":
        import numpy as np
        from scipy.io import savemat

        cells = {name: np.array(words, dtype=object) for name, words in names.items()}
        values = {f"{name}0": np.array(list(getattr(found, name).values())) for name in _VALUES}
        with replacing(file) as stream:
            savemat(stream, {**matrices, **cells, "coordinates": np.array(list(found.x), dtype=object), **values})
        return
    content = {name: matrix.tolist() for name, matrix in matrices.items()} | names
    content |= {name: dict(getattr(found, name)) for name in (*_VALUES, "rates")}
    write_text(file, json.dumps(content, indent=1) + "\n")
