"""Contacts: `floor.force`, `.normal`, `.gap`, `.slip`, `.point`, `.touching`, and their states with the `.heat`."""

from functools import reduce

import casadi as ca

from cardan.channels.families.places import XYZ
from cardan.channels.family import Family
from cardan.kinematics.tree import Number
from cardan.model.contacts.pairs.geometry import length_of
from cardan.results.channel import Channel
from cardan.system.contacts.shapes import ContactBlock
from cardan.system.state import State, blocks_at
from cardan.system.system import System

_DESCRIPTIONS = {
    "touch": "1 while it touches at this point, else 0",
    "approach": "speed with which the bodies met there last",
    "bristle": "bend of the bristles there, world axes",
    "turning": "bend of the bristles against rolling and spinning there, world axes",
    "heat": "heat of damping and friction since the start",
    "released": "elastic energy lost when bodies let go, since the start",
}
"""Descriptions of states, by the last part of the name without the number of a point and the axis."""


def channels(system: System) -> list[Channel]:
    """Force, where and how it acts, of each contact of the `system`."""
    out = []
    for block in system.contacts:
        name, several = block.name, block.count > 1
        out += [
            Channel(f"{name}.force", "N", XYZ, "force", "force on the side named first, world axes"),
            Channel(f"{name}.normal", "N", (), "force", f"normal force{', all points together' if several else ''}"),
            Channel(f"{name}.gap", "m", (), "force", "least distance; negative while shapes overlap"),
            Channel(f"{name}.slip", "m/s", (), "force", "sliding speed where it touches, else 0"),
            Channel(f"{name}.point", "m", XYZ, "force", "where the force acts, or where the shapes are nearest"),
            Channel(f"{name}.touching", "1", (), "force", "number of points that touch"),
        ]
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state` of the `system`; accelerations `a` and multipliers `lam` are not needed."""
    out: list[Number] = []
    for block, z, _ in blocks_at(system, state):
        if isinstance(block, ContactBlock):
            out += _values(block, state, z)
    return out


def _values(block: ContactBlock, state: State, z: Number) -> list[Number]:
    points = block.states(state.motion, z)
    N = [block.normal(point) for point in points]
    total, touches = sum(N), ca.vertcat(*(point.touching > 0.5 for point in points))
    force = sum(
        (n * point.at.touch.normal + block.rubbing(point)[0] for n, point in zip(N, points, strict=True)), ca.DM(3, 1)
    )
    gap = reduce(ca.fmin, (point.at.touch.gap for point in points))
    nearest = [ca.if_else(point.at.touch.gap == gap, 1, 0) for point in points]
    pushes = total > 0
    weights = [ca.if_else(pushes, n, near) for n, near in zip(N, nearest, strict=True)]
    whole = sum(weights)
    point = sum((w * each.at.touch.point for w, each in zip(weights, points, strict=True)), ca.DM(3, 1)) / whole
    slip = sum(n * length_of(each.at.slip) for n, each in zip(N, points, strict=True))
    return [force, ca.SX(total), gap, ca.if_else(pushes, slip / total, 0), point, ca.sum1(touches)]


def _state_channels(system: System) -> list[Channel]:
    """The states of the contacts of the `system`, with descriptions."""
    return [
        Channel(name, unit, (), "force", _DESCRIPTIONS[name.rpartition(".")[2].partition("_")[0].rstrip("0123456789")])
        for block in system.contacts
        for name, unit in zip(block.names, block.units, strict=True)
    ]


def _state_values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state`; `a` and `lam` are not needed."""
    of_contacts = [z for block, z, _ in blocks_at(system, state) if isinstance(block, ContactBlock)]
    return [entry for z in of_contacts for entry in ca.vertsplit(ca.SX(z))]


STATES = Family(_state_channels, _state_values)
"""States of contacts: where they touch, how bristles are bent, and the energy that was lost."""
