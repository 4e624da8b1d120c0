"""The part of a constraint's reaction that is known: cutting, digging, friction, from a law or from measurements.

The equation of the constraint gives the ideal part of its reaction; the given part acts beside it, whatever it is.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, §3.2 and eqs. 17–23
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import casadi as ca
from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.expressions.grammar import Call, Name, ParsedExpression, names_of
from cardan.model.forces.load import Load, MarkerFrame, MarkerMotion, Number, Wrench
from cardan.model.place import GROUND, End, split
from cardan.model.quantities.characteristic import read_measured
from cardan.model.quantities.fields import ReactionSignal
from cardan.model.quantities.number_kind import OWN_NAMES
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import Record

Component = Annotated[ReactionSignal, BeforeValidator(read_measured)]


class Given(Record):
    """Force `value` on the child of the constraint; its opposite acts on the parent at the same point."""

    value: tuple[Component, Component, Component]  # [N]: expressions, or tables over an expression
    frame: Literal["world", "parent", "child", "path"] = "world"  # axes of the components; path: (t, n, b)
    parent: End | None = None  # what takes the opposite force, where the constraint has no places of its own
    child: End | None = None  # marker at which the force acts, where the constraint has no places of its own

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any) -> Any:
        """`table: {file: …, columns: [Fx, Fy]}` is a table for each component."""
        if not isinstance(data, Mapping) or "table" not in data:
            return data
        table, rest = data["table"], {key: entry for key, entry in data.items() if key != "table"}
        columns = table.get("columns") if isinstance(table, Mapping) else None
        if "value" in data or not isinstance(columns, list | tuple) or not 1 <= len(columns) <= 3:
            cure = "write table: {file: NAME.csv, of: speed, columns: [Fx, Fy, Fz]}, one to three columns, and no value"
            raise ModelError(Issue("the table does not give the components", cure, ("table",)))
        whole = {key: entry for key, entry in table.items() if key != "columns"}
        value = [{**whole, "column": column} for column in columns]
        return {**rest, "value": [*value, *[0] * (3 - len(value))]}

    @property
    def ends(self) -> tuple[End, End] | None:
        """Places of parent and child; None where the constraint has its own."""
        return None if self.child is None else (GROUND if self.parent is None else self.parent, self.child)

    def named(self, constraint: str) -> Given:
        """The same with the constraint's own quantities under their full names: `speed` becomes `line.speed`."""
        return self.unchecked(value=tuple(with_own_names(component, constraint) for component in self.value))

    def force(self, ends: tuple[End, End]) -> GivenForce:
        """The force law between two places, with full names in it."""
        frame: MarkerFrame = "world" if self.frame == "path" else self.frame
        return GivenForce.model_construct(parent=ends[0], child=ends[1], value=self.value, frame=frame)

    def issues(self, names: KnownNames, *, has_places: bool) -> Iterator[Issue]:
        """Places that are missing, unknown, or given twice."""
        if has_places:
            for key in ("parent", "child"):
                if getattr(self, key) is not None:
                    cure = "leave it out: the force acts between the constraint's own places"
                    yield Issue(f"{key} stands in the constraint already", cure, (key,))
        elif self.ends is None:
            cure = "add child: a body or a marker; parent: is the ground by default"
            yield Issue("nothing says where the given force acts", cure, ("child",))
        else:
            parent, child = self.ends
            yield from names.place_issues(parent=parent, child=child)
            if split(parent)[0] == split(child)[0]:
                yield Issue("both ends are on one body", "give parent or child another body", ("child",))


class GivenForce(Load):
    """The given part as a force law between two places."""

    type: Literal["given"] = "given"
    transmits = ("force",)
    value: tuple[ReactionSignal, ReactionSignal, ReactionSignal]  # [N]
    frame: MarkerFrame  # axes of the components

    follows_motion = True

    def in_world(self, R: Number) -> Self:
        return self.unchecked(value=tuple(ca.vertsplit(ca.SX(R @ ca.vertcat(*self.value)))))

    def other(self, a: MarkerMotion, b: MarkerMotion) -> Wrench:
        vector = ca.vertcat(*self.value)
        axes = {"world": ca.DM.eye(3), "parent": a.R, "child": b.R}[self.frame]
        return Wrench(ca.DM(3, 1), axes @ vector)


def with_own_names(scalar: Scalar, constraint: str) -> Scalar:
    """The scalar with the constraint's own quantities under their full names."""
    if scalar.expression is None or not scalar.names & OWN_NAMES.keys():
        return scalar
    expression = _renamed(scalar.expression, constraint)
    return replace(scalar, expression=expression, names=names_of(expression))


def _renamed(expression: ParsedExpression, constraint: str) -> ParsedExpression:
    if isinstance(expression, Name) and expression.name in OWN_NAMES:
        return Name(f"{constraint}.{expression.name}")
    if isinstance(expression, Call):
        return replace(expression, operands=tuple(_renamed(operand, constraint) for operand in expression.operands))
    return expression
