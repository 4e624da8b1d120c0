"""`cardan bond-graph`: a drawing, the causality in words, the matrices."""

from xml.etree import ElementTree


def test_a_drawing_is_written(cardan_cli, tmp_path):
    result = cardan_cli("bond-graph", "overhead_crane", "-o", "crane.svg")
    assert result.exit_code == 0
    assert "integral causality throughout, no algebraic loop" in result.stdout
    assert "wrote crane.svg" in result.stdout
    closed = ElementTree.parse(tmp_path / "crane.svg").getroot()
    assert cardan_cli("bond-graph", "overhead_crane", "--expanded", "-o", "open.svg").exit_code == 0
    opened = ElementTree.parse(tmp_path / "open.svg").getroot()
    assert len(list(opened.iter())) > len(list(closed.iter()))


def test_without_constraint_forces_the_causality_is_explained(cardan_cli):
    result = cardan_cli("bond-graph", "trolley_pendulum", "--no-augmented")
    assert result.exit_code == 0
    assert "derivative causality" in result.stdout


def test_the_algebraic_loops_of_a_joint_are_one_sentence(cardan_cli):
    lines = cardan_cli("bond-graph", "parallel_3rrrt", "--no-augmented").stdout.splitlines()
    loops = [line for line in lines if "algebraic loop" in line]
    assert loops[:3] == [
        f"the causality of 4 bonds of joint {name} is a choice: they lie in algebraic loops"
        for name in ("A1", "B1", "C1")
    ]
    parts = [line.split(" of joint ")[1].split()[0] for line in loops if " of joint " in line]
    assert len(parts) == len(set(parts)) == 9
    assert "the causality of torque b2.spin → B3.point is a choice: it lies in an algebraic loop" in loops


def test_the_conflicts_of_a_part_are_one_sentence(cardan_cli):
    lines = cardan_cli("bond-graph", "basket_arm", "--no-augmented").stdout.splitlines()
    found = [line for line in lines if line.startswith("conflict")]
    assert [line.split(":")[0] for line in found] == [
        f"conflict at {part}" for part in ("joint shoulder", "body arm2", "body arm1")
    ]
    assert found[0].endswith('nothing determines the effort of junction "shoulder.direction"')
    assert found[1].endswith('determines the flow of junction "arm2.spin" twice, and 6 more')


def test_matrices_are_listed(cardan_cli):
    result = cardan_cli("bond-graph", "compound_pendulum", "--matrices")
    rows = {line.split()[0]: line.split()[1:3] for line in result.stdout.splitlines() if line.strip().startswith("J_")}
    assert rows["J_Ci2"] == ["5", "5"]  # a revolute joint; one direction of the thin rod has no inertia


def test_another_ending_is_wrong_input(cardan_cli):
    result = cardan_cli("bond-graph", "scara", "-o", "scara.png")
    assert result.exit_code == 2
    assert "does not end in .svg" in result.output


def test_a_file_that_exists_is_kept(cardan_cli, tmp_path):
    (tmp_path / "scara.svg").write_text("mine")
    assert cardan_cli("bond-graph", "scara", "-o", "scara.svg").exit_code == 2
    assert (tmp_path / "scara.svg").read_text() == "mine"


def test_the_power_flow_of_a_run(cardan_cli, tmp_path):
    assert cardan_cli("simulate", "compound_pendulum", "--until", "1", "-o", "run.nc").exit_code == 0
    words = ("bond-graph", "compound_pendulum", "--run", "run.nc")
    result = cardan_cli(*words, "--at", "0.3 s", "-o", "power.svg")
    assert result.exit_code == 0
    assert "W  force of rod.weight" in result.stdout
    assert 'class="power' in (tmp_path / "power.svg").read_text(encoding="utf-8")
    for other, fault in (
        (words, "go together"),
        ((*words, "--at", "0.3 s", "--motors", "none"), "has its motors"),
        (("bond-graph", "scara", *words[2:], "--at", "0.3 s"), "run.nc is not a run of scara"),
        ((*words, "--at", "3 s"), "the run has no instant 3 s"),
    ):
        refused = cardan_cli(*other)
        assert refused.exit_code == 2
        assert fault in refused.output


def test_friction_under_loads_is_part_of_the_power_flow_alone(cardan_cli, tmp_path):
    assert cardan_cli("simulate", "screw_press", "--until", "0.6", "-o", "press.nc").exit_code == 0
    left_out = "Not in the graph: friction that follows the load of its joint (turn)."
    assert left_out in cardan_cli("bond-graph", "screw_press").stdout
    result = cardan_cli("bond-graph", "screw_press", "--run", "press.nc", "--at", "0.5 s", "--expanded", "-o", "p.svg")
    assert result.exit_code == 0
    assert left_out not in result.stdout
    assert "-28.58 W  torque of turn.friction" in result.stdout
    assert "turn.friction" in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_a_graph_made_by_hand_is_drawn(cardan_cli, tmp_path):
    text = """
cardan: 1
graphs:
  circuit:
    elements:
      u: {type: Se, effort: 24 V}
      loop: 1 electrical
      L: {type: I, inertia: 2 mH}
      R: {type: R, resistance: 0.5 ohm}
    bonds: [u -> loop, loop -> L, loop -> R]
"""
    (tmp_path / "circuit.yaml").write_text(text)
    assert cardan_cli("bond-graph", "circuit.yaml", "--graph", "circuit", "-o", "circuit.svg").exit_code == 0
    assert "I : L" in (tmp_path / "circuit.svg").read_text(encoding="utf-8")
    refused = cardan_cli("bond-graph", "circuit.yaml", "--graph", "loop")
    assert refused.exit_code == 2
    assert "there is no graph 'loop'" in refused.output
