"""A point on a straight line of another body: no offset across the line.   Source: Haug 1989, eq. 9.4.6"""

from collections.abc import Iterator
from typing import Literal

import casadi as ca

from cardan.errors import Issue
from cardan.model.constraints.constraint import Number, PathConstraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.plane import Plane
from cardan.model.quantities.fields import Direction
from cardan.model.records.element import AxesOf, ValueOf
from cardan.spatial.rotations import align_z


class PointOnLine(PathConstraint):
    """The child marker's origin stays on the line through the parent marker's origin along `axis` (parent marker)."""

    type: Literal["point_on_line"] = "point_on_line"
    axis: Direction

    carries_out_of_plane = True

    def rows(self, around: Surroundings) -> list[Row]:
        a, b = around.marker(self.parent), around.marker(self.child)
        R = self._frame(around)
        offset = a.p - b.p
        if around.normal is not None:
            return [Row("force across the line", ca.dot(ca.cross(around.normal, R[:, 2]), offset))]
        return [Row(f"force {name} across the line", ca.dot(R[:, i], offset)) for i, name in ((0, "x"), (1, "y"))]

    def _frame(self, around: Surroundings) -> Number:
        """Axes (3×3) whose third one is the line, world axes."""
        return around.marker(self.parent).R @ align_z(ca.vertcat(*(around.number(entry) for entry in self.axis)))

    def tangent(self, around: Surroundings) -> Number:
        return self._frame(around)[:, 2]

    def planarity_issues(self, plane: Plane, axes_of: AxesOf, value_of: ValueOf) -> Iterator[Issue]:
        if not plane.contains(axes_of(self.parent) @ [value_of(entry) for entry in self.axis]):
            fault, cure = f"the line does not lie in the plane {plane.name}", "change axis, or leave planar out"
            yield Issue(fault, cure, ("axis",))
