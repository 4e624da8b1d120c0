"""The program `cardan`: its commands and their common frame. Each command is one file, imported when it is needed."""

import gc
import signal
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

import cardan
from cardan.cli.terminal import out

COMMANDS = {
    "gallery": "gallery",
    "show": "show",
    "mobility": "mobility",
    "equations": "equations",
    "verify": "verify",
    "simulate": "simulate",
    "kinetostatics": "loads.kinetostatics",
    "sweep": "sweep",
    "sensitivities": "sensitivities",
    "workspace": "workspace",
    "linearize": "linearize",
    "plot": "pictures.plot",
    "animate": "pictures.animate",
    "draw": "pictures.draw",
    "report": "pictures.report",
    "studio": "pictures.studio",
    "loads": "loads.loads",
    "section-forces": "loads.section_forces",
    "size": "loads.size",
    "measured-reaction": "loads.measured_reaction",
    "export": "export",
    "bond-graph": "pictures.bond_graph",
    "warm": "warm",
}
"""Names of the commands, in the order of the help, and the files below `commands` that hold their functions."""

COLLECTED = 200_000
"""New objects after which Python looks for unused ones. A short run ends with 120 000 objects, nearly all made by
imports and in use until then; to look at them after every 700, as Python does by default, took a tenth of its time."""

HELP = """
From one description of a mechanism to its equations of motion, its motion and its loads.

A MODEL is a name of the gallery or a file (YAML, URDF, SDF, MJCF); a RUN is a file that simulate wrote. Start here:

  [bold]cardan gallery[/]                               the mechanisms that come with Cardan
  [bold]cardan show overhead_crane[/]                   the content of a model
  [bold]cardan equations overhead_crane[/]              its matrices, to read
  [bold]cardan simulate overhead_crane -o run.nc[/]     its motion, as a file
  [bold]cardan simulate overhead_crane --set mp=1.2kg --input drive=12V[/]
  [bold]cardan kinetostatics basket_arm[/]               what its prescribed motions cost
  [bold]cardan size manutec_r3 --drive a5 --ratios 50,80[/]  motors that can give it
  [bold]cardan sweep overhead_crane --vary L=0.5m:0.9m:20 --plot sweep.png[/]
  [bold]cardan plot run.nc --names travel.v,swing.q[/]  a picture of it
  [bold]cardan animate run.nc[/]                        how it moves, in the browser
  [bold]cardan draw slider_crank -o crank.svg[/]        its kinematic diagram
  [bold]cardan report overhead_crane -o crane.html[/]   all of it on one page
  [bold]cardan studio overhead_crane[/]                 change it, build it, see it move
  [bold]cardan bond-graph overhead_crane -o g.svg[/]    its power flow as a vector bond graph
  [bold]cardan export overhead_crane --to c[/]          its functions as source code
"""

EPILOG = (
    "No command replaces a file unless --force is given. "
    "Exit codes: 0 done, 1 the computation failed, 2 wrong input, 130 interrupted."
)


def _version(wanted: bool) -> None:
    """Print the version and stop, if asked to."""
    if wanted:
        out().print(f"cardan {cardan.__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Read the options of the program itself."""


def program(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The program with some of its commands; only their files are imported."""
    made = typer.Typer(
        name="cardan",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    made.callback(help=HELP.replace("\n  ", "\n\n\u00a0\u00a0"), epilog=EPILOG)(_common)
    for name in names:
        module = import_module(f"cardan.cli.commands.{COMMANDS[name]}")
        made.command()(getattr(module, name.replace("-", "_")))
    return made


def main() -> None:
    """Run the command that the arguments of the process name, and exit with its code."""
    signal.signal(signal.SIGTERM, _terminate)
    gc.set_threshold(COLLECTED)
    try:
        program(_needed(sys.argv[1:]))()
    finally:
        gc.freeze()  # Python's search for unused objects at its end passes over all that are there now


def _needed(words: Sequence[str]) -> Iterable[str]:
    """The command that the first word names; else all: for the help, for completion, for advice on a wrong name."""
    return words[:1] if words and words[0] in COMMANDS else COMMANDS


def _terminate(number: int, frame: object) -> None:
    """Exit in a way that removes what is half written; without it the system ends the process at once."""
    sys.exit(128 + number)
