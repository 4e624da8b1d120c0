"""Machine code from CasADi Functions.

In comes a CasADi Function, out goes native code, at an address (`native`) or behind a Python callable
(`compile_function`). This room knows no machine: no body, no joint, only inputs and outputs.
"""

from .compiled import Compiled, compile_function
from .engine import best_lanes
from .gradual import Gradual
from .native import Native, native
from .program import Port
from .shortcut import cached_program

__all__ = ["Compiled", "Gradual", "Native", "Port", "best_lanes", "cached_program", "compile_function", "native"]
