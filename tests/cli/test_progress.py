"""The progress bar: only in a terminal, only for long work, and gone at the end."""

import io

import pytest
from rich.console import Console

from cardan.cli import progress


@pytest.fixture
def console(monkeypatch):
    """A terminal that remembers what it was sent."""
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr(progress, "err", lambda: terminal)
    return terminal


def test_short_work_draws_nothing(console):
    with progress.Bar("working") as bar:
        bar(0.5)
    assert console.file.getvalue() == ""


def test_long_work_draws_a_bar_and_removes_it(console, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.Bar("working") as bar:
        bar(0.25)
        bar(0.5)
    text = console.file.getvalue()
    assert "working" in text
    assert text.endswith("\x1b[2K")  # the last thing done is to erase the line


def test_a_file_gets_no_bar(console, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "err", lambda: Console(file=io.StringIO()))
    with progress.Bar("working") as bar:
        bar(0.5)
        assert bar._progress is None
