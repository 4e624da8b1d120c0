"""Newton's and Euler's equations of every body, from positions alone and the reactions of a run.

Positions come from the forward kinematics; velocities and accelerations are their exact derivatives, not the recursions
that the reactions were computed with. What acts on a body is what the run says: each joint's reaction, with the opposite
wrench at the same point on the parent, and the force of each constraint and spring between two markers.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from cardan.kinematics.build import build
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.model import resolve
from cardan.model.constraints import PlaceConstraint
from cardan.model.model import Model
from cardan.results.trajectory import Trajectory

__all__ = ["imbalance"]


def imbalance(model: Model, run: Trajectory, motors: str = "full", parameters: dict[str, Any] | None = None) -> float:
    """Largest force or moment that is missing on any body at any instant, over the largest one that acts."""
    bodies = _Bodies(model, run, motors, parameters or {})
    acting = {name: (np.zeros((len(run), 3)), np.zeros((len(run), 3))) for name in model.bodies}
    largest = 1.0
    for name, joint in model.joints.items():
        f, n = run.array(f"{name}.reaction_force"), run.array(f"{name}.reaction_moment")
        f, n = np.nan_to_num(f), np.nan_to_num(n)  # a planar model does not know them: nothing else acts there either
        bodies.act(acting, joint, f, n)
        largest = max(largest, np.abs(f).max(), np.abs(n).max())
    for name, record in model.constraints.items():
        if isinstance(record, PlaceConstraint):
            f = np.nan_to_num(run.array(f"{name}.force"))
            bodies.act(acting, record, f, np.zeros_like(f))
            largest = max(largest, np.abs(f).max())
    missing = [bodies.missing(name, *wrench) for name, wrench in acting.items()]
    return float(np.max(np.abs(missing)) / largest)


class _Bodies:
    """Positions of all bodies and markers along a run, rates of momentum of the bodies."""

    def __init__(self, model: Model, run: Trajectory, motors: str, parameters: dict[str, Any]) -> None:
        self.model = model
        tree = build(model, motors)  # type: ignore[arg-type]
        values = list(resolve(model.parameters, parameters).values())
        q, v, a = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("a", tree.nv)
        rate = coordinate_rate(tree, q, v)

        def dot(x: ca.SX) -> ca.SX:
            return ca.jtimes(ca.SX(x), ca.vertcat(q, v), ca.vertcat(rate, a))

        T = motion(tree, q, ca.DM(tree.nv, 1)).T_WL
        links = {link.name: (T[i], link) for i, link in enumerate(tree.links)}
        placed = {}
        for name, place in tree.places.items():
            placed[name] = (place.T_LM if place.link < 0 else T[place.link] @ place.T_LM)[:3, 3]
        momentum = {}
        number = ca.Function("n", [tree.p], [ca.SX(x) for name in model.bodies for x in _mass(model, name, tree)])
        masses = [np.array(x) for x in number.call([values])]
        for i, name in enumerate(model.bodies):
            m, I = masses[2 * i : 2 * i + 2]
            T_WL, link = links[name]
            R = (T_WL @ link.T_LB)[:3, :3]
            c = placed[f"{name}.com"]
            L = _angular(R, dot, I)
            for rotor in tree.rotors:  # mounted ones; the others are part of their joint only
                if rotor.carrier is not None and tree.links[rotor.carrier].name == name:
                    axis = T_WL[:3, :3] @ rotor.axis
                    L += rotor.inertia * axis * (ca.dot(axis, _omega(R, dot)) + rotor.ratio * v[rotor.v])
            g = tree.gravity
            momentum[name] = ca.vertcat(m @ (dot(dot(c)) - g), dot(L))
        outputs = [ca.densify(ca.SX(x)) for x in (*placed.values(), *momentum.values())]
        function = ca.Function("bodies", [q, v, a, tree.p], outputs)
        nq, nv = tree.nq, tree.nv
        accelerations = np.array([run.array(f"{entry.name}.a") for entry in tree.velocities]).T.reshape(len(run), nv)
        rows = [
            function.call([x[:nq], x[nq : nq + nv], acc, values]) for x, acc in zip(run.x, accelerations, strict=True)
        ]
        stacked = [np.array([np.array(row[i]).ravel() for row in rows]) for i in range(len(outputs))]
        self.places = dict(zip(placed, stacked, strict=False))
        self.momentum = dict(zip(momentum, stacked[len(placed) :], strict=True))

    def act(self, acting: dict[str, Any], record: Any, f: np.ndarray, n: np.ndarray) -> None:
        """Adds the wrench of a record's parent on its child, and the opposite one on the parent, about the centres."""
        p = self.places[record.child]
        for end, sign in ((record.child, 1), (record.parent, -1)):
            body = end.partition(".")[0]
            if body in acting:
                force, moment = acting[body]
                force += sign * f
                moment += sign * (n + np.cross(p - self.places[f"{body}.com"], f))

    def missing(self, name: str, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """What is left of Newton's and Euler's equations of a body (N, 6)."""
        planar = self.model.planar
        left = np.hstack([force, moment]) - self.momentum[name]
        return left if planar is None else left[:, _IN_PLANE[planar]]


_IN_PLANE = {"xy": [0, 1, 5], "xz": [0, 2, 4], "yz": [1, 2, 3]}


def _mass(model: Model, name: str, tree: Any) -> tuple[Any, Any]:
    """Mass and tensor of a body as expressions of the parameters."""
    from functools import partial

    from cardan.kinematics.scope import evaluate, parameter_value

    body = model.bodies[name].resolved(partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p)))
    return body.mass, body.inertia_matrix()


def _omega(R: ca.SX, dot: Any) -> ca.SX:
    """Angular velocity in world axes, from Ṙ Rᵀ."""
    W = ca.reshape(dot(ca.vec(ca.densify(R))), 3, 3) @ R.T
    return ca.vertcat(W[2, 1], W[0, 2], W[1, 0])


def _angular(R: ca.SX, dot: Any, I: np.ndarray) -> ca.SX:
    """Angular momentum about the centre of mass, world axes."""
    return R @ I @ R.T @ _omega(R, dot)
