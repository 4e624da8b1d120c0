"""What every format of model files satisfies: a class with its extension, `class TestYaml(ModelFormatContract)`."""

import math
import os
import random
import stat
from typing import ClassVar

import pytest

from cardan.errors import ModelError
from cardan.formats import load, save
from cardan.formats.registry import FORMATS
from cardan.model import Body, Guess, Model, Table
from tests.selection import REPRESENTATIVES, each

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
            "ground": {"markers": {"post": {"position": ["1 m", 0, 0], "rpy": [0, 0, "k"]}}},
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
            "socket": {
                "type": "planar",
                "parent": {"body": "rod", "position": ["-k*small", 0, 0], "axis_angle": {"axis": "z", "angle": 1}},
                "child": "ball",
                "damping": [1, "k*zero", 2],
            },
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
            "c": {"type": "spring_damper", "parent": "ground.post", "child": {"body": "ball", "position": [0, 1, 0]}},
        },
        inputs={"drive": Table(table=[[0, "1 V"], ["1 s", 2]], interpolation="step")},
        initial={"hinge": Guess(guess="10 deg"), "socket.x.v": 0.1, "drive.current": "2 A"},
        let={"reach": "hypot(rod.x, post)", "post": "ground.post.y"},
        outputs={"far": "hypot(rod.x, rod.y)", "near": "reach"},
        simulate={"until": "2 min"},
    )


class ModelFormatContract:
    """Round trips to the last bit, names and units, partial files and refusals."""

    extension: ClassVar[str]

    def written_and_read(self, model: Model, folder) -> Model:
        """The model after a way through a file."""
        save(model, folder / f"model{self.extension}")
        return load(folder / f"model{self.extension}")

    def test_the_format_is_listed(self):
        assert self.extension in FORMATS

    def test_everything_makes_the_round_trip(self, tmp_path):
        model = everything()
        assert self.written_and_read(model, tmp_path) == model

    def test_numbers_make_the_round_trip_to_the_last_bit(self, tmp_path):
        rng = random.Random(7)
        numbers = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300) for _ in range(300)]
        numbers += [0.0, -0.0, 5e-324, 1.7976931348623157e308, 10**20, -3, 0.1]
        model = Model(**ARM, parameters={f"p{i}": number for i, number in enumerate(numbers)})
        again = self.written_and_read(model, tmp_path)
        for i, number in enumerate(numbers):
            source = again.parameters[f"p{i}"].source
            assert source == number
            assert type(source) is type(number)
            assert math.copysign(1, source) == math.copysign(1, number)

    def test_units_stay_as_they_are_written(self, tmp_path):
        model = Model(**ARM, parameters={"L": "25 mm", "k": "2 N*s/m"})
        again = self.written_and_read(model, tmp_path)
        assert [scalar.source for scalar in again.parameters.values()] == ["25 mm", "2 N*s/m"]
        assert again.parameters["L"].value == 0.025

    @each("name", sorted(REPRESENTATIVES))
    def test_the_gallery_makes_the_round_trip(self, name, tmp_path):
        model = load(name)
        assert self.written_and_read(model, tmp_path) == model

    @each("text", ["yes", "null", "1e3 m", "- a", "a: b", "'", '"', "{a}", "#", "x\ty", "naïve Ω", "", " "])
    def test_texts_make_the_round_trip(self, text, tmp_path):
        assert self.written_and_read(Model(**ARM, name=text), tmp_path).name == text

    def test_a_file_appears_whole_or_not_at_all(self, tmp_path, monkeypatch):
        path = tmp_path / f"arm{self.extension}"
        path.write_text("old")

        def fail(*arguments):
            raise OSError("disk full")

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", fail)
            with pytest.raises(OSError, match="disk full"):
                save(Model(**ARM), path)
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == [path.name]
        save(Model(**ARM), path)
        mask = os.umask(0)
        os.umask(mask)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask

    def test_a_damaged_file_is_refused_by_its_name(self, tmp_path):
        """Cut short, or of something else."""
        path = tmp_path / f"arm{self.extension}"
        save(everything(), path)
        content = path.read_bytes()
        for damaged in (content[: len(content) // 3], b"\x00\xff" * 100, b""):
            path.write_bytes(damaged)
            with pytest.raises(ModelError, match=path.name):
                load(path)

    def test_a_missing_file_is_refused_by_its_name(self, tmp_path):
        with pytest.raises((ModelError, OSError), match=f"none{self.extension}"):
            load(tmp_path / f"none{self.extension}")
