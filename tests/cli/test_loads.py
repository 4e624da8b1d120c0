"""`cardan loads`: the table of a saved run."""

import pytest

import cardan


@pytest.fixture
def run(tmp_path):
    cardan.save_run(cardan.simulate(cardan.load("scara"), until=0.1), tmp_path / "run.nc")
    return tmp_path


def test_a_table_on_the_screen_and_in_a_file(cardan_cli, run):
    result = cardan_cli("loads", "run.nc", "-o", "loads.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("joint")
    assert "wrote loads.csv" in result.stdout
    assert (run / "loads.csv").read_text().startswith("joint,quantity,unit,frame,largest,rms,cubic_mean,x_min")
    assert cardan_cli("loads", "run.nc", "-o", "loads.csv").exit_code == 2
    assert cardan_cli("loads", "run.nc", "-o", "loads.csv", "--force").exit_code == 0


@pytest.mark.parametrize(("words", "text"), [(["gone.nc"], "gone.nc"), (["run.nc", "-o", "loads.xls"], ".csv")])
def test_wrong_words_are_wrong_input(cardan_cli, run, words, text):
    result = cardan_cli("loads", *words)
    assert result.exit_code == 2
    assert text in result.stderr
