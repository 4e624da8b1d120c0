"""What every kind of contact satisfies: an elastic force of the depth, and a damping that never makes it pull."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import casadi as ca

from cardan.errors import Issue, Path
from cardan.model.contacts.between import meetings_issues
from cardan.model.contacts.friction import ContactFriction
from cardan.model.contacts.pairs.geometry import TINY
from cardan.model.quantities.fields import Exponent, Positive
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import Element, ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.units import METRE, NEWTON

Number = Any  # casadi.SX or casadi.DM


class Contact(Element):
    """A contact between shapes: where they overlap by a depth δ they push each other apart along their normal.

    The elastic force is k δⁿ. The force follows this law while they touch: from the instant at which δ becomes positive
    to that at which δ or the force becomes negative.
    """

    between: tuple[str, str]  # shapes that touch: ground, body, body.shape or all
    friction: ContactFriction | None = None  # none: smooth
    settle: bool = False  # whether bodies that overlap at the start are moved apart

    @property
    @abstractmethod
    def power(self) -> Number:
        """Exponent n of the depth in the elastic force."""

    @abstractmethod
    def stiffness_at(self, radius: Number) -> Number:
        """k [N/mⁿ] between surfaces of the relative radius of curvature `radius` [m]."""

    @abstractmethod
    def damping_ratio(self, k: Number, depth: Number, speed: Number, approach: Number) -> Number:
        """Damping over elastic force at a `depth` that grows with `speed`; they met with the speed `approach`."""

    @property
    def keeps_approach(self) -> bool:
        """Whether the law depends on the speed with which the bodies met."""
        return False

    @property
    def needs_radius(self) -> bool:
        """Whether the law holds between curved surfaces only."""
        return False

    def elastic_force(self, k: Number, depth: Number) -> Number:
        """k δⁿ [N], odd in δ, so that it is smooth where the contact begins."""
        if ca.SX(self.power - 1).is_zero():
            return k * depth
        return k * depth * (ca.fabs(depth) + TINY) ** (self.power - 1)

    def elastic_energy(self, k: Number, depth: Number) -> Number:
        """k δⁿ⁺¹/(n + 1) [J]."""
        return k * ca.fabs(depth) ** (self.power + 1) / (self.power + 1)

    def depth_under(self, k: Number, load: Number) -> Number:
        """Depth [m] at which the elastic force is `load` [N]."""
        return (load / k) ** (1 / self.power)

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        turns = self.friction is not None and self.friction.turns
        round_law = "Hertz' law" if self.needs_radius else "resistance to rolling and spinning" if turns else ""
        yield from meetings_issues(names.model, self.between, round_law)

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        if self.friction is not None:
            yield from (issue.under("friction") for issue in self.friction.value_issues(value_of))


class StiffContact(Contact):
    """A contact whose elastic force is given by its stiffness and exponent."""

    stiffness: Positive  # k [N/mⁿ]
    exponent: Exponent = Scalar.read(1.5)  # n [-]; 1.5 between balls

    @property
    def power(self) -> Number:
        return self.exponent

    def stiffness_at(self, radius: Number) -> Number:
        return self.stiffness

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        n = self.exponent.value if isinstance(self.exponent, Scalar) else self.exponent
        if path != ("stiffness",) or n is None:
            return None
        example = f"1e6 N/m^{n:g}"
        return NumberKind("a stiffness of a contact", example, NEWTON.times(METRE, -n), minimum=0, excluded=True)
