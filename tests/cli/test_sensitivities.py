"""`cardan sensitivities`."""


def test_the_command_prints_and_saves(cardan_cli, tmp_path):
    words = ["sensitivities", "overhead_crane", "--parameters", "L,swing", "--until", "1"]
    result = cardan_cli(*words, "--outputs", "swing,payload.com.x", "--times", "0:1:0.5", "-o", "found.csv")
    assert result.exit_code == 0, result.output
    assert "payload.com.x" in result.output
    lines = (tmp_path / "found.csv").read_text().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("t [s],swing by L [rad/m],swing by swing [rad/rad]")
    assert lines[1].split(",")[2] == "1.0"
    result = cardan_cli(*words, "--outputs", "load")
    assert result.exit_code == 2
    assert "--outputs" in result.output
    assert cardan_cli(*words, "-o", "found.txt").exit_code == 2
