"""Loops that cannot be, as a user meets them: each ends with the name of what is wrong and what to change."""

import pytest

FOUR_BAR = """\
cardan: 1
name: four-bar
{plane}
gravity: [0, -9.81, 0]
bodies:
  frame: {{markers: {{D: {{position: [2, 0, 0]}}}}}}
  crank: {{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], markers: {{tip: {{position: [1, 0, 0]}}}}}}
  rod: {{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], markers: {{tip: {{position: [{rod}, 0, 0]}}}}}}
  rocker: {{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], markers: {{tip: {{position: [1.5, 0, 0]}}}}}}
joints:
  mount: {{type: fixed, parent: ground, child: frame}}
  A: {{type: revolute, parent: ground, child: crank, axis: z}}
  B: {{type: revolute, parent: crank.tip, child: rod, axis: z}}
  C: {{{closing}, parent: rod.tip, child: rocker.tip}}
  D: {{type: revolute, parent: frame.D, child: rocker, axis: z}}
initial: {initial}
constraints: {constraints}
"""
GOOD = {
    "plane": "planar: xy",
    "rod": 2,
    "closing": "type: revolute, axis: z",
    "initial": "{A: 0.7}",
    "constraints": "{}",
}
SPATIAL = {"plane": "# in space"}


def equations(**rows):
    """Constraints of the user's own, by name."""
    kinds = {"x": "expression", "v": "velocity"}
    listed = [f'{name}: {{type: expression, {kinds[name[0]]}: "{row}"}}' for name, row in rows.items()]
    return {"constraints": f"{{{', '.join(listed)}}}", "initial": "{}"}


WRONG = {
    "a rod too long": (
        {"rod": 9},
        ["'C' does not close the loop of mount, A, B, D", "a gap of", " m is left", "check the lengths"],
    ),
    "a slanted hinge": (
        {**SPATIAL, "closing": "type: revolute, axis: [0, 0.3, 1]"},
        ["'C' does not close", "rad is left (moment about", "the axis of 'C' is 16.7 deg off those of D, A and B"],
    ),
    "a hinge across the others": (
        {**SPATIAL, "closing": "type: revolute, axis: x"},
        ["'C' does not close", "rad is left", "the axis of 'C' is 90 deg off", "check it"],
    ),
    "a slanted hinge in the plane": (
        {"closing": "type: revolute, axis: [0, 0.3, 1]"},
        ["four_bar.yaml:14: joints.C: the axis does not stand at right angles to the plane xy", "leave planar out"],
    ),
    "parallel axes of a universal joint": (
        {**SPATIAL, "closing": "type: universal, axes: [z, z]"},
        ["four_bar.yaml:14: joints.C.axes: the two axes are 0° apart", "perpendicular", "axes: [x, y]"],
    ),
    "a line across the plane": (
        {"constraints": "{slot: {type: point_on_line, child: crank.tip, axis: z}}"},
        ["constraints.slot.axis: the line does not lie in the plane xy", "change axis, or leave planar out"],
    ),
    "positions that contradict each other": (
        equations(x1="A - 0.5", x2="A - 0.6"),
        ["'x2' does not hold", "against 'x1'", "contradict each other: leave one of them out"],
    ),
    "velocities that contradict each other": (
        equations(v1="A.v - 0.5", v2="A.v - 0.6"),
        ["no velocities satisfy 'v1', 'v2' together", "leave one of them out"],
    ),
    "motions in time that contradict each other": (
        equations(x1="A - 0.5*t", x2="A - 0.6*t"),
        ["no velocities satisfy 'x1', 'x2' together", "let them follow time alike"],
    ),
    "a curve without points": (
        {"constraints": '{cam: {type: point_on_curve, child: crank.tip, equations: ["x**2 + y**2 + 1"]}}'},
        ["'cam' does not hold", "check its numbers"],
    ),
    "a length out of reach": (
        {"constraints": "{tie: {type: distance, child: rod.tip, length: 50}}", "initial": "{}"},
        ["'tie' does not close", "misses the square of its length by", "m²"],
    ),
    "one held coordinate too many": (
        {"initial": "{A: 0.7, D: 1.0}"},
        ["the held coordinate 'D' over-determines the mechanism: D = 1 cannot be kept", "has 1.13567", "D: {guess: …}"],
    ),
    "two held coordinates too many": (
        {"initial": "{A: 0.7, B: 0.2, D: 1.0}"},
        ["the held coordinates A, B, D over-determine", "one is held per degree of freedom"],
    ),
    "a hinge slanted in the sixth digit": (
        {**SPATIAL, "closing": "type: revolute, axis: [0, 5e-6, 1]"},
        ["'C' does not close", "these gaps would stay so small", "set assemble: {tolerance: 1e-05}, or write"],
    ),
    "a coordinate of the joint that closes the loop": (
        equations(x1="A + C - 1"),
        ["four_bar.yaml:17: constraints.x1.expression: 'A + C - 1' names 'C'", "'C' closes a loop", "set cut: true on"],
    ),
    "a coupler of the joint that closes the loop": (
        {"constraints": "{gear: {type: coupler, terms: {A: 1, C: 2}}}"},
        ["constraints.gear.terms.C: there is no coordinate 'C'", "'C' closes a loop and has no coordinate"],
    ),
    "an equation without a value at the guess": (
        equations(x1="sqrt(A - 100)"),
        ["'x1' has no value at the guess A = 0, B = 0, D = 0", "its roots, logarithms and quotients exist"],
    ),
    "an equation of time alone": (
        equations(x1="sin(t)"),
        ["constraints.x1.expression: nothing that moves stands in the equation", "points of moving bodies"],
    ),
    "an equation that only jumps": (
        equations(x1="step(A - 1)"),
        ["constraints.x1.expression: the equation only jumps", "write the quantity that it judges"],
    ),
    "a distance that grows from its least": (
        {**equations(x1="hypot(rod.tip.x, rod.tip.y) - 1 - t"), "initial": "{A: {guess: 0.7}, B: {guess: -3}}"},
        ["no velocities satisfy 'x1' at t = 0: its derivatives vanish in this position", "start from another position"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_what_to_change(cardan_cli, name):
    changes, said = WRONG[name]
    with open("four_bar.yaml", "w", encoding="utf-8") as file:
        file.write(FOUR_BAR.format(**GOOD | changes))
    done = cardan_cli("simulate", "four_bar.yaml", "--until", "0.5")
    assert done.exit_code != 0
    text = " ".join(done.stderr.split())
    for words in said:
        assert words in text
    assert "Traceback" not in done.output


@pytest.mark.filterwarnings("always::cardan.errors.ModelWarning")
@pytest.mark.parametrize(
    ("expressions", "said"),
    [
        ({"x1": "A - 0.5"}, "the mechanism cannot move: its 3 velocities are fixed by C, x1; the run shows its loads"),
        ({"x1": "A - 0.5", "x2": "2*A - 1"}, "(4 equations, 1 more than velocities: some are redundant as well)"),
    ],
    ids=["no freedom left", "less than no freedom"],
)
def test_a_mechanism_without_freedom_runs_at_rest_and_says_so(cardan_cli, expressions, said):
    with open("four_bar.yaml", "w", encoding="utf-8") as file:
        file.write(FOUR_BAR.format(**GOOD | equations(**expressions)))
    done = cardan_cli("simulate", "four_bar.yaml", "--until", "0.5")
    assert done.exit_code == 0
    assert said in " ".join(done.stderr.split())


@pytest.mark.filterwarnings("always::cardan.errors.ModelWarning")
def test_velocities_that_cannot_start_together_are_told_with_those_of_the_start(cardan_cli):
    with open("four_bar.yaml", "w", encoding="utf-8") as file:
        file.write(FOUR_BAR.format(**GOOD | {"initial": "{A: 0.7, A.v: 1, D.v: 5}"}))
    text = " ".join(cardan_cli("simulate", "four_bar.yaml", "--until", "0.01").stderr.split())
    assert "starts with A.v = 2.33928 instead of 1, D.v = 0.734478 instead of 5; give one per degree of freedom" in text
