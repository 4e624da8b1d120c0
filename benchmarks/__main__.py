"""`python -m benchmarks`: measure, print one table per section, and write docs/benchmarks.md if asked to."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from rich.console import Console

from cardan.simulation import warm

from . import (
    batch,
    bond_graphs,
    closed_loops,
    contacts,
    controlled,
    events,
    first_picture,
    friction,
    growth,
    inverse,
    legs,
    loop_growth,
    methods,
    overhead,
    preparing,
    prescribed,
    rods,
    showing,
    single,
    startup,
    steps,
    studies,
    sweeps,
    symbolic,
    trajectories,
)
from .machine import describe
from .page import page
from .peers import Missing
from .table import Result, terminal
from .timing import FULL, QUICK, on_one_core

SECTIONS: dict[str, ModuleType] = {
    "batch": batch,
    "single": single,
    "steps": steps,
    "legs": legs,
    "methods": methods,
    "trajectories": trajectories,
    "sweeps": sweeps,
    "studies": studies,
    "closed_loops": closed_loops,
    "inverse": inverse,
    "prescribed": prescribed,
    "friction": friction,
    "contacts": contacts,
    "rods": rods,
    "controlled": controlled,
    "bond_graphs": bond_graphs,
    "startup": startup,
    "first_picture": first_picture,
    "showing": showing,
    "growth": growth,
    "loop_growth": loop_growth,
    "preparing": preparing,
    "overhead": overhead,
    "events": events,
    "symbolic": symbolic,
}
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sections that the command line names."""
    options = _options(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140)
    for line in describe():
        console.print(line, highlight=False, soft_wrap=True)
    with nullcontext() if options.quick else _measurement():
        results = {name: _measured(name, options.quick, console) for name in options.only or SECTIONS}
    if options.markdown:
        sections = [(name, SECTIONS[name], results[name]) for name in results]
        page(options.markdown, sections, shlex.join(["python", "-m", "benchmarks", *(arguments or sys.argv[1:])]))
        console.print("written:", options.markdown.name)


@contextmanager
def _measurement() -> Iterator[None]:
    """One core, a cache of machine code of its own, and all loops in it.

    Without them the first calls would run in loops that are compiled quickly, which are slower.
    """
    with TemporaryDirectory() as cache, on_one_core():
        os.environ["CARDAN_CACHE_DIR"] = cache
        warm()
        yield


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Cardan beside its peers.")
    parser.add_argument("--only", action="append", choices=list(SECTIONS), help="a section; may be repeated")
    parser.add_argument("--quick", action="store_true", help="check everything, time hardly anything")
    parser.add_argument(
        "--markdown", nargs="?", type=Path, const=PAGE, metavar="FILE", help="write docs/benchmarks.md, or another file"
    )
    return parser.parse_args(arguments)


def _measured(name: str, quick: bool, console: Console) -> Result | str:
    """Results of a section, or why there are none."""
    section = SECTIONS[name]
    with console.status(f"measuring: {name}"):
        try:
            result = section.measure(QUICK if quick else FULL)
        except Missing as reason:
            console.print(f"{section.TITLE}: skipped, {reason}", highlight=False, markup=False, soft_wrap=True)
            return str(reason)
    console.print(terminal(section.TITLE, result.rows))
    return result


if __name__ == "__main__":
    main()
