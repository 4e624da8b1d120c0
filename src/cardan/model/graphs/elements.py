"""Elements of hand-made bond graphs: sources, stores, resistors, transformers, gyrators, junctions.

Source: Karnopp, Margolis & Rosenberg 2012, ch. 3
"""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

import casadi as ca

from cardan.bond_graphs import Domain, GraphElement, Variable
from cardan.errors import Issue
from cardan.model.graphs.arrays import (
    NumberArray,
    SignalArray,
    as_column,
    as_matrix,
    column_issues,
    loss_issues,
    store_issues,
)
from cardan.model.graphs.part import (
    BondSize,
    DomainName,
    GraphNumber,
    GraphPart,
    domain_dimension,
    law_of,
    one_of,
    quotient_kind,
)
from cardan.model.quantities.fields import Entry
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import ZERO
from cardan.model.units import Dimension

StoreLaw = Annotated[Entry, NumberKind("a law", "300*exp(x/C)", None, scope="store law")]
"""An expression of p (of an I) or x (of a C) and of parameters."""
ResistorLaw = Annotated[Entry, NumberKind("a law", "k*sign(e)*sqrt(abs(e))", None, scope="resistor law")]
"""An expression of f or e, and of all that an expression may name where motion matters."""


class _OnePort(GraphPart):
    domain: DomainName | None = None  # of its bond; the other end decides if absent
    size: BondSize | None = None  # components of its bond; the other end decides if absent

    def own_domain(self) -> str:
        return self.domain or ""

    def own_size(self) -> int | None:
        return self.size

    def law_dimensions(self, key: str, domain: Domain) -> tuple[Dimension, Dimension] | None:
        if key not in self.variable:
            return None
        of = {"p": domain.momentum, "x": domain.displacement, "e": domain.effort, "f": domain.flow}
        received, given = of[self.variable[key]], domain.effort if key == "effort" else domain.flow
        return domain_dimension(received.unit), domain_dimension(given.unit)


class _Source(_OnePort):
    gives_power = True

    def input_unit(self, domain: Domain) -> str:
        return self._variable(domain).unit if self._given is None else ""

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        return GraphElement(name, self.type, value=as_column(self._given, number, sizes[0]))  # type: ignore[arg-type]

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        return NumberKind.value_in(self._variable(first).unit) if key == self.gives else None

    def size_issues(self, size: int) -> Iterator[Issue]:
        yield from column_issues(self.gives, self._given, size)

    @property
    def _given(self) -> Any:
        """The effort or the flow."""
        return getattr(self, self.gives)

    def _variable(self, domain: Domain) -> Variable:
        return domain.effort if self.gives == "effort" else domain.flow


class EffortSource(_Source):
    """Source of effort; without a value, an input of the model."""

    type: Literal["Se"] = "Se"
    effort: SignalArray | None = None

    gives = "effort"


class FlowSource(_Source):
    """Source of flow; without a value, an input of the model."""

    type: Literal["Sf"] = "Sf"
    flow: SignalArray | None = None

    gives = "flow"


class InertialStore(_OnePort):
    """Store of momentum p = inertia · f, or f = flow(p); a mass, a coil, a column of oil."""

    type: Literal["I"] = "I"
    inertia: NumberArray | None = None
    flow: StoreLaw | None = None  # law of p
    initial: NumberArray = ZERO  # momentum at t = 0

    content = "p"
    variable = MappingProxyType({"flow": "p"})

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        if self.flow is not None:
            return GraphElement(name, "I", law=law_of(self.flow, "p", number))
        return GraphElement(name, "I", modulus=as_matrix(self.inertia, number, sizes))

    def law_issues(self) -> Iterator[Issue]:
        return one_of(self, "inertia", "flow")

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        if key == "inertia":
            return quotient_kind(first.momentum.unit, first.flow.unit, minimum=0, excluded=True)
        return NumberKind.value_in(first.momentum.unit) if key == "initial" else None

    def size_issues(self, size: int) -> Iterator[Issue]:
        yield from column_issues("initial", self.initial, size)
        yield from store_issues("inertia", self.inertia, size, excluded=True)


class CompliantStore(_OnePort):
    """Store of displacement: e = stiffness · x, x = capacitance · e, or e = effort(x); a spring, a tank."""

    type: Literal["C"] = "C"
    stiffness: NumberArray | None = None
    capacitance: NumberArray | None = None
    effort: StoreLaw | None = None  # law of x
    initial: NumberArray = ZERO  # displacement at t = 0

    content = "x"
    variable = MappingProxyType({"effort": "x"})

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        if self.effort is not None:
            return GraphElement(name, "C", law=law_of(self.effort, "x", number))
        if self.stiffness is not None:
            return GraphElement(name, "C", modulus=as_matrix(self.stiffness, number, sizes))
        capacitance = as_matrix(self.capacitance, number, sizes)
        identity = ca.SX.eye(capacitance.shape[0])
        return GraphElement(name, "C", modulus=identity / capacitance if sizes == (1, 1) else ca.inv(capacitance))

    def law_issues(self) -> Iterator[Issue]:
        return one_of(self, "stiffness", "capacitance", "effort")

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        effort, displacement = first.effort.unit, first.displacement.unit
        if key == "stiffness":
            return quotient_kind(effort, displacement, minimum=0)
        if key == "capacitance":
            return quotient_kind(displacement, effort, minimum=0, excluded=True)
        return NumberKind.value_in(displacement) if key == "initial" else None

    def size_issues(self, size: int) -> Iterator[Issue]:
        yield from column_issues("initial", self.initial, size)
        yield from store_issues("stiffness", self.stiffness, size, excluded=False)
        yield from store_issues("capacitance", self.capacitance, size, excluded=True)


class Resistor(_OnePort):
    """Resistor e = resistance · f, or a law: e = effort(f), f = flow(e)."""

    type: Literal["R"] = "R"
    resistance: NumberArray | None = None
    effort: ResistorLaw | None = None  # law of f
    flow: ResistorLaw | None = None  # law of e

    loses_power = True
    variable = MappingProxyType({"effort": "f", "flow": "e"})

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        if self.effort is not None:
            return GraphElement(name, "R", law=law_of(self.effort, "f", number))
        if self.flow is not None:
            return GraphElement(name, "R", law=law_of(self.flow, "e", number), gives="flow")
        return GraphElement(name, "R", modulus=as_matrix(self.resistance, number, sizes))

    def law_issues(self) -> Iterator[Issue]:
        return one_of(self, "resistance", "effort", "flow")

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        return quotient_kind(first.effort.unit, first.flow.unit, minimum=0) if key == "resistance" else None

    def size_issues(self, size: int) -> Iterator[Issue]:
        yield from loss_issues("resistance", self.resistance, size)


class _TwoPort(GraphPart):
    modulus: SignalArray  # an expression of motion makes it a modulated one

    ports: ClassVar[int] = 2

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        modulus = as_matrix(self.modulus, number, sizes[::-1], line=True)
        return GraphElement(name, self.type, modulus=modulus)  # type: ignore[arg-type]


class GraphTransformer(_TwoPort):
    """Transformer: flow out = modulus · flow in, effort in = modulus · effort out."""

    type: Literal["TF"] = "TF"

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        return quotient_kind(second.flow.unit, first.flow.unit) if key == "modulus" else None


class GraphGyrator(_TwoPort):
    """Gyrator: effort out = modulus · flow in, effort in = modulus · flow out."""

    type: Literal["GY"] = "GY"

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        return quotient_kind(second.effort.unit, first.flow.unit) if key == "modulus" else None


class _Junction(GraphPart):
    domain: DomainName  # of all its bonds
    size: BondSize = 1  # components of all its bonds

    ports: ClassVar[int] = 0

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        return GraphElement(name, self.type)  # type: ignore[arg-type]

    def own_domain(self) -> str:
        return self.domain

    def own_size(self) -> int | None:
        return self.size


class ZeroJunction(_Junction):
    """0-junction: one effort, flows add up to zero."""

    type: Literal["0"] = "0"


class OneJunction(_Junction):
    """1-junction: one flow, efforts add up to zero."""

    type: Literal["1"] = "1"
