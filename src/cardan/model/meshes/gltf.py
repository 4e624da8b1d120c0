"""Triangles of glTF 2.0, in one file: binary (.glb), or text with its buffers inside (.gltf).

Materials, skins and animations are left out; the axes are those of the file.

Source: Khronos, glTF 2.0 (ISO/IEC 12113:2022)
"""

import base64
import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from cardan.spatial.rotations import matrices_of

_MOST = 2_000_000  # triangles: as many as an STL file of the largest size holds
_DEEPEST = 64  # nodes inside each other
_KINDS = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COUNTS = {"SCALAR": 1, "VEC3": 3}
_TRIANGLES = 4


def read_glb(content: bytes) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles in a binary file."""
    if content[:4] != b"glTF" or len(content) < 20:
        raise ValueError("it does not begin as a binary glTF file")
    chunks: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(content):
        length, kind = struct.unpack_from("<I4s", content, at)
        chunks.setdefault(kind, content[at + 8 : at + 8 + length])
        at += 8 + length
    return _triangles(json.loads(chunks[b"JSON"]), chunks.get(b"BIN\0"))


def read_gltf(content: bytes) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles in a text file."""
    return _triangles(json.loads(content), None)


def _triangles(scene: dict[str, Any], binary: bytes | None) -> np.ndarray:
    required = scene.get("extensionsRequired")
    if required:
        raise ValueError(f"it needs {required!r:.60}, which is not read; export it without compression")
    buffers = [_buffer(entry, binary) for entry in scene.get("buffers", ())]
    roots = scene["scenes"][scene.get("scene", 0)]["nodes"]
    parts, count = [np.empty((0, 3, 3))], 0
    for mesh, T in _placed(scene, roots, np.eye(4), set()):
        for primitive in scene["meshes"][mesh]["primitives"]:
            if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
                continue  # points and lines enclose nothing
            corners = _accessor(scene, buffers, primitive["attributes"]["POSITION"]).astype(float)
            if "indices" in primitive:
                corners = corners[_accessor(scene, buffers, primitive["indices"]).ravel()]
            parts.append((corners @ T[:3, :3].T + T[:3, 3]).reshape(-1, 3, 3))
            count += len(parts[-1])
            if count > _MOST:
                raise ValueError(f"it has more than {_MOST} triangles")
    return np.concatenate(parts)


def _buffer(entry: dict[str, Any], binary: bytes | None) -> bytes:
    address = entry.get("uri")
    if address is None and binary is not None:
        return binary
    head, comma, data = str(address).partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        raise ValueError("its numbers stand in another file; export it as .glb")
    return base64.b64decode(data)


def _placed(
    scene: dict[str, Any], nodes: list[int], T: np.ndarray, seen: set[int], depth: int = 0
) -> Iterator[tuple[int, np.ndarray]]:
    """Every mesh with its placement (4×4); a node stands in one place."""
    if depth > _DEEPEST:
        raise ValueError(f"its nodes stand more than {_DEEPEST} deep in each other")
    for index in nodes:
        if index in seen:
            raise ValueError(f"node {index} stands in two places")
        seen.add(index)
        node = scene["nodes"][index]
        inner = T @ _local(node)
        if "mesh" in node:
            yield node["mesh"], inner
        yield from _placed(scene, node.get("children", []), inner, seen, depth + 1)


def _local(node: dict[str, Any]) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T  # by columns
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    T = np.eye(4)
    T[:3, :3] = matrices_of(np.array([w, x, y, z])) * np.array(node.get("scale", (1, 1, 1)), dtype=float)
    T[:3, 3] = node.get("translation", (0, 0, 0))
    return T


def _accessor(scene: dict[str, Any], buffers: list[bytes], index: int) -> np.ndarray:
    """Numbers (count, components) of an accessor."""
    accessor = scene["accessors"][index]
    if "sparse" in accessor or "bufferView" not in accessor:
        raise ValueError("it has sparse accessors, which are not read")
    view = scene["bufferViews"][accessor["bufferView"]]
    kind, width = np.dtype(_KINDS[accessor["componentType"]]), _COUNTS[accessor["type"]]
    count, stride = int(accessor["count"]), int(view.get("byteStride", kind.itemsize * width))
    begin = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
    data = buffers[view["buffer"]]
    if not (begin >= 0 and stride >= kind.itemsize * width and 0 < count <= len(data)):
        raise ValueError("an accessor does not fit into its buffer")
    if begin + stride * (count - 1) + kind.itemsize * width > len(data):
        raise ValueError("an accessor reaches beyond its buffer")
    return np.ndarray((count, width), kind, data, begin, (stride, kind.itemsize))
