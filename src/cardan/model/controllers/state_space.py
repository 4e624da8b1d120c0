"""Linear system ẋ = A x + B u, y = C x + D u; with a gain of its own an observer.   Source: Kailath 1980, ch. 2, 4"""

from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import LimitedLaw
from cardan.model.quantities.fields import Anything, Rate
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, renamed, text_of, times

Row = tuple[Anything, ...]
Matrix = tuple[Row, ...]


class StateSpace(LimitedLaw):
    """y = C x + D u of a system with the states `name.x1`, `name.x2`, …; sampled, A and B give the next state.

    With `gain` L and `measured` y_m it is an observer of a system with these matrices: ẋ = A x + B u + L (y_m − y), one
    row of C and D for each of them. Its result is then `feedback` times x, such as −K.
    """

    type: Literal["state_space"] = "state_space"
    inputs: tuple[Rate, ...]  # u (m,)
    A: Matrix  # (n, n)
    B: Matrix  # (n, m)
    C: Matrix  # (p, n); one row unless it observes
    D: Matrix | None = None  # (p, m); zero if absent
    gain: Matrix | None = None  # L (n, p) of an observer
    measured: tuple[Rate, ...] = ()  # y_m (p,) of an observer
    feedback: Row | None = None  # (n,) of an observer, whose result is feedback · x

    @model_validator(mode="after")
    def _check(self) -> Self:
        n, m, p = len(self.A), len(self.inputs), len(self.C)
        shapes = {"A": (self.A, n, n), "B": (self.B, n, m), "C": (self.C, p, n)}
        shapes |= {} if self.D is None else {"D": (self.D, p, m)}
        shapes |= {} if self.gain is None else {"gain": (self.gain, n, p)}
        for key, (matrix, rows, columns) in shapes.items():
            if len(matrix) != rows or any(len(row) != columns for row in matrix):
                found = f"{len(matrix)} rows of {', '.join(str(len(row)) for row in matrix)}"
                raise ModelError(Issue(f"{key} has {found}", f"write {rows} rows of {columns}", (key,)))
        observes = self.gain is not None
        if not n or not p or (observes and len(self.measured) != p) or (not observes and p != 1):
            fault = "an observer has one measured value for each row of C" if observes else "the result is one number"
            raise ModelError(Issue(fault, "give measured: a list" if observes else "give C one row", ("C",)))
        if observes != (self.feedback is not None) or (self.feedback is not None and len(self.feedback) != n):
            raise ModelError(Issue(f"an observer has a feedback of {n} numbers", "give gain, measured and feedback"))
        return self

    def law(self, name: str, sections: Sections) -> str:
        x = [f"{name}.x{k + 1}" for k in range(len(self.A))]
        u = [f"({text_of(each)})" for each in self.inputs]
        value = "" if self.feedback is None else self.bounded(name, _row(self.feedback, x, (), u), sections)
        if value and self.every is not None:  # its name stands for the value that this sample replaces
            sections.put("let", f"{name}.sample", value)
            value = f"{name}.sample"
            u = [renamed(each, name, self.delayed(value)) for each in u]
        y = [_row(row, x, self.D[k] if self.D else (), u) for k, row in enumerate(self.C)]
        for k, state in enumerate(x):
            law = _row(self.A[k], x, self.B[k], u)
            if self.gain is not None:
                apart = [f"({text_of(m)} - ({own}))" for m, own in zip(self.measured, y, strict=True)]
                law = plus(law, *(times(text_of(g), e) for g, e in zip(self.gain[k], apart, strict=True)))
            self.advanced(name, state.rpartition(".")[2], law, sections)
        return value or self.bounded(name, y[0], sections)


def _row(row: Row, x: list[str], direct: Row, u: list[str]) -> str:
    """Sum of a row times x, and of another one times u."""
    terms = [times(text_of(a), b) for a, b in (*zip(row, x, strict=True), *zip(direct, u, strict=bool(direct)))]
    return plus(*(term for term in terms if term != "0.0")) if any(term != "0.0" for term in terms) else "0.0"
