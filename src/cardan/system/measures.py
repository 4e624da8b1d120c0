"""What a run can be asked for: accelerations, currents, positions, efforts, reactions, energies, outputs.

Every channel is an expression of (t, x, u, p); all of them together are one program, run over all instants at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from cardan.kinematics import energy
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import GROUND, Number
from cardan.model.expressions import Expression
from cardan.model.grammar import Call, Name
from cardan.model.grammar import Number as Constant
from cardan.model.names import motion_units
from cardan.numerics.entries import column
from cardan.spatial.transforms import position
from cardan.system import circuits as electrics
from cardan.system.reactions import reactions
from cardan.system.system import State, System, accelerations_and_multipliers, total_energy

__all__ = ["Kind", "Measure", "measures", "outputs"]

Kind = Literal["coordinate", "motor", "body", "joint", "force", "energy", "output"]
"""What a result belongs to."""

_KEEP_UNITS = ("+", "-", "neg", "abs", "min", "max", "hypot")
_XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Measure:
    """A named result: a number or a vector in world axes, unless its description says another frame."""

    name: str  # `travel.a`, `payload.position`
    unit: str  # SI, of every component; empty for a pure number, and for an output whose unit its names do not tell
    kind: Kind  # what it belongs to
    description: str  # a few words; may be empty
    components: tuple[str, ...]  # x, y, z of a vector; empty for a number
    expression: Number  # (1,) or (3,)
    on_request: bool = False  # not listed, since another result says the same

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value at one instant."""
        return (len(self.components),) if self.components else ()


def measures(system: System, state: State) -> list[Measure]:
    """Everything a run can be asked for beyond its state, from accelerations and motors to energies and outputs."""
    acceleration, multipliers = accelerations_and_multipliers(system, state)
    return [
        *_accelerations(system, acceleration),
        *_motors(system, state),
        *_bodies(system, state),
        *_efforts(system, state),
        *_reactions(system, state, acceleration, multipliers),
        *_energies(system, state),
        *outputs(system, state),
    ]


def _scalar(name: str, unit: str, kind: Kind, expression: Number, description: str = "") -> Measure:
    return Measure(name, unit, kind, description, (), expression)


def _vector(name: str, unit: str, kind: Kind, expression: Number, description: str = "") -> Measure:
    return Measure(name, unit, kind, description, _XYZ, expression)


def _accelerations(system: System, a: Number) -> list[Measure]:
    return [
        _scalar(f"{entry.name}.a", f"{entry.unit}^2", "coordinate", a[k])
        for k, entry in enumerate(system.tree.velocities)
    ]


def _motors(system: System, state: State) -> list[Measure]:
    circuits = system.circuits
    out: list[Measure] = []
    for k, (name, motor) in enumerate(zip(circuits.names, circuits.motors, strict=True)):
        if not circuits.nz:
            out.append(_scalar(f"{name}.current", "A", "motor", state.currents[k]))
        out.append(_scalar(f"{name}.voltage", "V", "motor", state.u[k]))
        torque = motor.torque(state.currents[k])
        out.append(_scalar(f"{name}.torque", "N*m", "motor", torque, "torque of the current on the rotor"))
    return out


def _bodies(system: System, state: State) -> list[Measure]:
    return [
        _vector(f"{name}.position", "m", "body", position(state.motion.T_WL[place.link] @ place.T_LM))
        for name, place in system.tree.places.items()
        if place.link != GROUND
    ]


def _efforts(system: System, state: State) -> list[Measure]:
    tau = electrics.efforts(system.circuits, system.tree, state.currents, state.u)
    units = ["N" if entry.unit == "m/s" else "N*m" for entry in system.tree.velocities]
    return [
        _scalar(f"{entry.name}.effort", units[k], "joint", tau[k], "effort of the actuator")
        for k, entry in enumerate(system.tree.velocities)
    ]


def _reactions(system: System, state: State, a: Number, lam: Number) -> list[Measure]:
    """Joints in file order, then constraints; in other axes than the world's only on request."""
    found = reactions(system.tree, state.motion, a, lam)
    order = {name: k for k, name in enumerate(system.model.joints)}
    found.sort(key=lambda reaction: order.get(reaction.name.partition(".")[0], len(order)))
    return [
        Measure(
            reaction.name,
            reaction.unit,
            "joint" if ".reaction_" in reaction.name else "force",
            reaction.description,
            _XYZ,
            reaction.vector,
            on_request=reaction.frame != "world",
        )
        for reaction in found
    ]


def _energies(system: System, state: State) -> list[Measure]:
    return [
        _scalar("energy.kinetic", "J", "energy", energy.kinetic(system.tree, state.motion)),
        _scalar("energy.potential", "J", "energy", energy.potential(system.tree, state.motion)),
        _scalar("energy.total", "J", "energy", total_energy(system, state), "with the coils' magnetic fields"),
    ]


def outputs(system: System, state: State) -> list[Measure]:
    """The outputs of the model, in their order."""
    lookup = partial(value, system.tree, state.motion)
    units = motion_units(system.model)
    return [
        _scalar(name, _unit(scalar.expression, units), "output", column([evaluate(scalar, lookup)]), str(scalar))
        for name, scalar in system.model.outputs.items()
    ]


def _unit(expression: Expression | None, units: Mapping[str, str]) -> str:
    """SI unit of an expression where its names tell: one of them, or several alike in a sum, beside plain numbers."""
    if isinstance(expression, Name):
        return units.get(expression.name, "")
    if not (isinstance(expression, Call) and expression.operation in _KEEP_UNITS):
        return ""
    found = {_unit(operand, units) for operand in expression.operands if not isinstance(operand, Constant)}
    return found.pop() if len(found) == 1 else ""
