"""Merge keys, and templates with parts: the model that one would write out, and errors with line and part."""

import json
import re
from typing import Literal, get_args, get_origin

import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.formats.templates import FOREIGN, KEYED, WORDS
from cardan.formats.yaml import dump, loads
from cardan.formats.yaml_text import MAX_SIZE
from cardan.formats.yaml_tree import read_tree
from cardan.model import Body
from cardan.model.constraints import CONSTRAINTS
from cardan.model.controllers import CONTROLLERS
from cardan.model.drives.elements import ELEMENTS
from cardan.model.drives.sources import SOURCES
from cardan.model.events import Action, UserEvent
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS
from cardan.model.motions import LAWS
from cardan.model.motors import MOTORS
from cardan.model.records.section import Section
from cardan.model.shapes import SHAPES
from cardan.model.short_forms.paths import PathRecord
from cardan.model.short_forms.thermal import ThermalNode
from cardan.model.signal import Table
from tests.selection import each

HEAD = """
cardan: 1
parameters: {R: 0.4 m, m: 2 kg}
bodies: {platform: {mass: m, inertia: [1, 1, 1]}}
joints: {fly: {type: free, parent: ground, child: platform}}
"""
LEG = """
templates:
  leg:
    parameters: {phi: , length: 0.3 m, m: 0.5 kg, x: 0.1}
    bodies:
      upper: {mass: m, com: [length/2, 0, 0], markers: {knee: {position: [length, 0, 0]}}}
      lower: {mass: 2*m/R, com: [20 m, 0, x], shapes: [{type: mesh, file: upper.stl, color: m}]}
    joints:
      hip: {type: revolute, parent: {body: platform, position: [R*cos(phi), R*sin(phi), 0]}, child: upper, axis: x}
      knee: {type: revolute, parent: upper.knee, child: lower, axis: [x, 0, 1e3*x], stiffness: 2 N*m/rad}
    motors:
      drive: {type: dc, joint: hip, resistance: 1, inductance: 1, torque_constant: 1, back_emf_constant: 1}
    forces: {m: {type: force, child: lower.com, value: [upper.knee.x*x, "if(e > 1, drive.current, platform.x)", 0]}}
    constraints:
      gear: {type: coupler, terms: {hip: 1, knee: x}}
      cam: {type: point_on_curve, parent: upper, child: platform, equations: ["x - m*z + length"]}
    let: {far: lower.x - platform.x}
    states: {e: far - e}
    inputs: {drive: 2*far}
    initial: {hip: {guess: phi/10}, hip.v: x}
    outputs: {foot: far}
parts:
  leg1: {template: leg, phi: 0}
  leg2: {template: leg, phi: 120 deg, length: R, m: m/4, x: 0.2}
"""


def issues(text):
    with pytest.raises(ModelError) as error:
        loads(text)
    return error.value.issues


def test_parts_are_what_one_would_write_out():
    """Own names become the part's, in references, expressions and keys; quantities, words and outer names stay."""
    model = loads(HEAD + LEG)
    assert list(model.bodies) == ["platform", "leg1_upper", "leg1_lower", "leg2_upper", "leg2_lower"]
    assert {name: scalar.source for name, scalar in model.parameters.items()} == {
        **{"R": "0.4 m", "m": "2 kg"},
        **{"leg1_phi": 0, "leg1_length": "0.3 m", "leg1_m": "0.5 kg", "leg1_x": 0.1},
        **{"leg2_phi": "120 deg", "leg2_length": "R", "leg2_m": "m/4", "leg2_x": 0.2},  # given: outer names
    }
    body, knee, hip = model.bodies["leg2_lower"], model.joints["leg2_knee"], model.joints["leg2_hip"]
    assert (str(body.mass), [str(x) for x in body.com]) == ("2*leg2_m/R", ["20 m", "0", "leg2_x"])
    assert (body.shapes[0].file, body.shapes[0].color) == ("upper.stl", "m")
    assert (knee.parent, knee.child, [str(x) for x in knee.axis]) == (
        "leg2_upper.knee",
        "leg2_lower",
        ["leg2_x", "0", "1e3*leg2_x"],
    )
    assert [str(x) for x in hip.parent.position] == ["R*cos(leg2_phi)", "R*sin(leg2_phi)", "0"]
    assert [x.value for x in hip.axis] == [1, 0, 0]
    assert model.motors["leg2_drive"].joint == "leg2_hip"
    force = model.forces["leg2_m"]
    assert (force.child, str(force.value[0])) == ("leg2_lower.com", "leg2_upper.knee.x*leg2_x")
    assert str(force.value[1]) == "if(leg2_e > 1, leg2_drive.current, platform.x)"
    assert {name: str(x) for name, x in model.constraints["leg2_gear"].terms.items()} == {
        "leg2_hip": "1",
        "leg2_knee": "leg2_x",
    }
    assert str(model.constraints["leg2_cam"].equations[0]) == "x - leg2_m*z + leg2_length"
    assert str(model.let["leg2_far"]) == "leg2_lower.x - platform.x"
    assert str(model.states["leg2_e"].rate) == "leg2_far - leg2_e"
    assert str(model.inputs["leg2_drive"]) == "2*leg2_far"
    assert [*model.initial] == ["leg1_hip", "leg1_hip.v", "leg2_hip", "leg2_hip.v"]
    assert str(model.outputs["leg2_foot"]) == "leg2_far"


def test_a_model_with_parts_is_written_out():
    model = loads(HEAD + LEG)
    assert "templates" not in dump(model)
    assert loads(dump(model)) == model


def test_a_part_has_parameters_and_results_of_its_own(tmp_path):
    path = tmp_path / "pendulums.yaml"
    path.write_text("""
cardan: 1
templates:
  pendulum:
    parameters: {L: 1 m}
    bodies: {bob: {mass: 1 kg, com: [0, 0, -L]}}
    joints: {hinge: {type: revolute, parent: ground, child: bob, axis: y}}
    initial: {hinge: 0.1}
parts: {left: {template: pendulum}, right: {template: pendulum, L: 25 cm}}
""")
    run = cardan.simulate(cardan.load(path), until=0.3, parameters={"left_L": 0.25})
    assert (run["left_hinge.q"] == run["right_hinge.q"]).all()


def driven_leg(_):
    """Sections of a leg with a drive, a path, controllers and a warm winding; all its own names begin with `_`."""
    return read_tree(f"""
bodies: {{{_}thigh: {{mass: 1 kg, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.01]}}}}
joints: {{{_}hip: {{type: revolute, parent: {{body: base, position: [0, {_}side, 0]}}, child: {_}thigh, axis: y}}}}
thermal: {{{_}winding: {{capacity: 20, to: {{air: 0.5, {_}iron: 2}}, heat: 0*{_}hip.v}}, {_}iron: {{capacity: 50}}}}
drives:
  {_}a:
    joint: {_}hip
    carrier: base
    source: {{type: dc, resistance: R, inductance: 2 mH, constant: 0.05, inertia: 1e-4, heat: {_}winding, at: 20,
              resistance_coefficient: 0.004}}
    train:
      - {{shaft: {{stiffness: {_}c, damping: 0.01}}, name: hip}}
      - {{gear: 5}}
      - {{inertia: 1e-4, name: {_}disc}}
      - {{shaft: {{stiffness: 400, damping: 0.1}}, name: b}}
      - {{gear: 4}}
paths: {{{_}go: {{from: {{{_}hip: 0}}, to: {{{_}hip: {_}high}}, max_speed: {{{_}hip: 2}}, max_acceleration: 20}}}}
controllers:
  {_}a: {{type: cascade, drive: {_}a, follow: {_}go.{_}hip, position: {{kp: {_}kp}}, speed: {{kp: 0.2, time: 50 ms}},
          every: 1 ms}}
  {_}watch: {{type: state_feedback, gains: {{{_}hip: 2, {_}a_rotor.v: 0.1}}, reference: {{{_}hip: {_}go.{_}hip}}}}
  {_}law: {{type: gravity_compensation, joints: [{_}hip]}}
let: {{{_}twist: {_}a.hip.twist + {_}a.b.twist + 0*{_}law.{_}hip + 0*{_}a.{_}disc.angle}}
outputs: {{{_}heat: {_}winding - air,
           {_}late: {_}go.{_}hip - {_}hip + 0*({_}go.end + {_}go_end) + {_}disc - 5*{_}a_rotor}}
events: {{{_}hot: {{when: {_}heat - 60, do: stop}}}}
""").data


def test_parts_have_drives_paths_controllers_and_thermal_nodes():
    """Two legs, as if their names had been written out by hand; both starts at paths and at rest are joined."""
    plain = {
        "parameters": {"R": "2 ohm"},
        "bodies": {"base": {"mass": 5, "inertia": [1, 1, 1]}},
        "joints": {"rail": {"type": "prismatic", "parent": "ground", "child": "base", "axis": "x"}},
        "thermal": {"air": 20},
    }
    own = {"side": 0.2, "kp": 30, "high": "40 deg", "c": 20}
    start = {"initial": {"at": "go", "equilibrium": True}}
    templates = {"leg": {"parameters": own, **driven_leg(""), **start}}
    parts = {"left": {"template": "leg"}, "right": {"template": "leg", "side": -0.2, "high": "R*20 deg/2"}}
    text = json.dumps({"cardan": 1, **plain, "templates": templates, "parts": parts})
    given = {f"left_{name}": x for name, x in own.items()} | {f"right_{name}": x for name, x in own.items()}
    by_hand = {**plain, "parameters": plain["parameters"] | given | {"right_side": -0.2, "right_high": "R*20 deg/2"}}
    for leg in (driven_leg("left_"), driven_leg("right_")):
        by_hand |= {section: {**by_hand.get(section, {}), **entries} for section, entries in leg.items()}
    model = loads(text)
    assert model == cardan.Model(**by_hand, initial={"at": ["left_go", "right_go"], "equilibrium": True})
    run = cardan.simulate(model, until=0.6)  # both have arrived: at 40 deg and at 20 deg
    assert run.ok
    assert run["left_hip.q"][-1] > 1.9 * run["right_hip.q"][-1] > 0


def test_places_of_a_train_belong_to_their_drive():
    """Names of branches and of planetary gears stay, and stand behind the name of the part's drive."""
    text = """
cardan: 1
drives:
  fan: {source: {type: torque, value: 1e-3*hip, inertia: 1e-3},
        train: [{branch: crank}, {planetary: {teeth: [20, 60], ways: [sun, ring], to: hip}},
                {inertia: hip, name: wheel}]}
  rim: {from: fan.hip, train: [{inertia: 1e-3}]}
  cap: {from: fan.crank, train: [{inertia: 1e-3}]}
  cam: {linear: true, train: [{mass: hip, name: rod, force: -rod.v}]}
outputs: {turned: fan_hip - wheel + fan.wheel.v}
"""
    data = read_tree(text).data
    own = {"parameters": {"hip": 2e-3, "sun": 1, "crank": 1}, **{key: data[key] for key in ("drives", "outputs")}}
    model = loads(json.dumps({"cardan": 1, "templates": {"fans": own}, "parts": {"my": {"template": "fans"}}}))
    by_hand = (
        re.sub(r"\b(fan|rim|cap|cam|rod|turned|fan_hip)\b", r"my_\1", text)
        .replace("1e-3*hip", "1e-3*my_hip")
        .replace("mass: hip", "mass: my_hip")
    )
    by_hand = by_hand.replace("inertia: hip", "inertia: my_hip").replace("name: wheel", "name: my_wheel")
    by_hand = by_hand.replace("- wheel", "- my_wheel").replace("my_fan.wheel.v", "my_fan.my_wheel.v")
    assert model == loads(f"{by_hand}parameters: {{my_hip: 2e-3, my_sun: 1, my_crank: 1}}")


def test_a_start_at_several_paths_names_paths():
    fault = issues(
        "{cardan: 1, bodies: {a: {}}, paths: {go: {from: {x: 0}, to: {x: 1}, duration: 1}}, initial: {at: [g]}}"
    )
    assert (fault[0].key, fault[0].fault, fault[0].cure) == ("initial.at", "there is no path 'g'", "did you mean 'go'?")


def test_motions_of_parts():
    """A motion of a joint of each part, with words of its law left alone."""
    model = loads("""
cardan: 1
templates:
  arm:
    parameters: {quintic: 1, high: 30 deg}
    bodies: {link: {mass: 1, inertia: [1, 1, 1]}}
    joints: {hinge: {type: revolute, parent: ground, child: link, axis: z}}
    motions: {hinge: {profile: quintic, points: [[0, 0], [quintic, high]], by: [hinge]}}
parts: {left: {template: arm}, right: {template: arm, high: 60 deg}}
""")
    motion = model.motions["right_hinge"]
    assert (motion.profile, motion.by) == ("quintic", ("right_hinge",))
    assert [str(x) for x in motion.points[1]] == ["right_quintic", "right_high"]


def test_events_of_parts():
    """Their conditions may name outputs; what they do, and which way, are words; inputs and states are the part's."""
    model = loads("""
cardan: 1
templates:
  lift:
    parameters: {stop: 1 m, do: 3 N}
    bodies: {falling: {mass: 1}}
    joints: {slide: {type: prismatic, parent: ground, child: falling, axis: z}}
    states: {count: {rate: 0}}
    outputs: {height: falling.z, set: slide}
    events:
      low: {when: height - stop, direction: falling, do: {set: {slide: do, count: count + 1}}}
      back: {when: set, direction: rising, do: stop}
parts: {left: {template: lift}, right: {template: lift, stop: 0.5 m}}
""")
    assert list(model.events) == ["left_low", "left_back", "right_low", "right_back"]
    low, back = model.events["right_low"], model.events["right_back"]
    assert (str(low.when), low.direction) == ("right_height - right_stop", "falling")
    assert low.words == "set right_slide: right_do, right_count: right_count + 1"
    assert (str(back.when), back.direction, back.do) == ("right_set", "rising", "stop")
    run = cardan.simulate(model, 1.0, initial={"left_slide": 1.2, "right_slide": 1.0})
    fallen = [(event.name, round(event.t**2 * 9.81 / 2, 9)) for event in run.events]
    assert fallen == [("left_low", 0.2), ("right_low", 0.5)]


@each(
    "old, new, line, key, fault, cure",
    [
        ("child: lower, axis", "child: lwer, axis", 15, "joints.leg1_knee.child", "part 'leg1' of line 28)", "known: "),
        (
            "mass: m, com: [length",
            "mass: q, com: [length",
            11,
            "bodies.leg1_upper.mass",
            "'q' is nothing",
            "known: R, m",
        ),
        ("length: 0.3 m", "length: 0.3 kg", 11, "bodies.leg1_upper.markers", "'leg1_length' is a mass", "a length"),
        ("phi: 0}", "phi: 0, fi: 1}", 28, "parts.leg1.fi", "'leg' has no parameter 'fi'", "known: phi, length"),
        ("leg, phi: 0}", "leg}", 28, "parts.leg1", "'phi' of the template 'leg' has no value", "give it one here"),
        ("leg, phi: 0}", "leg, phi: [1]}", 28, "parts.leg1.phi", "[1] is not a number", "write a number"),
        ("leg1: {template: leg", "leg1: {template: lge", 28, "parts.leg1.template", "no template 'lge'", "'leg'"),
        ("leg1: {template: leg, phi", "leg1: {phi", 28, "parts.leg1", "the part has no template", "known: leg"),
        ("leg1: {template: leg, phi: 0}", "leg1: 5", 28, "parts.leg1", "5 is not a table", "write {name: …}"),
        ("  leg1:", "  1leg:", 28, "parts.1leg", "'1leg' cannot be a name", "use a letter"),
        ("    let: {", "    lets: {", 22, "templates.leg.lets", "no section 'lets'", "did you mean 'let'?"),
        ("      upper: {", "      sin: {", 11, "templates.leg.bodies.sin", "the name 'sin' is reserved", "another"),
        ("      upper: {", "      ground: {", 11, "templates.leg.bodies.ground", "no part of a template", "where they"),
        ("phi: , ", "phi: , template: 1, ", 9, "templates.leg.parameters.template", "is taken", "another name"),
        ("states: {e: far - e}", "states: 3", 23, "templates.leg.states", "3 is not a table", "write {name"),
        ("templates:", "templates: 3\nx:", 7, "templates", "3 is not a table", "write {name"),
        ("{platform:", "{leg1_upper: {}, platform:", 28, "parts.leg1", "brings 'leg1_upper', which stands in", "give"),
    ],
)
def test_what_is_wrong_in_a_template_or_part_has_its_line(old, new, line, key, fault, cure):
    text = HEAD + LEG
    assert old in text
    issue = issues(text.replace(old, new, 1))[0]
    assert issue.line == line
    assert issue.key.startswith(key)
    assert fault in issue.fault
    assert cure in issue.cure


def test_what_is_wrong_in_all_parts_is_told_once():
    faults = issues((HEAD + LEG).replace("mass: m, com: [length", "mass: -1, com: [length"))
    assert [issue.key for issue in faults] == ["bodies.leg1_upper.mass"]
    faults = issues((HEAD + LEG).replace("phi: 0}", "phi: 0, length: 1 kg}").replace("length: R,", "length: m,"))
    assert {issue.key.partition("_")[0] for issue in faults} == {"bodies.leg1"}


@pytest.mark.parametrize("text", ["x" * 400_000, "[" + "1, " * 10_000 + "1]"])
def test_a_billion_parts_are_cut_short(text):
    parts = "\n".join(f"  p{k}: {{template: a}}" for k in range(400))
    issue = issues(f"{HEAD}templates: {{a: {{outputs: {{o: {text}}}}}}}\nparts:\n{parts}\n")[0]
    assert f"more than {MAX_SIZE / 1e6:g} MB" in issue.fault


def test_every_word_and_table_of_names_is_known():
    """Fields that are words are not taken for expressions, and keys of tables that are names are renamed."""
    tables = (JOINTS, MOTORS, FORCES, CONSTRAINTS, SHAPES, CONTROLLERS, SOURCES, ELEMENTS)
    records = [
        Body,
        PathRecord,
        ThermalNode,
        Table,
        UserEvent,
        Action,
        *LAWS.values(),
        *(record for table in tables for record in table.values()),
    ]
    for record in records:
        for field, entry in record.model_fields.items():
            name = entry.alias or field
            options = (entry.annotation, *get_args(entry.annotation))
            assert name in WORDS or not any(get_origin(option) is Literal for option in options), name
            if isinstance(get_origin(entry.annotation) or entry.annotation, type):
                kind = get_origin(entry.annotation) or entry.annotation
                assert name in KEYED | FOREIGN or not issubclass(kind, Section) or name == "markers"


MERGED = """
cardan: 1
bodies:
  a: &a {mass: 2 kg, inertia: [1, 1, 1]}
  b: &b {com: [0, 0, 1], mass: 4 kg}
  c: {mass: 3 kg, <<: *a}
  d: {<<: [*b, *a], inertia: [2, 2, 2]}
joints:
  a: &free {type: free, parent: ground, child: a}
  b: {<<: *free, child: b}
  c: {<<: *free, child: c}
  d: {<<: *free, child: d}
"""


def test_merge_keys():
    """What stands in the table itself wins, then the first of the merged ones."""
    bodies = loads(MERGED).bodies
    assert {name: (str(body.mass), str(body.inertia[0]), str(body.com[2])) for name, body in bodies.items()} == {
        "a": ("2 kg", "1", "0"),
        "b": ("4 kg", "0", "1"),
        "c": ("3 kg", "1", "0"),
        "d": ("4 kg", "2", "1"),
    }


def test_what_is_wrong_in_a_merged_table_has_its_own_line():
    lines = [(issue.key, issue.line) for issue in issues(MERGED.replace("parent: ground", "parent: grund"))]
    assert ("joints.d.parent", 9) in lines
    assert issues(MERGED.replace("child: c}", "child: q}"))[0].line == 11


def test_a_name_of_a_template_that_hides_a_parameter_says_so():
    text = HEAD + LEG.replace("x: 0.1}", "x: 0.1, R: 1 m}")
    with pytest.warns(ModelWarning, match=r"the part 'leg1': R is its own there, not the parameter.*rename"):
        loads(text)
