"""Refuses given parts of reactions that refer to a path where the constraint leaves its point none."""

from __future__ import annotations

from cardan.errors import Issue, ModelError
from cardan.kinematics.moving_axes import has_path
from cardan.kinematics.scope import value
from cardan.kinematics.tree import Tree
from cardan.model.quantities.number_kind import OWN_NAMES
from cardan.model.records.walk import scalars

__all__ = ["check_given"]


def check_given(tree: Tree) -> None:
    """Check the given parts of all reactions.

    Raises
    ------
    ModelError
        A given part stands in the axes of a path, or names the speed along it, and there is none.
    """
    for load in tree.loads:
        if not load.given or has_path(tree, load.name, value):
            continue
        used = {name for _, scalar in scalars(load.record) for name in scalar.names}
        own = [name for name in OWN_NAMES if f"{load.name}.{name}" in used]
        if load.on_path or own:
            fault = "the equation leaves its point no path" + (f", so there is no {own[0]} along it" if own else "")
            cure = "write the components in frame: world, of coordinates and points; a path is a line or a curve"
            raise ModelError(Issue(fault, cure, ("constraints", load.name, "given", "value" if own else "frame")))
