"""Meshes of robots: where they are found, COLLADA, what stands for missing ones, and runs that remember them."""

import struct
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cardan
from cardan.cli.program import program
from cardan.errors import ModelError
from cardan.model.meshes import read_mesh
from cardan.view.scene.scene import scene_of
from tests.formats.test_urdf import mesh, warned

CORNERS = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
ROBOT = (Path(__file__).parent / "robots" / "mesh_beside.urdf").read_text()
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 100 0 0 0 100 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n">
<translate>0 0 50</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def stl(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    faces = (struct.pack("<12fH", 0, 0, 0, *np.ravel([CORNERS[k] for k in face]), 0) for face in FACES)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", 4) + b"".join(faces))
    return path


def shown(run, **options):
    """Types of the solids that show the arm."""
    scene, texts = warned(scene_of, run, **options)
    return [part.form["type"] for part in scene.parts if part.owner == "arm" and part.layer == "shapes"], texts


@pytest.mark.parametrize(
    "name", ["package://puma/meshes/a.stl", "package://of_another_name/meshes/a.stl", "../meshes/a.stl"]
)
def test_the_package_of_a_file_is_found_by_itself(tmp_path, name):
    stl(tmp_path / "puma/meshes/a.stl")
    (tmp_path / "puma/urdf").mkdir()
    (tmp_path / "puma/urdf/r.urdf").write_text(mesh(name))
    model, texts = warned(cardan.load, tmp_path / "puma/urdf/r.urdf")
    assert (model.bodies["arm"].shapes[0].file, texts) == (str(tmp_path / "puma/meshes/a.stl"), [])


@pytest.mark.filterwarnings("always::cardan.errors.ModelWarning")
def test_a_run_remembers_where_its_meshes_are(tmp_path, monkeypatch):
    """Its file is drawn from another folder, and after it was moved together with the robot."""
    stl(tmp_path / "robot/part.stl")
    (tmp_path / "robot/r.urdf").write_text(ROBOT)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "robot")
    run = cardan.simulate(cardan.load("r.urdf"), until=0.1)
    cardan.save_run(run, "run.nc")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert shown(run) == shown(cardan.load_run("../robot/run.nc")) == (["mesh"], [])
    (tmp_path / "robot").rename(tmp_path / "moved")
    done = CliRunner().invoke(program(), ["animate", str(tmp_path / "moved/run.nc"), "-o", "a.html"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert shown(cardan.load_run("../moved/run.nc"), folders=[tmp_path / "moved"]) == (["mesh"], [])


@pytest.mark.filterwarnings("always::cardan.errors.ModelWarning")
def test_a_run_reads_the_meshes_that_it_was_made_with_and_no_others(tmp_path, monkeypatch):
    """A run in a folder beside that of the robot shows its mesh, until this has another content."""
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot/r.urdf").write_text(ROBOT)
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path / "runs")

    def said(*words):
        done = CliRunner().invoke(program(), [*words, "--force"])
        assert done.exit_code == 0, done.output
        return done.stderr

    part = stl(tmp_path / "robot/part.stl")
    assert said("simulate", "../robot/r.urdf", "--until", "0.1", "-o", "run.nc") == ""
    assert said("animate", "run.nc", "-o", "a.html") == ""
    part.write_bytes(part.read_bytes()[:-1] + b"\1")
    assert "of 'arm' is not in the folders of the model and of the run" in said("animate", "run.nc", "-o", "a.html")
    part.rename(tmp_path / "part.stl")
    (tmp_path / "robot/r.yaml").write_text(
        "cardan: 1\nbodies: {arm: {mass: 1, inertia: [1, 1, 1], shapes: [{type: mesh, file: ../part.stl}]}}\n"
        "joints: {j: {type: revolute, parent: ground, child: arm, axis: z}}\n"
    )
    said("simulate", "../robot/r.yaml", "--until", "0.1", "-o", "run.nc")  # which may not read it
    assert "of 'arm' is not in the folders" in said("animate", "run.nc", "-o", "a.html")


def test_a_mesh_that_is_not_there_is_left_out_of_the_picture_with_a_warning(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    part = stl(tmp_path / "part.stl")
    run = cardan.simulate(cardan.load(tmp_path / "r.urdf"), until=0.1)
    forms, (text,) = shown(run, folders=[tmp_path / "other"])
    assert forms == ["cylinder"]  # the rod between joint and mass centre, as of bodies without shapes
    assert "of 'arm' is not in the folders of the model and of the run; it is left out of the picture" in text
    part.unlink()
    assert shown(run) == (["cylinder"], [text])


def test_a_missing_mesh_is_drawn_as_the_box_with_the_inertia_of_the_link(tmp_path):
    """A box of 0.2 × 0.4 × 0.6 m has the moments m (b² + c²)/12 and so on."""
    a, b, c = 0.2, 0.4, 0.6
    moments = [(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12]
    inertia = '<inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/>'.format(*moments)
    begin = ROBOT.index("<inertia ")
    (tmp_path / "r.urdf").write_text(ROBOT[:begin] + inertia + ROBOT[ROBOT.index("</inertial>") :])
    model, texts = warned(cardan.load, tmp_path / "r.urdf")
    (box,) = model.bodies["arm"].shapes
    corner = box.resolved(lambda one: one.value).transform() @ [*(edge.value / 2 for edge in box.size), 1]
    assert abs(np.array(corner).ravel()[:3] - [0.1, 0, 0]) == pytest.approx([a / 2, b / 2, c / 2], abs=1e-12)
    assert texts == [
        "r.urdf: meshes not found in the folder or package of the file, in whose place collision shapes or boxes are "
        "drawn; allow= gives other folders (part.stl)"
    ]


def test_collada_is_drawn_in_its_unit_and_at_its_places(tmp_path):
    pytest.importorskip("collada")
    colour = '<technique_common><instance_material symbol="m" target="#m"/></technique_common>'
    broken = f"<bind_material>{colour}</bind_material>"
    (tmp_path / "a.dae").write_text(
        DAE.replace('url="#g"/>', f'url="#g">{broken}</instance_geometry>')
    )  # no such colour
    corners = read_mesh(tmp_path / "a.dae")
    np.testing.assert_allclose(corners, [[[0, 0, 0.05], [0.1, 0, 0.05], [0, 0.1, 0.05]]], atol=1e-9)  # single precision
    (tmp_path / "r.urdf").write_text(mesh("a.dae"))
    assert cardan.load(tmp_path / "r.urdf").bodies["arm"].shapes[0].file == str(tmp_path / "a.dae")
    for bad in (DAE[:300], "<a/>", DAE.replace("<COLLADA", "<!DOCTYPE a><COLLADA", 1), "PK\x03\x04"):
        (tmp_path / "a.dae").write_text(bad)
        with pytest.raises(ModelError, match=r"a\.dae is damaged|holds no triangles"):
            read_mesh(tmp_path / "a.dae")


def test_without_the_library_collada_has_a_hint(tmp_path, monkeypatch):
    monkeypatch.setattr("cardan.formats.xml.meshes.find_spec", lambda name: None)
    (tmp_path / "r.urdf").write_text(mesh("a.dae"))
    _, (text,) = warned(cardan.load, tmp_path / "r.urdf")
    assert "to see them: pip install pycollada (a.dae)" in text
    monkeypatch.setitem(__import__("sys").modules, "collada", None)
    (tmp_path / "a.dae").write_text(DAE)
    with pytest.raises(ModelError, match=r"COLLADA meshes need the library pycollada\n    pip install pycollada"):
        read_mesh(tmp_path / "a.dae")
