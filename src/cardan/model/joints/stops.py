"""End stops of a motion of a joint: by impact, or elastic; and freewheels, which stop its velocity at zero.

By impact: v⁺ = −restitution · v⁻ at a bound, and with restitution 0 a contact that pushes and never pulls. Elastic: the
force stiffness · depth + damping · speed of approach, from the bound on until it would pull. One way: 0 ≤ v ⊥ f ≥ 0, a
plastic stop of the velocity wherever the joint is.

Source: Pfeiffer & Glocker 1996, *Multibody Dynamics with Unilateral Contacts*, chs. 5 and 8 (Newton's law of impact)
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, nearest
from cardan.model.quantities.fields import Anything
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.records.element import ValueOf
from cardan.model.records.record import Record
from cardan.model.records.section import Section
from cardan.model.units import DIMENSIONLESS, METRE, NEWTON, SECOND

Number = Any  # casadi.SX or casadi.DM

_FACTOR = NumberKind("a number from 0 to 1", "0.8", DIMENSIONLESS, minimum=0)
_STIFF = NEWTON.times(METRE, -1)
STOP_KINDS = {
    "m/s": {
        **dict.fromkeys(("lower", "upper"), NumberKind("a length", "25 mm", METRE)),
        "stiffness": NumberKind("a stiffness", "1e5 N/m", _STIFF, minimum=0, excluded=True),
        "damping": NumberKind("a damping", "20 N*s/m", _STIFF.times(SECOND), minimum=0),
        "restitution": _FACTOR,
    },
    "rad/s": {
        **dict.fromkeys(("lower", "upper"), NumberKind("an angle", "30 deg", DIMENSIONLESS)),
        "stiffness": NumberKind("a torsional stiffness", "1e3 N*m/rad", NEWTON.times(METRE), minimum=0, excluded=True),
        "damping": NumberKind("a torsional damping", "0.5 N*m*s", NEWTON.times(METRE).times(SECOND), minimum=0),
        "restitution": _FACTOR,
    },
}
"""What the numbers of stops have to be, by the unit of the velocity and by key."""


class Stops(Record):
    """Bounds of the coordinate, and what happens there."""

    lower: Anything | None = None  # smallest coordinate [m] or [rad]
    upper: Anything | None = None  # largest coordinate [m] or [rad]
    restitution: Anything | None = None  # speed after over speed before an impact [-]; 0 if there is no stiffness
    stiffness: Anything | None = None  # of elastic stops [N/m] or [N m/rad]
    damping: Anything = 0  # of elastic stops [N s/m] or [N m s]
    one_way: bool = False  # whether the joint never moves backwards, in place of bounds

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.one_way:
            others = [key for key in ("lower", "upper", "restitution", "stiffness") if getattr(self, key) is not None]
            if others:
                raise ModelError(f"a joint that moves one way only has no {others[0]}", "leave it or one_way out")
            return self
        if self.lower is None and self.upper is None:
            raise ModelError("the stops have no bound", "give lower, upper or both, or one_way: true")
        if self.restitution is not None and self.stiffness is not None:
            raise ModelError("stops are elastic or by impact, not both", "leave stiffness or restitution out")
        return self

    @property
    def is_elastic(self) -> bool:
        """Whether the stops give way."""
        return self.stiffness is not None

    @property
    def rebound(self) -> Number:
        """Speed after over speed before an impact [-]."""
        return 0 if self.restitution is None else self.restitution

    def force(self, depth: Number, approach: Number) -> Number:
        """Force of an elastic stop [N, N m], from its `depth` and the speed of `approach`."""
        return self.stiffness * depth + self.damping * approach

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        """Numbers with which stops cannot be."""
        if self.lower is not None and self.upper is not None and not value_of(self.lower) < value_of(self.upper):
            fault = f"lower is {value_of(self.lower):g} and upper {value_of(self.upper):g}"
            yield Issue(fault, "lower has to be below upper", ("lower",))
        if self.restitution is not None and value_of(self.restitution) > 1:
            fault = f"restitution is {value_of(self.restitution):g}: every impact would add energy"
            yield Issue(fault, "write a number from 0 to 1", ("restitution",))
        if self.stiffness is None and self.damping and value_of(self.damping):
            fault = "without stiffness the stops work by impact, which has no damping"
            yield Issue(fault, "give stiffness, or restitution in place of damping", ("damping",))


def _read(value: Any) -> Any:
    """Stops of one motion, or a table of the stops of several: `{d: {lower: 0, upper: 1}}`."""
    if isinstance(value, Stops | Section):
        return value
    value = _table(value)
    named = any(isinstance(entry, Mapping | Stops) for key, entry in value.items() if key not in Stops.model_fields)
    if not named:
        return Stops(**{str(key): entry for key, entry in value.items()})
    found, issues = {}, list[Issue]()
    for name, entry in value.items():
        try:
            found[name] = entry if isinstance(entry, Stops) else Stops(**_table(entry))
        except ModelError as error:
            issues += [issue.under(name) for issue in error.issues]
    if issues:
        raise ModelError(issues)
    return found


def _table(value: Any) -> Mapping[str, Any]:
    """A table of keys; anything else is refused with the keys that are known there."""
    if isinstance(value, Mapping):
        return value
    fault = f"{f'{value!r:.60}'} is not a table of keys"
    raise ModelError(fault, f"write {{key: value, …}}; {nearest('', Stops.model_fields)}")


AnyStops = Annotated[Stops | Section[Stops], BeforeValidator(_read)]
"""Stops of a joint with one motion, or of the motions of a joint with several, by name."""
