"""Where a marker of an arm loses rank, in words."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cardan.analysis import SingularSet
    from cardan.model import Model

__all__ = ["reach_lines"]


def reach_lines(model: "Model", marker: str) -> list[str]:
    """Return what `cardan show --reach` says of a marker.

    Parameters
    ----------
    model : Model
        An arm without loops.
    marker : str
        Body or marker.
    """
    import cardan
    from cardan.model.names import carrying, coordinates

    report = cardan.singular_positions(model, marker)
    here = f", in the initial position {report.here}" if report.singular else ""
    units = coordinates(carrying(model))
    return [
        f"{marker} can be moved in {report.rank} independent ways{here}",
        *(f"singular, rank {found.rank}: {_where(found, units)}" for found in report.sets),
    ]


def _where(found: "SingularSet", units: "Mapping[str, str]") -> str:
    """`q4 = 90 deg`; of several coordinates one example."""
    values = ", ".join(f"{name} = {_value(value, units.get(name, ''))}" for name, value in found.where.items())
    return values if len(found.where) < 2 else f"for example {values}"


def _value(value: float, unit: str) -> str:
    if unit == "rad":
        return f"{round(math.degrees(value), 3) + 0.0:g} deg"
    return f"{round(value, 6) + 0.0:g} {unit}".rstrip()
