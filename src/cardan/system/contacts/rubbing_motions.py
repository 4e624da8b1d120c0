"""The motions along which joints, and points of constraints on paths and surfaces, rub."""

from __future__ import annotations

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.kinematics.motion import Motion
from cardan.kinematics.relations.moving_axes import has_path, moving_axes
from cardan.kinematics.relative import RelativeMotion
from cardan.kinematics.scope import value
from cardan.kinematics.tree import Tree
from cardan.model.forces import Wrench


def own_velocities(tree: Tree, joint: str) -> tuple[int, ...]:
    """Velocities of the tree that rest where the surfaces of a joint do; none if the joint closes a loop."""
    for link in tree.links:
        if link.joint == joint:
            law = link.law.declared
            rubs = ca.sparsify(ca.SX(law.sliding() @ law.subspace(ca.SX.sym("q", law.nq))))
            return tuple(k for k, column in zip(link.v, ca.horzsplit(rubs), strict=True) if column.nnz())
    return ()


def on_path(tree: Tree, name: str) -> RelativeMotion:
    """The motion of the point of a constraint along its path."""
    if not has_path(tree, name, value):
        fault = "the equations leave the point no curve along which it could rub"
        cure = "in a plane give one equation in x, y and z, in space two; on a surface write a planar joint, or given:"
        raise ModelError(Issue(fault, cure, ("constraints", name, "friction")))
    record = tree.bound[name]
    assert record.places is not None, "only constraints between places have friction"
    parent, child = (tree.place(end) for end in record.places)

    def direction(state: Motion) -> Wrench:
        axes = moving_axes(tree, state, name, value)
        assert axes is not None, "it has a path"
        return Wrench(ca.DM(3, 1), axes.R[:, 0])

    return RelativeMotion(name, name, "m/s", parent, child, direction)
