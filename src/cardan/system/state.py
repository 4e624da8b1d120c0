"""States of a system: symbols of t, q, v, z and u, and the motion that follows from them."""

from collections.abc import Iterator, Mapping
from functools import partial

import casadi as ca

from cardan.frozen import dataclass, field, replace
from cardan.kinematics.motion import Motion, motion
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Tree
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.entries import column
from cardan.system.blocks.block import Block
from cardan.system.contacts import Solved
from cardan.system.system import System


@dataclass(frozen=True)
class State:
    """Symbols of a state, its time and its inputs, with the motion that follows from them."""

    t: Number  # [s]
    q: Number  # (nq,)
    v: Number  # (nv,)
    z: Number  # states of the blocks (nz,)
    u: Number  # (m,)
    motion: Motion
    responses: dict[int, tuple[System, Solved]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What systems answer in this state, by their ids: several laws need it, and it is written once for all."""

    @property
    def x(self) -> Number:
        """(q, v, z)."""
        return ca.vertcat(self.q, self.v, self.z)


def symbolic_state(system: System, tree: Tree | None = None) -> State:
    """A state of symbols for `system` (or for its other `tree`)."""
    tree = system.tree if tree is None else tree
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    z, u = ca.SX.sym("z", system.nz), ca.SX.sym("u", len(system.input_names))
    return at(system, tree, t, q, v, z, u)


def at(
    system: System,
    tree: Tree,
    t: Number,
    q: Number,
    v: Number,
    z: Number,
    u: Number,
    expressions: Mapping[str, Scalar] | None = None,
) -> State:
    """The state (t, q, v, z) under the inputs u, with its motion."""
    state = _with_signals(system, State(t, q, v, z, u, motion(tree, q, v, t=t)))
    if not expressions:
        return state
    inputs = ca.SX(u)
    lookup = partial(value, tree, state.motion)
    for k, name in enumerate(system.input_names):
        if name in expressions:
            inputs[k] = evaluate(expressions[name], lookup)
    return _with_signals(system, replace(state, u=inputs))


def _with_signals(system: System, state: State) -> State:
    """The state whose motion contains the signals of the blocks; expressions look them up there.

    Signals that are states come first: others, such as currents of simplified motors, may follow them. Inputs of motors
    whose voltages follow them by a law are the last signals.
    """
    names = [f"{circuit.name}.demand" for circuit in system.circuits]
    demands = [state.u[k] for k, name in enumerate(names) if name in system.tree.signals]
    blocks = [(block, z, u) for block, z, u in blocks_at(system, state) if block.signals]
    known = [z if block.signals == block.names else ca.SX.nan(len(block.signals), 1) for block, z, _ in blocks]
    moving = replace(state.motion, z=column([*known, *demands]))
    values = [block.signal_values(moving, z, u) for block, z, u in blocks]
    return replace(state, motion=replace(state.motion, z=column([*values, *demands])))


def blocks_at(system: System, state: State) -> Iterator[tuple[Block, Number, Number]]:
    """Every block with its states z (nz,) and inputs u (m,)."""
    first_z = first_u = 0
    for block in system.blocks:
        last_z, last_u = first_z + len(block.names), first_u + len(block.input_names)
        yield block, state.z[first_z:last_z], state.u[first_u:last_u]
        first_z, first_u = last_z, last_u
