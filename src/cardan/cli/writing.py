"""Files that a command writes: a file is replaced only with `--force`, and never if the command reads it."""

import errno
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardan.safety.writing import write_text

if TYPE_CHECKING:
    import numpy as np

ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")]
"""The option of every command that writes files."""


def check_free(file: Path, force: bool, option: str, read: Iterable[str | Path] = ()) -> None:
    """Refuse a file that must not be written, before anything is computed for it."""
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(file.parent))
    if file.is_dir():
        raise typer.BadParameter(f"{file} is a folder; name a file in it", param_hint=option)
    if any(file.exists() and Path(one).exists() and file.samefile(one) for one in read):
        raise typer.BadParameter(f"{file} is what this command reads; name another file", param_hint=option)
    if file.is_file() and not force:
        raise refused(file, option)


def refused(file: str | Path, option: str) -> typer.BadParameter:
    """Return the error for a file that exists."""
    return typer.BadParameter(f"{file} exists; add --force to replace it", param_hint=option)


def check_table(file: Path, force: bool, read: Iterable[str | Path]) -> None:
    """Refuse a file that is no .csv or must not be written, before anything is computed for it."""
    if file.suffix.lower() != ".csv":
        raise typer.BadParameter(f"{file}: tables are written as .csv", param_hint="--output")
    check_free(file, force, "--output", read)


def write_columns(file: Path, columns: "Mapping[str, np.ndarray]") -> None:
    """Write columns of numbers under their names as .csv."""
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    write_text(file, "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)]) + "\n")
