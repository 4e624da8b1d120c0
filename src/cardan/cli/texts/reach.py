"""The singular positions of a mechanism and the mobility of a marker, as text."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cardan.analysis import SingularSet
    from cardan.model import Model


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
