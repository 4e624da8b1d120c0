"""Drives, paths and controllers that cannot be are refused where the user wrote them."""

import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import loads
from tests.selection import each

ARM = """cardan: 1
bodies: {arm: {mass: 1 kg, com: [0.3, 0, 0]}}
joints: {hinge: {type: revolute, parent: ground, child: arm, axis: y}, ball: {type: spherical, parent: arm, child: tip}}
"""
BODIES = "bodies: {arm: {mass: 1 kg, com: [0.3, 0, 0]}, tip: {mass: 1, inertia: [1, 1, 1]}}"
START = ARM.replace("bodies: {arm: {mass: 1 kg, com: [0.3, 0, 0]}}", BODIES)
MOTOR = "source: {type: dc, resistance: 1, constant: 0.1, inertia: 1e-4}"


def lossy(keys, front="{inertia: 1}"):
    """A drive whose gear has these keys beside its ratio."""
    return f"drives: {{d: {{train: [{front}, {{gear: {{ratio: 2, {keys}}}}}, {{inertia: 1, name: b}}]}}}}"


@each(
    "text, said",
    [
        ("drives: 3", "drives: '?3'? is not a table"),
        ("drives: {d: 3}", "3 is not a drive"),
        ("drives: {d: {joint: hing}}", "there is no joint 'hing'"),
        ("drives: {d: {joint: ball}}", "'ball' has not one motion"),
        ("drives: {d: {train: {gear: 2}}}", "the train is not a list"),
        ("drives: {d: {train: [2]}}", "drives.d.train.0.: 2 is not an element of a train"),
        ("drives: {d: {train: [{name: a}]}}", "has a name alone"),
        ("drives: {d: {train: [{gera: 2}]}}", "no element 'gera'.*\n.*gear"),
        ("drives: {d: {train: [{gear: 0}]}}", "drives.d.train.0..gear: a gear ratio of 0"),
        (lossy("efficiency: 1.2"), "train.1..gear.efficiency: an efficiency of 1.2 is not possible"),
        (lossy("efficiency: 0"), "train.1..gear.efficiency: an efficiency of 0 is not possible"),
        (lossy("reverse_efficiency: 1.1"), "gear.reverse_efficiency: a reverse efficiency of 1.1 is not possible"),
        (lossy("friction: {effort: 2 N}"), "train.1..gear.friction.effort: '2 N' is a force, but a torque is needed"),
        (
            "parameters: {eta: 1.5}\n" + lossy("efficiency: eta"),
            "an efficiency of 1.5 is not possible .*gear.efficiency",
        ),
        ("parameters: {eta: 1.5}\n" + lossy("reverse_efficiency: eta"), "a reverse efficiency of 1.5 is not possible"),
        (lossy("efficiency: 0.8}}, {gear: {ratio: 2, efficiency: 0.8"), "two gears with losses turn one part"),
        (lossy("efficiency: 0.8}}, {planetary: {teeth: [20, 40], to: x"), "'gear' stands beside a planetary gear"),
        (lossy("efficiency: 0.8", "{inertia: 1}, {clutch: {effort: 1}}"), "'gear' hangs on a clutch"),
        (lossy("efficiency: 0.8").replace("train:", "source: {type: speed, value: 3}, train:"), "has a given speed"),
        (
            "drives: {d: {joint: hinge, carrier: arm, axis: y, train: [{gear: {ratio: 2, efficiency: 0.8}}]}}",
            "'gear' rides on a body that may turn",
        ),
        (
            "drives: {d: {train: [{inertia: 1}, {branch: here}, {gear: {ratio: 2, efficiency: 0.8}},"
            " {inertia: 1, name: b}]}, e: {from: d.here, train: [{shaft: {stiffness: 3}}, {inertia: 3}]}}",
            "drives.e: trains join in front of the gear with losses 'gear'",
        ),
        ("drives: {d: {train: [{shaft: 3}]}}", "3 is not a table of keys"),
        ("drives: {d: {train: [{inertia: 1}, {shaft: {stiffness: 0}}]}}", "a shaft needs a stiffness"),
        ("drives: {d: {train: [{inertia: 2 kg}]}}", "'2 kg' is a mass, but a moment of inertia is needed"),
        ("drives: {d: {train: [{friction: 3}]}}", "3 is not a table of keys"),
        ("drives: {d: {train: [{friction: {coefficient: 0.1, radius: 0.1}}]}}", "a train has no normal load"),
        (
            "drives: {d: {train: [{brake: {effort: 2 N}}]}}",
            r"brake.effort: '2 N' is a force, but a torque is needed",
        ),
        (
            "drives: {d: {train: [{inertia: 1}, {brake: {effort: 2*open}}]}}",
            r"drives.d: '.2.open.' names 'open', which is nothing in this model .*joints.d_rotor.friction.effort",
        ),
        (
            "drives: {d: {train: [{inertia: 1}, {brake: {effort: 20*step(t - 1), static: 25}}]}}",
            "the static effort stays 25 while the sliding one follows the motion",
        ),
        ("drives: {d: {train: [{inertia: 1}, {shaft: {stiffness: 2}}]}}", "part number 2 of the train.*has no inertia"),
        ("drives: {d: {joint: hinge, train: [{shaft: {stiffness: 2}}]}}", "part number 1 of the train.*has no inertia"),
        (
            "drives: {d: {train: [{torque: 1, name: a}, {inertia: 2}, {torque: 3, name: a}]}}",
            "two elements are called 'a'",
        ),
        (
            "drives: {d: {train: [{branch: y}, {inertia: 1}]}, e: {from: d.x}}",
            "from: .*has no place 'x'.*write one of d.y",
        ),
        ("drives: {d: {train: [{inertia: 1}]}, e: {to: d.x}}", "e.to: .*has no place 'x'.*add {branch: name}"),
        ("drives: {d: {train: [{inertia: 1}]}, e: {to: f.x}}", "e.to: there is no drive 'f'"),
        (
            "drives: {d: {from: e.x, train: [{branch: x}]}, e: {to: d.x, train: [{branch: x}]}}",
            "'d', 'e' begin or end in",
        ),
        (f"drives: {{d: {{train: [{{branch: y}}]}}, e: {{from: d.y, {MOTOR}}}}}", "has a source of its own"),
        ("drives: {d: {train: [{branch: y}]}, e: {to: d.y, joint: hinge}}", "at a joint or in another train"),
        ("drives: {d: {linear: true, train: [{inertia: 1}]}}", r"train\[0\]: inertia in a linear train"),
        ("drives: {d: {train: [{mass: 1}]}}", "mass in a turning train.*write linear: true"),
        (f"drives: {{d: {{linear: true, {MOTOR}}}}}", "a linear train has a source of type dc"),
        ("drives: {d: {train: [{planetary: {teeth: [40, 20]}}]}}", "the sun has 40 teeth, the ring 20"),
        ("drives: {d: {train: [{planetary: {teeth: [20, 40.5]}}]}}", r"teeth\[1\]: a wheel with 40.5 teeth"),
        ("drives: {d: {train: [{planetary: {teeth: [20, 40], ways: [sun, sun]}}]}}", "both ways at one shaft"),
        ("drives: {d: {train: [{inertia: 1}, {clutch: {one_way: false}}]}}", "nothing acts in the clutch"),
        (
            "drives: {d: {train: [{inertia: 1}, {clutch: {one_way: true}}, {inertia: 1, name: b}]}}\n"
            "initial: {b.v: -1}",
            "initial.b.v: 'b' starts backwards, at a speed of -1",
        ),
        (
            "drives: {d: {train: [{inertia: 1}, {friction: {effort: 1}},"
            " {friction: {type: stribeck, effort: 1, static: 2, speed: 1}, name: g}]}}",
            "one is not plain Coulomb friction",
        ),
        ("drives: {d: {source: {type: ac}}}", "there is no source type 'ac'"),
        ("drives: {d: {joint: hinge, source: {type: dc, resistance: 1}}}", "constant of the motor is missing"),
        (
            f"drives: {{d: {{joint: hinge, carrier: tip, {MOTOR}, train: [{{shaft: {{stiffness: 2}}}}]}}}}",
            "axis of the rotors on 'tip'",
        ),
        (f"drives: {{hinge: {{joint: hinge, {MOTOR}}}}}", "drives.hinge.*a joint has the name 'hinge' too"),
        (
            f"motors: {{}}\ndrives: {{d: {{joint: hinge, {MOTOR}}}, e: {{train: [{{inertia: x}}]}}}}",
            "drives.e: .*'x', which is nothing",
        ),
        ("drives: {d: {train: [{inertia: 1, name: arm}]}}", "it brings 'arm', which stands in bodies already"),
        ("paths: {go: 3}", "3 is not a path"),
        ("paths: {go: {from: {hinge: 0}, to: {hing: 1}, duration: 1}}", "has no begin or no end"),
        ("paths: {go: {from: {}, to: {}, duration: 1}}", "the path moves nothing"),
        ("paths: {go: {from: {hinge: 0}, to: {hinge: 1}}}", "nothing decides how long"),
        ("paths: {go: {from: {hinge: 0}, to: {hinge: 1}, duration: 1, max_speed: 1}}", "a duration or limits"),
        (
            "paths: {go: {from: {hinge: 0}, to: {hinge: 1}, max_speed: {x: 1}, max_acceleration: 1}}",
            "paths.go.max_speed: 'hinge' has no limit",
        ),
        ("controllers: {c: {type: pi, error: 1}}", "a pi controller has ki, or an integral time"),
        ("controllers: {c: {type: p, error: 1, kp: 1, limits: [1, 2, 3]}}", "a lower and an upper one, not 3"),
        (
            "controllers: {c: {type: p, error: 1, kp: 1, computing_delay: 1}}",
            "a continuous controller has no computing",
        ),
        ("controllers: {c: {type: p, error: 1, kp: 1, quantum: 1}}", "does not quantise"),
        ("controllers: {c: {type: p, error: 1, kp: 1, noise: 1}}", "controllers.c.noise: a continuous.*with noise"),
        ("controllers: {c: {type: p, error: 1, kp: [1, 2]}}", r"controllers.c.kp: \[1, 2\] is not a number"),
        ("controllers: {c: {type: p, error: 1, kp: 1, every: 0}}", "controllers.c.every: 0 is out of range"),
        ("controllers: {c: {type: p, error: 1, kp: 1, slew: 0}}", "controllers.c.slew: 0 is out of range"),
        ("controllers: {c: {type: p, error: c, kp: 1}}", "controllers.c: the definition is circular: c → c.error → c"),
        (
            "controllers: {c: {type: p, error: 1, kp: 1, limits: [2, 1]}}",
            "c.limits: the lower limit 2 is above the upper",
        ),
        ("controllers: {c: {type: p, error: 1, kp: 1, seed: 1}}", "c.seed: a seed without noise"),
        ("controllers: {c: {type: pi, error: 1, kp: 1, time: 0}}", "c.time: 0 is out of range"),
        ("controllers: {c: {type: pid, error: 1, ki: 1, kd: 1}}", "c.filter: the lag of the derivative is"),
        ("controllers: {c: {type: state_feedback, gains: {}}}", "c.gains: the feedback has no gains"),
        ("controllers: {c: {type: gravity_compensation, joints: []}}", "c: the controller acts on no joint"),
        ("controllers: {c: {type: gravity_compensation, joints: [hinge, x]}}", "names 'x', which is nothing in"),
        ("controllers: {c: {type: gravity_compensation, joints: [arm.x]}}", "'arm.x' is no motion of the mechanism"),
        ("controllers: {c: {type: gravity_compensation, joints: [hinge], drive: d}}", "a result for each joint"),
        (
            "controllers: {c: {type: gravity_compensation, joints: [hinge]}}\nmotions: {hinge: t}",
            "controllers.c: its equations are those of an open chain.*the model has motions",
        ),
        ("controllers: {c: {type: computed_torque}}", "a path, or have given accelerations"),
        ("controllers: {c: {type: computed_torque, follow: go, kp: 1}}", "controllers.c.follow: there is no path 'go'"),
        (
            "paths: {go: {from: {hinge: 0}, to: {hinge: 1}, duration: 1}}\ninitial: {at: [go, false]}",
            "initial.at: there is no path 'False'.*known: go",
        ),
        ("controllers: {c: {type: computed_torque, accelerations: {hinge: 1}, kp: 1}}", "gains belong to a path"),
        (
            "controllers: {c: {type: computed_torque, accelerations: {hinge: 1, ball.wx: 0, ball.wy: 0}}}",
            "'ball.wz' has no acceleration",
        ),
        (
            "controllers: {c: {type: computed_torque, accelerations: {hinge: c.hinge}}}",
            "circular: c.hinge → c.hinge.acceleration → c.hinge",
        ),
        (
            "controllers: {c: {type: computed_torque, accelerations: {hinge: hinge.a}}}",
            "'hinge.a', which is not possible",
        ),
        (
            "paths: {go: {from: {hinge: 0}, to: {hinge: 1}, duration: 1}}\n"
            "controllers: {c: {type: computed_torque, follow: go, kp: {x: 1}}}",
            "controllers.c.kp: 'hinge' has no gain, or no place on the path",
        ),
        ("controllers: {c: {type: delay, input: t, time: 1}}", "dead time of a continuous signal"),
        ("controllers: {c: {type: p, error: y, kp: 1}}", "controllers.c: .*'y', which is nothing in this model"),
        ("controllers: {c: {type: cascade, drive: d, follow: go.x, speed: {ki: 1}}}", "there is no drive 'd'"),
        (
            f"drives: {{d: {{joint: hinge, {MOTOR}}}}}\n"
            "controllers: {c: {type: cascade, drive: d, follow: go.x, speed: {ki: 1}}}",
            "does not move 'x'",
        ),
        (
            "drives: {d: {joint: hinge, source: {type: torque, value: c}}}\n"
            "paths: {go: {from: {hinge: 0}, to: {hinge: 1}, duration: 1}}\n"
            "controllers: {c: {type: cascade, drive: d, follow: go.hinge, speed: {ki: 1}, current: {ki: 1}}}",
            "the source of the drive 'd' has no current",
        ),
        (
            "controllers: {c: {type: state_feedback, gains: {hinge: 1}, reference: {x: 1}}}",
            "'x' has a reference and no gain",
        ),
        ("controllers: {c: {type: transfer_function, input: 1, numerator: [1, 2], denominator: [1]}}", "higher power"),
        (
            "controllers: {c: {type: transfer_function, input: 1, numerator: [1], denominator: [0, 1]}}",
            "coefficient is zero",
        ),
        ("controllers: {c: {type: hysteresis, input: t, low: 1, high: 0}}", "low is not below high"),
        ("controllers: {c: {type: hysteresis, input: t, low: 0, high: 1, every: 1}}", "a relay is continuous"),
        (
            "controllers: {c: {type: state_space, inputs: [t], A: [[1, 2]], B: [[1]], C: [[1]]}}",
            "A has 1 rows of 2.*\n.*write 1 rows of 1",
        ),
        (
            "controllers: {c: {type: state_space, inputs: [t], A: [[1]], B: [[1]], C: [[1], [2]]}}",
            "the result is one number",
        ),
        (
            "controllers: {c: {type: state_space, inputs: [t], A: [[1]], B: [[1]], C: [[1]], gain: [[1]]}}",
            "one measured value for each row of C",
        ),
        (
            "controllers: {c: {type: state_space, inputs: [t], A: [[1]], B: [[1]], C: [[1]], feedback: [1]}}",
            "an observer has a feedback of 1 numbers",
        ),
        ("thermal: {a: {}}", "a node has a capacity, or a temperature"),
        ("thermal: {a: {capacity: 1, to: {b: 1}}}", "no thermal node 'b'"),
        (
            "drives: {d: {joint: hinge, source: {type: dc, resistance: 1, constant: 0.1, heat: w}}}\nthermal: {v: 20}",
            "no thermal node 'w'",
        ),
        (
            "drives: {d: {joint: hinge, source: {type: dc, resistance: 1, constant: 0.1,"
            " resistance_coefficient: 0.004}}}",
            "numbers follow a temperature, and none is named",
        ),
        ("initial: {equilibrium: true, hinge.a: 0}", "a start at rest beside other conditions"),
    ],
)
def test_what_cannot_be_is_refused_in_its_place(text, said):
    with pytest.raises(ModelError, match=f"(?s){said}"):
        cardan.simulate(loads(START + text), 0.1)


def test_a_start_that_nothing_can_hold_is_refused():
    with pytest.raises(ModelError, match=r"no start at rest is found: the rate of .hinge.v"):
        cardan.simulate(loads(START + "initial: {hinge: 10 deg, equilibrium: true}"), 0.1)


def test_short_forms_are_written_out_and_read_again(tmp_path):
    model = cardan.load("manutec_r3")
    assert not model.drives
    cardan.save(model, tmp_path / "model.yaml")
    assert cardan.load(tmp_path / "model.yaml") == model


def test_matrices_have_motors_with_constant_numbers():
    text = "motors: {d: {type: dc, joint: hinge, resistance: 1 + t, torque_constant: 1, back_emf_constant: 1}}"
    with pytest.raises(ModelError, match="a number of the motor follows 't'"):
        cardan.equations(loads(START + text), motors="simplified")


def test_a_controller_that_measures_a_current_needs_its_motor():
    with pytest.raises(
        ModelError,
        match=r"(?s)a1.current_integral.rate: 'a1.current' is the current of a motor, and.*a controller that measures",
    ):
        cardan.simulate(cardan.load("manutec_r3"), 0.1, motors="none")
