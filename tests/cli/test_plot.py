"""`cardan plot`: saved runs become pictures."""

import numpy as np
import pytest

from cardan.results import Provenance, Trajectory, save_run


@pytest.fixture
def files(tmp_path):
    """Two runs in the current folder."""
    t = np.linspace(0.0, 1.0, 11)
    for name in ("full", "simplified"):
        run = Trajectory(t, t[:, None], ("travel.q",), ("m",), provenance=Provenance("crane"))
        save_run(run, tmp_path / f"{name}.csv")
    return tmp_path


def test_a_picture_beside_the_run(cardan_cli, files):
    result = cardan_cli("plot", "full.csv")
    assert (result.exit_code, result.stdout) == (0, "wrote full.png\n")
    assert (files / "full.png").stat().st_size > 1000


def test_a_comparison(cardan_cli, files):
    words = ["--names", "travel.q", "--zoom", "0:0.1", "--labels", "a,b", "--title", "both", "-o", "compare.svg"]
    assert cardan_cli("plot", "full.csv", "simplified.csv", *words).exit_code == 0
    assert (files / "compare.svg").stat().st_size > 1000


def test_a_result_over_another_one(cardan_cli, files):
    words = ["--x", "travel.q", "--names", "travel.q", "--equal", "-o", "phase.png"]
    assert cardan_cli("plot", "full.csv", "simplified.csv", *words).exit_code == 0
    assert (files / "phase.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["none.nc"], "none.nc"),
        (["full.csv", "--names", "travel.w"], "travel.q"),
        (["full.csv", "--zoom", "1"], "begin:end"),
        (["full.csv", "-o", "full.xyz"], "xyz"),
        (["full.csv", "--labels", "a,b"], "2 labels for 1 runs"),
        (["full.txt"], ".parquet"),
    ],
)
def test_wrong_words_are_wrong_input(cardan_cli, files, words, text):
    result = cardan_cli("plot", *words)
    assert result.exit_code == 2, result.output
    assert text in result.stderr
    assert "Traceback" not in result.output


def test_an_empty_name_is_no_run(cardan_cli):
    result = cardan_cli("plot", "")
    assert result.exit_code == 2
    assert "no format for the extension" in result.stderr
