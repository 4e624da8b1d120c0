"""`cardan measured-reaction`: a summary and a table that a model reads again."""

import numpy as np
import pytest

import cardan


def test_the_soil_of_a_run_as_a_table_that_digs_again(cardan_cli, tmp_path):
    machine = cardan.load("digging_machine")
    run = cardan.simulate(machine, times=np.linspace(0, 0.3, 61))
    cardan.save_run(run, tmp_path / "run.nc")
    result = cardan_cli("measured-reaction", "digging_machine", "run.nc", "line", "-o", "soil.csv")
    assert result.exit_code == 0, result.output
    assert "reaction of line at 61 instants" in result.stdout
    assert "friction" in result.stdout
    text = (tmp_path / "soil.csv").read_text()
    assert text.startswith("t [s],x [N],y [N],z [N],tangential [N],normal [N],binormal [N],speed [m/s]\n")
    table = {"file": "soil.csv", "of": "t", "columns": ["x", "y"], "outside": "hold"}
    line = machine.constraints["line"].replace(given={"child": "scoop", "table": table})
    again = cardan.simulate(machine.replace(constraints={"line": line}), until=0.3)
    assert again.array("phi1.q")[-1] == pytest.approx(run.array("phi1.q")[-1], abs=2e-3)  # 61 rows, lines between them
    assert cardan_cli("measured-reaction", "digging_machine", "run.nc", "line", "-o", "soil.csv").exit_code == 2


def test_the_file_of_a_run_as_csv(cardan_cli):
    """It has columns of NaN: components that a planar model cannot know."""
    assert cardan_cli("simulate", "shaper", "-o", "run.csv").exit_code == 0
    result = cardan_cli("measured-reaction", "shaper", "run.csv", "cut")
    assert result.exit_code == 0, result.output
    assert "reaction of cut at" in result.stdout
    assert "left out     1 instant at" in result.stdout  # the dead centre, at which an event ends the stroke


def test_wrong_words_are_refused(cardan_cli, tmp_path):
    (tmp_path / "record.csv").write_text("t,phi1\n0,0\n1,1\n")
    result = cardan_cli("measured-reaction", "digging_machine", "record.csv", "line")
    assert result.exit_code == 2
    assert "the coordinate 'phi2' is not in the record" in result.stderr
    assert cardan_cli("measured-reaction", "digging_machine", "record.csv", "line", "-o", "a.txt").exit_code == 2
