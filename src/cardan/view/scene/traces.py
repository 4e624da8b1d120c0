"""Points whose paths a picture shows."""

import re
from collections.abc import Sequence

import numpy as np

from cardan.errors import ModelError, nearest
from cardan.model.place import GROUND, split
from cardan.view.scene.motion import ShownMotion
from cardan.view.scene.records import Trace

_MOST = 6  # paths that are chosen without being named
_POINT = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\.(?:position|v?[xyz])\b")


def traces(motion: ShownMotion, names: Sequence[str] | None) -> list[Trace]:
    """Paths of points by name; without names of those in the outputs, else of markers that no joint uses."""
    known = _known(motion)
    for name in names or ():
        if name not in known:
            raise ModelError(f"there is no body or marker {name!r:.60} to trace", nearest(name, known))
    chosen = list(names) if names is not None else _chosen(motion, known)
    return [Trace(name, motion.place(name)) for name in chosen]


def _known(motion: ShownMotion) -> list[str]:
    bodies = motion.model.bodies
    return [
        end for name, body in bodies.items() for end in (name, f"{name}.com", *(f"{name}.{m}" for m in body.markers))
    ]


def _chosen(motion: ShownMotion, known: Sequence[str]) -> list[str]:
    written = " ".join(str(value) for value in motion.model.outputs.values())
    named = [name for name in _POINT.findall(written) if name in known]
    used = {end for joint in motion.joints.values() for end in (joint.parent, joint.child)}
    for section in (motion.model.constraints, motion.forces):
        used |= {getattr(one, side, "") for one in section.values() for side in ("parent", "child")}
    free = [f"{name}.{m}" for name, body in motion.model.bodies.items() for m in body.markers]
    candidates = named or [name for name in free if name not in used] or [f"{[*motion.model.bodies][-1]}.com"]
    out: list[str] = []
    for name in dict.fromkeys(candidates):
        path = motion.origin(motion.place(name))
        if split(name)[0] in (GROUND, *motion.still) or not np.ptp(path, axis=0).any():
            continue
        if not any(np.allclose(path, motion.origin(motion.place(other))) for other in out):
            out.append(name)
    return out[:_MOST]
