"""Refuses friction that follows a load which the equations of motion do not determine uniquely.

Multipliers λ and λ + N s, with N spanning the null space of Φqᵀ, give the same motion: the contact forces c of a joint
are unique iff ∂c/∂λ N = 0.   Source: as `cardan.loads.uniqueness`
"""

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError
from cardan.loads.uniqueness import INSENSITIVE
from cardan.numerics.rank import null_space
from cardan.system.constrained import Selection
from cardan.system.contacts.unknown_efforts import load_friction
from cardan.system.state import symbolic_state
from cardan.system.system import System


def check_unique_loads(system: System, assembler: Assembler, q: np.ndarray, choice: Selection) -> None:
    """Refuse joints whose friction follows a load that is not unique in the position q or near it."""
    loaded = [block for block in system.frictions if block.law.follows_load and block.law.loads is None]
    redundant = len(assembler.at(q)[0]) - len(choice.kept)
    if not loaded or redundant <= 0:
        return
    s, lam = symbolic_state(system), ca.SX.sym("lam", len(assembler.at(q)[0]))
    rubbing = load_friction(system, s, least=False)
    assert rubbing is not None
    found = rubbing.contacts(ca.DM(system.tree.nv, 1), lam, {block.velocity: ca.DM(1, 1) for block in system.frictions})
    W = [ca.jacobian(ca.SX(ca.vertcat(*found[block.velocity])), lam) for block in loaded]
    at_rest = [ca.substitute(w, ca.vertcat(s.t, s.v, s.z, s.u), 0) for w in W]
    function = ca.Function("sensitivity", [s.q, system.tree.p], at_rest)
    for place in assembler.neighbours(q):
        N = null_space(assembler.at(place)[1].T)
        if N.shape[1] != redundant:
            continue  # a singular position has further self-stresses that its neighbours do not have
        for block, w in zip(loaded, function.call([ca.DM(place), ca.DM(assembler.p)]), strict=True):
            sizes = np.abs(w.full())
            if np.abs(w.full() @ N).max(initial=0.0) > INSENSITIVE * sizes.max(initial=0.0):
                fault = f"the friction of {block.name!r} follows its load, and this load is not unique"
                cure = "open redundant constraints (spherical joints), add loads: minimum_norm, or give effort:"
                raise ModelError(Issue(fault, cure, block.path))
