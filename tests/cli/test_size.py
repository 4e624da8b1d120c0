"""`cardan size`."""


def test_the_command_prints_saves_and_draws(cardan_cli, tmp_path):
    words = ["size", "manutec_r3", "--drive", "a5", "--ratios", "50,80", "--most", "3"]
    result = cardan_cli(*words, "-o", "found.csv", "--plot", "found.png")
    assert result.exit_code == 0, result.output
    assert "Duty of a5" in result.output
    assert len((tmp_path / "found.csv").read_text().splitlines()) == 25
    assert (tmp_path / "found.png").stat().st_size > 10_000
    assert cardan_cli(*words[:4], "--ratios", "x").exit_code == 2
    assert cardan_cli(*words[:4], "--ratios", "1").exit_code == 1  # nothing can give it
