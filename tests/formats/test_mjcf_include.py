"""`<include>` in MJCF files: where files are sought, what is refused; and comments with dashes in them."""

import pytest

import cardan
from cardan.errors import ModelError
from tests.formats.test_mjcf import MASS

HINGE = f'<body name="{{}}">{MASS}<joint/></body>'


@pytest.fixture
def read(tmp_path):
    """Writes files, by name, and reads main.xml."""

    def read(main, **options):
        for name, text in {"main": main, **options.pop("files", {})}.items():
            path = tmp_path / f"{name}.xml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"<mujoco>{text}</mujoco>")
        return cardan.load(tmp_path / "main.xml", **options)

    return read


def world(*parts):
    return f"<worldbody>{''.join(parts)}</worldbody>"


def test_included_files_stand_in_place_of_the_element(read, tmp_path):
    inner = f'<default><joint axis="1 0 0"/></default>{world(HINGE.format("b"))}'
    found = read(
        '<include file="sub/a.xml"/>' + world(HINGE.format("c")),
        files={"sub/a": inner + world('<include file="b.xml"/>'), "sub/b": HINGE.format("d")},
    )
    assert list(found.bodies) == ["b", "d", "c"]
    assert [joint.axis[0].value for joint in found.joints.values()] == [1, 1, 1]
    (tmp_path / "b.xml").write_text(f"<x>{HINGE.format('e')}</x>")  # MuJoCo 4.0 prefers the folder of the first file
    assert list(cardan.load(tmp_path / "main.xml").bodies) == ["b", "e", "c"]


REFUSED = {
    "outside": ("../a.xml", {"a": ""}, ":1: ../a.xml is not in the folder of the file"),
    "absolute": ("/etc/passwd", {}, ":1: /etc/passwd is not in the folder"),
    "absent": ("b.xml", {}, ":1: b.xml is not in the folder"),
    "a folder": ("sub", {"sub/a": ""}, ":1: sub is not in the folder"),
    "itself": ("main.xml", {}, ":1: main.xml is included twice"),
    "in a ring": ("a.xml", {"a": '\n<include file="main.xml"/>'}, ":1: a.xml:2: main.xml is included twice"),
    "no XML": ("a.xml", {"a": "\n<"}, ":1: a.xml:2: this is not XML"),
    "a fault": (
        "a.xml",
        {"a": "\n" + world('<body name="b"><joint type="odd"/></body>')},
        ":1: a.xml:2: there is no joint of type 'odd'",
    ),
    "too much": ("a.xml", {"a": "<a/>" * 7, "b": "<a/>" * 7}, "more than 10 elements"),
}


@pytest.mark.parametrize(("name", "files", "fault"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_included_is_refused_with_its_place(read, tmp_path, monkeypatch, name, files, fault):
    monkeypatch.setattr("cardan.formats.mjcf.including.MAX_NODES", 10)
    second = '<include file="b.xml"/>' if "b" in files else ""
    with pytest.raises(ModelError) as error:
        read(f'<include file="{name}"/>{second}', files=files)
    assert str(error.value).startswith(str(tmp_path / "main.xml"))
    assert fault in str(error.value)


def test_other_folders_can_be_allowed(read, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "scene.xml").write_text('<mujoco><include file="../main.xml"/></mujoco>')
    read(world(HINGE.format("a")))
    with pytest.raises(ModelError, match=rf"or allow its folder: allow='{tmp_path}'"):
        cardan.load(tmp_path / "sub" / "scene.xml")
    assert list(cardan.load(tmp_path / "sub" / "scene.xml", allow=tmp_path).bodies) == ["a"]


def test_comments_may_have_dashes_in_them(read):
    """XML forbids two dashes beside each other in a comment; MuJoCo and people do not."""
    inside = '<!-- upper -- arm --><![CDATA[ <!-- ]]><joint name="j" axis="-1 0 0"/><!----- -->'
    found = read(world(f'<body name="a">{MASS}{inside}</body>'))
    assert found.joints["j"].axis[0].value == -1


def test_meshes_are_sought_beside_an_included_file_too(read, tmp_path):
    (tmp_path / "parts").mkdir()
    faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"
    (tmp_path / "parts" / "b.obj").write_text(f"v 0 0 0\nv 6 0 0\nv 0 1 0\nv 0 0 1\n{faces}")
    body = world('<body><joint/><geom type="mesh" mesh="b" density="1"/></body>')
    model = read(f'<include file="parts/a.xml"/>{body}', files={"parts/a": '<asset><mesh file="b.obj"/></asset>'})
    assert model.bodies["body_1"].mass.value == pytest.approx(1)  # 6·1·1/6
