"""Efforts that the model's own equations ask for in a state of motion, for the laws of controllers."""

from collections.abc import Callable
from dataclasses import replace

import casadi as ca

from cardan.kinematics.motion import Motion, at_rest
from cardan.kinematics.tree import Number, Tree
from cardan.model.expressions.evaluation import evaluate
from cardan.model.expressions.grammar import Call, Name
from cardan.model.expressions.operations import CASADI
from cardan.spatial.inertia import Inertia


def own_effort(tree: Tree, state: Motion, call: Call, lookup: Callable[[str], Number]) -> Number:
    """M a + C v + D v + g on the velocity that is the first operand [N, N m]; all rows are written once."""
    name, rest, masses, *given = call.operands
    if call.operands[1:] not in state.efforts:
        numbers = {
            one.name: evaluate(a, lookup, CASADI)
            for one, a in zip(given[::2], given[1::2], strict=True)
            if isinstance(one, Name)
        }
        a = ca.vertcat(*(numbers.get(velocity.name, ca.DM(1, 1)) for velocity in tree.velocities))
        own = _own_model(tree, evaluate(masses, lookup, CASADI))
        still = bool(evaluate(rest, lookup))
        assert tree.inverse_dynamics is not None, "build_system sets it"
        state.efforts[call.operands[1:]] = tree.inverse_dynamics(own, at_rest(tree, state) if still else state, a)
    assert isinstance(name, Name)
    return state.efforts[call.operands[1:]][[velocity.name for velocity in tree.velocities].index(name.name)]


def _own_model(tree: Tree, masses: Number) -> Tree:
    """The mechanism that a controller knows: without forces but those of springs and dampers."""
    own = replace(tree, loads=tuple(load for load in tree.loads if not load.record.follows_motion))
    if isinstance(masses, float) and masses == 1:
        return own
    scaled = [replace(link, inertia=_scaled(link.inertia, masses)) for link in tree.links]
    return replace(own, links=tuple(scaled))


def _scaled(P: Inertia, factor: Number) -> Inertia:
    return Inertia(factor * P.m, factor * P.h, factor * P.J)
