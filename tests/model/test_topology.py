"""Spanning trees: shortest paths to the ground, ties by file order, cuts by choice."""

from pathlib import Path

import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import loads
from cardan.model.joints import Joint
from cardan.model.joints.revolute import Revolute
from cardan.model.topology import how_to_free, loop, spanning_tree
from tests.selection import each


def joints(*edges: str, cut: tuple[str, ...] = ()) -> dict[str, Joint]:
    """Joints "parent-child" under names of their own."""
    out = {}
    for edge in edges:
        parent, child = edge.split("-")
        out[edge] = Revolute(parent=parent, child=child, axis=[0, 0, 1], cut=edge in cut)
    return out


def tree(edges, bodies, **options):
    return spanning_tree(joints(*edges, **options), dict.fromkeys(bodies))


def test_a_loop_is_cut_where_its_paths_to_the_ground_are_longest():
    """Four-bar: both ends stand on the ground, so the coupler's far joint closes it."""
    found = tree(["ground-crank", "crank-coupler", "coupler-rocker", "ground-rocker"], ["crank", "coupler", "rocker"])
    assert found.cut == ("coupler-rocker",)
    assert found.carrying == ("ground-crank", "ground-rocker", "crank-coupler")


def test_the_loop_of_a_cut_joint_has_the_joints_that_carry_it():
    """A mast carries a four-bar; its own joint is not part of the loop, nor is that of a flag on the rocker."""
    edges = ["ground-mast", "mast-crank", "crank-coupler", "coupler-rocker", "mast-rocker", "rocker-flag"]
    graph, bodies = joints(*edges), dict.fromkeys(["mast", "crank", "coupler", "rocker", "flag"])
    assert spanning_tree(graph, bodies).cut == ("coupler-rocker",)
    assert loop("coupler-rocker", graph, bodies) == ("mast-crank", "crank-coupler", "mast-rocker")


FOUR_BAR = ["ground-crank", "crank-coupler", "coupler-rocker", "ground-rocker"]


def with_coordinates(*names: str, cut: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Cut joints of a four-bar of which some joints have end stops or a damper."""
    graph = joints(*FOUR_BAR, cut=cut)
    for k, name in enumerate(names):
        graph[name] = graph[name].replace(**({"damping": 2} if k else {"limits": {"upper": 1}}))
    return spanning_tree(graph, dict.fromkeys(["crank", "coupler", "rocker"])).cut


def test_a_joint_that_needs_its_coordinate_is_not_cut():
    """The loop is cut at the joint without such keys that is farthest from the ground."""
    assert with_coordinates("coupler-rocker") == ("crank-coupler",)
    assert with_coordinates("coupler-rocker", "crank-coupler") == ("ground-rocker",)
    assert with_coordinates("coupler-rocker", "crank-coupler", "ground-rocker") == ("ground-crank",)
    assert with_coordinates(*FOUR_BAR) == ("coupler-rocker",)  # one of them has to be
    assert with_coordinates("crank-coupler", cut=("crank-coupler",)) == ("crank-coupler",)


def test_in_two_loops_each_keeps_the_joint_that_needs_its_coordinate():
    """Two couplers side by side, whose far pins both have end stops."""
    edges = [*FOUR_BAR, "crank-second", "second-rocker"]
    graph = joints(*edges)
    for name in ("coupler-rocker", "second-rocker"):
        graph[name] = graph[name].replace(limits={"upper": 1})
    found = spanning_tree(graph, dict.fromkeys(["crank", "coupler", "rocker", "second"]))
    assert found.cut == ("crank-coupler", "crank-second")


@each("cut", ["ground-crank", "crank-coupler", "coupler-rocker", "ground-rocker"])
def test_a_chosen_cut_decides(cut):
    edges = ["ground-crank", "crank-coupler", "coupler-rocker", "ground-rocker"]
    found = tree(edges, ["crank", "coupler", "rocker"], cut=(cut,))
    assert found.cut == (cut,)
    assert set(found.carrying) == set(edges) - {cut}


def test_a_joint_may_be_crossed_from_child_to_parent():
    found = tree(["b-a", "ground-a"], "ab")
    assert found.carrying == ("ground-a", "b-a")


def test_bodies_that_no_chain_reaches_are_lost():
    found = tree(["ground-a", "b-c"], "abc")
    assert found.lost == ("b", "c")
    assert found.cut == ("b-c",)
    assert tree(["ground-a", "a-b"], "ab", cut=("a-b",)).lost == ("b",)


def test_a_wrong_end_of_a_joint_gets_one_message():
    """Which joints have coordinates is not known then: values of other sections are right, and are not blamed."""
    text = (Path(cardan.__file__).parent / "gallery" / "digging_machine.yaml").read_text("utf-8")
    faulty = text.replace("parent: arm.elbow", "parent: arms.elbow")
    assert faulty != text
    with pytest.raises(ModelError) as error:
        loads(faulty)
    (issue,) = error.value.issues
    assert (issue.key, issue.fault) == ("joints.phi2.parent", "there is no body 'arms'")


def test_the_cure_of_a_joint_that_closes_a_loop_names_joints_that_may_be_cut():
    """Four-bar whose coupler is damped on both sides; following the cure gives the cut joint its coordinate."""
    four = joints("ground-crank", "crank-coupler", "coupler-rocker", "ground-rocker")
    damped = {name: joint.replace(damping=1) if "coupler" in name else joint for name, joint in four.items()}
    bodies = dict.fromkeys(["crank", "coupler", "rocker"])
    assert spanning_tree(damped, bodies).cut == ("ground-rocker",)
    assert how_to_free("ground-rocker", damped, bodies) == "set cut: true on ground-crank"
    cured = damped | {"ground-crank": damped["ground-crank"].replace(cut=True)}
    assert "ground-rocker" in spanning_tree(cured, bodies).carrying
    assert how_to_free("ground-crank", cured, bodies).startswith("leave cut: true out")
    everywhere = {name: joint.replace(damping=1) for name, joint in four.items()}
    cure = how_to_free(spanning_tree(everywhere, bodies).cut[0], everywhere, bodies)
    assert "write the spring or damper of that joint under forces" in cure
