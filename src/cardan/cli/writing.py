"""Files that a command writes: a file is replaced only with `--force`, and never if the command reads it."""

import errno
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardan.cli.terminal import out
from cardan.safety.writing import write_text

if TYPE_CHECKING:
    import numpy as np

ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")]
"""The option of every command that writes files."""


def check_free(file: Path | None, force: bool, option: str = "--output", read: Iterable[str | Path] = ()) -> None:
    """Refuse a file that must not be written, before anything is computed for it."""
    if file is None:
        return
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


def check_table(file: Path | None, force: bool, read: Iterable[str | Path]) -> None:
    """Refuse a file that is no .csv or must not be written, before anything is computed for it."""
    if file is not None and file.suffix.lower() != ".csv":
        raise typer.BadParameter(f"{file}: tables are written as .csv", param_hint="--output")
    check_free(file, force, read=read)


def check_picture(file: Path | None, force: bool, read: Iterable[str | Path], *, pages: bool = False) -> None:
    """Refuse a file that is no picture, or page, or must not be written, before anything is computed for it."""
    if file is not None:
        from cardan.view import check_image

        try:
            check_image(file, pages=pages)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--plot") from None
        check_free(file, force, "--plot", read)


def columns_text(columns: "Mapping[str, np.ndarray]") -> str:
    """Columns of numbers under their names as the text of a .csv file."""
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return "\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)]) + "\n"


def write(file: Path | None, text: str) -> None:
    """Write a file that was asked for, and say so."""
    if file is not None:
        write_text(file, text)
        wrote(file)


def wrote(file: Path) -> None:
    """Say that a file was written."""
    out().print(f"wrote {file}", soft_wrap=True)
