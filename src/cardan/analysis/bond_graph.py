"""`bond_graph`: the vector bond graph of a model, with its causality, its matrices and its unified formulae.

Source: Wang & Tao 2013; docs/bond-graphs.md
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import casadi as ca

from cardan.analysis.resisting_efforts import ResistingEfforts, left_out
from cardan.analysis.unified_formulae import MechanismFormula, mechanism_formula
from cardan.bond_graphs import Bond, Causality, Graph, GraphElement, assign
from cardan.bond_graphs.matrices import JunctionStructure, junction_structure
from cardan.errors import ModelError, nearest
from cardan.formulations.bond_graph import mechanism_graph
from cardan.formulations.bond_graph.motors import Armature
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.tree import Number, Tree
from cardan.model.graphs import BondGraph
from cardan.model.model import Model, check_model, with_graph
from cardan.rendering.graphs import as_svg, picture
from cardan.system.blocks.block import Block
from cardan.system.blocks.graphs import GraphBlock
from cardan.system.efforts import applied_on_joints, block_forces
from cardan.system.state import State, blocks_at, symbolic_state
from cardan.system.system import System, build_system, motor_model

SHOWN = 3  # sentences on the causality in a short text


@dataclass(frozen=True, eq=False)
class MechanismBondGraph:
    """The vector bond graph of a mechanism; its numbers are expressions of the symbols of `state`."""

    system: System  # mechanism with its motors
    state: State  # symbols of time, coordinates, velocities, further states and inputs
    graph: Graph  # elements and bonds
    augmented: bool  # whether constraint forces are unknown sources
    is_by_hand: bool = False  # whether it is a graph of the section `graphs:`
    left_out: tuple[str, ...] = ()  # friction and stops that are not part of it, a sentence for each kind

    def __repr__(self) -> str:
        """Its size and its causality in a few lines."""
        counts = Counter(element.kind for element in self.elements.values())
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        stores = len(self.causality.integral) + len(self.causality.derivative)
        strokes = f"{len(self.causality.integral)} of {stores} stores in integral causality"
        words = self.causality.words
        more = [f"… and {len(words) - SHOWN} more: causality.words"] if len(words) > SHOWN else []
        name = f" of {self.graph.name}" if self.graph.name else ""
        head = f"bond graph{name}: {len(self.elements)} elements ({kinds}), {len(self.bonds)} bonds"
        return "\n  ".join([head, strokes, *words[:SHOWN], *more, *self.left_out])

    @property
    def elements(self) -> Mapping[str, GraphElement]:
        """Elements by name."""
        return self.graph.elements

    @property
    def bonds(self) -> Mapping[str, Bond]:
        """Bonds by name."""
        return self.graph.bonds

    @cached_property
    def causality(self) -> Causality:
        """Causal strokes, and in words what follows from them."""
        return assign(self.graph, conflicts=not self.augmented)

    @cached_property
    def matrices(self) -> JunctionStructure:
        """Junction-structure matrices by name, such as `matrices["J_Cu3"]`, of the augmented graph.

        All momenta count to X_i2 here; in `formula.structure` X_i1 are chosen.
        """
        return junction_structure(self.graph, self.causality)

    @cached_property
    def formula(self) -> MechanismFormula:
        """The unified formulae of driving efforts and constraint forces, compiled.

        Raises
        ------
        ModelError
            The graph was made by hand, or its drives do not follow from the motion.
        """
        if self.is_by_hand:
            fault = f"{self.graph.name} is a graph made by hand: it has no joints whose efforts a formula could give"
            raise ModelError(fault, "simulate it: efforts and flows of its bonds are results of the run")
        return mechanism_formula(self.system, self.state, self.graph, self.causality)

    def to_svg(
        self, expanded: bool = False, *, parts: Collection[str] | None = None, powers: Mapping[str, float] | None = None
    ) -> str:
        """The graph as a drawing in SVG: half-arrows, causal strokes, vector bonds as double lines.

        Parameters
        ----------
        expanded : bool
            Whether bodies, joints and motors show their elements; by default they are boxes.
        parts : collection of str, optional
            Parts to draw, such as `"body crank"` and `"joint pin"`; bonds to others are open ports.
        powers : mapping, optional
            Power of each bond along its half-arrow at one instant [W]: lines are as wide as it is large.

        Raises
        ------
        ModelError
            There is no such part.
        """
        own = {x.of or x.name for x in self.elements.values()}
        for part in parts or ():
            if part not in own:
                raise ModelError(f"there is no part {part!r}", nearest(part, own))
        drawing = picture(self.graph, self.causality, expanded=expanded, parts=parts, powers=powers)
        return as_svg(drawing, self.graph.name)

    def _repr_svg_(self) -> str:
        """The drawing in a notebook."""
        return self.to_svg()


def bond_graph(
    model: Model | BondGraph,
    augmented: bool = True,
    motors: MotorModel | None = None,
    *,
    drives: Sequence[str] | None = None,
    graph: str | None = None,
) -> MechanismBondGraph:
    """Vector bond graph of a model, or one of the graphs that it holds.

    Graphs made by hand stand in the graph of the mechanism as sources of the efforts of their ports.

    Parameters
    ----------
    model : Model or BondGraph
        The mechanism, or a graph made by hand.
    augmented : bool
        Whether the constraint forces of joints, loops and gears are unknown sources at their 0-junctions, so that every
        inertia has integral causality; otherwise the strokes show which inertias depend on others.
    motors : "full", "simplified" or "none", optional
        How motors are modelled; by default full if the model has motors.
    drives : sequence of str, optional
        Velocities whose efforts are unknown; by default those that drive prescribed motions, or without motions and
        motors="none" those that have motors.
    graph : str, optional
        Name of a graph in the section `graphs:`, which is then given in place of that of the mechanism; needed where a
        model without bodies holds several.

    Raises
    ------
    ModelError
        The model is impossible, or there is no such velocity or graph.

    Example
    -------
    >>> import cardan
    >>> graph = cardan.bond_graph(cardan.load("parallel_3rrrt"))
    >>> len(graph.elements) > 100, graph.causality.derivative
    (True, {})
    """
    return graph_of(model, augmented, motors, drives=drives, graph=graph)


def graph_of(
    model: Model | BondGraph,
    augmented: bool = True,
    motors: MotorModel | None = None,
    *,
    drives: Sequence[str] | None = None,
    graph: str | None = None,
    resisting: Callable[[System, State], ResistingEfforts] | None = None,
) -> MechanismBondGraph:
    """`bond_graph` with friction and stops as a run has them."""
    machine = with_graph(model)
    check_model(machine)
    motors = motor_model(machine, motors)
    system = build_system(machine, motors)
    state = symbolic_state(system)
    if graph is not None or not machine.bodies:
        return MechanismBondGraph(system, state, _by_hand(system, state, graph), augmented, is_by_hand=True)
    unknown = _drives(machine, system.tree, motors, drives)
    known = ResistingEfforts() if resisting is None else resisting(system, state)
    circuits = {
        circuit.name: Armature(
            circuit.motor(state.motion), circuit.voltage(state.motion, state.u[k]), state.motion.z[k], motors == "full"
        )
        for k, circuit in enumerate(system.circuits)
    }
    whole = mechanism_graph(
        system.tree,
        state.motion,
        drives=unknown,
        efforts=_efforts(system, state, unknown, motors, known.blocks),
        armatures=circuits,
        forces=(*block_forces(system, state, without=known.blocks), *known.forces),
        further=known.on_axes,
        augmented=augmented,
        name=machine.name,
    )
    return MechanismBondGraph(system, state, whole, augmented, left_out=() if resisting else left_out(system))


def _drives(model: Model, tree: Tree, motors: MotorModel, names: Sequence[str] | None) -> frozenset[int]:
    """Velocities with unknown efforts."""
    places = {entry.name: k for k, entry in enumerate(tree.velocities)}
    if names is not None:
        for name in names:
            if name not in places:
                raise ModelError(f"there is no velocity {name!r}", nearest(name, places))
        return frozenset(places[name] for name in names)
    if tree.driven or motors != "none":
        return tree.driven
    return frozenset(places[motor.joint] for motor in model.motors.values() if motor.joint in places)


def _efforts(
    system: System, state: State, unknown: frozenset[int], motors: MotorModel, without: Collection[Block]
) -> dict[int, Number]:
    """Known efforts by velocity: of graphs made by hand and other blocks, and the inputs where motors are off."""
    of_graphs = ca.SX(applied_on_joints(system, state, without=without))
    known: dict[int, Number] = {k: of_graphs[k] for k in range(system.tree.nv) if not of_graphs[k].is_zero()}
    if motors == "none":
        own = [k for k in range(system.tree.nv) if k not in system.tree.driven]
        for i, k in enumerate(own):
            if k not in unknown:
                known[k] = known.get(k, 0) + state.u[i]
    return known


def _by_hand(system: System, state: State, name: str | None) -> Graph:
    """A graph made by hand, its numbers expressions of the symbols of `state`."""
    graphs = {block.name: (block, z, u) for block, z, u in blocks_at(system, state) if isinstance(block, GraphBlock)}
    if name is None and len(graphs) > 1:
        raise ModelError("the model holds several graphs", f"name one of them, graph=: {', '.join(graphs)}")
    name = next(iter(graphs)) if name is None else name
    if name not in graphs:
        raise ModelError(f"there is no graph {name!r}", nearest(name, graphs))
    block, z, u = graphs[name]
    return block.core(state.motion, z, u)
