"""Pages in a browser without a window: they open, play, and show what the run says; pictures and films of them."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.browsers import need_browser, wait_until

import cardan
from cardan.errors import ModelError
from cardan.view.animation import browser, pictures

need_browser()
Image = pytest.importorskip("PIL.Image")

SINGLE = 1e-6  # of positions of a metre in 32-bit numbers, and of the time's place between two of them


@pytest.fixture(scope="module")
def run():
    return cardan.simulate(cardan.load("slider_crank"), until=0.6)


@pytest.fixture(scope="module")
def opened(run):
    """A page of the run, and the complaints of its console."""
    complaints = []
    with browser.opened("<p>", (900, 700)) as page:
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.set_content(cardan.animate(run, trace=["rod.wrist"], theme="light").html)
        yield page, complaints


def test_a_page_opens_without_a_complaint(opened):
    page, complaints = opened
    assert page.title() == "slider-crank"
    assert page.evaluate("window.cardan.bodies") == ["crank", "rod", "slider"]
    assert complaints == []


def test_poses_and_values_are_those_of_the_run(run, opened):
    page, complaints = opened
    for k in (0, 100, len(run) - 1):
        page.evaluate("t => { window.cardan.time = t; }", run.t[k])
        for body in ("crank", "rod", "slider"):
            pose = page.evaluate("body => window.cardan.pose(body)", body)
            np.testing.assert_allclose(pose["position"], run.array(f"{body}.position")[k], atol=SINGLE)
            assert abs(np.dot(pose["orientation"], run.array(f"{body}.orientation")[k])) == pytest.approx(1, abs=SINGLE)
        x = page.evaluate("window.cardan.value('slider_x')")
        assert x == pytest.approx(run.array("slider_x")[k], abs=SINGLE)
    assert complaints == []


def test_the_time_can_be_moved_and_played(run, opened):
    page, complaints = opened
    page.evaluate("document.getElementById('scrub').value = 0.3; 0")
    page.locator("#scrub").dispatch_event("input")
    assert page.evaluate("window.cardan.time") == pytest.approx(0.3, abs=0.6 / 2000)
    assert not page.evaluate("window.cardan.playing")
    page.locator("#play").click()
    wait_until(page, "window.cardan.playing && window.cardan.time !== 0.3")
    page.locator("#play").click()
    assert not page.evaluate("window.cardan.playing")
    for button in ("Front", "Side", "Top", "Oblique", "Reset"):
        page.get_by_role("button", name=button).click()
    page.locator("summary").click()
    page.locator("input[data-layer=reactions]").check()
    assert "N" in page.locator("#scale").inner_text()
    page.locator("#follow").select_option("rod")
    page.evaluate("window.cardan.time = 0.5; window.cardan.follow(''); window.cardan.show('reactions', false); 0")
    assert complaints == []


def test_bodies_are_drawn_where_the_data_say(run, opened):
    """The pixel at the middle of the slider has the slider's colour, and another one when the slider has left."""
    page, _ = opened
    page.evaluate("window.cardan.picture(); window.cardan.look('front'); window.cardan.show('joints', false); 0")
    colours = []
    for k in (0, int(np.argmin(run.array("slider_x")))):
        page.evaluate("t => { window.cardan.time = t; }", run.t[k])
        picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
        assert picture.std() > 5  # not blank
        x, y = page.evaluate("p => window.cardan.pixel(p)", run.array("slider.position")[0].tolist())
        colours.append(picture[round(y) + 12, round(x)])
    green = colours[0][1] - colours[0][[0, 2]].max()
    assert green > 20  # the third colour of bodies
    assert np.abs(colours[1] - colours[0]).max() > 40
    page.evaluate("window.cardan.picture(false); window.cardan.show('joints', true); 0")


def test_what_the_page_does_not_know_is_an_error(opened):
    page, _ = opened
    for call in ("pose('rd')", "value('x')", "show('labls', true)", "follow('rd')"):
        assert "known" in page.evaluate(
            f"() => {{ try {{ window.cardan.{call}; return ''; }} catch (e) {{ return e.message; }} }}"
        ) or call.startswith("follow")


def test_names_are_shown_and_not_obeyed():
    name = "<img src=x onerror=\"document.title='obeyed'\">"
    model = cardan.load("compound_pendulum").model_copy(update={"name": name})
    page_text = cardan.animate(cardan.simulate(model, until=0.1), show=["labels"]).html

    def look():
        with browser.opened(page_text, (400, 300)) as page:
            return page.locator("#title").inner_text(), page.title(), page.locator("img").count()

    with ThreadPoolExecutor(1) as pool:  # beside the browser of the other tests
        assert pool.submit(look).result() == (name, name, 0)


@pytest.mark.exhaustive
def test_the_frame_of_a_notebook_plays(run):
    def look():
        with browser.opened(run._repr_html_(), (700, 600)) as page:
            inner = page.frames[1]
            wait_until(inner, "window.cardan")
            page.evaluate("window.frames[0].postMessage({theme: 'dark'}, '*')")  # as the documentation's pages do
            wait_until(inner, "document.documentElement.dataset.theme === 'dark'")
            page.evaluate("window.frames[0].postMessage({theme: 'pink'}, '*')")
            assert inner.evaluate("document.documentElement.dataset.theme") == "dark"
            return inner.evaluate("window.cardan.bodies")

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(look).result() == ["crank", "rod", "slider"]


def test_a_picture_has_its_size_and_is_not_blank(run, tmp_path):
    cardan.animate(run, tmp_path / "crank.png", size=(400, 300), at=0.2, theme="dark", show=["labels", "reactions"])
    with Image.open(tmp_path / "crank.png") as picture:
        assert picture.size == (400, 300)
        assert np.asarray(picture.convert("L")).std() > 5


def test_a_film_moves(run, tmp_path):
    cardan.animate(run, tmp_path / "crank.gif", size=(160, 120), rate=5, speed=0.6)
    with Image.open(tmp_path / "crank.gif") as film:
        assert film.n_frames == 6  # one second at 5 per second, both ends
        first = np.asarray(film.convert("L")).astype(int)
        film.seek(2)
        assert np.abs(np.asarray(film.convert("L")).astype(int) - first).max() > 40


@pytest.mark.exhaustive
def test_a_film_as_mp4(run, tmp_path):
    reader = pytest.importorskip("imageio_ffmpeg")
    cardan.animate(run, tmp_path / "crank.mp4", size=(161, 120), rate=5, speed=0.6)
    assert reader.count_frames_and_secs(str(tmp_path / "crank.mp4"))[0] == 6


@pytest.mark.exhaustive
def test_a_film_that_cannot_be_encoded_is_not_left_half(run, tmp_path, monkeypatch):
    """The encoder is another program: what it says comes back, also where it ends before all pictures are drawn."""
    encoder = pytest.importorskip("imageio_ffmpeg")
    broken = tmp_path / "encoder"
    broken.write_text("#!/bin/sh\necho no room >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(encoder, "get_ffmpeg_exe", lambda: str(broken))
    with pytest.raises(ModelError, match=r"crank.mp4: the film cannot be encoded: no room\n.*\.gif"):
        cardan.animate(run, tmp_path / "crank.mp4", size=(160, 120), rate=30)
    assert [one.name for one in tmp_path.iterdir()] == ["encoder"]


def test_instants_and_lengths_that_are_not_possible_are_refused(run, tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"the instant 2 s lies outside of the run\n.*from 0 to 0.6 s"):
        cardan.animate(run, tmp_path / "crank.png", at=2.0)
    monkeypatch.setattr(pictures, "MOST_PICTURES", 5)
    with pytest.raises(ModelError, match=r"a film of 31 pictures, 6 s\n.*5 pictures at most"):
        cardan.animate(run, tmp_path / "crank.gif", rate=5, speed=0.1)


def test_a_browser_that_is_missing_is_asked_for(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CARDAN_BROWSER", str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match=r"nowhere cannot be started: .*\n.*CARDAN_BROWSER"):
        cardan.animate(run, tmp_path / "crank.png")


@pytest.mark.exhaustive
def test_pictures_of_a_film_are_those_of_their_instants(run):
    """The quick way to take a picture sees what the slow one sees, also where time jumps to and fro."""
    shown = ["labels", "reactions"]
    html, instants = cardan.animate(run, theme="light", show=shown).html, [0.0, 0.5, 0.1]
    quick = browser.apart(lambda: [*pictures.page_frames(html, (640, 480), instants)])
    slow = pictures.pictures(html, (640, 480), instants)
    gray = [
        [np.asarray(Image.open(io.BytesIO(one)).convert("L")).astype(int) for one in taken] for taken in (quick, slow)
    ]
    for k in range(3):
        assert np.abs(gray[0][k] - gray[1][k]).mean() < 1.5  # of 255: what JPEG loses, and the edges of letters
    assert np.abs(gray[0][0] - gray[0][1]).mean() > 2.0
