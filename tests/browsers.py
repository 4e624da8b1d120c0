"""What tests of pages need: Playwright and a browser; where one is missing the test is skipped and says so."""

import pytest

from cardan.view.animation import browser


def need_browser():
    """Skip a test, or a module, for which Playwright or a browser is missing."""
    pytest.importorskip("playwright", reason="no Playwright: pip install playwright")
    if not browser.is_found():
        pytest.skip("no Chromium: apt install chromium, or playwright install chromium", allow_module_level=True)
