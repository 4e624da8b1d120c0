"""`cardan animate`: a page, or the browser."""

import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cardan
from cardan.cli import program


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    run = cardan.simulate(cardan.load("overhead_crane"), until=0.2)
    return cardan.save_run(run, tmp_path_factory.mktemp("runs") / "run.nc")


def _invoke(*words):
    return CliRunner().invoke(program(), ["animate", *map(str, words)])


def test_a_run_becomes_a_page(saved, tmp_path):
    page = tmp_path / "crane.html"
    done = _invoke(saved, "-o", page, "--show", "reactions,labels", "--trace", "payload.hook", "--plots", "swing.q")
    assert done.exit_code == 0, done.output
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = _invoke(saved, "-o", page)
    assert again.exit_code == 2
    assert "--force" in again.output
    assert _invoke(saved, "-o", page, "--force").exit_code == 0


def test_a_model_is_simulated_and_shown_in_the_browser(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    done = _invoke("compound_pendulum", "--until", "0.2s")
    assert done.exit_code == 0, done.output
    (address,) = opened
    assert address.startswith("file:")
    assert "compound pendulum" in Path(address.removeprefix("file://")).read_text(encoding="utf-8")


def test_without_a_browser_the_page_is_the_cure(saved, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    done = _invoke(saved)
    assert done.exit_code == 2
    assert "no browser could be opened" in done.output
    assert "-o animation.html" in done.output


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--size", "wide"), "1280x720"),
        (("--until", "1"), "a run has its end"),
        (("-o", "film.avi"), ".mp4"),
        (("--plots", "swing.qq"), "swing.q"),
        (("--show", "labls"), "labels"),
        (("--follow", "pay"), "payload"),
    ],
)
def test_wrong_input_is_refused(saved, words, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = () if "-o" in words else ("-o", tmp_path / "crane.html")
    done = _invoke(saved, *output, *words)
    assert done.exit_code == 2
    assert fault in done.output
    assert "Traceback" not in done.output
