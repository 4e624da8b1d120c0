"""The documentation as a site: it builds without a warning, lists every page and everyday name, and opens offline."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.browsers import need_browser, wait_until

import cardan
from cardan.formats import gallery
from cardan.view.animation.browser import ARGUMENTS, browser_path

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, with the motion of two mechanisms; `make docs` has that of all."""
    for package in ("sphinx", "furo", "myst_nb"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("site")
    call = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-D",
        "motion=overhead_crane,four_bar,quarter_car",
    ]
    done = subprocess.run([*call, str(DOCS), str(folder)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_everyday_name_is_in_the_reference():
    listed = re.findall(r"\.\. auto\w+:: cardan\.(\w+)", (DOCS / "reference" / "api.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(cardan.__all__)


@pytest.mark.exhaustive
def test_every_mechanism_has_a_page_on_the_site(site):
    assert all((site / "mechanisms" / f"{name}.html").is_file() for name in gallery())
    page = (site / "mechanisms" / "overhead_crane.html").read_text(encoding="utf-8")
    assert '<iframe class="animation tall" src="../_static/animations/overhead_crane.html"' in page
    assert page.count('class="plot"') == 3
    assert page.count('<div class="equation">') == page.count('<span class="number">(')
    assert (site / "_static" / "animations" / "four_bar.html").stat().st_size > 500_000


@pytest.mark.exhaustive
def test_links_between_pages_lead_to_pages(site):
    page = (site / "reports.html").read_text(encoding="utf-8")
    assert 'href="animation.html#pictures-and-films"' in page
    assert 'href="mechanisms/README.html"' in page
    assert 'href="urdf.html"' in (site / "changelog.html").read_text(encoding="utf-8")
    assert 'href="decisions/README.html"' in (site / "architecture.html").read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_notebooks_stand_on_the_site_with_what_their_cells_show(site):
    page = (site / "notebooks" / "first_hour.html").read_text(encoding="utf-8")
    assert (page.count("<iframe srcdoc="), page.count("<img alt=")) == (2, 3)  # runs, plots
    assert '<div class="cardan">' in page
    assert "mtable" in page


@pytest.mark.exhaustive
def test_pages_load_nothing_from_a_network(site):
    for path in (site / "index.html", site / "mechanisms" / "scara.html", site / "reference" / "api.html"):
        loaded = re.findall(
            r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="([^"]*)"', path.read_text(encoding="utf-8")
        )
        assert loaded
        assert not [address for address in loaded if address.startswith(("http:", "https:", "//"))]


@pytest.mark.exhaustive
def test_pages_open_in_a_browser_without_a_complaint(site):
    need_browser()
    from playwright import sync_api

    def look():
        complaints = []
        with sync_api.sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=browser_path(), args=[*ARGUMENTS], chromium_sandbox=False
            )
            page = browser.new_context(offline=True, reduced_motion="reduce").new_page()
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto((site / "index.html").as_uri())
            wait_until(page.frames[1], "window.cardan")
            bodies = page.frames[1].evaluate("window.cardan.bodies.length")
            page.goto((site / "mechanisms" / "overhead_crane.html").as_uri())
            fonts = page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"Cardan Math\"'))")
            height = page.evaluate("document.querySelector('math mtable').getBoundingClientRect().height")
            seen = [*complaints]  # without a server, a browser refuses the texts of pages beside what is found
            page.goto(f"{(site / 'search.html').as_uri()}?q=backlash")
            page.wait_for_selector("ul.search li")
            found = page.locator("ul.search").inner_text()
            browser.close()
        return seen, bodies, fonts, height, found

    with ThreadPoolExecutor(1) as pool:
        complaints, bodies, fonts, height, found = pool.submit(look).result()
    assert complaints == []
    assert bodies == len(cardan.load("planar_3rrr").bodies)
    assert fonts
    assert height > 20
    assert "Drives" in found
