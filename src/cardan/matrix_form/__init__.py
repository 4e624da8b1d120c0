"""The matrix form of the equations of motion for people to read, and its document.

In: a Model. Out: M, C, D, g, B, Q, Φ and the other terms as SymPy matrices, numbers, text, LaTeX, HTML.
"""

from cardan.matrix_form.equations import Equations, equations
from cardan.matrix_form.point_kinematics import PointKinematics
from cardan.matrix_form.regressor import Regressor, regressor
from cardan.matrix_form.trace_coefficients import TraceCoefficients

__all__ = ["Equations", "PointKinematics", "Regressor", "TraceCoefficients", "equations", "regressor"]
