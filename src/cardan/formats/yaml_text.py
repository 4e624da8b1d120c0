"""The text of a file, refused before it is read where it cannot be a model file."""

from __future__ import annotations

from pathlib import Path

from cardan.errors import ModelError

__all__ = ["MAX_SIZE", "read_text"]

MAX_SIZE = 1_000_000  # bytes; the largest gallery file has 2 kB, and YAML is read at about 0.1 MB/s


def read_text(path: Path) -> str:
    """The text of a file.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    ModelError
        Not there, no plain file, too large, or not a text.
    """
    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"{path} is not a file", "give the path of a YAML file")
        size = path.stat().st_size
        if size > MAX_SIZE:
            cure = "put tables into CSV files: {file: NAME.csv}"
            raise ModelError(f"{path} has {size / 1e6:.1f} MB, a model file has at most {MAX_SIZE / 1e6:g} MB", cure)
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}", _advice(path)) from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is not a text file: byte {error.start} is not UTF-8", "save it as UTF-8") from error


def _advice(path: Path) -> str:
    from cardan.errors import nearest

    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    others = sorted(entry.name for entry in folder.glob(f"*{path.suffix}"))
    return nearest(path.name, others) if others else f"there is no {path.suffix} file in {folder.resolve()}"
