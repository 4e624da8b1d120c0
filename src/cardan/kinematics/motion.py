"""Positions and velocities of all links: the state of motion that forces, outputs and energies depend on."""

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from cardan.frozen import dataclass, field, replace
from cardan.kinematics.tree import GROUND, Link, Number, Place, Tree
from cardan.model.forces import MarkerMotion
from cardan.spatial.motion import cross_motion, motion_to_child
from cardan.spatial.rotations import skew
from cardan.spatial.tracing import traced
from cardan.spatial.transforms import position, rotation


@dataclass(frozen=True)
class JointMotion:
    """A joint in a state of motion; all laws use this record, so that each sine is computed once."""

    T_J: Number  # the joint's own transform (4×4): the link frame in the joint frame on the parent
    T_PL: Number  # the link frame in its parent's (4×4)
    R: Number  # its axes (3×3)
    p: Number  # its origin (3,) [m]
    S: Number  # motion subspace (6×nv), link axes
    S_dot: Number  # its rate, component by component (6×nv)


@dataclass(frozen=True)
class Motion:
    """A state of the mechanism, with the positions and velocities of its links."""

    t: Number  # [s]
    q: Number  # (nq,)
    v: Number  # (nv,)
    z: Number  # quantities named by `Tree.signals`: currents, states of the user's own
    joints: tuple[JointMotion, ...]  # motions of every link
    T_WL: tuple[Number, ...]  # link frames in the world (4×4)
    V_L: tuple[Number, ...]  # twists of the links (6,), link axes at the link origin
    reactions: Mapping[str, Number] = field(default_factory=dict)  # ideal parts of reactions by full name, where known
    results: Callable[[str], Number | None] = lambda name: None  # results of the equations of motion, where known
    lets: dict[str, Number] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Values of names of `Tree.lets` that expressions have used: each is evaluated once."""
    efforts: dict[tuple[Any, ...], Number] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Efforts of the model's own equations (nv,) that expressions have used, by what they are made of."""
    touches: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Points where shapes touch, by the name of the contact: several laws need them."""
    markers: dict[int, tuple[Place, MarkerMotion]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Motions of markers that loads and joints have used, by the ids of their places."""


def motion(tree: Tree, q: Number, v: Number, *, t: Number = 0, z: Number | None = None) -> Motion:
    """Positions and velocities of all links for the state (t, q, v); z as in `Motion`, zero if absent."""
    joints = tuple(_joint_motion(link, take(q, link.q), take(v, link.v)) for link in tree.links)
    T_WL: list[Number] = []
    V_L: list[Number] = []
    for link, joint in zip(tree.links, joints, strict=True):
        T, V = joint.T_PL, joint.S @ take(v, link.v)
        if link.parent != GROUND:
            T = T_WL[link.parent] @ T
            V = motion_to_child(joint.R, joint.p, V_L[link.parent]) + V
        T_WL.append(T)
        V_L.append(V)
    return Motion(t, q, v, ca.DM.zeros(len(tree.signals)) if z is None else z, joints, tuple(T_WL), tuple(V_L))


def at_rest(tree: Tree, state: Motion) -> Motion:
    """The same position with all velocities zero."""
    joints = tuple(replace(joint, S_dot=ca.DM(6, joint.S.shape[1])) for joint in state.joints)
    return replace(state, v=ca.DM(tree.nv, 1), joints=joints, V_L=(ca.DM(6, 1),) * len(tree.links))


def take(x: Number, indices: tuple[int, ...]) -> Number:
    """Entries of x (n,) at `indices`, which follow each other, as a column; an empty column for none."""
    return x[indices[0] : indices[-1] + 1] if indices else ca.DM(0, 1)


def absolute_rate(state: Motion, link: int) -> Number:
    """Rate of the link's subspace in space (6×nv), link axes: [V×] S + dS/dt."""
    joint = state.joints[link]
    turning = cross_motion(state.V_L[link]) @ joint.S
    return turning + joint.S_dot if joint.S_dot.nnz() else turning


def _joint_motion(link: Link, q: Number, v: Number) -> JointMotion:
    """A joint at its own coordinates q and velocities v."""
    T_J = link.law.transform(q)
    T_PL = link.T @ T_J
    return JointMotion(T_J, T_PL, rotation(T_PL), position(T_PL), link.law.subspace(q), link.law.subspace_rate(q, v))


def marker_motion(state: Motion, place: Place) -> MarkerMotion:
    """Position, axes and velocities of a marker in world axes."""
    if id(place) not in state.markers:
        state.markers[id(place)] = place, _marker_motion(state, place)
    return state.markers[id(place)][1]


def _marker_motion(state: Motion, place: Place) -> MarkerMotion:
    if place.link == GROUND:
        return MarkerMotion(rotation(place.T_LM), position(place.T_LM), ca.DM(3, 1), ca.DM(3, 1))
    T_WM = state.T_WL[place.link] @ place.T_LM
    R_WL, r_L = rotation(state.T_WL[place.link]), position(place.T_LM)
    return MarkerMotion(rotation(T_WM), position(T_WM), *_velocities_at(R_WL, state.V_L[place.link], r_L))


@traced((3, 3), (6, 1), (3, 1))
def _velocities_at(R_WL: Number, V_L: Number, r_L: Number) -> tuple[Number, Number]:
    """Angular velocity of a link and velocity of its point r_L, world axes."""
    return R_WL @ V_L[:3], R_WL @ (V_L[3:] + skew(V_L[:3]) @ r_L)


def coordinate_rate(tree: Tree, q: Number, v: Number) -> Number:
    """q̇ (nq,) for the velocities v (nv,); differs from v where there are quaternions."""
    return _by_joint(tree, lambda link: link.law.coordinate_rate(take(q, link.q), take(v, link.v)))


def commutator(tree: Tree, a: Number, b: Number) -> Number:
    """[a, b] (nv,): velocities of the commutator of the motions with constant velocities a and b; zero where q̇ = v."""
    entries: list[Number] = [ca.DM(1, 1)] * tree.nv
    for link in tree.links:
        own = link.law.commutator(take(a, link.v), take(b, link.v))
        for row, k in enumerate(link.v):
            entries[k] = own[row]
    return ca.vertcat(ca.SX(0, 1), *entries)


def normalised(tree: Tree, q: Number) -> Number:
    """q (nq,) with all quaternions at unit length."""
    return _by_joint(tree, lambda link: link.law.normalised(take(q, link.q)))


def _by_joint(tree: Tree, law: Callable[[Link], Number]) -> Number:
    """Column (nq,) put together from law(link) for every link, in the order of q."""
    entries: list[Number] = [ca.DM(1, 1)] * tree.nq
    for link in tree.links:
        for index, entry in zip(link.q, ca.vertsplit(law(link)) if link.q else (), strict=True):
            entries[index] = entry
    return ca.vertcat(*entries) if entries else ca.DM(0, 1)
