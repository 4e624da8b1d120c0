"""The owner of the state x = (q, v, z): mechanics, circuits and inputs become one system f(t, x, u, p).

In: a Model. Out: its state derivative, its equations and its compiled functions, with names and units for every entry.
"""

from __future__ import annotations

from cardan.system.casadi_export import casadi_function
from cardan.system.code_export import export
from cardan.system.dynamics import Dynamics, Energy
from cardan.system.dynamics import compile_model as compile
from cardan.system.linear_form import Regressor, regressor
from cardan.system.matrix_form import Equations, equations
from cardan.system.system import System, build_system
from cardan.system.trace_coefficients import TraceCoefficients

__all__ = [
    "Dynamics",
    "Energy",
    "Equations",
    "Regressor",
    "System",
    "TraceCoefficients",
    "build_system",
    "casadi_function",
    "compile",
    "equations",
    "export",
    "regressor",
]
