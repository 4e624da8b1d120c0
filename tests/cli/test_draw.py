"""`cardan draw`: a picture, or the browser."""

import webbrowser
from pathlib import Path

from typer.testing import CliRunner

from cardan.cli import program


def _invoke(*words):
    return CliRunner().invoke(program(), ["draw", *map(str, words)])


def test_a_model_becomes_a_picture(tmp_path):
    path = tmp_path / "crank.svg"
    done = _invoke("slider_crank", "-o", path, "--initial", "crank=50deg", "--coordinates", "--set", "l1=0.25m")
    assert done.exit_code == 0, done.output
    assert "crank = 50°" in path.read_text(encoding="utf-8")
    again = _invoke("slider_crank", "-o", path)
    assert again.exit_code == 2
    assert "--force" in again.output
    assert _invoke("slider_crank", "-o", path, "--force", "--labels", "none", "--view", "60,15").exit_code == 0
    assert "crank" not in path.read_text(encoding="utf-8").partition("</title>")[2]


def test_without_a_file_the_browser_shows_it(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    done = _invoke("compound_pendulum")
    assert done.exit_code == 0, done.output
    (address,) = opened
    assert "<svg" in Path(address.removeprefix("file://")).read_text(encoding="utf-8")


def test_without_a_browser_a_file_is_the_cure(monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    done = _invoke("compound_pendulum")
    assert done.exit_code == 2
    assert "-o drawing.svg" in done.output


def test_wrong_words_are_refused():
    assert "no drawing has the extension" in _invoke("compound_pendulum", "-o", "a.gif").output
    assert "azimuth,elevation" in _invoke("compound_pendulum", "--view", "front").output
    assert _invoke("compound_pendulum", "--labels", "some").exit_code == 2
