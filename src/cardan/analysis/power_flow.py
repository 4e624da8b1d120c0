"""`power_flow`: power of every bond of a mechanism's graph at one instant of a run.

Flows follow from the state. Friction that follows loads or holds, and forces of stops, are results of the run. Other
efforts that no law gives, constraint forces and drives, follow from the accelerations of the run: what arrives at every
inertia is the rate of its momentum. Where they are not unique, the least ones are taken.
"""

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from cardan.analysis.bond_graph import MechanismBondGraph, graph_of
from cardan.analysis.resisting_efforts import resisting_efforts
from cardan.analysis.run_results import model_of, parameters_of, results, states_of
from cardan.bond_graphs import GraphElement, Walk, received
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.tree import Number
from cardan.numerics.round_off import HALF_THE_DIGITS, ROUND_OFF
from cardan.results.trajectory import Trajectory, check_run

SHOWN = 5  # powers in a short text
_FIELDS = ("Se", "Sf", "I", "C", "R", "EJS")  # what gives an effort or a flow of its own


@dataclass(frozen=True)
class PowerFlow:
    """Powers of the bonds of a graph at one instant."""

    graph: MechanismBondGraph  # of the model of the run, with its motors, and friction and stops at this instant
    t: float  # instant [s]
    powers: Mapping[str, float]  # of each bond along its half-arrow [W]; round-off of the largest one counts as zero

    @property
    def words(self) -> tuple[str, ...]:
        """A line for each bond, the strongest first: its power and the name of its effort; by hand that of the bond."""
        bonds = sorted(self.graph.bonds.values(), key=lambda bond: -abs(self.powers[bond.name]))
        return tuple(
            f"{self.powers[bond.name]:12.4g} W  {bond.effort_name if bond.place else bond.name}" for bond in bonds
        )

    def __repr__(self) -> str:
        """The strongest powers."""
        name = f" of {self.graph.graph.name}" if self.graph.graph.name else ""
        return "\n".join([f"power flow{name} at {self.t:.6g} s", *self.words[:SHOWN]])

    def to_svg(self, expanded: bool = False) -> str:
        """The graph with lines as wide as the power of each bond is large.

        Parameters
        ----------
        expanded : bool
            Whether bodies, joints and motors show their elements.
        """
        return self.graph.to_svg(expanded, powers=self.powers)

    def _repr_svg_(self) -> str:
        """The drawing in a notebook."""
        return self.to_svg()


def power_flow(run: Trajectory, at: float, *, graph: str | None = None) -> PowerFlow:
    """Power of every bond of the bond graph at the instant of a run that is nearest to a time.

    Friction that follows the load of its joint, holds it, or takes its sign from a motion is a source `x.friction` of
    this graph, and the force of a stop by impact a source `x.stop`, with the effort that the run has as a result.

    Parameters
    ----------
    run : Trajectory
        From `simulate` or `kinetostatics`, or a file of one.
    at : float
        Time [s].
    graph : str, optional
        Name of a graph in the section `graphs:`, as of `bond_graph`.

    Raises
    ------
    ModelError
        The time lies outside the run, the run carries no model, its file lacks efforts of friction, its results do not
        balance in the graph at this instant, or there is no such graph.

    Example
    -------
    >>> import cardan
    >>> run = cardan.simulate(cardan.load("compound_pendulum"), until=1.0, initial={"pendulum": 0.5})
    >>> flow = power_flow(run, at=0.3)
    >>> flow.powers["rod.weight > rod.velocity"] > 0  # it falls
    True
    """
    check_run(run)
    if not run.t[0] <= at <= run.t[-1]:
        raise ModelError(f"the run has no instant {at:g} s", f"give a time from {run.t[0]:g} s to {run.t[-1]:g} s")
    k = int(np.argmin(np.abs(run.t - at)))
    model = model_of(run)
    found = graph_of(
        model,
        motors=run.provenance.settings["motors"],
        graph=graph,
        resisting=lambda system, state: resisting_efforts(system, state, run, k),
    )
    by_hand = graph is not None or not model.bodies
    return PowerFlow(found, float(run.t[k]), _results(found, run, k) if by_hand else _powers(found, run, k))


def _results(graph: MechanismBondGraph, run: Trajectory, k: int) -> dict[str, float]:
    """Powers in a graph made by hand at the k-th instant: they are results of the run."""
    names = {bond: f"{graph.graph.name}.{bond}.power" for bond in graph.bonds}
    found = results(run, list(names.values()))
    return {bond: float(found[name][k]) for bond, name in names.items()}


def _powers(graph: MechanismBondGraph, run: Trajectory, k: int) -> dict[str, float]:
    """Powers at the k-th instant: what all elements give is found first, by least squares."""
    state, tree = graph.state, graph.system.tree
    size = {name: bonds[0].size for name, bonds in graph.graph.ports.items()}
    symbols = {x.name: ca.SX.sym(x.name, size[x.name]) for x in graph.elements.values() if x.kind in _FIELDS}
    walk = Walk(graph.graph, graph.causality, symbols)
    vdot = ca.SX.sym("vdot", tree.nv)
    known, values = _known_inputs(graph, run, k)
    laws = {name: _laws(graph, walk, graph.elements[name], vdot, known) for name in symbols}
    rows = [row for own in laws.values() for row in own]
    owners = [name for name, own in laws.items() for row in own for _ in range(row.shape[0])]
    G, residual = ca.vertcat(*symbols.values()), ca.vertcat(*rows)
    powers = ca.vertcat(*(ca.dot(walk.effort(bond), walk.flow(bond)) for bond in graph.bonds.values()))
    arguments = [G, state.t, state.q, state.v, state.z, state.u, tree.p, vdot]
    law = ca.Function("law", arguments, [residual, ca.jacobian(residual, G)])
    x, nq, nv = states_of(run, graph.system)[k], tree.nq, tree.nv
    rates = [float(results(run, [f"{entry.name}.a"])[f"{entry.name}.a"][k]) for entry in tree.velocities]
    p = [*parameters_of(run).values()]
    numbers = [run.t[k], x[:nq], x[nq : nq + nv], x[nq + nv :], values, p, rates]
    found = np.zeros(G.shape[0])
    for _ in range(2):  # laws are linear in what elements give, but for dampers of joints with a law of their own
        error, slope = (np.array(y.full()) for y in law(found, *numbers))
        if not np.isfinite(error).all():
            raise _unbalanced(run.t[k], owners[int(np.argmin(np.isfinite(error[:, 0])))])
        found = found - np.linalg.lstsq(slope, error[:, 0], rcond=None)[0]
    _check_balance(law(found, *numbers), found, owners, run.t[k])
    power = ca.Function("power", arguments, [powers])(found, *numbers).full()[:, 0]
    power[np.abs(power) <= ROUND_OFF * np.abs(power).max(initial=0.0)] = 0.0  # its sign would change drawings
    return {name: float(value) for name, value in zip(graph.bonds, power, strict=True)}


def _check_balance(law: Sequence[ca.DM], found: np.ndarray, owners: Sequence[str], t: float) -> None:
    """Refuse an instant at which least squares leave more than round-off."""
    error, slope = (np.array(y.full()) for y in law)
    size = np.abs(slope) @ np.abs(found)
    if np.abs(error).max(initial=0.0) > HALF_THE_DIGITS * size.max(initial=0.0):
        raise _unbalanced(t, owners[int(np.argmax(np.abs(error[:, 0])))])


def _unbalanced(t: float, element: str) -> ModelError:
    """The error that results of the run do not balance at an element."""
    fault = f"the results of the run do not balance at t = {t:.6g} s, at {element!r}, so that powers are not known"
    return ModelError(fault, "choose another instant")


def _known_inputs(graph: MechanismBondGraph, run: Trajectory, k: int) -> tuple[list[bool], list[float]]:
    """Which inputs are voltages and efforts that the run has as results, and their values."""
    names = [next((x for x in (f"{n}.voltage", f"{n}.effort") if x in run.names), "") for n in graph.system.input_names]
    return [bool(x) for x in names], [float(results(run, [x])[x][k]) if x else 0.0 for x in names]


def _laws(graph: MechanismBondGraph, walk: Walk, x: GraphElement, vdot: Number, known: list[bool]) -> list[Number]:
    """What is zero: the law of an element, and for inertias the effort that arrives less the rate of the momentum."""
    state, given = graph.state, walk.given[x.name]
    if x.kind in ("Se", "Sf") and x.unknown != "flow":
        free = [u for u, is_known in zip(ca.vertsplit(state.u), known, strict=True) if not is_known] if known else []
        unknown = x.unknown or any(ca.depends_on(ca.SX(x.value), u) for u in free)
        return [] if unknown else [given - x.value]
    if x.kind == "Sf":  # a port without inertia takes no effort
        return [given - x.value, received(walk, x.name)]
    if x.kind == "I":
        momentum = ca.SX(x.modulus) @ ca.SX(x.value)
        if ca.depends_on(momentum, state.z):  # flux linkage of a circuit: its voltage is known
            return [given - x.value]
        rates = ca.vertcat(coordinate_rate(graph.system.tree, state.q, state.v), vdot)
        rate = ca.jtimes(momentum, ca.vertcat(state.q, state.v), rates)
        return [given - x.value, received(walk, x.name) - rate]
    if x.kind == "C":
        return [given - (x.law(x.value) if x.law else ca.SX(x.modulus) @ ca.SX(x.value))]
    arrives = received(walk, x.name)
    (bond,) = graph.graph.ports[x.name]
    if x.kind == "R" and not graph.causality.sets_effort(x.name, bond):
        return [ca.SX(x.modulus) @ given - arrives]
    return [given - (x.law(arrives) if x.law else ca.SX(x.modulus) @ arrives)]
