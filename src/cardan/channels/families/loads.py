"""Loads of force elements in file order; in the axes of a marker on request."""

from functools import partial

from cardan.channels.families.places import XYZ
from cardan.channels.family import Family
from cardan.kinematics.loads import load_wrench
from cardan.kinematics.motion import marker_motion
from cardan.kinematics.tree import LoadPlacement, Number
from cardan.loads.reactions import Frame
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System


def family(frame: Frame) -> Family:
    """The family of the loads of all force elements in the axes of a `frame`."""
    return Family(partial(channels, frame), partial(values, frame), on_request=frame != "world")


def channels(frame: Frame, system: System) -> list[Channel]:
    """Force or moment of each force element of the `system`, in the axes of a `frame`."""
    end, axes = ("", "") if frame == "world" else (f".{frame}", f", {frame} marker's axes")
    words = {"force": ("N", f"force on the child{axes}"), "moment": ("N*m", f"moment on the child{axes}")}
    return [
        Channel(f"{load.name}.{what}{end}", words[what][0], XYZ, "force", words[what][1])
        for load in system.tree.loads
        if not load.given
        for what in load.record.transmits
    ]


def values(frame: Frame, system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state` of the `system`, in the axes of a `frame`; `a` and `lam` are not needed."""
    out = []
    for load in system.tree.loads:
        if load.given:
            continue
        wrench, R = load_wrench(system.tree, state.motion, load), _axes(state, load, frame)
        both = {"force": wrench.f, "moment": wrench.n}
        out += [both[what] if R is None else R.T @ both[what] for what in load.record.transmits]
    return out


def _axes(state: State, load: LoadPlacement, frame: Frame) -> Number | None:
    """Axes of one of the markers of a force element in the world (3×3); None for the world's own."""
    if frame == "world":
        return None
    return marker_motion(state.motion, load.child if frame == "child" else load.parent).R
