"""What draws pictures and films: a browser, or VTK where there is none."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal, get_args

from cardan.errors import ModelError
from cardan.view.animation.browser import browser_path, is_found

__all__ = ["Renderer", "check_installed", "check_renderer", "renderer_for"]

Renderer = Literal["browser", "vtk"]

_NEEDED = {"browser": "playwright", "vtk": "vtkmodules"}
_CURE = 'pip install "cardan[video]", or write an .html file, which needs neither'
_NEITHER = (
    'pip install "cardan[video]", whose VTK draws without a browser; or install Chromium (Debian: apt install '
    "chromium; elsewhere: playwright install chromium) or name one in CARDAN_BROWSER; or write an .html file"
)


def check_installed(suffix: str) -> None:
    """Refuse files for which a package is missing, whatever draws their pictures.

    Parameters
    ----------
    suffix : str
        Extension of the file: .png, .gif, .mp4, or .pdf, which only a browser makes.

    Raises
    ------
    ModelError
        A package is not installed; the message names the extra.
    """
    needed = {
        ".png": {},
        ".gif": {"PIL": "films as GIF"},
        ".mp4": {"imageio_ffmpeg": "films"},
        ".pdf": {"playwright": "PDF files"},
    }
    for package, what in needed[suffix].items():
        _check(package, what)


def check_renderer(suffix: str, wanted: Renderer | None = None) -> None:
    """Refuse a renderer that does not exist, or that draws no such files.

    Parameters
    ----------
    suffix : str
        Extension of the file: .html, .png, .gif or .mp4.
    wanted : "browser" or "vtk", optional
        What the user wants.

    Raises
    ------
    ModelError
        There is no such renderer, or a page is to be drawn by VTK.
    """
    if wanted is not None and wanted not in get_args(Renderer):
        raise ModelError(f"renderer={wanted!r:.60} is not possible", f"write one of {', '.join(get_args(Renderer))}")
    if suffix == ".html" and wanted == "vtk":
        cure = "write a .png, .gif or .mp4 file, or leave the renderer out"
        raise ModelError("VTK draws no page: a browser draws an .html file", cure)


def renderer_for(suffix: str, wanted: Renderer | None = None) -> Renderer:
    """What draws a file: the browser where one is found, since only it draws names; else VTK.

    Parameters
    ----------
    suffix : str
        Extension of the file: .png, .gif or .mp4.
    wanted : "browser" or "vtk", optional
        What the user wants.

    Raises
    ------
    ModelError
        A package that it needs is not installed, or neither a browser nor VTK is found.
    """
    check_installed(suffix)
    if wanted:
        _check(_NEEDED[wanted], f"pictures and films drawn by {'a browser' if wanted == 'browser' else 'VTK'}")
        return wanted
    if is_found():
        return "browser"
    if find_spec("vtkmodules") is None:
        if browser_path():
            _check(_NEEDED["browser"], "pictures and films drawn by a browser")
        raise ModelError("pictures and films need a browser or VTK, and neither is found", _NEITHER)
    return "vtk"


def _check(package: str, what: str) -> None:
    if find_spec(package) is None:
        name = {"vtkmodules": "vtk", "PIL": "pillow"}.get(package, package)
        raise ModelError(f"{what} need the package {name}, which is not installed", _CURE)
