"""Markers of the ground, and places given where they are used: the same mechanism in three ways of writing."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from tests.selection import each

FOUR_BAR = """
cardan: 1
planar: xy
gravity: [0, -9.81, 0]
parameters: {span: 0.9 m}
bodies:
  {ground}
  crank: {{mass: 1, inertia: [0, 0.01, 0.01], markers: {{B: {{position: [0.3 m, 0, 0]}}}}}}
  coupler: {{mass: 2, inertia: [0, 0.1, 0.1], markers: {{C: {{position: [0.8 m, 0, 0], rpy: [0, 0, 0.2]}}}}}}
  rocker: {{mass: 1, inertia: [0, 0.05, 0.05], markers: {{C: {{position: [0.6 m, 0, 0]}}}}}}
joints:
  {joint}
  A: {{type: revolute, parent: ground, child: crank, axis: z}}
  B: {{type: revolute, parent: crank.B, child: coupler, axis: z}}
  C: {{type: revolute, parent: {C}, child: rocker.C, axis: z}}
  D: {{type: revolute, parent: {D}, child: rocker, axis: z}}
forces:
  spring: {{type: spring_damper, parent: {D}, child: crank.B, stiffness: 40, rest_length: 0.5}}
constraints: {{}}
initial: {{A: 60 deg, B: {{guess: -40 deg}}, D: {{guess: 110 deg}}}}
""".replace("parameters: {span: 0.9 m}", "parameters: {{span: 0.9 m}}")
POST = "{markers: {D: {position: [span, 0, 0]}}}"
FRAME = {
    "ground": f"frame: {POST}",
    "joint": "frame: {type: fixed, parent: ground, child: frame}",
    "C": "coupler.C",
    "D": "frame.D",
}
MARKER = {"ground": f"ground: {POST}", "joint": "", "C": "coupler.C", "D": "ground.D"}
INLINE = {
    "ground": "",
    "joint": "",
    "C": "{body: coupler, position: [0.8 m, 0, 0], rpy: [0, 0, 0.2]}",
    "D": "{body: ground, position: [span, 0, 0]}",
}


def linkage(**changes):
    return loads(FOUR_BAR.format(**changes))


@each("way", [MARKER, INLINE])
def test_a_point_of_the_ground_needs_no_body(way):
    """Motion, reactions and the force of a spring are those of a frame that a fixed joint holds."""
    expected, found = (cardan.simulate(linkage(**each), times=[0, 0.2, 0.4]) for each in (FRAME, way))
    for name in ("A.q", "C.reaction_force", "C.reaction_force.parent", "D.reaction_force", "spring.force"):
        # the same laws with one body more: integration tolerances are 1e-8, forces up to 100 N
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-5)
    assert found.ok


def test_the_parameter_in_a_place_stays_a_parameter():
    wide = cardan.assemble(linkage(**INLINE), parameters={"span": "1 m"})
    np.testing.assert_allclose(wide.positions["rocker"], [1, 0, 0], atol=1e-12)


@each("way", [MARKER, INLINE])
def test_round_trip_verification_and_drawing(way):
    model = linkage(**way)
    assert loads(dump(model)) == model
    assert cardan.verify(model, states=1).ok
    assert cardan.draw(model).svg.startswith("<svg")


def test_a_marker_of_the_ground_has_a_position_and_is_no_body():
    model = linkage(**MARKER)
    assert list(model.bodies) == ["crank", "coupler", "rocker"]
    np.testing.assert_allclose(cardan.assemble(model).positions["ground.D"], [0.9, 0, 0])
    seen = loads(dump(model) + "outputs: {away: ground.D.x - crank.B.x}\n")
    run = cardan.simulate(seen, times=[0, 0.1])
    assert float(run["away"][0]) == pytest.approx(0.9 - 0.3 * np.cos(np.pi / 3), abs=1e-12)


def test_a_line_and_a_rod_between_places_given_on_the_spot():
    """A bead on a line through (0, 0.1), and a rod that holds it 0.5 m away from the origin."""
    bead = cardan.Model(
        planar="xy",
        bodies={"bead": {"mass": 1, "inertia": [0, 0, 1]}},
        joints={"moves": {"type": "planar", "parent": "ground", "child": "bead"}},
        constraints={
            "line": {
                "type": "point_on_line",
                "parent": {"body": "ground", "position": [0, 0.1, 0], "rpy": [0, 0, "90 deg"]},
                "child": "bead",
                "axis": [0, 1, 0],
            },
            "rod": {
                "type": "distance",
                "child": {"body": "bead", "position": [0, 0, 0]},
                "parent": {"body": "ground"},
                "length": 0.5,
            },
        },
        initial={"moves.x": {"guess": 0.4}},
    )
    assert cardan.assemble(bead).q["moves.x"] == pytest.approx(np.sqrt(0.25 - 0.01), abs=1e-10)


@each(
    "changes, line, key, fault, cure",
    [
        ({"D": "{body: grund}"}, 16, "joints.D.parent.body", "there is no body 'grund'", "did you mean 'ground'?"),
        ({"D": "{body: crank.B}"}, 16, "joints.D.parent.body", "there is no body 'crank.B'", "did you mean 'crank'?"),
        ({"D": "ground.E"}, 16, "joints.D.parent", "the ground has no marker 'E'", "ground.D"),
        ({"D": "{position: [1, 0, 0]}"}, 16, "joints.D.parent", "the key 'body' is missing", "add it"),
        ({"D": "{body: ground, quaternion: [0, 0, 0, 0]}"}, 16, "joints.D.parent.quaternion", "length 0", "[1, 0, 0"),
        (
            {"D": "{body: ground, axis_angle: {axis: [0, 0, 1e200], angle: 1}}"},
            16,
            "joints.D.parent.axis_angle.axis",
            "components of 1e+200",
            "about length 1",
        ),
        ({"D": "{body: ground, position: [1 kg, 0, 0]}"}, 16, "joints.D.parent.position[0]", "is a mass", "a length"),
        ({"D": "{body: ground, marker: D}"}, 16, "joints.D.parent.marker", "unknown key", "known: "),
        ({"D": "5"}, 16, "joints.D.parent", "5 is not a place", "body.marker"),
        ({"D": "{body: rocker}"}, 16, "joints.D.child", "connects 'rocker' with itself", "another body"),
        (
            {"ground": "ground: {mass: 1 kg}"},
            7,
            "bodies.ground.mass",
            "the ground has no mass",
            "markers and shapes only",
        ),
        ({"ground": "ground: {markers: {x: {}}}"}, 7, "bodies.ground.markers.x", "'x' is reserved", "another name"),
        ({"ground": "ground: {markers: {D: {rpy: 3}}}"}, 7, "bodies.ground.markers.D.rpy", "is not a list", "a list"),
        ({"ground": "ground: 3"}, 7, "bodies.ground", "3 is not a table of keys", "write {"),
    ],
)
def test_wrong_places_are_refused(changes, line, key, fault, cure):
    with pytest.raises(ModelError) as error:
        linkage(**(MARKER | changes))
    issue = error.value.issues[0]
    assert (issue.line, issue.key) == (line, key)
    assert fault in issue.fault
    assert cure in issue.cure


def test_the_ground_stands_among_the_bodies_of_a_file():
    with pytest.raises(ModelError, match=r"unknown key 'ground'\n +write it in bodies: \{ground: …\}"):
        loads(FOUR_BAR.format(**INLINE) + "ground: {markers: {E: {}}}\n")


@each(
    "key, cure",
    [
        ("position: [1, 0, 0]", "write it in parent: {body: …, position: …}"),
        ("coefficient: 0.3", "write it in friction: {coefficient: …}"),
        ("lower: 0", "write it in limits: {lower: …}"),
        ("mass: 1", "known: "),
    ],
)
def test_a_key_of_a_table_of_a_joint_is_sent_there(key, cure):
    with pytest.raises(ModelError) as error:
        loads(f"""
cardan: 1
name: a door
bodies: {{leaf: {{mass: 1}}}}
joints: {{hinge: {{type: revolute, parent: ground, child: leaf, axis: z, {key}}}}}
""")
    assert error.value.issues[0].key == f"joints.hinge.{key.partition(':')[0]}"
    assert cure in error.value.issues[0].cure
