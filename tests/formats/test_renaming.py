"""Another name for a part of a model file: every reference follows, and nothing else changes."""

import random
import re
import warnings

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats import gallery
from cardan.formats.gallery import gallery_path
from cardan.formats.renaming import NAMED, TEXTS, renamed
from cardan.formats.yaml import loads
from cardan.formats.yaml_tree import read_tree
from cardan.model.records.walk import scalars
from cardan.view.studio.forms import forms
from tests.selection import each, of_gallery

TWO = """
cardan: 1
parameters: {l: 0.3 m, crank_mass: 2 kg}   # l: of the crank
bodies:
  crank: {mass: crank_mass, com: [l/2, 0, 0], markers: {pin: {position: [l, 0, 0]}}}
  rod: {mass: 1, com: [0.1, 0, 0], shapes: [{type: sphere, radius: l, color: crank}]}
joints:
  crank: {type: revolute, parent: ground, child: crank, axis: z}
  pin: {type: revolute, parent: crank.pin, child: rod, axis: z}
motors: {drive: {joint: crank, mounted_on: crank, ratio: 1, resistance: 1, inductance: 1 mH}}
forces: {crank: {type: force, child: crank.pin, value: ["-crank.v - crank.pin.vx - drive.speed", 0, 2*l]}}
initial: {crank: 0.1, "crank.v": 0.2, drive.current: 0}
inputs: {drive: 2*crank}
outputs: {height: crank.pin.y + crank.y, "speed": "crank.v + crank.a*1 s"}
events: {past: {when: crank - 1, do: {set: {drive: 0}}}}
"""


def changed(path, name):
    before, after = TWO.splitlines(), renamed(TWO, path, name).splitlines()
    assert len(before) == len(after)
    return {k: new for k, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}


def test_a_body_and_a_joint_of_one_name_are_told_apart():
    body, joint = renamed(TWO, ("bodies", "crank"), "arm"), renamed(TWO, ("joints", "crank"), "hinge")
    assert "arm: {mass: crank_mass" in body
    assert "crank: {type: revolute, parent: ground, child: arm" in body
    assert "parent: arm.pin" in body
    assert "joint: crank, mounted_on: arm" in body
    assert "-crank.v - arm.pin.vx - drive.speed" in body
    assert "arm.pin.y + arm.y" in body
    assert "crank.v + crank.a*1 s" in body
    assert "color: crank" in body
    assert "crank.v: 0.2" in body.replace('"', "")
    assert "hinge: {type: revolute, parent: ground, child: crank" in joint
    assert "joint: hinge, mounted_on: crank" in joint
    assert "-hinge.v - crank.pin.vx - drive.speed" in joint
    assert "initial: {hinge: 0.1, hinge.v: 0.2" in joint
    assert "inputs: {drive: 2*hinge}" in joint
    assert "when: hinge - 1" in joint
    assert "  pin: {type: revolute, parent: crank.pin" in joint


def test_all_else_stays_as_it_was_written():
    lines = changed(("parameters", "l"), "length")
    assert lines[2] == "parameters: {length: 0.3 m, crank_mass: 2 kg}   # l: of the crank"
    assert set(lines) == {2, 4, 5, 10}


def test_markers_motors_and_forces():
    marker = renamed(TWO, ("bodies", "crank", "markers", "pin"), "eye")
    assert "markers: {eye:" in marker
    assert "parent: crank.eye" in marker
    assert "crank.eye.vx" in marker
    assert "  pin: {type: revolute" in marker  # the joint keeps its name
    motor = renamed(TWO, ("motors", "drive"), "engine")
    assert "engine.speed" in motor
    assert "engine.current: 0" in motor
    assert "inputs: {engine:" in motor
    assert "set: {engine: 0}" in motor
    assert set(changed(("forces", "crank"), "push")) == {10}
    ground = renamed(
        "bodies: {ground: {markers: {A: {}}}}\njoints: {j: {parent: ground.A}}",
        ("bodies", "ground", "markers", "A"),
        "B",
    )
    assert ground == "bodies: {ground: {markers: {B: {}}}}\njoints: {j: {parent: ground.B}}"


def test_keys_of_records_are_no_names():
    text = "joints: {lower: {limits: {lower: 0, upper: big}}, other: {axis: x}}\nparameters: {x: 1, big: 2}"
    assert renamed(text, ("joints", "lower"), "knee") == text.replace("{lower: {limits", "{knee: {limits")
    assert renamed(text, ("parameters", "x"), "y0") == text.replace("{x: 1", "{y0: 1")


def parts(data):
    for section in NAMED:
        for name in data.get(section) or {}:
            if name != "ground":
                yield section, name
    for body, record in (data.get("bodies") or {}).items():
        yield from (("bodies", body, "markers", marker) for marker in (record or {}).get("markers") or {})


@pytest.mark.parametrize("name", of_gallery(gallery()))
def test_every_name_of_the_gallery_can_be_another_one(name):
    """Two parts of each model: every expression has the names that it had, the new one in place of the old one."""
    path = gallery_path(name)
    text = path.read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = loads(text, path.parent)
        data = read_tree(text).data
        # a controller with another name than its drive feeds it by an input: these are below
        shared = {(section, name) for name in data.get("controllers") or {} for section in ("drives", "controllers")}
        every = [part for part in parts(data) if part not in shared]
    for part in random.Random(name).sample(every, min(2, len(every))):
        new = renamed(text, part, "quite_new")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after = loads(new, path.parent)
        for (_, old), (_, one) in zip(scalars(before), scalars(after), strict=True):
            assert {name.replace("quite_new", part[-1]) for name in one.names} == old.names


def test_a_mechanism_moves_as_before_under_other_names():
    model = cardan.load("slider_crank")
    text = gallery_path("slider_crank").read_text(encoding="utf-8")
    for part in [("joints", "crank"), ("bodies", "rod"), ("parameters", "l1")]:
        text = renamed(text, part, f"my_{part[-1]}")
    mine = loads(text)
    a, b = (cardan.simulate(one, until=0.2) for one in (model, mine))
    np.testing.assert_array_equal(a.array("crank.q"), b.array("my_crank.q"))


DRIVEN = """
cardan: 1
parameters: {R: 2 ohm, peak: 2}
bodies: {base: {mass: 5 kg}, thigh: {mass: 1 kg, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.01]}}
joints:
  rail: {type: prismatic, parent: ground, child: base, axis: x}
  hip: {type: revolute, parent: base, child: thigh, axis: y}
thermal: {air: 20, winding: {capacity: 20, to: {air: 0.5}}}
drives:
  a:
    joint: hip
    carrier: base
    source: {type: dc, resistance: R, inductance: 2 mH, constant: 0.05, inertia: 1e-4, heat: winding, at: 20,
             resistance_coefficient: 0.004}
    train: [{shaft: {stiffness: 20, damping: 0.01}, name: hip}, {gear: 5}, {inertia: 1e-4, name: a_disc},
            {shaft: {stiffness: 400, damping: 0.1}}, {gear: 4}]
paths: {go: {from: {hip: 0}, to: {hip: 40 deg}, max_speed: {hip: peak}, max_acceleration: 20}}
controllers:
  a: {type: cascade, drive: a, follow: go.hip, position: {kp: 30}, speed: {kp: 0.2, time: 50 ms}}
  watch: {type: state_feedback, gains: {hip: 2, a_rotor.v: 0.1}, reference: {hip: go.hip}}
  law: {type: gravity_compensation, joints: [hip]}
let: {twist: a.hip.twist + 0*law.hip + 0*a.a_disc.angle + watch}
initial: {at: go, equilibrium: true, a_disc: {guess: 0}}
outputs: {late: go.hip.v - hip.v, volts: a.voltage, e: a.speed_error + twist + winding - air + go.end + go_end,
          r: a_rotor}
simulate: {until: go.end/4}
"""


def test_drives_paths_and_controllers_are_followed():
    """Each part gets another name, also where two have the same one; the machine moves as before."""
    text, shown = DRIVEN, ["late", "volts", "e", "r"]
    changes = {
        **{("joints", "hip"): "knee", ("bodies", "base"): "trolley", ("parameters", "R"): "ohms"},
        **{("drives", "a"): "b", ("paths", "go"): "way", ("controllers", "a"): "loop", ("controllers", "law"): "hold"},
        **{("thermal", "winding"): "coil", ("thermal", "air"): "room", ("controllers", "watch"): "guard"},
        **{("parameters", "peak"): "most"},
    }
    for part, name in changes.items():
        text = renamed(text, part, name)
    for words in (
        *("joint: knee", "carrier: trolley", "name: hip", "name: a_disc", "from: {knee: 0}", "max_speed: {knee: most}"),
        *(
            "drive: b, follow: way.knee",
            "gains: {knee: 2, b_rotor.v: 0.1}",
            "reference: {knee: way.knee}",
            "heat: coil",
        ),
        *("b.hip.twist + 0*hold.knee + 0*b.a_disc.angle + guard", "at: way", "a_disc: {guess: 0}"),
        *("late: way.knee.v - knee.v", "volts: b.voltage", "loop.speed_error", "coil - room + way.end + way_end"),
        *("to: {room: 0.5}", "r: b_rotor", "until: way.end/4"),
    ):
        assert words in re.sub("['\"]", "", text)
    a, b = (cardan.simulate(loads(one)) for one in (DRIVEN, text))
    for name in shown:
        np.testing.assert_array_equal(a.array(name), b.array(name))


def test_places_of_a_train_go_with_their_drive():
    text = """
parameters: {hip: 2e-3}
drives:
  fan: {source: {type: torque, value: 1e-3, inertia: hip},
        train: [{branch: crank}, {planetary: {teeth: [20, 60], to: hip}}, {inertia: 1e-3, name: wheel}]}
  rim: {from: fan.hip, train: [{inertia: 1e-3}]}
  cap: {from: fan.crank, train: [{inertia: 1e-3}]}
outputs: {turned: fan_hip - wheel + fan.wheel.v}
"""
    assert renamed(text, ("drives", "fan"), "blower") == text.replace("fan", "blower")
    mine = renamed(text, ("parameters", "hip"), "J")
    assert mine == text.replace("{hip: 2e-3", "{J: 2e-3").replace("inertia: hip", "inertia: J")


def test_names_in_a_file_whose_drives_are_wrong_are_not_changed():
    with pytest.raises(ModelError, match=r"drives.a.joint: .*no joint 'hipp'"):
        renamed(DRIVEN.replace("joint: hip", "joint: hipp"), ("bodies", "thigh"), "leg")


@each(
    "path, name, fault",
    [
        (("joints", "crank"), "pin", "'pin' stands in joints already\n.*choose another name"),
        (("bodies", "crank", "markers", "pin"), "2nd", "'2nd' cannot be a name"),
        (("joints", "none"), "a", "there is no 'none' to rename"),
        (("bodies", "ground"), "a", "there is no 'ground' to rename"),
        (("initial", "crank"), "a", "'crank' has no name of its own there\n.*rename the joint"),
        ((), "a", "has no name of its own there"),
        (("templates", "p", "parameters", "L"), "a", "names of templates and parts are not followed\n.*in the text"),
        (("joints", "crank"), "sin", "the name 'sin' is reserved"),
    ],
)
def test_what_cannot_be_renamed_is_refused(path, name, fault):
    with pytest.raises(ModelError, match=f"(?s){fault}"):
        renamed(TWO, path, name)


def test_words_and_choices_of_all_records_are_known():
    """Texts of a record that are neither expressions nor names have their keys in `TEXTS`."""

    def keys(node, key=""):
        if node["kind"] in ("choice", "words") and key not in (
            "joint",
            "mounted_on",
            "carrier",
            "part",
            "at",
            "of",
            "bends_from",
            "outputs",
        ):
            yield key
        inner = [(one["key"], one["node"]) for one in node.get("fields", ())]
        inner += [(one["key"], one["node"]) for fields in node.get("kinds", {}).values() for one in fields]
        inner += [(key, node["of"])] if "of" in node else []
        for name, one in inner:
            yield from keys(one, name)

    found = {key for form in forms() for key in keys(form["node"], form["key"])}
    assert found <= TEXTS


OWNED = """
cardan: 1
parameters: {L: 0.5 m, R: 0.4 m, m: 2 kg}
templates:
  pendulum:
    parameters: {L: 0.3 m, phi: 0}
    bodies: {bob: {mass: m, com: [0, 0, -L]}}
    joints: {hinge: {type: revolute, child: bob, axis: y, parent: {body: plate, position: [R*cos(phi), 0, L]}}}
    initial: {hinge: 0.5, pendulum.v: 0.2}
parts: {left: {template: pendulum, L: L/2}}
bodies: {plate: {mass: 5 kg, inertia: [1, 1, 1]}}
joints: {pendulum: {type: revolute, parent: ground, child: plate, axis: z}}
"""
WIRE = """
cardan: 1
planar: xz
parameters: {r: 0.5 m, pace: 3}
bodies: {slide: {mass: 0}, bead: {mass: 0.2 kg}}
joints:
  x: {type: prismatic, parent: ground, child: slide, axis: x}
  z: {type: prismatic, parent: slide, child: bead, axis: z}
constraints:
  wire: {type: point_on_curve, child: bead, equations: ["x**2 + z**2 - r**2"],
    given: {value: ["-0.1*speed*pace", 0, 0], frame: path}}
initial: {x: 0.4 m, z: {guess: -0.3 m}}
"""


def test_names_of_a_template_stay_its_own():
    mine = renamed(OWNED, ("parameters", "L"), "length")
    assert mine == OWNED.replace("{L: 0.5 m, R", "{length: 0.5 m, R").replace("L: L/2", "L: length/2")
    mine = renamed(mine, ("parameters", "R"), "radius")
    assert "position: [radius*cos(phi), 0, L]" in mine
    mine = renamed(mine, ("bodies", "plate"), "disk")
    assert "parent: {body: disk" in mine
    mine = renamed(mine, ("joints", "pendulum"), "swing")
    assert "template: pendulum, L: length/2" in mine
    assert "initial: {hinge: 0.5, swing.v: 0.2}" in mine
    a, b = (cardan.simulate(loads(text), until=0.2) for text in (OWNED, mine))
    np.testing.assert_array_equal(a.array("left_hinge.q"), b.array("left_hinge.q"))
    assert renamed(OWNED, ("joints", "pendulum"), "hinge2").count("hinge2") == 2


def test_names_that_a_place_defines_stay():
    mine = renamed(WIRE, ("joints", "x"), "across")
    assert mine == WIRE.replace("  x: {", "  across: {").replace("{x: 0.4", "{across: 0.4")
    a, b = (cardan.simulate(loads(text), until=0.2) for text in (WIRE, mine))
    np.testing.assert_array_equal(a.array("x.q"), b.array("across.q"))
    both = WIRE.replace("pace: 3", "pace: 3, speed: 4")
    assert renamed(both, ("parameters", "speed"), "fast") == both.replace("speed: 4", "fast: 4")


def test_laws_in_graphs_keep_their_own_names():
    text = """
parameters: {x: 1, f: 2}
graphs: {g: {elements: {spring: {type: C, effort: 3*x*f}, brake: {type: R, effort: x*f}}}}
"""
    assert renamed(text, ("parameters", "x"), "k") == text.replace("{x: 1", "{k: 1").replace(": x*f", ": k*f")
    assert renamed(text, ("parameters", "f"), "k") == text.replace("f: 2", "k: 2").replace("3*x*f", "3*x*k")


@each(
    "text, path, name",
    [
        (OWNED, ("parameters", "m"), "phi"),
        (OWNED, ("bodies", "plate"), "bob"),
        (OWNED, ("joints", "pendulum"), "hinge"),
        (WIRE, ("parameters", "r"), "y"),
        (WIRE, ("parameters", "pace"), "normal"),
    ],
)
def test_a_new_name_that_a_place_defines_is_refused(text, path, name):
    with pytest.raises(ModelError, match=f"(?s)'{name}.*' means something else in a place that uses.*another name"):
        renamed(text, path, name)


def test_a_rod_takes_its_parts_along():
    """Names of parts and hinges of a flexible body begin with its own."""
    text = """cardan: 1
planar: xz
bodies: {rod: {type: flexible, length: 1, section: {type: circle, diameter: 0.01}, material: steel}}
joints: {clamp: {type: fixed, parent: ground, child: rod}}
outputs: {bend: rod_bend1, slope: rod_2.z}
"""
    new = renamed(text, ("bodies", "rod"), "bar")
    assert "bend: bar_bend1, slope: bar_2.z" in new
