"""What every motor kind satisfies: it drives one coordinate through a gear; its rotor is mechanics, its circuit a law.

Source: docs/notation.md §5
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

from pydantic.fields import FieldInfo

from cardan.errors import Issue, Path, nearest
from cardan.model.place import GROUND
from cardan.model.quantities.fields import (
    Anything,
    Direction,
    Inductance,
    MomentOfInertia,
    ResistanceLaw,
    TorsionalDamping,
    VoltageLaw,
)
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import ONE, ZERO, Scalar
from cardan.model.records.element import Element
from cardan.model.records.known_names import KnownNames
from cardan.model.units import DIMENSIONLESS, METRE

Number = Any  # casadi.SX or casadi.DM

_RATIO = NumberKind("a gear ratio", "10", DIMENSIONLESS)
_LINEAR_RATIO = NumberKind("a gear ratio of a linear joint", "400 rad/m", METRE.to(-1))


def _moves(field: FieldInfo) -> bool:
    """Whether a field takes expressions of the motion."""
    return any(isinstance(part, NumberKind) and part.scope == "motion" for part in field.metadata)


class Motor(Element):
    """A motor with a gear. `ratio` r = motor speed / joint speed: r > 1 slows down; for linear joints [rad/m]."""

    joint: str  # joint with one velocity, or joint.component
    ratio: Anything = ONE
    rotor_inertia: MomentOfInertia = ZERO  # [kg m²] about the rotor's axis
    rotor_damping: TorsionalDamping = ZERO  # [N m s/rad] at the rotor
    mounted_on: str | None = None  # body that carries the stator; None: the joint's parent; ground: only r² Im counts
    rotor_axis: Direction | None = None  # axis in the carrier's axes; None: that of the joint
    resistance: ResistanceLaw  # resistance of the circuit, also an expression, as of a temperature [Ω]
    inductance: Inductance = ZERO  # inductance of the circuit [H]; not needed by the simplified model
    demand: Literal["voltage", "duty"] = "voltage"  # what its input is; a duty is the share of a supply's voltage
    applied: VoltageLaw | None = None  # voltage of the circuit, which may name `<motor>.demand`; None: the input [V]

    @property
    def input_unit(self) -> str:
        """Unit of its input."""
        return "V" if self.demand == "voltage" else "1"

    def mechanical(self) -> Self:
        """The motor without its circuit, for its rotor."""
        circuit = {name: ONE for name, field in type(self).model_fields.items() if _moves(field)}
        return self.unchecked(**circuit)

    def resolved(self, number: Callable[[Scalar], Any]) -> Self:
        """A copy with numbers in its fields, without the law of its voltage, which follows its input."""
        return Element.resolved(self if self.applied is None else self.unchecked(applied=None), number)

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        joint = names.model.joints.get(self.driven[0])
        if joint is None:
            cure = nearest(self.driven[0], names.model.joints)
            yield Issue(f"there is no joint {self.driven[0]!r}", cure, ("joint",))
        else:
            yield from joint.drive_issues(*self.driven)
        if self.mounted_on not in (None, GROUND, *names.model.bodies):
            cure = nearest(str(self.mounted_on), (GROUND, *names.model.bodies))
            yield Issue(f"there is no body {self.mounted_on!r}", cure, ("mounted_on",))

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        if path != ("ratio",):
            return None
        joint, suffix = self.driven
        unit = dict(names.model.joints[joint].velocities)[suffix]
        return _LINEAR_RATIO if unit == "m/s" else _RATIO

    @property
    def driven(self) -> tuple[str, str]:
        """Joint, and suffix of its motion: ("arm", ".r") for `joint: arm.r`; empty where none is written."""
        joint, dot, component = self.joint.partition(".")
        return joint, dot + component

    @abstractmethod
    def back_emf(self, w: Number) -> Number:
        """Voltage [V] at rotor speed w [rad/s]."""

    @abstractmethod
    def torque(self, i: Number) -> Number:
        """Torque [N m] on the rotor at current i [A]."""

    @abstractmethod
    def current_for(self, torque: Number) -> Number:
        """Current [A] at which the torque on the rotor is `torque` [N m]."""

    @abstractmethod
    def current_rate(self, i: Number, w: Number, u: Number) -> Number:
        """di/dt [A/s] at current i [A] and rotor speed w [rad/s] under the voltage u [V]."""

    @abstractmethod
    def steady_current(self, w: Number, u: Number) -> Number:
        """Current [A] at rotor speed w [rad/s] under the voltage u [V], L di/dt neglected."""
