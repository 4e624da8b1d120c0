"""A program: a relation φ(q, t) = 0, or one that is linear in the velocities, which named drives have to keep.

No force of its own acts; the efforts of the drives in `by` are unknowns, as those of prescribed motions are.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, §3.2 (program constraints), eq. 18
"""

from collections.abc import Iterator
from typing import Literal, Self

from cardan.errors import Issue, Path
from cardan.model.constraints.expression import ExpressionConstraint
from cardan.model.motions.prescribed import JointNames
from cardan.model.motions.realization import AnyRealization, Realization
from cardan.model.quantities.fields import Anything
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import Record
from cardan.model.units import SECOND


class Feedback(Record):
    """Gains that bring the relation back: φ̈ + kd φ̇ + kp φ = 0, of a relation of velocities φ̇ + kp φ = 0."""

    kp: Anything  # [1/s²], of a relation of velocities [1/s]
    kd: Anything = 0  # [1/s]


class ProgramConstraint(ExpressionConstraint):
    """`expression` or `velocity` vanishes because the drives of the joints in `by` make it so."""

    type: Literal["program"] = "program"  # type: ignore[assignment]
    by: JointNames = None  # joints whose efforts are unknown
    realize: AnyRealization = Realization()  # how several drives share it
    feedback: Feedback | None = None  # in place of projection

    @property
    def drives(self) -> tuple[str, ...]:
        return self.by or ()

    @property
    def sharing(self) -> Realization:
        return self.realize

    @property
    def gains(self) -> tuple[Scalar, Scalar] | None:
        return None if self.feedback is None else (self.feedback.kp, self.feedback.kd)

    @property
    def unheld(self) -> Self:
        return self if self.feedback is not None else self.unchecked(feedback=Feedback(kp=0))

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        if path[0] == "realize":
            return self.realize.number_kind(path[1:], names)
        if path == ("feedback", "kd") or (path == ("feedback", "kp") and self.on_velocity):
            return NumberKind("a gain in 1/s", "20 1/s", SECOND.to(-1), minimum=0)
        if path == ("feedback", "kp"):
            return NumberKind("a gain in 1/s^2", "100 1/s^2", SECOND.to(-2), minimum=0)
        return super().number_kind(path, names)

    def name_issues(self, names: KnownNames) -> Iterator[Issue]:
        yield from super().name_issues(names)
        if not self.by:
            cure = f"add by: [{', '.join(list(names.efforts)[:2])}], the joints whose efforts keep it"
            yield Issue("nothing says which joints drive the program", cure, ("by",))
            return
        for k, joint in enumerate(self.by):
            if joint not in names.efforts:
                fault = f"{joint!r} is not a joint with an effort"
                yield Issue(fault, names.advice(joint, names.efforts), ("by", k))
        yield from (issue.under("realize") for issue in self.realize.issues(self.by, 1))

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        yield from super().value_issues(value_of)
        yield from (issue.under("realize") for issue in self.realize.value_issues(value_of))
