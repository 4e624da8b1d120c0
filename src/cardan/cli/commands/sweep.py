"""`cardan sweep`: many runs of a model over a grid of values, as a summary, a file, a picture."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cardan
from cardan.cli.commands.pictures.plot import drawn
from cardan.cli.commands.simulate import check_files
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.given import NO_MODEL, GivenModel, reads_model
from cardan.cli.options import ClusterOption, PlotOption, Quiet, SaveOption, explained, instants, named, seconds
from cardan.cli.progress import Bar
from cardan.cli.ranges import Choices, range_values
from cardan.cli.terminal import out, styled, table
from cardan.cli.writing import ForceOption, wrote
from cardan.settings import Motors

if TYPE_CHECKING:
    import xarray
    from rich.console import Console

    from cardan.model import Model

_OF_STORES = ("resume", "retry", "threads", "limit", "cluster", "output", "picture", "force", "quiet", "debug")
"""Options for a sweep that goes on, by argument; the rest is in its store."""
MESSAGES = 3
"""Reasons why runs did not end as they should that are printed, those of most runs."""


@guarded
@reads_model("parameters", "inputs", "initial", "guesses", "motors", settings=("method", "rtol", "atol", "step"))
def sweep(
    model: Annotated[
        GivenModel,
        typer.Argument(
            metavar="MODEL", help="A name of the gallery, or a model file; none with --resume.", show_default=False
        ),
    ] = NO_MODEL,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="Vary a parameter, an input or an initial value: [bold]L=0.5m:0.9m:20[/] (20 values from the first to "
            "the second), [bold]drive=2V,5V,10V[/]. Repeatable: all combinations are run.",
        ),
    ] = None,
    outputs: Annotated[
        str,
        explained(
            "Results to keep, reduced or over time: [bold]max(drive.current),final(swing.q),swing.q[/]; "
            "reductions are max, min, mean, final. A name of its own stands first: [bold]swing=max(D.q)-min(D.q)[/].",
            "the state",
        ),
    ] = "",
    until: Annotated[str, explained("End of the runs, such as [bold]5[/] or [bold]200ms[/].", "from the model")] = "",
    times: Annotated[str, explained("Instants to return: [bold]0:5:0.01[/] or [bold]0,0.5,2[/].", "1001")] = "",
    threads: Annotated[int | None, explained("Threads that share the runs.", "one per processor", min=1)] = None,
    kinetostatics: Annotated[
        bool, typer.Option("--kinetostatics", help="Follow the model's motions, as cardan kinetostatics does.")
    ] = False,
    limit: Annotated[
        str, explained("Time that one run may take: [bold]30s[/].", "any", "--run-limit", metavar="TIME")
    ] = "",
    cluster: ClusterOption = "",
    store: Annotated[Path | None, explained("Keep the runs as they are done: [bold]study.zarr[/].", "nowhere")] = None,
    resume: Annotated[
        Path | None, explained("Go on with a store, which has the model and all settings.", "a new sweep")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="With --resume: make runs again that failed or timed out.")
    ] = False,
    output: SaveOption = None,
    picture: PlotOption = None,
    force: ForceOption = False,
    quiet: Quiet = False,
    *,
    context: typer.Context,
    **settings: Any,
) -> None:
    """Run a MODEL with many values, and compare.

    [dim]cardan sweep overhead_crane --vary L=0.5m:0.9m:20 --outputs 'max(abs(swing.q))' --plot sweep.png[/]

    [dim]cardan sweep overhead_crane --vary L=0.5m:0.9m:20 --vary drive=2V,5V,10V -o sweep.nc[/]

    [dim]cardan sweep overhead_crane --vary L=0.5m:0.9m:20 --store study.zarr --cluster local:4[/]

    [dim]cardan sweep --resume study.zarr[/]
    """
    longest = seconds(limit, "--run-limit") if limit else None
    if retry and resume is None:
        raise typer.BadParameter("runs are made again in a store that goes on; give --resume too", param_hint="--retry")
    if resume is not None:
        _check_alone(context)
        check_files(output, picture, force, [str(resume)], pages=False)
        from cardan.simulation.sweeps import resumed

        with Bar("sweeping") as bar:
            found = resumed(resume, cluster or None, threads=threads, run_limit=longest, retry=retry, progress=bar)
        _show(found, output, picture, quiet, resume)
        return
    if not model.name:
        raise typer.BadParameter("no model is named; give its name or file", param_hint="MODEL")
    check_files(output, picture, force, model.files, pages=False)
    prepared = model.read()
    varied = _varied(prepared, model.motors, vary or ())
    _check_picture(varied, picture)
    with Bar("sweeping") as bar:
        found = cardan.sweep(
            prepared,
            until=seconds(until, "--until") if until else None,
            motors=model.motors,
            times=instants(times, "--times") if times else None,
            outputs=_named(_split(outputs)) if outputs else None,
            threads=threads,
            kinetostatics=kinetostatics,
            run_limit=longest,
            client=cluster or None,
            store=store,
            progress=bar,
            **varied,
            **settings,
        )
    _show(found, output, picture, quiet, store)


def _check_alone(context: typer.Context) -> None:
    """Refuse what a store has itself."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in _OF_STORES and source is not None and source.name == "COMMANDLINE":
            (hint, *_), fault = parameter.opts, "a store that goes on has this itself; give --resume alone"
            raise typer.BadParameter(fault, param_hint=hint if hint.startswith("-") else hint.upper())


def _show(found: "xarray.Dataset", output: Path | None, picture: Path | None, quiet: bool, store: Path | None) -> None:
    """Print the summary of a sweep, write its files, and exit."""
    if not quiet:
        _print_summary(
            out(), found, [name for name in found.data_vars if store is None or "time" not in found[name].dims]
        )
    if store is not None:
        rest = int((found["status"] == "interrupted").sum())
        words = (
            f"{rest} runs are left; go on with: cardan sweep --resume {store}" if rest else f"all runs are in {store}"
        )
        out().print(words, soft_wrap=True)
    if output is not None:
        from cardan.results import save_sweep

        wrote(save_sweep(found, output))
    if picture is not None:
        from cardan.view import plot_sweep

        drawn("--plot", plot_sweep, found, path=picture)
        wrote(picture)
    status = found["status"].values
    if (status == "interrupted").any():
        raise typer.Exit(ExitCode.INTERRUPTED)
    if not (status == "completed").any():
        raise typer.Exit(ExitCode.FAILED)


def _check_picture(varied: dict[str, dict[str, Choices]], picture: Path | None) -> None:
    """Refuse a picture of more axes than a picture shows, before anything is computed for it."""
    axes = [name for given in varied.values() for name, values in given.items() if len(values) > 1]
    if picture is not None and len(axes) > 2:
        fault = f"a picture shows two axes at most, not {', '.join(axes)}; save the sweep with -o"
        raise typer.BadParameter(fault, param_hint="--plot")


def _varied(model: "Model", motors: Motors | None, words: Sequence[str]) -> dict[str, dict[str, Choices]]:
    """Values by argument of `cardan.sweep` and by name."""
    if not words:
        raise typer.BadParameter("nothing varies; give --vary L=0.5m:0.9m:20", param_hint="--vary")
    found: dict[str, dict[str, Choices]] = {}
    for word in words:
        name, text = named(word, "NAME=VALUES", "--vary")
        argument, name = _place(model, motors, name)
        if name in found.setdefault(argument, {}):
            raise typer.BadParameter(f'"{name}" is given twice', param_hint="--vary")
        found[argument][name] = range_values(text, "--vary")
    return found


def _place(model: "Model", motors: Motors | None, name: str) -> tuple[str, str]:
    """Argument of `cardan.sweep` that a name belongs to, and the name without a prefix that says so."""
    from cardan.errors import nearest
    from cardan.simulation.inputs import input_names
    from cardan.system.system import build_system, motor_model

    chosen = motor_model(model, motors)
    known: dict[str, Iterable[str]] = {
        "parameters": model.parameters,
        "inputs": input_names(model, chosen),
        "initial": build_system(model, chosen).places,
    }
    prefix, _, rest = name.partition(".")
    if prefix in known and rest in known[prefix]:
        return prefix, rest
    places = [argument for argument, names in known.items() if name in names]
    if len(places) > 1:
        choices = " or ".join(f'"{argument}.{name}"' for argument in places)
        raise typer.BadParameter(f'"{name}" can be several things here; write {choices}', param_hint="--vary")
    if not places:
        cure = nearest(name, dict.fromkeys(entry for names in known.values() for entry in names))
        fault = f'no parameter, input or initial value is called "{name}"; {cure}'
        raise typer.BadParameter(fault, param_hint="--vary")
    return places[0], name


def _split(text: str) -> list[str]:
    """Outputs from a list with commas; commas within brackets belong to an output."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _named(outputs: list[str]) -> dict[str, str]:
    """Outputs by name; one without a name of its own, `name=expression`, is called as it is written."""
    found: dict[str, str] = {}
    for output in outputs:
        own = re.match(r"(\w[\w ]*?)\s*=(?!=)\s*", output)
        name, text = (own[1], output[own.end() :]) if own else (output, output)
        if found.setdefault(name, text) != text:
            raise typer.BadParameter(f"two outputs are called {name!r}", param_hint="--outputs")
    return found


def _print_summary(console: "Console", found: "xarray.Dataset", shown: Sequence[Any]) -> None:
    """Print how many runs ended how, what varied, and the extremes of the outputs `shown` with the place of each."""
    import numpy as np

    from cardan.results.status import ENDINGS

    statuses, counts = np.unique(found["status"].values, return_counts=True)
    size = " × ".join(str(count) for count in found["status"].shape)
    ended = ", ".join(f"{count} {status}" for status, count in zip(statuses, counts, strict=True))
    console.print(styled(found.attrs["title"]), end="")
    console.print(": ", end="")
    count = f"{size} = {found['status'].size}" if len(found["status"].shape) > 1 else size
    style = "green" if list(statuses) == ["completed"] else "red"
    console.print(f"{count} runs: {ended}", style=style, soft_wrap=True)
    texts, counts = np.unique(found["message"].values[found["message"].values != ""].astype(str), return_counts=True)
    for k in np.argsort(-counts, kind="stable")[:MESSAGES]:
        console.print(f"{counts[k]} of them: {texts[k]}", soft_wrap=True, markup=False)
    axes = []
    for axis in found["status"].dims:
        values = found[axis].values
        units = found[axis].attrs["units"]
        axes.append([str(axis), units, str(len(values)), f"{values[0]:.6g}", f"{values[-1]:.6g}"])
    console.print(table(axes, "varied", "unit", ">values", ">from", ">to"))
    rows = [row for name in shown if name not in ENDINGS for row in _extremes(found, str(name))]
    if rows:
        console.print(table(rows, "output", "unit", ">smallest", "at", ">largest", "at"))


def _extremes(found: "xarray.Dataset", name: str) -> Iterator[list[str]]:
    """Rows with the smallest and largest value of an output, each with its place; one row per component of a vector."""
    import numpy as np

    values = found[name]
    known = (*found["status"].dims, "time")
    (part,) = [dim for dim in values.dims if dim not in known] or [""]
    listed = [(name, values)]
    if part:
        listed = [(f"{name}.{entry}", values.isel({part: k})) for k, entry in enumerate(found[part].values)]
    for label, one in listed:
        row = [label, values.attrs["units"]]
        for choose in (np.nanargmin, np.nanargmax):
            if not np.isfinite(one.values).any():
                row += ["–", ""]
                continue
            place = np.unravel_index(int(choose(one.values)), one.shape)
            where = [f"{dim} = {found[dim].values[k]:.4g}" for dim, k in zip(one.dims, place, strict=True)]
            row += [f"{float(one.values[place]) + 0.0:.6g}", ", ".join(where)]
        yield row
