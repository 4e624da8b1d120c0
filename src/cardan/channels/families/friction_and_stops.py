"""Friction and end stops of joints: `slider.friction`, `.friction_limit`, `.sticking`, `.stop_force`; their states."""

import casadi as ca

from cardan.channels.family import Family
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.contacts.holding import (
    friction_efforts,
    friction_limits,
    group_of,
    held_efforts,
    held_parts,
    unknown_efforts,
)
from cardan.system.contacts.unknown_efforts import stopped
from cardan.system.state import State, blocks_at
from cardan.system.system import System

_EFFORTS = {"m/s": "N", "rad/s": "N*m"}  # unit of the effort by that of the velocity
_DESCRIPTIONS = {
    "slip": "1 or −1 while it slides forwards or backwards, 0 while it sticks; 1 while it slides in several directions",
    "direction": "component of the direction in which it slid when this phase began or had last turned by 45°",
    "bristle": "bend of the bristles",
    "heat": "heat of friction since the start",
    "stop": "−1 at the lower stop, 1 at the upper stop, else 0",
    "impulse": "impulse of the last impact at a stop",
    "impact_heat": "energy lost in impacts since the start",
    "impact_work": "energy that moving constraints supply at impacts, since the start",
}
"""Descriptions of states, by the last part of the name without the number of a component."""


def channels(system: System) -> list[Channel]:
    """Effort and sticking of each joint of the `system` with friction, then force of each one with stops."""
    out = []
    for block in system.frictions:
        unit = _EFFORTS[block.unit]
        note = f"effort of friction on {block.noun}"
        if block.law.prescribed:
            note += "; 0 while the motion rests, although any effort up to friction_limit is possible"
        is_shared = len(group_of(system, block).velocities) > 1
        if is_shared:
            note += "; joints that move only together share it so that the largest fraction of a limit is smallest"
        is_restricted = bool(block.parts) and group_of(system, block).freedoms < len(block.held)
        if is_restricted:
            note += "; several efforts hold it at rest: this is the smallest"
        unique = ("no",) if block.law.prescribed or is_shared or is_restricted else ()
        out.append(Channel(f"{block.name}.friction", unit, (), "joint", note, unique))
        if block.sticks or block.is_unknown:
            words = "largest effort that friction could hold there at rest"
            out.append(Channel(f"{block.name}.friction_limit", unit, (), "joint", words))
        held = f"1 while friction holds {block.noun}, else 0"
        out.append(Channel(f"{block.name}.sticking", "1", (), "joint", held))
        if block.turns:
            words = "of friction on the child, world axes"
            vector = ("no",) * 3 if is_shared or is_restricted else ()
            out.append(Channel(f"{block.name}.friction_force", "N", ("x", "y", "z"), "joint", f"force {words}", vector))
            if block.section == "joints":  # a constraint's point transmits no moment
                about = f"moment {words}, about the child marker"
                out.append(Channel(f"{block.name}.friction_moment", "N*m", ("x", "y", "z"), "joint", about, vector))
    for stop in system.stops:
        unit = _EFFORTS[system.tree.velocities[stop.velocity].unit]
        out.append(Channel(f"{stop.name}.stop_force", unit, (), "joint", "effort of the end stop on the joint"))
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values, in a `state` of the `system` with accelerations `a` (nv,) and multipliers `lam` (c,)."""
    states = {block.name: z for block, z, _ in blocks_at(system, state) if block in system.frictions}
    out: list[Number] = []
    unknown = unknown_efforts(system, state, (a, lam))
    efforts, limits = friction_efforts(system, state, unknown), friction_limits(system, state, (a, lam), unknown)
    at_stop, parts = stopped(system, state), held_parts(system, unknown)
    for block, effort, limit, held in zip(system.frictions, efforts, limits, parts, strict=True):
        along = effort - ca.norm_2(held) if block.parts else effort
        out += [along, *([limit] if block.sticks or block.is_unknown else [])]
        if block.law.prescribed:
            rate = block.slip(system.tree, state.motion).accelerations(a)[0]
            out += [1 - block.prescribed_slip_sign(block.speed(state.motion), rate) ** 2]
        else:
            free = 1 - at_stop.get(block.velocity, 0)
            out += [free * (1 - states[block.name][0] ** 2) if block.sticks else ca.SX(0)]
        if block.turns:
            assert block.relative is not None, "what turns has a relative motion"
            wrenches = [*block.forces(state.motion, states[block.name], ca.SX())]
            wrenches += [block.relative.force(state.motion, unknown[block.velocity])] if block.is_unknown else []
            wrenches += [part.force(state.motion, held[k]) for k, part in enumerate(block.parts)]
            out.append(ca.SX(sum(wrench.f for wrench in wrenches)))
            out += [ca.SX(sum(wrench.n for wrench in wrenches))] if block.section == "joints" else []
    rigid = any(block.is_rigid for block in system.stops)  # what holds them is left over in the equations of motion
    held = held_efforts(system, state, (a, lam)) if rigid else ca.SX()
    return out + [
        z[0] ** 2 * held[block.velocity] if block.is_rigid else block.effort(state.motion, z)
        for block, z, _ in blocks_at(system, state)
        if block in system.stops
    ]


def _state_channels(system: System) -> list[Channel]:
    """The states of friction and stops of the `system`, with descriptions."""
    return [
        Channel(name, unit, (), "joint", _DESCRIPTIONS[name.rpartition(".")[2].rstrip("123")])
        for block in (*system.frictions, *system.stops)
        for name, unit in zip(block.names, block.units, strict=True)
    ]


def _state_values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state`; `a` and `lam` are not needed."""
    of_block = {block.names: z for block, z, _ in blocks_at(system, state) if block.names}
    return [
        entry for block in (*system.frictions, *system.stops) for entry in ca.vertsplit(ca.SX(of_block[block.names]))
    ]


STATES = Family(_state_channels, _state_values)
"""States of friction and stops: whether they hold the joint, and the energy that it has lost."""
