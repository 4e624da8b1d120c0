"""Friction and end stops of joints: `slider.friction`, `.friction_limit`, `.sticking`, `.stop_force`; their states."""

import casadi as ca

from cardan.channels.family import Family
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.contacts.holding import group_of, held_efforts, unknown_efforts
from cardan.system.contacts.unknown_efforts import load_friction, stopped
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
            about = f"moment {words}, about the child marker"
            out.append(Channel(f"{block.name}.friction_moment", "N*m", ("x", "y", "z"), "joint", about, vector))
    for stop in system.stops:
        unit = _EFFORTS[system.tree.velocities[stop.velocity].unit]
        out.append(Channel(f"{stop.name}.stop_force", unit, (), "joint", "effort of the end stop on the joint"))
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values, in a `state` of the `system` with accelerations `a` (nv,) and multipliers `lam` (c,)."""
    states = {block.name: z for block, z, _ in blocks_at(system, state) if block in system.frictions}
    out = list[Number]()
    unknown, loaded, at_stop = (
        unknown_efforts(system, state, (a, lam)),
        load_friction(system, state),
        stopped(system, state),
    )
    limits = {} if loaded is None else loaded.limits(a, lam, unknown)
    for block in system.frictions:
        z, motion = states[block.name], state.motion
        held = ca.vertcat(*(unknown[k] for k in block.held))
        effort = block.effort(motion, z) + unknown.get(block.velocity, 0)
        out.append(effort - ca.norm_2(held) if block.parts else effort)
        if block.sticks or block.is_unknown:
            out.append(limits.get(block.velocity, block.law_at(motion).holding))
        if block.law.prescribed:
            rate = block.slip(system.tree, motion).accelerations(a)[0]
            out.append(1 - block.prescribed_slip_sign(block.speed(motion), rate) ** 2)
        else:
            free = 1 - at_stop.get(block.velocity, 0)
            out.append(free * (1 - z[0] ** 2) if block.sticks else ca.SX(0))
        if block.turns:
            assert block.relative is not None, "what turns has a relative motion"
            wrenches = [*block.forces(motion, z, ca.SX())]
            wrenches += [block.relative.force(motion, unknown[block.velocity])] if block.is_unknown else []
            wrenches += [part.force(motion, held[k]) for k, part in enumerate(block.parts)]
            out += [ca.SX(sum(wrench.f for wrench in wrenches)), ca.SX(sum(wrench.n for wrench in wrenches))]
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
