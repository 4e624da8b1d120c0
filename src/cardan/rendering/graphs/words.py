"""Words of a drawing: what signs show, and what the pointer shows at them."""

from collections.abc import Sequence

from cardan.bond_graphs.domains import DOMAINS
from cardan.bond_graphs.records import JUNCTIONS, Bond, GraphElement
from cardan.rendering.graphs.subject import Subject

KINDS_IN_WORDS = {
    "Se": "source of effort",
    "Sf": "source of flow",
    "I": "inertia",
    "C": "compliance",
    "R": "resistor",
    "TF": "transformer",
    "MTF": "modulated transformer",
    "GY": "gyrator",
    "MGY": "modulated gyrator",
    "0": "junction of one effort",
    "1": "junction of one flow",
    "EJS": "Euler junction structure",
}
TWO_PORTS = ("TF", "MTF", "GY", "MGY")


def texts(subject: Subject, bond: Bond) -> tuple[str, str]:
    """Names of effort and flow; the symbols of the domain where a line stands for several bonds of different names."""
    domain, bundle = DOMAINS[bond.domain], subject.bundle(bond)
    effort, flow = ({getattr(x, role) for x in bundle} for role in ("effort", "flow"))
    return (
        (bond.effort if len(effort) == 1 else "") or domain.effort.symbol,
        (bond.flow if len(flow) == 1 else "") or domain.flow.symbol,
    )


def power_of(subject: Subject, bond: Bond) -> float | None:
    """Power of a line along its half-arrow [W]; None if it is not known."""
    known = [subject.powers[x.name] for x in subject.bundle(bond) if x.name in subject.powers]
    return sum(known) if known else None


def sign_text(element: GraphElement) -> str:
    """Kind and name, the name without that of the frame; two-ports of a frame and junctions have no name."""
    if element.kind in JUNCTIONS or (element.of and element.kind in TWO_PORTS):
        return element.kind
    own = element.of.rpartition(" ")[2]  # "body trolley" has "trolley.mass"
    return f"{element.kind} : {element.name.removeprefix(f'{own}.')}"


def sign_role(element: GraphElement) -> str:
    """How the sign is drawn: efforts to be found stand out."""
    return "unknown" if element.unknown else "element"


def title_of(subject: Subject, unit: str) -> str:
    """What is written in or above a frame."""
    return subject.graph.titles.get(unit, unit)


def words_of_element(element: GraphElement) -> str:
    """What the pointer shows at an element."""
    note = f", {element.note}" if element.note else ""
    return f"{element.name}: {KINDS_IN_WORDS[element.kind]}{note}"


def words_of_frame(subject: Subject, unit: str, inside: Sequence[str]) -> str:
    """What the pointer shows at a frame: its elements."""
    lines = [words_of_element(subject.graph.elements[name]) for name in inside]
    return "\n".join([unit, *lines])


def words_of_bond(subject: Subject, bond: Bond) -> str:
    """What the pointer shows at a bond: effort, flow, power."""
    domain, bundle = DOMAINS[bond.domain], subject.bundle(bond)
    effort, flow = texts(subject, bond)
    lines = [f"{x.tail} → {x.head}: {domain.name}{f', {x.size} components' * (x.size > 1)}" for x in bundle]
    places = list(dict.fromkeys(x.place for x in bundle if x.place))
    efforts, flows = (
        [f"{variable.name} {place}" for place in places] or [variable.name] for variable in (domain.effort, domain.flow)
    )
    lines.append(f"effort {effort}: {', '.join(efforts)} [{domain.effort.unit}]")
    lines.append(f"flow {flow}: {', '.join(flows)} [{domain.flow.unit}]")
    if subject.causality is not None:
        origins = dict.fromkeys(subject.causality.effort_from[x.name] for x in bundle)
        lines.append(f"{', '.join(origins)} {'determines' if len(origins) == 1 else 'determine'} the effort")
    power = power_of(subject, bond)
    lines.append("power: effort · flow [W]" if power is None else f"power: {power:.4g} W")
    return "\n".join(lines)
