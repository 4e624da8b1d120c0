"""Reactions of joints in file order, then of constraints; in the axes of a marker on request."""

from functools import partial

from cardan.channels.family import Family
from cardan.kinematics.tree import Number
from cardan.loads.reactions import Frame, labels, reactions
from cardan.model.likely import multiplier_units
from cardan.results.channel import Channel
from cardan.system.response import all_forces
from cardan.system.state import State
from cardan.system.system import System


def family(frame: Frame) -> Family:
    """The family of all reactions in the axes of a `frame`."""
    return Family(partial(channels, frame), partial(values, frame), on_request=frame != "world", frame=frame)


def channels(frame: Frame, system: System) -> list[Channel]:
    """Reactions of the `system` in the axes of a `frame`: what each joint and constraint transmits."""
    units = multiplier_units(system.model)
    return [
        Channel(
            label.name,
            label.unit or units(label.name.removesuffix(".force"), 0),
            label.components,
            "joint" if ".reaction_" in label.name else "force",
            label.description,
        )
        for label in labels(system.tree, frame)
    ]


def values(frame: Frame, system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state`, from accelerations `a` (nv,) and multipliers `lam` (c,), in the axes of a `frame`."""
    return reactions(system.tree, state.motion, a, lam, frame=frame, applied=all_forces(system, state))
