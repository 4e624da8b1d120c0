"""Plots in the browser: the page holds what the runs say, is harmless, and shows it."""

import base64
import json
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.browsers import need_browser

import cardan
from cardan.view.animation import browser

SINGLE = 1e-6  # of numbers of about one in 32 bits, and of the place between two instants


@pytest.fixture(scope="module")
def runs():
    crank = cardan.load("slider_crank")
    return [cardan.simulate(crank, until=until, parameters={"l2": l2}) for until, l2 in ((0.3, 0.45), (0.2, 0.5))]


def _content(page):
    return json.loads(re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.S)[1])


def _floats(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


@pytest.fixture(scope="module")
def page(runs, tmp_path_factory):
    path = tmp_path_factory.mktemp("plots") / "plots.html"
    cardan.plot(runs, ["crank.q", "slider.position", "rod.position.z"], path, units="deg", zoom=(0.05, 0.1))
    return path.read_text(encoding="utf-8")


def test_a_page_holds_what_the_runs_say(runs, page):
    content = _content(page)
    assert content["title"] == "slider-crank"
    assert [run["label"] for run in content["runs"]] == ["l2 = 0.45", "l2 = 0.5"]
    assert [panel["name"] for panel in content["panels"]] == ["crank.q", "slider.position", "rod.position.z"]
    angle, vector, component = content["panels"]
    assert (angle["unit"], vector["unit"]) == ("deg", "m")
    np.testing.assert_allclose(_floats(angle["curves"][1]["values"]), np.degrees(runs[1].array("crank.q")), rtol=SINGLE)
    assert [(curve["run"], curve["component"]) for curve in vector["curves"]] == [(r, c) for r in (0, 1) for c in "xyz"]
    assert [curve["name"] for curve in component["curves"]] == ["rod.position.z"] * 2
    assert content["zoomed"] == [0.05, 0.1]


def test_a_page_is_whole_and_small(page):
    assert not re.search(r"""(src|href)\s*=|@import|url\(""", page[: page.rindex("<script>")])
    assert len(page) < 300_000


def test_names_never_become_markup(tmp_path):
    evil = "</script><img src=x onerror=alert(1)>$x$"
    model = cardan.load("compound_pendulum").model_copy(update={"name": evil})
    run = cardan.simulate(model, until=0.1)
    cardan.plot([run, run], None, tmp_path / "plots.html", labels=[evil, "b"])
    text = (tmp_path / "plots.html").read_text(encoding="utf-8")
    assert text.count("<script") == 2
    assert "<img" not in text
    assert _content(text)["title"] == evil
    assert _content(text)["runs"][0]["label"] == evil


def test_a_page_has_time_on_its_horizontal_axis(runs, tmp_path):
    with pytest.raises(ValueError, match="a page shows results over time; leave x out"):
        cardan.plot(runs, ["crank.v"], tmp_path / "plots.html", x="crank.q")
    with pytest.raises(ValueError, match=r"no image has the extension .* \.svg, \.html"):
        cardan.plot(runs, path=tmp_path / "plots.htm")
    assert not [*tmp_path.iterdir()]


def test_a_page_opens_and_shows_the_values_of_the_runs(runs, page):
    need_browser()

    def look():
        complaints = []
        with browser.opened("<p>", (900, 700)) as tab:
            tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            tab.set_content(page)
            first = tab.evaluate("window.cardan.span")
            value = tab.evaluate("window.cardan.value('crank.q', 0.15, 1)")
            unknown = tab.evaluate(
                "() => { try { window.cardan.value('crank.w', 0); } catch (e) { return e.message; } }"
            )
            tab.mouse.move(500, 150)
            shown = tab.locator("figcaption output").first.inner_text()
            tab.locator("#reset").click()
            whole = tab.evaluate("window.cardan.span")
            curve = tab.locator(".u-over").first.bounding_box()
            middle = curve["y"] + curve["height"] / 2
            tab.mouse.move(curve["x"] + 0.25 * curve["width"], middle)
            tab.mouse.down()
            tab.mouse.move(curve["x"] + 0.5 * curve["width"], middle, steps=4)
            tab.mouse.up()
            dragged = tab.evaluate("window.cardan.span")
            tab.evaluate("window.cardan.theme('dark')")
            return complaints, first, value, unknown, shown, whole, dragged, tab.screenshot()

    with ThreadPoolExecutor(1) as pool:
        complaints, first, value, unknown, shown, whole, dragged, picture = pool.submit(look).result()
    assert complaints == []
    assert first == [0.05, 0.1]
    expected = np.interp(0.15, runs[1].t, np.degrees(runs[1].array("crank.q")))
    assert value == pytest.approx(expected, rel=1e-4)  # the run has instants between those of the page's line
    assert 'no plot shows "crank.w" of run 0; known: crank.q' in unknown
    assert len(shown.split()) == 2  # one value for each run
    assert whole == pytest.approx([0.0, 0.3], abs=SINGLE)
    assert dragged == pytest.approx([0.075, 0.15], abs=0.3 / 400)  # a pixel
    assert len(picture) > 10_000
