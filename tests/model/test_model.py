"""Models: what cannot be is refused with place, fault and cure; what probably is not meant is warned of."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.formats import load
from cardan.model import Body, Guess, Model, SimulateOptions, Table, resolve
from cardan.model.checks.values import value_issues
from cardan.model.joints.revolute import Revolute
from cardan.model.motors.dc import Dc
from tests.selection import each

MOTOR = {"type": "dc", "joint": "swing", "resistance": 1, "torque_constant": "K", "back_emf_constant": "K"}
ROD = {"type": "distance", "child": "tool", "length": "L"}


def data(**changes):
    """An arm of two links with a motor, as a file would have it, with some keys changed."""
    base = {
        "parameters": {"m": "2 kg", "L": "0.5 m", "K": 0.1, "k": "5 N*m"},
        "bodies": {
            "arm": {"mass": "m", "com": ["L/2", 0, 0], "markers": {"tip": {"position": ["L", 0, 0]}}},
            "tool": {"mass": 1, "inertia": [1, 1, 1]},
        },
        "joints": {
            "swing": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"},
            "slide": {"type": "prismatic", "parent": "arm.tip", "child": "tool", "axis": "x"},
        },
        "motors": {"drive": dict(MOTOR)},
        "inputs": {"drive": "10 V"},
    }
    return copy.deepcopy(base) | changes


def joint(**changes):
    joints = data()["joints"]
    joints["slide"] |= changes
    return joints


def loop(**changes):
    """The arm with its tool on a hinge of the ground as well: the slide, with some keys changed, closes the loop."""
    return {**joint(**changes), "second": {"type": "revolute", "parent": "ground", "child": "tool", "axis": "z"}}


def issues(**changes):
    with pytest.raises(ModelError) as error:
        Model(**data(**changes))
    return error.value.issues


def test_the_model_that_the_other_tests_break_is_right():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model(**data())


def test_records_and_plain_data_make_equal_models():
    plain = Model(**data(initial={"swing": {"guess": 1}}, simulate={"until": "5 s"}))
    records = Model(
        **data(
            joints={
                "swing": Revolute(parent="ground", child="arm", axis=[0, 0, 1]),
                "slide": data()["joints"]["slide"],
            },
            motors={"drive": Dc(**{key: value for key, value in MOTOR.items() if key != "type"})},
            bodies={"arm": Body(**data()["bodies"]["arm"]), "tool": data()["bodies"]["tool"]},
            initial={"swing": Guess(guess=1)},
            simulate=SimulateOptions(until="5 s"),
        )
    )
    assert plain == records
    assert hash(plain) == hash(records)
    assert pickle.loads(pickle.dumps(plain)) == plain


def test_the_order_of_joints_is_part_of_a_model():
    joints = data()["joints"]
    assert Model(**data()) != Model(**data(joints=dict(reversed(joints.items()))))


REFERENCES = [
    ({"bodies": {}}, "bodies", "the model has no bodies", "add bodies"),
    ({"motions": {"swin": "t"}}, "motions.swin", "there is no coordinate or place 'swin'", "did you mean 'swing'"),
    ({"joints": joint(child="tol")}, "joints.slide.child", "there is no body 'tol'", "did you mean 'tool'?"),
    (
        {"joints": joint(parent="arm.end")},
        "joints.slide.parent",
        "'arm' has no marker 'end'",
        "known: arm.com, arm.tip",
    ),
    ({"joints": joint(parent="arm.tp")}, "joints.slide.parent", "'arm' has no marker 'tp'", "did you mean 'arm.tip'?"),
    ({"joints": joint(parent="tool")}, "joints.slide.child", "the joint connects 'tool' with itself", "another body"),
    ({"joints": joint(parent="tool", child="ground")}, "joints.slide.child", "cannot be the ground", "exchange"),
    ({"motors": {"swing": MOTOR}}, "motors.swing", "a joint has the name 'swing' too", "rename"),
    (
        {"motors": {"drive": MOTOR | {"joint": "sing"}}},
        "motors.drive.joint",
        "no joint 'sing'",
        "did you mean 'swing'?",
    ),
    ({"motors": {"drive": MOTOR | {"joint": "swing.x"}}}, "motors.drive.joint", "not one motion", "write swing"),
    ({"motors": {"drive": MOTOR | {"mounted_on": "am"}}}, "motors.drive.mounted_on", "no body 'am'", "'arm'"),
    ({"inputs": {"drve": 1}}, "inputs.drve", "there is no motor 'drve'", "did you mean 'drive'?"),
    ({"motors": {}, "inputs": {"swng": 1}}, "inputs.swng", "takes the input 'swng'", "did you mean 'swing'?"),
    (
        {"initial": {"sving": 1}},
        "initial.sving",
        "no coordinate, velocity, current or state 'sving'",
        "did you mean 'swing'?",
    ),
    ({"initial": {"swing.v": {"guess": 1}}}, "initial.swing.v", "only coordinates are guessed", "plain value"),
    ({"initial": {"swing": 1, "swing.q": 2}}, "initial.swing.q", "are the same coordinate", "keep one"),
    (
        {"forces": {"f": {"type": "force", "child": "arm.top", "value": [1, 0, 0]}}},
        "forces.f.child",
        "the body 'arm' has no marker 'top'",
        "did you mean 'arm.tip'?",
    ),
    (
        {"forces": {"s": {"type": "spring_damper", "parent": "arm", "child": "arm"}}},
        "forces.s.child",
        "both ends are 'arm'",
        "another marker",
    ),
    (
        {"bodies": data()["bodies"] | {"arm": {"markers": {"tip": {}, "x": {}}}}},
        "bodies.arm.markers.x",
        "reserved, because arm.x has a meaning",
        "another name",
    ),
    ({"parameters": {**data()["parameters"], "swing": 1}}, "parameters.swing", "a joint has the name", "rename"),
    ({"parameters": {**data()["parameters"], "tool": 1}}, "parameters.tool", "a body has the name", "rename"),
    ({"outputs": {"swing": "2*m"}}, "outputs.swing", "a joint has the name", "rename"),
    ({"outputs": {"tool": "2*m"}}, "outputs.tool", "a body has the name", "rename"),
    ({"outputs": {"drive": "2*m"}}, "outputs.drive", "a motor has the name", "rename"),
]

TREE = [
    (
        {"bodies": {**data()["bodies"], "load": {}}},
        "bodies.load",
        "the body 'load' has no joint",
        "{type: free, parent: ground, child: load}",
    ),
    (
        {
            "bodies": {**data()["bodies"], "a": {}, "b": {}},
            "joints": {**data()["joints"], "j": {"type": "fixed", "parent": "a", "child": "b"}},
        },
        "bodies.a",
        "no chain of joints leads from the ground to 'a'",
        "parent: ground",
    ),
    ({"joints": joint(cut=True)}, "bodies.tool", "no chain of joints leads from the ground to 'tool'", "cut: true"),
]

LOOPS = [
    ({"joints": loop()}, None, None, None),
    (
        {"joints": loop(stiffness=1, cut=True)},
        "joints.slide.stiffness",
        "no coordinate for its stiffness",
        "leave cut: true out",
    ),
    (
        {"joints": loop(damping=1, cut=True)},
        "joints.slide.damping",
        "no coordinate for its damping",
        "leave cut: true out",
    ),
    ({"joints": loop(rest=1, cut=True)}, "joints.slide.rest", "no coordinate for its rest", "leave cut: true out"),
    (
        {"joints": {name: one | {"damping": 1} for name, one in loop().items()}},
        "joints.slide.damping",
        "no coordinate for its damping",
        "write the spring or damper of that joint under forces",
    ),
    (
        {"joints": loop(effort_limit=1, cut=True)},
        "joints.slide.effort_limit",
        "for its effort_limit",
        "leave cut: true out",
    ),
    (
        {"joints": loop(), "motors": {"drive": MOTOR | {"joint": "slide"}}},
        "motors.drive.joint",
        "the joint 'slide' closes a loop, so no motor can drive it",
        "set cut: true on swing or second",
    ),
    (
        {"joints": loop(), "initial": {"slide": 1}},
        "initial.slide",
        "no coordinate, velocity, current or state 'slide'",
        "has no coordinate; name joints that carry its loop (swing, second), or set cut: true on swing or second",
    ),
    (
        {"joints": loop(), "inputs": {"slide": "1 N"}},
        "inputs.slide",
        "there is no motor 'slide'",
        "closes a loop and has no coordinate",
    ),
]

CONSTRAINTS = [
    ({"constraints": {"rod": ROD}}, None, None, None),
    ({"constraints": {"rod": {}}}, "constraints.rod", "the constraint has no type", "add one of: distance"),
    ({"constraints": {"swing": ROD}}, "constraints.swing", "a joint has the name 'swing' too", "rename"),
    (
        {"constraints": {"rod": ROD}, "forces": {"rod": {"type": "force", "child": "tool", "value": [1, 0, 0]}}},
        "constraints.rod",
        "a force has the name 'rod' too",
        "rename",
    ),
    ({"constraints": {"rod": ROD | {"child": "tol"}}}, "constraints.rod.child", "there is no body 'tol'", "'tool'"),
    (
        {"constraints": {"rod": ROD | {"parent": "tool"}}},
        "constraints.rod.child",
        "the constraint connects 'tool' with itself",
        "another body",
    ),
    (
        {"constraints": {"rod": ROD | {"length": "L - 0.5"}}},
        "constraints.rod.length",
        "the length of the rod is 0",
        "greater than 0",
    ),
    ({"constraints": {"rod": ROD | {"length": "2t"}}}, "constraints.rod.length", "a mass, but", 'the time is "2*t"'),
    ({"constraints": {"rod": ROD | {"length": "m"}}}, "constraints.rod.length", "a mass, but a length", '"25 mm"'),
    (
        {"constraints": {"gear": {"type": "coupler", "terms": {"swing": 1, "slid": 2}}}},
        "constraints.gear.terms.slid",
        "there is no coordinate 'slid'",
        "did you mean 'slide'?",
    ),
    (
        {"joints": loop(), "constraints": {"gear": {"type": "coupler", "terms": {"swing": 1, "slide": 2}}}},
        "constraints.gear.terms.slide",
        "there is no coordinate 'slide'",
        "closes a loop and has no coordinate",
    ),
    (
        {"constraints": {"line": {"type": "point_on_line", "child": "tool", "axis": ["L - 0.5", 0, 0]}}},
        "constraints.line.axis",
        "the direction has length 0",
        "non-zero vector",
    ),
    (
        {"constraints": {"cam": {"type": "point_on_curve", "child": "tool", "equations": ["x - swing"]}}},
        "constraints.cam.equations[0]",
        "'x - swing' names 'swing'",
        "may depend on x, y, z, t and on parameters only",
    ),
    (
        {"constraints": {"own": {"type": "expression"}}},
        "constraints.own",
        "give either expression or velocity",
        "keep the one that vanishes",
    ),
    (
        {"constraints": {"own": {"type": "expression", "expression": "tool.x", "velocity": "tool.vx"}}},
        "constraints.own",
        "give either expression or velocity",
        "keep the one that vanishes",
    ),
    (
        {"constraints": {"own": {"type": "expression", "velocity": "tool.vy - swng.v"}}},
        "constraints.own.velocity",
        "names 'swng.v', which is nothing in this model",
        "did you mean 'swing.v'?",
    ),
    ({"coordinates": {"theta": "swing", "s": "slide"}}, None, None, None),
    ({"coordinates": {"theta": "swng"}}, "coordinates.theta", "'swng' is nothing", "'swing'"),
]

EXPRESSIONS = [
    ({"parameters": {**data()["parameters"], "a": "L + m"}}, "parameters.a", "'+' joins a length and a mass", "same"),
    ({"parameters": {**data()["parameters"], "a": "b"}}, "parameters.a", "the name 'b' is not defined", "known"),
    ({"parameters": {**data()["parameters"], "a": "a"}}, "parameters.a", "circular: a → a", "value of its own"),
    ({"gravity": [0, 0, "G"]}, "gravity[2]", "'G' is nothing in this model", "known"),
    ({"gravity": [0, 0, "L"]}, "gravity[2]", "'L' is a length, but an acceleration is needed", '"9.81 m/s^2"'),
    ({"joints": joint(stiffness="swing*3")}, "joints.slide.stiffness", "'swing*3' names 'swing'", "only parameters"),
    ({"joints": joint(stiffness="k")}, "joints.slide.stiffness", "'k' is a torque, but a stiffness", '"100 N/m"'),
    ({"joints": joint(damping="2 N*m*s")}, "joints.slide.damping", "torsional damping, but a damping", '"2 N*s/m"'),
    ({"joints": joint(rest="2 deg")}, "joints.slide.rest", "without unit, but a length", '"25 mm"'),
    ({"joints": joint(effort_limit=["2 N"])}, "joints.slide.effort_limit", "is not a number", "quantity"),
    ({"joints": joint(effort_limit="2 N*m")}, "joints.slide.effort_limit", "a torque, but a force", '"10 N"'),
    ({"joints": joint(damping=[1, 2])}, "joints.slide.damping", "2 entries for 1 motion", "write 1 entries"),
    (
        {"inputs": {"drive": "10*drive"}},
        "inputs.drive",
        "'10*drive' names 'drive', which is an input",
        "what that input is",
    ),
    ({"inputs": {"drive": "10*T"}}, "inputs.drive", "'10*T' names 'T', which is nothing", "'t'"),
    ({"inputs": {"drive": "10 A"}}, "inputs.drive", "is a current, but a value in V is needed", '"1 V"'),
    ({"inputs": {"drive": {"table": [[0, "1 A"]]}}}, "inputs.drive.table[0][1]", "a current, but a value in V", "1 V"),
    ({"inputs": {"slide": "10 N", "swing": "1 N*m"}}, None, None, None),
    ({"inputs": {"slide": "10 V"}}, "inputs.slide", "is a voltage, but a value in N is needed", '"1 N"'),
    ({"inputs": {"swing": "10 N"}}, "inputs.swing", "is a force, but a value in N*m is needed", '"1 N*m"'),
    ({"initial": {"swing": "3 mm"}}, "initial.swing", "is a length, but a value in rad", "write a value in rad"),
    ({"initial": {"slide": {"guess": "3 s"}}}, "initial.slide.guess", "is a time, but a value in m", "1 m"),
    ({"initial": {"swing": "t"}}, "initial.swing", "'t' is not possible here", "only parameters"),
    ({"outputs": {"x": "2*N"}}, "outputs.x", "'2*N' names 'N', which is nothing", 'write it after the number: "2 N"'),
    ({"outputs": {"x": "arm.tip.q"}}, "outputs.x", "'arm.tip.q' is nothing in this model", "arm.tip."),
    ({"motors": {"drive": MOTOR | {"ratio": "10/L"}}}, None, None, None),
    ({"motors": {"drive": MOTOR | {"ratio": "1/L*L*L"}}}, None, None, None),
    ({"motors": {"drive": MOTOR | {"ratio": "L"}}}, "motors.drive.ratio", "a length, but a gear ratio", '"10"'),
    (
        {"motors": {"drive": MOTOR | {"joint": "slide", "ratio": "L"}}},
        "motors.drive.ratio",
        "a length, but a gear ratio of a linear joint",
        '"400 rad/m"',
    ),
]

VALUES = [
    ({"parameters": {**data()["parameters"], "m": "-2 kg"}}, "bodies.arm.mass", "m = -2 is out of range", "zero or"),
    (
        {"parameters": {**data()["parameters"], "a": "1/(m - 2)"}},
        "parameters.a",
        "the value of 'a' (1/(m - 2)) is",
        "finite",
    ),
    (
        {"gravity": [0, 0, "g0/(K - 0.1)"], "parameters": {**data()["parameters"], "g0": 1}},
        "gravity[2]",
        "is inf",
        "finite",
    ),
    ({"joints": joint(axis=["L - 0.5", 0, 0])}, "joints.slide.axis", "the direction has length 0", "non-zero vector"),
    ({"joints": joint(axis=[0, "1e300", 1e300])}, "joints.slide.axis", "components of 1e+300", "about length 1"),
    ({"joints": joint(axis=[0, 1e-320, 0])}, "joints.slide.axis", "components of", "about length 1"),
    (
        {"joints": joint(parent={"body": "arm", "position": ["1e77 m", "-1e200*L", 0]})},
        "joints.slide.parent.position[1]",
        "is out of range: a length is at most 1.2e+77 in SI units",
        "25 mm",
    ),
    ({"joints": joint(effort_limit=0)}, "joints.slide.effort_limit", "effort_limit is 0", "positive"),
    ({"simulate": {"until": "0 s"}}, "simulate.until", "until is 0", "has to be positive"),
    ({"simulate": {"until": -1}}, "simulate.until", "until is -1", "has to be positive"),
]


@each("changes, key, fault, cure", [*REFERENCES, *TREE, *LOOPS, *CONSTRAINTS, *EXPRESSIONS, *VALUES])
def test_what_cannot_be_is_refused(changes, key, fault, cure):
    if key is None:
        assert Model(**data(**changes))
        return
    (issue,) = [issue for issue in issues(**changes) if issue.key == key]
    assert fault in issue.fault
    assert cure in f"{issue.fault} {issue.cure}"


def test_faults_of_one_stage_are_reported_together():
    found = issues(inputs={"x": 1}, initial={"y": 1}, parameters={"m": "mm", "L": 1, "K": 1, "k": 1})
    assert [issue.key for issue in found] == ["inputs.x", "initial.y", "parameters.m"]


@each(
    "marker, key, fault",
    [
        ({"quaternion": [0, 0, 0, "K - 0.1"]}, "quaternion", "the quaternion has length 0"),
        ({"axis_angle": {"axis": [0, "K - 0.1", 0], "angle": 1}}, "axis_angle.axis", "length 0"),
        ({"rotation": [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]}, "rotation", "not orthonormal: R Rᵀ differs from 1 by 0.1"),
        ({"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "rotation", "is a reflection"),
    ],
)
def test_orientations_that_are_none_are_refused(marker, key, fault):
    bodies = data()["bodies"] | {"arm": {"markers": {"tip": marker}}}
    (issue,) = issues(bodies=bodies)
    assert issue.key == f"bodies.arm.markers.tip.{key}"
    assert fault in issue.fault
    assert issue.cure


def test_axes_of_a_universal_joint_are_perpendicular():
    joints = data()["joints"] | {
        "slide": {"type": "universal", "parent": "arm", "child": "tool", "axes": ["x", [1, 1, 0]]}
    }
    (issue,) = issues(joints=joints)
    assert issue.key == "joints.slide.axes"
    assert "45° apart" in issue.fault
    assert "axes: [x, y]" in issue.cure


@each(
    "kind, key, value, fault, cure",
    [
        ("fixed", "damping", 1, "does not move and has no damping", "leave it out"),
        ("spherical", "stiffness", 1, "a joint with a quaternion has no stiffness", "torsion_spring"),
        (
            "planar",
            "damping",
            "2 N*s/m",
            "'2 N*s/m' cannot hold for shifts and turns alike",
            "list of 3 entries, first x",
        ),
        ("planar", "stiffness", [1, 1, "1 N/m"], "'1 N/m' is a stiffness, but a torsional stiffness", "10 N*m/rad"),
        ("planar", "stiffness", ["1 N*m", 1, 1], "'1 N*m' is a torque, but a stiffness", "100 N/m"),
    ],
)
def test_springs_and_dampers_fit_the_motions_of_their_joint(kind, key, value, fault, cure):
    joints = data()["joints"] | {"slide": {"type": kind, "parent": "arm", "child": "tool", key: value}}
    (issue,) = issues(joints=joints)
    assert issue.key.startswith(f"joints.slide.{key}")
    assert fault in issue.fault
    assert cure in issue.cure


def test_a_motor_of_a_joint_with_several_motions_names_one():
    joints = data()["joints"] | {"slide": {"type": "cylindrical", "parent": "arm", "child": "tool", "axis": "x"}}
    (issue,) = issues(joints=joints, motors={"drive": MOTOR | {"joint": "slide"}})
    assert issue.cure == "write one of slide.d, slide.r"
    Model(**data(joints=joints, motors={"drive": MOTOR | {"joint": "slide.r"}}))
    (issue,) = issues(
        joints=joints | {"slide": {"type": "fixed", "parent": "arm", "child": "tool"}},
        motors={"drive": MOTOR | {"joint": "slide"}},
    )
    assert "does not move" in issue.fault


def test_a_joint_may_be_declared_from_the_tip_to_the_ground():
    joints = {
        "slide": {"type": "prismatic", "parent": "tool", "child": "arm.tip", "axis": "x"},
        "swing": {"type": "revolute", "parent": "ground", "child": "tool", "axis": "z"},
    }
    assert list(Model(**data(joints=joints)).joints) == ["slide", "swing"]


def test_everything_that_an_expression_may_name():
    forces = {
        "f": {
            "type": "force",
            "child": "arm.tip",
            "value": ["-k/L*sin(swing) - 3*swing.v", "arm.tip.vx*2 + tool.com.position.x*K", "0.1*drive.current*t"],
        }
    }
    outputs = {"w": "tool.wz", "q": "slide.q", "c": "drive.current", "when": "if(t > 1, swing, 0)"}
    assert Model(**data(forces=forces, outputs=outputs)).outputs["w"].names == {"tool.wz"}


def test_a_model_file_of_another_version_is_refused():
    (issue,) = issues(cardan=2)
    assert issue.key == "cardan"
    assert issue.cure == "write cardan: 1"


def test_tables_are_signals():
    model = Model(**data(inputs={"drive": {"table": [[0, "1 V"], [1, 2]], "interpolation": "step"}}))
    assert isinstance(model.inputs["drive"], Table)
    (issue,) = issues(inputs={"drive": [[0, 1]]})
    assert issue.cure == "write {table: [[t, value], …]}"


def test_a_negative_principal_moment_is_refused():
    bodies = data()["bodies"] | {"tool": {"mass": 1, "inertia": [1, 1, 1, 2, 0, 0]}}
    (issue,) = issues(bodies=bodies)
    assert issue.key == "bodies.tool.inertia"
    assert "negative principal moment, -1 kg*m^2" in issue.fault


def test_an_inertia_that_no_body_has_is_warned_of():
    bodies = data()["bodies"] | {"tool": {"mass": 1, "inertia": [1, 1, 2.1]}}
    with pytest.warns(
        ModelWarning, match=r"bodies.tool.inertia: no body has the principal moments of inertia 1, 1, 2.1"
    ):
        Model(**data(bodies=bodies))


def test_in_a_plane_the_moment_about_its_normal_is_enough():
    hinge = {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"}
    rod = {"mass": 1, "inertia": [0, 0, 0.1]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model(planar="xy", bodies={"rod": rod}, joints={"hinge": hinge})


@each("Km, Ke, does", [(1, 0.1, "creates"), (0.1, 1, "destroys")])
def test_a_motor_that_creates_or_destroys_power_is_warned_of(Km, Ke, does):
    motor = MOTOR | {"torque_constant": Km, "back_emf_constant": Ke}
    with pytest.warns(ModelWarning, match=f"motors.drive: the motor {does} power") as caught:
        Model(**data(motors={"drive": motor}))
    assert caught[0].filename == __file__  # not a line of Cardan
    assert "add accept: [motor_power] to the model" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model(**data(motors={"drive": motor}), accept=["motor_power"])
    with pytest.warns(ModelWarning, match="the motor"):
        Model(**data(motors={"drive": motor}), accept=["inertia"])  # another doubt
    with pytest.raises(ModelError, match="write 'given_power', 'inertia', 'motor_power' or 'stiffness'"):
        Model(**data(), accept=["power"])


def test_sweeps_are_checked_at_their_extremes():
    model = Model(**data())
    good = resolve(model.parameters, {"m": np.linspace(0, 3, 50)})
    assert value_issues(model, good) == []
    bad = resolve(model.parameters, {"m": np.linspace(-1, 3, 50)})
    (issue,) = value_issues(model, bad)
    assert issue.fault.startswith("m = -1 is out of range")


TURNED = {"rpy": ["90 deg", 0, 0]}  # its z is -y of the body, its y is z


@each(
    "plane, slide, fault",
    [
        ("xy", {}, ""),
        ("xy", {"type": "fixed"}, ""),
        ("xy", {"type": "planar"}, ""),
        ("xy", {"type": "revolute", "axis": [0, 0, -3]}, ""),
        ("xy", {"type": "revolute", "parent": "arm.turned", "axis": "y"}, ""),
        ("xy", {"type": "prismatic", "parent": "tool", "child": "arm.turned", "axis": "x"}, ""),
        ("xy", {"type": "planar", "parent": "arm.turned"}, "the joint does not move in the plane xy"),
        ("xy", {"type": "revolute", "axis": "x"}, "the axis does not stand at right angles to the plane xy"),
        ("xy", {"type": "prismatic", "axis": [1, 0, 0.1]}, "the axis does not lie in the plane xy"),
        ("xy", {"type": "prismatic", "parent": "arm.turned", "axis": "y"}, "the axis does not lie in the plane xy"),
        ("xy", {"type": "spherical"}, "a joint of type spherical leaves the plane xy"),
        ("xz", {"type": "fixed"}, "the axis does not stand at right angles to the plane xz"),
        ("yz", {"type": "fixed"}, "the axis does not stand at right angles to the plane yz"),
    ],
)
def test_joints_of_a_planar_model_stay_in_the_plane(plane, slide, fault):
    arm = data()["bodies"]["arm"]
    bodies = data()["bodies"] | {"arm": arm | {"markers": {"tip": {}, "turned": TURNED}}}
    kept = {} if slide.get("type") in ("fixed", "planar", "spherical") else {"axis": "x"}
    joints = {
        "slide": {"type": "prismatic", "parent": "arm", "child": "tool", **kept} | slide,
        "swing": data()["joints"]["swing"],
    }
    changes = data(bodies=bodies, joints=joints, planar=plane)
    if not fault:
        assert Model(**changes).planar == plane
        return
    with pytest.raises(ModelError) as error:
        Model(**changes)
    (issue,) = error.value.issues
    assert issue.fault == fault
    assert "leave planar out" in issue.cure


def test_a_terminal_shows_a_model_in_three_lines():
    robot = load("planar_3rrr")
    assert repr(robot).splitlines() == [
        "Model planar 3-RRR manipulator (planar: xy)",
        "  5 bodies, 5 joints, 3 constraints, 3 motors; gravity: [0, 0, 0]",
        "  6 coordinates: crank1, crank2, crank3, platform.x, …; 22 parameters: L0, L1, l1, l2, …",
    ]
    assert str(robot) == repr(robot)
    weld = {"type": "fixed", "parent": "ground", "child": "plate"}
    assert repr(Model(bodies={"plate": {}}, joints={"weld": weld, "again": weld})).splitlines() == [
        "Model without a name",
        "  1 body, 2 joints, 1 loop; gravity: [0, 0, -9.81]",
        "  no coordinates; no parameters",
    ]


def turned(*joints, **bodies):
    """A model whose body `plate` has a moment about its z axis alone, with joints (name, type, parent, child, …)."""
    return cardan.Model(bodies={"plate": {"mass": 1, "inertia": [0, 0, 1]}, **bodies}, joints=dict(joints))


def test_a_moment_about_one_axis_is_enough_where_the_body_turns_about_it_alone(recwarn):
    lift = ("lift", {"type": "prismatic", "parent": "ground", "child": "slide", "axis": "x"})
    turn = ("turn", {"type": "revolute", "parent": "slide", "child": "plate", "axis": "-z"})
    turned(lift, turn, slide={"mass": 1})
    lying = {"body": "ground", "rpy": ["90 deg", 0, 0]}
    turned(("a", {"type": "cylindrical", "parent": lying, "child": {"body": "plate"}, "axis": "z"}))
    assert not recwarn


def test_a_moment_about_one_axis_is_doubted_where_the_body_turns_otherwise():
    tip = ("tip", {"type": "revolute", "parent": "ground", "child": "slide", "axis": "x"})
    turn = ("turn", {"type": "revolute", "parent": "slide", "child": "plate", "axis": "z"})
    with pytest.warns(ModelWarning, match=r"bodies\.plate\.inertia: no body has the principal moments"):
        turned(tip, turn, slide={"mass": 1})
    with pytest.warns(ModelWarning, match="no body has the principal moments"):
        turned(("ball", {"type": "spherical", "parent": "ground", "child": "plate"}))


def test_a_copy_with_changes_is_checked_as_a_new_record_is():
    model = cardan.load("overhead_crane")
    copy = model.model_copy(update={"name": "crane", "parameters": {**model.parameters, "mp": "1.2 kg"}})
    assert copy == model.replace(name="crane", parameters={**model.parameters, "mp": "1.2 kg"})
    assert model.model_copy() == model
    with pytest.raises(ModelError, match="unknown key 'nam'"):
        model.model_copy(update={"nam": "crane"})
