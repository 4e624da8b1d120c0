"""Results in notebooks: models, equations, runs and reports show themselves, harmlessly."""

import pickle
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import cardan
from cardan import displays

EVIL = "<img src=x onerror=alert(1)>"


class _Elements(HTMLParser):
    """Elements of a piece of HTML; each that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.opened, self.found = [], set()
        self.feed(text)
        assert self.opened == []

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        if tag not in ("img", "br", "meta", "mspace"):
            self.opened.append(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.found.add(tag)


@pytest.fixture(scope="module")
def crank():
    return cardan.load("slider_crank")


@pytest.fixture(scope="module")
def run(crank):
    return cardan.simulate(crank, until=0.1)


def test_a_model_shows_its_schematic_and_parts(crank):
    text = crank._repr_html_()
    assert {"svg", "table"} <= _Elements(text).found
    for words in ("slider-crank", "crank, rod, slider", "crank, pin, slide", "m1*l1**2/12", "Hoang"):
        assert words in text


def test_equations_are_typeset(crank):
    text = cardan.equations(crank)._repr_html_()
    assert {"math", "mtable", "style"} <= _Elements(text).found
    assert 'font-family: "Cardan Math"; src: url("data:font/woff;base64,' in text
    style = text.partition("</style>")[0].partition("}")[2]
    assert all(rule.strip().startswith(".cardan ") for rule in style.split("}") if rule.strip())


def test_a_run_plays_and_says_how_it_ended(run):
    text = run._repr_html_()
    assert "iframe" in _Elements(text).found
    assert "completed at t = 0.1 s" in text
    assert f"{run.array('slide.q')[-1]:.6g}" in text
    bare = cardan.Trajectory(np.zeros(1), np.zeros((1, 1)), ("s.q",), ("m",))
    assert bare._repr_html_() is None


def test_figures_and_drawings_show_themselves(crank, run):
    """Also where nothing has set matplotlib up; in a terminal they are a line."""
    figure = cardan.plot(run, ["crank.q"])
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(figure))._repr_png_().startswith(b"\x89PNG")
    assert repr(cardan.draw(crank)) == "<Drawing of slider-crank>"
    assert repr(cardan.animate(run)) == "<Animation of slider-crank: 0 to 0.1 s>"


def test_a_run_of_a_bond_graph_alone_is_its_summary():
    text = cardan.simulate(cardan.load("quarter_car"), until=0.1)._repr_html_()
    assert "iframe" not in _Elements(text).found
    assert "completed at t = 0.1 s" in text


def test_reports_are_tables(crank, run):
    mobility = cardan.mobility(crank)._repr_html_()
    assert "Degrees of freedom: 1" in mobility
    assert "Loop: crank, slide, pin, wrist (cut)." in mobility
    verified = cardan.verify(crank)
    text = verified._repr_html_()
    assert text.count("<tr>") == len(verified.checks) + 1
    assert f"{len(verified.checks)} of {len(verified.checks)} checks hold" in text
    loads = cardan.bearing_loads(run)
    assert f"{loads.of('wrist').largest:.5g}" in loads._repr_html_()
    for shown in (mobility, text, loads._repr_html_()):
        assert "table" in _Elements(shown).found


def test_bond_graphs_show_their_drawings(crank):
    graph = cardan.BondGraph(
        elements={"body": "1 translation", "m": {"type": "I", "inertia": 2}, "k": {"type": "C", "stiffness": 8}},
        bonds=["body -> m, k"],
    )
    assert "svg" in _Elements(graph._repr_html_()).found
    assert cardan.bond_graph(crank)._repr_svg_().startswith("<svg")


def test_a_mechanism_that_cannot_be_assembled_says_why():
    model = cardan.Model(
        name="gap",
        bodies={"rod": {"mass": 1, "markers": {"end": {"position": [1, 0, 0]}}}},
        joints={
            "a": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"},
            "b": {
                "type": "revolute",
                "parent": {"body": "ground", "position": [5, 0, 0]},
                "child": "rod.end",
                "axis": "z",
            },
        },
    )
    text = model._repr_html_()
    assert "The mechanism cannot be assembled: " in text
    assert "svg" not in _Elements(text).found


def test_names_are_shown_and_not_obeyed():
    model = cardan.load("compound_pendulum").model_copy(update={"name": EVIL, "source": EVIL})
    for thing in (model, cardan.equations(model), cardan.verify(model), cardan.simulate(model, until=0.1)):
        text = thing._repr_html_()
        assert "<img" not in text
        assert "img" not in _Elements(text).found


def test_what_nothing_draws_is_left_to_its_text(monkeypatch, crank):
    assert displays.shown(1.0) is None
    monkeypatch.setattr(displays, "_display", None)
    assert crank._repr_html_() is None


@pytest.mark.exhaustive
def test_a_notebook_needs_the_room_that_draws_only_when_it_shows_something():
    loaded = "print('cardan.view' in sys.modules)"
    code = f"import sys, cardan; m = cardan.load('four_bar'); {loaded}; m._repr_html_(); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"]
