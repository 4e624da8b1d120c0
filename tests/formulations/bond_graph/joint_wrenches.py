"""Reactions of joints, from the efforts of a bond graph: what the bonds of a joint bring to its child.

Source: docs/notation.md §8
"""

from __future__ import annotations

import casadi as ca

from cardan.bond_graphs import Graph, Walk
from cardan.formulations.bond_graph.bodies import body_flows, spin_name, velocity_name
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.model.forces import Wrench
from cardan.spatial.rotations import skew

__all__ = ["joint_wrenches"]


def joint_wrenches(tree: Tree, state: Motion, graph: Graph, walk: Walk) -> dict[str, Wrench]:
    """Wrench of the parent of each joint on its child, about the child marker's origin, world axes."""
    bodies = body_flows(tree, state)
    out = {}
    for joint, (parent_end, child_end) in tree.ends.items():
        parent, child = tree.place(parent_end), tree.place(child_end)
        place, sign = (child, 1) if child.link != GROUND else (parent, -1)
        body, about = bodies[place.link], marker_motion(state, child).p
        f = sign * _brought(graph, walk, f"joint {joint}", velocity_name(body.name))
        n = sign * body.R @ _brought(graph, walk, f"joint {joint}", spin_name(body.name))
        lever = _centre(state, place, body.R, body.com, tree) - about
        out[joint] = Wrench(n + skew(lever) @ f, f)
    return out


def _brought(graph: Graph, walk: Walk, part: str, node: str) -> Number:
    """Sum of the efforts (3,) by which the elements of a part act on a 1-junction."""
    total: Number = ca.SX(3, 1)
    for bond in graph.ports[node]:
        if graph.elements[bond.other(node)].of == part:
            total = total + (1 if bond.head == node else -1) * walk.effort(bond)
    return total


def _centre(state: Motion, place: Place, R: Number, com: Number, tree: Tree) -> Number:
    """Centre of mass (3,) of the body that carries a place, world axes."""
    link = tree.links[place.link]
    return marker_motion(state, Place(place.link, link.T_LB)).p + R @ com
