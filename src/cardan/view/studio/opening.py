"""`studio`: opens a model, or an empty one, in the browser."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import tempfile
import webbrowser
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import cardan
from cardan.errors import ModelError
from cardan.model.model import Model
from cardan.view.studio.model_file import EMPTY, ModelFile, file_of
from cardan.view.studio.server import Server
from cardan.view.studio.session import Session

_LEADING = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=@url@">
<title>Cardan studio</title><a href="@url@">Cardan studio</a>
"""


class Studio:
    """A studio that runs in the background; `close` ends it.

    Parameters
    ----------
    server : Server
        What serves it.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._leading: Path | None = None  # the file that leads the browser to the page

    @property
    def url(self) -> str:
        """Address of its page, which holds the token."""
        return self._server.url

    def show(self) -> bool:
        """Open the page in the browser; False where that is not possible.

        Every user of the machine can read the words with which a browser is started. So the browser gets the name of
        a file that this user alone can read, and the file leads to the address with its token.
        """
        handle, name = tempfile.mkstemp(prefix="cardan-studio-", suffix=".html")
        self._leading = Path(name)
        with open(handle, "w", encoding="utf-8") as stream:
            stream.write(_LEADING.replace("@url@", self.url))
        try:
            return webbrowser.open(self._leading.as_uri())
        except webbrowser.Error:
            return False

    def wait(self) -> None:
        """Return when the studio is closed; Ctrl-C closes it."""
        try:
            self._server.join()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the studio; its pages say that it has gone."""
        self._server.close()
        if self._leading is not None:
            self._leading.unlink(missing_ok=True)

    def __enter__(self) -> Studio:
        """The studio itself, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """Say where it is."""
        return f"<Studio at {self.url}>"


def studio(
    source: Model | str | PathLike[str] | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    **reading: Any,
) -> Studio:
    """A page in the browser in which a mechanism moves, is changed and runs again at every change.

    It listens on 127.0.0.1 alone, and its address holds a token.

    Parameters
    ----------
    source : Model, str or path, optional
        A model, a name of the gallery or a model file; without it, an empty model to build on.
    port : int
        Port; 0 takes a free one.
    browser : bool
        Whether to open the page.
    **reading
        How the file is read: the options of `load`, such as `allow`, or `base` of a robot in URDF.

    Raises
    ------
    ModelError
        There is no such model, the port is in use, the package `websockets` is not installed, or no browser can be
        opened.

    Example
    -------
    >>> import cardan
    >>> with cardan.studio("compound_pendulum", browser=False) as opened:
    ...     opened.url[:17]
    'http://127.0.0.1:'
    """
    file = ModelFile(EMPTY, Path()) if source is None else file_of(source, **reading)
    session = Session(file)
    try:
        server = Server(session, port, secrets.token_urlsafe(18), studio_page)
    except ModelError:
        session.close()
        raise
    opened = Studio(server)
    if browser and not opened.show():
        opened.close()
        cure = "open the address yourself after --no-browser, or browser=False"
        raise ModelError("no browser could be opened for the studio", cure)
    return opened


def studio_page(host: str) -> str:
    """The page as text."""
    viewer, studio = _file("animation", "viewer", "viewer.js"), _file("studio", "program", "studio.js")
    parts = {
        "generator": f"Cardan {cardan.__version__}",
        "viewer_digest": _digest(viewer),
        "studio_digest": _digest(studio),
        "host": host,
        "style": _file("animation", "viewer", "page.css") + _file("studio", "program", "studio.css"),
        "viewer": viewer,
        "studio": studio,
    }
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], _file("studio", "program", "studio.html"))


def _digest(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _file(*parts: str) -> str:
    return files("cardan.view").joinpath(*parts).read_text(encoding="utf-8")
