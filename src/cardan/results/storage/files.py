"""Trajectory ⇄ file, by extension. A file carries names, units, status, figures, model and version inside."""

import errno
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cardan.frozen import dataclass
from cardan.results.storage.header import FORMAT, check_header, trajectory_fields
from cardan.results.trajectory import Trajectory, check_run
from cardan.safety.writing import replacing

Content = tuple[Mapping[str, Any], np.ndarray, dict[str, np.ndarray]]
"""Header, instants (N,), and channels (N, *shape) by name."""


class RunFileError(ValueError):
    """A file of a run that cannot be written or read as asked; the text names the file, the fault and the cure."""


@dataclass(frozen=True, slots=True)
class _Format:
    """The two functions of one file format; both import their library when called."""

    write: Callable[[Trajectory, Sequence[str], BinaryIO], None]
    read: Callable[[Path], Content]


def save_run(run: Trajectory, path: str | Path, names: Iterable[str] | None = None) -> Path:
    """Write a run to a file and return its path; an existing file is replaced at once or not at all.

    Parameters
    ----------
    run : Trajectory
        The run.
    path : str or Path
        Where to; the extension chooses the format: ``.nc`` (NetCDF), ``.csv``, ``.parquet``, ``.mat`` (MATLAB).
    names : iterable of str, optional
        Channels to store beside the state and the works; all of them by default.

    Raises
    ------
    ModelError
        If it is not a run.
    RunFileError
        If the extension is not known, or Parquet is asked for and pyarrow is not installed.
    KeyError
        If there is no channel of such a name.
    OSError
        If there is no such folder, or the file cannot be written.
    """
    check_run(run)
    path = Path(path)
    check_target(path)
    target = _format(path)
    kept = run.names if names is None else tuple(dict.fromkeys([*run.state_names, *run.work_names, *names]))
    with replacing(path) as stream:
        target.write(run, kept, stream)
    return path


def check_target(path: Path) -> None:
    """Refuse a path that `save_run` cannot write to, before a run is computed for it."""
    _format(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(path.parent))


def load_run(path: str | Path) -> Trajectory:
    """Return the run that a file holds; every stored channel can be looked up again.

    Parameters
    ----------
    path : str or Path
        A file that `save_run` wrote.

    Raises
    ------
    RunFileError
        If the extension is not known, the file is not a Cardan run, is damaged or was written by a newer version.
    OSError
        If the file cannot be read.
    """
    path = Path(path)
    source = _format(path)
    path.open("rb").close()
    try:
        head, t, arrays = source.read(path)
    except Exception as error:  # each library has its own classes for a damaged file
        raise RunFileError(f"{path}: cannot be read as {path.suffix}: {error}") from error
    return _trajectory(path, head, t, arrays)


def _trajectory(path: Path, head: Mapping[str, Any], t: np.ndarray, arrays: dict[str, np.ndarray]) -> Trajectory:
    """Trajectory from the content of a file, checked for being whole."""
    version = head.get("format", 0) if isinstance(head, dict) else 0
    if isinstance(version, int) and version > FORMAT:
        raise RunFileError(f"{path}: written in format {version}, this Cardan reads up to {FORMAT}; upgrade it")
    try:
        check_header(head)
        fields = trajectory_fields(head)
        listed = {**fields["channels"], **dict.fromkeys((*fields["state_names"], *fields["work_names"]))}
        missing = [name for name in listed if name not in arrays]
        instants = int(head["instants"])
    except (KeyError, TypeError, ValueError) as error:
        raise RunFileError(f"{path}: its header is damaged: {error}") from error
    if missing:
        raise RunFileError(f"{path}: channels that its header lists are not in it: {', '.join(missing)}")
    if instants != t.size:
        raise RunFileError(f"{path}: its header says {instants} instants, but it holds {t.size}; it was cut short")
    for name, array in arrays.items():
        shape = _shape(name, fields)
        if array.dtype.kind not in "fiub" or array.shape != (t.size, *shape):
            raise RunFileError(f"{path}: {name} does not hold {' × '.join(map(str, (t.size, *shape)))} numbers")
    x, w = (
        np.column_stack([np.empty((t.size, 0)), *(arrays[name] for name in fields[group])])
        for group in ("state_names", "work_names")
    )
    return Trajectory(t=t, x=x, w=w, evaluate=_Stored(arrays), **fields)


def _shape(name: str, fields: Mapping[str, Any]) -> tuple[int, ...]:
    """Shape of a channel at one instant; states and works are numbers."""
    if name in (*fields["state_names"], *fields["work_names"]) or name not in fields["channels"]:
        return ()
    components = fields["channels"][name].components
    return (len(components),) if components else ()


@dataclass(frozen=True, slots=True)
class _Stored:
    """The `evaluate` of a run that was read from a file: a look-up."""

    arrays: Mapping[str, np.ndarray]

    def __call__(self, names: Sequence[str]) -> Mapping[str, np.ndarray]:
        return {name: self.arrays[name] for name in names}


def _format(path: Path) -> _Format:
    """Writer and reader for an extension."""
    from cardan.results.storage import comma_separated, matlab, netcdf, parquet

    known = {
        ".nc": _Format(netcdf.write, netcdf.read),
        ".csv": _Format(comma_separated.write, comma_separated.read),
        ".parquet": _Format(parquet.write, parquet.read),
        ".mat": _Format(matlab.write, matlab.read),
    }
    extension = path.suffix.lower()
    if extension not in known:
        raise RunFileError(f'{path}: no format for the extension "{path.suffix}"; use one of {", ".join(known)}')
    if extension == ".parquet" and find_spec("pyarrow") is None:
        cure = "pip install pyarrow, or use .nc or .csv"
        raise RunFileError(f"{path}: Parquet files need the package pyarrow, which is not installed; {cure}")
    return known[extension]
