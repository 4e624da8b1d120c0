"""Reports: what they hold, what they refuse, and that a page opens without a complaint and without a network."""

import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import pytest
from tests.browsers import need_browser, wait_until

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.view.animation import browser
from cardan.view.animation.browser import opened

TITLES = [
    "Mechanism",
    "Mobility",
    "Parameters",
    "Motion",
    "Loads",
    "Drives",
    "Energy balance",
    "Warnings",
    "Equations",
    "Versions",
]


@pytest.fixture(scope="module")
def crane():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # printed motor constants, docs/errata.md
        return cardan.load("overhead_crane")


@pytest.fixture(scope="module")
def run(crane):
    return cardan.simulate(crane, until=1.0, inputs={"drive": 18.0}, parameters={"mp": "1.2 kg"})


@pytest.fixture(scope="module")
def written(crane, run, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "crane.html"
    assert cardan.report(crane, path, run) == path
    return path.read_text(encoding="utf-8")


class _Text(HTMLParser):
    """Texts of a page, and the addresses in it."""

    def __init__(self):
        super().__init__()
        self.words, self.addresses = [], []

    def handle_data(self, data):
        self.words.append(data)

    def handle_starttag(self, tag, attrs):
        self.addresses += [value for name, value in attrs if name in ("src", "href")]


def test_a_report_has_its_sections_in_order(written):
    assert re.findall(r"<h2>([^<]*)</h2>", written) == TITLES
    assert all(f'<a href="#{re.sub(" ", "-", title.lower())}">' in written for title in TITLES)


def test_a_report_says_what_the_run_says(run, written):
    assert "<td style='text-align: left'>mp</td><td style='text-align: left'>0.85 kg</td>" in written
    assert "changed in this run" in written
    largest = cardan.bearing_loads(run).of("travel").largest
    assert f"{largest:.5g}" in written.partition("<h2>Loads")[2]
    assert f"{run.report.energy_error:.2g} J" in written.partition("<h2>Energy balance")[2]
    assert f"{run.array('travel.q')[-1]:.6g}" in written
    assert "drive: 18.0" in written
    assert written.count('class="plot"') == 4  # states, outputs, drives; torque over speed
    assert "<mtable" in written.partition("<h2>Equations")[2]
    assert f"<td style='text-align: left'>{cardan.__version__}</td>" in written.partition("<h2>Versions")[2]


def test_identifiers_of_the_plots_are_unique(written):
    outside = re.sub(r'srcdoc="[^"]*"', "", written)
    found = re.findall(r'\bid="([^"]*)"', outside)
    assert len(found) == len({*found})
    used = re.findall(r'href="#(plot[^"]*)"|url\(#(plot[^)]*)\)', outside)
    assert {one or other for one, other in used} <= {*found}


def test_a_report_names_nothing_outside_of_itself(written):
    parser = _Text()
    parser.feed(written)
    assert all(address.startswith(("data:", "#")) for address in parser.addresses)


def test_names_are_shown_and_not_obeyed(tmp_path):
    evil = "<img src=x onerror=\"document.title='obeyed'\">"
    model = cardan.load("compound_pendulum").model_copy(update={"name": evil, "source": evil})
    text = cardan.report(model, tmp_path / "evil.html", animation="none").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "&lt;img src=x" in text


def test_the_animation_can_stand_beside_the_page_or_be_left_out(crane, run, tmp_path):
    cardan.report(crane, tmp_path / "crane.html", run, animation="beside")
    assert {path.name for path in tmp_path.iterdir()} == {"crane.html", "crane-animation.html"}
    text = (tmp_path / "crane.html").read_text(encoding="utf-8")
    assert '<a href="crane-animation.html">' in text
    assert "<iframe" not in text
    assert "script-src" not in text
    plain = cardan.report(crane, tmp_path / "plain.html", run, animation="none").read_text(encoding="utf-8")
    assert "animation" not in plain


def test_a_model_without_a_motion_has_a_report_that_says_so(tmp_path):
    model = cardan.Model(
        name="still",
        bodies={"b": {"mass": 1}},
        joints={"j": {"type": "revolute", "parent": "ground", "child": "b", "axis": "x"}},
    )
    text = cardan.report(model, tmp_path / "still.html").read_text(encoding="utf-8")
    assert "There is no run: " in text
    assert "until" in text.partition("There is no run: ")[2].partition("</p>")[0]
    assert re.findall(r"<h2>([^<]*)</h2>", text) == [
        t for t in TITLES if t not in ("Loads", "Drives", "Energy balance", "Parameters")
    ]


def test_doubts_about_the_model_are_warnings(tmp_path):
    with pytest.warns(ModelWarning):
        model = cardan.Model(
            bodies={"plate": {"mass": 1, "inertia": [1, 1, 9]}},
            joints={"j": {"type": "revolute", "parent": "ground", "child": "plate", "axis": "x"}},
            simulate={"until": 0.1},
        )
    text = cardan.report(model, tmp_path / "plate.html", animation="none").read_text(encoding="utf-8")
    warned = text.partition("<h2>Warnings")[2].partition("<h2>")[0]
    assert warned.count("bodies.plate.inertia") == 1
    assert "a mechanism without a name" in text


def test_a_run_may_have_motions_of_its_own(tmp_path):
    model = cardan.load("slider_crank")
    run = cardan.kinetostatics(model, [0.0, 0.1, 0.2], motions={"crank": "2*pi*t"})
    text = cardan.report(model, tmp_path / "crank.html", run, animation="none").read_text(encoding="utf-8")
    assert "1 of them prescribed by motions" in text


def test_a_model_of_a_bond_graph_alone_has_the_sections_that_it_can_have(tmp_path):
    text = cardan.report(cardan.load("quarter_car"), tmp_path / "car.html").read_text(encoding="utf-8")
    sections = ["Parameters", "Motion", "Energy balance", "Warnings", "Equations", "Versions"]
    assert re.findall(r"<h2>([^<]*)</h2>", text) == sections


def test_reactions_that_are_not_unique_are_marked(tmp_path):
    model = cardan.load("door_two_hinges")
    text = cardan.report(model, tmp_path / "door.html", animation="none").read_text(encoding="utf-8")
    loads = text.partition("<h2>Loads")[2].partition("<h2>")[0]
    assert ">no</td>" in loads
    assert "minimum norm" in loads
    assert "Redundant constraints" in text


def test_what_a_report_cannot_be_made_of_is_refused(crane, run, tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r'no report has the extension "\.docx"\n.*\.html, \.pdf'):
        cardan.report(crane, tmp_path / "crane.docx")
    with pytest.raises(FileNotFoundError):
        cardan.report(crane, tmp_path / "nowhere" / "crane.html")
    with pytest.raises(ModelError, match=r"animation='inline' is not possible\n.*beside"):
        cardan.report(crane, tmp_path / "crane.html", animation="inline")
    with pytest.raises(ModelError, match="the run is one of another model"):
        cardan.report(cardan.load("slider_crank"), tmp_path / "crane.html", run)
    with pytest.raises(ValueError, match="units"):
        cardan.report(crane, tmp_path / "crane.html", run, units="grad")
    monkeypatch.setattr(browser, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match="PDF files need the package playwright"):
        cardan.report(crane, tmp_path / "crane.pdf", run)
    assert not [*tmp_path.iterdir()]


@pytest.fixture
def _browser():
    need_browser()


@pytest.mark.usefixtures("_browser")
def test_a_page_opens_and_plays_without_a_complaint_and_without_a_network(written):
    def look():
        complaints = []
        with opened("<p>", (1000, 900)) as page:  # offline
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: complaints.append(request.url) if "://" in request.url else None)
            page.set_content(written)
            inner = page.frames[1]
            wait_until(inner, "window.cardan")
            bodies = inner.evaluate("window.cardan.bodies")
            stretched = page.evaluate("[...document.querySelectorAll('math mtable')][0].getBoundingClientRect().height")
            return complaints, bodies, stretched

    with ThreadPoolExecutor(1) as pool:
        complaints, bodies, height = pool.submit(look).result()
    assert complaints == []
    assert bodies == ["trolley", "payload"]
    assert height > 20


@pytest.mark.usefixtures("_browser")
@pytest.mark.exhaustive
def test_a_pdf(crane, run, tmp_path):
    content = cardan.report(crane, tmp_path / "crane.pdf", run).read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.count(b"/Subtype /Image") >= 3
