"""Joints as graphs: each row of their closure is a sum of flows at a 0-junction, each free axis a relative velocity.

Rows that hold two points together are one vector bond in world axes, which reaches the bodies as in the paper: the
velocity of the centre of mass directly, the angular velocity through −A ρ̃. The other rows come from derivatives of
`Joint.closure`. Efforts at the 0-junctions are what the parent exerts on the child.

Source: Wang & Tao 2013, eqs. 1, 2 and Fig. 2
"""

from collections.abc import Callable, Mapping

import casadi as ca

from cardan.bond_graphs import GraphElement
from cardan.formulations.bond_graph.bodies import BodyFlows, body_flows, spin_name, velocity_name
from cardan.formulations.bond_graph.draft import Draft, FlowPath, domain_of
from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import GROUND, Link, Number, Place, Tree
from cardan.model.joints import Joint
from cardan.model.joints.closure import Frames, Row
from cardan.model.joints.screw import Screw
from cardan.numerics.entries import column
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import inverse, position, rotation


@dataclass(frozen=True)
class JointEnds:
    """A joint of the tree between the links of its declared parent and child."""

    name: str
    law: Joint  # as declared
    link: Link  # that it carries
    parent: Place  # joint frame on the parent
    child: Place  # joint frame on the child
    R_PC: Number  # child joint axes in the parent's (3×3)
    p_PC: Number  # child joint origin in the parent's frame (3,) [m]
    S: Number  # twist of the child per velocity, child joint axes (6×nv)


@dataclass(frozen=True)
class AxisEffort:
    """A known effort on a velocity of a joint: a source of its own beside the efforts of inputs."""

    velocity: int  # index of the velocity
    name: str  # of its element, after that of the velocity
    value: Number  # [N, N m]
    note: str  # what it is


def ends_of(tree: Tree, state: Motion, index: int) -> JointEnds:
    """The joint that carries a link, as it was declared."""
    link, joint = tree.links[index], state.joints[index]
    near, far = Place(link.parent, link.T), Place(index, ca.DM.eye(4))
    law, T, S = link.law.declared, joint.T_J, joint.S
    if link.reversed:
        near, far, T = far, near, inverse(T)
        S = law.subspace(ca.vertcat(ca.DM(0, 1), *(state.q[k] for k in link.q)))
    return JointEnds(link.joint, law, link, near, far, rotation(T), position(T), S)


def add_joint(draft: Draft, bodies: tuple[BodyFlows, ...], ends: JointEnds) -> None:
    """Add the constraints of a joint of the tree."""
    draft.part("joint", ends.name, f"{ends.name} ({ends.law.type})")
    G, rows = _closure(ends)
    held = [k for k in range(len(rows)) if _holds_points(G[k, :])]
    if len(held) == 3:
        held_reaches = [point_reach(bodies, place, ca.DM.eye(3)) for place in (ends.parent, ends.child)]
        constrain(draft, f"{ends.name}.point", "translation", 3, *held_reaches, note="joint point")
    rest = [k for k in range(len(rows)) if k not in held or len(held) < 3]
    for word, domain, sign in (("force", "translation", -1), ("moment", "rotation", 1)):
        own = [k for k in rest if rows[k].component.startswith(word)]
        if own:
            g, name = sign * G[own, :], "guide" if word == "force" else "direction"
            reaches = _relative(bodies, ends, g)
            note = f"{name} of the joint"
            constrain(draft, f"{ends.name}.{name}", domain, len(own), *reaches, note=note)


def constrain(
    draft: Draft,
    name: str,
    domain: str,
    size: int,
    parents: list[FlowPath],
    children: list[FlowPath],
    *,
    note: str,
    rate: Number | None = None,
) -> None:
    """Add a 0-junction whose flows add up to zero, and the unknown force that sees to it."""
    draft.relative(name, domain, size, parents, children, note)
    if rate is not None and ca.SX(rate).nnz():
        moved = GraphElement(f"{name}.rate", "Sf", value=ca.SX(rate), of=draft.of, note="known rate")
        draft.port(moved, name)
    if draft.augmented:
        force = GraphElement(f"{name}.force", "Se", unknown="constraint", of=draft.of, note="constraint force")
        draft.port(force, name)


def axis_name(velocity: str) -> str:
    """Name of the 1-junction of a joint's velocity."""
    return f"{velocity}.rate"


def add_axis(draft: Draft, tree: Tree, bodies: tuple[BodyFlows, ...], ends: JointEnds, k: int) -> str:
    """Name of the 1-junction of the velocity k of a joint, added with the 0-junction that it is the difference at."""
    entry = tree.velocities[k]
    domain = domain_of(entry.unit)
    between = draft.relative(f"{entry.name}.difference", domain, 1, *free_axis(bodies, ends, k), "relative velocity")
    rate = draft.junction("1", axis_name(entry.name), domain, 1, f"velocity of {entry.name}")
    draft.bond(rate, between, between)
    return rate


def free_axis(bodies: tuple[BodyFlows, ...], ends: JointEnds, k: int) -> tuple[list[FlowPath], list[FlowPath]]:
    """How the flows of parent and child make the velocity k of a joint."""
    row = _DUALS.get(type(ends.law), _orthonormal)(ends.S[:, ends.link.v.index(k)]).T
    R_CP = ends.R_PC.T
    W_C, F_C = row[:, :3], row[:, 3:]
    parents, children = _angular(bodies, ends, W_C @ R_CP, W_C)
    if ca.SX(F_C).nnz():
        linear = _linear(bodies, ends, F_C @ R_CP, F_C)
        parents, children = [*parents, *linear[0]], [*children, *linear[1]]
    return _merged(parents), _merged(children)


def velocity_rows(tree: Tree, state: Motion, flows: Mapping[tuple[str, int], Number]) -> Number:
    """v (nv,) from the flows of bodies that have inertia in all directions."""
    bodies = body_flows(tree, state)
    at = {velocity_name(body.name): f"{body.name}.mass" for body in bodies}
    at |= {spin_name(body.name): f"{body.name}.inertia" for body in bodies}
    v: list[Number] = [ca.DM(1, 1)] * tree.nv
    for index, link in enumerate(tree.links):
        ends = ends_of(tree, state, index)
        for k in link.v:
            for sign, reaches in zip((-1, 1), free_axis(bodies, ends, k), strict=True):
                for node, M in reaches:
                    v[k] = v[k] + sign * (M @ ca.vertcat(*(flows[at[node], i] for i in range(3))))
    return ca.vertcat(ca.SX(0, 1), *v)


def _orthonormal(S: Number) -> Number:
    """The wrench of a unit effort on an axis: columns of a motion subspace are orthonormal."""
    return S


def _turning(S: Number) -> Number:
    """A moment about the axis alone."""
    return ca.vertcat(S[:3], ca.DM(3, 1))


_DUALS: dict[type[Joint], Callable[[Number], Number]] = {Screw: _turning}
"""Wrench (6,), child joint axes, of a unit effort on a motion with twist S, by type of joint; else S itself."""


def _closure(ends: JointEnds) -> tuple[Number, list[Row]]:
    """G (k×6) with Φ̇ = G (θ̇; δ̇), turn and shift of the child in parent joint axes, and the rows."""
    e = ca.SX.sym("e", 6)
    R, p = (ca.DM.eye(3) + skew(e[:3])) @ ends.R_PC, ends.p_PC + e[3:]
    rows = ends.law.closure(Frames(ca.DM.eye(3), ca.DM(3, 1), R, p))
    G = ca.jacobian(ca.SX(column([row.expression for row in rows])), e)
    return ca.sparsify(ca.substitute(G, e, ca.DM.zeros(6))), rows


def _holds_points(g: Number) -> bool:
    """Whether a row of G is a shift along one axis, the same in all positions."""
    return bool(g.is_constant() and g.nnz() == 1 and not g[:, :3].nnz())


def _relative(bodies: tuple[BodyFlows, ...], ends: JointEnds, g: Number) -> tuple[list[FlowPath], list[FlowPath]]:
    """How flows of parent and child reach rows g (k×6) of turns and shifts in parent joint axes."""
    turn, shift = g[:, :3], g[:, 3:]
    angular = _angular(bodies, ends, turn, turn @ ends.R_PC) if turn.nnz() else ([], [])
    linear = _linear(bodies, ends, shift, shift @ ends.R_PC) if shift.nnz() else ([], [])
    return _merged([*angular[0], *linear[0]]), _merged([*angular[1], *linear[1]])


def _merged(reaches: list[FlowPath]) -> list[FlowPath]:
    """One entry for each junction."""
    out: dict[str, Number] = {}
    for node, M in reaches:
        out[node] = out[node] + M if node in out else M
    return list(out.items())


def _angular(
    bodies: tuple[BodyFlows, ...], ends: JointEnds, w_P: Number, w_C: Number
) -> tuple[list[FlowPath], list[FlowPath]]:
    """How angular velocities reach rows given in the joint axes of parent and child (k×3 each)."""
    return moment_reach(bodies, ends.parent, w_P), moment_reach(bodies, ends.child, w_C)


def _linear(
    bodies: tuple[BodyFlows, ...], ends: JointEnds, f_P: Number, f_C: Number
) -> tuple[list[FlowPath], list[FlowPath]]:
    """How velocities reach rows of v_C − v_P − ω_P × (p_C − p_P), given in the joint axes of parent and child."""
    parents: list[FlowPath] = []
    if ends.parent.link != GROUND:
        body, T_BM = bodies[ends.parent.link], _on_body(bodies, ends.parent)
        lever = position(T_BM) + rotation(T_BM) @ ends.p_PC - body.com
        row_B = f_P @ rotation(T_BM).T
        parents = [(velocity_name(body.name), row_B @ body.R.T), (spin_name(body.name), -row_B @ skew(lever))]
    children: list[FlowPath] = []
    if ends.child.link != GROUND:
        body, T_BM = bodies[ends.child.link], _on_body(bodies, ends.child)
        row_B = f_C @ rotation(T_BM).T
        lever = position(T_BM) - body.com
        children = [(velocity_name(body.name), row_B @ body.R.T), (spin_name(body.name), -row_B @ skew(lever))]
    return _merged(parents), _merged(children)


def point_reach(bodies: tuple[BodyFlows, ...], place: Place, f_W: Number) -> list[FlowPath]:
    """How the flows of a body reach rows f_W (k×3), world axes, of the velocity of a marker's origin."""
    if place.link == GROUND:
        return []
    body = bodies[place.link]
    lever = position(_on_body(bodies, place)) - body.com
    return [(velocity_name(body.name), f_W), (spin_name(body.name), -(f_W @ body.R) @ skew(lever))]


def moment_reach(bodies: tuple[BodyFlows, ...], place: Place, w_M: Number) -> list[FlowPath]:
    """How the angular velocity of a body reaches rows w_M (k×3), in the axes of a marker on it."""
    if place.link == GROUND:
        return []
    return [(spin_name(bodies[place.link].name), w_M @ rotation(_on_body(bodies, place)).T)]


def _on_body(bodies: tuple[BodyFlows, ...], place: Place) -> Number:
    """T_BM (4×4): a marker in the body frame."""
    return inverse(bodies[place.link].T_LB) @ place.T_LM
