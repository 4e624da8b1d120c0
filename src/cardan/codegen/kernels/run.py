"""Kernel source → machine code in memory, by way of a cache on disk."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import inspect
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from cardan.codegen.cache import folder, source_hash
from cardan.codegen.engine import host
from cardan.codegen.kernels.lowering import module_text
from cardan.codegen.kernels.memory import View

__all__ = ["Kernel", "kernel"]

SYMBOL = "kernel"
OPTIMIZATION = 2  # LLVM's effort; 3 compiles longer and runs no faster


@dataclass(frozen=True)
class Kernel:
    """A function (*records, budget) → status number, as Python and as machine code.

    Calling it runs the machine code without Python's lock.
    """

    source: Callable[..., int]
    records: tuple[type, ...]

    def __call__(self, *arguments: Any) -> int:
        """Run on records made by `memory.fill`, and a budget."""
        *records, budget = arguments
        return _load(self).call(*[record.address for record in records], budget)

    def interpret(self, *arguments: Any) -> int:
        """Run on `arguments` in plain Python, thousands of times slower: to look into it, to test the compiler."""
        *records, budget = arguments
        return self.source(*(View(record) for record in records), budget)

    def load(self) -> None:
        """Compile the kernel, or read it from the cache, if that has not been done in this process."""
        _load(self)


def kernel(*records: type) -> Callable[[Callable[..., int]], Kernel]:
    """Return a decorator for f(*records, budget) → int; it is compiled when it is first called.

    Parameters
    ----------
    *records : type
        Record classes of the arguments before the budget.
    """

    def decorate(function: Callable[..., int]) -> Kernel:
        return Kernel(function, records)

    return decorate


@dataclass(frozen=True)
class _Loaded:
    call: Callable[..., int]
    engine: Any  # owns the memory of the machine code


_LOADED: dict[Kernel, _Loaded] = {}  # never forgotten: a kernel that runs must not lose its machine code


def _load(kernel: Kernel) -> _Loaded:
    """Return the machine code of a kernel; threads that ask for it at once all get the same."""
    return _LOADED.get(kernel) or _LOADED.setdefault(kernel, _made(kernel))


def _made(kernel: Kernel) -> _Loaded:
    path = _path(kernel)
    code = _read(path)
    if code is None:
        code = _compile(kernel)
        _write(path, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(kernel.records), ctypes.c_int64)
    return _Loaded(prototype(engine.get_function_address(SYMBOL)), engine)


def _compile(kernel: Kernel) -> bytes:
    """Return the object code of a kernel."""
    machine = _machine()
    module = llvm.parse_assembly(module_text(kernel.source, (*kernel.records, "int"), SYMBOL))
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMIZATION)
    options.slp_vectorization = True
    options.loop_unrolling = False  # twice the code to compile for loops of a dozen rounds
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def _machine() -> Any:
    triple, cpu, features = host()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=OPTIMIZATION, jit=True)


def _path(kernel: Kernel) -> Path:
    """Return where code is kept: a hash of the compiler, the kernel's folder, LLVM and the processor."""
    compiler = source_hash(Path(__file__).parent)
    parts: tuple[Any, ...] = (kernel.source, *kernel.records)
    around = [source_hash(Path(inspect.getfile(part)).parent) for part in parts]
    names = [f"{part.__module__}.{part.__qualname__}" for part in parts]
    key = "\0".join([compiler, *around, *names, llvmlite.__version__, *host()])
    return folder() / "kernels" / hashlib.sha256(key.encode()).hexdigest()


def _read(path: Path) -> bytes | None:
    """Return cached code; None if there is none or it is damaged: a flipped bit in machine code is a crash."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return content[32:] if hashlib.sha256(content[32:]).digest() == content[:32] else None


def _write(path: Path, code: bytes) -> None:
    """Keep code, moved into place so that nobody reads half of it; a folder that cannot be written means no cache."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(draft, path)
        except BaseException:
            os.unlink(draft)
            raise
