"""Causal strokes by the sequential assignment procedure, and words for what it finds.

Fixed causalities first (sources, laws that read one way), then integral causality of one store after the other, then
the resistors, then what is left; each choice is carried on through the junctions as far as it decides.

Source: Karnopp, Margolis & Rosenberg 2012, §3.4 and §5.2; for vector bonds: Behzadipour & Khajepour 2006
"""

from collections.abc import Iterator, Mapping

from cardan.bond_graphs.records import Bond, Graph, GraphElement
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass, field

End = str
"""Name of the element that determines the effort of a bond; the causal stroke is at the other end."""

_SETS_EFFORT = ("Se", "EJS")
_SETS_FLOW = ("Sf",)
_GYRATORS = ("GY", "MGY")
_TRANSFORMERS = ("TF", "MTF")


@dataclass(frozen=True)
class Causality:
    """Which end of each bond determines its effort, and what follows from it."""

    effort_from: Mapping[str, End]  # by bond
    integral: tuple[str, ...]  # stores whose state is free
    derivative: Mapping[str, tuple[str, ...]]  # stores whose state follows from others, and what each one follows
    free: tuple[str, ...]  # resistors and bonds whose causality was a choice: algebraic loops
    conflicts: tuple[str, ...] = ()  # what no strokes can meet, where conflicts are allowed: a sentence for each part
    parts: Mapping[str, str] = field(default_factory=dict)  # joint, constraint or other part of free bonds

    def sets_effort(self, element: str, bond: Bond) -> bool:
        """Whether the element determines the effort of the bond, and the other end its flow."""
        return self.effort_from[bond.name] == element

    def stroke_at_head(self, bond: Bond) -> bool:
        """Whether the causal stroke stands at the end of the half-arrow."""
        return self.effort_from[bond.name] == bond.tail

    @property
    def words(self) -> tuple[str, ...]:
        """A sentence for each store in derivative causality, each algebraic loop and each conflict.

        Free bonds of a joint or constraint share a sentence, and so do conflicts at one part of the model.
        """
        follows = [
            f"{name} {f'depends on {_list(causes)}' if causes else 'is bound'}: derivative causality"
            for name, causes in self.derivative.items()
        ]
        groups: dict[str, list[str]] = {}
        for name in self.free:
            groups.setdefault(self.parts.get(name, name), []).append(name)
        loops = [_loop_words(part, names) for part, names in groups.items()]
        return (*follows, *loops, *self.conflicts)


@dataclass
class _Assignment:
    """The state of the procedure: bonds decided so far, and the choice that each of them follows from."""

    graph: Graph  # a graph that was checked
    effort_from: dict[str, End] = field(default_factory=dict)  # by bond
    because: dict[str, str] = field(default_factory=dict)  # by bond: the element whose causality decided it
    conflicts: list[Issue] | None = None  # found so far; None where conflicts are refused


def assign(graph: Graph, *, conflicts: bool = False) -> Causality:
    """Causality of all bonds."""
    state, free = _Assignment(graph, conflicts=[] if conflicts else None), {}
    for bond, end, cause in _fixed(graph):
        state = _choose(state, bond, end, cause) if conflicts else _decided(state, bond, end, cause)
    for element in graph.elements.values():
        if element.kind in ("I", "C"):
            (bond,) = graph.ports[element.name]
            if bond.name not in state.effort_from:
                state = _choose(state, bond, _integral(element, bond), element.name)
    bonds = ((bond.effort_name, _part(graph, bond), bond) for bond in graph.bonds.values())
    for name, part, bond in [*_resistors(graph), *bonds]:
        if bond.name not in state.effort_from:
            free[name] = part
            state = _choose(state, bond, bond.tail, name)
    integral, derivative = [], {}
    for element in graph.elements.values():
        if element.kind in ("I", "C"):
            (bond,) = graph.ports[element.name]
            if state.effort_from[bond.name] == _integral(element, bond):
                integral.append(element.name)
            else:
                causes = _sources(state, bond, element.name)
                derivative[element.name] = tuple(
                    name for name in causes if not conflicts or graph.elements[name].kind in ("I", "Sf")
                )
    parts = {name: part for name, part in free.items() if part}
    found = _conflict_words(graph, state.conflicts or [])
    return Causality(state.effort_from, tuple(integral), derivative, tuple(free), found, parts)


def _integral(store: GraphElement, bond: Bond) -> End:
    """The end that determines the effort where the store integrates: I receives it, C determines it."""
    return store.name if store.kind == "C" else bond.other(store.name)


def _resistors(graph: Graph) -> Iterator[tuple[str, str, Bond]]:
    for element in graph.elements.values():
        if element.kind == "R":
            yield element.name, "", graph.ports[element.name][0]


def _part(graph: Graph, bond: Bond) -> str:
    """The part of the model that a bond belongs to: of two, the one that joins bodies; "" for none."""
    ends = {graph.elements[end].of for end in (bond.tail, bond.head)} - {""}
    return min(ends, key=lambda part: (part.startswith("body "), part), default="")


def _fixed(graph: Graph) -> Iterator[tuple[Bond, End, str]]:
    """Bonds whose causality an element allows one way only."""
    for name, element in graph.elements.items():
        bonds = graph.ports[name]
        if element.kind in _SETS_EFFORT:
            yield bonds[0], name, name
        elif element.kind == "R" and element.law is not None:
            yield bonds[0], name if element.gives == "effort" else bonds[0].other(name), name
        elif element.kind in _SETS_FLOW:
            yield bonds[0], bonds[0].other(name), name
        elif element.kind in _TRANSFORMERS and not _reversible(element, bonds):
            first, second = graph.through(name)
            yield first, name, name
            yield second, second.other(name), name
        elif element.kind in _GYRATORS and not _reversible(element, bonds):
            for bond in bonds:
                yield bond, name, name


def _reversible(element: GraphElement, bonds: tuple[Bond, ...]) -> bool:
    """Whether a two-port may be read against its modulus: M⁻¹ exists everywhere."""
    return element.invertible or all(bond.size == 1 for bond in bonds)


def _choose(state: _Assignment, bond: Bond, end: End, cause: str) -> _Assignment:
    """The assignment with `end` determining the effort of a bond, or with the other end where that contradicts."""
    if bond.name in state.effort_from:
        return state
    try:
        return _decided(state, bond, end, cause)
    except ModelError as error:
        try:
            return _decided(state, bond, bond.other(end), cause)
        except ModelError:
            if state.conflicts is None:
                raise
            state.conflicts.append(error.issues[0])
            state.effort_from[bond.name], state.because[bond.name] = end, cause
            return state


def _decided(state: _Assignment, bond: Bond, end: End, cause: str) -> _Assignment:
    """A copy of the assignment in which `end` determines the effort of a bond, with all that follows."""
    tried = _Assignment(state.graph, dict(state.effort_from), dict(state.because), state.conflicts)
    _decide(tried, bond, end, cause)
    return tried


def _decide(state: _Assignment, bond: Bond, end: End, cause: str) -> None:
    """Fix the end that determines the effort of a bond, and all that follows."""
    pending = [(bond, end)]
    while pending:
        bond, end = pending.pop()
        known = state.effort_from.get(bond.name)
        if known == end:
            continue
        if known is not None:
            raise _conflict(state, bond, cause)
        state.effort_from[bond.name] = end
        state.because[bond.name] = cause
        for element in (bond.tail, bond.head):
            pending += _implied(state, state.graph.elements[element], cause)


def _implied(state: _Assignment, element: GraphElement, cause: str) -> list[tuple[Bond, End]]:
    """Bonds at an element whose causality follows from those that are decided."""
    bonds = state.graph.ports[element.name]
    known = [bond for bond in bonds if bond.name in state.effort_from]
    if element.kind in ("0", "1"):
        # Exactly one bond of a 0-junction brings its effort; exactly one bond of a 1-junction brings its flow.
        def strong(bond: Bond) -> bool:
            return (state.effort_from[bond.name] != element.name) == (element.kind == "0")

        bringing = [bond for bond in known if strong(bond)]
        if len(bringing) > 1:
            raise _conflict(state, bringing[1], cause, element, bringing[0])
        rest = [bond for bond in bonds if bond not in known]
        if bringing:
            return [(bond, _weak(element, bond)) for bond in rest]
        if len(rest) == 1:
            return [(rest[0], _strong(element, rest[0]))]
        if not rest:
            raise _nothing_brings(element)
    if element.kind in _TRANSFORMERS and len(known) == 1:
        first, second = known[0], next(bond for bond in bonds if bond is not known[0])
        sets = state.effort_from[first.name] == element.name
        return [(second, second.other(element.name) if sets else element.name)]
    if element.kind in _GYRATORS and len(known) == 1:
        first, second = known[0], next(bond for bond in bonds if bond is not known[0])
        sets = state.effort_from[first.name] == element.name
        return [(second, element.name if sets else second.other(element.name))]
    return []


def _strong(junction: GraphElement, bond: Bond) -> End:
    """The end that determines the effort of the bond that brings the junction its common effort or flow."""
    return bond.other(junction.name) if junction.kind == "0" else junction.name


def _weak(junction: GraphElement, bond: Bond) -> End:
    return junction.name if junction.kind == "0" else bond.other(junction.name)


def _conflict(
    state: _Assignment, bond: Bond, cause: str, junction: GraphElement | None = None, other: Bond | None = None
) -> ModelError:
    """Two causes determine the same effort or flow."""
    first = state.because[(other or bond).name]
    second = cause if junction is None else state.because[bond.name]
    if junction is None:
        clash = "contradicts itself" if first == second else f"and {second} contradict each other"
        fault = f'{first} {clash} at bond "{bond.name}"'
    else:
        what = f'the {"effort" if junction.kind == "0" else "flow"} of junction "{junction.name}"'
        fault = f"{first} determines {what} twice" if first == second else f"{first} and {second} both determine {what}"
    cure = "put an R, or a store, between the two, or leave one of them out"
    return ModelError(Issue(fault, cure, ("elements", junction.name) if junction else ("bonds", bond.name)))


def _nothing_brings(junction: GraphElement) -> ModelError:
    """Every bond of a junction takes what one of them would have to bring."""
    what = "effort" if junction.kind == "0" else "flow"
    fault = f'nothing determines the {what} of junction "{junction.name}"'
    return ModelError(Issue(fault, f"join an element that determines the {what}", ("elements", junction.name)))


def _conflict_words(graph: Graph, issues: list[Issue]) -> tuple[str, ...]:
    """The first conflict of each part, or of an element that belongs to none, and how many more there are."""
    groups: dict[str, list[str]] = {}
    for issue in issues:
        section, name = map(str, issue.path)
        own = graph.elements[name].of if section == "elements" else _part(graph, graph.bonds[name])
        groups.setdefault(own or name, []).append(issue.fault)
    more = {part: f", and {len(faults) - 1} more" if len(faults) > 1 else "" for part, faults in groups.items()}
    return tuple(f"conflict at {part}: {faults[0]}{more[part]}" for part, faults in groups.items())


def _sources(state: _Assignment, bond: Bond, store: str) -> Iterator[str]:
    """The integral stores and sources that a store in derivative causality follows: ends of the causal paths to it."""
    pending = [(bond, store)]
    seen: set[str | tuple[str, str]] = {store}
    while pending:
        bond, at = pending.pop()
        origin = bond.other(at)
        element = state.graph.elements[origin]
        sets = state.effort_from[bond.name] == origin  # what arrives at `at`: an effort or a flow
        if element.kind in ("0", "1", *_TRANSFORMERS, *_GYRATORS):
            for before in _brings(state, element, bond, sets):
                if (before.name, origin) not in seen:
                    seen.add((before.name, origin))
                    pending.append((before, origin))
        elif origin not in seen:
            seen.add(origin)
            yield origin


def _brings(state: _Assignment, element: GraphElement, bond: Bond, effort: bool) -> list[Bond]:
    """Bonds from which a junction or two-port makes what it gives to `bond`, an effort or a flow."""
    others = [x for x in state.graph.ports[element.name] if x is not bond]
    common = "0" if effort else "1"
    if element.kind == common:  # the common effort or flow comes from one bond
        return [x for x in others if (state.effort_from[x.name] != element.name) == effort]
    return others


def _loop_words(part: str, names: list[str]) -> str:
    """The sentence for the free bonds of a part, or for one free resistor or bond that belongs to none."""
    if len(names) > 1:
        return f"the causality of {len(names)} bonds of {part} is a choice: they lie in algebraic loops"
    return f"the causality of {names[0]} is a choice: it lies in an algebraic loop"


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)
