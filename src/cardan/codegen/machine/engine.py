"""LLVM text to machine code for this processor, and machine code to callable addresses.

Code and constants are written for the small code model, in which constants are operands at 32-bit distances: it is
shorter, faster, and compiled in two thirds of the time. LLVM's JITLink puts each object into one block of memory, so
that these distances hold, goes through stubs to the C library, and refuses what it cannot reach. Windows has no stable
JITLink; there MCJIT places sections one by one, and 64-bit addresses are written into the code.
"""

from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm

from cardan.frozen import dataclass

OPTIMIZATION = 2
"""LLVM's effort in kernels; 3 took longer and made no faster code."""
OF_PROGRAMS = 1
"""LLVM's effort in instruction selection and register allocation of programs: 2 and 3 give code of the same length in a
sixth more time."""
LONG = 1500
"""Instructions of a program from which on two registers for each value are too many."""
FUNCTIONS = ("program", "state", "rows")
"""The functions of a module, in the order of the fields of `Engine`."""

if llvm.llvm_version_info[0] < 20:
    llvm.initialize()
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
HOST = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
"""LLVM's triple, processor name and feature flags of this machine."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Machine code in memory; its addresses are valid as long as this record lives."""

    program: int  # address of the function of that name in `llvm.module`
    state: int  # address of the next one
    rows: int  # address of the third
    keep: Any  # LLVM's owner of the memory


def best_lanes(length: int) -> int:
    """The number of lanes with which a batch runs fastest on this processor.

    With AVX-512 it is 8, which fill one register. Elsewhere a value of 8 lanes takes two of the 16 registers of 256
    bits: in short programs the second half fills the gaps that the first one leaves while it waits for its operands;
    long ones spill too often and outgrow the instruction cache, and run faster with 4.
    """
    return 8 if "+avx512f" in HOST[2].split(",") or length < LONG else 4


def assemble(text: str, *, quickly: bool = False) -> bytes:
    """The object code of a program in single assignment, which LLVM's passes could not make faster.

    Without effort LLVM takes half the time, for programs that run now and then.
    """
    machine = _machine(0 if quickly else OF_PROGRAMS)
    return machine.emit_object(_parsed(text, machine))


def assemble_loops(text: str, *, quickly: bool = False) -> bytes:
    """The object code of a module with loops."""
    machine = _machine(0 if quickly else OPTIMIZATION)
    module = _parsed(text, machine)
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMIZATION)
    options.slp_vectorization = True
    options.loop_unrolling = False  # twice the code to compile for loops of a dozen rounds
    builder = llvm.create_pass_builder(machine, options)
    if quickly:
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
    else:
        passes = builder.getModulePassManager()
    passes.run(module, builder)
    return machine.emit_object(module)


def _parsed(text: str, machine: Any) -> Any:
    """LLVM's module of its textual form, for a machine."""
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return module


def load(code: bytes) -> Engine:
    """The machine code of a program, ready to be called."""
    (program, state, rows), keep = link(code, FUNCTIONS)
    return Engine(program, state, rows, keep)


def link(code: bytes, names: Sequence[str]) -> tuple[list[int], Any]:
    """The addresses of functions of an object file, and the owner of the memory they lie in."""
    if not _has_jitlink():
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(OPTIMIZATION))
        engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return [engine.get_function_address(name) for name in names], engine
    library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name in names:
        library.export_symbol(name)
    made = library.link(llvm.create_lljit_compiler(_machine(OPTIMIZATION), use_jit_link=True), "cardan")
    return [made[name] for name in names], made


def _has_jitlink() -> bool:
    return "windows" not in HOST[0]


def _machine(effort: int) -> Any:
    triple, cpu, features = HOST
    target = llvm.Target.from_triple(triple)
    model = {"codemodel": "small", "reloc": "pic"} if _has_jitlink() else {}
    return target.create_target_machine(cpu=cpu, features=features, opt=effort, jit=True, **model)
