"""The dataset of a sweep: its axes, what varies along them, and its variables with their units."""

import json
from typing import Any

import cardan
from cardan.model.quantities.parameters import units as parameter_units
from cardan.safety.text import visible
from cardan.simulation.sweeps.axes import SweepGrid, units_of
from cardan.simulation.sweeps.blocks import SweepBlocks, shape_of
from cardan.simulation.sweeps.outputs import Output

Attributes = dict[str, Any]
Variable = tuple[tuple[str, ...], tuple[int, ...], Attributes]
"""Names of the dimensions behind the axes of the sweep, their sizes, and the attributes of a variable."""


def variables_of(blocks: SweepBlocks) -> dict[str, Variable]:
    """The variables of a sweep by name; how the runs have ended stands last."""
    count, found = len(blocks.axis), dict[str, Variable]()
    for output in blocks.outputs:
        over_time = () if output.reduction else ("time",)
        sizes = (*(() if output.reduction else (count,)), *shape_of(output))
        found[output.name] = (*over_time, *dimensions_of(output)), sizes, {"units": output.unit}
    found["t_end"] = (), (), {"units": "s", "long_name": "time reached"}
    found["status"] = (), (), {}
    found["message"] = (), (), {"long_name": "why a run did not end as it should"}
    return found


def dimensions_of(output: Output) -> tuple[str, ...]:
    """The dimension of a vector's components."""
    return (output.channel.dimension,) if output.channel is not None and output.components else ()


def coordinates_of(blocks: SweepBlocks, grid: SweepGrid) -> dict[str, Any]:
    """Values of what varies along its axes, instants, and names of components."""
    out: dict[str, Any] = {}
    conditions = blocks.setup.conditions
    units = {**units_of(conditions.system), "parameters": parameter_units(conditions.model.parameters)}
    for entry in grid.varied:
        unit = units[entry.argument].get(entry.name, "")
        out |= {name: ((name,), labels) for name, labels in entry.coords.items()}
        out[entry.label] = (entry.dims, entry.values, {"units": unit, "long_name": entry.name})
    if any(not output.reduction for output in blocks.outputs):
        out["time"] = (("time",), blocks.axis, {"units": "s", "long_name": "time"})
    for output in blocks.outputs:
        out |= {name: ((name,), list(output.components)) for name in dimensions_of(output)}
    return out


def attributes_of(blocks: SweepBlocks, grid: SweepGrid) -> dict[str, str]:
    """Where the runs come from: enough to do them again, with the values along the axes."""
    first, arguments = blocks.first, blocks.setup.arguments
    settings = {
        name: x for name, x in first.provenance.settings.items() if name not in ("parameters", "inputs", "initial")
    }
    settings |= {name: arguments.plain(name).get(name, {}) for name in ("parameters", "inputs", "initial")}
    for entry in grid.varied:
        settings[entry.argument].pop(entry.name, None)
    return {
        "title": visible(first.provenance.model),
        "source": f"Cardan {cardan.__version__}",
        "model": first.provenance.source,
        "settings": json.dumps({name: x for name, x in settings.items() if name != "times"}, default=float),
    }
