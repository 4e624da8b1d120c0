"""Freedoms without inertia that no force moves, such as a thin leg's rotation about its own axis between two balls.

No equation determines their acceleration: they keep their velocity. A unit of inertia at such a velocity says so, and
changes no other equation, since neither M nor Φq couples it to another one.
"""

import casadi as ca
import numpy as np

from cardan.formulations import composite_body, newton_euler
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import normalised
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.round_off import ROUND_OFF
from cardan.system.efforts import actuator_efforts
from cardan.system.state import symbolic_state
from cardan.system.system import System

SAMPLES = 4  # number of random states: an effort or a lever arm that is not zero everywhere is zero in none of them


def still_velocities(system: System) -> tuple[int, ...]:
    """Velocities whose column of M is empty whatever the parameters are, and that no loop and no effort acts on.

    A joint of which every freedom lacks inertia is none of them: the mass of its body was forgotten.
    """
    tree = system.tree
    if not any(_may_be_thin(link.inertia.J) for link in tree.links):
        return ()
    state = symbolic_state(system)
    M = ca.sparsify(ca.SX(composite_body.mass_matrix(tree, state.motion)))
    empty = {k for k in range(tree.nv) if not M[:, k].nnz()}
    thin = [k for link in tree.links if not empty.issuperset(link.v) for k in link.v if k in empty]
    if not thin:
        return ()
    f = actuator_efforts(system, state) - newton_euler.inverse_dynamics(tree, state.motion, ca.DM(tree.nv, 1))
    J = constraint_terms(tree, state.motion).Phi_q
    symbols = [state.t, state.q, state.v, state.z, state.u, ca.SX.sym("p", tree.p.shape[0])]
    outputs = ca.substitute([ca.SX(J), ca.SX(f)], [ca.SX(tree.p)], [symbols[-1]]) if tree.p.shape[0] else [J, f]
    function = ca.Function("thin", symbols, [ca.densify(ca.SX(x)) for x in outputs])
    rng, moved = np.random.default_rng(0), np.zeros(tree.nv)
    for _ in range(SAMPLES):
        q = np.array(normalised(tree, ca.DM(rng.uniform(0.2, 1.0, tree.nq))))
        z, p = rng.standard_normal(system.nz), rng.uniform(0.2, 1.0, tree.p.shape[0])
        found = function(rng.uniform(), q, rng.standard_normal(tree.nv), z, np.zeros(len(system.input_names)), p)
        for values in (np.abs(np.array(x)) for x in (found[0].T, found[1])):
            moved = np.maximum(moved, np.max(values, axis=1, initial=0.0) / max(np.max(values, initial=0.0), 1.0))
    return tuple(k for k in thin if moved[k] <= ROUND_OFF)  # False for NaN


def still_doubts(tree: Tree) -> tuple[str, ...]:
    """The warning that names these freedoms; empty if there are none."""
    if not tree.still:
        return ()
    names = ", ".join(tree.velocities[k].name for k in tree.still)
    cure = "give the body an inertia about that axis if it is to turn there"
    return (f"{names}: no inertia and no force, so that the velocity stays as it starts; {cure}",)


def _may_be_thin(J: Number) -> bool:
    """Whether the second moments J (3×3) are literally those of a straight line along an axis of the link."""
    return sum(ca.SX(J)[k, k].is_zero() for k in range(3)) >= 2
