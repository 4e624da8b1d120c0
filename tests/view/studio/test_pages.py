"""The studio in a browser without a window: a slider moves, a new run comes, its numbers are those of the library."""

import io
import time

import numpy as np
import pytest

import cardan
from cardan.view.animation import browser

pytest.importorskip("playwright")
pytest.importorskip("websockets")
Image = pytest.importorskip("PIL.Image")

SINGLE = 1e-6  # of positions of a metre in 32-bit numbers


def wait(page, expression, seconds=20.0):
    """Wait until an expression holds; Playwright's own way runs texts, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


class Tab:
    """A tab of a studio, and the complaints of its console."""

    def __init__(self, window, studio):
        self.page = window.new_page()
        self.complaints = []
        self.page.on("console", lambda one: self.complaints.append(one.text) if one.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(studio.url)

    def slide(self, name, value):
        """Move a slider, and wait for the run."""
        runs = self.page.evaluate("cardan.runs")
        slider = self.page.locator(f"[data-slider='{name}']")
        slider.evaluate("(one, x) => { one.value = x; one.dispatchEvent(new Event('input')); }", value)
        wait(self.page, f"cardan.runs > {runs}")

    def enter(self, name, text):
        """Type a text into a field."""
        field = self.page.locator(f"[data-value='{name}']")
        field.fill(text)
        field.press("Enter")


@pytest.fixture(scope="module")
def window():
    from pathlib import Path

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = browser.browser_path()
        if not path and not Path(playwright.chromium.executable_path).is_file():
            pytest.skip("no Chromium: apt install chromium, or playwright install chromium")
        started = playwright.chromium.launch(executable_path=path, args=[*browser.ARGUMENTS], chromium_sandbox=False)
        yield started.new_context(viewport={"width": 1400, "height": 850}, reduced_motion="reduce")
        started.close()


@pytest.fixture
def studio():
    with cardan.studio("overhead_crane", browser=False) as opened:
        yield opened


def test_a_slider_brings_a_new_run_with_the_numbers_of_the_library(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    assert page.title() == "overhead crane"
    tab.slide("parameters.L", 1.2)
    assert page.locator("[data-value='parameters.L']").input_value() == "1.2 m"
    run = cardan.simulate(cardan.load("overhead_crane"), parameters={"L": 1.2})
    for k in (0, 300, len(run) - 1):
        page.evaluate("t => { cardan.time = t; }", float(run.t[k]))
        for body in ("trolley", "payload"):
            pose = page.evaluate("body => cardan.pose(body)", body)
            np.testing.assert_allclose(pose["position"], run.array(f"{body}.position")[k], atol=1e-4)  # chosen instants
    page.evaluate("cardan.time = cardan.span[1]")
    assert page.evaluate("cardan.value('load_x')") == pytest.approx(run.array("load_x")[-1], abs=SINGLE)
    picture = np.asarray(Image.open(io.BytesIO(page.locator("#stage").screenshot())).convert("L"))
    assert picture.std() > 5  # not blank
    assert tab.complaints == []


def test_a_wrong_value_is_refused_at_its_field_and_the_picture_stays(window, studio):
    tab = Tab(window, studio)
    wait(tab.page, "window.cardan?.runs > 0")
    before = tab.page.evaluate("cardan.runs")
    tab.enter("parameters.L", "3 kg")
    wait(tab.page, "cardan.refusals > 0")
    row = tab.page.locator(".value", has=tab.page.locator("[data-value='parameters.L']"))
    assert "'3 kg' is a mass" in row.inner_text()
    assert tab.page.evaluate("[cardan.runs, cardan.bodies]") == [before, ["trolley", "payload"]]
    assert tab.complaints == []


def test_a_reload_and_a_second_tab_show_what_is_there(window, studio):
    tab, other = Tab(window, studio), Tab(window, studio)
    for one in (tab, other):
        wait(one.page, "window.cardan?.runs > 0")
    tab.slide("parameters.mp", 1.5)
    wait(other.page, "document.querySelector(\"[data-value='parameters.mp']\").value === '1.5 kg'")
    tab.page.reload()
    wait(tab.page, "window.cardan?.runs > 0")
    assert tab.page.locator("[data-value='parameters.mp']").input_value() == "1.5 kg"
    assert tab.complaints == other.complaints == []


def test_the_file_changes_the_model_and_names_its_faults(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    page.get_by_role("tab", name="File").click()
    text = page.get_by_label("Model file")
    assert "L: 0.7 m" in text.input_value()
    text.fill(text.input_value().replace("type: prismatic", "type: prismatik"))
    page.get_by_role("button", name="Apply").click()
    wait(page, "cardan.refusals > 0")
    assert "did you mean 'prismatic'?" in page.locator("#sheet").inner_text()
    runs = page.evaluate("cardan.runs")
    page.get_by_role("button", name="Undo").click()
    wait(page, f"cardan.runs > {runs}")
    assert tab.complaints == []


def test_a_studio_that_has_ended_says_so(window):
    with cardan.studio("compound_pendulum", browser=False) as opened:
        tab = Tab(window, opened)
        wait(tab.page, "window.cardan?.runs > 0")
    wait(tab.page, "document.getElementById('notice').textContent.includes('has ended')")


def test_names_are_shown_and_not_obeyed(window):
    name = "<img src=x onerror=\"document.title='obeyed'\">"
    model = cardan.load("compound_pendulum").model_copy(update={"name": name})
    with cardan.studio(model, browser=False) as opened:
        tab = Tab(window, opened)
        wait(tab.page, "window.cardan?.runs > 0")
        assert tab.page.locator("#title").inner_text() == name
        assert (tab.page.title(), tab.page.locator("img").count()) == (name, 0)


def test_topics_plots_and_files(window, studio):
    tab = Tab(window, studio)
    page = tab.page
    wait(page, "window.cardan?.runs > 0")
    runs = page.evaluate("cardan.runs")
    page.get_by_text("full against simplified").click()
    wait(page, f"cardan.runs > {runs}")
    assert "simplified" in page.locator("#plots").inner_text()
    for topic in ("Loads", "Equations", "Bond graph"):
        page.get_by_role("tab", name=topic).click()
        wait(page, f"document.querySelector('#details iframe')?.title === '{topic}'")
    page.locator(".more").select_option("drive.current")
    wait(page, "cardan.values.includes('drive.current')")
    page.get_by_label("Remove the plot load_z").click()
    wait(page, "!cardan.values.includes('load_z')")
    page.locator("summary", has_text="Save").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Picture").click()
    picture = Image.open(started.value.path())
    assert np.asarray(picture.convert("L")).std() > 5
    assert tab.complaints == []
