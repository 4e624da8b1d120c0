"""Sections of a document that say how its terms come about, or what acts beside them, one file each."""

from cardan.matrix_form.sections.compatibility import compatibility_sections
from cardan.matrix_form.sections.feedback import feedback_names, feedback_section
from cardan.matrix_form.sections.motion import motion_laws, motion_section
from cardan.matrix_form.sections.motor import motor_section
from cardan.matrix_form.sections.trace import trace_sections
from cardan.matrix_form.terms import MatrixTerms
from cardan.rendering.documents.pieces import Chapter

__all__ = ["chapters", "feedback_names", "motion_laws"]

_OWN_SECTIONS = {"trace_lagrange": trace_sections, "compatibility": compatibility_sections}
"""Sections that a formulation adds: how it comes to the terms."""


def chapters(equations: MatrixTerms) -> tuple[Chapter, ...]:
    """How the terms of a model come about."""
    motors = (motor_section(equations),) if equations.motors != "none" and equations.model.motors else ()
    moves = bool(equations.velocities)
    own = _OWN_SECTIONS[equations.formulation](equations) if moves and equations.formulation in _OWN_SECTIONS else ()
    motions = (motion_section(equations),) if equations._system.tree.motions else ()
    feedback = feedback_section(equations)
    return (*motors, *own, *motions, *(() if feedback is None else (feedback,)))
