"""`<include>` in MJCF files: where files are sought, what is refused; and comments with dashes in them."""

import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.xml.meshes import package_folder
from tests.formats.test_mjcf import MASS

INCLUDE = '<include file="../../parts/a.xml"/>'
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
    (tmp_path / "b.xml").write_text(
        f"<mujocoinclude>{HINGE.format('e')}</mujocoinclude>"
    )  # MuJoCo 4.0 prefers the folder of the first file
    assert list(cardan.load(tmp_path / "main.xml").bodies) == ["b", "e", "c"]


REFUSED = {
    "outside": ("../a.xml", {"a": ""}, ":1: ../a.xml is not in the folder or package of the file"),
    "absolute": ("/etc/passwd", {}, ":1: /etc/passwd is not in the folder"),
    "absent": ("b.xml", {}, ":1: b.xml is not in the folder"),
    "a folder": ("sub", {"sub/a": ""}, ":1: sub is not in the folder"),
    "a name too long for a file": ("b" * 5000, {}, f":1: {'b' * 200}"),
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


@pytest.mark.parametrize(
    "mark", [("package.xml",), (".git",), ("__init__.py", "models/__init__.py")], ids=lambda one: one[0]
)
def test_files_in_the_package_of_the_file_are_read(tmp_path, mark):
    """A ROS package, a repository, and a Python package from its outermost folder on."""
    package = tmp_path / "arm"
    for name in ("models/scenes/main.xml", "parts/a.xml", "parts/a.obj", *mark):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    asset = '<asset><mesh file="../../parts/a.obj"/></asset>'
    shown = '<geom type="mesh" mesh="a" density="0"/>'
    (package / "parts" / "a.xml").write_text(f"<mujocoinclude>{HINGE.format('a')}</mujocoinclude>")
    (package / "models" / "scenes" / "main.xml").write_text(
        f'<mujoco>{asset}{world(f"""<body name="b">{MASS}{shown}</body>""", INCLUDE)}</mujoco>'
    )
    model = cardan.load(package / "models" / "scenes" / "main.xml")
    assert list(model.bodies) == ["b", "a"]
    assert model.bodies["b"].shapes[0].file == str(package / "parts" / "a.obj")


def test_neither_home_nor_what_is_above_it_is_a_package(tmp_path, monkeypatch):
    """A stranger's file in the user's home reaches no file of another folder, whatever marks the home has."""
    home = tmp_path / "home"
    (home / "urdf").mkdir(parents=True)
    for folder in (home, tmp_path):
        for mark in ("package.xml", "__init__.py"):
            (folder / mark).touch()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    (tmp_path / "link").symlink_to(home)
    for folder in (home / "urdf", home / "downloads" / "robot", tmp_path / "link" / "downloads"):
        assert package_folder(folder) == folder


@pytest.mark.parametrize("content", ["<keys><key>SECRET</key></keys>", "SECRET", '<mujoco SECRET="<"/>'])
def test_no_text_of_another_file_comes_into_a_message(tmp_path, content):
    """Of whatever lies in its package a file takes MJCF alone, and its message says no word of the rest."""
    (tmp_path / "package.xml").touch()
    (tmp_path / "keys").write_text(content)
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "main.xml").write_text('<mujoco><include file="../keys"/></mujoco>')
    with pytest.raises(ModelError, match=r"keys is no MJCF file|keys:1: this is not XML") as error:
        cardan.load(tmp_path / "robots" / "main.xml")
    assert "SECRET" not in str(error.value)
    assert "<key>" not in str(error.value)


def test_links_out_of_a_package_are_not_followed(tmp_path):
    (tmp_path / "other.xml").write_text(f"<mujocoinclude>{HINGE.format('a')}</mujocoinclude>")
    package = tmp_path / "arm"
    (package / "robots").mkdir(parents=True)
    (package / "package.xml").touch()
    (package / "link.xml").symlink_to(tmp_path / "other.xml")
    (package / "robots" / "main.xml").write_text('<mujoco><include file="../link.xml"/></mujoco>')
    with pytest.raises(ModelError, match=r"\.\./link\.xml is not in the folder or package of the file"):
        cardan.load(package / "robots" / "main.xml")


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
