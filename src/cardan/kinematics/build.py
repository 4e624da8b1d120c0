"""The one gate from names to indices: a Model becomes a Tree.

Joints are put in an order in which every link's parent comes first; coordinates keep the file's order. Constant
quantities are computed here, so that literal numbers fold into constants.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal, cast

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.kinematics.places import body_inertia, placement
from cardan.kinematics.relations.prescribed import prescribed
from cardan.kinematics.reversed import Reversed
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import GROUND, Coordinate, Cut, Link, LoadPlacement, Number, Place, Rotor, Tree
from cardan.kinematics.weights import weights
from cardan.model.body import Body, Ground
from cardan.model.graphs.equations import graph_equations
from cardan.model.joints import Joint
from cardan.model.model import Model
from cardan.model.motions.following import followed_states
from cardan.model.motors import Motor
from cardan.model.motors.stators import stators
from cardan.model.place import GROUND as WORLD
from cardan.model.place import InlinePlace
from cardan.model.plane import NORMALS
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.walk import elements
from cardan.model.sections import uniform_gravity
from cardan.model.solids import MassProperties
from cardan.model.topology import spanning_tree
from cardan.settings import Motors
from cardan.spatial import inertia
from cardan.spatial.transforms import inverse, pose, rotation

MotorModel = Literal[Motors, "steady"]
"""How motors are modelled; "steady" is "full" with L di/dt = 0 in motors that drive no motion: kineto-statics."""

_UPRIGHT = ca.DM([0, 0, 1])  # axis of a rotor that no body carries
Ranges = Mapping[str, tuple[int, ...]]


def build(model: Model, motors: MotorModel = "full", p: Number | None = None) -> Tree:
    """Tree of a model."""
    names = tuple(model.parameters)
    p = ca.vertcat(ca.SX(0, 1), *(ca.SX.sym(name) for name in names)) if p is None else p
    number = partial(evaluate, lookup=partial(parameter_value, names, p))
    joints = {name: joint.resolved(number) for name, joint in model.joints.items()}
    bodies = {name: body.resolved(number) for name, body in model.bodies.items()}
    bases: dict[str, Body | Ground] = {WORLD: model.ground.resolved(number), **bodies}
    topology = spanning_tree(model.joints, model.bodies)
    if topology.lost:
        fault = f"nothing joins {', '.join(sorted(topology.lost))} to the ground"
        raise ModelError(Issue(fault, "add a joint with parent: ground (type: free for a flying body)", ("joints",)))
    cut = {name: joints[name] for name in topology.cut}
    joints = {name: joint for name, joint in joints.items() if name not in cut}
    v_of = _ranges(joints, lambda joint: joint.nv)
    links = _links(topology.carrying, joints, bases, v_of)
    index = {WORLD: GROUND} | {link.name: i for i, link in enumerate(links)}
    places = _places(links, index, bases)
    inline = {end: _place(end.resolved(number), links, index, bases) for end in _inline_ends(model)}
    with_rotors = {} if motors == "none" else model.motors
    rotors = {name: motor.mechanical().resolved(number) for name, motor in with_rotors.items()}
    carriers = stators(model)
    placed = tuple(_rotor(name, motor, carriers.get(name), joints, v_of, links) for name, motor in rotors.items())
    moving = (_components(joints, lambda joint: joint.coordinates), _components(joints, lambda joint: joint.velocities))
    motions = prescribed(model, *moving)
    driven = {k for motion in motions for k in motion.drives}
    return Tree(
        links=_with_stators(links, placed),
        coordinates=moving[0],
        velocities=moving[1],
        neutral=tuple(x for joint in joints.values() for x in joint.neutral),
        gravity=ca.vertcat(*(number(entry) for entry in uniform_gravity(model))),
        stiffness=_per_velocity(joints, "stiffness"),
        rest=_per_velocity(joints, "rest"),
        damping=_per_velocity(joints, "damping"),
        parameters=names,
        p=p,
        places=places,
        inline=inline,
        ends={name: (joint.parent, joint.child) for name, joint in model.joints.items()},
        loads=(
            *_loads(model, number, places, inline),
            *_given(model, places, inline),
            *weights(model, partial(parameter_value, names, p), bodies, places),
        ),
        rotors=(*placed, *_armatures(joints, v_of), *_hung(model, names, p, moving[1])),
        signals=(
            *(f"{rotor.name}.current" for rotor in placed if rotor.v not in driven),
            *model.states,
            *graph_signals(model),
            *(f"{rotor.name}.demand" for rotor in placed if rotor.v not in driven and model.motors[rotor.name].applied),
        ),
        lets=model.let,
        cuts=tuple(_cut(name, joint, bases, links, index) for name, joint in cut.items()),
        constraints={name: record for name, record in model.constraints.items() if not record.drives},
        bound={name: record for name, record in model.constraints.items() if record.places is not None},
        motions=motions,
        normal=None if model.planar is None else ca.DM(NORMALS[model.planar]),
        followed={name: model.states[name] for name in followed_states(model)},
    )


def _loads(
    model: Model, number: Callable[[Scalar], Number], places: Mapping[str, Place], inline: Mapping[InlinePlace, Place]
) -> Iterator[LoadPlacement]:
    """Placements of all force laws."""
    for name, load in model.forces.items():
        parent, child = (
            inline[end] if isinstance(end, InlinePlace) else places[end] for end in (load.parent, load.child)
        )
        yield LoadPlacement(name, load if load.follows_motion else load.resolved(number), parent, child)


def _given(model: Model, places: Mapping[str, Place], inline: Mapping[InlinePlace, Place]) -> Iterator[LoadPlacement]:
    """Placements of the given parts of the constraints' reactions."""
    for name, record in model.constraints.items():
        if record.given is not None and record.places is not None:
            parent, child = (inline[end] if isinstance(end, InlinePlace) else places[end] for end in record.places)
            law = record.given.named(name).force(record.places)
            yield LoadPlacement(name, law, parent, child, given=True, on_path=record.given.frame == "path")


def graph_signals(model: Model) -> tuple[str, ...]:
    """Names of the states of all graphs, in their order."""
    names = tuple(model.parameters)
    return tuple(
        f"{name}.{state}"
        for name, graph in model.graphs.items()
        for state in graph_equations(name, graph, names).states
    )


def _armatures(joints: Mapping[str, Joint], v_of: Ranges) -> Iterator[Rotor]:
    """Inertias that are geared to joints, of drives that the model does not describe further."""
    for name, joint in joints.items():
        if joint.armature is not None:
            for v, inertia in zip(v_of[name], joint.per_velocity("armature"), strict=True):
                yield Rotor(f"{name}.armature", v, ca.DM(1), inertia, ca.DM(1, 1), None, _UPRIGHT, of_motor=False)


def _hung(model: Model, names: tuple[str, ...], p: Number, velocities: tuple[Coordinate, ...]) -> Iterator[Rotor]:
    """Inertias that graphs hang on joints: of stores that follow a port without delay."""
    at = {entry.name: k for k, entry in enumerate(velocities)}
    for name, graph in model.graphs.items():
        equations = graph_equations(name, graph, names)
        sizes = (
            len(x) for x in (equations.states, equations.inputs, equations.names, equations.ports, equations.ports)
        )
        inertia = equations.inertia(*(ca.DM.zeros(n) for n in sizes), p)
        for k, port in enumerate(equations.ports):
            if not ca.SX(ca.sparsify(inertia[k])).is_zero():
                joint = graph.elements[port].joint  # type: ignore[attr-defined]
                yield Rotor(
                    f"{name}.{port}", at[joint], ca.DM(1), inertia[k], ca.DM(1, 1), None, _UPRIGHT, of_motor=False
                )


def velocity_of(motor: Motor, joints: Mapping[str, Joint]) -> tuple[str, str]:
    """(joint, suffix) of the velocity a motor drives: `joint: arm` or, where the joint has several, `joint: arm.r`."""
    joint, suffix = motor.driven
    suffixes = [known for known, _ in joints[joint].velocities]
    if suffix not in suffixes:
        known = ", ".join(joint + other for other in suffixes) or "none: it does not move"
        raise ModelError(f"{motor.joint!r} is not one degree of freedom", f"degrees of freedom of {joint!r}: {known}")
    return joint, suffix


def _ranges(joints: Mapping[str, Joint], size: Callable[[Joint], int]) -> Ranges:
    """Indices of each joint's entries in a column that follows the file's order."""
    out, start = {}, 0
    for name, joint in joints.items():
        out[name] = tuple(range(start, start + size(joint)))
        start += size(joint)
    return out | {name: out[joint.shares] for name, joint in joints.items() if joint.shares}


def _links(
    carrying: tuple[str, ...], joints: Mapping[str, Joint], bodies: Mapping[str, Body | Ground], v_of: Ranges
) -> tuple[Link, ...]:
    """Links from the ground outwards."""
    q_of = _ranges(joints, lambda joint: joint.nq)
    links: list[Link] = []
    index = {WORLD: GROUND}
    for name in carrying:
        link = _link(name, joints[name], bodies, index, links, q_of[name], v_of[name])
        index[link.name] = len(links)
        links.append(link)
        links += _masses(name, joints[name], link)
    return tuple(links)


def _masses(name: str, joint: Joint, node: Link) -> Iterator[Link]:
    """Links of the points of mass of a body that bends, beside the link of its interface node."""
    for k, (m, r, law) in enumerate(joint.masses(name)):
        own = MassProperties(ca.DM(m), ca.DM(3, 1), ca.DM(3, 3))
        yield replace(
            node,
            name=f"{name}#{k + 1}",
            joint=f"{name}#{k + 1}",
            law=law,
            T=node.T @ pose(ca.DM.eye(3), ca.sparsify(ca.DM(r))),
            T_LB=ca.DM.eye(4),
            inertia=inertia.from_com(own.mass, own.com, own.tensor),
            own=own,
            shares=True,
            is_point=True,
        )


def _cut(
    name: str, joint: Joint, bodies: Mapping[str, Body | Ground], links: tuple[Link, ...], index: Mapping[str, int]
) -> Cut:
    """A joint that closes a loop, its joint frames placed on the links; `index` says which one carries a body."""
    turn = pose(joint.alignment(), ca.DM(3, 1))
    ends = (_place(end, links, index, bodies) for end in (joint.parent, joint.child))
    parent, child = (replace(end, T_LM=end.T_LM @ turn) for end in ends)
    return Cut(name, joint, parent, child)


def _place(
    end: str | InlinePlace, links: tuple[Link, ...], index: Mapping[str, int], bodies: Mapping[str, Body | Ground]
) -> Place:
    """The end of a joint, force or constraint on its link; `index` says which one carries a body."""
    at = placement(end, bodies)
    link = index[at.body]
    return Place(link, at.T_BM if link == GROUND else links[link].T_LB @ at.T_BM)


def _link(
    name: str,
    joint: Joint,
    bodies: Mapping[str, Body | Ground],
    index: Mapping[str, int],
    links: list[Link],
    q: tuple[int, ...],
    v: tuple[int, ...],
) -> Link:
    parent, child = placement(joint.parent, bodies), placement(joint.child, bodies)
    forward = parent.body in index
    near, far = (parent, child) if forward else (child, parent)
    turn = pose(joint.alignment(), ca.DM(3, 1))
    T_LB = inverse(far.T_BM @ turn)
    body = cast("Body", bodies[far.body])
    T_near = near.T_BM if near.body == WORLD else links[index[near.body]].T_LB @ near.T_BM
    return Link(
        name=far.body,
        joint=name,
        parent=index[near.body],
        law=joint if forward else Reversed(joint),
        reversed=not forward,
        T=T_near @ turn,
        T_LB=T_LB,
        inertia=body_inertia(body, T_LB),
        own=MassProperties(body.mass, ca.vertcat(*body.com), body.inertia_matrix()),
        q=q,
        v=v,
        shares=bool(joint.shares),
    )


def _places(links: tuple[Link, ...], index: Mapping[str, int], bodies: Mapping[str, Body | Ground]) -> dict[str, Place]:
    """Every marker of the ground and of every body, the bodies' own frames and `com` included."""
    names = [
        f"{body}.{marker}" if marker else body
        for body, record in bodies.items()
        for marker in ("", *(() if body == WORLD else ("com",)), *record.markers)
    ]
    return {name: _place(name, links, index, bodies) for name in names}


def _inline_ends(model: Model) -> Iterator[InlinePlace]:
    """The places that joints, forces and constraints give on the spot."""
    parts = [element for _, element in elements(model)]
    for element in [*parts, *(part for graph in model.graphs.values() for part in graph.elements.values())]:
        for part in (element, getattr(element, "given", None)):
            ends = (getattr(part, key, None) for key in ("parent", "child"))
            yield from (end for end in ends if isinstance(end, InlinePlace))


def _components(
    joints: Mapping[str, Joint], of: Callable[[Joint], tuple[tuple[str, str], ...]]
) -> tuple[Coordinate, ...]:
    return tuple(Coordinate(name + suffix, unit) for name, joint in joints.items() for suffix, unit in of(joint))


def _per_velocity(joints: Mapping[str, Joint], key: str) -> Number:
    """Column (nv,) of a key of the joints."""
    return ca.vertcat(ca.DM(0, 1), *(entry for joint in joints.values() for entry in joint.per_velocity(key)))


def _rotor(
    name: str, motor: Motor, stator: str | None, joints: Mapping[str, Joint], v_of: Ranges, links: tuple[Link, ...]
) -> Rotor:
    joint, suffix = velocity_of(motor, joints)
    component = [known for known, _ in joints[joint].velocities].index(suffix)
    v = v_of[joint][component]
    carrier = next((i for i, link in enumerate(links) if link.name == stator), None)
    axis = _UPRIGHT if carrier is None else _rotor_axis(motor, joints[joint], component, carrier, links)
    return Rotor(name, v, motor.ratio, motor.rotor_inertia, motor.rotor_damping, carrier, axis)


def _with_stators(links: tuple[Link, ...], rotors: tuple[Rotor, ...]) -> tuple[Link, ...]:
    """The links with the rotors' inertia Im n nᵀ on their carriers: it turns with them."""
    out = list(links)
    for rotor in rotors:
        if rotor.carrier is not None:
            carrier = out[rotor.carrier]
            out[rotor.carrier] = replace(carrier, inertia=inertia.spun(carrier.inertia, rotor.axis, rotor.inertia))
    return tuple(out)


def _rotor_axis(motor: Motor, joint: Joint, component: int, carrier: int, links: tuple[Link, ...]) -> Number:
    """Axis of the rotor in the carrier's link frame: its own, or that of the driven motion as it stands at q = 0."""
    if motor.rotor_axis is not None:
        axis_B = ca.vertcat(*motor.rotor_axis)
        return rotation(links[carrier].T_LB) @ (axis_B / ca.norm_2(axis_B))
    driven = next(i for i, link in enumerate(links) if link.joint == motor.driven[0])
    R_WJ = _neutral_rotation(links, links[driven].parent) @ rotation(links[driven].T)
    S = ca.sparsify(joint.subspace(ca.DM(joint.neutral))[:, component])
    axis_J = S[:3] if S[:3].nnz() else S[3:]  # of the turn; of the shift where nothing turns
    return ca.sparsify(_neutral_rotation(links, carrier).T @ R_WJ @ axis_J)


def _neutral_rotation(links: tuple[Link, ...], index: int) -> Number:
    """Orientation of a link in the world with all joints at q = 0."""
    if index == GROUND:
        return ca.DM.eye(3)
    return _neutral_rotation(links, links[index].parent) @ rotation(links[index].T)
