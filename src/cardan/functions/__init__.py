"""One catalogue of a model's functions: laws with arguments, shapes and descriptions, and the callables made of them.

In: a System. Out: machine code for single states and batches, source code, CasADi Functions. It integrates nothing.
"""

from __future__ import annotations

from cardan.functions.casadi_export import casadi_function
from cardan.functions.code_export import export
from cardan.functions.dynamics import Dynamics, Energy
from cardan.functions.dynamics import compile_model as compile

__all__ = ["Dynamics", "Energy", "casadi_function", "compile", "export"]
