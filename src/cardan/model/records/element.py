"""Element: what joints, motors, forces and constraints answer about themselves.

The answers given here are right for most kinds; a kind overrides those in which it differs. No other code asks which
kind a record is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import Issue, Path
from cardan.model.place import InlinePlace
from cardan.model.plane import Plane
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import Record
from cardan.model.units import Dimension

if TYPE_CHECKING:
    from cardan.model.quantities.number_kind import NumberKind

ValueOf = Callable[[Scalar], float]
"""Value of a scalar in SI."""
AxesOf = Callable[[str | InlinePlace], np.ndarray]
"""Axes R_WM (3×3) of a place in the world, all joints at zero."""


class ModelPart(Record):
    """A joint, motor, force, constraint or bond graph. Paths of issues start at the record itself."""

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        """What the number at `path` has to be where its motion decides that; None: its field says it."""
        return None

    def name_issues(self, names: KnownNames) -> Iterable[Issue]:
        """Names in this record that have no meaning in the model, whose `names` are given."""
        return ()

    def dimension_issues(self, names: KnownNames, known: Mapping[str, Dimension | None]) -> Iterable[Issue]:
        """Numbers that do not fit to each other, beyond the kind of each.

        They are judged with the `names` of the model and the `known` dimensions of its parameters.
        """
        return ()

    def value_issues(self, value_of: ValueOf) -> Iterable[Issue]:
        """Numbers with which this record cannot be; `value_of` gives the value of each."""
        return ()

    def planarity_issues(self, plane: Plane, axes_of: AxesOf, value_of: ValueOf) -> Iterable[Issue]:
        """What leaves the `plane` of a planar model.

        Parameters
        ----------
        plane : the plane.
        axes_of : gives the axes of a place in the world.
        value_of : gives the value of a number.
        """
        return ()

    def doubts(self, value_of: ValueOf) -> Iterable[Issue]:
        """What can be computed but is probably not meant; `value_of` gives the value of a number."""
        return ()


class Element(ModelPart):
    """A joint, motor, force or constraint."""

    type: str
