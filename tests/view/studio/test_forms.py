"""Forms are read from the records of models: every section and every kind has one."""

import json

import pytest
from tests.selection import each

from cardan.formats.gallery import gallery_path
from cardan.formats.yaml_tree import read_tree
from cardan.model.constraints import CONSTRAINTS
from cardan.model.forces import FORCES
from cardan.model.joints import JOINTS
from cardan.model.model import Model
from cardan.model.motors import MOTORS
from cardan.model.shapes import SHAPES
from cardan.view.studio.forms import forms

SECTIONS = {one["key"]: one["node"] for one in forms()}


def _field(node, key):
    return next(one for one in node["fields"] if one["key"] == key)


def test_every_section_of_a_model_has_a_form():
    assert set(SECTIONS) == set(Model.model_fields) - {"cardan", "simulate"}
    assert len(json.dumps(forms())) < 300_000


@each("section, kinds", [("joints", JOINTS), ("forces", FORCES), ("constraints", CONSTRAINTS), ("motors", MOTORS)])
def test_every_kind_has_a_form_with_all_its_fields(section, kinds):
    node = SECTIONS[section]["of"]
    assert (node["kind"], node["tag"]) == ("variants", "type")
    assert list(node["kinds"]) == list(kinds)
    for kind, fields in node["kinds"].items():
        assert {one["key"] for one in fields} == set(kinds[kind].model_fields) - {"type"}


def test_fields_say_what_they_want():
    body = SECTIONS["bodies"]["of"]
    assert _field(body, "mass") | {"note": ""} == {
        "key": "mass",
        "note": "",
        "required": False,
        "node": {"kind": "text", "hint": "2 kg", "word": "a mass"},
    }
    assert _field(body, "com")["note"] == "centre of mass in body axes [m]"
    assert _field(body, "com")["node"] == {"kind": "vector", "hints": ["25 mm"] * 3, "labels": ["x", "y", "z"]}
    assert _field(body, "inertia")["node"]["labels"] == ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    marker = _field(body, "markers")["node"]["of"]
    assert _field(marker, "rpy")["node"]["labels"] == ["roll", "pitch", "yaw"]
    assert _field(marker, "quaternion")["node"]["labels"] == ["w", "x", "y", "z"]
    shapes = _field(body, "shapes")["node"]
    assert (shapes["kind"], list(shapes["of"]["kinds"])) == ("list", [*SHAPES])
    revolute = {one["key"]: one for one in SECTIONS["joints"]["of"]["kinds"]["revolute"]}
    assert revolute["parent"]["node"] == {"kind": "place"}
    assert revolute["cut"]["node"] == {"kind": "flag"}
    assert revolute["axis"]["node"]["word"] == "a direction"
    friction = revolute["friction"]["node"]
    assert _field(friction, "type")["node"]["kind"] == "choice"
    motions = SECTIONS["motions"]["of"]
    assert (motions["tag"], list(motions["kinds"])) == ("", ["value", "path", "profile", "file", "table"])
    assert SECTIONS["planar"] == {"kind": "choice", "choices": ["xy", "xz", "yz"]}


def test_entries_of_forms_become_those_of_the_file(bench):
    """Texts are read as in a file; what is empty is left out; the entries of the arm give the arm."""
    wanted = read_tree(gallery_path("basket_arm").read_text(encoding="utf-8")).data
    on = bench("basket_arm")
    on("text", text="cardan: 1\n")
    for section in ("name", "source", "gravity", "planar"):
        on("entry", path=[section], value=_typed(wanted[section]))
    for section in ("parameters", "bodies", "joints", "motions", "outputs"):
        for name, value in wanted[section].items():
            on("entry", path=[section, name], value=_typed(value), new=True)
    answers = on("settings", until="4 s")
    assert answers[0]["kind"] == "run"
    assert read_tree(on.text).data == wanted


def _typed(value):
    """What a page sends: every number and text as it is typed."""
    if isinstance(value, dict):
        return {key: _typed(one) for key, one in value.items()} | {"empty": ""}
    if isinstance(value, list):
        return [_typed(one) for one in value]
    return json.dumps(value) if isinstance(value, str) else str(value)


def test_an_entry_can_be_changed_and_taken_out(bench):
    on = bench("overhead_crane")
    run, _ = on(
        "entry",
        path=["joints", "travel"],
        value={"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"},
    )
    assert run["kind"] == "run"
    assert "damping: d1" not in on.text
    refused, model = on("entry", path=["joints", "swing"], value=None)
    assert refused["issues"][0]["path"] == ["bodies", "payload"]
    assert "swing" not in model["data"]["joints"]
    assert on("undo")[0]["kind"] == "run"
    assert on("entry", path=["outputs", "height"], value="payload.com.z")[0]["kind"] == "run"


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ({"path": ["joints", "travel"], "value": {}, "new": True}, "'travel' stands in joints already"),
        ({"path": ["bodies", "a b"], "value": {}, "new": True}, "'a b' cannot be a name"),
        ({"path": ["bodies", "t"], "value": {}, "new": True}, "reserved"),
        ({"path": ["wheels", "a"], "value": {}}, "no section 'wheels'"),
        ({"path": "bodies", "value": {}}, "leads to no entry"),
        ({"path": ["bodies", "b"], "value": {"mass": "[2"}}, "not YAML"),
    ],
)
def test_entries_that_cannot_be_are_refused_and_change_nothing(bench, message, fault):
    on = bench("overhead_crane")
    before = on.text
    (refused,) = on("entry", **message)
    assert fault in refused["issues"][0]["fault"]
    assert on.text == before


def test_an_entry_that_is_nested_too_deeply_is_refused(bench):
    value = "1"
    for _ in range(50):
        value = [value]
    (refused,) = bench("overhead_crane")("entry", path=["bodies", "b"], value=value)
    assert "nested too deeply" in refused["issues"][0]["fault"]


def test_a_fault_of_an_entry_leads_to_its_field(bench):
    on = bench("overhead_crane")
    refused, _ = on("entry", path=["bodies", "trolley"], value={"mass": "2 m"})
    assert refused["issues"][0]["path"] == ["bodies", "trolley", "mass"]
    (forms_,) = on("forms")
    assert forms_["kind"] == "forms"


def test_a_choice_that_may_be_a_table_is_a_text():
    events = next(one for one in forms() if one["key"] == "events")["node"]["of"]
    (do,) = (one["node"] for one in events["fields"] if one["key"] == "do")
    assert do == {"kind": "text", "hint": "stop or record or note or {set: …}"}


def test_a_number_of_any_unit_has_its_units_as_an_example():
    (joints,) = (form for form in forms() if form["key"] == "joints")
    hints = {one["key"]: one["node"].get("hint") for one in joints["node"]["of"]["kinds"]["revolute"]}
    assert hints["stiffness"] == "N/m or N*m/rad"
    (limits,) = (one for one in joints["node"]["of"]["kinds"]["prismatic"] if one["key"] == "limits")
    bounds = {one["key"]: one["node"].get("hint") for one in limits["node"]["fields"]}
    assert (bounds["lower"], bounds["restitution"]) == ("m or rad", "")
