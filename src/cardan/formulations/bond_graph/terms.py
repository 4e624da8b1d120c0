"""Terms of the equations of motion from the bond graph of the tree: what its fields give, by the flows they work on.

N are the flows of all inertias, and of directions without one, per velocity; constraint forces do no work on them.
The momenta's balances Ẋ = J_iu1 U1 + J_iu2 U2 + … then give the efforts on the velocities, U1 = Nᵀ (Ẋ − …): weights and
springs make g, R of joints and rotors D, all other sources Q; Ṅ and the Euler junction structures make C.

Source: Wang & Tao 2013, eqs. 8–12; Christoffel's symbols by bodies: `connection`
"""

from dataclasses import replace

import casadi as ca

from cardan.bond_graphs import Graph, assign
from cardan.bond_graphs.matrices import JunctionStructure, junction_structure
from cardan.formulations import applied, rotors
from cardan.formulations.bond_graph.bodies import BodyFlows, body_flows
from cardan.formulations.bond_graph.graph import mechanism_graph
from cardan.formulations.terms import Terms
from cardan.kinematics.motion import Motion, coordinate_rate, motion
from cardan.kinematics.tree import Link, Number, Tree
from cardan.numerics.entries import column
from cardan.spatial import inertia
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import rotation


def terms(tree: Tree, state: Motion) -> Terms:
    """Terms by the junction structure of the tree's bond graph."""
    s = motion(tree, ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), t=state.t, z=state.z)
    s = replace(s, reactions=state.reactions)
    graph = mechanism_graph(tree, s, drives=range(tree.nv), loops=False)
    J = junction_structure(graph, assign(graph))
    M, D, g, Q = _efforts(graph, J, s)
    found = [M, _coriolis_matrix(tree, s), D, g, Q]
    M, C, D, g, Q = _evaluated(found, s, state)
    return Terms(M=M, C=C, D=D, g=g, Q=Q, B=applied.input_matrix(tree))


def _efforts(graph: Graph, J: JunctionStructure, s: Motion) -> tuple[Number, Number, Number, Number]:
    """M, D, g and Q: efforts of the fields on the velocities."""
    elements, n = graph.elements, s.v.shape[0]

    def per_velocity(field: str) -> Number:
        flows = [ca.SX(elements[name].value)[k] for name, k in J.given[field]]
        return ca.jacobian(ca.SX(column(flows)), s.v)

    N_i, N_u4 = per_velocity("i"), per_velocity("u4")

    def work(field: str) -> Number:
        """Flows per velocity on which a field works; efforts received at a source are those against it."""
        return J.block("i", field).T @ N_i - J.block("u4", field).T @ N_u4

    def of(field: str) -> list[str]:
        return list(dict.fromkeys(name for name, _ in J.given[field]))

    inertias = ca.diagcat(ca.SX(0, 0), *(ca.SX(elements[name].modulus) for name in of("i")))
    springs = [ca.SX(elements[name].modulus) @ ca.SX(elements[name].value) for name in of("s")]
    sources = [ca.SX(elements[name].value) for name in of("u3")]
    resistances = [ca.SX(elements[name].modulus) for name in of("L")]
    of_forces = [
        ca.SX.eye(R.shape[0]) * elements[name].of.startswith("force ")
        for name, R in zip(of("L"), resistances, strict=True)
    ]
    steady = [
        ca.SX.ones(x.shape[0]) * _has_potential(elements[name].note) for name, x in zip(of("u3"), sources, strict=True)
    ]
    R, chosen, potential = (
        ca.diagcat(ca.SX(0, 0), *blocks) for blocks in (resistances, of_forces, [ca.diag(x) for x in steady])
    )
    W_L, u3 = work("L"), ca.SX(column(sources))
    own = ca.SX.eye(R.shape[0]) - chosen
    D = W_L.T @ (own @ R) @ W_L
    g = -work("s").T @ ca.SX(column(springs)) - work("u3").T @ (potential @ u3)
    Q = work("u3").T @ (u3 - potential @ u3) - W_L.T @ (chosen @ R) @ (W_L @ s.v)
    zero = ca.SX(n, 1)
    return N_i.T @ inertias @ N_i, D, g + zero, Q + zero


def _has_potential(note: str) -> int:
    """1 for a known effort that belongs to g: the weights, and forces with a potential."""
    return int(note in ("weight", "conservative"))


def _coriolis_matrix(tree: Tree, s: Motion) -> Number:
    """C (nv×nv): Σ m N_vᵀ Ṅ_v + N_ωᵀ (J Ṅ_ω + G N_ω) of bodies with the stators they carry, and the rotors' part."""
    q_dot = coordinate_rate(tree, s.q, s.v)
    total: Number = rotors.rotor_coriolis(tree, s)
    for index, (link, body) in enumerate(zip(tree.links, body_flows(tree, s), strict=True)):
        N_v, N_w = ca.jacobian(ca.SX(body.v), s.v), ca.jacobian(ca.SX(body.w), s.v)
        total = total + link.own.mass * (N_v.T @ _rate(N_v, s, q_dot))
        J = _with_stators(tree, link, body, index)
        G = -skew(body.w) @ inertia.second_moments(J)
        total = total + N_w.T @ (J @ (_rate(N_w, s, q_dot) + skew(body.w) @ N_w) + G @ N_w)
    return total


def _with_stators(tree: Tree, link: Link, body: BodyFlows, index: int) -> Number:
    """Inertia tensor of a body and of the rotors' share that turns with it (3×3), body axes."""
    J = link.own.tensor
    for rotor in tree.rotors:
        if rotor.carrier == index:
            n = rotation(body.T_LB).T @ rotor.axis
            J = J + rotor.inertia * (n @ n.T)
    return J


def _rate(N: Number, s: Motion, q_dot: Number) -> Number:
    """dN/dt."""
    return ca.reshape(ca.jtimes(ca.vec(ca.densify(N)), s.q, ca.SX(q_dot)), *N.shape)


def _evaluated(found: list[Number], s: Motion, state: Motion) -> list[Number]:
    """The expressions in the state; numbers where the state and the parameters are numbers."""
    symbols, values = ca.vertcat(s.q, s.v), ca.densify(ca.vertcat(state.q, state.v))
    out = ca.substitute([ca.SX(x) for x in found], [symbols], [ca.SX(values)])
    return out if ca.symvar(ca.veccat(*out)) else [ca.evalf(x) for x in out]
