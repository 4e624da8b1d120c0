"""Forces and torques along single coordinates: joint springs and damping, rotor damping, inputs.

Source: docs/notation.md §5; Hoang & Vuong, eq. 20
"""

import casadi as ca

from cardan.kinematics.tree import Number, Tree


def damping(tree: Tree) -> Number:
    """D (nv×nv): joint damping and r² dm of the rotors."""
    diagonal = ca.SX(tree.damping) if isinstance(tree.p, ca.SX) else ca.DM(tree.damping)
    for rotor in tree.rotors:
        diagonal[rotor.v] += rotor.ratio**2 * rotor.damping
    return ca.sparsify(ca.diag(diagonal))


def spring_forces(tree: Tree, q: Number) -> Number:
    """Joint springs' part of g (nv,): k (q − rest) where there is a spring."""
    forces: list[Number] = [ca.DM(1, 1)] * tree.nv
    for link in tree.links:
        for i, k in zip(link.q, link.v, strict=False):
            if not ca.SX(tree.stiffness[k]).is_zero():
                forces[k] = tree.stiffness[k] * (q[i] - tree.rest[k])
    return ca.vertcat(ca.DM(0, 1), *forces)


def input_matrix(tree: Tree) -> Number:
    """B (nv×m): r of every rotor in its column."""
    columns: list[Number] = []
    for rotor in tree.motor_rotors:
        column: list[Number] = [ca.DM(1, 1)] * tree.nv
        column[rotor.v] = rotor.ratio
        columns.append(ca.vertcat(*column))
    return ca.horzcat(ca.DM(tree.nv, 0), *columns)


def passive(tree: Tree, q: Number, v: Number) -> Number:
    """D v and the joint springs (nv,): the efforts of joint dampers, rotor dampers and springs against the motion."""
    return damping(tree) @ v + spring_forces(tree, q)


def wrench_sum(*parts: tuple[Number | None, ...]) -> tuple[Number | None, ...]:
    """Link by link sum of the wrenches `parts`, None where nothing acts."""
    out: list[Number | None] = []
    for entries in zip(*parts, strict=True):
        known = [entry for entry in entries if entry is not None]
        out.append(sum(known[1:], known[0]) if known else None)
    return tuple(out)
