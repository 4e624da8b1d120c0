"""A channel: name, unit, components and description of one result, without its values; units it is shown in."""

import math
import re
from typing import Literal, get_args

from cardan.frozen import dataclass

ChannelKind = Literal["coordinate", "motor", "body", "joint", "force", "work", "energy", "output", "drive", "graph"]
"""The part of a mechanism that a channel belongs to; lists and plots group channels by it."""

ANGLES = {"rad": 1.0, "deg": 180 / math.pi}
"""Units of angles that results can be shown in, with the size of one radian in each."""

_AXES = ("x", "y", "z")
_QUATERNION = ("w", "x", "y", "z")


@dataclass(frozen=True, slots=True)
class Channel:
    """One named result over time: a scalar, or a vector with named components.

    Parameters
    ----------
    name : str
        Unique name, ``<thing>.<quantity>``: ``"travel.q"``, ``"payload.position"``.
    unit : str
        SI unit of every component, ``""`` for a pure number.
    components : tuple of str
        Names of the components, ``("x", "y", "z")`` for a vector in space; empty for a scalar.
    kind : ChannelKind
        Part of the mechanism that the channel belongs to.
    description : str
        A few words for lists and axis labels; may be empty.
    unique : tuple of str
        Of a reaction, whether the equations determine each component: "yes", "no" (then it is the distribution of
        minimum norm) or "unknown" (then it is NaN); empty for anything else.

    Raises
    ------
    ValueError
        If the name is empty, the kind unknown or two components share a name.
    """

    name: str
    unit: str
    components: tuple[str, ...] = ()
    kind: ChannelKind = "output"
    description: str = ""
    unique: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a channel needs a name")
        if self.kind not in get_args(ChannelKind):
            raise ValueError(f'channel "{self.name}": kind "{self.kind}" is none of {", ".join(get_args(ChannelKind))}')
        if len(set(self.components)) != len(self.components):
            raise ValueError(f'channel "{self.name}": two components share a name in {self.components}')

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value at one instant: ``()`` or ``(len(components),)``."""
        return (len(self.components),) if self.components else ()

    @property
    def dimension(self) -> str:
        """Name of the component axis in a dataset; vectors in space share ``"axis"``."""
        return {_AXES: "axis", _QUATERNION: "quaternion"}.get(self.components, f"{self.name}.component")

    @property
    def columns(self) -> tuple[str, ...]:
        """One flat name per component: ``("payload.position.x", …)``, or the name itself for a scalar."""
        return tuple(f"{self.name}.{component}" for component in self.components) or (self.name,)


def check_units(units: str) -> None:
    """Refuse units that results cannot be shown in."""
    if units not in ANGLES:
        raise ValueError(f'units="{units}" is not possible; angles are shown in {" or ".join(ANGLES)}')


def shown_in(unit: str, units: str) -> tuple[str, float]:
    """Unit that values are shown in, and the factor to it.

    Examples
    --------
    >>> shown_in("rad/s", "deg")[0], shown_in("N*m/rad", "deg")
    ('deg/s', ('N*m/rad', 1.0))
    """
    changed, count = re.subn(r"^rad\b", units, unit)
    return changed, ANGLES[units] if count else 1.0
