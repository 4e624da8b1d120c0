"""A hand-made bond graph as a block: its free stores are states, its ports act on joints or between markers."""

from collections.abc import Sequence
from functools import partial

import casadi as ca

from cardan.bond_graphs import Graph
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.loads import PointForce
from cardan.kinematics.motion import Motion, marker_motion, motion
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Place, Tree
from cardan.model.graphs.bond_graph import BondGraph, core_graph
from cardan.model.graphs.equations import GraphEquations, graph_equations
from cardan.model.graphs.port import GraphPort
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.entries import column
from cardan.system.blocks.block import Block, BlockPower


@dataclass(frozen=True, kw_only=True)
class GraphBlock(Block):
    """One graph of the section `graphs:`."""

    is_actuator = False

    graph: BondGraph  # as the user wrote it
    equations: GraphEquations  # its laws
    tree: Tree  # which gives the names in its expressions their meaning

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        return self.equations.rates(*self.arguments(motion, z, u))

    def efforts(self, motion: Motion, z: Number, u: Number) -> Number:
        return self._efforts(motion, z, u, [_port(self.graph, port) for port in self.equations.ports])

    def efforts_on_joints(self, motion: Motion, z: Number, u: Number) -> Number:
        ports = [_port(self.graph, port) for port in self.equations.ports]
        return self._efforts(motion, z, u, [port for port in ports if port.joint is not None])

    def forces(self, motion: Motion, z: Number, u: Number) -> tuple[PointForce, ...]:
        found, efforts = [], self.equations.efforts(*self.arguments(motion, z, u))
        for k, name in enumerate(self.equations.ports):
            port = _port(self.graph, name)
            if port.child is not None:
                parent, child = self.tree.place(port.parent), self.tree.place(port.child)
                d = marker_motion(motion, child).p - marker_motion(motion, parent).p
                found.append(PointForce(f"{self.name}.{name}", parent, child, efforts[k] * d / ca.norm_2(d)))
        return tuple(found)

    def _efforts(self, motion: Motion, z: Number, u: Number, ports: Sequence[GraphPort]) -> Number:
        total: Number = ca.DM(motion.v.shape[0], 1)
        if not ports:
            return total
        efforts = self.equations.efforts(*self.arguments(motion, z, u))
        for k, name in enumerate(self.equations.ports):
            port = _port(self.graph, name)
            if port in ports:
                total = total + _row(self.tree, port, motion).T * efforts[k]
        return total

    def stored(self, z: Number) -> Number:
        _, u, s, f, a = (ca.DM.zeros(n) for n in self._sizes)
        return self.equations.stored(z, u, s, f, a, self.tree.p)

    def power(self, motion: Motion, z: Number, u: Number) -> BlockPower:
        powers = self.equations.powers(*self.arguments(motion, z, u))
        return BlockPower(supplied=powers[0], lost=powers[1])

    def arguments(self, motion: Motion, z: Number, u: Number, a: Number | None = None) -> tuple[Number, ...]:
        """Arguments of the functions of the graph, for accelerations `a` (nv,) of the mechanism."""
        lookup = partial(value, self.tree, motion)
        rows = [_row(self.tree, _port(self.graph, port), motion) for port in self.equations.ports]
        f = column([row @ motion.v for row in rows])
        rates = column([ca.DM(1, 1) if a is None else row @ a for row in rows])
        return z, u, column([lookup(name) for name in self.equations.names]), f, rates, self.tree.p

    def core(self, motion: Motion, z: Number, u: Number) -> Graph:
        """The graph with numbers: expressions of the motion, of its own states and of its inputs."""
        _, _, _, f, _, _ = self.arguments(motion, z, u)
        inputs = dict(zip(self.equations.inputs, ca.vertsplit(ca.SX(u)) if self.equations.inputs else (), strict=True))
        ports = dict(zip(self.equations.ports, ca.vertsplit(ca.SX(f)) if self.equations.ports else (), strict=True))

        def number(scalar: Scalar | None, element: str, **received: Number) -> Number:
            if scalar is None:
                return {**inputs, **ports}[element]
            return ca.SX(
                evaluate(scalar, lambda name: received[name] if name in received else value(self.tree, motion, name))
            )

        return core_graph(self.graph, number, self.name)

    @property
    def _sizes(self) -> tuple[int, ...]:
        equations = self.equations
        ports = len(equations.ports)
        return len(equations.states), len(equations.inputs), len(equations.names), ports, ports


def graph_blocks(model: Model, tree: Tree, motors: MotorModel) -> tuple[GraphBlock, ...]:
    """Blocks of the section `graphs:`, in file order."""
    return tuple(_block(name, graph, tree) for name, graph in model.graphs.items())


def _block(name: str, graph: BondGraph, tree: Tree) -> GraphBlock:
    equations = graph_equations(name, graph, tree.parameters)
    states = tuple(f"{name}.{state}" for state in equations.states)
    block = GraphBlock(
        name=name,
        names=states,
        units=equations.units,
        initial=equations.initial,
        input_names=tuple(f"{name}.{source}" for source in equations.inputs),
        input_units=equations.input_units,
        signals=states,
        graph=graph,
        equations=equations,
        tree=tree,
    )
    at_rest = motion(tree, ca.DM(tree.neutral), ca.DM.zeros(tree.nv))
    for used in equations.names:
        try:
            value(tree, at_rest, used)
        except ModelError as error:
            raise error.under("graphs", name) from None
    return block


def _port(graph: BondGraph, name: str) -> GraphPort:
    port = graph.elements[name]
    assert isinstance(port, GraphPort)
    return port


def _row(tree: Tree, port: GraphPort, state: Motion) -> Number:
    """Flow of a port per velocity (1, nv)."""
    if port.joint is not None:
        k = next(k for k, entry in enumerate(tree.velocities) if entry.name == port.joint)
        return ca.DM.eye(tree.nv)[k, :]
    assert port.child is not None
    return _line_rates(tree, tree.place(port.parent), tree.place(port.child))(state.q, tree.p)


def _line_rates(tree: Tree, parent: Place, child: Place) -> ca.Function:
    """Rate of the distance between two markers per velocity (1, nv), a function of q and p."""
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    state = motion(tree, q, v)
    a, b = marker_motion(state, parent), marker_motion(state, child)
    d = b.p - a.p
    rate = ca.dot(d, b.v - a.v) / ca.norm_2(d)
    symbols = tree.p if isinstance(tree.p, ca.SX) else ca.SX.sym("p", tree.p.numel())
    return ca.Function("line", [q, symbols], [ca.jacobian(rate, v)])
