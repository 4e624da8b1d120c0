"""Newton's and Euler's equations of every body: the rates of its momenta, and the forces and moments that act on it.

Momenta are differentiated from positions alone, independently of the recursions that compute reactions.

Source: Euler's laws: Shabana 2020, §6.2; reactions: docs/notation.md §8
"""

from collections.abc import Callable, Sequence

import casadi as ca

from cardan.kinematics import loads
from cardan.kinematics.constraints import constraint_rows, link_wrenches
from cardan.kinematics.motion import Motion, coordinate_rate, marker_motion
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.loads.reactions import labels, reactions
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation


def momentum_rates(tree: Tree, state: Motion, a: Number) -> Number:
    """m (c̈ − g) and L̇ (6, bodies) of every link about its centre of mass, carried rotors included, world axes."""
    rate = ca.vertcat(coordinate_rate(tree, state.q, state.v), a)

    def dot(x: Number) -> Number:
        return ca.jtimes(ca.densify(ca.SX(x)), ca.vertcat(state.q, state.v), rate)

    columns = [_momentum_rate(tree, state, index, dot) for index in range(len(tree.links))]
    for index, link in enumerate(tree.links):
        if link.is_point:  # joints report what acts on its body
            lever = _centre(tree, state, index) - _centre(tree, state, link.parent)
            rate, columns[index] = columns[index], ca.DM(6, 1)
            columns[link.parent] += ca.vertcat(rate[:3], rate[3:] + skew(lever) @ rate[:3])
    return ca.horzcat(ca.DM(6, 0), *columns)


def acting_wrenches(
    tree: Tree, state: Motion, a: Number, lam: Number, applied: Sequence[loads.PointForce] = ()
) -> tuple[Number, Number]:
    """Sum of the forces and moments on every link about its centre of mass (6, bodies), and all that act (6, k).

    Reactions of joints, forces of constraints and force laws; gravity is part of the momentum rates.
    """
    total: list[Number] = [ca.SX(6, 1) for _ in tree.links]
    acting: list[Number] = []

    def act(child: Place, parent: Place, f: Number, n: Number) -> None:
        p_W = marker_motion(state, child).p
        acting.append(ca.vertcat(f, n))
        for place, sign in ((child, 1), (parent, -1)):
            if place.link != GROUND:
                lever = p_W - _centre(tree, state, place.link)
                total[place.link] += sign * ca.vertcat(f, n + skew(lever) @ f)

    names = (label.name for label in labels(tree))
    found = dict(zip(names, reactions(tree, state, a, lam, applied=applied), strict=True))
    for joint, (parent, child) in tree.ends.items():
        force, moment = (found[f"{joint}.reaction_{part}"] for part in ("force", "moment"))
        act(tree.place(child), tree.place(parent), force, moment)
    for name, record in tree.constraints.items():
        if record.ends is not None:
            parent, child = record.ends
            act(tree.place(child), tree.place(parent), found[f"{name}.force"], ca.DM(3, 1))
    whole = {name for name, record in tree.constraints.items() if record.ends is not None}
    for load in tree.loads:
        if load.given and load.name in whole:
            continue  # part of the reaction
        wrench = loads.load_wrench(tree, state, load)
        act(load.child, load.parent, wrench.f, wrench.n)
    for force in applied:
        if not force.through:  # else part of the reaction
            act(force.child, force.parent, force.f, force.n)
    _add_equations(tree, state, lam, total)
    return ca.horzcat(ca.SX(6, 0), *total), ca.horzcat(ca.SX(6, 0), *acting)


def _add_equations(tree: Tree, state: Motion, lam: Number, total: list[Number]) -> None:
    """Adds the forces of constraint equations that are not joints between two markers to the links."""
    own = [
        k
        for k, row in enumerate(constraint_rows(tree, state))
        if row.owner in tree.constraints and tree.constraints[row.owner].ends is None
    ]
    if own:
        for link, J in enumerate(link_wrenches(tree, state)):
            wrench = J[own, :].T @ lam[own]
            lever = position(state.T_WL[link]) - _centre(tree, state, link)
            total[link] += ca.vertcat(wrench[3:], wrench[:3] + skew(lever) @ wrench[3:])


def _centre(tree: Tree, state: Motion, link: int) -> Number:
    """Centre of mass of a link's body (3,), world axes."""
    T_WB = state.T_WL[link] @ tree.links[link].T_LB
    return position(T_WB) + rotation(T_WB) @ tree.links[link].own.com


def _momentum_rate(tree: Tree, state: Motion, index: int, dot: Callable[[Number], Number]) -> Number:
    """m (c̈ − g) and L̇ (6,) of a link."""
    link, T_WL = tree.links[index], state.T_WL[index]
    R = rotation(T_WL @ link.T_LB)
    W = ca.reshape(dot(ca.vec(ca.densify(R))), 3, 3) @ R.T
    omega = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
    L = R @ link.own.tensor @ R.T @ omega
    for rotor in tree.rotors:
        if rotor.carrier == index:
            axis = rotation(T_WL) @ rotor.axis
            L += rotor.inertia * axis * (ca.dot(axis, omega) + rotor.ratio * state.v[rotor.v])
    return ca.vertcat(link.own.mass * (dot(dot(_centre(tree, state, index))) - tree.gravity), dot(L))
