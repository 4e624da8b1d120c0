"""The path that a constraint leaves its point: tangent, normal and binormal, and the speed along it.

The normal is the direction of the ideal part of the reaction: of the gradient of the equation by the place of the
point. In a plane the binormal is the plane's normal. In space two equations make a path: its tangent is perpendicular
to both gradients, its normal along the first one.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, eqs. 21–23
"""

import casadi as ca

from cardan.frozen import dataclass, replace
from cardan.kinematics.motion import Motion, marker_motion, motion
from cardan.kinematics.relations.around import Around, Lookup
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.model.constraints import Constraint
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import pose, position, rotation


@dataclass(frozen=True)
class MovingAxes:
    """The moving axes of a constraint's path, at its point."""

    R: Number  # tangent, normal and binormal (3×3), columns in world axes
    speed: Number  # of the point along the tangent, against the parent [m/s]
    gradients: Number  # of the equations by the place of the point (3, k), world axes


def moving_axes(tree: Tree, state: Motion, name: str, lookup: Lookup) -> MovingAxes | None:
    """The path of a constraint; None if its equations leave its point a surface."""
    record = tree.bound[name]
    assert record.places is not None, "constraints with places are listed"
    parent, child = (tree.place(end) for end in record.places)
    gradients = _gradients(tree, state, record, parent, child, lookup)
    R = _axes(tree, record.tangent(Around(tree, state, lookup)), gradients)
    if R is None:
        return None
    a, b = marker_motion(state, parent), marker_motion(state, child)
    return MovingAxes(R, ca.dot(R[:, 0], b.v - a.v - skew(a.w) @ (b.p - a.p)), gradients)


def has_path(tree: Tree, name: str, lookup: Lookup) -> bool:
    """Whether a constraint has a path with a tangent."""
    if name not in tree.bound:
        return False
    return moving_axes(tree, _symbolic(tree), name, lookup) is not None


def _symbolic(tree: Tree) -> Motion:
    """A state of motion of symbols."""
    q, v, z = (ca.SX.sym(letter, size) for letter, size in (("q", tree.nq), ("v", tree.nv), ("z", len(tree.signals))))
    return motion(tree, q, v, t=ca.SX.sym("t"), z=z)


def _gradients(tree: Tree, state: Motion, record: Constraint, parent: Place, child: Place, lookup: Lookup) -> Number:
    """Derivatives of the equations by the place of the child's point (3, k), world axes."""
    link, sign = (child.link, 1) if child.link != GROUND else (parent.link, -1)
    e = ca.SX.sym("moved", 3)
    T, V = state.T_WL[link], state.V_L[link]
    frames, twists = list(state.T_WL), list(state.V_L)
    frames[link] = pose(rotation(T), position(T) + e)
    twists[link] = V + ca.vertcat(ca.DM(3, 1), rotation(T).T @ e)
    moved = replace(state, V_L=tuple(twists)) if record.on_velocity else replace(state, T_WL=tuple(frames))
    rows = ca.SX(ca.vertcat(*(row.expression for row in record.rows(Around(tree, moved, lookup)))))
    return sign * ca.substitute(ca.jacobian(rows, e), e, ca.DM.zeros(3)).T


def _axes(tree: Tree, tangent: Number | None, gradients: Number) -> Number | None:
    """Tangent, normal and binormal (3×3); None if the equations leave a surface, or say nothing about the point."""
    count = gradients.shape[1]
    if tree.normal is not None and count == 1:
        b = tree.normal
        if tangent is not None:
            return ca.horzcat(tangent, ca.cross(b, tangent), b)
        across = gradients - b * ca.dot(b, gradients)
        if not ca.sparsify(ca.SX(across)).nnz():
            return None
        n = across / ca.norm_2(across)
        return ca.horzcat(ca.cross(n, b), n, b)
    if tree.normal is not None or count != 2:
        return None
    g = gradients[:, 0]
    t = tangent
    if t is None:
        along = ca.cross(g, gradients[:, 1])
        t = along / ca.norm_2(along)
    n = g / ca.norm_2(g)
    return ca.horzcat(t, n, ca.cross(t, n))
