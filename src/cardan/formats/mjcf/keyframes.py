"""A keyframe of a file as the start of a model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.errors import ModelError, nearest
from cardan.formats.mjcf.joints import MjcfJoint, velocity_of
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.tree import XmlElement, all_numbers
from cardan.model.joints import JOINTS


def keyframe_of(top: XmlElement, name: str | None) -> XmlElement | None:
    """The keyframe of a name, or the first; None without one, and for the name "none", if no keyframe has it."""
    listed = [key for section in top.all("keyframe") for key in section.all("key")]
    if name is None:
        return next(iter(listed), None)
    named = {key.attributes["name"]: key for key in listed if "name" in key.attributes}
    if name not in named and name != "none":
        raise ModelError(f"there is no keyframe {name!r:.60}", nearest(name, [*named, "none"]))
    return named.get(name)


def start_of(key: XmlElement, joints: Sequence[MjcfJoint], notes: Notes) -> dict[str, Any]:
    """Initial values of a model, for the joints in the order of the file."""
    counts = [len(JOINTS[one.type].coordinates) for one in joints]
    q = _numbers(key, "qpos", sum(counts), notes)
    v = _numbers(key, "qvel", sum(len(one.motions) for one in joints), notes)
    found: dict[str, Any] = {}
    for one, nq in zip(joints, counts, strict=True):
        nv = len(one.motions)
        if q[:nq]:
            found[one.name] = _position(q[:nq], one.ref)
        if any(v[:nv]):
            found |= dict(zip(map(velocity_of, one.motions), v[:nv], strict=True))
        q, v = q[nq:], v[nv:]
    return found


def _position(q: Sequence[float], ref: float) -> Any:
    """The value of a joint with one coordinate, four of a ball, or seven of a free body."""
    if len(q) == 1:
        return q[0] - ref
    e = np.array(q[-4:]) / (np.linalg.norm(q[-4:]) or 1.0)
    place = {"position": list(q[:-4])} if q[:-4] else {}
    return place | {"quaternion": e.tolist() if e.any() else [1, 0, 0, 0]}


def _numbers(key: XmlElement, attribute: str, count: int, notes: Notes) -> tuple[float, ...]:
    """As many numbers as there are coordinates; none, and a note, where there are more or fewer."""
    found = all_numbers(key, attribute)
    if len(found) not in (0, count):
        notes.add(f"{attribute} of a keyframe, which has {len(found)} numbers for {count}", key.place)
        return ()
    return found
