"""What tests of pages need: Playwright and a browser, or the test is skipped and says so; and to wait for a page."""

import time

import pytest

from cardan.view.animation import browser


def need_browser():
    """Skip a test, or a module, for which Playwright or a browser is missing."""
    pytest.importorskip("playwright", reason="no Playwright: pip install playwright")
    if not browser.is_found():
        pytest.skip("no Chromium: apt install chromium, or playwright install chromium", allow_module_level=True)


def wait_until(frame, condition, seconds=30):
    """Wait until a condition in JavaScript holds; Playwright's own way evaluates text in the page, which is refused."""
    end = time.monotonic() + seconds
    while not frame.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, f"after {seconds} s it does not hold that {condition}"
        time.sleep(0.02)
