"""What a command shows in the browser where no file is named."""

import webbrowser
from pathlib import Path
from tempfile import mkdtemp

from cardan.cli.terminal import out
from cardan.errors import ModelError


def target(output: Path | None, name: str) -> Path:
    """Return the file to write: `output`, or one of this name in a folder of its own."""
    return output or Path(mkdtemp(prefix="cardan-")) / name


def tell(output: Path | None, written: Path, cure: str) -> None:
    """Say which file was written, or open it in the browser; the `cure` is for a machine without one."""
    if output is None and not webbrowser.open(written.as_uri()):
        raise ModelError(f"no browser could be opened for {written}", cure)
    out().print(f"opened {written}" if output is None else f"wrote {output}")
