"""Bodies of modal data as they are written out, and files that hold none."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.model.flexible import modal_data
from tests.modal_files import beam_fields, lump_fields, written


def refused(tmp_path, fields=None, content: bytes | None = None, **model) -> str:
    """What is said about a body with such a file."""
    path = tmp_path / "plate.npz"
    if content is None:
        written(path, fields if fields is not None else lump_fields())
    else:
        path.write_bytes(content)
    body = {"type": "modal", "file": str(path)} | model.pop("body", {})
    fly = {"type": "free", "parent": "ground", "child": "plate"}
    with pytest.raises(ModelError) as error:
        cardan.Model(**{"bodies": {"plate": body}, "joints": {"fly": fly}} | model)
    return str(error.value)


RIGID = np.broadcast_to([0.0, 0.0, 1.0], (1, 12, 3))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda f: {"mass": None},
            "has no field 'mass'\n    write the seven fields with numpy.savez: positions (N, 3)",
        ),
        (lambda f: {"mass": f["mass"][1:]}, "mass in {} has the shape (11,), not (N or N, N) with N = 12"),
        (lambda f: {"modes": f["modes"][:, :, :2]}, "modes in {} has the shape (3, 12, 2), not (n, N, 3) with N = 12"),
        (lambda f: {"stiffness": f["stiffness"][:2]}, "stiffness in {} has the shape (2, 3), not (n, n)"),
        (lambda f: {"interface_modes": f["interface_modes"][:, :1]}, "interface_modes in {} has the shape (3, 1, 6)"),
        (lambda f: {"positions": f["positions"] * np.nan}, "positions in {} are not finite real numbers"),
        (lambda f: {"mass": f["mass"] + 0j}, "mass in {} are not finite real numbers"),
        (
            lambda f: {"mass": np.array([object()] * 12)},
            "is no .npz file of plain arrays: Object arrays cannot be loaded",
        ),
        (lambda f: {"stiffness": f["stiffness"] + np.triu(f["stiffness"], 1)}, "stiffness in {} is not symmetric"),
        (lambda f: {"mass": np.diag(f["mass"]) + np.eye(12, k=1)}, "mass in {} is not symmetric"),
        (lambda f: {"mass": f["mass"] - 0.2}, "mass in {} is not positive"),
        (lambda f: {"mass": -np.diag(f["mass"])}, "mass in {} is not positive"),
        (lambda f: {"mass": np.diag(f["mass"] * [-0.1, *[1] * 11])}, "mass in {} is not positive"),
        (lambda f: {"stiffness": -f["stiffness"]}, "contain a motion without strain, or the stiffness is not positive"),
        (lambda f: {"modes": f["modes"] * 0 + RIGID * [[[1]], [[0]], [[0]]]}, "are not independent"),
        (lambda f: {"modes": np.concatenate([RIGID, f["modes"][1:]])}, "contain a motion without strain"),
        (lambda f: {"modes": f["modes"] * 0}, "are not independent: a combination of them moves no mass"),
        (lambda f: {"interfaces": np.array(["left"] * 12)}, "interfaces in {} are not different names"),
        (lambda f: {"interfaces": np.array(["a b"] * 12)}, "'a b' cannot be a name"),
        (
            lambda f: (
                {"interfaces": f["interfaces"][:0], "interface_positions": np.zeros((0, 3))}
                | {"interface_modes": np.zeros((3, 0, 6))}
            ),
            "has 3 modes, 12 points and 0 interface nodes\n    write 1 to 60 modes",
        ),
    ],
)
def test_data_that_do_not_fit_are_refused(tmp_path, change, said):
    fields = lump_fields()
    fields = {name: x for name, x in (fields | change(fields)).items() if x is not None}
    text = refused(tmp_path, fields)
    assert text.startswith("bodies.plate.file: ")
    assert said.format(tmp_path / "plate.npz") in text


def test_files_that_are_none_are_refused(tmp_path, monkeypatch):
    assert "is no .npz file of plain arrays: File is not a zip file" in refused(tmp_path, content=b"PK but no archive")
    missing = {"plate": {"type": "modal", "file": str(tmp_path / "none.npz")}}
    with pytest.raises(ModelError, match=r"bodies\.plate\.file: .*none\.npz cannot be read: No such file"):
        cardan.Model(bodies=missing, joints={})
    monkeypatch.setattr(modal_data, "_MOST", 5_000)
    assert "has more than 0.005 MB" in refused(tmp_path, lump_fields(count=500))
    header = (
        b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (10**14,)}".ljust(117) + b"\n"
    )
    for shape in (b"(99999999999999,)", b"(-3,)", b"(9,"):
        with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
            archive.writestr("mass.npy", header.replace(b"(10**14,)", shape)[:127].ljust(127) + b"\n")
        assert "is no .npz file of plain arrays: " in refused(tmp_path, content=(tmp_path / "huge.npz").read_bytes())
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mass.npy", bytes(100_000))
    assert "unpacks to more than 0.005 MB" in refused(tmp_path, content=(tmp_path / "bomb.npz").read_bytes())


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"body": {"damping_ratio": [0.1, 0.2]}}, "plate.damping_ratio: 2 damping ratios for 3 modes\n    write one"),
        ({"body": {"modes": 0}}, "bodies.plate.modes: "),
        (
            {"outputs": {"c": "plate.com.z"}},
            "bodies.plate: outputs names plate.com, but a body that bends has no centre",
        ),
        (
            {
                "joints": {
                    "fly": {"type": "free", "parent": "ground", "child": {"body": "plate", "position": [1, 0, 0]}}
                }
            },
            "joints.fly.child: places on the modal body 'plate' are its interface nodes\n"
            "    name an interface node: plate.p0, plate.p1, ",
        ),
        ({"gravity": [0, 0, "-9.81*(1 + x)"]}, "gravity that depends on the place is not known to bodies"),
        ({"planar": "xz"}, "bodies.plate: a mode leaves the plane xz (written out as joints.plate_modes)"),
        (
            {"joints": {"fly": {"type": "free", "parent": "ground", "child": "plate.p0"}}},
            "bodies.plate: the modal body 'plate' hangs at interface nodes alone, and no joint holds its frame",
        ),
    ],
)
def test_what_cannot_be_done_with_a_modal_body_is_refused(tmp_path, model, said):
    assert said in refused(tmp_path, **model)


def test_a_file_lies_beside_the_model(tmp_path):
    text = (
        "cardan: 1\nbodies:\n  rod: {type: modal, file: %s}\njoints:\n  fly: {type: free, parent: ground, child: rod}\n"
    )
    (tmp_path / "rod.yaml").write_text(text % "rod.npz")
    written(tmp_path / "rod.npz", beam_fields())
    model = cardan.load(tmp_path / "rod.yaml")
    assert loads(dump(model)) == model  # what is written holds the numbers of the file
    assert [*model.joints] == ["fly", "rod_modes"]
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "rod.yaml").write_text(text % "../rod.npz")
    with pytest.raises(ModelError, match=r"rod\.yaml:3: bodies\.rod\.file: the file '\.\./rod\.npz' lies outside"):
        cardan.load(tmp_path / "inner" / "rod.yaml")


def test_in_a_loop_it_starts_with_the_velocities_of_a_rigid_body(tmp_path):
    """The coupler of a crank that turns at 10 rad/s turns against it about the slider, and does not bend at once."""
    hinge = {"type": "revolute", "axis": "-y"}
    model = cardan.Model(
        planar="xz",
        bodies={
            "crank": {"mass": 0.5, "inertia": [0, 1e-3, 0], "markers": {"pin": {"position": [0.15, 0, 0]}}},
            "rod": {"type": "modal", "file": written(tmp_path / "beam.npz", beam_fields())},
            "slider": {"mass": 0.3},
        },
        joints={
            "crank": hinge | {"parent": "ground", "child": "crank"},
            "pin": hinge | {"parent": "crank.pin", "child": "rod"},
            "guide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
            "wrist": hinge | {"parent": "rod.tip", "child": "slider"},
        },
        motions={"crank": "10*t"},
        initial={"guide": {"guess": 1.35}},
    )
    run = cardan.simulate(model, times=[0.0])
    assert [run.array(f"rod_modes.q{k}.v")[0] for k in range(1, 7)] == pytest.approx([0] * 6, abs=1e-12)
    assert run.array("pin.v")[0] == pytest.approx(-10 - 10 * 0.15 / 1.2)
