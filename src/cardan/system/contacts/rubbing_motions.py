"""The motions along which joints, and points of constraints on paths and surfaces, rub."""

from __future__ import annotations

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.relations.moving_axes import (
    has_path,
    moving_axes,
    surface_plane,
    surface_tangents,
    surface_turning,
)
from cardan.kinematics.relative import RelativeMotion
from cardan.kinematics.scope import value
from cardan.kinematics.tree import Number, Tree
from cardan.model.forces import Wrench
from cardan.model.joints import Joint


def rubbing_motions(joint: Joint) -> list[tuple[str, int | None]]:
    """What the name of each friction of a joint adds to the joint's, and the number of its motion if they rub apart."""
    return [(suffix, k if joint.rubs_apart else None) for k, (suffix, _) in enumerate(joint.rubbing)]


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
        fault = "the equations leave the point neither a curve nor a surface along which it could rub"
        cure = "in a plane give one equation in x, y and z, in space one for a surface or two for a curve"
        raise ModelError(Issue(fault, cure, ("constraints", name, "friction")))
    record = tree.bound[name]
    assert record.places is not None, "only constraints between places have friction"
    parent, child = (tree.place(end) for end in record.places)

    def direction(state: Motion) -> Wrench:
        axes = moving_axes(tree, state, name, value)
        assert axes is not None, "it has a path"
        return Wrench(ca.DM(3, 1), axes.R[:, 0])

    return RelativeMotion(name, name, "m/s", parent, child, direction)


def on_surface(tree: Tree, name: str) -> RelativeMotion:
    """The motion of the point of a constraint on its surface.

    What friction holds has as many components as the point has motions, along two tangents. What is kept while the
    point slides, the bends of bristles, may not jump with these tangents: it has the three components of the velocity.
    """
    record = tree.bound[name]
    assert record.places is not None, "only constraints between places have friction"
    assert record.friction is not None, "of those that have it"
    parent, child = (tree.place(end) for end in record.places)
    components = surface_tangents if record.friction.bristle is None else surface_plane

    def direction(state: Motion) -> Wrench:
        f = marker_motion(state, parent).R @ components(tree, state, name, value)
        return Wrench(ca.DM(*f.shape), f)

    return RelativeMotion(name, name, "m/s", parent, child, direction)


def tangents(tree: Tree, name: str, state: Motion) -> Number:
    """Two unit vectors (3, 2) along the surface of a constraint, axes of the parent marker."""
    return surface_tangents(tree, state, name, value)


def turning(tree: Tree, name: str, state: Motion) -> Number:
    """Angular velocity (3,) of the normal of the surface of a constraint, axes of the parent marker [rad/s]."""
    return surface_turning(tree, state, name, value)
