"""The text of a file, refused before it is read where it cannot be a model file."""

from pathlib import Path

from cardan.errors import ModelError
from cardan.safety.reading import read_bounded

MAX_SIZE = 1_000_000  # bytes; the largest gallery file has 2 kB, and YAML is read at about 0.1 MB/s


def read_text(path: Path) -> str:
    """The text of a file."""
    try:
        return read_bounded(path, MAX_SIZE, "put tables into CSV files: {file: NAME.csv}").decode("utf-8-sig")
    except OSError as error:
        raise cannot_be_read(path, error) from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is not a text file: byte {error.start} is not UTF-8", "save it as UTF-8") from error


def cannot_be_read(path: Path, error: OSError, named: str = "") -> ModelError:
    """The error for a file, `named` in another way than by its path, with the files beside it that may be meant."""
    return ModelError(f"{named or path} cannot be read: {error.strerror}", _advice(path))


def _advice(path: Path) -> str:
    from cardan.errors import nearest

    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    others = sorted(entry.name for entry in folder.glob(f"*{path.suffix}") if entry.name != path.name)
    return nearest(path.name, others) if others else f"there is no {path.suffix} file in {folder.resolve()}"
