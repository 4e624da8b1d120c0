"""Pages of animations without a browser: whole, harmless, small; and what cannot be animated."""

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.view.animation import browser
from cardan.view.animation.animate import LAYERS
from cardan.view.scene.motion import ShownMotion

ROOT = Path(__file__).parents[3]
FOREIGN = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def run():
    return cardan.simulate(cardan.load("slider_crank"), until=0.2)


def _content(page):
    return json.loads(re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.S)[1])


def test_a_page_is_whole(run, tmp_path):
    cardan.animate(run, tmp_path / "crank.html", show=["reactions"], follow="rod", theme="dark", speed=0.5)
    page = (tmp_path / "crank.html").read_text(encoding="utf-8")
    markup = page[: page.rindex("<script>")]
    assert not re.search(r"""(src|href)\s*=|@import|url\(""", markup)
    content = _content(page)
    assert [body["name"] for body in content["scene"]["bodies"]] == ["crank", "rod", "slider"]
    assert [panel["name"] for panel in content["panels"]] == ["slider_x", "slider_speed", "pin_y"]
    assert content["options"]["show"] == ["reactions"]
    assert len(page) < 2_000_000


def test_a_page_runs_no_program_but_its_own(run):
    page = cardan.animate(run).html
    script = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in page
    assert "</script" not in script


def test_names_and_descriptions_never_become_markup():
    model = cardan.load("compound_pendulum").model_copy(update={"name": FOREIGN})
    run = cardan.simulate(model, until=0.1)
    page = cardan.animate(run).html
    assert FOREIGN not in page
    assert page.count("<script") == 2
    assert "<img" not in page[: page.rindex("<script>")]
    assert _content(page)["scene"]["title"] == FOREIGN  # shown as text


def test_plots_of_a_page_are_named_results_in_wanted_units(run):
    content = _content(cardan.animate(run, plots=["crank.q", "rod.position"], units="deg").html)
    names = [(panel["name"], panel["unit"]) for panel in content["panels"]]
    assert names == [("crank.q", "deg"), *((f"rod.position.{axis}", "m") for axis in "xyz")]
    values = np.frombuffer(base64.b64decode(content["panels"][0]["values"]), "<f4")
    expected = np.degrees(run.array("crank.q"))[ShownMotion(run).shown]
    np.testing.assert_allclose(values, expected, rtol=1e-6)  # 24 bits
    assert [p["name"] for p in _content(cardan.animate(run, plots=["rod.position.y"]).html)["panels"]] == [
        "rod.position.y"
    ]


def test_plots_of_plain_numbers_have_no_unit():
    slide = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x", "friction": {"effort": 1}}
    run = cardan.simulate(cardan.Model(bodies={"b": {"mass": 1}}, joints={"j": slide}, initial={"j.v": 1}), 0.1)
    content = _content(cardan.animate(run, plots=["j.sticking", "j.v"]).html)
    assert [panel["unit"] for panel in content["panels"]] == ["", "m/s"]


def test_a_run_shows_itself_in_a_notebook(run):
    frame = cardan.animate(run)._repr_html_()
    assert frame in run._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in frame
    inner = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert _content(inner)["scene"]["title"] == "slider-crank"
    bare = cardan.Trajectory(np.zeros(1), np.zeros((1, 1)), ("s.q",), ("m",))
    assert bare._repr_html_() is None


def test_the_licences_of_the_bundle_stand_beside_it_with_their_versions():
    packages = json.loads((ROOT / "viewer" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for viewer, names in {"animation": ("three", "uplot"), "charts": ("uplot",)}.items():
        licences = files(f"cardan.view.{viewer}").joinpath("viewer", "LICENSES.txt").read_text(encoding="utf-8")
        for name in names:
            assert f"{name} {packages[name]}" in licences
        assert licences.count("MIT License") == len(names)


def test_the_layers_of_the_page_are_those_that_can_be_shown():
    source = (ROOT / "viewer" / "src" / "player.js").read_text(encoding="utf-8")
    names = re.search(r"const LAYERS = \[(.*?)\]", source, re.S)[1]
    assert sorted(re.findall(r'"([^"]+)"', names)) == sorted(LAYERS)


@each(
    "options, fault",
    [
        ({"show": ["labls"]}, "there is no layer 'labls' to show or hide\n.*labels"),
        ({"hide": ["everything"]}, f"there is no layer 'everything' to show or hide\n.*{', '.join(LAYERS)}$"),
        ({"follow": "rd"}, "there is no body 'rd' to follow\n.*rod"),
        ({"look": "above"}, "look='above' is not possible\n.*front"),
        ({"theme": "blue"}, "theme='blue' is not possible\n.*light, dark"),
        ({"speed": 0.0}, "the speed is 0\n"),
        ({"trace": ["rod.x"]}, "there is no body or marker 'rod.x' to trace"),
    ],
)
def test_options_that_are_not_possible_are_refused(run, options, fault):
    with pytest.raises(cardan.ModelError, match=fault):
        cardan.animate(run, **options)


def test_results_that_do_not_exist_are_refused(run):
    with pytest.raises(KeyError, match=r'no result is called "crank\.qq"'):
        cardan.animate(run, plots=["crank.qq"])
    with pytest.raises(ValueError, match='units="grad" is not possible'):
        cardan.animate(run, units="grad")


def test_files_that_cannot_be_written_are_refused(run, tmp_path):
    with pytest.raises(cardan.ModelError, match=r'extension "\.avi"\n.*\.html, \.mp4, \.gif, \.png'):
        cardan.animate(run, tmp_path / "crank.avi")
    with pytest.raises(FileNotFoundError):
        cardan.animate(run, tmp_path / "nowhere" / "crank.html")
    with pytest.raises(cardan.ModelError, match="a picture of 20 × 720 pixels"):
        cardan.animate(run, tmp_path / "crank.html", size=(20, 720))
    with pytest.raises(cardan.ModelError, match="0 pictures per second"):
        cardan.animate(run, tmp_path / "crank.html", rate=0)


def test_missing_packages_are_named_with_the_extra(run, tmp_path, monkeypatch):
    monkeypatch.setattr(browser, "find_spec", lambda name: None if name == "imageio_ffmpeg" else object())
    with pytest.raises(
        cardan.ModelError, match=r"films need the package imageio-ffmpeg.*\n.*pip install imageio-ffmpeg,"
    ):
        cardan.animate(run, tmp_path / "crank.mp4")
    monkeypatch.setattr(browser, "find_spec", lambda name: None)
    with pytest.raises(cardan.ModelError, match="pictures need the package playwright"):
        cardan.animate(run, tmp_path / "crank.png")


def test_a_missing_browser_is_named_with_its_cure(run, tmp_path, monkeypatch):
    monkeypatch.setattr(browser, "find_spec", lambda name: object())
    monkeypatch.setattr(browser, "is_found", lambda: False)
    with pytest.raises(cardan.ModelError, match=r"need a browser, and none is found\n.*CARDAN_BROWSER"):
        cardan.animate(run, tmp_path / "crank.png")
