"""`cardan workspace`: what a mechanism reaches, and how well its drives move its output there, as files and maps."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.options import ClusterOption, assignments, explained, listed, named, number
from cardan.cli.ranges import Choices, range_values
from cardan.cli.terminal import out, styled, table
from cardan.cli.writing import ForceOption, check_free, wrote

if TYPE_CHECKING:
    import xarray
    from rich.console import Console

_DATA = (".nc", ".csv", ".parquet")


@guarded
@reads_model("guesses", "parameters")
def workspace(
    model: GivenModel,
    of: Annotated[str, explained("Body or marker that is the output.", "that of the grid", metavar="PLACE")] = "",
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="An axis: [bold]platform.position.x=-0.3:0.3:61[/], [bold]platform.angle=-10deg,0,10deg[/]; or one "
            "value that holds everywhere. Repeatable.",
        ),
    ] = None,
    by: Annotated[str, explained("Joints that drive: [bold]A,B,C[/].", "those with motors")] = "",
    velocity: Annotated[
        Literal["position", "orientation", "twist"] | None,
        explained("Velocities of the output that count.", "by the number of drives"),
    ] = None,
    length: Annotated[str, explained("Length by which translations are divided.", "1 m")] = "",
    payload: Annotated[
        str, explained("Mass at the output, [bold]5kg[/], or force on it, [bold]0,0,-50N[/].", "none")
    ] = "",
    bearings: Annotated[bool, typer.Option("--bearings", help="Compute the largest bearing loads, too.")] = False,
    limits: Annotated[
        list[str] | None, typer.Option(metavar="NAME=LOW:HIGH", help="Values that a coordinate may have. Repeatable.")
    ] = None,
    names: Annotated[str, explained("Quantities to draw, one panel each.", "condition,type1,type2")] = "",
    threads: Annotated[int | None, explained("Threads.", "1", min=1)] = None,
    cluster: ClusterOption = "",
    output: Annotated[
        list[Path] | None,
        explained("Map (.png, .pdf, .svg) or data (.nc, .csv, .parquet). Repeatable.", "nowhere", "-o", "--output"),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Map what a MODEL reaches, and how well its drives move its output there.

    [dim]cardan workspace scara --grid link2.tip.x=-1:1:81 --grid link2.tip.y=-1:1:81 -o reach.png[/]
    """
    files = output or []
    _check_files(files, force, [model.name])
    axes = _axes(grid or ())
    if sum(len(values) > 1 for values in axes.values()) not in (1, 2) and any(_is_picture(file) for file in files):
        raise typer.BadParameter("a picture shows one or two axes with several values", param_hint="--grid")
    found = cardan.workspace(
        model.read(),
        of or _place(axes),
        {name: values if len(values) > 1 else values[0] for name, values in axes.items()},
        by=listed(by) or None,
        output=velocity,
        length=number(length) if length else None,
        payload=_payload(payload),
        bearings=bearings,
        guess=model.guesses,
        limits={name: _pair(name, str(text)) for name, text in assignments(limits, "--limits").items()},
        threads=threads,
        client=cluster or None,
    )
    _print_summary(out(), found)
    _keep(found, files, listed(names))
    if not found["reachable"].values.any():
        raise typer.Exit(ExitCode.FAILED)


def _is_picture(file: Path) -> bool:
    return file.suffix.lower() not in _DATA


def _check_files(files: Sequence[Path], force: bool, read: Iterable[str]) -> None:
    """Refuse files that cannot be written, before anything is computed for them."""
    from cardan.view import check_image

    for file in files:
        if _is_picture(file):
            try:
                check_image(file)
            except ValueError as error:
                raise typer.BadParameter(f"{error}, or .nc, .csv, .parquet for data", param_hint="--output") from None
        check_free(file, force, read=read)


def _axes(words: Sequence[str]) -> dict[str, Choices]:
    """Values by name of the grid."""
    if not words:
        raise typer.BadParameter("there is no grid; give --grid hand.tip.x=-1:1:41", param_hint="--grid")
    found: dict[str, Choices] = {}
    for word in words:
        name, text = named(word, "NAME=VALUES", "--grid")
        if name in found:
            raise typer.BadParameter(f'"{name}" is given twice', param_hint="--grid")
        found[name] = range_values(text, "--grid")
    return found


def _place(axes: dict[str, Choices]) -> str:
    """The place that the first axis belongs to."""
    name = next(iter(axes))
    place = name.rpartition(".")[0].removesuffix(".position")
    if not place:
        raise typer.BadParameter(f'"{name}" names no body or marker; give --of hand.tip', param_hint="--of")
    return place


def _payload(text: str) -> Any:
    """A mass, or three components of a force, which share the unit of the last one."""
    parts = [number(part) for part in listed(text)]
    return (parts if len(parts) > 1 else parts[0]) if parts else None


def _pair(name: str, text: str) -> Choices:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) != 2 or not all(parts):
        raise typer.BadParameter(f'"{name}={text}" is not of the form NAME=LOW:HIGH', param_hint="--limits")
    return [number(part) for part in parts]


def _print_summary(console: "Console", found: "xarray.Dataset") -> None:
    """Print how many cells are reached, and the extremes of each quantity."""
    import numpy as np

    status = found["status"].values
    console.print(styled(found.attrs["title"]), end="")
    console.print(f": {int(found['reachable'].sum())} of {status.size} cells are reached", soft_wrap=True)
    rows = []
    for name, values in found.data_vars.items():
        if name in ("status", "reachable", "q", "effort") or not np.isfinite(values.values).any():
            continue
        ends = np.nanmin(values.values), np.nanmax(values.values)
        rows.append([str(name), values.attrs.get("units", ""), *(f"{end:.6g}" for end in ends)])
    if rows:
        console.print(table(rows, "quantity", "unit", ">smallest", ">largest"))


def _keep(found: "xarray.Dataset", files: Sequence[Path], names: Sequence[str]) -> None:
    """Write the files that were asked for."""
    from cardan.results import save_sweep
    from cardan.view import plot_workspace

    for file in files:
        if _is_picture(file):
            try:
                plot_workspace(found, names or None, file)
            except KeyError as error:
                raise typer.BadParameter(error.args[0], param_hint="--names") from None
        else:
            save_sweep(found, file)
        wrote(file)
