"""Pairs of shapes of a description as the data of contacts: MuJoCo's soft contact by the law that is nearest to it.

MuJoCo chooses the force f of a contact such that a = −b v − k r − R f, where −r is the depth, k = d s/d²,
b = 2 ζ √s/d, R = (1 − d)/(d m), d the impedance, and 1/m = w_A + w_B with w the mean of the diagonal of J M⁻¹ Jᵀ at the
centre of mass of a body while all coordinates are zero. `solref` gives s = 1/(time · ζ)² and ζ, or −s and −2 ζ √s. At
rest this is a spring of the stiffness k/R = m s/(1 − d); 2 (condim − 1) edges of a pyramid, each with 2 μ² (1 + μ²) R
over impratio, make one that is firmer. An impact without other forces follows a = −d (b v + k r), a
damper of the ratio ζ that does not pull: it leaves exp(−2ζ arccos ζ/√(1−ζ²)) of the speed.

Source: MuJoCo's documentation, Computation, "Constraint model", and Modeling, "Solver parameters"; Schwager & Pöschel
2007, Granular Matter 9:465 (the restitution)
"""

import math
from collections.abc import Iterable
from typing import Any

import casadi as ca
import numpy as np

from cardan.formats.xml.colliders import Encounter, Surface
from cardan.formats.xml.names import unique
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.resting import resting
from cardan.model.contacts.pairs import PAIRS, ROUND
from cardan.model.model import Model
from cardan.model.place import GROUND
from cardan.model.sections import uniform_gravity

_IMPEDANCES = (1e-4, 0.9999)  # bounds within which MuJoCo keeps them
_RESTITUTION = 0.01  # least one for which the damping of Hunt & Crossley's law is accurate


def contact_data(model: Model, met: Iterable[Encounter], notes: Notes) -> dict[str, dict[str, Any]]:
    """The data of contacts by name; what has no counterpart in a model is noted."""
    known = []
    for one in met:
        kinds = one.a.kind, one.b.kind
        if kinds in PAIRS and "mesh" not in kinds:  # whose hulls have many corners
            known.append(one)
        else:
            notes.add(f"contacts between {' and '.join(sorted((one.a.kind, one.b.kind)))}", _words(one))
    taken = (*model.bodies, *model.joints, *model.constraints)
    names = unique((f"{one.a.name}_{one.b.name}" for one in known), taken)
    gives = yields(model) if known else {}
    weightless = not any(entry.value for entry in uniform_gravity(model))
    found = {}
    for name, one in zip(names, known, strict=True):
        give = gives[one.a.body] + gives[one.b.body]
        if not give > 0:
            notes.add("contacts of bodies whose centres of mass cannot move", _words(one))
            continue
        friction = _friction(one, notes, weightless=weightless)
        between = [f"{side.body}.{side.name}" for side in (one.a, one.b)]
        found[name] = {"between": between, **_normal(one.surface, 1 / give)} | friction
    return found


def yields(model: Model) -> dict[str, float]:
    """Acceleration per force [1/kg] of the centre of mass of each body, the mean of three directions, at zero."""
    from cardan.kinematics.jacobian import jacobian

    tree, state, M = resting(model)
    found = {GROUND: 0.0}
    for body in model.bodies:
        J = np.array(ca.DM(jacobian(tree, state, tree.places[f"{body}.com"])))[3:]
        found[body] = float(np.trace(J @ np.linalg.pinv(M) @ J.T)) / 3
    return found


def _normal(surface: Surface, mass: float) -> dict[str, Any]:
    """Stiffness and restitution between bodies of the effective `mass` [kg]."""
    d = min(max(surface.impedance, _IMPEDANCES[0]), _IMPEDANCES[1])
    first, second = surface.solref
    s, zeta = (1 / (first * second) ** 2, second) if first > 0 else (-first, -second / (2 * math.sqrt(-first)))
    angle = np.arccos(complex(zeta))
    restitution = math.exp(-2 * zeta * (angle / np.sin(angle)).real) if angle else math.exp(-2)
    stiffness, mu = mass * s / (1 - d), surface.friction[0]
    if surface.pyramid and surface.condim > 1 and mu:
        stiffness *= surface.pyramid * (surface.condim - 1) / (mu**2 * (1 + mu**2))
    return {"stiffness": stiffness, "exponent": 1, "restitution": max(restitution, _RESTITUTION)}


def _friction(one: Encounter, notes: Notes, *, weightless: bool) -> dict[str, Any]:
    surface = one.surface
    sliding, spinning, rolling = surface.friction
    if surface.condim == 1 or not sliding:
        return {}
    if weightless:
        notes.add("friction of contacts without gravity", _words(one))
        return {}
    turning = {"spinning": spinning if surface.condim >= 4 else 0, "rolling": rolling if surface.condim == 6 else 0}
    turning = {key: value for key, value in turning.items() if value}
    if turning and (one.a.kind, one.b.kind) not in ROUND:
        notes.add("friction against spinning and rolling at edges and corners", _words(one))
        turning = {}
    return {"friction": {"coefficient": sliding, **turning}}


def _words(one: Encounter) -> str:
    return f"{one.a.name} – {one.b.name}"
