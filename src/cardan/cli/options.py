"""Words of the command line → values: ``name=value``, lists and spans of time. No command is known here."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cardan.settings import DEFAULTS, MEANINGS, Motors

if TYPE_CHECKING:
    import numpy as np


def option(setting: str) -> Any:
    """The option for a setting of a run: the first sentence of its meaning is the help."""
    text = " ".join(line.strip() for line in MEANINGS[setting].splitlines()[1:])
    default = re.search(r"By default ([^.:;]*)", text)
    (sentence,) = re.findall(r"^.*?\.(?= |$)", re.sub(r"`(\w+)`", r"[bold]--\1[/]", text))
    unset = True if dict(DEFAULTS)[setting] is not None else "none"
    return typer.Option(help=sentence, show_default=default[1].replace("`", "") if default else unset)


def explained(help: str, unset: str, *words: str, **more: Any) -> Any:
    """An option with its help, and with what is the case where it is not given."""
    return typer.Option(*words, help=help, show_default=unset, **more)


ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A name of the gallery, or a model file (YAML, URDF, SDF, MJCF).", show_default=False
    ),
]


def _reading(name: str, kind: Any, default: Any, help: str, metavar: str | None = None) -> tuple[Any, Any]:
    """Annotation and default of an option for how a robot's file is read."""
    panel: Any = {"rich_help_panel": "Robots in URDF, SDF and MJCF", "show_default": False}
    return Annotated[kind, typer.Option(f"--{name}", help=help, metavar=metavar, **panel)], default


_FOLDERS = typer.Option(metavar="FOLDER", help="Let the model read files of this folder besides its own. Repeatable.")
READING: Mapping[str, tuple[Any, Any]] = {
    "allow": (Annotated[list[Path] | None, _FOLDERS], None),
    "base": _reading("base", Literal["fixed", "free"], "fixed", "Hold the root link of a URDF file, or let it fly."),
    "stops": _reading("stops", bool, False, "Make end stops of position limits."),
    "contacts": _reading("contacts", bool, False, "Make contacts of geoms and collision shapes."),
    "inertia": _reading(
        "inertia", Literal["given", "minimal"], "given", "Let joints that move no inertia move the least one."
    ),
    "regularize": _reading(
        "regularize", float | None, None, "Let friction creep over this speed in place of sticking.", "SPEED"
    ),
    "accept": _reading("accept", list[str] | None, None, "Accept a doubt that a warning names. Repeatable.", "DOUBT"),
    "keyframe": _reading(
        "keyframe", str | None, None, "Start an MJCF file from this keyframe; none: from its bodies.", "NAME"
    ),
    "trust": _reading("trust", bool, False, "Run the macros of a xacro file, which are Python."),
    "strict": _reading("strict", bool, False, "Refuse bad values instead of mending them."),
}
"""Annotation and default of the option for each argument of `cardan.load`, for every command that reads a model."""


MOST_VALUES = 10_000_000
"""Values of a range; as many instants of a model with ten results take a gigabyte."""


def _repeated(name: str, form: str, help: str) -> Any:
    """Annotation of an option that changes one thing of a model, as often as it is given."""
    return Annotated[list[str] | None, typer.Option(name, metavar=form, help=f"{help}. Repeatable.")]


CHANGES: Mapping[str, Any] = {
    "parameters": _repeated("--set", "NAME=VALUE", "Change a parameter: [bold]mp=1.2kg[/]"),
    "inputs": _repeated(
        "--input",
        "NAME=VALUE",
        "Drive a motor, or a joint if --motors none: a number [bold]drive=12V[/], an expression "
        "[bold]'drive=10*sin(2*t)'[/], or a table [bold]drive=voltage.csv[/]",
    ),
    "motions": _repeated(
        "--motion",
        "NAME=LAW",
        "Prescribe a motion: [bold]'crank=2*pi*t'[/], or with braces as in a model file, "
        "[bold]'arm={profile: quintic, points: \\[\\[0 s, 20 deg], \\[4 s, 70 deg]]}'[/]",
    ),
    "initial": _repeated(
        "--initial",
        "NAME=VALUE",
        "Start: [bold]swing=0.3[/], [bold]swing.v=-1[/], [bold]'ball={rpy: \\[0, 0, 30 deg]}'[/]",
    ),
    "guesses": _repeated(
        "--guess",
        "NAME=VALUE",
        "Guess from which loops are assembled, or a branch is searched: [bold]pin=40deg[/]",
    ),
    "motors": Annotated[Motors | None, option("motors")],
}
"""Annotation of the option for each way to change a model; without it each is None."""

SaveOption = Annotated[
    Path | None, explained("Save: .nc, .csv, .parquet; a run also .mat.", "nowhere", "-o", "--output")
]
PlotOption = Annotated[Path | None, explained("Draw: .png, .pdf, .svg.", "nothing", "--plot")]
DrawnOption = Annotated[str, explained("Results to draw.", "the state", "--names")]
ClusterOption = Annotated[
    str,
    explained("Workers: [bold]local:4[/], [bold]tcp://host:8786[/] (Dask).", "this process", "--cluster"),
]
"""The option of every command that can let a cluster compute."""
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print no summary.")]
UnitsOption = Annotated[Literal["rad", "deg"], typer.Option("--units", help="What angles are shown in.")]
"""The option of every command that shows results."""
Formulation = Literal[
    "composite_body", "newton_euler", "articulated_body", "lagrange", "trace_lagrange", "compatibility", "bond_graph"
]


def number(text: str) -> float | str:
    """Return a plain number as float, and anything else (quantity, expression) as it stands."""
    try:
        return float(text)
    except ValueError:
        return text.strip()


def assignments(words: Sequence[str] | None, option: str) -> dict[str, float | str]:
    """Return ``{name: value}`` for words of the form ``name=value``."""
    values: dict[str, float | str] = {}
    for word in words or ():
        name, value = named(word, "name=value", option)
        if name in values:
            raise typer.BadParameter(f'"{name}" is given twice', param_hint=option)
        values[name] = number(value)
    return values


def named(word: str, form: str, option: str) -> tuple[str, str]:
    """Return the name and the text of a word of the form ``name=text``."""
    name, equals, text = (part.strip() for part in word.partition("="))
    if not (name and equals and text):
        raise typer.BadParameter(f'"{word}" is not of the form {form}', param_hint=option)
    return name, text


def seconds(text: str, option: str) -> float:
    """Return a time in seconds."""
    from cardan.errors import ModelError
    from cardan.model.quantities.fields import Time
    from cardan.model.quantities.scalar import Scalar

    (kind,) = Time.__metadata__
    try:
        value = Scalar.read(number(text)).of(kind).value
    except ModelError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
    if value is None:
        raise typer.BadParameter(f'"{text}" is not a time but an expression', param_hint=option)
    return float(value)


def span(text: str, option: str) -> tuple[float, float]:
    """Return two instants [s] from ``begin:end``."""
    parts = text.split(":")
    if len(parts) != 2:
        raise typer.BadParameter(f'"{text}" is not of the form begin:end', param_hint=option)
    return seconds(parts[0], option), seconds(parts[1], option)


def instants(text: str, option: str) -> "np.ndarray":
    """Return instants [s] from ``begin:end:step`` (both ends included) or from a list ``0,0.5,2``."""
    import numpy as np

    if ":" not in text:
        return np.array([seconds(part, option) for part in listed(text)])
    parts = text.split(":")
    if len(parts) != 3:
        raise typer.BadParameter(f'"{text}" is not of the form begin:end:step', param_hint=option)
    begin, end, step = (seconds(part, option) for part in parts)
    if step <= 0 or end < begin:
        raise typer.BadParameter(f'"{text}": the step must be positive and lead to the end', param_hint=option)
    count = round((end - begin) / step)
    if abs(begin + count * step - end) > 1e-6 * step:  # far above round-off, far below any step meant to miss the end
        raise typer.BadParameter(f'"{text}": no whole number of steps leads to the end', param_hint=option)
    check_count(count, text, option)
    return np.linspace(begin, end, count + 1)


def check_count(count: int, text: str, option: str) -> None:
    """Refuse a range of more values than a computer holds."""
    if count > MOST_VALUES:
        raise typer.BadParameter(f'"{text}": {count} values are more than {MOST_VALUES}', param_hint=option)


def listed(text: str) -> list[str]:
    """Return the entries of a list with commas."""
    return [part.strip() for part in text.split(",") if part.strip()]
