"""The command line in process, as a person would use it: words in; exit code and text out."""

import pytest
from typer.testing import CliRunner

from cardan.cli import program


@pytest.fixture
def cardan_cli(monkeypatch, tmp_path):
    """Call the program with words, in an empty folder and a wide terminal; the result has exit_code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*words: str):
        return CliRunner().invoke(program(), list(words))

    return call
