"""Results of analyses as text: motors, base parameters, singular positions."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cardan.analysis import SingularSet
    from cardan.model import Model


def motor_lines(model: "Model") -> list[str]:
    """Return the carrier and the time constants of each motor for `cardan show`; no times if assembly fails."""
    import cardan
    from cardan.analysis import motor_times

    if not model.motors:
        return []
    lines = _stators(model)
    try:
        return [*lines, *(f"{name}: {times}" for name, times in motor_times(model).items())]
    except cardan.AssemblyError:
        return lines


def _stators(model: "Model") -> list[str]:
    """Which body carries the stator of each motor with inertia, and what its turning adds."""
    from cardan.kinematics.build import build
    from cardan.model.motors.stators import stators
    from cardan.model.place import GROUND

    tree, lines = build(model), []
    carrier = {rotor.name: rotor.carrier for rotor in tree.motor_rotors}
    for name, body in stators(model).items():
        if (link := carrier[name]) is not None and tree.turns(link):
            words = f"stator on {body}, with whose turning the rotor's spin couples (exact)"
        elif model.motors[name].mounted_on == GROUND:
            words = "mounted_on: ground, so that only r² Im is added (the papers' form)"
        else:
            words = f"stator on {body}, which does not turn: the rotor adds r² Im"
        lines.append(f"{name}: {words}")
    return lines


def base_parameter_lines(model: "Model") -> list[str]:
    """Return the lines that `cardan show --base-parameters` prints."""
    import cardan

    found = cardan.base_parameters(model)
    lines = [f"  {entry} = {round(entry.value, 12):.6g}" for entry in found.parameters]
    return [f"{len(found)} base parameters of {10 * len(model.bodies)} inertial parameters", *lines]


def reach_lines(model: "Model", marker: str) -> list[str]:
    """Return the lines that `cardan show --reach` prints for a marker."""
    import cardan
    from cardan.model.names import carrying, coordinates

    report = cardan.singular_positions(model, marker)
    here = f", in the initial position {report.here}" if report.singular else ""
    units, ways = coordinates(carrying(model)), "way" if report.rank == 1 else "ways"
    return [
        f"{marker} can be moved in {report.rank} independent {ways}{here}",
        *(f"singular, {_kind(found, model)}: {_where(found, units)}" for found in report.sets),
    ]


def _kind(found: "SingularSet", model: "Model") -> str:
    """`rank 5` for an arm; for a mechanism with loops the kind of singularity and its meaning."""
    from cardan.model.names import carrying

    closed = len(carrying(model)) < len(model.joints) or bool(model.constraints)
    return f"{found.kind} ({found.meaning})" if closed else f"rank {found.rank}"


def _where(found: "SingularSet", units: "Mapping[str, str]") -> str:
    """`q4 = 90 deg`; of a curve or surface one example."""
    values = ", ".join(f"{name} = {_value(value, units.get(name, ''))}" for name, value in found.where.items())
    return f"for example {values}" if found.example else values


def _value(value: float, unit: str) -> str:
    if unit == "rad":
        return f"{round(math.degrees(value), 3) + 0.0:g} deg"
    return f"{round(value, 6) + 0.0:g} {unit}".rstrip()
