"""Single entries of model files are changed without touching the rest."""

import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.gallery import gallery, gallery_path
from cardan.formats.yaml import loads
from cardan.formats.yaml_edit import edited, read_value, written
from cardan.formats.yaml_tree import read_tree
from tests.selection import each, of_gallery

ORDER = ("cardan", "name", "bodies", "joints", "inputs", "initial")
TEXT = """# a rig
cardan: 1
bodies:
  rod:   {mass: 2 kg}   # steel
  bar:
    mass: 1 kg
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: y}}
inputs: {drive: 10 V}
"""


VALUES = ["2 kg", 0.5, 3, True, "yes", "5", "a: b", "max(a, b)", "[1", "#", "-", "é", "", [1, "2 m"], {"type": "x"}]


@each("value", [*VALUES, [{"type": "x"}], {}, []])
def test_what_is_written_is_read_again_wherever_it_stands(value):
    assert read_value(written(value)) == value
    assert read_tree(f"a: {{b: {written(value)}, c: [{written(value)}]}}").data == {"a": {"b": value, "c": [value]}}
    assert "\n" not in written(value)


def test_a_value_is_replaced_in_its_place():
    assert edited(TEXT, ("bodies", "rod", "mass"), "3 kg") == TEXT.replace("2 kg", "3 kg")
    assert edited(TEXT, ("bodies", "bar", "mass"), "max(a, b)") == TEXT.replace("1 kg", "'max(a, b)'")
    assert edited(TEXT, ("inputs",), {"drive": 2}) == TEXT.replace("{drive: 10 V}", "{drive: 2}")


def test_an_entry_is_added_in_its_section_and_a_section_in_its_order():
    new = edited(TEXT, ("bodies", "arm"), {"mass": 1}, ORDER)
    assert "  arm: {mass: 1}\n" in new
    assert "# steel" in new
    new = edited(
        TEXT.replace("inputs: {drive: 10 V}\n", "outputs: {x: rod.x}\n"), ("initial", "hinge"), "10 deg", ORDER
    )
    assert list(read_tree(new).data) == ["cardan", "bodies", "joints", "initial", "outputs"]
    assert edited("", ("bodies", "rod", "mass"), 2) == "bodies:\n  rod:\n    mass: 2\n"


def test_an_entry_is_taken_out_with_what_becomes_empty():
    assert "inputs" not in edited(TEXT, ("inputs", "drive"))
    assert "bar" not in edited(TEXT, ("bodies", "bar", "mass"))
    assert edited(TEXT, ("initial", "hinge")) == edited(TEXT, ("outputs",))


def test_entries_of_lists_can_be_set_added_and_taken_out():
    text = "a: [1, 2]\n"
    assert edited(text, ("a", 1), 5) == "a: [1, 5]\n"
    assert edited(text, ("a", 2), 5) == "a: [1, 2, 5]\n"
    assert edited(text, ("a", 0)) == "a: [2]\n"


@each(
    "text, path, fault",
    [
        ("a: &m {x: 1}\nb: *m\n", ("b", "x"), "cannot be changed alone"),
        ("a: 1\n", ("a", "b"), "no such entry"),
        ("a: 1\n", ("a", "b", "c"), "no such entry"),
        ("a: [1]\n", ("a", 5), "no such entry"),
        ("a: [", ("a",), "not YAML"),
    ],
)
def test_what_cannot_be_changed_is_refused(text, path, fault):
    with pytest.raises(ModelError, match=fault):
        edited(text, path, 2)


@pytest.mark.parametrize("name", of_gallery(gallery()))
def test_gallery_files_keep_their_meaning_and_comments(name):
    path = gallery_path(name)
    text = path.read_text(encoding="utf-8")
    new = edited(edited(text, ("initial", "zzz"), 1, ORDER), ("initial", "zzz"))
    assert loads(new, path.parent) == cardan.load(name)
    assert [line.partition("# ")[2] for line in new.splitlines() if "# " in line] == [
        line.partition("# ")[2] for line in text.splitlines() if "# " in line
    ]
