"""YAML files: what is written is read again, equal to the last letter."""

import math
import os
import random
import stat

import pytest

from cardan.errors import ModelError
from cardan.formats import gallery, load, save
from cardan.formats.yaml import dump, loads
from cardan.model import Body, Guess, Model, Table

ARM = {
    "bodies": {"rod": {"mass": 1}},
    "joints": {"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"}},
}


def everything():
    """A model that uses every key of the format."""
    return Model(
        name="everything: at once",
        source="# no comment",
        gravity=[0, "-g", 0],
        planar="xy",
        parameters={"g": "9.81 m/s^2", "zero": 0, "small": 1e-300, "text": "1e-3", "yes": 1, "k": -2.5},
        bodies={
            "rod": Body(
                mass="2 kg",
                com=[0.1, "-0.2 m", 0],
                inertia=[1, 1, 1, 0.1, 0, 0],
                markers={
                    "a": {"position": [1, 2, 3], "rpy": [0, 0, "90 deg"]},
                    "b": {"rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]},
                    "c": {"quaternion": [1, 0, 0, 1]},
                    "d": {"axis_angle": {"axis": "-x", "angle": "atan2(k, g*small)"}},
                },
                shapes=[{"type": "box", "size": [1, 1, 1]}, {"type": "mesh", "file": "a, b.stl"}],
            ),
            "ball": {},
        },
        joints={
            "hinge": {"type": "revolute", "parent": "ground", "child": "rod.a", "axis": [0, 0, "k"], "stiffness": 0.0},
            "socket": {"type": "planar", "parent": "rod.b", "child": "ball", "damping": [1, "k*zero", 2]},
        },
        motors={
            "drive": {
                "type": "dc",
                "joint": "hinge",
                "resistance": "1 Ω",
                "torque_constant": 1,
                "back_emf_constant": 1,
                "rotor_axis": "y",
                "mounted_on": "ball",
            }
        },
        forces={
            "f": {"type": "force", "child": "ball.com", "value": ["if(t > 1, atan2(rod.x, 1), 0)", "min(t, 2)", 0]},
            "s": {"type": "spring_damper", "parent": "rod.c", "child": "ball", "stiffness": "3 N/mm"},
        },
        inputs={"drive": Table(table=[[0, "1 V"], ["1 s", 2]], interpolation="step")},
        initial={"hinge": Guess(guess="10 deg"), "socket.x.v": 0.1, "drive.current": "2 A"},
        outputs={"far": "hypot(rod.x, rod.y)"},
        simulate={"until": "2 min"},
    )


def test_everything_makes_the_round_trip(tmp_path):
    model = everything()
    assert loads(dump(model)) == model
    save(model, tmp_path / "all.yaml")
    assert load(tmp_path / "all.yaml") == model
    assert dump(load(tmp_path / "all.yaml")) == dump(model)


def test_numbers_make_the_round_trip_to_the_last_bit():
    rng = random.Random(7)
    numbers = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300) for _ in range(300)]
    numbers += [0.0, -0.0, 5e-324, 1.7976931348623157e308, 10**20, -3, 0.1]
    model = Model(**ARM, parameters={f"p{i}": number for i, number in enumerate(numbers)})
    again = loads(dump(model))
    for i, number in enumerate(numbers):
        source = again.parameters[f"p{i}"].source
        assert source == number
        assert type(source) is type(number)
        assert math.copysign(1, source) == math.copysign(1, number)


@pytest.mark.parametrize("name", gallery())
def test_the_gallery_makes_the_round_trip(name):
    model = load(name)
    assert loads(dump(model)) == model


@pytest.mark.parametrize(
    "text", ["yes", "null", "1e3 m", "- a", "a: b", "'", '"', "{a}", "#", "x\ty", "naïve Ω", "", " "]
)
def test_texts_make_the_round_trip(text):
    model = Model(**ARM, name=text)
    assert loads(dump(model)).name == text


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
    assert load(target) == model
    monkeypatch.chdir(tmp_path / "other")
    assert load(tmp_path / target).inputs["hinge"].samples() == ((0, 1), (1, 2))


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "arm.yaml"
    path.write_text("old")

    def fail(*arguments):
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            save(Model(**ARM), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["arm.yaml"]
    save(Model(**ARM), path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_other_extensions_are_refused(tmp_path):
    for call in (lambda: load("model.txt"), lambda: save(Model(**ARM), tmp_path / "model.txt")):
        with pytest.raises(ModelError, match=r"'model.txt' has no extension of a model file") as error:
            call()
        assert error.value.issues[0].cure == "known: .yaml, .yml"
