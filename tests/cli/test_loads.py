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


def test_figures_of_loads(cardan_cli, tmp_path):
    cardan.save_run(cardan.simulate(cardan.load("slider_crank"), until=0.1), tmp_path / "crank.nc")
    for k, words in enumerate((["--polar", "pin"], ["--polar", "pin", "--frame", "parent"], ["--drive", "drive"])):
        result = cardan_cli("plot", "crank.nc", *words, "-o", f"{k}.png")
        assert result.exit_code == 0, result.output
        assert (tmp_path / f"{k}.png").stat().st_size > 1000
    for words, text in (
        (["--polar", "pn"], "no joint is called"),
        (["--drive", "motor"], "no motor or driven coordinate"),
        (["--polar", "pin", "--x", "crank.q"], "figures of their own"),
        (["--polar", "pin", "--labels", "a,b"], "2 labels for 1 runs"),
    ):
        result = cardan_cli("plot", "crank.nc", *words, "-o", "no.png")
        assert result.exit_code == 2
        assert text in " ".join(result.stderr.split())


def test_energies_of_the_drives_over_a_period(cardan_cli):
    words = ("kinetostatics", "slider_crank", "--motion", "crank=2*pi*t", "--times", "0,1", "-q")
    result = cardan_cli(*words, "--period", "1s")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1].split()[0] == "drive"
    assert "over a period of 1 s" in result.stdout
    result = cardan_cli(*words, "--period", "own")
    assert result.exit_code == 2
    assert "the motion 'crank' has no key period" in result.stderr
