"""What a run can be asked for: accelerations, currents, positions, efforts, reactions, energies, outputs.

A channel is an expression of (t, x, u, p). Names and units are known without it; expressions are made family by family,
when a channel of the family is asked for: a position costs no accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from cardan.kinematics import energy
from cardan.kinematics.loads import load_wrench
from cardan.kinematics.motion import marker_motion
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import GROUND, LoadPlacement, Number
from cardan.loads.reactions import Frame, labels, reactions
from cardan.model.expressions import Expression
from cardan.model.grammar import Call, Name
from cardan.model.grammar import Number as Constant
from cardan.model.multipliers import multiplier_units
from cardan.model.names import motion_units
from cardan.numerics.entries import column
from cardan.spatial.transforms import position
from cardan.system.system import Solution, State, System, actuator_efforts, total_energy

__all__ = ["FAMILIES", "Family", "Kind", "Measure", "Solve", "measures", "outputs"]

Kind = Literal["coordinate", "motor", "body", "joint", "force", "energy", "output"]
"""What a result belongs to."""
Solve = Callable[[], Solution]
"""Gives accelerations and multipliers where they are needed."""

_KEEP_UNITS = ("+", "-", "neg", "abs", "min", "max", "hypot")
_XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Measure:
    """A named result: a number or a vector in world axes, unless its description says another frame."""

    name: str  # `travel.a`, `payload.position`
    unit: str  # SI, of every component; empty for a pure number, and for an output whose unit its names do not tell
    kind: Kind  # what it belongs to
    description: str = ""  # a few words; may be empty
    components: tuple[str, ...] = ()  # x, y, z of a vector; empty for a number
    family: str = ""  # which of `FAMILIES` it is computed with
    on_request: bool = False  # not listed, since another result says the same

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value at one instant."""
        return (len(self.components),) if self.components else ()


@dataclass(frozen=True)
class Family:
    """Results that are computed together."""

    listed: Callable[[System], list[Measure]]  # what they are
    expressions: Callable[[System, State, Solve], list[Number]]  # their values, in the same order


def measures(system: System) -> list[Measure]:
    """Everything a run can be asked for beyond its state, from accelerations and motors to energies and outputs."""
    return [replace(measure, family=name) for name, family in FAMILIES.items() for measure in family.listed(system)]


def _accelerations(system: System) -> list[Measure]:
    return [Measure(f"{entry.name}.a", f"{entry.unit}^2", "coordinate") for entry in system.tree.velocities]


def _acceleration_values(system: System, state: State, solve: Solve) -> list[Number]:
    a, _ = solve()
    return [a[k] for k in range(system.tree.nv)]


def _motors(system: System) -> list[Measure]:
    out = []
    for circuit in system.circuits:
        if not circuit.names:
            out.append(Measure(f"{circuit.name}.current", "A", "motor"))
        out.append(Measure(f"{circuit.name}.voltage", "V", "motor"))
        out.append(Measure(f"{circuit.name}.torque", "N*m", "motor", "torque of the current on the rotor"))
    return out


def _motor_values(system: System, state: State, solve: Solve) -> list[Number]:
    out = []
    for k, circuit in enumerate(system.circuits):
        current = state.motion.z[k]
        out += [] if circuit.names else [current]
        out += [state.u[k], circuit.motor.torque(current)]
    return out


def _bodies(system: System) -> list[Measure]:
    return [Measure(f"{name}.position", "m", "body", components=_XYZ) for name in _moving(system)]


def _body_values(system: System, state: State, solve: Solve) -> list[Number]:
    places = (system.tree.places[name] for name in _moving(system))
    return [position(state.motion.T_WL[place.link] @ place.T_LM) for place in places]


def _moving(system: System) -> list[str]:
    return [name for name, place in system.tree.places.items() if place.link != GROUND]


def _efforts(system: System) -> list[Measure]:
    return [
        Measure(f"{entry.name}.effort", "N" if entry.unit == "m/s" else "N*m", "joint", "effort of the actuator")
        for entry in system.tree.velocities
    ]


def _effort_values(system: System, state: State, solve: Solve) -> list[Number]:
    tau = actuator_efforts(system, state)
    return [tau[k] for k in range(system.tree.nv)]


def _reactions(frame: Frame) -> Family:
    """Of joints in file order, then of constraints; in other axes than the world's only on request."""

    def listed(system: System) -> list[Measure]:
        units = multiplier_units(system.model)
        return [
            Measure(
                label.name,
                label.unit or units[label.name.removesuffix(".force")][0],
                "joint" if ".reaction_" in label.name else "force",
                label.description,
                label.components,
                on_request=frame != "world",
            )
            for label in labels(system.tree, frame)
        ]

    def expressions(system: System, state: State, solve: Solve) -> list[Number]:
        return reactions(system.tree, state.motion, *solve(), frame=frame)

    return Family(listed, expressions)


def _loads(frame: Frame) -> Family:
    """Of force elements in file order; in other axes than the world's only on request."""
    at, seen = ("", "") if frame == "world" else (f".{frame}", f", {frame} marker's axes")
    words = {"force": ("N", f"force on the child{seen}"), "moment": ("N*m", f"moment on the child{seen}")}

    def listed(system: System) -> list[Measure]:
        return [
            Measure(f"{load.name}.{what}{at}", words[what][0], "force", words[what][1], _XYZ, on_request=bool(at))
            for load in system.tree.loads
            for what in load.record.transmits
        ]

    def expressions(system: System, state: State, solve: Solve) -> list[Number]:
        out = []
        for load in system.tree.loads:
            wrench, R = load_wrench(system.tree, state.motion, load), _axes(state, load, frame)
            both = {"force": wrench.f, "moment": wrench.n}
            out += [both[what] if R is None else R.T @ both[what] for what in load.record.transmits]
        return out

    return Family(listed, expressions)


def _axes(state: State, load: LoadPlacement, frame: Frame) -> Number | None:
    """Axes of one of the markers of a force element in the world (3×3); None for the world's own."""
    if frame == "world":
        return None
    return marker_motion(state.motion, load.child if frame == "child" else load.parent).R


def _energies(system: System) -> list[Measure]:
    names = {"kinetic": "", "potential": "", "total": "with the coils' magnetic fields"}
    return [Measure(f"energy.{name}", "J", "energy", words) for name, words in names.items()]


def _energy_values(system: System, state: State, solve: Solve) -> list[Number]:
    return [
        energy.kinetic(system.tree, state.motion),
        energy.potential(system.tree, state.motion),
        total_energy(system, state),
    ]


def _outputs(system: System) -> list[Measure]:
    units = motion_units(system.model)
    return [
        Measure(name, _unit(scalar.expression, units), "output", str(scalar))
        for name, scalar in system.model.outputs.items()
    ]


def outputs(system: System, state: State) -> list[Number]:
    """Values of the model's outputs, in their order.

    Raises
    ------
    ModelError
        An output names a current, and motors are off.
    """
    lookup = partial(value, system.tree, state.motion)
    return [column([evaluate(scalar, lookup)]) for scalar in system.model.outputs.values()]


FAMILIES: dict[str, Family] = {
    "accelerations": Family(_accelerations, _acceleration_values),
    "motors": Family(_motors, _motor_values),
    "bodies": Family(_bodies, _body_values),
    "efforts": Family(_efforts, _effort_values),
    "reactions": _reactions("world"),
    "reactions_parent": _reactions("parent"),
    "reactions_child": _reactions("child"),
    "loads": _loads("world"),
    "loads_parent": _loads("parent"),
    "loads_child": _loads("child"),
    "energies": Family(_energies, _energy_values),
    "outputs": Family(_outputs, lambda system, state, solve: outputs(system, state)),
}
"""Results by what is computed together, in the order in which they are listed."""


def _unit(expression: Expression | None, units: Mapping[str, str]) -> str:
    """SI unit of an expression where its names tell: one of them, or several alike in a sum, beside plain numbers."""
    if isinstance(expression, Name):
        return units.get(expression.name, "")
    if not (isinstance(expression, Call) and expression.operation in _KEEP_UNITS):
        return ""
    found = {_unit(operand, units) for operand in expression.operands if not isinstance(operand, Constant)}
    return found.pop() if len(found) == 1 else ""
