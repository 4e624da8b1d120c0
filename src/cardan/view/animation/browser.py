"""The browser that draws pictures without a display: Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from cardan.errors import ModelError

__all__ = ["ARGUMENTS", "browser_path", "check_installed", "opened"]

ARGUMENTS = (
    *("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"),
    *("--disable-dev-shm-usage", "--hide-scrollbars"),
)
"""Draw in software, as machines without a graphics card need; every machine then draws the same picture. The page
around the mechanism is drawn without the graphics library: a third less time for a picture."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
_CURE = 'pip install "cardan[video]", or write an .html file, which needs neither'
_NO_BROWSER = (
    "install Chromium (Debian: apt install chromium; elsewhere: playwright install chromium), name one in "
    "CARDAN_BROWSER, or write an .html file"
)


def check_installed(suffix: str) -> None:
    """Refuse pictures and films where a package that draws them is missing.

    Parameters
    ----------
    suffix : str
        Extension of the file: .png, .gif, .mp4 or .pdf.

    Raises
    ------
    ModelError
        A package is not installed; the message names the extra.
    """
    drawn = "PDF files" if suffix == ".pdf" else "pictures and films"
    needed = {"playwright": drawn} | ({"imageio_ffmpeg": "films"} if suffix == ".mp4" else {})
    for package, what in needed.items():
        if find_spec(package) is None:
            raise ModelError(f"{what} need the package {package}, which is not installed", _CURE)


def browser_path() -> str | None:
    """Path of a Chromium, Chrome or Edge of the system, or of the one that CARDAN_BROWSER names; None without one."""
    named = os.environ.get("CARDAN_BROWSER")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


@contextmanager
def opened(html: str, size: tuple[int, int], scale: float = 1.0) -> Iterator[Any]:
    """A page in a browser without a window, as Playwright's `Page`, which has played nothing yet.

    Parameters
    ----------
    html : str
        The page.
    size : tuple of int
        Width and height in CSS pixels.
    scale : float
        Pixels of the picture per CSS pixel.

    Raises
    ------
    ModelError
        No browser was found, or it cannot be started.
    """
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        path = browser_path()
        try:
            browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS], chromium_sandbox=False)
        except Error as error:
            reason = str(error).strip().partition("\n")[0]
            fault = f"the browser {path} cannot be started: {reason}" if path else "no browser was found"
            raise ModelError(fault, _NO_BROWSER) from None
        try:
            context = browser.new_context(
                viewport={"width": size[0], "height": size[1]},
                device_scale_factor=scale,
                reduced_motion="reduce",
                offline=True,
            )
            page = context.new_page()
            page.set_content(html)
            yield page
        finally:
            browser.close()
