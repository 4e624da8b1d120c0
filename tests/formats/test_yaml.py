"""YAML files keep the contract of model formats, and read what people write in YAML."""

import pytest

from cardan.errors import ModelError
from cardan.formats import load, save
from cardan.formats.yaml import dump, loads
from cardan.model import Model
from tests.contracts.model_format_contract import ARM, ModelFormatContract
from tests.selection import each


class TestYaml(ModelFormatContract):
    extension = ".yaml"


def test_the_short_extension_is_the_same_format(tmp_path):
    save(Model(**ARM), tmp_path / "arm.yml")
    assert load(tmp_path / "arm.yml") == Model(**ARM)


def test_a_file_may_stay_away_from_defaults():
    text = dump(Model(**ARM))
    assert text.splitlines() == [
        "cardan: 1",
        "bodies:",
        "  rod: {mass: 1}",
        "joints:",
        "  hinge: {type: revolute, parent: ground, child: rod, axis: [0, 0, 1]}",
    ]


def test_yaml_of_all_kinds_is_read():
    text = """
        cardan: 1
        name: 'three'   # a comment
        parameters: {hex: 0x10, octal: 0o10, binary: -0b11, thousand: 1_000, float: 1.5e3, quoted: "2*hex",
                     multiline: a + b, a: 1, b: 2}
        bodies: &two
            rod: &same {mass: 1}
            bar: *same
        joints:
            j: {type: free, parent: ground, child: rod}
            k:
                type: fixed
                parent: rod
                child: bar
                cut: false
        outputs:
        forces: {}
    """
    model = loads(text.replace("\n        ", "\n"))
    assert [scalar.value for scalar in model.parameters.values()][:5] == [16, 8, -3, 1000, 1500]
    assert model.bodies["rod"] == model.bodies["bar"]
    assert model.outputs == {}


def test_tables_are_looked_for_beside_the_model(tmp_path):
    (tmp_path / "u.csv").write_text("t,hinge\n0,1\n1,2\n")
    text = dump(Model(**ARM)) + "inputs: {hinge: {file: u.csv, column: hinge}}\n"
    (tmp_path / "arm.yaml").write_text(text)
    table = load(tmp_path / "arm.yaml").inputs["hinge"]
    assert table.samples() == ((0, 1), (1, 2))
    save(load(tmp_path / "arm.yaml"), tmp_path / "again.yml")
    assert load(tmp_path / "again.yml").inputs["hinge"] == table


@pytest.mark.parametrize("target", ["arms/again.yaml", "again.yaml", "other/again.yaml"])
def test_a_model_that_is_saved_elsewhere_finds_its_tables(tmp_path, monkeypatch, target):
    for folder in ("arms", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "arms/u.csv").write_text("t,hinge\n0,1\n1,2\n")
    (tmp_path / "arms/arm.yaml").write_text(dump(Model(**ARM)) + "inputs: {hinge: {file: u.csv}}\n")
    monkeypatch.chdir(tmp_path)
    model = load("arms/arm.yaml")
    save(model, target)
    assert load(target, allow="arms") == model
    monkeypatch.chdir(tmp_path / "other")
    assert load(tmp_path / target, allow=tmp_path / "arms").inputs["hinge"].samples() == ((0, 1), (1, 2))


def test_other_extensions_are_refused(tmp_path):
    for call in (lambda: load("model.txt"), lambda: save(Model(**ARM), tmp_path / "model.txt")):
        with pytest.raises(ModelError, match=r"'model.txt' has no extension of a model file") as error:
            call()
        assert error.value.issues[0].cure == "known: .yaml, .yml, .urdf, .xacro, .xml, .mjcf, .sdf, .world"


@each("wrong", [None, 5, ["crane.yaml"]])
def test_what_is_no_path_is_refused(wrong):
    with pytest.raises(ModelError, match="is no name and no path"):
        load(wrong)
