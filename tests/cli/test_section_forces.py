"""`cardan section-forces`: a table, values as CSV, a figure; of a model or of a saved run."""

import numpy as np
import pytest

import cardan


def test_a_table_values_and_a_figure_of_a_model(cardan_cli, tmp_path):
    words = [
        "section-forces",
        "basket_arm_shapes",
        "arm2.middle",
        "--times",
        "0,1,2",
        "-o",
        "cut.csv",
        "--plot",
        "cut.png",
    ]
    result = cardan_cli(*words)
    assert result.exit_code == 0, result.output
    assert "bending_z [N*m]" in result.stdout
    assert "distributed over the shapes" in result.stdout
    cut = cardan.section_forces(cardan.kinetostatics(cardan.load("basket_arm_shapes"), [0, 1, 2]), "arm2.middle")
    rows = np.loadtxt(tmp_path / "cut.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows[:, 0], [0, 1, 2])
    np.testing.assert_allclose(rows[:, -1], cut["bending_z"], rtol=1e-12)
    assert (tmp_path / "cut.csv").read_text().startswith("time [s],normal [N],shear_y [N],shear_z [N],torsion [N*m]")
    assert (tmp_path / "cut.png").stat().st_size > 1000
    assert cardan_cli(*words).exit_code == 2  # the files exist


def test_a_saved_run_and_changed_parameters(cardan_cli, tmp_path):
    cardan.save_run(cardan.kinetostatics(cardan.load("basket_arm_shapes"), [0, 1]), tmp_path / "run.nc")
    of_run = cardan_cli("section-forces", "run.nc", "arm2.middle")
    light = ["--times", "0,1", "--set", "load=1kg"]
    of_model = cardan_cli("section-forces", "basket_arm_shapes", "arm2.middle", *light)
    assert (of_run.exit_code, of_model.exit_code) == (0, 0), of_run.output + of_model.output
    assert "normal [N]" in of_run.stdout
    assert of_run.stdout != of_model.stdout


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["basket_arm_shapes", "arm2.middel"], 2, "middle"),
        (["basket_arm_shapes", "arm2.middle", "-o", "cut.xls"], 2, ".csv"),
        (["run.nc", "arm2.middle", "--set", "g=0"], 2, "give a model"),
        (["gone.nc", "arm2.middle"], 2, "gone.nc"),
    ],
)
def test_wrong_words_are_wrong_input(cardan_cli, words, code, text):
    result = cardan_cli("section-forces", *words)
    assert result.exit_code == code
    assert text in result.stderr


def test_a_run_that_ends_early_is_no_result(cardan_cli, tmp_path):
    from cardan.formats.gallery import gallery_path

    text = gallery_path("basket_arm_shapes").read_text(encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(text.replace("elbow:    {profile", "elbow:    sqrt(1 - t)\n  # {profile"))
    result = cardan_cli("section-forces", "bad.yaml", "arm2.middle")
    assert result.exit_code == 1
    assert "t = 1" in result.stdout
