"""`cardan report`: a page about a model or a saved run."""

import cardan


def test_a_report_of_a_model_and_of_a_run(cardan_cli, tmp_path):
    done = cardan_cli("report", "slider_crank", "-o", "crank.html", "--animation", "none", "--until", "0.1")
    assert done.exit_code == 0, done.stderr
    assert "wrote crank.html" in done.stdout
    assert "t = 0.1 s" in (tmp_path / "crank.html").read_text(encoding="utf-8")
    cardan.save_run(cardan.simulate(cardan.load("slider_crank"), until=0.2), tmp_path / "run.nc")
    done = cardan_cli("report", "run.nc", "-o", "crank.html", "--animation", "beside", "--force")
    assert done.exit_code == 0, done.stderr
    assert "t = 0.2 s" in (tmp_path / "crank.html").read_text(encoding="utf-8")
    assert (tmp_path / "crank-animation.html").exists()


def test_what_cannot_be_reported_is_wrong_input(cardan_cli, tmp_path):
    (tmp_path / "crank-animation.html").write_text("mine")
    for words, fault in (
        (("slider_crank", "-o", "crank.txt"), "no report has the extension"),
        (("run.nc", "-o", "crank.html", "--until", "2"), "a run has its end and its parameters"),
        (("run.nc", "-o", "crank.html", "--set", "l1=1"), "a run has its end and its parameters"),
        (("run.nc", "-o", "crank.html", "--motors", "none"), "a run has its end and its parameters and motors"),
        (("slider_crank", "-o", "crank.html", "--animation", "beside"), "crank-animation.html exists"),
        (("slider_crank",), "--output"),
    ):
        done = cardan_cli("report", *words)
        assert done.exit_code == 2
        assert fault in done.stderr
    assert (tmp_path / "crank-animation.html").read_text() == "mine"
