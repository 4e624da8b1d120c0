"""Thermal networks: bodies of one temperature each, with heat capacities, and conductances between them.

C dT/dt = Σ P + Σ G (T_other − T). Each node is a state of its own name, or a parameter where its temperature is given.

Source: Isermann 2005, *Mechatronic Systems*, §2.3.4 (thermal storages and resistances)
"""

from collections.abc import Mapping
from typing import Any

from cardan.errors import Issue, ModelError, nearest, within
from cardan.model.quantities.fields import Anything, Rate, Temperature
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection, check_name
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times


class ThermalNode(Record):
    """A body of one temperature."""

    capacity: Anything | None = None  # heat per temperature [J/K]
    temperature: Temperature | None = None  # which never changes, in place of a capacity [°C]
    initial: Temperature | None = None  # at t = 0 [°C]; None: that of the one node whose temperature stays, else 20
    heat: Rate | None = None  # power that flows in beside the losses of drives [W]
    to: PathSection[Anything] = PathSection()  # conductances to other nodes [W/K]


def thermal_written_out(sections: Sections) -> None:
    """Write the thermal network of a model out."""
    nodes = dict[str, ThermalNode]()
    for name, data in sections.taken("thermal").items():
        with within("thermal", name):
            check_name(name)
            given = {str(key): x for key, x in data.items()} if isinstance(data, Mapping) else {"temperature": data}
            nodes[name] = node = ThermalNode(**given)
            if (node.capacity is None) == (node.temperature is None):
                raise ModelError("a node has a capacity, or a temperature that stays", "give one of the two")
    flows: dict[str, list[str]] = {name: [] for name in nodes}
    for name, node in nodes.items():
        for other, conductance in node.to.items():
            if other not in nodes:
                fault = Issue(f"there is no thermal node {other!r}", nearest(other, nodes), ("thermal", name, "to"))
                raise ModelError(fault)
            flow = times(text_of(conductance), f"({other} - {name})")
            flows[name].append(flow)
            flows[other].append(times("-1", flow))
    for name, powers in sections.heats.items():
        if name not in nodes:
            raise ModelError(Issue(f"there is no thermal node {name!r}", nearest(name, nodes), ("drives",)))
        flows[name] += powers
    constant = [name for name, node in nodes.items() if node.temperature is not None]
    default: Any = constant[0] if len(constant) == 1 else 20
    for name, node in nodes.items():
        sections.origin = ("thermal", name)
        if node.capacity is None:
            assert node.temperature is not None, "each node has one of the two"
            sections.put("parameters", name, text_of(node.temperature))
            continue
        begin = default if node.initial is None else node.initial.source
        whole = plus(*flows[name], *([] if node.heat is None else [text_of(node.heat)]))
        state = {"rate": f"({whole})/{text_of(node.capacity)}", "initial": begin}
        sections.put("states", name, state)
        sections.put("outputs", f"{name}.temperature", name)
