"""Names for parts of expressions: the same as written out, evaluated once, refused where they cannot be."""

import json

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.kinematics.build import build
from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.loads import load_wrench
from cardan.kinematics.motion import motion
from cardan.model.likely import multiplier_units
from cardan.model.quantities.lets import needed
from tests.selection import each

LETS = {"pull": "k*stretch", "stretch": "hypot(bob.x, bob.z) - L", "late": "t - 0.25"}
WRITTEN_OUT = {
    "stretch": "(hypot(bob.x, bob.z) - L)",
    "pull": "(k*(hypot(bob.x, bob.z) - L))",
    "late": "(t - 0.25)",
}
MODEL = """
cardan: 1
planar: xz
parameters: {{k: 200 N/m, L: 0.5 m, s: 0.3, volt: 1 V, back: 1 V/N}}
bodies: {{bob: {{mass: 1 kg, inertia: [0, 1, 0]}}, cart: {{mass: 2 kg}}}}
joints:
  bob: {{type: planar, parent: {{body: ground, rpy: [90 deg, 0, 0]}}, child: bob}}
  cart: {{type: prismatic, parent: ground, child: cart, axis: x}}
motors:
  drive: {{type: dc, joint: cart, resistance: 1, inductance: 1 mH, torque_constant: 1, back_emf_constant: 1}}
forces:
  spring: {{type: force, child: bob, value: ["-{pull}*bob.x/hypot(bob.x, bob.z)",
           0, "-{pull}*bob.z/hypot(bob.x, bob.z)"]}}
constraints:
  follow: {{type: expression, expression: "bob.rz - s*{stretch}"}}
inputs: {{drive: "volt*step({late}) - back*{pull}"}}
states: {{e: "{stretch} - e"}}
initial: {{bob.y: -0.55, bob.x: 0.1, bob.rz: {{guess: 0}}}}
outputs: {{stretch: "{stretch}", power: "{pull}*bob.vx"}}
{let}
"""


def model(names, let=""):
    return loads(MODEL.format(**names, let=let))


NAMED = model({name: name for name in LETS}, "let: " + json.dumps(LETS))
ARM = {
    "bodies": {"arm": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}},
    "joints": {"swing": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"}},
}
DC = {"type": "dc", "joint": "swing", "resistance": 1, "inductance": 1, "torque_constant": 1, "back_emf_constant": 1}


def test_names_are_what_they_stand_for():
    """In a constraint, a force, an input with a jump, a state and outputs: runs agree to round-off."""
    times = np.linspace(0, 0.5, 6)
    found, expected = (cardan.simulate(each, times=times) for each in (NAMED, model(WRITTEN_OUT)))
    assert found.ok
    for name in ("bob.x.q", "cart.q", "drive.current", "e", "stretch", "power", "follow.force"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-12)


def test_a_run_steps_to_a_jump_behind_a_name():
    jumps = "5*step(late)"
    named = cardan.Model(**ARM, motors={"drive": DC}, let={"late": "early - 0.2", "early": "t - 0.11"})
    run, expected = (
        cardan.simulate(named, until=0.5, inputs={"drive": text}) for text in (jumps, "5*step(t - 0.11 - 0.2)")
    )
    np.testing.assert_array_equal(run["drive.current"], expected["drive.current"])


def test_round_trip():
    assert loads(dump(NAMED)) == NAMED
    assert list(NAMED.let) == list(LETS)


def test_each_name_is_evaluated_once():
    """A force and a constraint use one root; the divisors of the force, which are not named, are two more."""
    assert {key: roots(each) for key, each in (("named", NAMED), ("written out", model(WRITTEN_OUT)))} == {
        "named": 3,
        "written out": 5,
    }


def roots(mechanism):
    """Number of roots in the graph of a force and a constraint."""
    tree = build(mechanism)
    q, v, t, z = (ca.SX.sym(name, size) for name, size in (("q", tree.nq), ("v", tree.nv), ("t", 1), ("z", 2)))
    state = motion(tree, q, v, t=t, z=z)
    force, (row,) = load_wrench(tree, state, tree.loads[0]).f, constraint_rows(tree, state)
    function = ca.Function("f", [q, v, t, z, tree.p], [ca.SX(force), ca.SX(row.expression)])
    return sum(function.instruction_id(k) == ca.OP_HYPOT for k in range(function.n_instructions()))


def test_a_long_chain_of_names_is_evaluated_without_recursion():
    lets = {"n0": "swing"} | {f"n{k}": f"n{k - 1} + n{k - 1}" for k in range(1, 2000)}
    assert needed(["n1999"], cardan.Model(**ARM, let=lets).let)[-1] == "n1999"
    short = cardan.Model(**ARM, let={name: lets[name] for name in list(lets)[:41]}, outputs={"far": "n40"})
    run = cardan.simulate(short, times=[0, 0.1], initial={"swing": 1e-12})
    assert float(run["far"][0]) == pytest.approx(2**40 * 1e-12)


def test_units_go_through_names():
    assert cardan.simulate(NAMED, times=[0, 0.01])["stretch"].attrs["units"] == "m"
    couple = {"c": {"type": "expression", "expression": "far - a"}}
    slide = {"type": "prismatic", "parent": "ground", "child": "arm", "axis": "x"}
    sliding = cardan.Model(
        bodies=ARM["bodies"],
        joints={"x": slide},
        parameters={"a": "1 m"},
        let={"far": "2*x"},
        constraints=couple,
        initial={"x": {"guess": 1}},
    )
    assert multiplier_units(sliding)("c", 0) == "N"


def test_the_document_says_what_names_in_rates_stand_for():
    text = cardan.equations(NAMED).render("text")
    assert "rate stretch - e with stretch = hypot(bob.x, bob.z) - L" in " ".join(text.split())


@each(
    "changes, key, fault, cure",
    [
        ({"let": {"a": "b + 1", "b": "2*c", "c": "a"}}, "let.a", "circular: a → b → c → a", "without the others"),
        ({"let": {"a": "a"}}, "let.a", "circular: a → a", "without the others"),
        ({"let": {"a": "swnig"}}, "let.a", "'swnig' is nothing", "did you mean 'swing'?"),
        ({"let": {"a": "arm.acceleration.x"}}, "let.a", "'arm.acceleration.x' is not possible here", "in outputs only"),
        ({"let": {"swing": 1}}, "let.swing", "a joint has the name 'swing' too", "rename"),
        ({"let": {"p": 1}, "parameters": {"p": 2}}, "let.p", "a parameter has the name 'p' too", "rename"),
        ({"let": {"sin": 1}}, "let.sin", "the name 'sin' is reserved", "another name"),
        ({"let": {"a": "t"}, "parameters": {"p": "a"}}, "parameters.p", "'a' is not defined", ""),
        (
            {"let": {"a": "b/2", "b": "m"}, "parameters": {"m": "2 kg", "V": "1 V"}, "inputs": {"drive": "V + b"}}
            | {"motors": {"drive": DC}},
            "inputs.drive",
            "'+' joins a voltage and a mass",
            "of the same kind",
        ),
        (
            {"let": {"a": "t"}, "simulate": {"until": "a"}},
            "simulate.until",
            "'a' is not possible here",
            "only parameters can stand here",
        ),
        (
            {
                "let": {"a": "swing - e", "b": "a"},
                "states": {"e": 1},
                "constraints": {"c": {"type": "expression", "expression": "b"}},
            },
            "constraints.c.expression",
            "'b' names 'e', a state, through 'b'",
            "coordinates, points",
        ),
    ],
)
def test_names_that_cannot_be(changes, key, fault, cure):
    with pytest.raises(ModelError) as error:
        cardan.Model(**(ARM | changes))
    issue = error.value.issues[0]
    assert issue.key == key
    assert fault in issue.fault
    assert cure in issue.cure


def test_a_current_behind_a_name_needs_motors_and_closes_no_loop():
    driven = cardan.Model(**ARM, motors={"drive": DC}, let={"i": "drive.current"}, inputs={"drive": "1 - i"})
    assert cardan.simulate(driven, until=0.1).ok
    with pytest.raises(ModelError, match="an algebraic loop"):
        cardan.simulate(driven, until=0.1, motors="simplified")
    felt = driven.replace(inputs={}, states={"e": "i"})
    with pytest.raises(ModelError, match="motors are off"):
        cardan.simulate(felt, until=0.1, motors="none")
