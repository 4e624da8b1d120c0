"""Words of a drawing: what signs show, and what the pointer shows at them."""

from __future__ import annotations

from collections.abc import Sequence

from cardan.bond_graphs.domains import DOMAINS
from cardan.bond_graphs.records import JUNCTIONS, Bond, GraphElement
from cardan.rendering.graphs.subject import Subject

__all__ = ["sign_role", "sign_text", "subtitle_of", "texts", "words_of_bond", "words_of_element", "words_of_frame"]

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


def texts(bond: Bond) -> tuple[str, str]:
    """Names of effort and flow.

    Parameters
    ----------
    bond : a bond of the graph.
    """
    domain = DOMAINS[bond.domain]
    return bond.effort or domain.effort.symbol, bond.flow or domain.flow.symbol


def sign_text(element: GraphElement) -> str:
    """Kind and name, the name without that of the frame.

    Parameters
    ----------
    element : what the sign stands for.
    """
    if element.kind in JUNCTIONS:
        return element.kind
    name = element.name.removeprefix(f"{element.of}.") if element.of else element.name
    return f"{element.kind} : {name}"


def sign_role(element: GraphElement) -> str:
    """How the sign is drawn: efforts to be found stand out.

    Parameters
    ----------
    element : what the sign stands for.
    """
    return "unknown" if element.unknown else "element"


def subtitle_of(subject: Subject, unit: str) -> str:
    """What the part is; nothing if its name says it.

    Parameters
    ----------
    subject, unit : what is drawn, and the name of a frame.
    """
    title = subject.graph.titles.get(unit, "")
    return "" if title == unit else title


def words_of_element(element: GraphElement) -> str:
    """What the pointer shows at an element.

    Parameters
    ----------
    element : what the sign stands for.
    """
    note = f", {element.note}" if element.note else ""
    return f"{element.name}: {KINDS_IN_WORDS[element.kind]}{note}"


def words_of_frame(subject: Subject, unit: str, inside: Sequence[str]) -> str:
    """What the pointer shows at a frame: its elements.

    Parameters
    ----------
    subject, unit, inside : what is drawn, the name of the frame, the names of its elements.
    """
    title = subtitle_of(subject, unit)
    lines = [words_of_element(subject.graph.elements[name]) for name in inside]
    return "\n".join([f"{unit}: {title}" if title else unit, *lines])


def words_of_bond(subject: Subject, bond: Bond) -> str:
    """What the pointer shows at a bond: effort, flow, power.

    Parameters
    ----------
    subject, bond : what is drawn, and one of its bonds.
    """
    domain = DOMAINS[bond.domain]
    effort, flow = texts(bond)
    size = f", {bond.size} components" if bond.size > 1 else ""
    lines = [
        f"{bond.tail} → {bond.head}: {domain.name}{size}",
        f"effort {effort}: {domain.effort.name} [{domain.effort.unit}]",
        f"flow {flow}: {domain.flow.name} [{domain.flow.unit}]",
    ]
    if subject.causality is not None:
        lines.append(f"{subject.causality.effort_from[bond.name]} determines the effort")
    power = subject.powers.get(bond.name)
    lines.append("power: effort · flow [W]" if power is None else f"power: {power:.4g} W")
    return "\n".join(lines)
