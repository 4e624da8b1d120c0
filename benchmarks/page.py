"""The page docs/benchmarks.md: machine, method, one table per section, figures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from .machine import describe
from .table import Result, markdown

__all__ = ["page"]

INTRODUCTION = """# Benchmarks

This page is written by the command

    {command}

Each section first asserts that both sides compute the same numbers, and only then times them: in turns, in one process
on one core, each side for at least 4 ms per turn. Times are medians over the turns, with the fastest turn in brackets;
`peer / Cardan` is the ratio of the medians, with that of the fastest turns in brackets. ✓ and ✗ say whether the median
reaches the goal. What stands below a heading of the third level was measured by other means, and stays when the page
is written anew. What a tolerance is worth, and what it costs with each method, is on the page [work and
precision](work_precision.md).

{machine}
"""


def page(path: Path, sections: Sequence[tuple[str, ModuleType, Result | str]], command: str) -> None:
    """Write the page, and its figures into `figures` beside it.

    Parts of its sections below a heading of the third level, which are written by hand, are taken over.

    Parameters
    ----------
    path : Path
        File to write.
    sections : sequence of (name, module, Result or reason for having none)
        What was measured.
    command : str
        What was typed.
    """
    machine = "\n".join(f"* {line}" for line in describe())
    parts, by_hand = [INTRODUCTION.format(command=command, machine=machine)], _by_hand(path)
    for name, module, result in sections:
        parts += [_section(path, name, module, result), *by_hand.get(module.TITLE, [])]
    path.write_text("\n".join(parts), encoding="utf-8")


def _by_hand(path: Path) -> dict[str, list[str]]:
    """The parts of an existing page that are written by hand, by the title of their section."""
    sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:] if path.exists() else []
    found = {}
    for section in sections:
        title, _, text = section.partition("\n")
        found[title] = [f"### {part.rstrip()}\n" for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]]
    return found


def _section(path: Path, name: str, module: ModuleType, result: Result | str) -> str:
    text = f"## {module.TITLE}\n\n{inspect.getdoc(module)}\n\n"
    if isinstance(result, str):
        return f"{text}Not measured: {result}.\n"
    text += f"{markdown(result.rows)}\n"
    if result.draw is not None:
        figure = path.parent / "figures" / f"{name}.png"
        result.draw(figure)
        text += f"\n![{module.TITLE}](figures/{figure.name})\n"
    return text
