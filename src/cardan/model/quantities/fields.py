"""Field types of records: a scalar that has to be a length, a mass, a torque, …

`Length` and the others are `Scalar` with a `NumberKind` attached. A quantity of another dimension is refused when the
record is made; expressions are checked by `cardan.model.quantities.dimensions`, once the parameters are known.
"""

import math
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import Issue, ModelError
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import AMPERE, DIMENSIONLESS, KILOGRAM, METRE, NEWTON, OHM, SECOND, VOLT

if TYPE_CHECKING:
    Entry = Any  # a Scalar as written, a CasADi number in a record that is resolved
else:
    Entry = Scalar

_TORQUE = NEWTON.times(METRE)
_WITH_UNIT = re.compile(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(degC|°C|K)\s*")
_OF_CELSIUS = {"degC": 0.0, "°C": 0.0, "K": 273.15}  # where the scale of Celsius begins on each


def _celsius(value: Any) -> Any:
    """A temperature with a unit as a number on the scale of Celsius."""
    found = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else float(found[1]) - _OF_CELSIUS[found[2]]


Number = Annotated[Entry, NumberKind("a number without unit", "2", DIMENSIONLESS)]
Weight = Annotated[Entry, NumberKind("a weight without unit", "2", DIMENSIONLESS, minimum=0, excluded=True)]
Tolerance = Annotated[Entry, NumberKind("a tolerance without unit", "1e-6", DIMENSIONLESS, minimum=0)]
Teeth = Annotated[Entry, NumberKind("a number of teeth", "20", DIMENSIONLESS, minimum=0, excluded=True)]
Angle = Annotated[Entry, NumberKind("an angle", "30 deg", DIMENSIONLESS)]
Backlash = Annotated[Entry, NumberKind("an angle", "0.5 deg", DIMENSIONLESS, minimum=0, excluded=True)]
Ratio = Annotated[Entry, NumberKind("a ratio", "1 %", DIMENSIONLESS, minimum=0)]
Length = Annotated[Entry, NumberKind("a length", "25 mm", METRE)]
Size = Annotated[Entry, NumberKind("a length", "25 mm", METRE, minimum=0, excluded=True)]
AreaOfSection = Annotated[Entry, NumberKind("an area", "200 mm^2", METRE.to(2), minimum=0, excluded=True)]
AreaMoment = Annotated[Entry, NumberKind("a moment of area", "4e-10 m^4", METRE.to(4), minimum=0, excluded=True)]
Pressure = Annotated[Entry, NumberKind("a modulus", "210 GPa", NEWTON.times(METRE, -2), minimum=0, excluded=True)]
Lead = Annotated[Entry, NumberKind("a length per turn", "5 mm", METRE, per_turn=True)]
Mass = Annotated[Entry, NumberKind("a mass", "2 kg", KILOGRAM, minimum=0)]
Density = Annotated[Entry, NumberKind("a density", "7850 kg/m^3", KILOGRAM.times(METRE, -3))]
Time = Annotated[Entry, NumberKind("a time", "5 s", SECOND)]
Speed = Annotated[Entry, NumberKind("a speed", "0.5 m/s", METRE.times(SECOND, -1))]
AngularSpeed = Annotated[Entry, NumberKind("an angular speed", "1500 rpm", SECOND.to(-1))]
Acceleration = Annotated[Entry, NumberKind("an acceleration", "9.81 m/s^2", METRE.times(SECOND, -2))]
FieldComponent = Annotated[Entry, NumberKind("an acceleration", "9.81 m/s^2", METRE.times(SECOND, -2), scope="field")]
GravitationalParameter = Annotated[
    Entry, NumberKind("a gravitational parameter", "3.986e14 m^3/s^2", METRE.to(3).times(SECOND, -2))
]
Force = Annotated[Entry, NumberKind("a force", "10 N", NEWTON)]
Torque = Annotated[Entry, NumberKind("a torque", "5 N*m", _TORQUE)]
MomentOfInertia = Annotated[Entry, NumberKind("a moment of inertia", "0.1 kg*m^2", KILOGRAM.times(METRE, 2), minimum=0)]
InertiaProduct = Annotated[Entry, NumberKind("a product of inertia", "0.1 kg*m^2", KILOGRAM.times(METRE, 2))]
Stiffness = Annotated[Entry, NumberKind("a stiffness", "100 N/m", NEWTON.times(METRE, -1))]
TorsionalStiffness = Annotated[Entry, NumberKind("a torsional stiffness", "10 N*m/rad", _TORQUE)]
Damping = Annotated[Entry, NumberKind("a damping", "2 N*s/m", NEWTON.times(SECOND).times(METRE, -1), minimum=0)]
TorsionalDamping = Annotated[Entry, NumberKind("a torsional damping", "0.5 N*m*s", _TORQUE.times(SECOND), minimum=0)]
DampingProduct = Annotated[Entry, NumberKind("a damping", "2 N*s/m", NEWTON.times(SECOND).times(METRE, -1))]
TorsionalDampingProduct = Annotated[Entry, NumberKind("a torsional damping", "0.5 N*m*s", _TORQUE.times(SECOND))]
Impulse = Annotated[Entry, NumberKind("a damping between shifts and turns", "0.5 N*s", NEWTON.times(SECOND))]
Voltage = Annotated[Entry, NumberKind("a voltage", "24 V", VOLT)]
Current = Annotated[Entry, NumberKind("a current", "2 A", AMPERE)]
SupplyResistance = Annotated[Entry, NumberKind("a resistance", "0.1 ohm", OHM, minimum=0)]
Resistance = Annotated[Entry, NumberKind("a resistance", "1 ohm", OHM, minimum=0, excluded=True)]
Inductance = Annotated[Entry, NumberKind("an inductance", "1 mH", OHM.times(SECOND), minimum=0)]
VoltageLaw = Annotated[Entry, NumberKind("a voltage", "24 V", None, scope="motion")]
ResistanceLaw = Annotated[Entry, NumberKind("a resistance", "1 ohm", OHM, minimum=0, excluded=True, scope="motion")]
TorqueConstantLaw = Annotated[
    Entry, NumberKind("a torque constant", "0.1 N*m/A", _TORQUE.times(AMPERE, -1), scope="motion")
]
BackEmfConstantLaw = Annotated[
    Entry, NumberKind("a back-EMF constant", "0.1 V*s/rad", VOLT.times(SECOND), scope="motion")
]
TorqueConstant = Annotated[Entry, NumberKind("a torque constant", "0.1 N*m/A", _TORQUE.times(AMPERE, -1))]
BackEmfConstant = Annotated[Entry, NumberKind("a back-EMF constant", "0.1 V*s/rad", VOLT.times(SECOND))]
Frequency = Annotated[Entry, NumberKind("a frequency", "20 kHz", SECOND.to(-1), minimum=0, excluded=True)]
PositiveTime = Annotated[Entry, NumberKind("a time", "1 ms", SECOND, minimum=0, excluded=True)]
Exponent = Annotated[Entry, NumberKind("an exponent", "1.5", DIMENSIONLESS, minimum=1)]
Coefficient = Annotated[Entry, NumberKind("a coefficient", "0.5", DIMENSIONLESS, minimum=0, excluded=True)]
Restitution = Annotated[Entry, NumberKind("a restitution", "0.01", DIMENSIONLESS, minimum=0, excluded=True)]
PerLength = Annotated[Entry, NumberKind("a coefficient per length", "1e4 1/m", METRE.to(-1), minimum=0, excluded=True)]
PoissonRatio = Annotated[Entry, NumberKind("a Poisson ratio", "0.3", DIMENSIONLESS, minimum=0)]
PerSpeed = Annotated[Entry, NumberKind("a coefficient per speed", "0.5 s/m", SECOND.times(METRE, -1), minimum=0)]
Modulus = Annotated[
    Entry, NumberKind("a modulus of elasticity", "210 GPa", NEWTON.times(METRE, -2), minimum=0, excluded=True)
]
Positive = Annotated[Entry, NumberKind("a number", "2", None, minimum=0, excluded=True)]
Anything = Annotated[Entry, NumberKind("a number", "2", None)]
"""A scalar whose dimension is not checked here."""
Temperature = Annotated[Entry, BeforeValidator(_celsius), NumberKind("a temperature", "20 degC", None)]
"""A temperature on the scale of Celsius; "293.15 K" is 20 on it."""
AnythingMoving = Annotated[Entry, NumberKind("a number", "2", None, scope="motion")]
"""The same, also as an expression of the motion."""

ForceSignal = Annotated[Entry, NumberKind("a force", "10 N", NEWTON, scope="motion")]
ReactionSignal = Annotated[Entry, NumberKind("a force", "10 N", NEWTON, scope="reaction")]
TorqueSignal = Annotated[Entry, NumberKind("a torque", "5 N*m", _TORQUE, scope="motion")]
INPUT = NumberKind("a number or an expression", "20*sin(2*t)", None, scope="rates")
InputSignal = Annotated[Entry, INPUT]
Rate = Annotated[Entry, NumberKind("a rate of change", "ref - swing", None, scope="rates")]
TimeLaw = Annotated[Entry, NumberKind("a law of time", "30 deg*sin(2*t)", None, scope="time")]
Measure = Annotated[Entry, NumberKind("a measure", "payload.com.x", None, scope="motion")]
OutputValue = Annotated[Entry, NumberKind("an output", "payload.com.x", None, scope="outputs")]

_FARTHEST = sys.float_info.max ** (1 / 4)  # 1e77 m: equations of motion hold the squares of m L² and of L² / m
Coordinate = Annotated[Entry, NumberKind("a length", "25 mm", METRE, largest=_FARTHEST)]
Position = tuple[Coordinate, Coordinate, Coordinate]

_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


def read_direction(value: Any) -> Any:
    """The components of a direction, as a list or by its name."""
    if isinstance(value, str):
        if value not in _AXES:
            raise ModelError(
                f"{f'{value!r:.60}'} is not a direction", "write x, y, z, -x, -y, -z or a list such as [0, 0, 1]"
            )
        return _AXES[value]
    if isinstance(value, (list, tuple)) and len(value) == 3:
        scalars = tuple(Scalar.read(entry) for entry in value)
        if all(scalar.value == 0 for scalar in scalars):
            raise ModelError("the direction has length 0", "give a non-zero vector, such as [0, 0, 1]")
        return scalars
    return value


def direction_issue(components: Sequence[float]) -> Issue | None:
    """Return what is wrong with a direction of these components: it cannot be divided by its length; else None."""
    squared = sum(component * component for component in components)
    if not any(components):
        return Issue("the direction has length 0", "give a non-zero vector, such as [0, 0, 1]")
    if not sys.float_info.min < squared < math.inf:
        longest = max(map(abs, components))
        return Issue(
            f"the direction has components of {longest:.3g}", "give a vector of about length 1, such as [0, 0, 1]"
        )
    return None


DIRECTION = NumberKind("a number", "1", None)
Component = Annotated[Entry, DIRECTION]
Direction = Annotated[tuple[Component, Component, Component], BeforeValidator(read_direction)]
"""Three components of a vector that is not zero, of any length; or x, y, z, -x, -y, -z."""
CurveEquation = Annotated[Entry, NumberKind("an equation of a curve", "x**2 + y**2 - r**2", None, scope="curve")]
