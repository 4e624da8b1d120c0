"""The gravity of a model in two forms: as three numbers, and in words."""

from __future__ import annotations

from cardan.errors import ModelError
from cardan.model.gravity import PointGravity
from cardan.model.quantities.fields import ZERO
from cardan.model.quantities.scalar import Scalar
from cardan.model.sections import ModelSections

__all__ = ["gravity_words", "uniform_gravity"]


def uniform_gravity(model: ModelSections, needed_by: str = "") -> tuple[Scalar, Scalar, Scalar]:
    """Components of the gravity of the `model`; zeros where it depends on the place."""
    gravity = model.gravity
    if not isinstance(gravity, PointGravity) and not any(
        entry.names & {"x", "y", "z"} - model.parameters.keys() for entry in gravity
    ):
        return gravity
    if needed_by:
        raise ModelError(f"gravity depends on the place, and {needed_by}", "write gravity as three numbers")
    return (ZERO, ZERO, ZERO)


def gravity_words(model: ModelSections) -> str:
    """The gravity of the `model` as text."""
    gravity = model.gravity
    if isinstance(gravity, PointGravity):
        return f"towards [{', '.join(map(str, gravity.center))}], mu {gravity.mu}"
    return f"[{', '.join(map(str, gravity))}]"
