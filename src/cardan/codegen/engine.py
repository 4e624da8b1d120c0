"""LLVM text to machine code for this processor, and machine code to callable addresses."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

__all__ = ["Engine", "assemble", "best_lanes", "host", "load"]

OPTIMIZATION = 2
"""LLVM's effort in instruction selection and register allocation: 1 and 3 gave the same code for a 7-joint arm."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Machine code in memory; its addresses are valid as long as this record lives.

    Parameters
    ----------
    program, state, rows : int
        Addresses of the three functions of a module (`llvm.module`).
    keep : object
        LLVM's owner of the memory.
    """

    program: int
    state: int
    rows: int
    keep: Any


@functools.cache
def host() -> tuple[str, str, str]:
    """LLVM's triple, processor name and feature flags of this machine."""
    _initialize()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def best_lanes() -> int:
    """The number of lanes with which a batch runs fastest on this processor.

    A value should fill one register. With AVX-512 that is 8. Elsewhere 4: with 8 lanes in 16 registers of 256 bits, a
    7-joint arm spills 2.5 times as often, outgrows the instruction cache and takes 1.2 times as long.
    """
    return 8 if "+avx512f" in host()[2].split(",") else 4


def assemble(text: str) -> bytes:
    """The object code of a module.

    Parameters
    ----------
    text : str
        LLVM's textual form.
    """
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return machine.emit_object(module)


def load(code: bytes) -> Engine:
    """Machine code ready to be called.

    Parameters
    ----------
    code : bytes
        What `assemble` made on a machine of the same kind.
    """
    machine = _machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    program, state, rows = (engine.get_function_address(name) for name in ("program", "state", "rows"))
    return Engine(program, state, rows, engine)


@functools.cache
def _initialize() -> None:
    if llvm.llvm_version_info[0] < 20:
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _machine() -> Any:
    triple, cpu, features = host()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=OPTIMIZATION, jit=True)
