"""Draw the pictures of docs/studio.md, with a browser without a window, into docs/figures.

python docs/studio_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import cardan
from cardan.view.animation.browser import ARGUMENTS, browser_path

HERE = Path(__file__).parent
SIZE = {"width": 1200, "height": 720}


def main(folder: Path) -> None:
    """Write all pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=[*ARGUMENTS], chromium_sandbox=False)
        for name, model, theme, act in (
            ("studio_values", "overhead_crane", "light", _values),
            ("studio_build", "four_bar", "dark", _build),
        ):
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce", color_scheme=theme)
            with cardan.studio(model, browser=False) as studio:
                page.goto(studio.url)
                _wait(page, "window.cardan?.runs > 0")
                act(page)
                page.wait_for_timeout(700)
                page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


def _values(page: Any) -> None:
    """Full against simplified motors, and the loads below."""
    runs = page.evaluate("cardan.runs")
    page.get_by_text("full against simplified").click()
    _wait(page, f"cardan.runs > {runs}")
    page.locator(".more").select_option("drive.current")
    _wait(page, "cardan.values.includes('drive.current')")
    page.get_by_role("tab", name="Loads").click()
    _wait(page, "document.querySelector('#details iframe')")
    page.evaluate("cardan.time = 2.3")


def _build(page: Any) -> None:
    """The form of a body."""
    page.get_by_role("tab", name="Build").click()
    _wait(page, "document.querySelector('[data-section=bodies] .entry')")
    page.locator("[data-section=parameters] > summary").click()
    page.locator("[data-section=bodies] .entry .name").first.click()
    page.evaluate("cardan.time = 0.35; cardan.show('reactions', true)")


def _wait(page: Any, expression: str) -> None:
    end = time.monotonic() + 30
    while not page.evaluate(expression):
        if time.monotonic() > end:
            raise TimeoutError(expression)
        page.wait_for_timeout(20)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "figures")
