"""Triangles from COLLADA files, by the library pycollada.

Units of the file are metres here; the axis that it calls up is not turned, as in RViz: in a robot's file the frame of
the mesh is that of its numbers.
"""

import io
from typing import Any

import numpy as np

from cardan.errors import ModelError


def read_collada(content: bytes) -> np.ndarray:
    """Corners (n, 3, 3) of the triangles in a scene [m]."""
    try:
        import collada.common as kinds
        from collada import Collada
    except ImportError:
        raise ModelError("COLLADA meshes need the library pycollada", "pip install pycollada") from None
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError("it is not XML, or declares a document type")
    try:
        document = Collada(
            io.BytesIO(_without_materials(content)), ignore=[kinds.DaeUnsupportedError, kinds.DaeBrokenRefError]
        )
        shown = [] if document.scene is None else document.scene.objects("geometry")
        found = [
            np.asarray(part.vertex)[np.asarray(part.vertex_index)]
            for solid in shown
            for part in map(_triangles, solid.primitives())
            if part is not None
        ]
    except kinds.DaeError as error:
        raise ValueError(str(error)) from None
    return np.concatenate(found or [np.empty((0, 3, 3))]) * (document.assetInfo.unitmeter or 1.0)


def _without_materials(content: bytes) -> bytes:
    """The file without what binds colours to solids: one whose picture is missing would take its solid with it."""
    begin, *others = content.split(b"<bind_material>")
    return b"".join([begin, *(one.partition(b"</bind_material>")[2] for one in others)])


def _triangles(part: Any) -> Any:
    """A primitive as triangles; None for lines."""
    if hasattr(part, "triangleset"):
        return part.triangleset()
    return part if type(part).__name__ == "BoundTriangleSet" else None
