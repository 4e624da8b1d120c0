"""What can be taken home from the studio: the model file, the run, its animation, a report."""

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from cardan.errors import ModelError, nearest
from cardan.results.trajectory import Trajectory


def content(what: str, text: str, run: Trajectory | None) -> tuple[str, bytes]:
    """Name and content of a file."""
    if what not in FILES:
        raise ModelError(f"there is nothing called {what!r:.60} to save", nearest(what, FILES))
    suffix, write = FILES[what]
    if write is None:
        return f"{_stem(run)}{suffix}", text.encode()
    if run is None:
        raise ModelError("there is no run to save", "mend the model first")
    with TemporaryDirectory(prefix="cardan-") as folder:
        path = Path(folder) / f"{_stem(run)}{suffix}"
        write(run, path)
        return path.name, path.read_bytes()


def _stem(run: Trajectory | None) -> str:
    """The name of the model as that of a file."""
    name = "" if run is None else run.provenance.model
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower()[:60] or "mechanism"


def _run(run: Trajectory, path: Path) -> None:
    from cardan.results.storage.files import save_run

    save_run(run, path)


def _animation(run: Trajectory, path: Path) -> None:
    from cardan.view.animation import animate

    animate(run, path)


def _report(run: Trajectory, path: Path) -> None:
    from cardan.analysis.run_results import model_of
    from cardan.view.reports.report import report

    report(model_of(run), path, run)


FILES: dict[str, tuple[str, Callable[[Trajectory, Path], None] | None]] = {
    "model": (".yaml", None),
    "run": (".nc", _run),
    "values": (".csv", _run),
    "animation": (".html", _animation),
    "report": ("_report.html", _report),
}
"""Extension, and how it is written, of each file."""
