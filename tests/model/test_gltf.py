"""Meshes from glTF files: the same solid as from OBJ, with the placements of nodes; what is not read says so."""

import base64
import json
import struct

import numpy as np
import pytest

from cardan.errors import ModelError
from cardan.model.meshes import gltf as reader
from cardan.model.meshes import read_mesh, solid_of_mesh

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<u2")
DATA = CORNERS.tobytes() + FACES.tobytes()


def _scene(node=None, **changes):
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, **(node or {})}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}, {"attributes": {}, "mode": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4},
            {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 12},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": len(DATA)}],
        **changes,
    }


def _glb(path, scene):
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(DATA), b"BIN\0") + DATA
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
    return path


def test_a_tetrahedron_is_the_same_solid_in_both_forms(tmp_path):
    binary = _glb(tmp_path / "a.glb", _scene())
    inside = {"buffers": [{"uri": "data:application/octet-stream;base64," + base64.b64encode(DATA).decode()}]}
    (tmp_path / "a.gltf").write_text(json.dumps(_scene(**inside)))
    np.testing.assert_array_equal(read_mesh(binary), CORNERS[FACES])
    np.testing.assert_array_equal(read_mesh(tmp_path / "a.gltf"), CORNERS[FACES])
    assert solid_of_mesh(str(binary))[:4] == pytest.approx((1 / 6, 1 / 4, 1 / 4, 1 / 4))


def test_nodes_place_their_meshes(tmp_path):
    half = np.sqrt(0.5)
    node = {"translation": [1, 2, 3], "rotation": [0, 0, half, half], "scale": [2, 2, 2]}  # 90° about z
    found = read_mesh(_glb(tmp_path / "a.glb", _scene(node)))
    turned = 2 * CORNERS @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]]) + [1, 2, 3]
    np.testing.assert_allclose(found, turned[FACES], atol=1e-12)
    matrix = {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]}
    np.testing.assert_allclose(
        read_mesh(_glb(tmp_path / "b.glb", _scene(matrix))), (CORNERS + np.array([5, 6, 7]))[FACES]
    )
    nested = _scene(nodes=[{"children": [1], "translation": [1, 0, 0]}, {"mesh": 0, "translation": [0, 1, 0]}])
    np.testing.assert_allclose(read_mesh(_glb(tmp_path / "c.glb", nested)), (CORNERS + np.array([1, 1, 0]))[FACES])


@pytest.mark.parametrize(
    ("scene", "fault"),
    [
        (_scene(extensionsRequired=["KHR_draco_mesh_compression"]), "export it without compression"),
        (_scene(nodes=[{"children": [0]}]), "node 0 stands in two places"),
        (_scene(nodes=[{"children": [k + 1]} for k in range(99)]), "64 deep in each other"),
        (_scene(buffers=[{"uri": "other.bin"}]), "export it as .glb"),
        (_scene(accessors=[{"componentType": 5126, "type": "VEC3", "count": 4}] * 2), "sparse"),
        (_scene(bufferViews=[{"buffer": 0}, {"buffer": 0, "byteOffset": 60}]), "reaches beyond its buffer"),
        (_scene(bufferViews=[{"buffer": 0, "byteStride": 1}, {"buffer": 0, "byteOffset": 48}]), "does not fit"),
        (_scene(scenes=[]), "is damaged"),
        (_scene(nodes=[5]), "is damaged"),
        (_scene(nodes=[]), "is damaged"),
    ],
)
def test_files_that_are_damaged_or_not_read_say_so(tmp_path, scene, fault):
    with pytest.raises(ModelError, match=fault):
        read_mesh(_glb(tmp_path / "a.glb", scene))


def test_what_is_no_gltf_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a.glb").write_bytes(b"solid something else entirely")
    with pytest.raises(ModelError, match="does not begin as a binary glTF file"):
        read_mesh(tmp_path / "a.glb")
    (tmp_path / "a.gltf").write_text("[]")
    with pytest.raises(ModelError, match="is damaged"):
        read_mesh(tmp_path / "a.gltf")
    monkeypatch.setattr(reader, "_MOST", 3)
    with pytest.raises(ModelError, match="more than 3 triangles"):
        read_mesh(_glb(tmp_path / "b.glb", _scene()))
