"""Machine code from CasADi Functions.

In comes a CasADi Function, out goes native code: at an address (`native`) or behind a Python callable (`compile_function`). This room knows no machine:
it never sees a body, a joint or a name other than those of the function's inputs and outputs.
"""

from .compiled import LANES, Compiled, compile_function
from .native import Native, native
from .program import Port
from .shortcut import cached_program
from .symbolic import to_sympy

__all__ = ["LANES", "Compiled", "Native", "Port", "cached_program", "compile_function", "native", "to_sympy"]
