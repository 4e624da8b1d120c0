"""Bond graph of a mechanism: bodies, joints, loops and constraints, springs, forces, motors, drives.

Every body has its own velocities (maximal coordinates, as in the paper); joints, loops and gears bind them. Augmented,
each of these constraints has an unknown force, so that all inertias keep integral causality.

Source: Wang & Tao 2013, §3 and Fig. 10
"""

from collections.abc import Collection, Mapping, Sequence

import casadi as ca

from cardan.bond_graphs import Graph, GraphElement
from cardan.formulations.bond_graph.bodies import BodyFlows, add_body, body_flows
from cardan.formulations.bond_graph.constraints import add_equation, equations
from cardan.formulations.bond_graph.draft import Draft
from cardan.formulations.bond_graph.forces import add_force, add_point_force
from cardan.formulations.bond_graph.joints import AxisEffort, JointEnds, add_axis, add_joint, axis_name, ends_of
from cardan.formulations.bond_graph.motors import Armature, add_circuit, add_rotor, rotor_spin
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion
from cardan.kinematics.relations.prescribed import prescribed_rates
from cardan.kinematics.tree import Number, Tree, check_no_modes
from cardan.spatial.transforms import rotation


def mechanism_graph(
    tree: Tree,
    state: Motion,
    *,
    drives: Collection[int],
    efforts: Mapping[int, Number] | None = None,
    armatures: Mapping[str, Armature] | None = None,
    augmented: bool = True,
    forces: Sequence[PointForce] = (),
    further: Sequence[AxisEffort] = (),
    loops: bool = True,
    name: str = "",
) -> Graph:
    """Bond graph of a mechanism in a state; numbers of its elements are expressions of the state."""
    check_no_modes(tree, "bond graphs of mechanisms")
    efforts, armatures = efforts or {}, armatures or {}
    draft, bodies = Draft(augmented), body_flows(tree, state)
    spins = _spins(tree, state, bodies)
    known = {} if augmented else prescribed_rates(tree, state.t)
    for link, flows, spin in zip(tree.links, bodies, spins, strict=True):
        add_body(draft, tree, link, flows, spin)
    closing = equations(tree, state) if loops else []
    if loops and not augmented:
        closing += equations(tree, state, motions=True)
    named = {k for equation in closing for k in equation.velocities} | {rotor.v for rotor in tree.rotors}
    for index in range(len(tree.links)):
        ends = ends_of(tree, state, index)
        add_joint(draft, bodies, ends)
        _add_axes(draft, tree, state, bodies, ends, named, drives, efforts, known, further)
    for rotor in tree.rotors:
        add_rotor(draft, tree, state, bodies, rotor)
        if rotor.name in armatures:
            add_circuit(draft, rotor, armatures[rotor.name])
    for load in tree.loads:
        add_force(draft, tree, state, bodies, load)
    for force in forces:
        add_point_force(draft, state, bodies, force)
    for equation in closing:
        add_equation(draft, tree, state, bodies, equation)
    return draft.graph(name)


def _spins(tree: Tree, state: Motion, bodies: tuple[BodyFlows, ...]) -> list[Number]:
    """Angular momentum of the rotors on each link, body axes (3,)."""
    spins: list[Number] = [ca.DM(3, 1) for _ in bodies]
    for rotor in tree.rotors:
        if rotor.carrier is not None:
            axis = rotation(bodies[rotor.carrier].T_LB).T @ rotor.axis
            spins[rotor.carrier] = spins[rotor.carrier] + rotor.inertia * rotor_spin(rotor, state, bodies) * axis
    return spins


def _add_axes(
    draft: Draft,
    tree: Tree,
    state: Motion,
    bodies: tuple[BodyFlows, ...],
    ends: JointEnds,
    named: Collection[int],
    drives: Collection[int],
    efforts: Mapping[int, Number],
    flows: Mapping[int, Number],
    further: Sequence[AxisEffort],
) -> None:
    """The free axes of a joint on which something acts: springs, dampers, drives, gears, equations."""
    for row, k in enumerate(ends.link.v):
        velocity = tree.velocities[k].name
        stiff, damped = (not ca.SX(x[k]).is_zero() for x in (tree.stiffness, tree.damping))
        own = [x for x in further if x.velocity == k]
        if not (stiff or damped or k in named or k in drives or k in efforts or own):
            continue
        rate = add_axis(draft, tree, bodies, ends, k)
        assert rate == axis_name(velocity)
        if stiff:
            stretch = ca.SX(state.q[ends.link.q[row]] - tree.rest[k])
            stiffness = ca.SX(tree.stiffness[k])
            spring = GraphElement(f"{velocity}.spring", "C", stiffness, value=stretch, of=draft.of, note="spring")
            draft.port(spring, rate)
        if damped:
            damper = GraphElement(f"{velocity}.damper", "R", ca.SX(tree.damping[k]), of=draft.of, note="damper")
            draft.port(damper, rate)
        if k in drives and k in flows:
            source = GraphElement(f"{velocity}.motion", "Sf", value=flows[k], of=draft.of, note="prescribed motion")
            draft.port(source, rate)
        elif k in drives and (draft.augmented or k not in tree.driven):
            drive = GraphElement(f"{velocity}.drive", "Se", unknown="drive", of=draft.of, note="drive")
            draft.port(drive, rate)
        if k in efforts:
            draft.source(f"{velocity}.effort", rate, ca.SX(efforts[k]), "effort on the joint")
        for x in own:
            draft.source(f"{velocity}.{x.name}", rate, ca.SX(x.value), x.note)
