"""What every law of a prescribed motion satisfies: values of time for one coordinate or for components of a marker."""

from abc import abstractmethod
from collections.abc import Callable
from math import isinf
from typing import Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import Issue, ModelError
from cardan.model.motions.realization import AnyRealization, Realization
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record

Number = Any  # casadi.SX, casadi.DM or float
NumberOf = Callable[[Scalar], Number]
"""Value of a scalar of a law: over symbols, or in SI."""


def _names(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value):
        if len(set(value)) < len(value):
            raise ModelError("a joint is named twice", "name every joint that drives the motion once")
        return tuple(value)
    raise ModelError(f"{f'{value!r:.60}'} names no joints", "write [A1, B1], joints or joint.component")


JointNames = Annotated[tuple[str, ...] | None, BeforeValidator(_names)]
"""Joints whose efforts are unknown, by name: one, or a list."""


def open_period(first: float, last: float, whole: float, rounding: float) -> list[Issue]:
    """The issue of a period that takes the motion from `first` to `last`, unless these agree up to whole turns."""
    gap = last - first
    gap -= 0.0 if isinf(whole) else whole * round(gap / whole)
    if abs(gap) <= rounding:
        return []
    turns = "" if isinf(whole) else ", and no whole turns lie between them"
    fault = f"the motion begins its period at {first:.6g} and ends it at {last:.6g}{turns}"
    return [Issue(fault, "let it end where it begins, or leave period out", ("period",))]


class PrescribedMotion(Record):
    """A relation of a coordinate, or of components of a marker, with time, which the joints in `by` keep."""

    by: JointNames = None  # joints whose efforts are unknown

    realize: AnyRealization = Realization()  # how drives share the motion where it has fewer components than drives

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of components that it prescribes."""

    @abstractmethod
    def values(self, number: NumberOf, t: Number) -> list[Number]:
        """Values [SI] of the components at the instant t, over CasADi numbers."""

    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """The law of each component as a reader sees it: "quintic from 20 deg at 0 s to 70 deg at 4 s"."""

    def breaks(self, number: Callable[[Scalar], float], until: float) -> list[float]:
        """Instants up to `until` [s] at which a derivative up to the third jumps, ascending; `number` gives values."""
        return []

    def end(self, number: Callable[[Scalar], float]) -> float | None:
        """End of the motion, or of its first period [s]; None if it has none. `number` gives values of scalars."""
        return None

    def last(self) -> float | None:
        """Instant [s] after which the law is not known; None if there is none."""
        return None

    def period_issues(self, number: Callable[[Scalar], float], whole: float) -> list[Issue]:
        """A period at whose end the motion is not where it began."""
        return []

    def value_issues(self, number: Callable[[Scalar], float]) -> list[Issue]:
        """Values of its scalars, given by `number`, with which the law cannot be."""
        return []
