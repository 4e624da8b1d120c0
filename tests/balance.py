"""Newton's and Euler's equations of every body, from positions alone and the reactions of a run.

Positions come from the forward kinematics; velocities and accelerations are their exact derivatives, not the recursions
that the reactions were computed with. What acts on a body is what the run says: each joint's reaction, the opposite
wrench at the same point on the parent, and the same of each constraint between two markers and of each force element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from cardan.kinematics.build import build
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import GROUND, Tree
from cardan.model import resolve
from cardan.model.constraints import PlaceConstraint
from cardan.model.constraints.coupler import Coupler
from cardan.model.graphs.port import GraphPort
from cardan.model.joints.cylindrical import Cylindrical
from cardan.model.joints.fixed import Fixed
from cardan.model.joints.prismatic import Prismatic
from cardan.model.joints.revolute import Revolute
from cardan.model.joints.screw import Screw
from cardan.model.joints.spherical import Spherical
from cardan.model.model import Model
from cardan.model.place import split
from cardan.results.trajectory import Trajectory

__all__ = ["imbalance", "leak", "places_along"]

Array = np.ndarray

_IN_PLANE = {None: [0, 1, 2, 3, 4, 5], "xy": [0, 1, 5], "xz": [0, 2, 4], "yz": [1, 2, 3]}
_STEADY = (Revolute, Prismatic, Screw, Cylindrical, Spherical, Fixed)  # free directions do not change in child axes


def imbalance(
    model: Model, run: Trajectory, motors: str = "full", more: Mapping[str, tuple[Array, Array]] | None = None
) -> float:
    """Largest force or moment that is missing on any body at any instant, over the largest one that acts.

    `more` is what else acts, by body: force and moment about the centre of mass (N, 3 each), world axes.
    """
    path = places_along(model, run, motors)
    acting = {name: (np.zeros((len(run), 3)), np.zeros((len(run), 3))) for name in model.bodies}
    largest = 1.0
    for record, f, n in _wrenches(model, run):
        largest = max(largest, np.abs(f).max(), np.abs(n).max())
        p = path[record.child, "p"]
        for end, sign in ((record.child, 1), (record.parent, -1)):
            body = split(end)[0]
            if body in acting:
                force, moment = acting[body]
                force += sign * f
                moment += sign * (n + np.cross(p - path[f"{body}.com", "p"], f))
    for parent, child, push in _ports(model, run):
        p, q = path[parent, "p"], path[child, "p"]
        f = push[:, None] * (q - p) / np.linalg.norm(q - p, axis=1)[:, None]
        for end, point, sign in ((child, q, 1), (parent, p, -1)):
            if end.partition(".")[0] in acting:
                force, moment = acting[end.partition(".")[0]]
                force += sign * f
                moment += sign * np.cross(point - path[f"{end.partition('.')[0]}.com", "p"], f)
    for body, (f, n) in (more or {}).items():
        acting[body][0][:] += f
        acting[body][1][:] += n
    missing = [np.hstack(wrench) - path[name, "rate"] for name, wrench in acting.items()]
    return float(np.max(np.abs(missing)[:, :, _IN_PLANE[model.planar]]) / largest)


def leak(model: Model, run: Trajectory) -> float:
    """Largest part of a reaction along a free direction beyond the joint's spring and damper, over the largest one."""
    path = places_along(model, run, "none")
    values = resolve(model.parameters)
    worst, largest = 0.0, 1.0
    for name, joint in model.joints.items():
        law = joint.resolved(lambda scalar: ca.DM(scalar.evaluate(values.__getitem__)))
        f, n = (np.nan_to_num(run.array(f"{name}.reaction_{part}")) for part in ("force", "moment"))
        largest = max(largest, np.abs(f).max(), np.abs(n).max())
        if not isinstance(joint, _STEADY):
            continue
        S = np.array(ca.DM(law.subspace(ca.DM(law.neutral))))
        R = path[joint.child, "R"].reshape(-1, 3, 3).transpose(0, 2, 1) @ np.array(ca.DM(law.alignment()))
        own = np.hstack([np.einsum("tji,tj->ti", R, n), np.einsum("tji,tj->ti", R, f)]) @ S
        effort = _own_effort(law, name, run) + _of_couplers(model, values, name, run)
        worst = max(worst, np.abs(own - effort).max(initial=0))
    return worst / largest


def _of_couplers(model: Model, values: Mapping[str, float], name: str, run: Trajectory) -> Array | float:
    """Effort (N, 1) of linear relations between coordinates, which act along the motions of joints."""
    acting = [
        float(record.terms[name].evaluate(values.__getitem__)) * run.array(f"{coupler}.force")
        for coupler, record in model.constraints.items()
        if isinstance(record, Coupler) and name in record.terms
    ]
    return np.sum(acting, axis=0)[:, None] if acting else 0.0


def _own_effort(law: Any, name: str, run: Trajectory) -> Array | float:
    """Effort (N, 1) of the spring and damper of a joint of one coordinate, and of the drive of a prescribed motion."""
    efforts = [f"{name}{suffix}.effort" for suffix, _ in law.velocities]
    driven = np.transpose([run.array(effort) for effort in efforts]) if set(efforts) <= set(run) else 0.0
    if law.stiffness is None and law.damping is None:
        return driven
    k, d, rest = (0.0 if x is None else float(x) for x in (law.stiffness, law.damping, law.rest))
    return driven + np.array(-k * (run.array(f"{name}.q") - rest) - d * run.array(f"{name}.v"))[:, None]


def _wrenches(model: Model, run: Trajectory) -> list[tuple[Any, Array, Array]]:
    """(record, force, moment) on the child of every joint, constraint and force element; what is not known is zero."""
    between = {name: record for name, record in model.constraints.items() if isinstance(record, PlaceConstraint)}
    out = []
    for name, record in {**model.joints, **between, **model.forces}.items():
        load, zero = run.reaction(name), np.zeros((len(run), 3))
        f, n = (np.nan_to_num(load[part].values) if part in load else zero for part in ("force", "moment"))
        out.append((record, f, n))
    for name, record in model.constraints.items():
        if record.drives and record.given is not None:  # the reaction of a program is its given part alone
            ends = SimpleNamespace(parent=record.places[0], child=record.places[1])
            out.append((ends, run.reaction(name)["force"].values, np.zeros((len(run), 3))))
    return out


def _ports(model: Model, run: Trajectory) -> list[tuple[str, str, Array]]:
    """Parent and child of the ports of bond graphs between markers, and the efforts that push them apart."""
    return [
        (str(part.parent), str(part.child), run.array(f"{name}.{port}.effort"))
        for name, graph in model.graphs.items()
        for port, part in graph.elements.items()
        if isinstance(part, GraphPort) and part.child is not None
    ]


def places_along(model: Model, run: Trajectory, motors: str = "full") -> dict[tuple[str, str], Array]:
    """Along a run: position "p" and axes "R" (by columns) of every marker, the "rate" of momentum of every body."""
    tree = build(model, motors)  # type: ignore[arg-type]
    p = list(resolve(model.parameters).values())
    q, v, a = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("a", tree.nv)
    rate = ca.vertcat(coordinate_rate(tree, q, v), a)

    def dot(x: ca.SX) -> ca.SX:
        return ca.jtimes(ca.densify(ca.SX(x)), ca.vertcat(q, v), rate)

    T_WL = motion(tree, q, ca.DM(tree.nv, 1)).T_WL
    out: dict[tuple[str, str], ca.SX] = {}
    for name, place in tree.places.items():
        T_WM = place.T_LM if place.link == GROUND else T_WL[place.link] @ place.T_LM
        out[name, "p"], out[name, "R"] = T_WM[:3, 3], ca.vec(ca.densify(T_WM[:3, :3]))
    number, links = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p)), list(tree.links)
    of_body = {link.name: T_WL[k] @ link.T_LB for k, link in enumerate(links)}
    for joint in model.joints.values():  # places that joints name where they use them
        for end in {joint.parent, joint.child} - set(tree.places):
            T_WM = of_body.get(split(end)[0], ca.DM.eye(4)) @ end.resolved(number).transform()
            out[end, "p"], out[end, "R"] = T_WM[:3, 3], ca.vec(ca.densify(T_WM[:3, :3]))
    for index, link in enumerate(tree.links):
        out[link.name, "rate"] = _momentum_rate(model, tree, index, T_WL[index], out[f"{link.name}.com", "p"], v, dot)
    function = ca.Function("path", [q, v, a, tree.p], [ca.densify(ca.SX(x)) for x in out.values()])
    accelerations = np.array([run.array(f"{entry.name}.a") for entry in tree.velocities]).T.reshape(len(run), tree.nv)
    X = np.array(run.x)
    found = function.map(len(run))(
        X[:, : tree.nq].T, X[:, tree.nq : tree.nq + tree.nv].T, accelerations.T, np.tile(p, (len(run), 1)).T
    )
    return {key: np.array(values).T for key, values in zip(out, found, strict=True)}


def _momentum_rate(
    model: Model, tree: Tree, index: int, T_WL: ca.SX, c: ca.SX, v: ca.SX, dot: Callable[[ca.SX], ca.SX]
) -> ca.SX:
    """m (c̈ − g) and L̇ (6,) of a body about its centre of mass c, with the rotors that it carries."""
    name = tree.links[index].name
    number = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    body = model.bodies[name].resolved(number)
    R = (T_WL @ tree.links[index].T_LB)[:3, :3]
    W = ca.reshape(dot(ca.vec(ca.densify(R))), 3, 3) @ R.T
    omega = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
    L = R @ body.inertia_matrix() @ R.T @ omega
    for rotor in tree.rotors:
        if rotor.carrier == index:
            axis = T_WL[:3, :3] @ rotor.axis
            L += rotor.inertia * axis * (ca.dot(axis, omega) + rotor.ratio * v[rotor.v])
    return ca.vertcat(body.mass * (dot(dot(c)) - tree.gravity), dot(L))
