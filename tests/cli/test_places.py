"""A fault is shown where it stands: at an option, or at a line of the model's file."""

import pytest

import cardan
from cardan.formats.gallery import gallery_path

OPEN = """cardan: 1
planar: xy
bodies:
  a: {mass: 1, markers: {end: {position: [1, 0, 0]}}}
  b: {mass: 1, markers: {end: {position: [1, 0, 0]}}}
joints:
  first: {type: revolute, parent: ground, child: a, axis: z}
  second: {type: revolute, parent: a.end, child: b, axis: z}
constraints:
  rod: {type: distance, parent: ground, child: b.end, length: 9}
"""


def test_faults_of_options_are_named_by_their_option(cardan_cli):
    run = cardan_cli("simulate", "overhead_crane", "--set", "mp=1..2")
    assert run.exit_code == 2
    assert "error: --set mp: " in run.stderr
    assert (
        "error: --initial swing: nan is not"
        in cardan_cli("simulate", "overhead_crane", "--initial", "swing=nan").stderr
    )
    assert (
        "error: --input drive: '10kg' is a mass"
        in cardan_cli("simulate", "overhead_crane", "--input", "drive=10kg").stderr
    )


def test_faults_that_an_option_causes_elsewhere_name_file_and_line(cardan_cli, tmp_path):
    text = gallery_path("overhead_crane").read_text(encoding="utf-8")
    (tmp_path / "crane.yaml").write_text(text, encoding="utf-8")
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "mass: mp" in one)
    run = cardan_cli("simulate", "crane.yaml", "--set", "mp=-1")
    assert f"bodies.payload.mass: mp = -1 is out of range: a mass is zero or positive (crane.yaml:{line})" in run.stderr


def test_a_loop_that_cannot_close_names_its_line(cardan_cli, tmp_path):
    (tmp_path / "open.yaml").write_text(OPEN)
    run = cardan_cli("simulate", "open.yaml", "--until", "1")
    assert run.exit_code == 2
    assert "error: open.yaml:10: " in run.stderr


def test_a_held_coordinate_too_many_is_named_where_it_was_given(cardan_cli, tmp_path):
    lines = [line for line in gallery_path("slider_crank").read_text().splitlines() if not line.startswith("initial:")]
    lines += ["initial:", "  crank: 0.3", "  slide: 0.1 m"]
    (tmp_path / "crank.yaml").write_text("\n".join(lines))
    fault = "the held coordinate 'slide' over-determines the mechanism"
    assert f"error: crank.yaml:{len(lines)}: {fault}" in cardan_cli("simulate", "crank.yaml").stderr
    option = ("--initial", "slide=0.1", "--initial", "crank=0.3")
    assert f"error: --initial slide: {fault}" in cardan_cli("simulate", "slider_crank", *option).stderr


def test_a_file_of_the_gallery_that_is_not_there_is_found_by_its_name(cardan_cli):
    run = cardan_cli("simulate", "overhead_crane.yaml")
    assert (
        "there is no file overhead_crane.yaml\n    the gallery has a model of this name: overhead_crane" in run.stderr
    )
    with pytest.raises(cardan.ModelError, match="there is no file"):
        cardan.load("overhead_crane.yaml")
