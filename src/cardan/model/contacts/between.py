"""Which shapes of which bodies a contact is between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.contacts.pairs import PAIRS, ROUND
from cardan.model.meshes import hull_of_mesh
from cardan.model.place import GROUND, split
from cardan.model.shapes import Mesh, Shape

if TYPE_CHECKING:
    from cardan.model.sections import ModelSections

ALL = "all"
"""Stands for the shapes of all bodies and of the ground."""
FREE = 6  # freedoms of a joint that joins nothing


@dataclass(frozen=True)
class Side:
    """A shape of a body."""

    body: str  # or ground
    index: int  # of the shape
    shape: Shape

    def __str__(self) -> str:
        """How messages name it."""
        return f"{self.body}.{self.shape.name}" if self.shape.name else f"{self.body} ({self.shape.type})"  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Meeting:
    """Two shapes of different bodies."""

    a: Side
    b: Side

    @property
    def kinds(self) -> tuple[str, str]:
        """Kinds of the two shapes."""
        return self.a.shape.type, self.b.shape.type  # type: ignore[attr-defined]


def meetings(model: ModelSections, between: tuple[str, str]) -> list[Meeting]:
    """The pairs of shapes of a contact, of those of its first side with those of its second, each once.

    Bodies that a joint joins, other than a free one, meet only where both are named.
    """
    first, second = (_sides(model, name) for name in between)
    joined = _joined(model) if ALL in between else set()
    found: dict[frozenset[tuple[str, int]], Meeting] = {}
    for a, b in product(first, second):
        apart = a.body != b.body and frozenset((a.body, b.body)) not in joined
        if apart and not (ALL in between and Meeting(a, b).kinds in _NEVER):
            found.setdefault(frozenset(((a.body, a.index), (b.body, b.index))), Meeting(a, b))
    return list(found.values())


_NEVER = (("plane", "plane"), ("points", "points"))  # kinds that nobody means by `all`


def meetings_issues(model: ModelSections, between: tuple[str, str], round_law: str) -> Iterator[Issue]:
    """What is wrong with the shapes of a contact; `round_law`: what of it holds between curved surfaces only."""
    named = [issue for k, name in enumerate(between) for issue in _side_issues(model, name, k)]
    if named:
        yield from named
        return
    found = meetings(model, between)
    if not found:
        bodies = {side.body for name in between for side in _sides(model, name)}
        fault = f"no shape of {between[0]!r} can meet one of {between[1]!r}"
        cure = "name shapes of two bodies" if len(bodies) == 1 else "name both bodies where a joint joins them"
        yield Issue(fault, cure, ("between",))
    refused: dict[frozenset[str], Meeting] = {}
    for meeting in found:
        if meeting.kinds not in PAIRS:
            refused.setdefault(frozenset(meeting.kinds), meeting)
            continue
        yield from _mesh_issues(meeting)
        if round_law and meeting.kinds not in ROUND:
            fault = f"{meeting.a} meets {meeting.b} with an edge or a corner, where there is no {round_law}"
            yield Issue(fault, "leave it out, or make a contact of its own for round shapes", ("between",))
    for meeting in refused.values():
        kinds = " and ".join(sorted(meeting.kinds))
        known = sorted({other for kind, other in PAIRS if kind == meeting.kinds[0]})
        cure = f"a {meeting.kinds[0]} meets {', '.join(known)}" if known else f"give {meeting.a.body} another shape"
        yield Issue(f"contact between {kinds} is not supported: {meeting.a} and {meeting.b}", cure, ("between",))


def _mesh_issues(meeting: Meeting) -> Iterator[Issue]:
    """Why a mesh among two shapes cannot be read, or has no hull that contacts take."""
    for side in (meeting.a, meeting.b):
        try:
            if isinstance(side.shape, Mesh):
                hull_of_mesh(side.shape.file)
        except ModelError as error:
            yield from (issue.under("between") for issue in error.issues)


def _side_issues(model: ModelSections, name: str, k: int) -> Iterator[Issue]:
    body, shape = split(name)
    if body == ALL and not shape:
        return
    if body != GROUND and body not in model.bodies:
        yield Issue(f"there is no body {body!r}", nearest(body, (ALL, GROUND, *model.bodies)), ("between", k))
    elif not _sides(model, name):
        known = [one.name for one in _shapes(model, body) if one.name]
        who = "the ground" if body == GROUND else f"the body {body!r}"
        fault, cure = f"{who} has no shapes", f"add them: {{{body}: {{shapes: [{{type: sphere, radius: 0.1 m}}]}}}}"
        if shape:
            fault, cure = f"{who} has no shape {shape!r}", nearest(shape, known) if known else "give it a name"
        yield Issue(fault, cure, ("between", k))


def _sides(model: ModelSections, name: str) -> list[Side]:
    """The shapes that a name stands for."""
    body, shape = split(name)
    bodies = (*model.bodies, GROUND) if body == ALL else (body,)
    found = [Side(one, k, record) for one in bodies for k, record in enumerate(_shapes(model, one))]
    if shape:
        return [side for side in found if side.shape.name == shape]
    return [side for side in found if side.shape.touches]


def _shapes(model: ModelSections, body: str) -> tuple[Shape, ...]:
    return model.ground.shapes if body == GROUND else model.bodies[body].shapes


def _joined(model: ModelSections) -> set[frozenset[str]]:
    """Pairs of bodies that a joint joins."""
    joints = [joint for joint in model.joints.values() if joint.nv < FREE]
    return {frozenset((split(joint.parent)[0], split(joint.child)[0])) for joint in joints}
