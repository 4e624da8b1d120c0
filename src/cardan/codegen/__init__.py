"""Machine code from CasADi Functions.

In comes a CasADi Function, out goes native code, at an address (`native`) or behind a Python callable
(`compile_function`), or source code to hand out (`Source`). This room knows no machine: no body, no joint, only inputs
and outputs.
"""

from .c_source import c_files
from .casadi_source import casadi_files
from .compiled import Compiled, compile_function
from .engine import best_lanes
from .gradual import Gradual
from .identifiers import argument_names, identifier, module_name
from .native import Native, native
from .program import Port
from .python_source import python_files
from .shortcut import cached_program
from .source import Argument, Listing, Routine, Source

__all__ = [
    "Argument",
    "Compiled",
    "Gradual",
    "Listing",
    "Native",
    "Port",
    "Routine",
    "Source",
    "argument_names",
    "best_lanes",
    "c_files",
    "cached_program",
    "casadi_files",
    "compile_function",
    "identifier",
    "module_name",
    "native",
    "python_files",
]
