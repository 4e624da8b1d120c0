"""`bond_graph`: the vector bond graph of a model, with its causality, its matrices and its unified formulae.

Source: Wang & Tao 2013; docs/bond-graphs.md
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cardan.analysis.unified_formulae import MechanismFormula, mechanism_formula
from cardan.bond_graphs import Bond, Causality, Graph, GraphElement, assign
from cardan.bond_graphs.matrices import JunctionStructure, junction_structure
from cardan.errors import ModelError, nearest
from cardan.formulations.bond_graph import mechanism_graph
from cardan.formulations.bond_graph.motors import Armature
from cardan.kinematics.build import MotorModel
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model, check_model
from cardan.rendering.graphs import as_svg, picture
from cardan.system.system import State, System, build_system, motor_model, symbolic_state

__all__ = ["MechanismBondGraph", "bond_graph"]


@dataclass(frozen=True, eq=False)
class MechanismBondGraph:
    """The vector bond graph of a mechanism; its numbers are expressions of the symbols of `state`."""

    system: System  # mechanism with its motors
    state: State  # symbols of time, coordinates, velocities, further states and inputs
    graph: Graph  # elements and bonds
    augmented: bool  # whether constraint forces are unknown sources

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
        """The unified formulae of driving efforts and constraint forces, compiled."""
        return mechanism_formula(self.system, self.state, self.graph, self.causality)

    def to_svg(
        self,
        expanded: bool = False,
        *,
        parts: Collection[str] | None = None,
        powers: Mapping[str, float] | None = None,
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
    model: Model,
    augmented: bool = True,
    motors: MotorModel | None = None,
    *,
    drives: Sequence[str] | None = None,
) -> MechanismBondGraph:
    """Vector bond graph of a model.

    Parameters
    ----------
    model : Model
        The mechanism.
    augmented : bool
        Whether the constraint forces of joints, loops and gears are unknown sources at their 0-junctions, so that every
        inertia has integral causality; otherwise the strokes show which inertias depend on others.
    motors : "full", "simplified" or "none", optional
        How motors are modelled; by default full if the model has motors.
    drives : sequence of str, optional
        Velocities whose efforts are unknown; by default those that drive prescribed motions, or without motions and
        motors="none" those that have motors.

    Raises
    ------
    ModelError
        The model is impossible, or there is no such velocity.

    Example
    -------
    >>> import cardan
    >>> graph = cardan.bond_graph(cardan.load("parallel_3rrrt"))
    >>> len(graph.elements) > 100, graph.causality.derivative
    (True, {})
    """
    check_model(model)
    motors = motor_model(model, motors)
    system = build_system(model, motors)
    state = symbolic_state(system)
    unknown = _drives(model, system.tree, motors, drives)
    circuits = {
        circuit.name: Armature(circuit.motor, state.u[k], state.motion.z[k], motors == "full")
        for k, circuit in enumerate(system.circuits)
    }
    graph = mechanism_graph(
        system.tree,
        state.motion,
        drives=unknown,
        efforts=_efforts(system, state, unknown, motors),
        armatures=circuits,
        augmented=augmented,
        name=model.name,
    )
    return MechanismBondGraph(system, state, graph, augmented)


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


def _efforts(system: System, state: State, unknown: frozenset[int], motors: MotorModel) -> dict[int, Number]:
    """Known efforts by velocity: the inputs where motors are off."""
    if motors != "none":
        return {}
    own = [k for k in range(system.tree.nv) if k not in system.tree.driven]
    return {k: state.u[i] for i, k in enumerate(own) if k not in unknown}
