"""Files that a model names: those of its own folder, and of folders that the caller allows."""

import os
import sys

import pytest

import cardan
from cardan.cli import program
from cardan.errors import ModelError
from cardan.formats.yaml import loads

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and devices of POSIX")

HEAD = "cardan: 1\nbodies: {rod: {mass: 1}}\njoints: {j: {type: prismatic, parent: ground, child: rod, axis: x}}\n"
TABLE = "t,u\n0,1\n1,2\n"


@pytest.fixture
def folders(tmp_path):
    for name in ("own/below", "other"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("own/u.csv", "own/below/u.csv", "other/u.csv"):
        (tmp_path / name).write_text(TABLE)
    (tmp_path / "own" / "link.csv").symlink_to(tmp_path / "other" / "u.csv")
    (tmp_path / "own" / "linked").symlink_to(tmp_path / "other")
    return tmp_path


def model(folder, file):
    path = folder / "own" / "m.yaml"
    path.write_text(f"{HEAD}inputs:\n  j: {{file: '{file}'}}\n")
    return path


@pytest.mark.parametrize("file", ["u.csv", "below/u.csv", "below/../u.csv", "../own/u.csv"])
def test_files_at_or_below_the_folder_of_the_model_are_read(folders, file):
    table = cardan.load(model(folders, file)).inputs["j"]
    assert table.samples() == ((0, 1), (1, 2))


@pytest.mark.parametrize(
    "file", ["../other/u.csv", "/dev/zero", "/proc/self/environ", "link.csv", "linked/u.csv", "{other}/u.csv"]
)
def test_files_elsewhere_are_refused_unless_their_folder_is_allowed(folders, file):
    path = model(folders, file.replace("{other}", str(folders / "other")))
    with pytest.raises(ModelError) as error:
        cardan.load(path)
    (issue,) = error.value.issues
    assert "lies outside of the model's folder" in issue.fault
    assert "give its folder to allow=" in issue.cure
    assert (issue.key, issue.line) == ("inputs.j.file", 5)
    if "u.csv" in file or "link" in file:
        for allow in (folders / "other", [folders / "other"], [str(folders)]):
            assert cardan.load(path, allow=allow).inputs["j"].samples() == ((0, 1), (1, 2))


def test_a_name_with_a_zero_byte_is_refused(folders):
    with pytest.raises(ModelError, match="lies outside"):
        loads(HEAD + 'inputs: {j: {file: "u\\0.csv"}}\n')


def test_an_allowed_folder_has_to_be_there(folders):
    with pytest.raises(ModelError, match=r"there is no folder .*which is to be allowed"):
        cardan.load(model(folders, "u.csv"), allow=[folders / "none"])


def test_an_allowed_device_is_still_not_read(folders):
    table = cardan.load(model(folders, "/dev/zero"), allow="/dev").inputs["j"]
    with pytest.raises(ModelError, match="is not a regular file"):
        table.samples()


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="needs /proc")
def test_errors_do_not_show_what_a_file_holds(folders, monkeypatch):
    table = cardan.load(model(folders, "/proc/self/environ"), allow="/proc").inputs["j"]
    with pytest.raises(ModelError, match="does not name columns") as error:
        table.samples()
    assert os.environ["PATH"] not in str(error.value)
    secret = folders / "own" / "u.csv"
    secret.write_bytes(b"secret\xff")
    with pytest.raises(ModelError, match="byte 6 is not UTF-8") as error:
        cardan.load(model(folders, "u.csv")).inputs["j"].samples()
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("command", ["show", "equations", "verify", "simulate", "sweep", "export"])
def test_every_command_that_reads_a_model_can_allow_a_folder(folders, command, monkeypatch):
    from typer.testing import CliRunner

    monkeypatch.chdir(folders)
    words = [command, str(model(folders, "../other/u.csv"))]
    words += {
        "simulate": ["--until", "1", "--motors", "none"],
        "sweep": ["--until", "1", "--motors", "none", "--vary", "j.v=0,1"],
        "export": ["--to", "python", "--motors", "none"],
        "verify": ["--states", "1", "--motors", "none"],
        "equations": ["--motors", "none"],
    }.get(command, [])
    refused = CliRunner().invoke(program(), words)
    assert refused.exit_code == 2
    assert "lies outside of the model's folder" in refused.stderr
    allowed = CliRunner().invoke(program(), [*words, "--allow", str(folders / "other")])
    assert allowed.exit_code == 0, allowed.output


def test_tables_of_motions_stand_at_or_below_the_folder_of_the_model(tmp_path):
    model = """
cardan: 1
bodies: {rod: {mass: 1, com: [0, 0, -1]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: y}}
motions: {hinge: {file: %s}}
"""
    (tmp_path / "outside.csv").write_text("t,q\n0,0\n1,0.1\n2,0.3\n3,0.2\n")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "cam.csv").write_text("t,q\n0,0\n1,0.1\n2,0.3\n3,0.2\n")
    (folder / "good.yaml").write_text(model % "cam.csv")
    (folder / "bad.yaml").write_text(model % "../outside.csv")
    assert len(cardan.load(folder / "good.yaml").motions["hinge"].table) == 4
    with pytest.raises(ModelError, match="outside of the model's folder"):
        cardan.load(folder / "bad.yaml")
    assert cardan.load(folder / "bad.yaml", allow=[tmp_path]).motions["hinge"].samples()[2] == (2.0, 0.3)
