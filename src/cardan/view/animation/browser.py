"""The browser that draws pictures without a display: Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from cardan.errors import ModelError

Result = TypeVar("Result")

ARGUMENTS = (
    *("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing"),
    *("--disable-dev-shm-usage", "--hide-scrollbars"),
)
"""Draw in software, as machines without a graphics card need; every machine then draws the same picture. The page
around the mechanism is drawn without the graphics library: a third less time for a picture."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
_NO_BROWSER = (
    "install Chromium (Debian: apt install chromium; elsewhere: playwright install chromium), name one in "
    "CARDAN_BROWSER, or write an .html file"
)

_NEEDED = {
    ".png": {"playwright": ("playwright", "pictures")},
    ".gif": {"playwright": ("playwright", "films"), "PIL": ("pillow", "films as GIF")},
    ".mp4": {"playwright": ("playwright", "films"), "imageio_ffmpeg": ("imageio-ffmpeg", "films")},
    ".pdf": {"playwright": ("playwright", "PDF files")},
}
"""Modules that files with an extension need: the package that has each, and what for."""


def check_drawable(suffix: str) -> None:
    """Refuse files with an extension (.png, .gif, .mp4, .pdf) for which a package or the browser is missing."""
    for module, (package, what) in _NEEDED[suffix].items():
        if find_spec(module) is None:
            cure = f"pip install {package}, or write an .html file, which does not need it"
            raise ModelError(f"{what} need the package {package}, which is not installed", cure)
    if not is_found():
        raise ModelError("pictures, films and PDF files need a browser, and none is found", _NO_BROWSER)


def browser_path() -> str | None:
    """Path of a Chromium, Chrome or Edge of the system, or of the one that CARDAN_BROWSER names; None without one."""
    named = os.environ.get("CARDAN_BROWSER")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


def is_found() -> bool:
    """Whether there is a browser: one of the system, one that CARDAN_BROWSER names, or Playwright's own."""
    return find_spec("playwright") is not None and bool(browser_path() or apart(_own_browser).is_file())


@cache
def _own_browser() -> Path:
    """Where Playwright puts a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def apart(work: Callable[[], Result]) -> Result:
    """The result of some work in a thread of its own: notebooks run an event loop in theirs, beside which Playwright's
    plain functions do not work.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()


@contextmanager
def opened(html: str, size: tuple[int, int], scale: float = 1.0) -> Iterator[Any]:
    """A page in a browser without a window, as Playwright's `Page`, which has played nothing yet."""
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
