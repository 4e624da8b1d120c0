"""`cardan gallery` and `cardan show`: what there is, and what it says."""

from cardan.formats import gallery, load


def test_gallery_lists_every_model_with_its_title(cardan_cli):
    text = cardan_cli("gallery").stdout
    for name, title in gallery().items():
        assert name in text
        assert title in text


def test_show_names_everything_in_the_model(cardan_cli):
    result = cardan_cli("show", "overhead_crane")
    assert result.exit_code == 0
    assert "2 bodies, 2 joints, 1 motor" in result.stdout
    assert "coordinates: travel, swing" in result.stdout
    assert "gravity: [0, 0, -g]" in result.stdout
    assert "planar: xz" in result.stdout
    assert "simulated until: 5 s" in result.stdout
    for words in ("mass mp", "ground → trolley", "ratio r/rw", "25 mm", "markers hook", "payload.com.x"):
        assert words in result.stdout


def test_show_brackets_in_a_model_are_no_markup(cardan_cli, tmp_path):
    (tmp_path / "odd.yaml").write_text(
        "cardan: 1\nname: '[red]odd[/]'\nbodies: {b: {mass: 1}}\njoints: {j: {type: free, parent: ground, child: b}}\n"
    )
    assert "[red]odd[/]: 1 body, 1 joint" in cardan_cli("show", "odd.yaml").stdout


def test_show_yaml_prints_a_file_that_loads_again(cardan_cli, tmp_path):
    (tmp_path / "mine.yaml").write_text(cardan_cli("show", "scara", "--yaml").stdout, encoding="utf-8")
    assert load(tmp_path / "mine.yaml") == load("scara")
    assert cardan_cli("show", "mine.yaml", "--yaml").stdout == cardan_cli("show", "scara", "--yaml").stdout


def test_a_model_that_does_not_exist_is_wrong_input_with_the_nearest_name(cardan_cli):
    result = cardan_cli("show", "overhead_cran")
    assert result.exit_code == 2
    assert "overhead_crane" in result.stderr
    assert "Traceback" not in result.output


def test_a_faulty_file_gets_file_line_and_key(cardan_cli, tmp_path):
    (tmp_path / "bad.yaml").write_text(
        "cardan: 1\nbodies:\n  b: {mass: 3 mm}\njoints: {j: {type: free, parent: ground, child: b}}\n"
    )
    result = cardan_cli("show", "bad.yaml")
    assert result.exit_code == 2
    assert "bad.yaml:3" in result.stderr
    assert "bodies.b.mass" in result.stderr
