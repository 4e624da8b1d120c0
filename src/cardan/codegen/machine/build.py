"""From a program to machine code, through the disk cache."""

from dataclasses import replace

from cardan.codegen.machine import cache
from cardan.codegen.machine.machine_code import MachineCode
from cardan.codegen.program.lanes import side_by_side
from cardan.codegen.program.program import Program


def machine_code(program: Program, lanes: int, *, apart: bool = False) -> MachineCode:
    """Machine code of a program, from disk if it has been made before."""
    material = program.material() + f"lanes {lanes}{' apart' if apart else ''}".encode()
    found = MachineCode.from_bytes(cache.remember(material, lambda: _compile(program, lanes, apart).to_bytes()))
    return replace(found, inputs=program.inputs, outputs=program.outputs)  # equal instructions, other names and shapes


def describe(program: Program) -> MachineCode:
    """Ports and length of a program as a record without machine code."""
    return MachineCode(program.inputs, program.outputs, 0, 0, program.length, b"")


def _compile(program: Program, lanes: int, apart: bool) -> MachineCode:
    from cardan.codegen.llvm.module import module
    from cardan.codegen.machine import engine

    text, n_work = module(program if lanes else side_by_side(program), lanes, apart=apart)
    object_code = engine.assemble(text, quickly=bool(program.called))  # those that call others run at events only
    return MachineCode(program.inputs, program.outputs, n_work, lanes, program.length, object_code)
