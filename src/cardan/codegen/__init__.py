"""Machine code from CasADi Functions.

In comes a CasADi Function, out goes native code, at an address (`native`) or behind a Python callable
(`compile_function`), or source code to hand out (`Source`). This room knows no machine: no body, no joint, only inputs
and outputs.
"""

from cardan.codegen.callables.compiled import Compiled, compile_function
from cardan.codegen.callables.gradual import Gradual, GradualLanes, expecting
from cardan.codegen.callables.native import Native, native
from cardan.codegen.machine.shortcut import cached_native, cached_program
from cardan.codegen.program.instruction import NEEDED
from cardan.codegen.program.program import Port

__all__ = [
    "NEEDED",
    "Compiled",
    "Gradual",
    "GradualLanes",
    "Native",
    "Port",
    "cached_native",
    "cached_program",
    "compile_function",
    "expecting",
    "native",
]
