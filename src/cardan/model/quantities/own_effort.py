"""Efforts of the model's own equations, as entries of `let:`: what controllers compute from a model.

In: `{effort: r1, accelerations: {r1: a1, r2: a2}}`. Out: row r1 of M a + C v + D v + g as a number of the model.
"""

from collections.abc import Iterator

from cardan.errors import Issue
from cardan.model.expressions.grammar import Call, Constant, Name, ParsedExpression
from cardan.model.quantities.fields import Measure, Positive
from cardan.model.quantities.scalar import ONE, Scalar
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection

OWN_EFFORT = "own effort"  # operation: velocity, at rest, factor of masses, and velocities with their accelerations


class OwnEffort(Record):
    """The effort on a joint that the model's own equations ask for: inertia, damping, weight and springs."""

    effort: str  # velocity that it acts on, by the name of its joint or its own: `r1`, `ball.wx`
    accelerations: PathSection[Measure] = PathSection()  # of all velocities
    at_rest: bool = False  # at the present position without motion: weight and springs alone
    masses: Positive = ONE  # factor of all masses and inertias: of a model that is not quite the mechanism

    def number(self) -> Scalar:
        """The effort as a number of the model, which is written as this record."""
        given = [part for name, a in self.accelerations.items() for part in (Name(name), _part(a))]
        operands = (Name(self.effort), Constant(float(self.at_rest)), _part(self.masses), *given)
        names = {self.effort, *self.accelerations, *self.masses.names}.union(
            *(a.names for a in self.accelerations.values())
        )
        height = 1 + max(operand.height for operand in (*operands, Call("", ())) if isinstance(operand, Call))
        return Scalar(self, None, Call(OWN_EFFORT, operands, height), frozenset(names))

    def issues(self, velocities: set[str], closed: str) -> Iterator[Issue]:
        """What is wrong with it for a mechanism with these velocities; `closed` names what makes it no open chain."""
        if closed:
            fault = f"its equations are those of an open chain in a uniform gravity, and the model has {closed}"
            yield Issue(fault, "write the effort as an expression")
        if missing := sorted(velocities - self.accelerations.keys()) if not self.at_rest else []:
            fault = f"{missing[0]!r} has no acceleration, and the equations need that of every motion"
            yield Issue(fault, f"name {', '.join(missing)}", ("accelerations",))
        if self.effort not in velocities:
            yield Issue(f"{self.effort!r} is no motion of the mechanism", f"known: {', '.join(sorted(velocities))}")

    def __str__(self) -> str:
        return f"effort of the model's equations on {self.effort}"


def _part(scalar: Scalar) -> ParsedExpression:
    return Constant(float(scalar.value or 0.0)) if scalar.expression is None else scalar.expression
