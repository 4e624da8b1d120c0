"""Machine code from CasADi Functions.

In comes a CasADi Function, out goes native code, at an address (`native`) or behind a Python callable
(`compile_function`), or source code to hand out (`Source`). This room knows no machine: no body, no joint, only inputs
and outputs.
"""

from cardan.codegen.callables.compiled import Compiled, compile_function
from cardan.codegen.callables.gradual import Gradual, GradualLanes
from cardan.codegen.callables.native import Native, native
from cardan.codegen.machine.engine import best_lanes
from cardan.codegen.machine.shortcut import cached_program
from cardan.codegen.program.program import Port
from cardan.codegen.targets.c_source import c_files
from cardan.codegen.targets.casadi_source import casadi_files
from cardan.codegen.targets.identifiers import argument_names, identifier, module_name
from cardan.codegen.targets.python_source import python_files
from cardan.codegen.targets.source import Argument, Listing, Routine, Source

__all__ = [
    "Argument",
    "Compiled",
    "Gradual",
    "GradualLanes",
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
