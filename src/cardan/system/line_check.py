"""Refuses a force along the line between two markers that coincide in every position."""

import casadi as ca
import numpy as np

from cardan.errors import Issue, ModelError
from cardan.kinematics.loads import load_ends
from cardan.kinematics.motion import motion, normalised
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.numerics.entries import column
from cardan.numerics.round_off import ROUND_OFF


def check_lines(model: Model, tree: Tree) -> None:
    """Check the markers of all forces that need a line, at coordinates drawn at random.

    Parameters that are defined as 0 may get another value later; they are 1 here. Where markers meet in some positions
    only, a run that comes to such a position ends there.
    """
    if not tree.loads:
        return
    drawn = ca.DM(np.random.default_rng(0).uniform(0.2, 1.0, tree.nq))
    state = motion(tree, normalised(tree, drawn), ca.DM(tree.nv, 1), t=ca.DM(1.0))  # where 1/t has a value
    apart: dict[str, Number] = {}
    for load in tree.loads:
        if load.given:
            continue
        record, a, b = load_ends(tree, state, load)
        if record.needs_line:
            apart[load.name] = ca.norm_2(b.p - a.p) - ROUND_OFF * (1 + ca.norm_2(a.p))
    given_later = {name: 1.0 for name, definition in model.parameters.items() if definition.value == 0}
    distances = ca.Function("apart", [tree.p], [ca.densify(ca.SX(column([*apart.values()])))])
    found = np.array(distances([*resolve(model.parameters, given_later).values()])).ravel()
    for name, distance in zip(apart, found, strict=True):
        if distance <= 0:
            fault = "its markers coincide in every position, which leaves its line without direction"
            cure = "give one of them another position or the force an axis, or leave out its damping and rest_length"
            raise ModelError(Issue(fault, cure, ("forces", name)))
