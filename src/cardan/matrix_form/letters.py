"""Letters of the velocities in a document: q̇ where they are the rates of the coordinates, else v."""

from cardan.matrix_form.terms import MatrixTerms
from cardan.rendering.documents.pieces import Vector


def velocity_letters(equations: MatrixTerms) -> tuple[Vector, Vector]:
    """Letters of the velocities and of the accelerations."""
    if tuple(f"{name}.v" for name in equations.coordinates) == tuple(equations.velocities):
        return Vector("q", dots=1), Vector("q", dots=2)
    return Vector("v"), Vector("v", dots=1)
