"""A scene as plain values, which JSON can hold; arrays as base64 of 32-bit numbers, smallest byte first."""

import base64
from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.spatial.rotations import to_quaternion
from cardan.view.scene.records import Arrow, BentRod, Mount, Scene

FORMAT = 1
"""Version of the document."""


def packed(array: Any) -> str:
    """An array as base64 text: whole numbers as uint32, all others as float32, in C order."""
    values = np.asarray(array)
    kind = "<u4" if values.dtype.kind in "ui" else "<f4"
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def scene_document(scene: Scene) -> dict[str, Any]:
    """The scene in plain values.

    Bodies are numbered in the order of the file; −1 is the ground. A place is body, position and quaternion
    (w, x, y, z) in body axes.
    """
    index = {name: k for k, name in enumerate(scene.bodies)} | {"ground": -1}

    quaternion = _quaternion()

    def rings(rod: BentRod) -> list[list[float]]:
        return [[index[k.a], index[k.b], k.u, _short(k.xa), _short(k.xb)] for k in rod.rings]

    def place(one: Mount) -> dict[str, Any]:
        e = np.array(quaternion(one.R), dtype=float).ravel()
        return {"body": index[one.body], "p": _rounded(one.p), "e": _rounded(e)}

    return {
        "format": FORMAT,
        "title": scene.title,
        "instants": packed(scene.instants),
        "bodies": [{"name": name, "colour": scene.colours[name]} for name in scene.bodies],
        "poses": packed(np.concatenate([scene.positions, scene.orientations], axis=2)),
        "parts": [
            {"owner": p.owner, "layer": p.layer, "form": _plain(p.form), "at": place(p.place), "colour": p.colour}
            for p in scene.parts
        ],
        "rotors": [
            {"owner": r.owner, "layer": r.layer, "form": _plain(r.form), "at": place(r.place), "angle": packed(r.angle)}
            for r in scene.rotors
        ],
        "links": [
            {"owner": k.owner, "kind": k.kind, "a": place(k.a), "b": place(k.b), **_sizes(k.radius, k.length)}
            for k in scene.links
        ],
        "rods": [
            {"owner": r.owner, "outline": packed(r.outline), "round": r.is_round, "colour": r.colour, "rings": rings(r)}
            for r in scene.rods
        ],
        "traces": [{"name": t.name, "at": place(t.place)} for t in scene.traces],
        "arrows": [
            {"name": a.name, "layer": a.layer, "what": a.what, "at": place(a.place), **_load(a)} for a in scene.arrows
        ],
        "up": _rounded(scene.up),
        "normal": None if scene.normal is None else _rounded(scene.normal),
        "low": _rounded(scene.low),
        "high": _rounded(scene.high),
        "size": _short(scene.size),
    }


def _quaternion() -> ca.Function:
    R = ca.SX.sym("R", 3, 3)
    return ca.Function("quaternion", [R], [ca.densify(to_quaternion(R))])


def _sizes(radius: float, length: float) -> dict[str, float]:
    return {"radius": _short(radius), "length": _short(length)}


def _load(arrow: Arrow) -> dict[str, Any]:
    """What says how long it is; a load that never changes, such as a weight, has one row."""
    value = arrow.value if np.ptp(arrow.value, axis=0).any() else arrow.value[:1]
    path = {} if arrow.path is None else {"path": packed(arrow.path)}
    return {"typical": _short(arrow.typical), "value": packed(value), **path}


def _short(value: float) -> float:
    """With the digits of a 32-bit number."""
    return float(f"{float(value):.8g}")


def _rounded(values: np.ndarray) -> list[float]:
    return [_short(value) for value in values]


def _plain(form: Mapping[str, Any]) -> dict[str, Any]:
    return {key: packed(value) if isinstance(value, np.ndarray) else value for key, value in form.items()}
