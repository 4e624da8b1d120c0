"""Bodies as graphs: a 1-junction of the velocity of the centre of mass, one of the angular velocity in body axes.

Newton's equation stands at the first in world axes, Euler's at the second in body axes, with ω × J ω from the Euler
junction structure. A direction without inertia has no I: its flow is an unknown source, and the effort there is zero.

Source: Wang & Tao 2013, eq. 3 and Fig. 8 (the sign of R_E: docs/errata.md)
"""

import casadi as ca

from cardan.bond_graphs import GraphElement
from cardan.formulations.bond_graph.draft import Draft
from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Link, Number, Tree
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation


@dataclass(frozen=True)
class BodyFlows:
    """A body's axes, centre of mass and flows."""

    name: str  # body
    R: Number  # body axes in the world (3×3)
    com: Number  # centre of mass in body axes (3,) [m]
    T_LB: Number  # body frame in the link frame (4×4)
    v: Number  # velocity of the centre of mass, world axes (3,) [m/s]
    w: Number  # angular velocity, body axes (3,) [rad/s]


def velocity_name(body: str) -> str:
    """Name of the 1-junction of a body's velocity."""
    return f"{body}.velocity"


def spin_name(body: str) -> str:
    """Name of the 1-junction of a body's angular velocity."""
    return f"{body}.spin"


def body_flows(tree: Tree, state: Motion) -> tuple[BodyFlows, ...]:
    """Flows of all bodies, in the order of the links."""
    return tuple(_flows(link, T, V) for link, T, V in zip(tree.links, state.T_WL, state.V_L, strict=True))


def _flows(link: Link, T_WL: Number, V_L: Number) -> BodyFlows:
    R_LB = rotation(link.T_LB)
    c_L = R_LB @ link.own.com + position(link.T_LB)
    v = rotation(T_WL) @ (V_L[3:] + skew(V_L[:3]) @ c_L)
    return BodyFlows(link.name, rotation(T_WL) @ R_LB, link.own.com, link.T_LB, v, R_LB.T @ V_L[:3])


def add_body(draft: Draft, tree: Tree, link: Link, flows: BodyFlows, spin: Number) -> None:
    """Add a body: inertias, weight, Euler junction structure."""
    name, m, J = link.name, ca.SX(link.own.mass), ca.sparsify(ca.SX(link.own.tensor))
    draft.part("body", name, name)
    velocity = draft.junction("1", velocity_name(name), "translation", 3, "velocity of the centre of mass")
    _inertia(draft, velocity, f"{name}.mass", m * ca.DM.eye(3), flows.v, "mass")
    if not m.is_zero():
        draft.source(f"{name}.weight", velocity, ca.SX(m * tree.gravity), "weight")
    turning = draft.junction("1", spin_name(name), "rotation", 3, "angular velocity, body axes")
    _inertia(draft, turning, f"{name}.inertia", J, flows.w, "moment of inertia")
    h = J @ flows.w + spin
    if ca.SX(h).nnz():
        draft.port(GraphElement(f"{name}.gyration", "EJS", -skew(h), of=draft.of, note="R_E"), turning)


def _inertia(draft: Draft, node: str, name: str, inertia: Number, flow: Number, note: str) -> None:
    """The I of a 1-junction of size 3; directions without inertia get an unknown flow in its place."""
    own = [k for k in range(3) if not ca.SX(inertia[k, k]).is_zero()]
    bare = [k for k in range(3) if k not in own]
    no_inertia = f"{name}.none"
    if not bare or (own and not draft.augmented):
        draft.port(GraphElement(name, "I", inertia, value=flow, of=draft.of, note=note), node)
    elif not draft.augmented:
        return
    elif not own:
        draft.port(unknown_flow(draft, no_inertia, flow), node)
    else:
        domain, E = draft.domains[node][0], ca.DM.eye(3)
        moving = draft.junction("1", f"{name}.flow", domain, len(own), "directions with inertia")
        I = GraphElement(name, "I", inertia[own, own], value=flow[own], of=draft.of, note=note)
        draft.port(I, moving)
        bare_flow = draft.junction("1", f"{no_inertia}.flow", domain, len(bare), "directions without inertia")
        draft.port(unknown_flow(draft, no_inertia, flow[bare]), bare_flow)
        reaches = [(moving, E[:, own]), (bare_flow, E[:, bare])]
        draft.relative(f"{name}.sum", domain, 3, reaches, [(node, E)], "sum of both flows")


def unknown_flow(draft: Draft, name: str, flow: Number) -> GraphElement:
    """The source of a flow that has no inertia."""
    return GraphElement(name, "Sf", value=flow, unknown="flow", of=draft.of, note="flow without inertia")
