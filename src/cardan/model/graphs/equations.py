"""State equations of a hand-made graph over symbols: its stores, inputs, the names in its expressions, its ports.

A port is a source of flow f, whose rate is the acceleration a of the joint. Stores that follow the port (derivative
causality) act on it like an inertia: effort = e0 − m a. That m is added to the mass matrix of the mechanism.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import casadi as ca

from cardan.bond_graphs import Signals, StateEquations, state_equations
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.expressions.operations import CASADI
from cardan.model.graphs.arrays import entries, is_zero
from cardan.model.graphs.bond_graph import BondGraph, core_graph, graph_inputs, graph_states, store_names, wires
from cardan.model.graphs.port import GraphPort
from cardan.model.quantities.scalar import ZERO, Scalar, naming
from cardan.model.records.walk import scalars

Number = Any  # casadi.SX or casadi.DM


@dataclass(frozen=True, eq=False)
class GraphEquations:
    """Laws of one graph as functions of its arguments `(z, u, s, f, a, p)`.

    z: its states, and the energies that are integrated with them; u: inputs; s: values of the names in its
    expressions; f, a: flows of its ports and their rates; p: parameters.
    """

    states: tuple[str, ...]  # names of z after that of the graph: "shaft.x", "tank.energy" (nz,)
    units: tuple[str, ...]  # (nz,)
    initial: tuple[Scalar, ...]  # (nz,)
    inputs: tuple[str, ...]  # names of u after that of the graph (m,)
    input_units: tuple[str, ...]  # (m,)
    names: tuple[str, ...]  # names in s
    ports: tuple[str, ...]  # names of the ports, in the order of f and a
    followers: Mapping[str, str]  # unit of the momentum or displacement of every store in derivative causality
    rates: ca.Function  # dz/dt (nz,)
    efforts: ca.Function  # efforts of the ports on the mechanism for a = 0
    inertia: ca.Function  # m of each port, a function of p alone
    stored: ca.Function  # energy [J], a function of z and p alone
    powers: ca.Function  # taken from sources, lost in resistors [W]
    bonds: ca.Function  # effort, flow and power of every bond, one after the other
    contents: ca.Function  # momentum or displacement of each follower


@lru_cache(maxsize=128)
def graph_equations(name: str, graph: BondGraph, parameters: tuple[str, ...]) -> GraphEquations:
    """State equations of a graph of a model."""
    return _Builder(name, graph, parameters).build()


class _Builder:
    def __init__(self, name: str, graph: BondGraph, parameters: tuple[str, ...]) -> None:
        self.name, self.graph, self.parameters = name, graph, parameters
        self.stores = {
            element: ca.SX.sym(element, graph.sizes(element)[0])
            for element, part in graph.elements.items()
            if part.content
        }
        self.units = graph_states(graph)
        symbols = {
            state: self.stores[store][k] for store in self.stores for k, state in enumerate(store_names(graph, store))
        }
        self.ports = {element: part for element, part in graph.elements.items() if isinstance(part, GraphPort)}
        self.inputs = graph_inputs(graph)
        own = {f"{name}.{state}" for state in self.units}
        named = {used for _, scalar in scalars(graph.elements) for used in scalar.names - set(parameters)}
        local = {variable for part in graph.elements.values() for variable in part.variable.values()}
        self.names = tuple(sorted(named - own - local))
        self.u, self.s = ca.SX.sym("u", len(self.inputs)), ca.SX.sym("s", len(self.names))
        self.f, self.a = ca.SX.sym("f", len(self.ports)), ca.SX.sym("a", len(self.ports))
        self.p = ca.SX.sym("p", len(parameters))
        self.known = {
            **{f"{name}.{state}": symbols[state] for state in self.units},
            **dict(zip(self.names, ca.vertsplit(self.s), strict=True)),
            **dict(zip(parameters, ca.vertsplit(self.p), strict=True)),
        }

    def build(self) -> GraphEquations:
        graph, found = self.graph, self._solved()
        followers = tuple(found.causality.derivative)
        self._check_initial(followers)
        energies = {store: found.stored.get(store) for store in self.stores}
        content = ca.vertcat(ca.SX(0, 1), *found.state.values())
        for store, energy in energies.items():
            if energy is not None and ca.depends_on(energy, ca.vertcat(self.u, self.s, self.f)):
                energies[store] = None
        efforts, inertia = self._at_ports(found)
        hung = {store for store in followers if self._is_hung(found, store)}
        integrated = [store for store, energy in energies.items() if energy is None and store not in hung]
        extra = ca.SX.sym("energy", len(integrated))
        z = ca.vertcat(content, extra)
        rates = ca.vertcat(found.x_dot, *(found.power_into(store) for store in integrated))
        stored = sum((x for store, x in energies.items() if x is not None and store not in hung), ca.SX(1, 1))
        stored = stored + (ca.sum1(extra) if integrated else 0)
        powers = ca.vertcat(*self._powers(found))
        self._check_acceleration(ca.vertcat(rates, powers), followers)
        every = [x for wire in wires(graph) for x in self._bond(found, wire.name)]
        held = [self._content(found, store) for store in followers]
        arguments = [z, self.u, self.s, self.f, self.a, self.p]
        names = [state for store in found.state for state in store_names(graph, store)]
        starts = [x for store in found.state for x in entries(_initial(graph, store), graph.sizes(store)[0])]

        def function(label: str, *values: Number) -> ca.Function:
            return ca.Function(label, arguments, [ca.densify(ca.vertcat(ca.SX(0, 1), *values))])

        return GraphEquations(
            states=(*names, *(f"{store}.energy" for store in integrated)),
            units=(*(self.units[state] for state in names), *("J" for _ in integrated)),
            initial=(*starts, *(ZERO for _ in integrated)),
            inputs=tuple(self.inputs),
            input_units=tuple(self.inputs.values()),
            names=self.names,
            ports=tuple(self.ports),
            followers={name: unit for store in followers for name, unit in self._follower(store)},
            rates=function("rates", rates),
            efforts=function("efforts", *efforts),
            inertia=function("inertia", *inertia),
            stored=function("stored", stored),
            powers=function("powers", powers),
            bonds=function("bonds", *every),
            contents=function("contents", *held),
        )

    def _solved(self) -> StateEquations:
        """The state equations, with the places of faults as they stand in the record."""
        varying = {name: symbol for name, symbol in zip(self.names, ca.vertsplit(self.s), strict=True) if name != "t"}
        varying |= dict(zip(self.inputs, ca.vertsplit(self.u), strict=True))
        rates = [(self.f[k], self.a[k]) for k in range(len(self.ports))]
        if "t" in self.names:
            rates.append((self.s[self.names.index("t")], ca.SX(1)))
        try:
            return state_equations(
                core_graph(self.graph, self._number, self.name), self.stores, Signals(tuple(rates), varying)
            )
        except ModelError as error:
            bonds = {wire.name: wire.chain for wire in wires(self.graph)}
            raise ModelError(
                [
                    Issue(issue.fault, issue.cure, ("bonds", bonds[str(issue.path[1])]))
                    if issue.path[:1] == ("bonds",)
                    else issue
                    for issue in error.issues
                ]
            ) from None

    def _number(self, scalar: Scalar | None, element: str, **received: Number) -> Number:
        """The symbol or expression that a number of an element stands for."""
        if scalar is None:
            if element in self.ports:
                return self.f[list(self.ports).index(element)]
            return self.u[list(self.inputs).index(element)]
        if scalar.value is not None:
            return ca.SX(scalar.value)
        known = {**self.known, **received, "pi": ca.SX(ca.pi)}
        missing = sorted(scalar.names - known.keys())
        if missing:
            raise self._follows_without_state(element, scalar, missing[0])
        return ca.SX(scalar.evaluate(known.__getitem__, CASADI))

    def _follows_without_state(self, element: str, scalar: Scalar, name: str) -> ModelError:
        fault = f"{naming(scalar, name)} is not what this law receives"
        return ModelError(Issue(fault, "write what the law receives", ("elements", element)))

    def _at_ports(self, found: StateEquations) -> tuple[list[Number], list[Number]]:
        """Efforts on the mechanism at rest of acceleration, and the inertia at each port."""
        efforts, inertia = [], []
        for k, port in enumerate(self.ports):
            (wire,) = (wire for wire in wires(self.graph) if port in (wire.tail, wire.head))
            effort = found.efforts[wire.name] * (1 if wire.head == port else -1)
            slopes = ca.jacobian(effort, self.a) if len(self.ports) else ca.SX(1, 0)
            mass = -slopes[0, k]
            others = ca.horzcat(*(slopes[0, j] for j in range(len(self.ports)) if j != k), ca.SX(1, 0))
            rest = ca.vertcat(ca.SX(0, 1), *self.stores.values(), self.u, self.s, self.f, self.a)
            is_constant = not ca.depends_on(mass, rest)
            if others.nnz() and not ca.sparsify(others).is_zero():
                raise self._not_hung(port, "of several ports together")
            if not is_constant:
                raise self._not_hung(port, "that is not constant")
            part = self.ports[port]
            if part.joint is None and not ca.SX(ca.sparsify(mass)).is_zero():
                raise self._not_hung(port, "between two markers")
            efforts.append(ca.substitute(effort, self.a, ca.SX.zeros(len(self.ports))))
            inertia.append(mass)
        return efforts, inertia

    def _not_hung(self, port: str, which: str) -> ModelError:
        fault = f"stores that follow the port {port!r} without delay would act like an inertia {which}"
        return ModelError(Issue(fault, "put a C between the port and its I", ("elements", port)))

    def _is_hung(self, found: StateEquations, store: str) -> bool:
        """Whether a follower is an inertia at one port: its energy is counted with the mechanism's."""
        content = self._content(found, store)
        return ca.depends_on(content, self.f) if len(self.ports) else False

    def _content(self, found: StateEquations, store: str) -> Number:
        (wire,) = (wire for wire in wires(self.graph) if store in (wire.tail, wire.head))
        modulus = found.graph.elements[store].modulus
        if self.graph.elements[store].content == "p":
            return modulus @ found.flows[wire.name]
        return ca.solve(modulus, found.efforts[wire.name])

    def _powers(self, found: StateEquations) -> tuple[Number, Number]:
        """Power taken from sources, ports left out, and power lost in resistors."""
        taken: Number = ca.SX(1, 1)
        lost: Number = ca.SX(1, 1)
        for element, part in self.graph.elements.items():
            if part.gives_power:
                taken = taken - found.power_into(element)
            if part.loses_power:
                lost = lost + found.power_into(element)
        return taken, lost

    def _follower(self, store: str) -> list[tuple[str, str]]:
        """Names and unit of the momentum or displacement of a store."""
        domain, _ = self.graph.domains(store)
        unit = {"p": domain.momentum, "x": domain.displacement}[self.graph.elements[store].content].unit
        return [(name, unit) for name in store_names(self.graph, store)]

    def _bond(self, found: StateEquations, wire: str) -> tuple[Number, Number, Number]:
        return found.efforts[wire], found.flows[wire], found.power(wire)

    def _check_initial(self, followers: tuple[str, ...]) -> None:
        issues = [
            Issue(f"{store!r} follows other stores or sources", "leave its initial value away", ("elements", store))
            for store in followers
            if not is_zero(_initial(self.graph, store))
        ]
        if issues:
            raise ModelError(issues)

    def _check_acceleration(self, laws: Number, followers: tuple[str, ...]) -> None:
        """Refuse a graph in which more than the port's own effort follows the acceleration."""
        if len(self.ports) and ca.depends_on(laws, self.a):
            port = next(iter(self.ports))
            causes = " and ".join(followers)
            fault = f"{causes}, which follows a port, acts on other stores or sources of the graph without delay"
            raise ModelError(Issue(fault, "put a C between the port and its I", ("elements", port)))


def _initial(graph: BondGraph, store: str) -> Any:
    """Momentum or displacement of a store at t = 0, as it was written."""
    return graph.elements[store].initial  # type: ignore[attr-defined]
