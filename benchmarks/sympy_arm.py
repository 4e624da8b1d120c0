"""The arm with six joints in SymPy: Kane's method, and Lagrange's equations as one writes them by hand.

A script: `python -m benchmarks.sympy_arm kane 6` prints the time of the derivation in seconds, and the numbers of the
mass matrix and of the other terms at a test state, all as JSON. It reads the bodies from the model file as exact
numbers, and the chain from this table; Cardan's own derivation takes no part.
"""

from __future__ import annotations

import json
import sys
import time

import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import cardan

__all__ = ["derive"]

CHAIN = (("turn", "z"), ("slide", "z"), ("slide", "y"), ("turn", "y"), ("slide", "x"), ("turn", "x"))
"""How each link moves in its parent's frame (manipulator_6dof: rot6, trans3, trans2, rot5, trans1, rot4)."""
OFFSETS = {2: ("z", "d3"), 3: ("y", "d4"), 5: ("x", "d6")}
"""What lies before the motion of a link, along an axis of the parent."""


def derive(method: str, n: int, state: list[list[float]]) -> dict:
    """Time of a derivation [s], and its numbers at a state.

    Parameters
    ----------
    method : "kane", "kane_simplified" or "lagrange"
        How the equations are derived, and whether the mass matrix is simplified.
    n : int
        Number of links.
    state : list of two lists of n numbers
        Coordinates and velocities.
    """
    model = cardan.load("manipulator_6dof")
    started = time.process_time()
    M, h, q, v = {"kane": _kane, "kane_simplified": _kane, "lagrange": _lagrange}[method](model, n)
    if method == "kane_simplified":
        M = M.applyfunc(sp.simplify)
    seconds = time.process_time() - started
    values = dict(zip([*q, *v], [*state[0], *state[1]], strict=True))
    values |= {sp.Symbol(name): scalar.value for name, scalar in model.parameters.items()}
    numbers = [[[float(x) for x in row] for row in matrix.subs(values).tolist()] for matrix in (M, h)]
    return {"seconds": seconds, "M": numbers[0], "h": [row[0] for row in numbers[1]]}


def _exact(scalar):
    """The number of a model file as a fraction, or the symbol of a parameter."""
    return sp.Rational(str(scalar.value)) if scalar.value is not None else sp.Symbol(str(scalar))


def _bodies(model, n):
    """Mass, centre of mass and inertia of the first n links, exact."""
    for body in list(model.bodies.values())[:n]:
        yield _exact(body.mass), [_exact(x) for x in body.com], [_exact(x) for x in body.inertia]


def _kane(model, n):
    """Mass matrix and all other terms by `KanesMethod`."""
    q = dynamicsymbols(f"q1:{n + 1}")
    u = dynamicsymbols(f"u1:{n + 1}")
    ground, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(ground, 0)
    frame, point, bodies, loads = ground, origin, [], []
    for i, (mass, com, J) in enumerate(_bodies(model, n)):
        kind, axis = CHAIN[i]
        if i in OFFSETS:
            along, name = OFFSETS[i]
            point = _moved(point, f"P{i}", sp.Symbol(name) * getattr(frame, along), frame, ground)
        if kind == "turn":
            turned = frame.orientnew(f"A{i}", "Axis", [q[i], getattr(frame, axis)])
            turned.set_ang_vel(frame, u[i] * getattr(frame, axis))
            frame = turned
        else:
            slid = point.locatenew(f"S{i}", q[i] * getattr(frame, axis))
            rigid = point.vel(ground) + frame.ang_vel_in(ground).cross(q[i] * getattr(frame, axis))
            slid.set_vel(ground, rigid + u[i] * getattr(frame, axis))
            point = slid
        r = com[0] * frame.x + com[1] * frame.y + com[2] * frame.z
        centre = _moved(point, f"C{i}", r, frame, ground)
        bodies.append(RigidBody(f"B{i}", centre, frame, mass, (inertia(frame, *_sympy_order(J)), centre)))
        loads.append((centre, -mass * sp.Symbol("g") * ground.z))
    rates = [u_i - q_i.diff() for q_i, u_i in zip(q, u, strict=True)]
    method = KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=rates)
    method.kanes_equations(bodies, loads)
    plain_q, plain_v = sp.symbols(f"q1:{n + 1}"), sp.symbols(f"v1:{n + 1}")
    names = dict(zip([*q, *u], [*plain_q, *plain_v], strict=True))
    return method.mass_matrix.xreplace(names), -method.forcing.xreplace(names), plain_q, plain_v


def _moved(point, name, r, frame, ground):
    """A point fixed in a frame, with its velocity."""
    new = point.locatenew(name, r)
    new.set_vel(ground, point.vel(ground) + frame.ang_vel_in(ground).cross(r))
    return new


def _sympy_order(J):
    """xx yy zz xy yz zx, as SymPy wants it, of xx yy zz xy xz yz."""
    return J[0], J[1], J[2], J[3], J[5], J[4]


def _lagrange(model, n):
    """d/dt ∂T/∂v − ∂T/∂q + ∂Π/∂q from 4×4 matrices and the energies."""
    q, v = sp.symbols(f"q1:{n + 1}"), sp.symbols(f"v1:{n + 1}")
    T, kinetic, potential = sp.eye(4), sp.Integer(0), sp.Integer(0)
    for i, (mass, com, J) in enumerate(_bodies(model, n)):
        if i in OFFSETS:
            along, name = OFFSETS[i]
            T = T * _basic("slide", along, sp.Symbol(name))
        T = T * _basic(*CHAIN[i], q[i])
        R = T[:3, :3]
        centre = (T * sp.Matrix([*com, 1]))[:3, :]
        speed = centre.jacobian(q) * sp.Matrix(v)
        spin = sum((R.T * R.diff(q_k) * v_k for q_k, v_k in zip(q, v, strict=True)), sp.zeros(3, 3))
        w = sp.Matrix([spin[2, 1], spin[0, 2], spin[1, 0]])
        tensor = sp.Matrix([[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]])
        kinetic += (mass * speed.dot(speed) + w.dot(tensor * w)) / 2
        potential += mass * sp.Symbol("g") * centre[2]
    momentum = sp.Matrix([kinetic.diff(v_k) for v_k in v])
    M = momentum.jacobian(v)
    h = momentum.jacobian(q) * sp.Matrix(v) - sp.Matrix([(kinetic - potential).diff(q_k) for q_k in q])
    return M, h, q, v


def _basic(kind, axis, x):
    """A basic matrix (4×4)."""
    T, k = sp.eye(4), "xyz".index(axis)
    if kind == "slide":
        T[k, 3] = x
        return T
    a, b = (k + 1) % 3, (k + 2) % 3
    T[a, a], T[a, b], T[b, a], T[b, b] = sp.cos(x), -sp.sin(x), sp.sin(x), sp.cos(x)
    return T


if __name__ == "__main__":
    print(json.dumps(derive(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))))
