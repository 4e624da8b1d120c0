"""What every element of a hand-made bond graph answers about itself.

Units follow from the domains of its bonds: a store of a rotation has an inertia in kg m², one of a circuit in henry.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator

from cardan.bond_graphs import DOMAINS, Domain, GraphElement
from cardan.errors import Issue, ModelError, nearest
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import Record
from cardan.model.units import Dimension, dimension_of, short_unit

MOST = 99  # components of a bond: a larger number is a slip, and would fill the memory
GraphNumber = Callable[..., Any]
"""The CasADi number that a scalar stands for; `names` gives values of further names in it, such as p in a law."""


def _read_domain(name: str) -> str:
    if name not in DOMAINS:
        raise ModelError(f"there is no domain {name!r}", nearest(name, DOMAINS))
    return name


DomainName = Annotated[str, AfterValidator(_read_domain)]
"""Name of a domain."""


def _read_size(size: Any) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST:
        raise ModelError(f"{size!r} is no size of a bond", f"give the number of its components, 1 to {MOST}")
    return size


BondSize = Annotated[int, BeforeValidator(_read_size)]
"""Number of components of a vector bond."""


class GraphPart(Record):
    """An element of a hand-made bond graph."""

    type: str

    ports: ClassVar[int] = 1  # bonds that it has; 0: any number
    content: ClassVar[Literal["", "p", "x"]] = ""  # of a store: momentum or displacement
    gives_power: ClassVar[bool] = False  # a source whose power is work done on the model
    loses_power: ClassVar[bool] = False  # a resistor
    is_port: ClassVar[bool] = False  # where a mechanism gives the flow
    gives: ClassVar[str] = ""  # of a source: "effort" or "flow"
    variable: ClassVar[Mapping[str, str]] = {}  # of a key that holds a law: the name that stands for what it receives

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        """The element of the graph's mathematics."""
        raise NotImplementedError

    def own_domain(self) -> str:
        """The domain that it gives to its bonds; empty where the other end decides."""
        return ""

    def size_issues(self, size: int) -> Iterator[Issue]:
        """Numbers of an element that do not fit a bond of this size."""
        return iter(())

    def own_size(self) -> int | None:
        """The number of components that it gives to its bonds; None where the other end decides."""
        return None

    def input_unit(self, domain: Domain) -> str:
        """Unit of the input of the model that it is; empty where its value is given."""
        return ""

    def law_issues(self) -> Iterator[Issue]:
        """Keys that are missing or contradict each other."""
        return iter(())

    def number_kind(self, key: str, first: Domain, second: Domain) -> NumberKind | None:
        """What the number of a key has to be."""
        return None

    def law_dimensions(self, key: str, domain: Domain) -> tuple[Dimension, Dimension] | None:
        """Dimensions of what a law receives and gives; None if the key holds no law."""
        return None

    def name_issues(self, names: KnownNames, domain: str) -> Iterator[Issue]:
        """Names in it that mean nothing in the model."""
        return iter(())


def domain_dimension(unit: str) -> Dimension:
    """Dimension of a unit of a domain."""
    found = dimension_of(unit)
    assert found is not None, "domains have units"
    return found


def quotient_kind(above: str, below: str, *, minimum: float | None = None, excluded: bool = False) -> NumberKind:
    """A number in the unit `above` per the unit `below`."""
    unit = short_unit(domain_dimension(above).times(domain_dimension(below), -1))
    kind = NumberKind.value_in(unit)
    return kind if minimum is None else replace(kind, minimum=minimum, excluded=excluded)


def one_of(record: GraphPart, *keys: str) -> Iterator[Issue]:
    """The issue that not exactly one of some keys is given."""
    given = [key for key in keys if getattr(record, key) is not None]
    if not given:
        yield Issue(f"{record.type} has no law", f"give {' or '.join(keys)}")
    elif len(given) > 1:
        yield Issue(f"{' and '.join(given)} are given", "keep one of them", (given[1],))


def law_of(scalar: Scalar, variable: str, number: GraphNumber) -> Callable[[Any], Any]:
    """A law as a function of what it receives (1,), from an expression that names it `variable`."""
    return lambda x: number(scalar, **{variable: x})
