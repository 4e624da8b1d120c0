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


def test_show_prints_what_follows_from_densities(cardan_cli):
    text = cardan_cli("show", "basket_arm_shapes").stdout
    assert (
        "arm1, from its shapes: mass 81.39 kg, com [1, 0, 0] m, inertia [0.3203, 27.29, 27.29, 0, 0, 0] kg*m^2" in text
    )
    assert "from its shapes" not in cardan_cli("show", "basket_arm").stdout


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


def test_show_says_what_of_the_inertia_a_motion_shows(cardan_cli):
    text = cardan_cli("show", "planar_manipulator", "--base-parameters").stdout
    assert "6 base parameters of 20 inertial parameters" in text
    assert "link1.Izz + l1**2*link2.mass = 0.541667" in text


def test_show_says_where_an_arm_is_singular(cardan_cli):
    text = cardan_cli("show", "manipulator_6dof", "--reach", "link6").stdout
    assert "link6 can be moved in 6 independent ways" in text
    assert "singular, rank 5: q4 = 90 deg" in text
    assert "singular, rank 5: q4 = -90 deg" in text
    text = cardan_cli("show", "manipulator_3dof", "--reach", "link2").stdout
    assert "link2 can be moved in 2 independent ways" in text
    assert "singular, rank" not in text


def test_show_says_what_a_mechanism_can_move(cardan_cli):
    text = cardan_cli("show", "four_bar_spatial").stdout
    assert "degrees of freedom: 1 (Grübler's count: -2)" in text
    assert "C (cut)" in text
    for words in ("C: force along z", "C: moment about x", "C: moment about y", "reactions not unique: A, "):
        assert words in text
    plane = cardan_cli("show", "four_bar").stdout
    assert "degrees of freedom: 1\n" in plane
    assert "redundant" not in plane
    assert "not unique" not in plane


def test_show_says_that_a_position_is_singular_or_that_there_is_none(cardan_cli, tmp_path):
    bars = "{mass: 1, inertia: [0, 1, 1], markers: {tip: {position: [1, 0, 0]}}}"
    head = (
        f"cardan: 1\nplanar: xy\nbodies: {{left: {bars}, right: {bars}, frame: {{mass: 1, markers: {{end: {{position: "
    )
    tail = (
        "}}}}\njoints:\n  mount: {type: fixed, parent: ground, child: frame}\n"
        "  a: {type: revolute, parent: ground, child: left, axis: z}\n"
        "  b: {type: revolute, parent: frame.end, child: right, axis: z}\n"
        "  top: {type: revolute, parent: left.tip, child: right.tip, axis: z}\n"
    )
    guess = "initial: {a: {guess: 1}, b: {guess: 2}}\n"
    (tmp_path / "far.yaml").write_text(f"{head}[3, 0, 0]{tail}{guess}")
    (tmp_path / "truss.yaml").write_text(f"{head}[1, 0, 0]{tail}{guess}")
    assert "cannot be assembled: 'top' does not close" in cardan_cli("show", "far.yaml").stdout
    text = cardan_cli("show", "truss.yaml").stdout
    assert "degrees of freedom: 0" in text
    assert "cannot move" in text


def test_show_says_that_time_leads_a_mechanism_without_freedom(cardan_cli, tmp_path):
    (tmp_path / "led.yaml").write_text(
        "cardan: 1\nbodies: {slide: {mass: 1}}\n"
        "joints: {x: {type: prismatic, parent: ground, child: slide, axis: x}}\n"
        'constraints: {drive: {type: expression, expression: "x - 0.1*t"}}\n'
    )
    text = cardan_cli("show", "led.yaml").stdout
    assert "degrees of freedom: 0; it moves as time prescribes\n" in text
    assert "cannot move" not in text


def test_show_lists_events_and_sampled_inputs(cardan_cli, tmp_path):
    (tmp_path / "drop.yaml").write_text("""
cardan: 1
bodies: {load: {mass: 2 kg}}
joints: {slide: {type: prismatic, parent: ground, child: load, axis: z}}
states: {count: {rate: 0}}
inputs: {slide: {every: 10 ms, value: -3*slide}}
events:
  passed: {when: load.z - 0.7}
  caught: {when: slide.v + 3, direction: falling, do: {set: {slide: 60 N, count: count + 1}}}
  back: {when: slide.v, do: stop}
""")
    shown = " ".join(cardan_cli("show", "drop.yaml").stdout.split())
    assert "1 body, 1 joint, 3 events" in shown
    assert "slide every 10 ms, value -3*slide" in shown
    assert "passed when load.z - 0.7 caught" in shown
    assert "caught when slide.v + 3, direction falling, do set slide: 60 N, count: count + 1" in shown
    assert "back when slide.v, do stop" in shown
